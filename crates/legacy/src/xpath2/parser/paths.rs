//! Paths, their steps, and what a step can start with.

use super::{AT_START, Parser};
use crate::xpath2::atomic::Atomic;
use crate::xpath2::decimal::Decimal;
use crate::xpath2::expression::{Expr, Step};
use crate::xpath2::lexer::Word;
use crate::xpath2::{Found, fault};
use swell_query::xpath::{Axis, Test};

impl Parser<'_> {
    pub(super) fn path(&mut self) -> Found<Expr> {
        let mut parts = Vec::new();
        if self.take("/") {
            parts.push(Expr::Root);
            if !self.starts_step() {
                return Ok(Expr::Root);
            }
        } else if self.take("//") {
            parts.extend([Expr::Root, below()]);
        }
        self.add_step(&mut parts)?;
        loop {
            if self.take("//") {
                parts.push(below());
            } else if !self.take("/") {
                break;
            }
            self.add_step(&mut parts)?;
        }
        let is_primary = |part: &Expr| match part {
            Expr::Step(_) => false,
            Expr::Filter(inner, _) => !matches!(**inner, Expr::Step(_)),
            _ => true,
        };
        if parts.len() == 1 && parts.iter().all(is_primary) {
            return Ok(parts.pop().expect("there is one"));
        }
        Ok(Expr::Path(parts))
    }

    fn starts_step(&self) -> bool {
        match self.word() {
            Some(Word::Symbol(symbol)) => matches!(*symbol, "." | ".." | "@" | "*" | "("),
            Some(_) => true,
            None => false,
        }
    }

    /// Adds a step. `//name` becomes one walk where positions are not asked for.
    fn add_step(&mut self, parts: &mut Vec<Expr>) -> Found<()> {
        let part = self.postfix()?;
        let is_below = matches!(parts.last(), Some(Expr::Step(step)) if step.axis == Axis::DescendantOrSelf && step.test == Test::Node);
        let deeper = |step: Step| Expr::Step(Step { axis: Axis::Descendant, ..step });
        let merged = match part {
            Expr::Step(step) if is_below && step.axis == Axis::Child => Ok(deeper(step)),
            Expr::Filter(inner, predicates) if is_below && !predicates.iter().any(Expr::is_positional) => {
                match *inner {
                    Expr::Step(step) if step.axis == Axis::Child => {
                        Ok(Expr::Filter(Box::new(deeper(step)), predicates))
                    }
                    other => Err(Expr::Filter(Box::new(other), predicates)),
                }
            }
            other => Err(other),
        };
        if merged.is_ok() {
            parts.pop();
        }
        parts.push(merged.unwrap_or_else(|as_it_is| as_it_is));
        Ok(())
    }

    fn postfix(&mut self) -> Found<Expr> {
        let primary = self.primary()?;
        let mut predicates = Vec::new();
        while self.take("[") {
            if self.is("]") {
                return fault(format!("Unexpected token \"]\" {AT_START}"));
            }
            predicates.push(self.sequence()?);
            self.expect("]")?;
        }
        Ok(if predicates.is_empty() { primary } else { Expr::Filter(Box::new(primary), predicates) })
    }

    fn primary(&mut self) -> Found<Expr> {
        let Some(word) = self.word() else { return fault(format!("Unexpected token \"<eof>\" {AT_START}")) };
        match word {
            Word::Number(text) => {
                self.at += 1;
                number(text).map(Expr::Literal)
            }
            Word::Text(text) => {
                self.at += 1;
                Ok(Expr::Literal(Atomic::Text(text.clone())))
            }
            Word::Variable(name) => {
                self.at += 1;
                match self.variables.iter().rposition(|known| known == name) {
                    Some(place) => Ok(Expr::Variable(place)),
                    None => fault(format!("Undeclared variable in XPath expression: ${name}")),
                }
            }
            Word::Symbol("(") => {
                self.at += 1;
                if self.take(")") {
                    return Ok(Expr::Sequence(Vec::new()));
                }
                let inner = self.sequence()?;
                self.expect(")")?;
                Ok(inner)
            }
            Word::Symbol(".") => {
                self.at += 1;
                Ok(Expr::Context)
            }
            Word::Symbol("..") => {
                self.at += 1;
                Ok(step(Axis::Parent, Test::Node))
            }
            Word::Symbol("@") => {
                self.at += 1;
                if !(self.name().is_some() || self.is("*")) {
                    return fault("@ must be followed by a NodeTest");
                }
                self.node_test().map(|test| step(Axis::Attribute, test))
            }
            Word::Symbol("*") => self.node_test().map(|test| step(Axis::Child, test)),
            Word::Symbol(_) => fault(format!("Unexpected token {} {AT_START}", self.shown())),
            Word::Name(name) => self.named(name),
        }
    }

    /// A step by a name, with its axis perhaps, or a call.
    fn named(&mut self, name: &str) -> Found<Expr> {
        if self.is_ahead(1, "::") {
            let Some(axis) = Axis::of(name) else { return fault(format!("Unknown axis name: {name}")) };
            self.at += 2;
            if !(self.name().is_some() || self.is("*")) {
                return fault(format!("Unexpected token {} after axis name", self.shown()));
            }
            return self.node_test().map(|test| step(axis, test));
        }
        if self.is_ahead(1, "(") && !is_kind(name) {
            self.at += 1;
            return self.call(name, None);
        }
        let axis = if name == "attribute" && self.is_ahead(1, "(") { Axis::Attribute } else { Axis::Child };
        self.node_test().map(|test| step(axis, test))
    }

    fn node_test(&mut self) -> Found<Test> {
        if self.take("*") {
            return Ok(Test::Any);
        }
        let name = self.name().unwrap_or_default();
        self.at += 1;
        if self.is("(") && is_kind(name) {
            self.at += 1;
            let argument = match self.word() {
                Some(Word::Name(name) | Word::Text(name)) => {
                    self.at += 1;
                    Some(name.clone())
                }
                Some(Word::Symbol("*")) => {
                    self.at += 1;
                    None
                }
                _ => None,
            };
            self.expect(")")?;
            return Ok(match name {
                "node" => Test::Node,
                "text" => Test::Text,
                "comment" => Test::Comment,
                "processing-instruction" => Test::Instruction(argument),
                _ => match argument {
                    Some(name) => Test::Name(None, name),
                    None => Test::Any,
                },
            });
        }
        Ok(match name.split_once(':') {
            None => Test::Name(None, name.to_owned()),
            Some(("*", local)) => Test::AnyNamespace(local.to_owned()),
            Some((prefix, "*")) => Test::AnyIn(self.prefix(prefix)?),
            Some((prefix, local)) => Test::Name(Some(self.prefix(prefix)?), local.to_owned()),
        })
    }

    pub(super) fn prefix(&mut self, prefix: &str) -> Found<usize> {
        let declared = self.declared.iter().rev().find(|(known, _)| known == prefix);
        let namespace = match (declared, prefix) {
            (Some((_, namespace)), _) => namespace,
            (None, "xml") => "http://www.w3.org/XML/1998/namespace",
            (None, _) => return fault(format!("Namespace prefix '{prefix}' has not been declared")),
        };
        self.namespaces.push(namespace.to_owned());
        Ok(self.namespaces.len() - 1)
    }
}

fn is_kind(name: &str) -> bool {
    matches!(name, "node" | "text" | "comment" | "processing-instruction" | "element" | "attribute")
}

fn step(axis: Axis, test: Test) -> Expr {
    Expr::Step(Step { axis, test })
}

fn below() -> Expr {
    step(Axis::DescendantOrSelf, Test::Node)
}

fn number(text: &str) -> Found<Atomic> {
    let value = if text.contains(['e', 'E']) {
        text.parse().ok().map(Atomic::Double)
    } else if text.contains('.') {
        Decimal::parse(text).map(Atomic::Decimal)
    } else {
        text.parse().ok().map(Atomic::Integer)
    };
    value.map_or_else(|| fault(format!("Invalid numeric literal {text}")), Ok)
}
