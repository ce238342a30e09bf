//! Classes of Java and JMeter whose constructors and functions are understood.

use rand::Rng as _;

use super::failure::{ScriptFailure, Unsupported, exception, unsupported};
use super::frame::Frame;
use super::object::Object;
use super::parse::Parser;
use super::token::{Token, TokenKind};
use super::tree::Node;
use super::value::Value;
use super::value_type::ValueType;

/// Classes that are understood, by their packages.
const CLASSES: &[(&str, &[&str])] = &[
    ("java.lang", &["Math", "Integer", "Long", "Double", "Boolean", "String", "System", "Thread", "Object"]),
    ("java.util", &["Random", "UUID"]),
    ("java.io", &["File"]),
    ("java.util.concurrent", &["ThreadLocalRandom"]),
    ("org.apache.commons.lang3", &["RandomStringUtils", "SystemUtils"]),
    ("org.apache.jmeter.services", &["FileServer"]),
];

/// Classes that a script may import without using them.
const OTHERS: &[&str] = &[
    "java.util.Date",
    "java.util.ArrayList",
    "java.util.Arrays",
    "java.io.FileWriter",
    "java.text.SimpleDateFormat",
    "org.apache.jmeter.util.JMeterUtils",
    "java.util.List",
    "java.util.Map",
    "java.util.HashMap",
    "java.util.Calendar",
    "java.util.Collections",
    "java.util.concurrent.TimeUnit",
    "java.text.DateFormat",
    "java.text.ParseException",
    "java.io.BufferedReader",
    "java.io.FileReader",
    "java.io.IOException",
    "java.net.URLDecoder",
    "java.nio.charset.StandardCharsets",
    "java.time.Instant",
    "java.time.ZoneId",
    "java.time.ZonedDateTime",
    "java.time.LocalTime",
    "java.time.Duration",
    "java.time.temporal.ChronoUnit",
    "java.util.regex.Pattern",
    "java.util.regex.Matcher",
    "org.apache.jmeter.samplers.SampleResult",
    "org.apache.jmeter.assertions.AssertionResult",
    "org.apache.jmeter.threads.JMeterContext",
    "org.apache.jmeter.threads.JMeterContextService",
    "org.apache.jmeter.threads.JMeterVariables",
    "org.apache.jmeter.protocol.http.control.CookieManager",
    "org.apache.jmeter.protocol.http.control.Cookie",
    "org.apache.jmeter.protocol.http.control.Header",
    "org.apache.jmeter.protocol.http.control.HeaderManager",
    "org.slf4j.Logger",
    "org.slf4j.LoggerFactory",
];

/// Packages that are in sight without an import.
fn is_default(package: &str) -> bool {
    matches!(package, "java.lang" | "java.util" | "java.io" | "java.net")
}

/// Whether there is such a class.
pub(super) fn is_there(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(package, name)| known(package, name).is_some())
        || OTHERS.contains(&path)
}

/// A class that is understood.
fn known(package: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let (package, names) = CLASSES.iter().find(|(known, _)| *known == package)?;
    names.iter().find(|known| **known == name).map(|name| (*package, *name))
}

/// A constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constructor {
    Random,
    Text,
}

/// A function of a class that needs the user, or makes objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Uuid,
    NanoTime,
    LineSeparator,
    RandomNumber,
    UserRandom,
    Alphanumeric,
    Alphabetic,
    Numeric,
}

/// Functions: class, name, arguments, what they are.
const FUNCTIONS: &[(&str, &str, &[ValueType], Function)] = &[
    ("java.util.UUID", "randomUUID", &[], Function::Uuid),
    ("java.lang.System", "nanoTime", &[], Function::NanoTime),
    ("java.lang.System", "lineSeparator", &[], Function::LineSeparator),
    ("java.lang.Math", "random", &[], Function::RandomNumber),
    ("java.util.concurrent.ThreadLocalRandom", "current", &[], Function::UserRandom),
    (
        "org.apache.commons.lang3.RandomStringUtils",
        "randomAlphanumeric",
        &[ValueType::Int],
        Function::Alphanumeric,
    ),
    (
        "org.apache.commons.lang3.RandomStringUtils",
        "randomAlphabetic",
        &[ValueType::Int],
        Function::Alphabetic,
    ),
    ("org.apache.commons.lang3.RandomStringUtils", "randomNumeric", &[ValueType::Int], Function::Numeric),
];

