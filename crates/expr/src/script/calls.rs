//! Methods of texts and numbers, and functions.

use super::Language;
use super::decimal::Decimal;
use super::number::{javascript_number, parse_float, parse_int};
use super::value::{Text, Value};
use super::{groovy, javascript, jexl};
use crate::java_format::parse_double;

/// A method of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Method(Name);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// JavaScript's `length` without parentheses.
    LengthProperty,
    Length,
    Equals,
    EqualsIgnoreCase,
    Contains,
    StartsWith,
    EndsWith,
    IsEmpty,
    Trim,
    ToLowerCase,
    ToUpperCase,
    IndexOf,
    LastIndexOf,
    Substring,
    Concat,
    Replace,
    ToText,
    CompareTo,
    ToInteger,
    ToLong,
    ToDouble,
    ToBoolean,
    IsInteger,
}

/// Names, the numbers of their arguments, and whose they are.
const METHODS: &[(&str, &[usize], &[Language], Name)] = {
    use Language::{BeanShell, Groovy, JavaScript, Jexl2, Jexl3};
    const ALL: &[Language] = &[JavaScript, Jexl2, Jexl3, Groovy, BeanShell];
    &[
        ("length", &[0], ALL, Name::Length),
        ("size", &[0], &[Jexl2, Jexl3, Groovy], Name::Length),
        ("equals", &[1], ALL, Name::Equals),
        ("equalsIgnoreCase", &[1], ALL, Name::EqualsIgnoreCase),
        ("contains", &[1], ALL, Name::Contains),
        ("includes", &[1], &[JavaScript], Name::Contains),
        ("startsWith", &[1], ALL, Name::StartsWith),
        ("endsWith", &[1], ALL, Name::EndsWith),
        ("isEmpty", &[0], ALL, Name::IsEmpty),
        ("trim", &[0], ALL, Name::Trim),
        ("toLowerCase", &[0], ALL, Name::ToLowerCase),
        ("toUpperCase", &[0], ALL, Name::ToUpperCase),
        ("indexOf", &[1], ALL, Name::IndexOf),
        ("lastIndexOf", &[1], ALL, Name::LastIndexOf),
        ("substring", &[1, 2], ALL, Name::Substring),
        ("concat", &[1], ALL, Name::Concat),
        ("replace", &[2], &[Jexl2, Jexl3, Groovy, BeanShell], Name::Replace),
        ("toString", &[0], ALL, Name::ToText),
        ("compareTo", &[1], &[Jexl2, Jexl3, Groovy, BeanShell], Name::CompareTo),
        ("toInteger", &[0], &[Jexl3, Groovy], Name::ToInteger),
        ("toLong", &[0], &[Jexl3, Groovy], Name::ToLong),
        ("toDouble", &[0], &[Jexl3, Groovy], Name::ToDouble),
        ("toBoolean", &[0], &[Jexl3, Groovy], Name::ToBoolean),
        ("isInteger", &[0], &[Groovy], Name::IsInteger),
    ]
};

/// The method of that name and number of arguments.
pub(super) fn method(name: &str, arguments: usize, language: Language) -> Option<Method> {
    let found = METHODS.iter().find(|(known, counts, languages, _)| {
        *known == name && counts.contains(&arguments) && languages.contains(&language)
    });
    found.map(|(.., name)| Method(*name))
}

impl Method {
    /// `text.length` of JavaScript.
    pub(super) const LENGTH: Self = Self(Name::LengthProperty);

