//! Tokens to a tree, by binding powers as in the specification's grammar.

use super::functions::Function;
use super::token::{Token, tokens};
use super::{Comparator, Node};

/// Parentheses, brackets and braces within each other.
const MAX_DEPTH: u32 = 30;

/// What ends a projection binds less than this.
const PROJECTION_STOP: u32 = 10;

pub(super) fn parse(text: &str) -> Result<Node, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, depth: 0 };
    let node = parser.expression(0)?;
    match parser.tokens.first() {
        None => Ok(node),
        Some(token) => Err(extraneous(Some(token))),
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    depth: u32,
}

fn extraneous(token: Option<&Token>) -> String {
    match token {
        None => "mismatched input '<EOF>'".to_owned(),
        Some(Token::Mark(mark)) => format!("unexpected '{mark}'"),
        Some(Token::Name(name) | Token::Quoted(name)) => format!("unexpected '{name}'"),
        Some(Token::Number(number)) => format!("unexpected '{number}'"),
        Some(Token::Literal(value)) => format!("unexpected {}", value.jackson_text()),
    }
}

impl Parser<'_> {
    fn next_mark(&self) -> &'static str {
        match self.tokens.first() {
            Some(Token::Mark(mark)) => mark,
            _ => "",
        }
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.next_mark() == mark;
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        if self.take(mark) { Ok(()) } else { Err(extraneous(self.tokens.first())) }
    }

    /// How tightly the next token binds to what stands before it.
    fn power(&self) -> u32 {
        match self.next_mark() {
            "|" => 1,
            "||" => 2,
            "&&" => 3,
            "==" | "!=" | "<" | "<=" | ">" | ">=" => 5,
            "[" if matches!(self.tokens.get(1), Some(Token::Mark("]"))) => 9,
            "[?" => 21,
            "." => 40,
            "[" => 55,
            _ => 0,
        }
    }

    fn expression(&mut self, least: u32) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} parentheses within each other"));
        }
        let mut left = self.first()?;
        while self.power() > least {
            left = self.then(left)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// What begins an expression.
    fn first(&mut self) -> Result<Node, String> {
        let Some((token, rest)) = self.tokens.split_first() else { return Err(extraneous(None)) };
        if matches!(token, Token::Mark("[" | "[?")) {
            return self.bracket(Node::Current);
        }
        self.tokens = rest;
        match token {
            Token::Name(name) if self.next_mark() == "(" => self.call(name),
            Token::Name(name) | Token::Quoted(name) => Ok(Node::Property(name.clone())),
            Token::Literal(value) => Ok(Node::Literal(value.clone())),
            Token::Mark("@") => Ok(Node::Current),
            Token::Mark("!") => Ok(Node::Not(Box::new(self.expression(8)?))),
            Token::Mark("*") => self.values(Node::Current),
            Token::Mark("{") => self.hash(),
            Token::Mark("(") => {
                let inner = self.expression(0)?;
                self.expect(")")?;
                Ok(inner)
            }
            token => Err(extraneous(Some(token))),
        }
    }

    /// What follows an expression.
    fn then(&mut self, left: Node) -> Result<Node, String> {
        let mark = self.next_mark();
        if matches!(mark, "[" | "[?") {
            return self.bracket(left);
        }
        let power = self.power();
        self.expect(mark)?;
        match mark {
            "." => {
                if self.take("*") {
                    return self.values(left);
                }
                Ok(Node::Chain(Box::new(left), Box::new(self.member()?)))
            }
            "|" => Ok(Node::Chain(Box::new(left), Box::new(self.expression(power)?))),
            "||" => Ok(Node::Or(Box::new(left), Box::new(self.expression(power)?))),
            "&&" => Ok(Node::And(Box::new(left), Box::new(self.expression(power)?))),
            _ => {
                let comparator = match mark {
                    "==" => Comparator::Equal,
                    "!=" => Comparator::Unequal,
                    "<" => Comparator::Less,
                    "<=" => Comparator::AtMost,
                    ">" => Comparator::Greater,
                    _ => Comparator::AtLeast,
                };
                Ok(Node::Compare(comparator, Box::new(left), Box::new(self.expression(power)?)))
            }
        }
    }

    /// What may stand behind a dot, but for a star.
    fn member(&mut self) -> Result<Node, String> {
        let Some((token, rest)) = self.tokens.split_first() else { return Err(extraneous(None)) };
        self.tokens = rest;
        match token {
            Token::Name(name) if self.next_mark() == "(" => self.call(name),
            Token::Name(name) | Token::Quoted(name) => Ok(Node::Property(name.clone())),
            Token::Mark("{") => self.hash(),
            Token::Mark("[") => self.list(),
            token => Err(extraneous(Some(token))),
        }
    }

    /// The values of an object, and what is done with each.
    fn values(&mut self, of: Node) -> Result<Node, String> {
        let values = Node::Chain(Box::new(of), Box::new(Node::Values));
        self.projected(values, false)
    }

    /// What a projection does with each element. A list without anything behind it stays as it is, nulls included, but
    /// where a `[*]` stands.
    fn projected(&mut self, list: Node, always: bool) -> Result<Node, String> {
        let each = self.rest_of_projection()?;
        match each {
            None if !always => Ok(list),
            each => Ok(Node::Projection(Box::new(list), Box::new(each.unwrap_or(Node::Current)))),
        }
    }

    fn rest_of_projection(&mut self) -> Result<Option<Node>, String> {
        if self.power() < PROJECTION_STOP {
            return Ok(None);
        }
        let mut each = match self.next_mark() {
            "." => {
                self.expect(".")?;
                if self.take("*") { self.values(Node::Current)? } else { self.member()? }
            }
            _ => self.bracket(Node::Current)?,
        };
        while self.power() >= PROJECTION_STOP {
            each = self.then(each)?;
        }
        Ok(Some(each))
    }

    /// `[…]` or `[?…]`, of what stands before it.
    fn bracket(&mut self, left: Node) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} brackets within each other"));
        }
        let of = |left: Node, node: Node| Node::Chain(Box::new(left), Box::new(node));
        let node = if self.take("[?") {
            let test = self.expression(0)?;
            self.expect("]")?;
            self.projected(of(left, Node::Select(Box::new(test))), false)
        } else {
            self.expect("[")?;
            match self.tokens {
                [Token::Mark("]"), ..] => {
                    self.take("]");
                    self.projected(of(left, Node::Flatten), false)
                }
                [Token::Mark("*"), Token::Mark("]"), rest @ ..] => {
                    self.tokens = rest;
                    self.projected(left, true)
                }
                [Token::Number(index), Token::Mark("]"), rest @ ..] => {
                    self.tokens = rest;
                    Ok(of(left, Node::Index(*index)))
                }
                [Token::Number(_) | Token::Mark(":"), ..] => {
                    let slice = self.slice()?;
                    self.projected(of(left, slice), false)
                }
                // `[a, b]` begins an expression, it does not follow one.
                _ if matches!(left, Node::Current) => self.list(),
                other => Err(extraneous(other.first())),
            }
        };
        self.depth -= 1;
        node
    }

    fn slice(&mut self) -> Result<Node, String> {
        let mut parts = [None; 3];
        let mut at = 0;
        loop {
            if let Some((Token::Number(number), rest)) = self.tokens.split_first() {
                parts[at] = Some(*number);
                self.tokens = rest;
            }
            if self.take("]") {
                break;
            }
            self.expect(":")?;
            at += 1;
            if at == parts.len() {
                return Err(extraneous(self.tokens.first()));
            }
        }
        match parts[2] {
            Some(0) => Err("invalid value 0 for step size".to_owned()),
            step => Ok(Node::Slice(parts[0], parts[1], step.unwrap_or(1))),
        }
    }

    /// `a, b]`.
    fn list(&mut self) -> Result<Node, String> {
        let mut members = vec![self.expression(0)?];
        while self.take(",") {
            members.push(self.expression(0)?);
        }
        self.expect("]")?;
        Ok(Node::List(members))
    }

    /// `a: b, c: d}`.
    fn hash(&mut self) -> Result<Node, String> {
        let mut members = Vec::new();
        loop {
            let Some((Token::Name(key) | Token::Quoted(key), rest)) = self.tokens.split_first() else {
                return Err(extraneous(self.tokens.first()));
            };
            self.tokens = rest;
            self.expect(":")?;
            members.push((key.clone(), self.expression(0)?));
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Node::Hash(members))
    }

    fn call(&mut self, name: &str) -> Result<Node, String> {
        let function = Function::named(name).ok_or_else(|| format!("unknown function \"{name}\""))?;
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            let is_reference = self.take("&");
            let argument = self.expression(0)?;
            arguments.push(if is_reference { Node::Reference(Box::new(argument)) } else { argument });
        }
        function.check_count(arguments.len())?;
        Ok(Node::Call(function, arguments))
    }
}
