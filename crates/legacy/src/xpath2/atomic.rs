//! Values that are no nodes.

use super::decimal::Decimal;
use super::expression::Type;
use super::{Found, fault};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atomic {
    Text(String),
    /// The text of a node, which becomes what it is compared with.
    Untyped(String),
    Boolean(bool),
    Integer(i128),
    Decimal(Decimal),
    Double(f64),
}

impl Atomic {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Untyped(text) => text.clone(),
            Self::Boolean(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Decimal(value) => value.to_string(),
            Self::Double(value) => double_text(*value),
        }
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "xs:string",
            Self::Untyped(_) => "xs:untypedAtomic",
            Self::Boolean(_) => "xs:boolean",
            Self::Integer(_) => "xs:integer",
            Self::Decimal(_) => "xs:decimal",
            Self::Double(_) => "xs:double",
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Integer(_) | Self::Decimal(_) | Self::Double(_))
    }

    /// As a double (`fn:number`): not a number for what is none.
    pub(super) fn number(&self) -> f64 {
        match self {
            Self::Text(text) | Self::Untyped(text) => parse_double(text).unwrap_or(f64::NAN),
            Self::Boolean(value) => f64::from(u8::from(*value)),
            Self::Integer(value) => *value as f64,
            Self::Decimal(value) => value.to_double(),
            Self::Double(value) => *value,
        }
    }

    pub(super) fn cast(&self, to: Type) -> Found<Self> {
        let text = self.text();
        let bad = |name: &str| super::fault(format!("Cannot convert string \"{text}\" to {name}"));
        Ok(match to {
            Type::String => Self::Text(text),
            Type::Double => match parse_double(&text) {
                Some(value) => Self::Double(value),
                None if matches!(self, Self::Boolean(_)) => Self::Double(self.number()),
                None => return bad("a double"),
            },
            Type::Integer => match (self, text.trim().parse()) {
                (_, Ok(value)) => Self::Integer(value),
                (Self::Boolean(value), _) => Self::Integer(i128::from(*value)),
                (Self::Decimal(value), _) => Self::Integer(value.whole()),
                (Self::Double(value), _) if value.is_finite() => Self::Integer(*value as i128),
                _ => return bad("an integer"),
            },
            Type::Decimal => {
                let value = match self {
                    Self::Boolean(value) => Decimal::of_integer(i128::from(*value)),
                    Self::Double(value) => Decimal::of_double(*value),
                    _ => Decimal::parse(text.trim()),
                };
                let Some(value) = value else { return bad("a decimal") };
                Self::Decimal(value)
            }
            Type::Boolean => match (self, text.trim()) {
                (Self::Integer(_) | Self::Decimal(_) | Self::Double(_), _) => {
                    let value = self.number();
                    Self::Boolean(value != 0.0 && !value.is_nan())
                }
                (_, "true" | "1") => Self::Boolean(true),
                (_, "false" | "0") => Self::Boolean(false),
                _ => return bad("a boolean"),
            },
        })
    }

    /// As a number of arithmetic: texts of nodes are doubles.
    pub(super) fn operand(self) -> Found<Self> {
        match self {
            Self::Untyped(text) => match parse_double(&text) {
                Some(value) => Ok(Self::Double(value)),
                None => fault(format!("Cannot convert string \"{text}\" to a double")),
            },
            other => Ok(other),
        }
    }
}

/// The lexical form of `xs:double`.
fn parse_double(text: &str) -> Option<f64> {
    match text.trim_matches(swell_query::chars::is_space) {
        "INF" | "+INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        plain
            if plain.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-' | b'e' | b'E')) =>
        {
            plain.parse().ok()
        }
        _ => None,
    }
}

/// Without exponent from a millionth to a million.
fn double_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    if (1e-6..1e6).contains(&value.abs()) {
        return format!("{value}");
    }
    let text = format!("{value:E}");
    let (digits, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_have_exponents_where_they_are_large() {
        for (value, wanted) in [
            (1.0, "1"),
            (13.5, "13.5"),
            (999_999.0, "999999"),
            (1e6, "1.0E6"),
            (1.25e7, "1.25E7"),
            (1e-6, "0.000001"),
            (1.5e-7, "1.5E-7"),
            (-0.0, "-0"),
            (f64::NEG_INFINITY, "-INF"),
        ] {
            assert_eq!(double_text(value), wanted);
        }
    }
}
