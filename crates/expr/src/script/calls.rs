//! Methods of texts and numbers, and functions.

use super::Language;
use super::decimal::Decimal;
use super::failure::{ScriptFailure, Unsupported, exception, unsupported};
use super::kind::Kind;
use super::number::{javascript_number, parse_float, parse_int};
use super::tree::Node;
use super::value::{Text, Value};
use super::{groovy, javascript, jexl, texts};
use swell_java::format::parse_double;

/// A method of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Method(Name, Gives);

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
    Matches,
    ToInteger,
    ToLong,
    ToDouble,
    ToBoolean,
    IsInteger,
}

/// Whose methods they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// `String` of Java, in these languages.
    Java(&'static [Language]),
    /// Numbers and booleans, in these languages.
    Number(&'static [Language]),
    /// Texts of JavaScript.
    Script,
}

/// What a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Text,
    /// A text, number, boolean or null.
    Any,
    /// A whole number; any number of JavaScript.
    Whole,
}

/// What a method gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    Boolean,
    /// A whole number.
    Whole,
    /// A text of the kind that it has been called on.
    Text,
    Long,
    Double,
}

type Row = (&'static str, &'static [Given], Whose, Name, Gives);

/// Names, arguments, whose they are, what they give.
const METHODS: &[Row] = {
    use Language::{BeanShell, Groovy, JavaScript, Jexl2, Jexl3};
    use Whose::{Number, Script};
    const ALL: Whose = Whose::Java(&[JavaScript, Jexl2, Jexl3, Groovy, BeanShell]);
    const JAVA: Whose = Whose::Java(&[Jexl2, Jexl3, Groovy, BeanShell]);
    const MORE: Whose = Whose::Java(&[Jexl3, Groovy]);
    const TEXT: &[Given] = &[Given::Text];
    &[
        ("length", &[], ALL, Name::Length, Gives::Whole),
        ("size", &[], Whose::Java(&[Jexl2, Jexl3, Groovy]), Name::Length, Gives::Whole),
        ("equals", &[Given::Any], ALL, Name::Equals, Gives::Boolean),
        ("equalsIgnoreCase", TEXT, ALL, Name::EqualsIgnoreCase, Gives::Boolean),
        ("contains", TEXT, ALL, Name::Contains, Gives::Boolean),
        ("startsWith", TEXT, ALL, Name::StartsWith, Gives::Boolean),
        ("endsWith", TEXT, ALL, Name::EndsWith, Gives::Boolean),
        ("isEmpty", &[], ALL, Name::IsEmpty, Gives::Boolean),
        ("trim", &[], ALL, Name::Trim, Gives::Text),
        ("toLowerCase", &[], ALL, Name::ToLowerCase, Gives::Text),
        ("toUpperCase", &[], ALL, Name::ToUpperCase, Gives::Text),
        ("indexOf", TEXT, ALL, Name::IndexOf, Gives::Whole),
        ("lastIndexOf", TEXT, ALL, Name::LastIndexOf, Gives::Whole),
        ("substring", &[Given::Whole], ALL, Name::Substring, Gives::Text),
        ("substring", &[Given::Whole, Given::Whole], ALL, Name::Substring, Gives::Text),
        ("concat", TEXT, ALL, Name::Concat, Gives::Text),
        ("replace", &[Given::Text, Given::Text], JAVA, Name::Replace, Gives::Text),
        ("toString", &[], ALL, Name::ToText, Gives::Text),
        ("compareTo", TEXT, JAVA, Name::CompareTo, Gives::Whole),
        ("matches", TEXT, JAVA, Name::Matches, Gives::Boolean),
        ("toInteger", &[], MORE, Name::ToInteger, Gives::Whole),
        ("toLong", &[], MORE, Name::ToLong, Gives::Long),
        ("toDouble", &[], MORE, Name::ToDouble, Gives::Double),
        ("toBoolean", &[], MORE, Name::ToBoolean, Gives::Boolean),
        ("isInteger", &[], Whose::Java(&[Groovy]), Name::IsInteger, Gives::Boolean),
        ("toString", &[], Number(&[Groovy, Jexl2, Jexl3, JavaScript, BeanShell]), Name::ToText, Gives::Text),
        ("toInteger", &[], Number(&[Groovy]), Name::ToInteger, Gives::Whole),
        ("toLong", &[], Number(&[Groovy]), Name::ToLong, Gives::Long),
        ("toDouble", &[], Number(&[Groovy]), Name::ToDouble, Gives::Double),
        ("equals", TEXT, Script, Name::Equals, Gives::Boolean),
        ("equalsIgnoreCase", TEXT, Script, Name::EqualsIgnoreCase, Gives::Boolean),
        ("includes", TEXT, Script, Name::Contains, Gives::Boolean),
        ("startsWith", TEXT, Script, Name::StartsWith, Gives::Boolean),
        ("endsWith", TEXT, Script, Name::EndsWith, Gives::Boolean),
        ("trim", &[], Script, Name::Trim, Gives::Text),
        ("toLowerCase", &[], Script, Name::ToLowerCase, Gives::Text),
        ("toUpperCase", &[], Script, Name::ToUpperCase, Gives::Text),
        ("indexOf", TEXT, Script, Name::IndexOf, Gives::Whole),
        ("lastIndexOf", TEXT, Script, Name::LastIndexOf, Gives::Whole),
        ("substring", &[Given::Whole], Script, Name::Substring, Gives::Text),
        ("substring", &[Given::Whole, Given::Whole], Script, Name::Substring, Gives::Text),
        ("concat", TEXT, Script, Name::Concat, Gives::Text),
        ("toString", &[], Script, Name::ToText, Gives::Text),
    ]
};

