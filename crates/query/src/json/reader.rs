//! Parses text to values, as `net.minidev.json.parser.JSONParser` does in its permissive mode.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Decimal, Json};

/// Arrays and objects inside each other, at most (json-smart's own limit).
const DEEPEST: usize = 400;
/// Objects with more members than this look for repeated keys by a table.
const FEW_MEMBERS: usize = 16;
/// Texts of numbers longer than this become `BigDecimal`.
const LONGEST_DOUBLE: usize = 18;
/// What json-smart takes for the end of the text: an ASCII SUB.
const END: u8 = 0x1A;

/// Reads the first value of a text; what follows it is ignored. The error is the text of
/// json-smart's exception.
pub fn parse(text: &str) -> Result<Json<'_>, String> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    reader.value(Stop::End).map_err(|fault| format!("net.minidev.json.parser.ParseException: {fault}"))
}

/// What ends unquoted text or a number, other than the end of the text.
#[derive(Clone, Copy)]
enum Stop {
    End,
    Key,
    Member,
    Element,
}

impl Stop {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::End => false,
            Self::Key => byte == b':',
            Self::Member => matches!(byte, b',' | b'}'),
            Self::Element => matches!(byte, b',' | b']'),
        }
    }
}

struct Reader<'d> {
    text: &'d str,
    at: usize,
    depth: usize,
}

type ReadResult<T> = Result<T, String>;

