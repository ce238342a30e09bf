//! JSON as Jackson 2.16 reads it by default: strict, and what follows the first value is ignored.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Json;

/// Arrays and objects inside each other, at most (`StreamReadConstraints`).
const DEEPEST: usize = 1_000;

/// Characters of a text that messages show.
const MOST_SHOWN: usize = 500;

/// Reads the first value of a text. The error is Jackson's message with its place.
pub fn parse_strictly(text: &str) -> Result<Json<'_>, String> {
    let mut reader = Reader { text, at: 0 };
    reader.document().map_err(|message| message + &reader.place())
}

struct Reader<'d> {
    text: &'d str,
    at: usize,
}

/// A container that is not closed yet. The text is read without recursion, so depth costs no stack.
enum Open<'d> {
    Array(Vec<Json<'d>>),
    Object(Vec<(Cow<'d, str>, Json<'d>)>, Cow<'d, str>),
}

type Read<T> = Result<T, String>;

const EXPECTED: &str = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

impl<'d> Reader<'d> {
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
        self.text.as_bytes().get(self.at).copied()
    }

    /// Where the reader is, behind what it could not take.
    fn place(&self) -> String {
        let before = &self.text[..self.text.floor_char_boundary(self.at)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count() + 1;
        let all: Vec<u16> = self.text.encode_utf16().collect();
        let shown = String::from_utf16_lossy(&all[..all.len().min(MOST_SHOWN)]);
        let cut = match all.len().checked_sub(MOST_SHOWN) {
            Some(more @ 1..) => format!("[truncated {more} chars]"),
            _ => String::new(),
        };
        format!("\n at [Source: (String)\"{shown}\"{cut}; line: {line}, column: {column}]")
    }

    fn unexpected(&mut self, wanted: &str) -> String {
        match self.text[self.at..].chars().next() {
            None => "Unexpected end-of-input".to_owned(),
            Some(c) => {
                self.at += c.len_utf8();
                format!("Unexpected character ('{c}' (code {})): {wanted}", u32::from(c))
            }
        }
    }

    fn document(&mut self) -> Read<Json<'d>> {
        if self.peek().is_none() {
            return Err("No content to map due to end-of-input".to_owned());
        }
        let mut open: Vec<Open<'d>> = Vec::new();
        loop {
            let mut value = match self.peek() {
                Some(b'[') => {
                    self.at += 1;
                    if self.peek() != Some(b']') {
                        deeper(&mut open, Open::Array(Vec::new()))?;
                        continue;
                    }
                    self.at += 1;
                    Json::Array(Vec::new())
                }
                Some(b'{') => {
                    self.at += 1;
                    if self.peek() != Some(b'}') {
                        let key = self.key()?;
                        deeper(&mut open, Open::Object(Vec::new(), key))?;
                        continue;
                    }
                    self.at += 1;
                    Json::Object(Vec::new())
                }
                _ => self.scalar()?,
            };
            loop {
                let Some(inner) = open.last_mut() else { return Ok(value) };
                if !self.put(inner, value)? {
                    break;
                }
                value = closed(open.pop().expect("one was put into"));
            }
        }
    }

    /// Puts a value into the innermost container; whether that ends there.
    fn put(&mut self, open: &mut Open<'d>, value: Json<'d>) -> Read<bool> {
        let (end, kind) = match open {
            Open::Array(_) => (b']', "Array"),
            Open::Object(..) => (b'}', "Object"),
        };
        match open {
            Open::Array(members) => members.push(value),
            Open::Object(members, key) => members.push((std::mem::take(key), value)),
        }
        match self.peek() {
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') => {
                self.at += 1;
                if let Open::Object(_, key) = open {
                    *key = self.key()?;
                }
                Ok(false)
            }
            _ => Err(self.unexpected(&format!("was expecting comma to separate {kind} entries"))),
        }
    }

    fn key(&mut self) -> Read<Cow<'d, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("was expecting double-quote to start field name"));
        }
        let key = self.string()?;
        if self.peek() != Some(b':') {
            return Err(self.unexpected("was expecting a colon to separate field name and value"));
        }
        self.at += 1;
        Ok(key)
    }

    fn scalar(&mut self) -> Read<Json<'d>> {
        match self.peek() {
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == b'_' || c == b'$' || !c.is_ascii() => self.word(),
            _ => Err(self.unexpected(&format!("expected a valid value {EXPECTED}"))),
        }
    }

    fn word(&mut self) -> Read<Json<'d>> {
        let rest = &self.text[self.at..];
        let length =
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        match word {
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            "null" => Ok(Json::Null),
            _ => Err(format!("Unrecognized token '{word}': was expecting {EXPECTED}")),
        }
    }

    fn number(&mut self) -> Read<Json<'d>> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().position(|b| !(b.is_ascii_digit() || b"+-.eE".contains(&b)));
        let digits = &rest[..length.unwrap_or(rest.len())];
        let whole = digits.strip_prefix('-').unwrap_or(digits);
        let bad = || format!("`{digits}` is no number");
        let leading_zero = whole.len() > 1 && whole.starts_with('0') && whole.as_bytes()[1].is_ascii_digit();
        if leading_zero {
            return Err("Invalid numeric value: Leading zeroes not allowed".to_owned());
        }
        let edges =
            whole.starts_with(|c: char| c.is_ascii_digit()) && whole.ends_with(|c: char| c.is_ascii_digit());
        let fraction_starts_well =
            whole.split_once('.').is_none_or(|(_, f)| f.starts_with(|c: char| c.is_ascii_digit()));
        let after = rest[digits.len()..].chars().next();
        if !edges || !fraction_starts_well || after.is_some_and(char::is_alphanumeric) {
            return Err(bad());
        }
        self.at += digits.len();
        if whole.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(digits.parse().map_or_else(|_| Json::BigInt(Cow::Borrowed(digits)), Json::Int));
        }
        digits.parse().map(Json::Double).map_err(|_| bad())
    }

    fn string(&mut self) -> Read<Cow<'d, str>> {
        let start = self.at + 1;
        let plain = self.text[start..].bytes().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1F));
        let Some(plain) = plain else { return Err("Unexpected end-of-input in VALUE_STRING".to_owned()) };
        self.at = start + plain;
        if self.text.as_bytes()[self.at] == b'"' {
            self.at += 1;
            return Ok(Cow::Borrowed(&self.text[start..self.at - 1]));
        }
        self.escaped(start).map(Cow::Owned)
    }

    /// A string with escapes, from the first of them.
    fn escaped(&mut self, start: usize) -> Read<String> {
        let mut out = self.text[start..self.at].to_owned();
        loop {
            let Some(c) = self.text[self.at..].chars().next() else {
                return Err("Unexpected end-of-input in VALUE_STRING".to_owned());
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(out),
                '\\' => out.push(self.escape()?),
                c if c < ' ' => {
                    return Err(format!(
                        "Illegal unquoted character ((CTRL-CHAR, code {})): has to be escaped using backslash to be included in string value",
                        u32::from(c)
                    ));
                }
                c => out.push(c),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let c = self.text[self.at..]
            .chars()
            .next()
            .ok_or("Unexpected end-of-input in character escape sequence")?;
        self.at += c.len_utf8();
        Ok(match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(),
            c => return Err(format!("Unrecognized character escape '{c}' (code {})", u32::from(c))),
        })
    }

    /// Four digits, with those of the other half where it is a surrogate. One without its other half becomes U+FFFD.
    fn unicode(&mut self) -> Read<char> {
        let first = self.unit()?;
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.unit()?;
            let mut pair = char::decode_utf16([first, second]);
            return Ok(pair.next().and_then(Result::ok).unwrap_or('\u{fffd}'));
        }
        Ok(char::from_u32(u32::from(first)).unwrap_or('\u{fffd}'))
    }

    fn unit(&mut self) -> Read<u16> {
        let digits = self.text.get(self.at..self.at + 4);
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.at += 4;
        unit.ok_or_else(|| "expected a hex-digit for character escape sequence".to_owned())
    }
}

