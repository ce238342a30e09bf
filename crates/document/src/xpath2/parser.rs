//! From words to an expression.

use super::atomic::Atomic;
use super::decimal::Decimal;
use super::expression::{Comparison, Expr, Operator, Type};
use super::functions::Function;
use super::lexer::{self, Word};
use super::{Found, XPath2, fault};
use crate::xpath::{Axis, Step, Test};

/// Brackets in brackets.
const DEEPEST: usize = 48;

const AT_START: &str = "at start of expression";

pub(super) fn parse(text: &str, namespaces: &[(String, String)]) -> Found<XPath2> {
    let words = lexer::words(text)?;
    let mut parser = Parser {
        words: &words,
        at: 0,
        declared: namespaces,
        namespaces: Vec::new(),
        variables: Vec::new(),
        depth: 0,
    };
    let expr = parser.sequence()?;
    if parser.at < words.len() {
        return fault(format!("Unexpected token {} beyond end of expression", parser.shown()));
    }
    Ok(XPath2 { expr, namespaces: parser.namespaces })
}

struct Parser<'w> {
    words: &'w [Word],
    at: usize,
    declared: &'w [(String, String)],
    namespaces: Vec<String>,
    variables: Vec<String>,
    depth: usize,
}

impl<'w> Parser<'w> {
    fn word(&self) -> Option<&'w Word> {
        self.words.get(self.at)
    }

    fn name(&self) -> Option<&'w str> {
        match self.word() {
            Some(Word::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn is(&self, symbol: &str) -> bool {
        self.is_ahead(0, symbol)
    }

    fn is_ahead(&self, count: usize, symbol: &str) -> bool {
        matches!(self.words.get(self.at + count), Some(Word::Symbol(found)) if *found == symbol)
    }

    fn is_name(&self, name: &str) -> bool {
        self.name() == Some(name)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_there = self.is(symbol);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_name(&mut self, name: &str) -> bool {
        let is_there = self.is_name(name);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, symbol: &str) -> Found<()> {
        if self.take(symbol) {
            Ok(())
        } else {
            fault(format!("expected \"{symbol}\", found {}", self.shown()))
        }
    }

    fn expect_name(&mut self, name: &str) -> Found<()> {
        if self.take_name(name) {
            Ok(())
        } else {
            fault(format!("expected \"{name}\", found {}", self.shown()))
        }
    }

    /// The next word as Saxon shows it.
    fn shown(&self) -> String {
        match self.word() {
            None => "\"<eof>\"".to_owned(),
            Some(Word::Name(name)) => format!("name \"{name}\""),
            Some(Word::Number(_)) => "\"<numeric-literal>\"".to_owned(),
            Some(Word::Text(_)) => "\"<string-literal>\"".to_owned(),
            Some(Word::Variable(_)) => "\"$\"".to_owned(),
            Some(Word::Symbol(symbol)) => format!("\"{symbol}\""),
        }
    }

    fn sequence(&mut self) -> Found<Expr> {
        let mut parts = vec![self.single()?];
        while self.take(",") {
            parts.push(self.single()?);
        }
        Ok(single_or(parts, Expr::Sequence))
    }

    fn single(&mut self) -> Found<Expr> {
        if self.word().is_none() {
            return fault("Expected an expression, but reached the end of the input");
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return fault(format!("The expression has more than {DEEPEST} brackets in brackets"));
        }
        let before_variable = matches!(self.words.get(self.at + 1), Some(Word::Variable(_)));
        let expr = match self.name() {
            Some("for") if before_variable => self.binding("in", "return", Expr::For),
            Some("let") if before_variable => self.binding(":=", "return", Expr::Let),
            Some("some") if before_variable => {
                self.binding("in", "satisfies", |parts| Expr::Quantified(true, parts))
            }
            Some("every") if before_variable => {
                self.binding("in", "satisfies", |parts| Expr::Quantified(false, parts))
            }
            Some("if") if self.is_ahead(1, "(") => self.condition(),
            _ => self.or(),
        }?;
        self.depth -= 1;
        Ok(expr)
    }

    /// `for $a in x, $b in y return z`, from its first word on.
    fn binding(&mut self, sign: &str, end: &str, make: fn(Box<[Expr; 2]>) -> Expr) -> Found<Expr> {
        let outside = self.variables.len();
        self.at += 1;
        let mut values = Vec::new();
        loop {
            let Some(Word::Variable(name)) = self.word() else {
                return fault(format!("expected \"$\", found {}", self.shown()));
            };
            self.at += 1;
            if sign == "in" {
                self.expect_name(sign)?;
            } else {
                self.expect(sign)?;
            }
            values.push(self.single()?);
            self.variables.push(name.clone());
            if !self.take(",") {
                break;
            }
        }
        self.expect_name(end)?;
        let inner = self.single()?;
        self.variables.truncate(outside);
        Ok(values.into_iter().rev().fold(inner, |inner, value| make(Box::new([value, inner]))))
    }

    fn condition(&mut self) -> Found<Expr> {
        self.at += 2;
        let condition = self.sequence()?;
        self.expect(")")?;
        self.expect_name("then")?;
        let then = self.single()?;
        if !self.take_name("else") {
            return fault(format!("expected \"else\", found {}", self.shown()));
        }
        let otherwise = self.single()?;
        Ok(Expr::If(Box::new([condition, then, otherwise])))
    }

    fn or(&mut self) -> Found<Expr> {
        let mut parts = vec![self.and()?];
        while self.take_name("or") {
            parts.push(self.and()?);
        }
        Ok(single_or(parts, Expr::Or))
    }

    fn and(&mut self) -> Found<Expr> {
        let mut parts = vec![self.chain(0)?];
        while self.take_name("and") {
            parts.push(self.chain(0)?);
        }
        Ok(single_or(parts, Expr::And))
    }

    /// Operators by how strongly they bind: 0 comparisons, 1 `||`, 2 `to`, 3 sums, 4 products, 5 union, 6 intersection.
    fn chain(&mut self, level: usize) -> Found<Expr> {
        if level > 6 {
            return self.cast();
        }
        let first = self.chain(level + 1)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(level) {
            self.at += 1;
            rest.push((operator, self.chain(level + 1)?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    fn operator(&self, level: usize) -> Option<Operator> {
        let word = match self.word()? {
            Word::Name(name) => name,
            Word::Symbol(symbol) => *symbol,
            _ => return None,
        };
        Some(match (level, word) {
            (0, "=") => Operator::General(Comparison::Equal),
            (0, "!=") => Operator::General(Comparison::NotEqual),
            (0, "<") => Operator::General(Comparison::Less),
            (0, "<=") => Operator::General(Comparison::LessOrEqual),
            (0, ">") => Operator::General(Comparison::Greater),
            (0, ">=") => Operator::General(Comparison::GreaterOrEqual),
            (0, "eq") => Operator::Value(Comparison::Equal),
            (0, "ne") => Operator::Value(Comparison::NotEqual),
            (0, "lt") => Operator::Value(Comparison::Less),
            (0, "le") => Operator::Value(Comparison::LessOrEqual),
            (0, "gt") => Operator::Value(Comparison::Greater),
            (0, "ge") => Operator::Value(Comparison::GreaterOrEqual),
            (0, "is") => Operator::Is,
            (1, "||") => Operator::Concat,
            (2, "to") => Operator::Range,
            (3, "+") => Operator::Plus,
            (3, "-") => Operator::Minus,
            (4, "*") => Operator::Times,
            (4, "div") => Operator::Divide,
            (4, "idiv") => Operator::WholeDivide,
            (4, "mod") => Operator::Modulo,
            (5, "|" | "union") => Operator::Union,
            (6, "intersect") => Operator::Intersect,
            (6, "except") => Operator::Except,
            _ => return None,
        })
    }

    fn cast(&mut self) -> Found<Expr> {
        let inner = self.arrow()?;
        if self.is_name("cast")
            && matches!(self.words.get(self.at + 1), Some(Word::Name(name)) if name == "as")
        {
            self.at += 2;
            let Some(to) = self.name().and_then(Type::of) else {
                return fault(format!("Unknown atomic type {}", self.shown()));
            };
            self.at += 1;
            self.take("?");
            return Ok(Expr::Cast(to, Box::new(inner)));
        }
        Ok(inner)
    }

    /// `a => f(b)`.
    fn arrow(&mut self) -> Found<Expr> {
        let mut value = self.unary()?;
        while self.take("=>") {
            let Some(name) = self.name() else {
                return fault(format!("Unexpected token {} after =>", self.shown()));
            };
            self.at += 1;
            value = self.call(name, Some(value))?;
        }
        Ok(value)
    }

    fn unary(&mut self) -> Found<Expr> {
        let mut negative = false;
        loop {
            if self.take("-") {
                negative = !negative;
            } else if !self.take("+") {
                break;
            }
        }
        let mut parts = vec![self.path()?];
        while self.take("!") {
            parts.push(self.path()?);
        }
        let value = single_or(parts, Expr::Map);
        Ok(if negative { Expr::Negative(Box::new(value)) } else { value })
    }

    fn path(&mut self) -> Found<Expr> {
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

    fn prefix(&mut self, prefix: &str) -> Found<usize> {
        let declared = self.declared.iter().rev().find(|(known, _)| known == prefix);
        let namespace = match (declared, prefix) {
            (Some((_, namespace)), _) => namespace,
            (None, "xml") => "http://www.w3.org/XML/1998/namespace",
            (None, _) => return fault(format!("Namespace prefix '{prefix}' has not been declared")),
        };
        self.namespaces.push(namespace.to_owned());
        Ok(self.namespaces.len() - 1)
    }

    /// A call, from its bracket on.
    fn call(&mut self, name: &str, first: Option<Expr>) -> Found<Expr> {
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

const FUNCTIONS: &str = "http://www.w3.org/2005/xpath-functions";

fn is_kind(name: &str) -> bool {
    matches!(name, "node" | "text" | "comment" | "processing-instruction" | "element" | "attribute")
}

fn step(axis: Axis, test: Test) -> Expr {
    Expr::Step(Step { axis, test, predicates: Vec::new(), whole_names: false })
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

fn single_or(mut parts: Vec<Expr>, make: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.len() {
        1 => parts.pop().expect("there is one"),
        _ => make(parts),
    }
}
