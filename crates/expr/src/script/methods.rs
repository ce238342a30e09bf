//! Methods of texts and numbers.

use super::Language;
use super::failure::{ScriptFailure, Unsupported, exception, unsupported};
use super::tree::Node;
use super::value::{Origin, Text, Value};
use super::value_type::ValueType;
use super::{groovy, jexl, patterns};

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
    fn has(self, of: ValueType, language: Language) -> bool {
        let javascript = language == Language::JavaScript;
        match self {
            Self::Java(languages) => {
                let text = if javascript { ValueType::JavaText } else { ValueType::Text };
                of == text && languages.contains(&language)
            }
            Self::Number(languages) => {
                // BeanShell has no methods of its own wrappers but those of whole numbers.
                let number = match language {
                    Language::BeanShell => of == ValueType::Int,
                    Language::Jexl2 => of.is_number(),
                    _ => of.is_number() || of == ValueType::Boolean,
                };
                number && languages.contains(&language)
            }
            Self::Script => of == ValueType::Text && javascript,
        }
    }
}

impl Given {
    fn takes(self, kind: ValueType, language: Language) -> bool {
        match self {
            Self::Text => kind == ValueType::Text || kind == ValueType::JavaText,
            Self::Any if language == Language::JavaScript => {
                kind == ValueType::Text || kind == ValueType::JavaText
            }
            Self::Any => {
                matches!(kind, ValueType::Text | ValueType::Null | ValueType::Boolean | ValueType::Plain)
                    || kind.is_number()
            }
            Self::Whole => {
                kind == ValueType::Int || kind == ValueType::Double && language == Language::JavaScript
            }
        }
    }
}

/// The method of that name for arguments of these kinds; none where it is not known for certain.
pub(super) fn method(
    name: &str,
    of: ValueType,
    arguments: &[ValueType],
    language: Language,
) -> Option<Method> {
    let takes = |given: &[Given]| {
        given.len() == arguments.len()
            && given.iter().zip(arguments).all(|(given, kind)| given.takes(*kind, language))
    };
    let found = METHODS
        .iter()
        .find(|(known, given, whose, ..)| *known == name && whose.has(of, language) && takes(given));
    found.filter(|row| !(of == ValueType::Boolean && row.3 != Name::ToText)).map(|row| Method(row.3, row.4))
}

impl Method {
    /// `text.length` of JavaScript.
    pub(super) const LENGTH: Self = Self(Name::LengthProperty, Gives::Whole);

    /// The kind of what it gives for a value of a kind.
    pub(super) fn result(self, of: ValueType, language: Language) -> ValueType {
        match self.1 {
            Gives::Boolean => ValueType::Boolean,
            Gives::Whole if language == Language::JavaScript => ValueType::Double,
            Gives::Whole => ValueType::Int,
            Gives::Text if of == ValueType::JavaText => ValueType::JavaText,
            Gives::Text => ValueType::Text,
            Gives::Long => ValueType::Long,
            Gives::Double => ValueType::Double,
        }
    }

    /// Whether its pattern, if it takes one, is understood.
    pub(super) fn check(self, arguments: &[Node]) -> Result<(), ScriptFailure> {
        match (self.0, arguments) {
            (Name::Matches, [Node::Constant(Value::Text(pattern))])
                if patterns::is_understood(&pattern.text) =>
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
            (Name::ToText, Value::Null, Language::Groovy) => Ok(Value::literal("null")),
            (Name::ToText, value, _) if *value != Value::Null && *value != Value::Undefined => {
                Ok(Value::literal(value.to_text(language)))
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
                origin: if language == Language::JavaScript { of.origin } else { Origin::Host },
            })
        };
        let first = || text_argument(of, &arguments[0], language);
        let number = |n: usize| Value::whole(n as i32, language);
        let javascript = language == Language::JavaScript;
        Ok(match self.0 {
            Name::LengthProperty | Name::Length => number(utf16(text)),
            Name::Equals if javascript && of.is_literal() => {
                Value::Boolean(text == arguments[0].to_text(language))
            }
            Name::Equals => Value::Boolean(arguments[0].as_text() == Some(text)),
            Name::EqualsIgnoreCase => {
                let other = arguments[0].as_text();
                Value::Boolean(other.is_some_and(|other| other.to_lowercase() == text.to_lowercase()))
            }
            Name::Contains => Value::Boolean(text.contains(&*first()?)),
            Name::StartsWith => Value::Boolean(text.starts_with(&*first()?)),
            Name::EndsWith => Value::Boolean(text.ends_with(&*first()?)),
            Name::IsEmpty => Value::Boolean(text.is_empty()),
            Name::Trim if javascript && of.is_literal() => made(text.trim().to_owned()),
            Name::Trim => made(text.trim_matches(|c| c <= ' ').to_owned()),
            Name::ToLowerCase => made(text.to_lowercase()),
            Name::ToUpperCase => made(text.to_uppercase()),
            Name::IndexOf => place(text, text.find(&*first()?), language),
            Name::LastIndexOf => place(text, text.rfind(&*first()?), language),
            Name::Substring => made(substring(text, arguments, javascript && of.is_literal())?),
            Name::Concat => made(format!("{text}{}", first()?)),
            Name::Replace => made(text.replace(&*first()?, &text_argument(of, &arguments[1], language)?)),
            Name::ToText => Value::Text(of.clone()),
            Name::Matches => Value::Boolean(patterns::is_match(text, &first()?)?),
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
        other if language == Language::JavaScript && of.is_literal() => Ok(other.to_text(language).into()),
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