    /// Calls it. The error is the exception.
    pub(super) fn call(self, of: &Value, arguments: &[Value], language: Language) -> Result<Value, String> {
        if let Value::Text(text) = of {
            return self.of_text(text, arguments, language);
        }
        match (self.0, of, language) {
            (_, Value::Null, Language::Jexl3) => Ok(Value::Null),
            // Groovy gives null methods of its own.
            (Name::Equals, Value::Null, Language::Groovy) => Ok(Value::Boolean(arguments[0] == Value::Null)),
            (Name::ToText, Value::Null, Language::Groovy) => Ok(Value::own("null")),
            (Name::ToText, value, _) if *value != Value::Null && *value != Value::Undefined => {
                Ok(Value::own(value.to_text(language)))
            }
            // BeanShell compares its own wrapper of the number.
            (Name::Equals, Value::Char(_), Language::BeanShell) => Ok(Value::Boolean(false)),
            (Name::Equals, value, Language::BeanShell) if value.is_number() => Ok(Value::Boolean(false)),
            (Name::Equals, value, Language::Groovy | Language::Jexl2 | Language::Jexl3)
                if value.is_number() =>
            {
                Ok(Value::Boolean(*value == arguments[0]))
            }
            (Name::ToInteger | Name::ToLong | Name::ToDouble, value, Language::Groovy)
                if value.is_number() =>
            {
                groovy::number_to(value, self.target())
            }
            _ => Err(format!("`{}` has no such method", of.to_text(language))),
        }
    }

    fn target(self) -> super::tree::Type {
        match self.0 {
            Name::ToLong => super::tree::Type::Long,
            Name::ToDouble => super::tree::Type::Double,
            _ => super::tree::Type::Integer,
        }
    }

    fn of_text(self, of: &Text, arguments: &[Value], language: Language) -> Result<Value, String> {
        let text = &*of.text;
        let made = |result: String| {
            Value::Text(Text {
                text: result.into(),
                own: of.own && language == Language::JavaScript,
                joined: false,
            })
        };
        let first = || text_argument(&arguments[0], language);
        let number = |n: usize| Value::whole(n as i32, language);
        let javascript = language == Language::JavaScript;
        Ok(match self.0 {
            Name::LengthProperty if !of.own => return Err("`length` of Java is a method".to_owned()),
            Name::Length if of.own && javascript => return Err("`length` is not a function".to_owned()),
            Name::LengthProperty | Name::Length => number(utf16(text)),
            Name::Equals if javascript && of.own => Value::Boolean(text == arguments[0].to_text(language)),
            Name::Equals => Value::Boolean(arguments[0].as_text() == Some(text)),
            Name::EqualsIgnoreCase => {
                let other = arguments[0].as_text();
                Value::Boolean(other.is_some_and(|other| other.to_lowercase() == text.to_lowercase()))
            }
            Name::Contains => Value::Boolean(text.contains(&*first()?)),
            Name::StartsWith => Value::Boolean(text.starts_with(&*first()?)),
            Name::EndsWith => Value::Boolean(text.ends_with(&*first()?)),
            Name::IsEmpty => Value::Boolean(text.is_empty()),
            Name::Trim if javascript && of.own => made(text.trim().to_owned()),
            Name::Trim => made(text.trim_matches(|c| c <= ' ').to_owned()),
            Name::ToLowerCase => made(text.to_lowercase()),
            Name::ToUpperCase => made(text.to_uppercase()),
            Name::IndexOf => place(text, text.find(&*first()?), language),
            Name::LastIndexOf => place(text, text.rfind(&*first()?), language),
            Name::Substring => made(substring(text, arguments, javascript && of.own)?),
            Name::Concat => made(format!("{text}{}", first()?)),
            Name::Replace => made(text.replace(&*first()?, &text_argument(&arguments[1], language)?)),
            Name::ToText => Value::Text(of.clone()),
            Name::CompareTo => Value::Int(compare_utf16(text, &first()?)),
            Name::ToInteger | Name::ToLong | Name::ToDouble if language == Language::Groovy => {
                groovy::text_to(text, self.target())?
            }
            Name::ToInteger | Name::ToLong | Name::ToDouble => jexl::text_to(text, self.target())?,
            Name::ToBoolean if language == Language::Groovy => {
                let text = text.trim_matches(|c| c <= ' ');
                Value::Boolean(["true", "y", "1"].iter().any(|yes| text.eq_ignore_ascii_case(yes)))
            }
            Name::ToBoolean => Value::Boolean(!text.is_empty() && text != "false"),
            Name::IsInteger => Value::Boolean(groovy::text_to(text, super::tree::Type::Integer).is_ok()),
        })
    }
}

