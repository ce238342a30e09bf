//! Classes of Java, Groovy and JMeter whose constructors and functions are understood.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::Rng as _;

use super::act::Act;
use super::dates;
use super::files;
use super::frame::Frame;
use super::members::{bytes_of, int_of};
use super::object::Object;
use super::parse::Parser;
use super::texts;
use super::tree::Node;
use super::value::Value;
use crate::functions::hex_digest;

/// Classes that are understood, by their packages.
const CLASSES: &[(&str, &[&str])] = &[
    (
        "java.lang",
        &[
            "Math",
            "Integer",
            "Long",
            "Double",
            "Boolean",
            "String",
            "System",
            "Thread",
            "Object",
            "StringBuilder",
            "StringBuffer",
        ],
    ),
    ("java.util", &["Random", "UUID", "Date", "ArrayList", "Base64", "Arrays", "LinkedHashMap", "TimeZone"]),
    ("java.io", &["File", "FileWriter", "BufferedWriter", "PrintWriter"]),
    ("java.net", &["URLEncoder"]),
    ("java.text", &["SimpleDateFormat"]),
    ("java.time", &["LocalDate", "LocalDateTime"]),
    ("java.time.format", &["DateTimeFormatter"]),
    ("java.util.concurrent", &["ThreadLocalRandom"]),
    ("groovy.json", &["JsonSlurper", "JsonOutput", "JsonBuilder"]),
    ("org.apache.commons.lang3", &["RandomStringUtils", "RandomUtils", "SystemUtils"]),
    ("org.apache.commons.codec.digest", &["DigestUtils"]),
    ("org.apache.commons.codec.binary", &["Base64"]),
    ("org.apache.jmeter.util", &["JMeterUtils"]),
    ("org.apache.jmeter.services", &["FileServer"]),
];

