//! Values of simple types: read from their text, compared, measured (XML Schema 1.0, part 2, 3.2).

use std::cmp::Ordering;
use std::fmt;

use super::dates::{Duration, Moment, Shape};
use swell_query::chars::{is_name, is_name_start};

/// The primitive types, and those built in that are read otherwise than the type that they are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    /// `anySimpleType`, `string`.
    Text,
    Boolean,
    Decimal,
    /// Messages name it apart from `decimal`.
    Integer,
    Float,
    Double,
    Duration,
    Moment(Shape),
    Hex,
    Base64,
    Uri,
    QName,
    /// An NCName of the document.
    Id,
    IdRef,
    Entity,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Boolean(bool),
    Decimal(Decimal),
    Float(f64),
    Duration(Duration),
    Moment(Moment),
    /// Its bytes, and how messages show them.
    Bytes(Vec<u8>, String),
    /// Namespace and local name.
    QName(String, String),
    List(Vec<Value>),
}

impl Primitive {
    /// The name in messages.
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Boolean => "boolean",
            Self::Decimal => "decimal",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Double => "double",
            Self::Duration => "duration",
            Self::Moment(shape) => shape.shown(),
            Self::Hex => "hexBinary",
            Self::Base64 => "base64Binary",
            Self::Uri => "anyURI",
            Self::QName => "QName",
            Self::Id | Self::IdRef | Self::Entity => "NCName",
        }
    }

    /// The value of a text whose white space is settled; `prefix` gives namespaces. None: it is not of the type.
    pub(super) fn read(self, text: &str, prefix: &dyn Fn(&str) -> Option<String>) -> Option<Value> {
        match self {
            Self::Text => Some(Value::Text(text.to_owned())),
            Self::Boolean => match text {
                "true" | "1" => Some(Value::Boolean(true)),
                "false" | "0" => Some(Value::Boolean(false)),
                _ => None,
            },
            Self::Decimal => Decimal::read(text, false).map(Value::Decimal),
            Self::Integer => Decimal::read(text, true).map(Value::Decimal),
            Self::Float => float(text).map(|value| Value::Float(f64::from(value as f32))),
            Self::Double => float(text).map(Value::Float),
            Self::Duration => Duration::read(text).map(Value::Duration),
            Self::Moment(shape) => Moment::read(text, shape).map(Value::Moment),
            Self::Hex => hex(text).map(|bytes| Value::Bytes(bytes, text.to_uppercase())),
            Self::Base64 => base64(text).map(|bytes| Value::Bytes(bytes, text.to_owned())),
            Self::Uri => is_uri(text).then(|| Value::Text(text.to_owned())),
            Self::QName => qname(text, prefix),
            Self::Id | Self::IdRef | Self::Entity => is_ncname(text).then(|| Value::Text(text.to_owned())),
        }
    }
}

impl Value {
    /// What length facets count: characters, bytes, members.
    pub(super) fn length(&self) -> Option<usize> {
        match self {
            Self::Text(text) => Some(text.encode_utf16().count()),
            Self::Bytes(bytes, _) => Some(bytes.len()),
            Self::List(members) => Some(members.len()),
            _ => None,
        }
    }

    /// The order of two values; none where there is none.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Decimal(a), Self::Decimal(b)) => Some(a.cmp(b)),
            (Self::Float(a), Self::Float(b)) => match (a.is_nan(), b.is_nan()) {
                (true, true) => Some(Ordering::Equal),
                _ => a.partial_cmp(b),
            },
            (Self::Duration(a), Self::Duration(b)) => a.compare(b),
            (Self::Moment(a), Self::Moment(b)) => a.compare(b),
            _ => None,
        }
    }

    /// Whether two values of a type are one.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(a), Self::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is(b)),
            (Self::Bytes(a, _), Self::Bytes(b, _)) => a == b,
            _ => self.compare(other).map_or_else(|| self == other, Ordering::is_eq),
        }
    }
}

/// As Xerces shows a value in messages.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Bytes(_, text) => f.write_str(text),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Decimal(decimal) => write!(f, "{decimal}"),
            Self::Float(value) => f.write_str(&scientific(*value)),
            Self::Duration(duration) => write!(f, "{duration}"),
            Self::Moment(moment) => write!(f, "{moment}"),
            Self::QName(namespace, local) if namespace.is_empty() => f.write_str(local),
            Self::QName(namespace, local) => write!(f, "{{{namespace}}}{local}"),
            Self::List(members) => {
                let all: Vec<_> = members.iter().map(ToString::to_string).collect();
                f.write_str(&all.join(" "))
            }
        }
    }
}

/// A decimal number of any length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    /// Without zeros before and behind.
    whole: String,
    part: String,
    integer: bool,
}

impl Decimal {
    fn read(text: &str, integer: bool) -> Option<Self> {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let good = whole.bytes().chain(part.bytes()).all(|b| b.is_ascii_digit());
        let pointed = digits.contains('.');
        if !good || (whole.is_empty() && part.is_empty()) || (integer && pointed) {
            return None;
        }
        let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
        let zero = whole.is_empty() && part.is_empty();
        let negative = text.starts_with('-') && !zero;
        Some(Self { negative, whole: whole.to_owned(), part: part.to_owned(), integer })
    }

    pub(super) fn total_digits(&self) -> usize {
        self.whole.len() + self.part.len()
    }

