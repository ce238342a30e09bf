//! JSON as Groovy's `JsonSlurper` reads it and `JsonOutput` writes it (groovy-json 3.0.20).

use super::decimal::Decimal;
use super::object::Object;
use super::value::Value;
use std::cell::RefCell;
use std::fmt::Write as _;

/// Values within values.
const MAX_DEPTH: u32 = 100;

/// The value of a text. The error is the exception.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut reader = Reader { rest: text, depth: 0 };
    let value = reader.value()?;
    reader.skip();
    if reader.rest.is_empty() { Ok(value) } else { Err(reader.unexpected()) }
}

struct Reader<'t> {
    rest: &'t str,
    depth: u32,
}

impl Reader<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    fn unexpected(&self) -> String {
        let start: String = self.rest.chars().take(20).collect();
        format!("JSON is not as it should be at `{start}`")
    }

    fn take(&mut self, wanted: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        self.skip();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("JSON is nested more than {MAX_DEPTH} deep"));
        }
        let value = match self.rest.bytes().next() {
            Some(b'{') => self.object(),
            Some(b'[') => self.list(),
            Some(b'"') => self.text().map(Value::java),
            Some(b't') if self.take("true") => Ok(Value::Boolean(true)),
            Some(b'f') if self.take("false") => Ok(Value::Boolean(false)),
            Some(b'n') if self.take("null") => Ok(Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected()),
        };
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, String> {
        self.take("{");
        let mut entries: Vec<(Value, Value)> = Vec::new();
        if !self.take("}") {
            loop {
                self.skip();
                let key = self.text()?;
                if !self.take(":") {
                    return Err(self.unexpected());
                }
                let value = self.value()?;
                match entries.iter_mut().find(|(known, _)| known.as_text() == Some(&key)) {
                    Some((_, old)) => *old = value,
                    None => entries.push((Value::java(key), value)),
                }
                if self.take("}") {
                    break;
                }
                if !self.take(",") {
                    return Err(self.unexpected());
                }
            }
        }
        Ok(Value::object(Object::Map(RefCell::new(entries))))
    }

    fn list(&mut self) -> Result<Value, String> {
        self.take("[");
        let mut values = Vec::new();
        if !self.take("]") {
            loop {
                values.push(self.value()?);
                if self.take("]") {
                    break;
                }
                if !self.take(",") {
                    return Err(self.unexpected());
                }
            }
        }
        Ok(Value::list(values))
    }

    fn text(&mut self) -> Result<String, String> {
        let Some(inner) = self.rest.strip_prefix('"') else { return Err(self.unexpected()) };
        let (mut text, mut letters) = (String::new(), inner.char_indices());
        let mut high = None;
        while let Some((at, c)) = letters.next() {
            match c {
                '"' => {
                    self.rest = &inner[at + 1..];
                    return Ok(text);
                }
                '\\' => {
                    let (at, escaped) = letters.next().ok_or_else(|| self.unexpected())?;
                    match escaped {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        'b' => text.push('\u{8}'),
                        'f' => text.push('\u{c}'),
                        '"' | '\\' | '/' => text.push(escaped),
                        'u' => {
                            let digits = inner.get(at + 1..at + 5).ok_or_else(|| self.unexpected())?;
                            let unit = u16::from_str_radix(digits, 16).map_err(|_| self.unexpected())?;
                            letters.nth(3);
                            let units: Vec<u16> = high.take().into_iter().chain([unit]).collect();
                            match String::from_utf16(&units) {
                                Ok(found) => text.push_str(&found),
                                Err(_) => high = Some(unit),
                            }
                        }
                        _ => return Err(self.unexpected()),
                    }
                }
                c => text.push(c),
            }
        }
        Err(self.unexpected())
    }

    fn number(&mut self) -> Result<Value, String> {
        let belongs = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let digits = &self.rest[..length];
        let value = if digits.contains(['.', 'e', 'E']) {
            Decimal::parse(digits).map(Value::Decimal)
        } else {
            let long: Option<i64> = digits.parse().ok();
            long.map(|long| i32::try_from(long).map_or(Value::Long(long), Value::Int))
        };
        let value = value.ok_or_else(|| self.unexpected())?;
        self.rest = &self.rest[length..];
        Ok(value)
    }
}

/// `JsonOutput.toJson`. The error says what needs an engine.
pub(super) fn write(value: &Value, out: &mut String) -> Result<(), String> {
    match value {
        Value::Text(text) => quote(&text.text, out),
        Value::Object(object) => match &**object {
            Object::List(values, _) => {
                out.push('[');
                for (at, value) in values.borrow().iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write(value, out)?;
                }
                out.push(']');
            }
            Object::Map(entries) => {
                out.push('{');
                for (at, (key, value)) in entries.borrow().iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    let key = key.as_text().ok_or("a key that is no text needs a script engine")?;
                    quote(key, out);
                    out.push(':');
                    write(value, out)?;
                }
                out.push('}');
            }
            Object::Shown(text) => quote(text, out),
            _ => return Err("this object needs a script engine to become JSON".to_owned()),
        },
        other => out.push_str(&other.to_text(super::Language::Groovy)),
    }
    Ok(())
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for unit in text.encode_utf16() {
        match unit {
            0x22 => out.push_str("\\\""),
            0x5c => out.push_str("\\\\"),
            0x8 => out.push_str("\\b"),
            0x9 => out.push_str("\\t"),
            0xa => out.push_str("\\n"),
            0xc => out.push_str("\\f"),
            0xd => out.push_str("\\r"),
            0x20..=0x7e => out.push(char::from(unit as u8)),
            _ => write!(out, "\\u{unit:04x}").expect("a String takes everything"),
        }
    }
    out.push('"');
}