/// Classes that a script may import without using them.
const OTHERS: &[&str] = &[
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
pub(super) enum Made {
    Random,
    Date,
    Format,
    Builder,
    List,
    Map,
    Text,
    Slurper,
    Json,
    File,
    FileWriter,
    Writer,
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
    RandomBetween,
    Digest(&'static str),
    EncodeToText,
    EncodeToBytes,
    Encoder,
    Decoder,
    EncodeUrl,
    ToJson,
    GetProperty,
    PropertyOr,
    Format,
    Today,
    Now,
    Pattern,
    AsList,
    Zone,
    Floor,
    Ceil,
    Round,
    Sqrt,
    Pow,
}

/// Functions: class, name, numbers of arguments.
const FUNCTIONS: &[(&str, &str, &[usize], Function)] = &[
    ("java.util.UUID", "randomUUID", &[0], Function::Uuid),
    ("java.util.TimeZone", "getTimeZone", &[1], Function::Zone),
    ("java.lang.System", "nanoTime", &[0], Function::NanoTime),
    ("java.lang.System", "lineSeparator", &[0], Function::LineSeparator),
    ("java.lang.Math", "random", &[0], Function::RandomNumber),
    ("java.lang.Math", "floor", &[1], Function::Floor),
    ("java.lang.Math", "ceil", &[1], Function::Ceil),
    ("java.lang.Math", "round", &[1], Function::Round),
    ("java.lang.Math", "sqrt", &[1], Function::Sqrt),
    ("java.lang.Math", "pow", &[2], Function::Pow),
    ("java.util.concurrent.ThreadLocalRandom", "current", &[0], Function::UserRandom),
    ("org.apache.commons.lang3.RandomStringUtils", "randomAlphanumeric", &[1], Function::Alphanumeric),
    ("org.apache.commons.lang3.RandomStringUtils", "randomAlphabetic", &[1], Function::Alphabetic),
    ("org.apache.commons.lang3.RandomStringUtils", "randomNumeric", &[1], Function::Numeric),
    ("org.apache.commons.lang3.RandomUtils", "nextInt", &[2], Function::RandomBetween),
    ("org.apache.commons.codec.digest.DigestUtils", "md5Hex", &[1], Function::Digest("MD5")),
    ("org.apache.commons.codec.digest.DigestUtils", "sha1Hex", &[1], Function::Digest("SHA-1")),
    ("org.apache.commons.codec.digest.DigestUtils", "sha256Hex", &[1], Function::Digest("SHA-256")),
    ("org.apache.commons.codec.digest.DigestUtils", "sha384Hex", &[1], Function::Digest("SHA-384")),
    ("org.apache.commons.codec.digest.DigestUtils", "sha512Hex", &[1], Function::Digest("SHA-512")),
    ("org.apache.commons.codec.binary.Base64", "encodeBase64String", &[1], Function::EncodeToText),
    ("org.apache.commons.codec.binary.Base64", "encodeBase64", &[1], Function::EncodeToBytes),
    ("java.util.Base64", "getEncoder", &[0], Function::Encoder),
    ("java.util.Base64", "getDecoder", &[0], Function::Decoder),
    ("java.net.URLEncoder", "encode", &[2], Function::EncodeUrl),
    ("groovy.json.JsonOutput", "toJson", &[1], Function::ToJson),
    ("org.apache.jmeter.util.JMeterUtils", "getProperty", &[1], Function::GetProperty),
    ("org.apache.jmeter.util.JMeterUtils", "getPropDefault", &[2], Function::PropertyOr),
    ("java.lang.String", "format", &[1, 2, 3, 4, 5, 6], Function::Format),
    ("java.time.LocalDate", "now", &[0], Function::Today),
    ("java.time.LocalDateTime", "now", &[0], Function::Now),
    ("java.time.format.DateTimeFormatter", "ofPattern", &[1], Function::Pattern),
    ("java.util.Arrays", "asList", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], Function::AsList),
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

    /// A class with its whole name, whose first word is taken; nothing is taken beyond if it is not known.
    pub(super) fn class_path(&mut self, first: &str) -> Result<(&'static str, &'static str), String> {
        let mut path = first.to_owned();
        while path.len() < 60 && self.take(&["."]).is_some() {
            let name = self.name()?;
            if let Some(class) = known(&path, &name) {
                return Ok(class);
            }
            path = format!("{path}.{name}");
        }
        Err(format!("`{path}` needs a script engine"))
    }

    /// `new Class(arguments)`, whose `new` is taken.
    pub(super) fn new_object(&mut self) -> Result<Node, String> {
        let name = self.name()?;
        let class = match self.class_named(&name) {
            Some(class) => class,
            None if self.is_next(".") => self.class_path(&name)?,
            None => return Err(format!("`new {name}` needs a script engine")),
        };
        self.type_arguments();
        self.expect("(")?;
        let arguments = self.arguments()?;
        let made = match (class.1, arguments.len()) {
            ("Random", 0) => Made::Random,
            ("Date", 0 | 1) => Made::Date,
            ("SimpleDateFormat", 1) => Made::Format,
            ("StringBuilder" | "StringBuffer", 0 | 1) => Made::Builder,
            ("ArrayList", 0 | 1) => Made::List,
            ("LinkedHashMap", 0) => Made::Map,
            ("String", 1) => Made::Text,
            ("JsonSlurper", 0) => Made::Slurper,
            ("JsonBuilder", 1) => Made::Json,
            ("File", 1) => Made::File,
            ("FileWriter", 1 | 2) => Made::FileWriter,
            ("BufferedWriter" | "PrintWriter", 1) => Made::Writer,
            (name, count) => {
                return Err(format!("`new {name}` with {count} arguments needs a script engine"));
            }
        };
        if made == Made::Format
            && let [Node::Constant(Value::Text(pattern))] = &arguments[..]
        {
            dates::simple_pattern(&pattern.text)?;
        }
        Ok(Node::New(made, arguments))
    }

    /// `<A, B>` after the name of a class; it says nothing to a script.
    fn type_arguments(&mut self) {
        if !self.is_next("<") {
            return;
        }
        let close = |token: &super::token::Token| token.kind == super::token::Kind::Mark(">");
        if let Some(at) = self.tokens.iter().take(8).rposition(close) {
            self.tokens = &self.tokens[at + 1..];
        }
    }

    /// A function of a class; none if the class has no such function here. Its name and `(` are taken only then.
    pub(super) fn class_function(
        &mut self,
        class: (&'static str, &'static str),
    ) -> Result<Option<Node>, String> {
        use super::token::{Kind, Token};
        let [
            Token { kind: Kind::Mark("."), .. },
            Token { kind: Kind::Word(name), .. },
            Token { kind: Kind::Mark("("), .. },
            rest @ ..,
        ] = self.tokens
        else {
            return Ok(None);
        };
        let path = format!("{}.{}", class.0, class.1);
        let of_name =
            |(known, function, ..): &&(&str, &str, &[usize], Function)| *known == path && function == name;
        if path == "org.apache.jmeter.util.JMeterUtils" && name == "setProperty" {
            self.tokens = rest;
            let arguments = self.arguments()?;
            let two = arguments.len() == 2;
            return if two {
                Ok(Some(Node::Act(Act::SetProperty, arguments)))
            } else {
                Err("`setProperty` takes two arguments".to_owned())
            };
        }
        if !FUNCTIONS.iter().any(|entry| of_name(&entry)) {
            return Ok(None);
        }
        self.tokens = rest;
        self.longer()?;
        let arguments = self.arguments()?;
        let found =
            FUNCTIONS.iter().filter(of_name).find(|(_, _, counts, _)| counts.contains(&arguments.len()));
        match found {
            Some((.., function)) => Ok(Some(Node::Function(*function, arguments))),
            None => Err(format!("`{name}` with {} arguments needs a script engine", arguments.len())),
        }
    }
}

impl Made {
    /// Makes an object. The error is the exception.
    pub(super) fn make(self, arguments: &[Value], frame: &mut Frame<'_>) -> Result<Value, String> {
        let language = frame.language;
        Ok(match (self, arguments) {
            (Self::Random, _) => Value::object(Object::Random),
            (Self::Date, []) => {
                Value::object(Object::Date(Cell::new(frame.cx()?.host.now_ns().div_euclid(1_000_000))))
            }
            (Self::Date, [time]) => {
                let time = time.as_long().ok_or("`new Date` of no number needs a script engine")?;
                Value::object(Object::Date(Cell::new(time)))
            }
            (Self::Format, [pattern]) => {
                let pattern = pattern.as_text().ok_or("a pattern is a text")?;
                dates::simple_pattern(pattern)?;
                Value::object(Object::Format(pattern.into(), Cell::new(false)))
            }
            (Self::Builder, [Value::Text(text)]) => {
                Value::object(Object::Builder(RefCell::new(text.text.to_string())))
            }
            // A capacity.
            (Self::Builder, [Value::Int(_)] | []) => Value::object(Object::Builder(RefCell::default())),
            (Self::List, [Value::Int(_)] | []) => Value::list(Vec::new()),
            (Self::List, [Value::Object(object)]) => match &**object {
                Object::List(values, _) => Value::list(values.borrow().clone()),
                _ => return Err("a list of this needs a script engine".to_owned()),
            },
            (Self::Map, _) => Value::object(Object::Map(RefCell::default())),
            (Self::Slurper, _) => Value::object(Object::Slurper),
            (Self::Json, [value]) => {
                let mut text = String::new();
                super::json::write(value, &mut text)?;
                Value::object(Object::Shown(text.into()))
            }
            (Self::File, [path]) => {
                Value::object(Object::File(path.as_text().ok_or("java.lang.NullPointerException")?.into()))
            }
            (Self::FileWriter, [path, rest @ ..]) => files::writer(path, rest, frame)?,
            (Self::Writer, [writer]) if files::is_writer(writer) => writer.clone(),
            (Self::Text, [value]) => match value {
                Value::Text(text) => Value::java(text.text.clone()),
                Value::Object(object) => match &**object {
                    Object::Bytes(bytes) => Value::java(String::from_utf8_lossy(bytes)),
                    Object::Builder(text) => Value::java(text.borrow().as_str()),
                    _ => return Err("a text of this needs a script engine".to_owned()),
                },
                other => return Err(format!("no text can be made of `{}`", other.to_text(language))),
            },
            _ => return Err("these arguments need a script engine".to_owned()),
        })
    }
}

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";

impl Function {
    /// Calls it. The error is the exception.
    pub(super) fn call(self, arguments: &[Value], frame: &mut Frame<'_>) -> Result<Value, String> {
        let language = frame.language;
        let first_text = || arguments[0].as_text().ok_or("java.lang.NullPointerException");
        Ok(match self {
            Self::Uuid => {
                let id = uuid::Builder::from_random_bytes(frame.cx()?.random.random()).into_uuid();
                Value::object(Object::Shown(id.hyphenated().to_string().into()))
            }
            Self::NanoTime => Value::Long(frame.cx()?.host.now_ns()),
            Self::LineSeparator => Value::java("\n"),
            Self::RandomNumber => Value::Double(frame.cx()?.random.random()),
            Self::UserRandom => Value::object(Object::Random),
            Self::Alphanumeric => drawn(&format!("{LETTERS}{DIGITS}"), &arguments[0], frame)?,
            Self::Alphabetic => drawn(LETTERS, &arguments[0], frame)?,
            Self::Numeric => drawn(DIGITS, &arguments[0], frame)?,
            Self::RandomBetween => {
                let (from, to) = (int_of(&arguments[0])?, int_of(&arguments[1])?);
                if from < 0 || to < from {
                    return Err("Start value must be smaller or equal to end value.".to_owned());
                }
                Value::Int(if from == to { from } else { frame.cx()?.random.random_range(from..to) })
            }
            Self::Digest(algorithm) => {
                let bytes = bytes_of(&arguments[0], language)?;
                Value::java(hex_digest(algorithm, &[&bytes]).ok_or("there is no such digest")?)
            }
            Self::EncodeToText => Value::java(STANDARD.encode(bytes_of_object(&arguments[0])?)),
            Self::EncodeToBytes => {
                let text = STANDARD.encode(bytes_of_object(&arguments[0])?);
                Value::object(Object::Bytes(text.into_bytes().into()))
            }
            Self::Encoder => Value::object(Object::Encoder),
            Self::Decoder => Value::object(Object::Decoder),
            Self::EncodeUrl => {
                let charset = arguments[1].as_text().unwrap_or_default();
                if !charset.eq_ignore_ascii_case("utf-8") {
                    return Err("this charset needs a script engine".to_owned());
                }
                let text = arguments[0].as_text().ok_or("java.lang.NullPointerException")?;
                Value::java(texts::form_encoded(text))
            }
            Self::ToJson => {
                let mut text = String::new();
                super::json::write(&arguments[0], &mut text)?;
                Value::java(text)
            }
            Self::GetProperty => Value::optional(frame.cx()?.props.get(first_text()?)),
            Self::PropertyOr => {
                let name = arguments[0].as_text().ok_or("java.lang.NullPointerException")?;
                let Value::Text(default) = &arguments[1] else {
                    return Err("a default that is no text needs a script engine".to_owned());
                };
                // `Properties.getProperty(name, default)`, trimmed.
                let found = frame.cx()?.props.get(name);
                Value::java(found.as_deref().unwrap_or(&default.text).trim())
            }
            Self::Format => Value::java(texts::formatted(arguments, language)?),
            Self::Today => dates::local_now(frame, false)?,
            Self::Now => dates::local_now(frame, true)?,
            Self::Pattern => {
                let pattern = arguments[0].as_text().ok_or("a pattern is a text")?;
                Value::object(Object::Format(pattern.into(), Cell::new(false)))
            }
            Self::AsList => Value::list(arguments.to_vec()),
            Self::Zone => match first_text()? {
                zone @ ("UTC" | "GMT") => Value::object(Object::Shown(zone.into())),
                _ => return Err("this time zone needs a script engine".to_owned()),
            },
            Self::Floor | Self::Ceil | Self::Round | Self::Sqrt | Self::Pow => self.of_numbers(arguments)?,
        })
    }

    /// Functions of `Math`.
    fn of_numbers(self, arguments: &[Value]) -> Result<Value, String> {
        let double = |at: usize| arguments[at].as_double().ok_or_else(|| "a number is wanted".to_owned());
        Ok(match self {
            Self::Round => Value::Long((double(0)? + 0.5).floor() as i64),
            Self::Ceil => Value::Double(double(0)?.ceil()),
            Self::Sqrt => Value::Double(double(0)?.sqrt()),
            Self::Pow => Value::Double(double(0)?.powf(double(1)?)),
            _ => Value::Double(double(0)?.floor()),
        })
    }
}

fn bytes_of_object(value: &Value) -> Result<Rc<[u8]>, String> {
    match value {
        Value::Object(object) => match &**object {
            Object::Bytes(bytes) => Ok(bytes.clone()),
            _ => Err("bytes are wanted".to_owned()),
        },
        _ => Err("bytes are wanted".to_owned()),
    }
}

/// So many characters of a set.
fn drawn(set: &str, count: &Value, frame: &mut Frame<'_>) -> Result<Value, String> {
    let count =
        usize::try_from(int_of(count)?).map_err(|_| "a random text of less than nothing".to_owned())?;
    if count > 10_000_000 {
        return Err("a random text of so many characters needs a script engine".to_owned());
    }
    let (random, set) = (&mut frame.cx()?.random, set.as_bytes());
    let text: String = (0..count).map(|_| char::from(set[random.random_range(0..set.len())])).collect();
    Ok(Value::java(text))
}
