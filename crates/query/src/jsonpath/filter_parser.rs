//! Parses the text of a filter (Jayway's `FilterCompiler`).
//!
//! ```text
//! Or       = And { '||' And }
//! And      = Operand { '&&' Operand }
//! Operand  = Relation | '(' Or ')' | '!' Operand
//! Relation = Value [ Operator Value ]
//! ```

use std::sync::Arc;

use crate::json::{self, Decimal};
use swell_regex::{Dialect, Reach, Regex};

use super::cursor::Cursor;
use super::filter::{Expression, Operand, Operator};
use super::filter_compare::string_node;
use super::{PathError, PathErrorKind, path_parser};

/// Parentheses and negations inside each other, at most.
const DEEPEST: usize = 100;

type Read<T> = Result<T, PathError>;

/// Compiles `[?(...)]`.
pub(super) fn compile(text: &str, depth: usize) -> Read<Expression> {
    let mut cursor = Cursor::new(text);
    cursor.trim();
    cursor.position += 1;
    cursor.shrink_end();
    cursor.trim();
    cursor.position += 1;
    cursor.trim();
    if !cursor.current_is('(')? || !cursor.last_is(')')? {
        return Err(PathError::invalid(format!("Filter must start with '[?(' and end with ')]'. {text}")));
    }
    let mut parser = Parser { cursor, depth, nested: 0 };
    let parsed = parser.whole();
    parsed.map_err(|fault| match fault.kind {
        PathErrorKind::Other => parser.failed(),
        _ => fault,
    })
}

struct Parser {
    cursor: Cursor,
    depth: usize,
    nested: usize,
}

/// A value as it was read, with what a path alone would mean.
struct Value {
    operand: Operand,
    /// Whether a path alone must exist; not so after `!`.
    wanted: bool,
}

impl Parser {
    fn failed(&self) -> PathError {
        match self.cursor.current() {
            Ok(c) => PathError::invalid(format!(
                "Failed to parse filter: {}, error on position: {}, char: {c}",
                self.cursor.whole(),
                self.cursor.position
            )),
            Err(outside) => outside,
        }
    }

    fn whole(&mut self) -> Read<Expression> {
        let expression = self.or()?;
        self.cursor.skip_blanks();
        if self.cursor.is_inside() {
            let rest = self.cursor.text(self.cursor.position, self.cursor.length())?;
            return Err(PathError::invalid(format!("Expected end of filter expression instead of: {rest}")));
        }
        Ok(expression)
    }

    fn or(&mut self) -> Read<Expression> {
        let parts = self.chain("||", Self::and)?;
        Ok(single_or(parts, Expression::Or))
    }

    fn and(&mut self) -> Read<Expression> {
        let parts = self.chain("&&", Self::operand)?;
        Ok(single_or(parts, Expression::And))
    }

    fn chain(&mut self, separator: &str, part: fn(&mut Self) -> Read<Expression>) -> Read<Vec<Expression>> {
        let mut parts = vec![part(self)?];
        loop {
            let before = self.cursor.position;
            if !self.cursor.take(separator) {
                self.cursor.position = before;
                return Ok(parts);
            }
            parts.push(part(self)?);
        }
    }

    fn operand(&mut self) -> Read<Expression> {
        self.nested += 1;
        if self.nested > DEEPEST {
            return Err(PathError::invalid("conditions are nested too deeply"));
        }
        let expression = self.operand_inside();
        self.nested -= 1;
        expression
    }

    fn operand_inside(&mut self) -> Read<Expression> {
        self.cursor.skip_blanks();
        let before = self.cursor.position;
        if self.cursor.current_is('!')? {
            self.cursor.position += 1;
            self.cursor.skip_blanks();
            if !matches!(self.cursor.current()?, '$' | '@') {
                return Ok(Expression::Not(Box::new(self.operand()?)));
            }
            self.cursor.position = before;
        }
        self.cursor.skip_blanks();
        if self.cursor.current_is('(')? {
            self.cursor.position += 1;
            let expression = self.or()?;
            self.cursor.read_significant(')')?;
            return Ok(expression);
        }
        self.relation()
    }