impl Parser<'_> {
    /// The class of a name in sight: imported, or of a package that is imported or there by itself.
    pub(super) fn class_named(&self, name: &str) -> Option<(&'static str, &'static str)> {
        let by_import = self.imports.iter().rev().filter_map(|path| path.rsplit_once('.'));
        let named = by_import.filter(|(_, last)| *last == name).map(|(package, _)| package).next();
        if let Some(package) = named {
            return known(package, name);
        }
        let packages = self.packages.iter().map(String::as_str);
        let mut packages =
            packages.chain(CLASSES.iter().map(|(package, _)| *package).filter(|p| is_default(p)));
        packages.find_map(|package| known(package, name))
    }

    /// Whether a class of a package is imported.
    pub(super) fn is_imported(&self, package: &str, name: &str) -> bool {
        self.packages.iter().any(|known| known == package)
            || self.imports.iter().any(|path| path.strip_prefix(package) == Some(&format!(".{name}")))
    }

    /// A class with its whole name, whose first word is taken; nothing is taken beyond if it is not known.
    pub(super) fn class_path(&mut self, first: &str) -> Result<(&'static str, &'static str), ScriptFailure> {
        let mut path = first.to_owned();
        while path.len() < 60 && self.take(&["."]).is_some() {
            let name = self.name()?;
            if let Some(class) = known(&path, &name) {
                return Ok(class);
            }
            path = format!("{path}.{name}");
        }
        Err(Unsupported::word(path).into())
    }

    /// `new Class(arguments)`, whose `new` is taken.
    pub(super) fn new_object(&mut self) -> Result<Node, ScriptFailure> {
        let name = self.name()?;
        let class = match self.class_named(&name) {
            Some(class) => class,
            None if self.is_next(".") => self.class_path(&name)?,
            None => return Err(Unsupported::word(format!("new {name}")).into()),
        };
        self.expect("(")?;
        let arguments = self.arguments()?;
        let kinds: Vec<ValueType> = arguments.iter().map(|argument| self.kind(argument)).collect();
        let made = match (class.1, &kinds[..]) {
            ("Random", []) => Constructor::Random,
            ("String", [ValueType::Text]) => Constructor::Text,
            _ => return Err(unsupported(format!("`new {name}` with these arguments needs a script engine"))),
        };
        Ok(Node::New(made, arguments))
    }

    /// A function of a class; none if the class has no such function here. Its name and `(` are taken only then.
    pub(super) fn class_function(
        &mut self,
        class: (&'static str, &'static str),
    ) -> Result<Option<Node>, ScriptFailure> {
        let [
            Token { kind: TokenKind::Punctuator("."), .. },
            Token { kind: TokenKind::Identifier(name), .. },
            Token { kind: TokenKind::Punctuator("("), .. },
            rest @ ..,
        ] = self.tokens
        else {
            return Ok(None);
        };
        let path = format!("{}.{}", class.0, class.1);
        let of_name = |entry: &&(&str, &str, &[ValueType], Function)| entry.0 == path && entry.1 == name;
        let Some((.., wanted, function)) = FUNCTIONS.iter().find(of_name) else { return Ok(None) };
        self.tokens = rest;
        self.longer()?;
        let arguments = self.arguments()?;
        let kinds: Vec<ValueType> = arguments.iter().map(|argument| self.kind(argument)).collect();
        if kinds != *wanted {
            return Err(unsupported(format!("`{name}` with these arguments needs a script engine")));
        }
        Ok(Some(Node::Function(*function, arguments)))
    }
}

impl Constructor {
    /// The kind of what is made.
    pub(super) fn kind(self) -> ValueType {
        match self {
            Self::Random => ValueType::Random,
            Self::Text => ValueType::Text,
        }
    }

    /// Makes an object.
    pub(super) fn make(self, arguments: &[Value]) -> Result<Value, ScriptFailure> {
        match (self, arguments) {
            (Self::Random, _) => Ok(Value::object(Object::Random)),
            (Self::Text, [Value::Text(text)]) => Ok(Value::host(text.text.clone())),
            _ => Err(exception("java.lang.NullPointerException")),
        }
    }
}

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";

impl Function {
    /// The kind of what it gives.
    pub(super) fn kind(self) -> ValueType {
        match self {
            Self::Uuid => ValueType::Uuid,
            Self::NanoTime => ValueType::Long,
            Self::RandomNumber => ValueType::Double,
            Self::UserRandom => ValueType::Random,
            Self::LineSeparator | Self::Alphanumeric | Self::Alphabetic | Self::Numeric => ValueType::Text,
        }
    }

    /// Calls it.
    pub(super) fn call(self, arguments: &[Value], frame: &mut Frame<'_>) -> Result<Value, ScriptFailure> {
        Ok(match self {
            Self::Uuid => {
                let id = uuid::Builder::from_random_bytes(frame.cx()?.random.random()).into_uuid();
                Value::object(Object::Uuid(id.hyphenated().to_string().into()))
            }
            Self::NanoTime => Value::Long(frame.cx()?.host.now_ns()),
            Self::LineSeparator => Value::host("\n"),
            Self::RandomNumber => Value::Double(frame.cx()?.random.random()),
            Self::UserRandom => Value::object(Object::Random),
            Self::Alphanumeric => drawn(&format!("{LETTERS}{DIGITS}"), &arguments[0], frame)?,
            Self::Alphabetic => drawn(LETTERS, &arguments[0], frame)?,
            Self::Numeric => drawn(DIGITS, &arguments[0], frame)?,
        })
    }
}

/// So many characters of a set.
fn drawn(set: &str, count: &Value, frame: &mut Frame<'_>) -> Result<Value, ScriptFailure> {
    let count = count.as_long().and_then(|count| usize::try_from(count).ok());
    let count = count.ok_or_else(|| exception("a random text of less than nothing"))?;
    if count > 10_000_000 {
        return Err(unsupported("a random string of this length needs a script engine"));
    }
    let (random, set) = (&mut frame.cx()?.random, set.as_bytes());
    let text: String = (0..count).map(|_| char::from(set[random.random_range(0..set.len())])).collect();
    Ok(Value::host(text))
}