impl Whose {
    fn has(self, of: Kind, language: Language) -> bool {
        let javascript = language == Language::JavaScript;
        match self {
            Self::Java(languages) => {
                let text = if javascript { Kind::JavaText } else { Kind::Text };
                of == text && languages.contains(&language)
            }
            Self::Number(languages) => {
                // BeanShell has no methods of its own wrappers but those of whole numbers.
                let number = match language {
                    Language::BeanShell => of == Kind::Int,
                    Language::Jexl2 => of.is_number(),
                    _ => of.is_number() || of == Kind::Boolean,
                };
                number && languages.contains(&language)
            }
            Self::Script => of == Kind::Text && javascript,
        }
    }
}

impl Given {
    fn takes(self, kind: Kind, language: Language) -> bool {
        match self {
            Self::Text => kind == Kind::Text || kind == Kind::JavaText,
            Self::Any if language == Language::JavaScript => kind == Kind::Text || kind == Kind::JavaText,
            Self::Any => {
                matches!(kind, Kind::Text | Kind::Null | Kind::Boolean | Kind::Plain) || kind.is_number()
            }
            Self::Whole => kind == Kind::Int || kind == Kind::Double && language == Language::JavaScript,
        }
    }
}

/// The method of that name for arguments of these kinds; none where it is not known for certain.
pub(super) fn method(name: &str, of: Kind, arguments: &[Kind], language: Language) -> Option<Method> {
    let takes = |given: &[Given]| {
        given.len() == arguments.len()
            && given.iter().zip(arguments).all(|(given, kind)| given.takes(*kind, language))
    };
    let found = METHODS
        .iter()
        .find(|(known, given, whose, ..)| *known == name && whose.has(of, language) && takes(given));
    found.filter(|row| !(of == Kind::Boolean && row.3 != Name::ToText)).map(|row| Method(row.3, row.4))
}

impl Method {
    /// `text.length` of JavaScript.
    pub(super) const LENGTH: Self = Self(Name::LengthProperty, Gives::Whole);

    /// The kind of what it gives for a value of a kind.
    pub(super) fn result(self, of: Kind, language: Language) -> Kind {
        match self.1 {
            Gives::Boolean => Kind::Boolean,
            Gives::Whole if language == Language::JavaScript => Kind::Double,
            Gives::Whole => Kind::Int,
            Gives::Text if of == Kind::JavaText => Kind::JavaText,
            Gives::Text => Kind::Text,
            Gives::Long => Kind::Long,
            Gives::Double => Kind::Double,
        }
    }

    /// Whether its pattern, if it takes one, is understood.
    pub(super) fn check(self, arguments: &[Node]) -> Result<(), ScriptFailure> {
        match (self.0, arguments) {
            (Name::Matches, [Node::Constant(Value::Text(pattern))])
                if texts::is_understood(&pattern.text) =>
            {
                Ok(())
            }
            (Name::Matches, _) => Err(Unsupported::word(".matches").into()),
            _ => Ok(()),
        }
    }

