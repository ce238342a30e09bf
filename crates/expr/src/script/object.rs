//! Values that are neither texts nor numbers.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::Language;
use super::stage::Which;
use super::tree::{Closure, Operator};
use super::value::Value;

/// An object of Java.
#[derive(Debug)]
pub(super) enum Object {
    /// A list, or an array.
    List(RefCell<Vec<Value>>, bool),
    /// A map whose entries keep their order.
    Map(RefCell<Vec<(Value, Value)>>),
    /// `StringBuilder`, `StringBuffer`.
    Builder(RefCell<String>),
    Bytes(Rc<[u8]>),
    Random,
    /// A moment (`Date`): milliseconds since the epoch.
    Date(Cell<i64>),
    /// `SimpleDateFormat`, `DateTimeFormatter`: the pattern, and whether times are shown in UTC.
    Format(Rc<str>, Cell<bool>),
    /// `LocalDate`, `LocalDateTime`; whether it has a time.
    Local(jiff::civil::DateTime, bool),
    /// Something of which only its text is known (`UUID`).
    Shown(Rc<str>),
    /// `File`: its path.
    File(Rc<str>),
    /// A writer to a file: its path, and what is not there yet.
    Writer(Rc<str>, RefCell<String>),
    /// `JsonSlurper`.
    Slurper,
    /// `Base64.getEncoder()`.
    Encoder,
    /// `Base64.getDecoder()`.
    Decoder,
    /// A sample, or the result of an assertion.
    Stage(Which),
    /// A closure, with the variables of the script around it.
    Closure(Rc<Closure>),
}

/// An object is equal to itself only; what Groovy makes of `==` is [`equal`].
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Object {
    /// Java's or Groovy's text of it.
    pub(super) fn to_text(&self, language: Language) -> String {
        match self {
            Self::List(values, _) => {
                let texts: Vec<_> = values.borrow().iter().map(|value| value.to_text(language)).collect();
                format!("[{}]", texts.join(", "))
            }
            Self::Map(entries) => map_text(&entries.borrow(), language),
            Self::Builder(text) => text.borrow().clone(),
            Self::Shown(text) | Self::File(text) => text.to_string(),
            Self::Local(local, false) => local.date().to_string(),
            _ => format!("{self:?}"),
        }
    }

    /// Whether Groovy takes it for true.
    pub(super) fn is_truth(&self) -> bool {
        match self {
            Self::List(values, _) => !values.borrow().is_empty(),
            Self::Map(entries) => !entries.borrow().is_empty(),
            Self::Builder(text) => !text.borrow().is_empty(),
            Self::Bytes(bytes) => !bytes.is_empty(),
            _ => true,
        }
    }

    /// Whether [`Object::to_text`] is what Java shows.
    pub(super) fn is_shown(&self, language: Language) -> bool {
        match self {
            Self::List(values, is_array) => {
                let shown = |value: &Value| is_shown(value, language);
                (!is_array || language == Language::Groovy) && values.borrow().iter().all(shown)
            }
            Self::Map(entries) => entries
                .borrow()
                .iter()
                .all(|(key, value)| is_shown(key, language) && is_shown(value, language)),
            Self::Builder(_) | Self::Shown(_) | Self::File(_) | Self::Local(_, false) => true,
            _ => false,
        }
    }
}

/// Whether the text of a value is what Java shows.
pub(super) fn is_shown(value: &Value, language: Language) -> bool {
    match value {
        Value::Object(object) => object.is_shown(language),
        _ => true,
    }
}

fn map_text(entries: &[(Value, Value)], language: Language) -> String {
    let groovy = language == Language::Groovy;
    if groovy && entries.is_empty() {
        return "[:]".to_owned();
    }
    let (open, sign, close) = if groovy { ("[", ":", "]") } else { ("{", "=", "}") };
    let show =
        |(key, value): &(Value, Value)| format!("{}{sign}{}", key.to_text(language), value.to_text(language));
    format!("{open}{}{close}", entries.iter().map(show).collect::<Vec<_>>().join(", "))
}

/// `==` of Groovy.
pub(super) fn equal(left: &Object, right: &Object) -> Result<bool, String> {
    if std::ptr::eq(left, right) {
        return Ok(true);
    }
    match (left, right) {
        (Object::List(a, _), Object::List(b, _)) => {
            let (a, b) = (a.borrow(), b.borrow());
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !super::groovy::equal(a, b)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Object::Shown(a), Object::Shown(b)) => Ok(a == b),
        (Object::Date(a), Object::Date(b)) => Ok(a == b),
        _ => Err("these objects need a script engine to be compared".to_owned()),
    }
}

/// `+` and `-` of a list, `+` of anything and a text.
pub(super) fn computed(operator: Operator, left: &Object, right: &Value) -> Result<Value, String> {
    let unknown = || Err("no such operation on this object".to_owned());
    match (left, operator, right) {
        (Object::List(values, _), Operator::Add, right) => {
            let mut all = values.borrow().clone();
            match right {
                Value::Object(object) => match &**object {
                    Object::List(more, _) => all.extend(more.borrow().iter().cloned()),
                    _ => all.push(right.clone()),
                },
                _ => all.push(right.clone()),
            }
            Ok(Value::list(all))
        }
        (Object::Shown(text), Operator::Add, Value::Text(right)) => {
            Ok(Value::java(format!("{text}{}", right.text)))
        }
        (Object::Builder(text), Operator::Add, Value::Text(right)) => {
            Ok(Value::java(format!("{}{}", text.borrow(), right.text)))
        }
        _ => unknown(),
    }
}