/// An argument that Java wants to be a text; JavaScript makes one of anything.
fn text_argument(value: &Value, language: Language) -> Result<std::borrow::Cow<'_, str>, String> {
    match value {
        Value::Text(text) => Ok(std::borrow::Cow::Borrowed(&text.text)),
        other if language == Language::JavaScript => Ok(other.to_text(language).into()),
        other => Err(format!("`{}` is no text", other.to_text(language))),
    }
}

fn utf16(text: &str) -> usize {
    text.encode_utf16().count()
}

fn place(text: &str, at: Option<usize>, language: Language) -> Value {
    Value::whole(at.map_or(-1, |at| utf16(&text[..at]) as i32), language)
}

/// `String.compareTo`: the difference of the first units that differ, else of the lengths.
fn compare_utf16(a: &str, b: &str) -> i32 {
    let differing = a.encode_utf16().zip(b.encode_utf16()).find(|(a, b)| a != b);
    differing.map_or(utf16(a) as i32 - utf16(b) as i32, |(a, b)| i32::from(a) - i32::from(b))
}

fn substring(text: &str, arguments: &[Value], javascript: bool) -> Result<String, String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let bound = |value: Option<&Value>, default: usize| match value {
        None => Ok(default as i64),
        Some(Value::Double(number)) => Ok(*number as i64),
        Some(value) => value.as_long().ok_or_else(|| "no whole number".to_owned()),
    };
    let (mut begin, mut end) = (bound(arguments.first(), 0)?, bound(arguments.get(1), units.len())?);
    let length = units.len() as i64;
    if javascript {
        (begin, end) = (begin.clamp(0, length), end.clamp(0, length));
        (begin, end) = (begin.min(end), begin.max(end));
    } else if begin < 0 || end > length || begin > end {
        return Err(format!("begin {begin}, end {end}, length {length}"));
    }
    Ok(String::from_utf16_lossy(&units[begin as usize..end as usize]))
}

/// A function that belongs to no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Static {
    /// `parseInt` of JavaScript.
    ParseIntLoosely,
    /// `parseFloat` of JavaScript.
    ParseFloatLoosely,
    /// `Number` of JavaScript.
    Number,
    /// `String` of JavaScript, `String.valueOf`.
    ToText,
    /// `Integer.toString(number)`.
    NumberToText,
    /// `Boolean` of JavaScript.
    Truth,
    /// `isNaN` of JavaScript.
    IsNaN,
    /// `Integer.parseInt`, `Integer.valueOf`.
    ParseInt,
    /// `Long.parseLong`, `Long.valueOf`.
    ParseLong,
    /// `Double.parseDouble`, `Double.valueOf`.
    ParseDouble,
    /// `Boolean.parseBoolean`, `Boolean.valueOf`.
    ParseBoolean,
    Max,
    Min,
    Abs,
    /// `Math.floor` of JavaScript.
    Floor,
    /// `Math.ceil` of JavaScript.
    Ceil,
    /// `Math.round` of JavaScript.
    Round,
}

/// A function of JavaScript that stands alone.
pub(super) fn function(name: &str, language: Language) -> Option<Static> {
    if language != Language::JavaScript {
        return None;
    }
    Some(match name {
        "parseInt" => Static::ParseIntLoosely,
        "parseFloat" => Static::ParseFloatLoosely,
        "Number" => Static::Number,
        "String" => Static::ToText,
        "Boolean" => Static::Truth,
        "isNaN" => Static::IsNaN,
        _ => return None,
    })
}

/// A static method of a class.
pub(super) fn of_class(class: &str, name: &str, language: Language) -> Option<Static> {
    Some(match (class, name) {
        ("Math", "max") => Static::Max,
        ("Math", "min") => Static::Min,
        ("Math", "abs") => Static::Abs,
        ("Math", "floor") if language == Language::JavaScript => Static::Floor,
        ("Math", "ceil") if language == Language::JavaScript => Static::Ceil,
        ("Math", "round") if language == Language::JavaScript => Static::Round,
        ("Integer", "parseInt" | "valueOf") => Static::ParseInt,
        ("Long", "parseLong" | "valueOf") => Static::ParseLong,
        ("Double", "parseDouble" | "valueOf") => Static::ParseDouble,
        ("Boolean", "parseBoolean" | "valueOf") => Static::ParseBoolean,
        ("String", "valueOf") => Static::ToText,
        ("Integer" | "Long" | "Double", "toString") if language.has_statements() => Static::NumberToText,
        _ => return None,
    })
}