    /// Calls it.
    pub(super) fn call(
        self,
        of: &Value,
        arguments: &[Value],
        language: Language,
    ) -> Result<Value, ScriptFailure> {
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
            (Name::ToInteger | Name::ToLong | Name::ToDouble, value, Language::Groovy)
                if value.is_number() =>
            {
                groovy::number_to(value, self.target())
            }
            _ => Err(exception(format!("`{}` has no such method", of.to_text(language)))),
        }
    }

    fn target(self) -> super::tree::Type {
        match self.0 {
            Name::ToLong => super::tree::Type::Long,
            Name::ToDouble => super::tree::Type::Double,
            _ => super::tree::Type::Integer,
        }
    }

    fn of_text(self, of: &Text, arguments: &[Value], language: Language) -> Result<Value, ScriptFailure> {
        let text = &*of.text;
        let made = |result: String| {
            Value::Text(Text {
                text: result.into(),
                own: of.own && language == Language::JavaScript,
                joined: false,
            })
        };
        let first = || text_argument(of, &arguments[0], language);
        let number = |n: usize| Value::whole(n as i32, language);
        let javascript = language == Language::JavaScript;
        Ok(match self.0 {
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
            Name::Replace => made(text.replace(&*first()?, &text_argument(of, &arguments[1], language)?)),
            Name::ToText => Value::Text(of.clone()),
            Name::Matches => Value::Boolean(texts::is_match(text, &first()?)?),
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
fn text_argument<'v>(
    of: &Text,
    value: &'v Value,
    language: Language,
) -> Result<std::borrow::Cow<'v, str>, ScriptFailure> {
    match value {
        Value::Text(text) => Ok(std::borrow::Cow::Borrowed(&text.text)),
        other if language == Language::JavaScript && of.own => Ok(other.to_text(language).into()),
        other => Err(exception(format!("`{}` is no text", other.to_text(language)))),
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

fn substring(text: &str, arguments: &[Value], javascript: bool) -> Result<String, ScriptFailure> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let bound = |value: Option<&Value>, default: usize| match value {
        None => Ok(default as i64),
        Some(Value::Double(number)) if javascript || number.fract() == 0.0 => Ok(*number as i64),
        Some(Value::Double(_)) => Err(unsupported("a part of a text from there needs a script engine")),
        Some(value) => value.as_long().ok_or_else(|| exception("no whole number")),
    };
    let (mut begin, mut end) = (bound(arguments.first(), 0)?, bound(arguments.get(1), units.len())?);
    let length = units.len() as i64;
    if javascript {
        (begin, end) = (begin.clamp(0, length), end.clamp(0, length));
        (begin, end) = (begin.min(end), begin.max(end));
    } else if begin < 0 || end > length || begin > end {
        return Err(exception(format!("begin {begin}, end {end}, length {length}")));
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
    NumberToText(Kind),
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
    Floor,
    Ceil,
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
pub(super) fn of_class(class: &str, name: &str) -> Option<Static> {
    Some(match (class, name) {
        ("Math", "max") => Static::Max,
        ("Math", "min") => Static::Min,
        ("Math", "abs") => Static::Abs,
        ("Math", "floor") => Static::Floor,
        ("Math", "ceil") => Static::Ceil,
        ("Math", "round") => Static::Round,
        ("Integer", "parseInt" | "valueOf") => Static::ParseInt,
        ("Long", "parseLong" | "valueOf") => Static::ParseLong,
        ("Double", "parseDouble" | "valueOf") => Static::ParseDouble,
        ("Boolean", "parseBoolean" | "valueOf") => Static::ParseBoolean,
        ("String", "valueOf") => Static::ToText,
        ("Integer" | "Long" | "Double", "toString") => Static::NumberToText(class_kind(class)),
        _ => return None,
    })
}

fn class_kind(class: &str) -> Kind {
    match class {
        "Integer" => Kind::Int,
        "Long" => Kind::Long,
        _ => Kind::Double,
    }
}

impl Static {
    /// Whether it is known what it gives for arguments of these kinds.
    pub(super) fn takes(self, kinds: &[Kind], language: Language) -> bool {
        let javascript = language == Language::JavaScript;
        match (self, kinds) {
            (Self::ParseIntLoosely, [text, Kind::Double]) => text.is_plain(),
            (
                Self::ParseIntLoosely | Self::ParseFloatLoosely | Self::Number | Self::Truth | Self::IsNaN,
                [kind],
            ) => kind.is_plain(),
            (Self::ToText, [kind]) if javascript => kind.is_plain(),
            (Self::ToText, [kind]) => kind.is_number() || *kind == Kind::Boolean,
            (Self::NumberToText(of), [kind]) => of == *kind,
            (Self::ParseInt | Self::ParseLong | Self::ParseDouble | Self::ParseBoolean, [kind]) => {
                *kind == Kind::Text
            }
            (Self::Max | Self::Min, [a, b]) if javascript => a.is_plain() && b.is_plain(),
            (Self::Max | Self::Min, [a, b]) => a == b && matches!(a, Kind::Int | Kind::Long | Kind::Double),
            (Self::Abs | Self::Floor | Self::Ceil | Self::Round, [kind]) if javascript => kind.is_plain(),
            (Self::Abs, [kind]) => matches!(kind, Kind::Int | Kind::Long | Kind::Double),
            (Self::Floor | Self::Ceil | Self::Round, [kind]) => *kind == Kind::Double,
            _ => false,
        }
    }

    /// The kind of what it gives.
    pub(super) fn result(self, kinds: &[Kind], language: Language) -> Kind {
        match self {
            Self::ToText | Self::NumberToText(_) => Kind::Text,
            Self::Truth | Self::IsNaN | Self::ParseBoolean => Kind::Boolean,
            Self::ParseInt => Kind::Int,
            Self::ParseLong => Kind::Long,
            Self::Round if language != Language::JavaScript => Kind::Long,
            Self::Max | Self::Min | Self::Abs if language != Language::JavaScript => kinds[0],
            _ => Kind::Double,
        }
    }

    /// Calls it.
    pub(super) fn call(self, arguments: &[Value], language: Language) -> Result<Value, ScriptFailure> {
        let first = &arguments[0];
        let javascript = language == Language::JavaScript;
        let double = |value: &Value| javascript::number(value);
        Ok(match self {
            Self::ParseIntLoosely => {
                let radix = arguments.get(1).map(radix).transpose()?;
                Value::Double(parse_int(&first.to_text(language), radix))
            }
            Self::ParseFloatLoosely => Value::Double(parse_float(&first.to_text(language))),
            Self::Number => Value::Double(match first.as_text() {
                Some(text) => javascript_number(text),
                None => double(first),
            }),
            Self::ToText | Self::NumberToText(_) => Value::own(first.to_text(language)),
            Self::Truth => Value::Boolean(javascript::truth(first)),
            Self::IsNaN => Value::Boolean(double(first).is_nan()),
            Self::ParseInt => parsed(first, language, |text| text.parse().ok().map(Value::Int))?,
            Self::ParseLong => parsed(first, language, |text| text.parse().ok().map(Value::Long))?,
            Self::ParseDouble => parsed(first, language, |text| parse_double(text).map(Value::Double))?,
            Self::ParseBoolean => {
                Value::Boolean(first.as_text().is_some_and(|text| text.eq_ignore_ascii_case("true")))
            }
            Self::Max | Self::Min | Self::Abs => self.of_numbers(arguments, language)?,
            Self::Floor => Value::Double(double(first).floor()),
            Self::Ceil => Value::Double(double(first).ceil()),
            // Rhino rounds to a `long`.
            Self::Round if javascript && double(first).is_finite() => {
                Value::Double(rounded(double(first)) as i64 as f64)
            }
            Self::Round if javascript => Value::Double(double(first)),
            Self::Round => Value::Long(rounded(double(first)) as i64),
        })
    }

    fn of_numbers(self, arguments: &[Value], language: Language) -> Result<Value, ScriptFailure> {
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
            (Self::Max, [Value::Long(a), Value::Long(b)]) => Ok(Value::Long(*a.max(b))),
            (Self::Min, [Value::Long(a), Value::Long(b)]) => Ok(Value::Long(*a.min(b))),
            (_, [Value::Double(a), Value::Double(b)]) if a.is_nan() || b.is_nan() => {
                Ok(Value::Double(f64::NAN))
            }
            (Self::Max, [Value::Double(a), Value::Double(b)]) => Ok(Value::Double(a.max(*b))),
            (Self::Min, [Value::Double(a), Value::Double(b)]) => Ok(Value::Double(a.min(*b))),
            _ => Err(unsupported("these numbers need a script engine")),
        }
    }
}

/// The second argument of `parseInt`.
fn radix(value: &Value) -> Result<u32, ScriptFailure> {
    let number = javascript::number(value);
    if number.fract() == 0.0 && (2.0..=36.0).contains(&number) {
        return Ok(number as u32);
    }
    Err(unsupported("`parseInt` with this base needs a script engine"))
}

/// `Math.round`: the whole number next to it, the larger one of two.
fn rounded(number: f64) -> f64 {
    let below = number.floor();
    if number - below >= 0.5 { below + 1.0 } else { below }
}

/// A text that Java reads as a number.
fn parsed(
    value: &Value,
    language: Language,
    read: impl FnOnce(&str) -> Option<Value>,
) -> Result<Value, ScriptFailure> {
    let text = value.to_text(language);
    match value.as_text().and_then(read) {
        Some(number) => Ok(number),
        // Java reads digits of all scripts.
        None if !text.is_ascii() => Err(unsupported(format!("the number `{text}` needs a script engine"))),
        None => Err(exception(format!("For input string: \"{text}\""))),
    }
}

/// A whole number of up to 64 bits as a decimal one.
pub(super) fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Decimal(number) => Some(*number),
        other => other.as_long().map(Decimal::whole),
    }
}