fn deeper<'d>(open: &mut Vec<Open<'d>>, more: Open<'d>) -> Read<()> {
    if open.len() >= DEEPEST {
        let depth = DEEPEST + 1;
        return Err(format!(
            "Document nesting depth ({depth}) exceeds the maximum allowed ({DEEPEST}, from `StreamReadConstraints.getMaxNestingDepth()`)"
        ));
    }
    open.push(more);
    Ok(())
}

fn closed(open: Open<'_>) -> Json<'_> {
    match open {
        Open::Array(members) => Json::Array(members),
        Open::Object(members, _) => Json::Object(unique(members)),
    }
}

/// Members whose keys are repeated keep the first place and the last value. A table knows them: objects can be large.
fn unique<'d>(members: Vec<(Cow<'d, str>, Json<'d>)>) -> Vec<(Cow<'d, str>, Json<'d>)> {
    let mut places: HashMap<Cow<'d, str>, usize> = HashMap::with_capacity(members.len());
    let mut kept: Vec<(Cow<'d, str>, Json<'d>)> = Vec::with_capacity(members.len());
    for (key, value) in members {
        if let Some(place) = places.get(&key) {
            kept[*place].1 = value;
        } else {
            places.insert(key.clone(), kept.len());
            kept.push((key, value));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let first_line = |error: String| error.lines().next().unwrap_or_default().to_owned();
        parse_strictly(text)
            .map_or_else(|error| format!("!{}", first_line(error)), |json| json.jackson_text())
    }

    #[test]
    fn messages_say_where() {
        let place = |text: &str| parse_strictly(text).err().map(|e| e.lines().skip(1).collect::<String>());
        assert_eq!(place("<a>"), Some(" at [Source: (String)\"<a>\"; line: 1, column: 2]".to_owned()));
        let long = "x".repeat(600);
        let wanted =
            format!(" at [Source: (String)\"{}\"[truncated 100 chars]; line: 1, column: 601]", &long[..500]);
        assert_eq!(place(&long), Some(wanted));
        let message = parse_strictly("[1,\n 2;]").expect_err("no JSON");
        assert!(message.ends_with("line: 2, column: 4]"), "{message}");
    }

    #[test]
    fn values_are_read_and_written_as_jackson_does() {
        for (text, wanted) in [
            (
                r#" {"a" : [1, -2.50, 1e3, true, null, "x\u00e9\n\/"], "b":{}} "#,
                r#"{"a":[1,-2.5,1000.0,true,null,"xé\n/"],"b":{}}"#,
            ),
            ("[]", "[]"),
            ("5 rest", "5"),
            (r#""a"b"#, r#""a""#),
            ("123456789012345678901", "123456789012345678901"),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
            (r#""\ud83d\ude00 \ud83d""#, "\"\u{1f600} \u{fffd}\""),
            ("\"\\u0001\"", r#""\u0001""#),
            ("", "!No content to map due to end-of-input"),
            (
                "<a>",
                "!Unexpected character ('<' (code 60)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
            ),
            (
                "abc",
                "!Unrecognized token 'abc': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
            ),
            ("[1 2]", "!Unexpected character ('2' (code 50)): was expecting comma to separate Array entries"),
            (
                "{a:1}",
                "!Unexpected character ('a' (code 97)): was expecting double-quote to start field name",
            ),
            (
                "[1,]",
                "!Unexpected character (']' (code 93)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
            ),
            ("[", "!Unexpected end-of-input"),
            ("01", "!Invalid numeric value: Leading zeroes not allowed"),
            ("1.", "!`1.` is no number"),
            (
                "'a'",
                "!Unexpected character (''' (code 39)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
            ),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse_strictly(&deep(1_000)).is_ok());
        assert!(shown(&deep(100_000)).starts_with("!Document nesting depth (1001)"));
    }
}