impl<'d> Reader<'d> {
    /// The byte here; the end of the text is END.
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(END)
    }

    /// The character here, for messages.
    fn shown(&self) -> char {
        self.text[self.at..].chars().next().unwrap_or('\x1A')
    }

    /// A place as json-smart counts it, moved by some characters.
    fn position(&self, at: usize, moved: i64) -> i64 {
        self.text[..at].encode_utf16().count() as i64 + moved
    }

    fn unexpected_char(&self, moved: i64) -> String {
        format!("Unexpected character ({}) at position {}.", self.shown(), self.position(self.at, moved))
    }

    fn unexpected_token(&self, token: &str, at: usize) -> String {
        format!("Unexpected token {token} at position {}.", self.position(at, 0))
    }

    fn unexpected_end(&self, moved: i64, shown: &str) -> String {
        format!("Unexpected End Of File position {}: {shown}", self.position(self.at, moved))
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\r' | b'\n' | b'\t') {
            self.at += 1;
        }
    }

    /// Everything up to the space counts as one here.
    fn skip_controls(&mut self) {
        while self.at < self.text.len() && self.peek() <= b' ' && self.peek() != END {
            self.at += 1;
        }
    }

    fn value(&mut self, stop: Stop) -> ReadResult<Json<'d>> {
        self.skip_blanks();
        match self.peek() {
            b':' | b'}' | b']' => Err(self.unexpected_char(0)),
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'"' | b'\'' => Ok(Json::Text(self.string()?)),
            b'0'..=b'9' | b'-' => self.number(stop),
            _ => {
                let word = self.word(self.at, stop);
                Ok(match word {
                    "null" => Json::Null,
                    "true" => Json::Bool(true),
                    "false" => Json::Bool(false),
                    "NaN" => Json::NotANumber,
                    word => Json::Text(Cow::Borrowed(word)),
                })
            }
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> ReadResult<Json<'d>>) -> ReadResult<Json<'d>> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let shown = self.shown();
            let position = self.position(self.at, 0);
            return Err(format!(
                "Malicious payload, having non natural depths, parsing stoped on {shown} at position {position}."
            ));
        }
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn array(&mut self) -> ReadResult<Json<'d>> {
        let mut members = Vec::new();
        loop {
            match self.peek() {
                b' ' | b'\r' | b'\n' | b'\t' | b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(Json::Array(members));
                }
                b':' | b'}' => return Err(self.unexpected_char(0)),
                END => return Err(self.unexpected_end(-1, "EOF")),
                _ => members.push(self.value(Stop::Element)?),
            }
        }
    }

    fn object(&mut self) -> ReadResult<Json<'d>> {
        let mut members = Members::default();
        loop {
            match self.peek() {
                b' ' | b'\r' | b'\n' | b'\t' | b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(Json::Object(members.list));
                }
                b':' | b']' | b'[' | b'{' => return Err(self.unexpected_char(0)),
                _ => {
                    let (key, value) = self.member()?;
                    members.set(key, value);
                    self.skip_controls();
                    match self.peek() {
                        b'}' | b',' => {}
                        END => return Err(self.unexpected_end(-1, "null")),
                        _ => {
                            let position = self.position(self.at, -1);
                            return Err(format!("Unexpected token {} at position {position}.", self.shown()));
                        }
                    }
                }
            }
        }
    }

    fn member(&mut self) -> ReadResult<(Cow<'d, str>, Json<'d>)> {
        let key = match self.peek() {
            b'"' | b'\'' => self.string()?,
            _ => Cow::Borrowed(self.word(self.at, Stop::Key)),
        };
        self.skip_controls();
        match self.peek() {
            b':' => self.at += 1,
            END => return Err(self.unexpected_end(-1, "null")),
            _ => return Err(self.unexpected_char(-1)),
        }
        if self.at >= self.text.len() {
            return Err(self.unexpected_end(-1, "EOF"));
        }
        Ok((key, self.value(Stop::Member)?))
    }

    /// Unquoted text from a position up to its end, without surrounding blanks.
    fn word(&mut self, start: usize, stop: Stop) -> &'d str {
        while self.peek() != END && !stop.has(self.peek()) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        let trimmed = word.trim_matches(is_java_blank);
        // Unquoted text of only blanks is reduced to one blank.
        if trimmed.is_empty() {
            word.chars().next_back().map_or("", |c| &word[word.len() - c.len_utf8()..])
        } else {
            trimmed
        }
    }

    fn number(&mut self, stop: Stop) -> ReadResult<Json<'d>> {
        let start = self.at;
        self.at += 1;
        self.skip_digits();
        let mut whole = true;
        if self.peek() == b'.' {
            whole = false;
            self.at += 1;
            self.skip_digits();
        }
        if matches!(self.peek(), b'e' | b'E') {
            whole = false;
            self.at += 1;
            if !matches!(self.peek(), b'+' | b'-' | b'0'..=b'9') {
                return Ok(Json::Text(Cow::Borrowed(self.word(start, stop))));
            }
            self.at += 1;
            self.skip_digits();
        }
        self.skip_controls();
        // A character beyond ASCII does not turn a number into text, for json-smart's table ends
        // before it.
        let here = self.peek();
        if here != END && here < 126 && !stop.has(here) {
            return Ok(Json::Text(Cow::Borrowed(self.word(start, stop))));
        }
        let text = self.text[start..self.at].trim_end_matches(is_java_blank);
        if whole {
            return Ok(whole_number(text));
        }
        broken_number(text).ok_or_else(|| self.unexpected_token(text, self.at))
    }

    fn skip_digits(&mut self) {
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
    }

    /// A string in quotes of either kind.
    fn string(&mut self) -> ReadResult<Cow<'d, str>> {
        let quote = self.peek();
        let start = self.at + 1;
        let Some(length) = memchr::memchr(quote, &self.text.as_bytes()[start..]) else {
            self.at = self.text.len();
            return Err(self.unexpected_end(0, "null"));
        };
        let plain = &self.text[start..start + length];
        if memchr::memchr(b'\\', plain.as_bytes()).is_none() {
            self.at = start + length + 1;
            return Ok(Cow::Borrowed(plain));
        }
        self.at = start;
        self.escaped_string(quote).map(Cow::Owned)
    }

    /// A string with escapes, starting after its opening quote. Control characters are left out of
    /// it, and so are unknown escapes.
    fn escaped_string(&mut self, quote: u8) -> ReadResult<String> {
        // Escapes give UTF-16 units, which may be halves of a pair.
        let mut out = String::new();
        let mut half = None;
        loop {
            let c = self.shown();
            if self.peek() == END {
                return Err(self.unexpected_end(-1, "null"));
            }
            self.at += c.len_utf8();
            let unit = match c {
                '\\' => match self.escape()? {
                    Some(unit) => unit,
                    None => continue,
                },
                c if c.is_ascii() && c as u8 == quote => break,
                '\0'..='\x1F' | '\x7F' => continue,
                c => {
                    flush_half(&mut half, &mut out);
                    out.push(c);
                    continue;
                }
            };
            push_unit(unit, &mut half, &mut out);
        }
        flush_half(&mut half, &mut out);
        Ok(out)
    }

    /// The meaning of an escape after its backslash. `None` for unknown letters.
    fn escape(&mut self) -> ReadResult<Option<u16>> {
        let c = self.shown();
        self.at += if self.at < self.text.len() { c.len_utf8() } else { 0 };
        Ok(Some(match c {
            't' => 9,
            'n' => 10,
            'r' => 13,
            'f' => 12,
            'b' => 8,
            '\\' | '/' | '\'' | '"' => c as u16,
            'u' => self.hex(4)?,
            'x' => self.hex(2)?,
            _ => return Ok(None),
        }))
    }

    fn hex(&mut self, digits: u32) -> ReadResult<u16> {
        let mut unit = 0;
        for _ in 0..digits {
            let c = self.shown();
            let Some(digit) = c.to_digit(16) else {
                if self.peek() == END {
                    return Err(self.unexpected_end(0, "EOF"));
                }
                let position = self.position(self.at, 0);
                return Err(format!("Unexpected unicode escape sequence {c} at position {position}."));
            };
            unit = unit * 16 + digit as u16;
            self.at += 1;
        }
        Ok(unit)
    }
}