    pub(super) fn fraction_digits(&self) -> usize {
        self.part.len()
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let size = |a: &Self, b: &Self| {
            (a.whole.len().cmp(&b.whole.len()))
                .then_with(|| a.whole.cmp(&b.whole))
                .then_with(|| a.part.cmp(&b.part))
        };
        match (self.negative, other.negative) {
            (false, false) => size(self, other),
            (true, true) => size(other, self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_zero = |text: &str| if text.is_empty() { "0".to_owned() } else { text.to_owned() };
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{}", or_zero(&self.whole))?;
        if self.integer { Ok(()) } else { write!(f, ".{}", or_zero(&self.part)) }
    }
}

fn float(text: &str) -> Option<f64> {
    match text {
        "INF" => return Some(f64::INFINITY),
        "-INF" => return Some(f64::NEG_INFINITY),
        "NaN" => return Some(f64::NAN),
        _ => {}
    }
    let good = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if good { text.parse().ok() } else { None }
}

/// `1.5E1`.
fn scientific(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    let text = format!("{value:E}");
    match text.split_once('E') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0E{exponent}"),
        _ => text,
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let compact: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let data = compact.iter().position(|b| *b == b'=').unwrap_or(compact.len());
    let padding = &compact[data..];
    let alphabet = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let good = compact.len().is_multiple_of(4)
        && padding.len() <= 2
        && padding.iter().all(|b| *b == b'=')
        && compact[..data].iter().all(alphabet);
    // Only their number counts.
    good.then(|| vec![0; compact.len() / 4 * 3 - padding.len()])
}

/// What Xerces takes for a URI: nearly everything, for characters that may not stand in one are escaped first.
fn is_uri(text: &str) -> bool {
    let scheme = text.split(['/', '?', '#']).next().unwrap_or_default();
    let bad_scheme = scheme.split_once(':').is_some_and(|(name, _)| {
        let mut letters = name.bytes();
        let starts = letters.next().is_some_and(|b| b.is_ascii_alphabetic());
        !starts || !letters.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    });
    let bytes = text.as_bytes();
    let bad_escape = (0..bytes.len()).any(|at| {
        let digits = bytes.get(at + 1..at + 3);
        bytes[at] == b'%' && !digits.is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit))
    });
    let open_bracket = text.find('[').is_some_and(|at| !text[at..].contains(']'));
    !bad_scheme && !bad_escape && !open_bracket && text.matches('#').count() < 2
}

fn qname(text: &str, prefix: &dyn Fn(&str) -> Option<String>) -> Option<Value> {
    let (before, local) = text.split_once(':').unwrap_or(("", text));
    let good = is_ncname(local) && (!text.contains(':') || is_ncname(before));
    let namespace = prefix(before).filter(|_| good)?;
    Some(Value::QName(namespace, local.to_owned()))
}

/// A name without colon.
pub(super) fn is_ncname(text: &str) -> bool {
    text.starts_with(is_name_start) && text.chars().all(is_name)
}

/// A name that may have colons.
pub(super) fn is_any_name(text: &str) -> bool {
    text.starts_with(|c| is_name_start(c) || c == ':') && is_nmtoken(text)
}

/// Characters of names in any order.
pub(super) fn is_nmtoken(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| is_name(c) || c == ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(primitive: Primitive, text: &str) -> Option<Value> {
        primitive.read(text, &|prefix| (prefix == "p").then(|| "u".to_owned()))
    }

    #[test]
    fn texts_are_values_or_not() {
        use Primitive::{Base64, Boolean, Decimal, Double, Hex, Id, Integer, QName, Uri};
        let table = [
            (Boolean, "true 1 false 0", "TRUE yes"),
            (Decimal, "1 -1.50 +.5 5. 00012345678901234567890.10", ". 1e3 - 1,5"),
            (Integer, "12 -0 +7", "1.0 x"),
            (Double, "1 -1.5e3 INF -INF NaN .5", "inf 0x1 + 1f"),
            (Hex, "0aFF", "0 0g"),
            (Base64, "QUI= QUJD", "QUI Q=== QU=I"),
            (Uri, "http://x/y?z#f a b:c #f", "1:b %zz #a#b"),
            (QName, "p:a", "q:a p: :a 1"),
            (Id, "a-b", "a:b 1a"),
        ];
        for (primitive, good, bad) in table {
            for text in good.split(' ') {
                assert!(read(primitive, text).is_some(), "{primitive:?} {text}");
            }
            for text in bad.split(' ') {
                assert!(read(primitive, text).is_none(), "{primitive:?} {text}");
            }
        }
    }

    #[test]
    fn numbers_are_compared_and_shown() {
        let decimal = |text| read(Primitive::Decimal, text).expect("a number");
        let order = |a, b| decimal(a).compare(&decimal(b)).expect("numbers have an order");
        assert_eq!(order("1.50", "1.5"), Ordering::Equal);
        assert_eq!(order("-2", "1"), Ordering::Less);
        assert_eq!(order("-2", "-10"), Ordering::Greater);
        assert_eq!(order("9", "10"), Ordering::Less);
        assert_eq!(order("1.25", "1.3"), Ordering::Less);
        let shown = ["007", "-1.50", "0"].map(|text| decimal(text).to_string());
        assert_eq!(shown, ["7.0", "-1.5", "0.0"]);
        assert_eq!(read(Primitive::Integer, "+007").expect("a number").to_string(), "7");
        assert_eq!(read(Primitive::Double, "15").expect("a number").to_string(), "1.5E1");
    }
}
