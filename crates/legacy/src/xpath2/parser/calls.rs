//! Calls of functions and constructors.

use super::Parser;
use crate::xpath2::expression::{Expr, Type};
use crate::xpath2::functions::Function;
use crate::xpath2::{Found, fault};

const FUNCTIONS: &str = "http://www.w3.org/2005/xpath-functions";

impl Parser<'_> {
    /// A call, from its bracket on.
    pub(super) fn call(&mut self, name: &str, first: Option<Expr>) -> Found<Expr> {
        self.expect("(")?;
        let mut arguments: Vec<_> = first.into_iter().collect();
        if !self.take(")") {
            loop {
                arguments.push(self.single()?);
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        if let (Some(to), 1) = (Type::of(name), arguments.len()) {
            return Ok(Expr::Cast(to, Box::new(arguments.pop().expect("there is one"))));
        }
        let local = match name.split_once(':') {
            None => name,
            Some((prefix, local)) => {
                let place = self.prefix(prefix)?;
                if self.namespaces[place] != FUNCTIONS {
                    return fault(format!(
                        "Cannot find a {}-argument function named Q{{{}}}{local}()",
                        arguments.len(),
                        self.namespaces[place]
                    ));
                }
                local
            }
        };
        if Function::is_elsewhere(local) {
            return fault(format!("Swell does not have the function {local}()"));
        }
        let unknown =
            format!("Cannot find a {}-argument function named Q{{{FUNCTIONS}}}{local}()", arguments.len());
        let Some(function) = Function::find(local) else { return fault(unknown) };
        if !function.takes(arguments.len()) {
            return fault(format!(
                "{unknown}. The namespace URI and local name are recognized, but the number of arguments is wrong"
            ));
        }
        Ok(Expr::Call(function, arguments))
    }
}