impl Static {
    pub(super) fn takes(self, arguments: usize) -> bool {
        match self {
            Self::ParseIntLoosely => (1..=2).contains(&arguments),
            Self::Max | Self::Min => arguments == 2,
            _ => arguments == 1,
        }
    }

    /// Calls it. The error is the exception.
    pub(super) fn call(self, arguments: &[Value], language: Language) -> Result<Value, String> {
        let first = &arguments[0];
        let double = |value: &Value| javascript::number(value);
        let bad = || format!("For input string: \"{}\"", first.to_text(language));
        Ok(match self {
            Self::ParseIntLoosely => {
                let radix = arguments.get(1).map(|radix| double(radix) as u32);
                Value::Double(parse_int(&first.to_text(language), radix))
            }
            Self::ParseFloatLoosely => Value::Double(parse_float(&first.to_text(language))),
            Self::Number => Value::Double(match first.as_text() {
                Some(text) => javascript_number(text),
                None => double(first),
            }),
            Self::ToText => Value::own(first.to_text(language)),
            Self::NumberToText if first.is_number() => Value::own(first.to_text(language)),
            Self::NumberToText => return Err(bad()),
            Self::Truth => Value::Boolean(javascript::truth(first)),
            Self::IsNaN => Value::Boolean(double(first).is_nan()),
            Self::ParseInt => first.as_text().and_then(|t| t.parse().ok()).map(Value::Int).ok_or_else(bad)?,
            Self::ParseLong => {
                first.as_text().and_then(|t| t.parse().ok()).map(Value::Long).ok_or_else(bad)?
            }
            Self::ParseDouble => first.as_text().and_then(parse_double).map(Value::Double).ok_or_else(bad)?,
            Self::ParseBoolean => {
                Value::Boolean(first.as_text().is_some_and(|text| text.eq_ignore_ascii_case("true")))
            }
            Self::Max | Self::Min | Self::Abs => self.of_numbers(arguments, language)?,
            Self::Floor => Value::Double(double(first).floor()),
            Self::Ceil => Value::Double(double(first).ceil()),
            Self::Round => Value::Double((double(first) + 0.5).floor()),
        })
    }

    fn of_numbers(self, arguments: &[Value], language: Language) -> Result<Value, String> {
        let numbers: Vec<Value> = match language {
            Language::JavaScript => arguments.iter().map(|v| Value::Double(javascript::number(v))).collect(),
            _ => arguments.to_vec(),
        };
        match (self, &numbers[..]) {
            (Self::Abs, [Value::Int(n)]) => Ok(Value::Int(n.wrapping_abs())),
            (Self::Abs, [Value::Long(n)]) => Ok(Value::Long(n.wrapping_abs())),
            (Self::Abs, [Value::Double(n)]) => Ok(Value::Double(n.abs())),
            (Self::Max, [Value::Int(a), Value::Int(b)]) => Ok(Value::Int(*a.max(b))),
            (Self::Min, [Value::Int(a), Value::Int(b)]) => Ok(Value::Int(*a.min(b))),
            (_, [Value::Double(a), Value::Double(b)]) if a.is_nan() || b.is_nan() => {
                Ok(Value::Double(f64::NAN))
            }
            (Self::Max, [Value::Double(a), Value::Double(b)]) => Ok(Value::Double(a.max(*b))),
            (Self::Min, [Value::Double(a), Value::Double(b)]) => Ok(Value::Double(a.min(*b))),
            (_, [a, b]) => match (self, a.as_long(), b.as_long()) {
                (Self::Max, Some(a), Some(b)) => Ok(Value::Long(a.max(b))),
                (Self::Min, Some(a), Some(b)) => Ok(Value::Long(a.min(b))),
                _ => Err("these numbers need a script engine".to_owned()),
            },
            _ => Err("these numbers need a script engine".to_owned()),
        }
    }
}

/// A whole number of up to 64 bits as a decimal one.
pub(super) fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Decimal(number) => Some(*number),
        other => other.as_long().map(Decimal::whole),
    }
}