    fn relation(&mut self) -> Read<Expression> {
        let left = self.value()?;
        let before = self.cursor.position;
        match self.operator_and_right() {
            Ok((operator, right)) => {
                return Ok(Expression::Relation { left: left.operand, operator, right: right.operand });
            }
            Err(fault) if fault.kind == PathErrorKind::Other => return Err(fault),
            Err(_) => self.cursor.position = before,
        }
        match left.operand {
            Operand::Path(path) => Ok(Expression::Exists { path, wanted: left.wanted }),
            _ => Err(PathError::invalid("Expected path node")),
        }
    }

    fn operator_and_right(&mut self) -> Read<(Operator, Value)> {
        Ok((self.operator()?, self.value()?))
    }

    fn operator(&mut self) -> Read<Operator> {
        self.cursor.skip_blanks();
        let begin = self.cursor.position;
        if is_operator_char(self.cursor.current()?) {
            while self.cursor.is_inside() && is_operator_char(self.cursor.current()?) {
                self.cursor.position += 1;
            }
        } else {
            while self.cursor.is_inside() && !self.cursor.current_is(' ')? {
                self.cursor.position += 1;
            }
        }
        operator(&self.cursor.text(begin, self.cursor.position)?)
    }

    fn value(&mut self) -> Read<Value> {
        self.cursor.skip_blanks();
        let literal = |operand| Value { operand, wanted: true };
        match self.cursor.current()? {
            '$' | '@' => self.path(),
            '!' => {
                self.cursor.position += 1;
                self.cursor.skip_blanks();
                match self.cursor.current()? {
                    '$' | '@' => self.path(),
                    _ => Err(PathError::invalid("Unexpected character: !")),
                }
            }
            quote @ ('\'' | '"') => self.string(quote).map(literal),
            't' => self.word("true", Operand::Bool(true)).map(literal),
            'f' => self.word("false", Operand::Bool(false)).map(literal),
            'n' => self.word("null", Operand::Null).map(literal),
            '{' => self.json('{', '}').map(literal),
            '[' => self.json('[', ']').map(literal),
            '/' => self.pattern().map(literal),
            _ => self.number().map(literal),
        }
    }

    fn word(&mut self, word: &str, operand: Operand) -> Read<Operand> {
        let end = self.cursor.position + word.len();
        if self.cursor.in_bounds(end - 1) && self.cursor.text(self.cursor.position, end)? == word {
            self.cursor.position = end;
            return Ok(operand);
        }
        Err(PathError::invalid(if word == "null" {
            "Expected <null> value"
        } else {
            "Expected boolean literal"
        }))
    }

    fn string(&mut self, quote: char) -> Read<Operand> {
        let begin = self.cursor.position;
        let Some(end) = self.cursor.next_unescaped(begin, quote) else {
            let whole = self.cursor.whole();
            return Err(PathError::invalid(format!(
                "String literal does not have matching quotes. Expected {quote} in {whole}"
            )));
        };
        self.cursor.position = end + 1;
        string_node(&self.cursor.text(begin, end + 1)?).map(Operand::Text)
    }

    fn json(&mut self, open: char, close: char) -> Read<Operand> {
        let begin = self.cursor.position;
        let Some(end) = self.cursor.closing(begin, open, close, false)? else {
            return Err(PathError::invalid(format!(
                "String not closed. Expected ' in {}",
                self.cursor.whole()
            )));
        };
        self.cursor.position = end + 1;
        let text = self.cursor.text(begin, end + 1)?;
        let value = json::parse(&text).map(json::Json::into_static);
        Ok(Operand::Json { text, value })
    }

