//! Lists, maps, closures, casts and properties of Groovy and BeanShell.

use std::rc::Rc;

use super::Language;
use super::parse::{Parser, show};
use super::token::{Kind, Token};
use super::tree::{Closure, Declared, Node, Type};
use super::value::Value;

impl Parser<'_> {
    /// A list or a map whose `[` is taken.
    pub(super) fn brackets(&mut self) -> Result<Node, String> {
        if self.take(&[":"]).is_some() {
            self.expect("]")?;
            return Ok(Node::Map(Vec::new()));
        }
        let (mut values, mut entries) = (Vec::new(), Vec::new());
        while self.take(&["]"]).is_none() {
            if let Some(key) = self.map_key()? {
                entries.push((key, self.choice()?));
            } else {
                values.push(self.choice()?);
            }
            if self.take(&[","]).is_none() {
                self.expect("]")?;
                break;
            }
        }
        match (values.is_empty(), entries.is_empty()) {
            (_, true) => Ok(Node::List(values)),
            (true, false) => Ok(Node::Map(entries)),
            _ => Err("a list with keys needs a script engine".to_owned()),
        }
    }

    /// A list of JEXL whose `[` is taken.
    pub(super) fn list(&mut self) -> Result<Node, String> {
        match self.brackets()? {
            list @ Node::List(_) => Ok(list),
            _ => Err("a map needs a script engine".to_owned()),
        }
    }

    /// `key:` of a map; none if it is the value of a list.
    fn map_key(&mut self) -> Result<Option<Node>, String> {
        let [first, Token { kind: Kind::Mark(":"), .. }, ..] = self.tokens else { return Ok(None) };
        let key = match &first.kind {
            Kind::Word(name) => Value::own(name.as_str()),
            Kind::Text(text, _) => Value::own(text.as_str()),
            _ => return Err("this key of a map needs a script engine".to_owned()),
        };
        self.tokens = &self.tokens[2..];
        Ok(Some(Node::Constant(key)))
    }

    /// What stands between parentheses whose first is taken: a cast, or a value.
    pub(super) fn parenthesis(&mut self) -> Result<Node, String> {
        let [Token { kind: Kind::Word(name), .. }, Token { kind: Kind::Mark(")"), .. }, next, ..] =
            self.tokens
        else {
            return self.argument(")");
        };
        let starts = matches!(
            next.kind,
            Kind::Word(_) | Kind::Number(_) | Kind::Text(..) | Kind::Mark("(") | Kind::Hole
        );
        let known = Type::named(name).filter(|_| self.locals.find(name).is_none());
        match known {
            Some(to) if self.language.has_statements() && starts && !next.on_new_line => {
                self.tokens = &self.tokens[2..];
                self.longer()?;
                let node = self.unary()?;
                Ok(Node::Narrow(Box::new(node), to))
            }
            _ => self.argument(")"),
        }
    }

    /// `a.name` without parentheses.
    pub(super) fn property_of(&mut self, node: Node, name: String, safe: bool) -> Result<Node, String> {
        if self.language == Language::BeanShell && name != "length" {
            return Err(format!("`.{name}` needs a script engine"));
        }
        Ok(Node::Member { of: Box::new(node), name: name.into(), safe })
    }

    /// A closure that begins here.
    pub(super) fn closure(&mut self) -> Result<Node, String> {
        self.expect("{")?;
        self.closure_inside()
    }

    /// A closure whose `{` is taken.
    pub(super) fn closure_inside(&mut self) -> Result<Node, String> {
        self.deeper()?;
        self.locals.enter();
        let parameters = self.parameters();
        let body = self.statements(true);
        self.locals.leave();
        self.depth -= 1;
        let (parameters, body) = (parameters?, body?);
        self.expect("}")?;
        Ok(Node::Closure(Rc::new(Closure { parameters, body })))
    }

    /// The parameters of a closure: names before `->`, else `it`.
    fn parameters(&mut self) -> Result<Vec<u32>, String> {
        let arrow = self.tokens.iter().take(8).position(|token| token.kind == Kind::Mark("->"));
        let simple = |token: &Token| matches!(token.kind, Kind::Word(_) | Kind::Mark(","));
        let Some(arrow) = arrow.filter(|arrow| self.tokens[..*arrow].iter().all(simple)) else {
            return Ok(vec![self.locals.declare("it", Declared::Anything)]);
        };
        let (names, rest) = self.tokens.split_at(arrow);
        self.tokens = &rest[1..];
        let mut places = Vec::new();
        for parameter in names.split(|token| token.kind == Kind::Mark(",")) {
            // A type before the name is taken at its word.
            match parameter {
                [] if names.is_empty() => {}
                [Token { kind: Kind::Word(name), .. }] => {
                    places.push(self.locals.declare(name, Declared::Anything));
                }
                [Token { kind: Kind::Word(of), .. }, Token { kind: Kind::Word(name), .. }]
                    if matches!(Declared::named(of), Some(Declared::Anything | Declared::Text)) =>
                {
                    places.push(self.locals.declare(name, Declared::Anything));
                }
                other => return Err(format!("{} is not expected among parameters", show(other.first()))),
            }
        }
        Ok(places)
    }
}