fn push_unit(unit: u16, half: &mut Option<u16>, out: &mut String) {
    if let Some(high) = half.take() {
        if let Some(Ok(c)) =
            char::decode_utf16([high, unit]).next().filter(|_| (0xDC00..0xE000).contains(&unit))
        {
            out.push(c);
            return;
        }
        out.push('\u{FFFD}');
    }
    match char::from_u32(u32::from(unit)) {
        Some(c) => out.push(c),
        None => *half = Some(unit),
    }
}

fn flush_half(half: &mut Option<u16>, out: &mut String) {
    if half.take().is_some() {
        out.push('\u{FFFD}');
    }
}

/// Members of an object, each key once.
#[derive(Default)]
struct Members<'d> {
    list: Vec<(Cow<'d, str>, Json<'d>)>,
    places: HashMap<Cow<'d, str>, usize>,
}

impl<'d> Members<'d> {
    fn set(&mut self, key: Cow<'d, str>, value: Json<'d>) {
        if self.list.len() < FEW_MEMBERS {
            Json::set(&mut self.list, key, value);
            return;
        }
        if self.places.is_empty() {
            self.places = self.list.iter().map(|(key, _)| key.clone()).zip(0..).collect();
        }
        if let Some(&place) = self.places.get(&key) {
            self.list[place].1 = value;
        } else {
            self.places.insert(key.clone(), self.list.len());
            self.list.push((key, value));
        }
    }
}

/// `Character.isWhitespace`, as far as it matters around unquoted text.
fn is_java_blank(c: char) -> bool {
    matches!(c, '\x09'..='\x0D' | '\x1C'..='\x20')
        || (c.is_whitespace() && !matches!(c, '\u{85}' | '\u{A0}' | '\u{2007}' | '\u{202F}'))
}

/// Digits, perhaps after a minus.
fn whole_number(text: &str) -> Json<'_> {
    if text == "-" {
        return Json::Int(0);
    }
    if let Ok(number) = text.parse() {
        return Json::Int(number);
    }
    let digits = text.trim_start_matches('-').trim_start_matches('0');
    let sign = if text.starts_with('-') { "-" } else { "" };
    Json::BigInt(Cow::Owned(format!("{sign}{digits}")))
}

/// A number with a fraction or an exponent; none if it is broken.
fn broken_number(text: &str) -> Option<Json<'_>> {
    if text.len() > LONGEST_DOUBLE {
        return Some(Json::BigDecimal(Cow::Owned(Decimal::parse(text)?.to_string())));
    }
    text.parse().ok().map(Json::Double)
}
