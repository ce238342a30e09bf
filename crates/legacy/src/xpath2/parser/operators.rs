//! Bindings, conditions and operators, from the loosest to what binds most.

use super::Parser;
use crate::xpath2::expression::{Comparison, Expr, Operator, Type};
use crate::xpath2::lexer::Word;
use crate::xpath2::{Found, fault};

/// Brackets in brackets.
const DEEPEST: usize = 48;

impl Parser<'_> {
    pub(super) fn sequence(&mut self) -> Found<Expr> {
        let mut parts = vec![self.single()?];
        while self.take(",") {
            parts.push(self.single()?);
        }
        Ok(single_or(parts, Expr::Sequence))
    }

    pub(super) fn single(&mut self) -> Found<Expr> {
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
}

fn single_or(mut parts: Vec<Expr>, make: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.len() {
        1 => parts.pop().expect("there is one"),
        _ => make(parts),
    }
}
