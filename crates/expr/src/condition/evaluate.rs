//! Tokens to a value, by precedence.

use std::cmp::Ordering;

use super::token::Token;
use super::value::Value;

/// Parentheses within parentheses: more than anyone writes, less than the stack holds.
const MAX_DEPTH: u32 = 100;

pub(super) fn evaluate(tokens: &[Token]) -> Result<Value, String> {
    let mut parser = Parser { tokens, depth: 0 };
    let value = parser.choice()?;
    while parser.take(&[";"]).is_some() {}
    match parser.tokens.first() {
        None => Ok(value),
        Some(token) => Err(format!("{} is not expected here", show(Some(token)))),
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    depth: u32,
}

/// Binary operators from the loosest to the tightest.
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["===", "!==", "==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

impl Parser<'_> {
    fn take(&mut self, marks: &[&'static str]) -> Option<&'static str> {
        match self.tokens.first() {
            Some(Token::Mark(mark)) if marks.contains(mark) => {
                self.tokens = &self.tokens[1..];
                Some(mark)
            }
            _ => None,
        }
    }

    fn expect(&mut self, mark: &'static str) -> Result<(), String> {
        let found = show(self.tokens.first());
        self.take(&[mark]).map(|_| ()).ok_or_else(|| format!("`{mark}` is expected, not {found}"))
    }

    /// `condition ? a : b`. All parts are computed; there is nothing that could have an effect.
    fn choice(&mut self) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("parentheses are nested more than {MAX_DEPTH} deep"));
        }
        let mut value = self.binary(0)?;
        if self.take(&["?"]).is_some() {
            let yes = self.choice()?;
            self.expect(":")?;
            let no = self.choice()?;
            value = if value.truthy() { yes } else { no };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize) -> Result<Value, String> {
        let Some(marks) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(mark) = self.take(marks) {
            let right = self.binary(level + 1)?;
            left = apply(mark, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Value, String> {
        let mut marks = Vec::new();
        while let Some(mark) = self.take(&["!", "-", "+"]) {
            marks.push(mark);
        }
        let value = self.member()?;
        Ok(marks.into_iter().rev().fold(value, |value, mark| match mark {
            "!" => Value::Boolean(!value.truthy()),
            "-" => Value::Number(-value.to_number()),
            _ => Value::Number(value.to_number()),
        }))
    }

    fn member(&mut self) -> Result<Value, String> {
        let mut value = self.primary()?;
        while self.take(&["."]).is_some() {
            let Some((Token::Word(name), rest)) = self.tokens.split_first() else {
                return Err(format!("a name is expected after `.`, not {}", show(self.tokens.first())));
            };
            self.tokens = rest;
            let arguments = if self.take(&["("]).is_some() { Some(self.arguments()?) } else { None };
            value = method(&value, name, arguments.as_deref())?;
        }
        Ok(value)
    }

    fn arguments(&mut self) -> Result<Vec<Value>, String> {
        let mut found = Vec::new();
        if self.take(&[")"]).is_some() {
            return Ok(found);
        }
        loop {
            found.push(self.choice()?);
            if self.take(&[","]).is_none() {
                self.expect(")")?;
                return Ok(found);
            }
        }
    }

    fn primary(&mut self) -> Result<Value, String> {
        if self.take(&["("]).is_some() {
            let value = self.choice()?;
            self.expect(")")?;
            return Ok(value);
        }
        let Some((token, rest)) = self.tokens.split_first() else {
            return Err("the condition ends too early".to_owned());
        };
        self.tokens = rest;
        match token {
            Token::Number(value) => Ok(Value::Number(*value)),
            Token::Text(text) => Ok(Value::Text(text.clone())),
            Token::Word(word) => word_value(word),
            Token::Mark(_) => Err(format!("{} is not expected here", show(Some(token)))),
        }
    }
}

fn word_value(word: &str) -> Result<Value, String> {
    Ok(match word {
        "true" => Value::Boolean(true),
        "false" => Value::Boolean(false),
        "null" => Value::Null,
        "undefined" => Value::Undefined,
        "NaN" => Value::Number(f64::NAN),
        _ => return Err(format!("`{word}` needs a script engine; is it a text without quotes?")),
    })
}

fn apply(mark: &str, left: Value, right: Value) -> Value {
    let number = |compute: fn(f64, f64) -> f64| Value::Number(compute(left.to_number(), right.to_number()));
    let ordered =
        |wanted: &[Ordering]| Value::Boolean(left.order(&right).is_some_and(|order| wanted.contains(&order)));
    match mark {
        "||" if left.truthy() => left,
        "&&" if !left.truthy() => left,
        "||" | "&&" => right,
        "==" => Value::Boolean(left.equal(&right)),
        "!=" => Value::Boolean(!left.equal(&right)),
        "===" => Value::Boolean(left.same(&right)),
        "!==" => Value::Boolean(!left.same(&right)),
        "<" => ordered(&[Ordering::Less]),
        ">" => ordered(&[Ordering::Greater]),
        "<=" => ordered(&[Ordering::Less, Ordering::Equal]),
        ">=" => ordered(&[Ordering::Greater, Ordering::Equal]),
        "+" => left.plus(&right),
        "-" => number(|a, b| a - b),
        "*" => number(|a, b| a * b),
        "/" => number(|a, b| a / b),
        _ => number(|a, b| a % b),
    }
}

/// Properties and methods of texts, JavaScript's and, as JMeter's engines allow them, Java's.
fn method(value: &Value, name: &str, arguments: Option<&[Value]>) -> Result<Value, String> {
    let unknown = || Err(format!("`.{name}` needs a script engine"));
    let Value::Text(text) = value else { return unknown() };
    let length = |text: &str| Value::Number(text.encode_utf16().count() as f64);
    let argument =
        |arguments: &[Value]| arguments.first().map_or_else(|| "undefined".to_owned(), Value::to_text);
    let Some(arguments) = arguments else {
        return if name == "length" { Ok(length(text)) } else { unknown() };
    };
    Ok(match name {
        "length" => length(text),
        "isEmpty" => Value::Boolean(text.is_empty()),
        "trim" => Value::Text(text.trim().to_owned()),
        "toString" => value.clone(),
        "toLowerCase" => Value::Text(text.to_lowercase()),
        "toUpperCase" => Value::Text(text.to_uppercase()),
        "indexOf" => text.find(&argument(arguments)).map_or(Value::Number(-1.0), |at| length(&text[..at])),
        "includes" | "contains" => Value::Boolean(text.contains(&argument(arguments))),
        "startsWith" => Value::Boolean(text.starts_with(&argument(arguments))),
        "endsWith" => Value::Boolean(text.ends_with(&argument(arguments))),
        "equals" => Value::Boolean(*text == argument(arguments)),
        "equalsIgnoreCase" => Value::Boolean(text.to_lowercase() == argument(arguments).to_lowercase()),
        _ => return unknown(),
    })
}

fn show(token: Option<&Token>) -> String {
    match token {
        None => "the end".to_owned(),
        Some(Token::Number(value)) => format!("`{value}`"),
        Some(Token::Text(text)) => format!("`\"{text}\"`"),
        Some(Token::Word(word)) => format!("`{word}`"),
        Some(Token::Mark(mark)) => format!("`{mark}`"),
    }
}