    fn pattern(&mut self) -> Read<Operand> {
        let begin = self.cursor.position;
        let Some(end) = self.cursor.next_unescaped(begin, '/') else {
            return Err(PathError::invalid(format!(
                "Pattern not closed. Expected / in {}",
                self.cursor.whole()
            )));
        };
        let mut flags = String::new();
        let mut at = end + 1;
        while self.cursor.in_bounds(at) {
            match self.cursor.char_at(at)? {
                // The flags `d`, `u` and `U` change nothing here.
                c @ ('i' | 'x' | 'm' | 's') => flags.push(c),
                'd' | 'u' | 'U' => {}
                _ => break,
            }
            at += 1;
        }
        self.cursor.position = at;
        let text = self.cursor.text(begin + 1, end)?;
        let prefix = if flags.is_empty() { String::new() } else { format!("(?{flags})") };
        let regex = Regex::new(&format!("{prefix}(?:{text})\\z"), Dialect::Java, Reach::Whole);
        regex.map(|regex| Operand::Regex(Arc::new(regex))).map_err(|bad| PathError::other(bad.exception))
    }

    fn number(&mut self) -> Read<Operand> {
        let begin = self.cursor.position;
        while self.cursor.is_inside() && matches!(self.cursor.current()?, '0'..='9' | '-' | '.' | 'e' | 'E') {
            self.cursor.position += 1;
        }
        let text = self.cursor.text(begin, self.cursor.position)?;
        Decimal::parse(&text)
            .map(Operand::Number)
            .ok_or_else(|| PathError::other("java.lang.NumberFormatException"))
    }

    fn path(&mut self) -> Read<Value> {
        let begin = self.cursor.position;
        let before = self.cursor.index_of_previous_significant(begin);
        let wanted = before.is_none_or(|at| self.cursor.char_at(at) != Ok('!'));
        self.cursor.position += 1;
        while self.cursor.is_inside() {
            if self.cursor.current_is('[')? {
                let Some(end) = self.cursor.closing(self.cursor.position, '[', ']', false)? else {
                    let whole = self.cursor.whole();
                    return Err(PathError::invalid(format!(
                        "Square brackets does not match in filter {whole}"
                    )));
                };
                self.cursor.position = end + 1;
            }
            let c = self.cursor.current()?;
            let closes = c == ')' && !self.closes_function(begin);
            if !self.cursor.is_inside() || is_operator_char(c) || c == ' ' || closes {
                break;
            }
            self.cursor.position += 1;
        }
        let text = self.cursor.text(begin, self.cursor.position)?;
        Ok(Value { operand: Operand::Path(path_parser::compile(&text, self.depth + 1)?), wanted })
    }

    /// Whether the parenthesis here closes that of a function without arguments.
    fn closes_function(&self, begin: usize) -> bool {
        let Some(open) = self.cursor.index_of_previous_significant(self.cursor.position) else {
            return false;
        };
        self.cursor.char_at(open) == Ok('(') && (begin + 1..open).any(|at| self.cursor.char_at(at) == Ok('.'))
    }
}

fn single_or(mut parts: Vec<Expression>, many: fn(Vec<Expression>) -> Expression) -> Expression {
    if parts.len() == 1 { parts.remove(0) } else { many(parts) }
}

fn is_operator_char(c: char) -> bool {
    matches!(c, '<' | '>' | '=' | '~' | '!')
}

fn operator(text: &str) -> Read<Operator> {
    Ok(match text.to_uppercase().as_str() {
        ">=" => Operator::GreaterEqual,
        "<=" => Operator::LessEqual,
        "==" => Operator::Equal,
        "===" => Operator::TypeSafeEqual,
        "!=" => Operator::NotEqual,
        "!==" => Operator::TypeSafeNotEqual,
        "<" => Operator::Less,
        ">" => Operator::Greater,
        "=~" => Operator::Regex,
        "NIN" => Operator::NotIn,
        "IN" => Operator::In,
        "CONTAINS" => Operator::Contains,
        "SIZE" => Operator::Size,
        "EXISTS" => Operator::ExistsWord,
        "EMPTY" => Operator::Empty,
        "SUBSETOF" => Operator::SubsetOf,
        "ANYOF" => Operator::AnyOf,
        "NONEOF" => Operator::NoneOf,
        "ALL" | "TYPE" | "MATCHES" => Operator::Never,
        _ => return Err(PathError::invalid(format!("Filter operator {text} is not supported!"))),
    })
}
