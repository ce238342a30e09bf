//! From a message to JSON, as `com.google.protobuf.util.JsonFormat.Printer` prints it with
//! `includingDefaultValueFields`. Entries of maps are in the order of their keys, which Java leaves
//! as they came.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost_reflect::prost_types::{Duration, Timestamp};
use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MapKey, ReflectMessage as _, Value as Field,
};
use swell_java::format::double_to_string;

use super::well_known::{is_special, is_wrapper, short_name, type_of_url};

/// Messages in messages, those in an `Any` included.
const DEPTH_MAX: usize = 100;

/// What fields are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// As in the `.proto` file.
    Proto,
    /// In lower camel case.
    Json,
}

/// The JSON of a message.
///
/// # Errors
/// It is nested too deeply, or has an `Any` of an unknown or broken message.
pub(crate) fn print(message: &DynamicMessage, names: Names) -> Result<String, String> {
    let mut printer = Printer { out: String::new(), names, indent: 0, depth: 0 };
    printer.message(message)?;
    Ok(printer.out)
}

type Printed = Result<(), String>;

struct Printer {
    out: String,
    names: Names,
    indent: usize,
    depth: usize,
}

impl Printer {
    fn new_line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    /// An object whose members `content` prints, each after [`Printer::member`].
    fn object(&mut self, content: impl FnOnce(&mut Self) -> Printed) -> Printed {
        self.out.push('{');
        self.indent += 1;
        content(self)?;
        self.indent -= 1;
        self.new_line();
        self.out.push('}');
        Ok(())
    }

    fn member(&mut self, is_first: &mut bool, name: &str) {
        if !std::mem::take(is_first) {
            self.out.push(',');
        }
        self.new_line();
        self.text(name);
        self.out.push_str(": ");
    }

    fn message(&mut self, message: &DynamicMessage) -> Printed {
        if self.depth == DEPTH_MAX {
            return Err(format!("more than {DEPTH_MAX} messages in each other"));
        }
        self.depth += 1;
        if is_special(&message.descriptor()) {
            self.special(message)?;
        } else {
            self.object(|printer| printer.fields(message, &mut true))?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn fields(&mut self, message: &DynamicMessage, is_first: &mut bool) -> Printed {
        let descriptor = message.descriptor();
        let mut fields: Vec<FieldDescriptor> =
            descriptor.fields().filter(|field| is_shown(message, field)).collect();
        fields.sort_by_key(FieldDescriptor::number);
        for field in fields {
            let name = if self.names == Names::Proto { field.name() } else { field.json_name() };
            self.member(is_first, name);
            let value = message.get_field(&field);
            match &*value {
                Field::Map(_) => self.map(&field, &value)?,
                Field::List(items) => self.list(&field.kind(), items)?,
                single => self.value(&field.kind(), single)?,
            }
        }
        Ok(())
    }

    fn list(&mut self, kind: &Kind, items: &[Field]) -> Printed {
        self.out.push('[');
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                self.out.push_str(", ");
            }
            self.value(kind, item)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn map(&mut self, field: &FieldDescriptor, value: &Field) -> Printed {
        let kind = field.kind();
        let (Some(entries), Some(entry)) = (value.as_map(), kind.as_message()) else { return Ok(()) };
        let value_kind = entry.map_entry_value_field().kind();
        let mut sorted: Vec<(&MapKey, &Field)> = entries.iter().collect();
        sorted.sort_by(|(one, _), (other, _)| compare(one, other));
        self.object(|printer| {
            let mut is_first = true;
            for (key, value) in sorted {
                printer.member(&mut is_first, &key_text(key));
                printer.value(&value_kind, value)?;
            }
            Ok(())
        })
    }

    fn value(&mut self, kind: &Kind, value: &Field) -> Printed {
        match value {
            Field::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Field::I32(value) => self.out.push_str(&value.to_string()),
            Field::U32(value) => self.out.push_str(&value.to_string()),
            Field::I64(value) => self.quoted(&value.to_string()),
            Field::U64(value) => self.quoted(&value.to_string()),
            Field::F32(value) => self.float(f64::from(*value), || float_text(*value)),
            Field::F64(value) => self.float(*value, || double_to_string(*value)),
            Field::String(value) => self.text(value),
            Field::Bytes(value) => self.quoted(&STANDARD.encode(value)),
            Field::EnumNumber(number) => self.enumeration(kind, *number),
            Field::Message(message) => self.message(message)?,
            Field::List(_) | Field::Map(_) => unreachable!("a value of a list or map is a single one"),
        }
        Ok(())
    }

    fn float(&mut self, value: f64, text: impl FnOnce() -> String) {
        match value {
            _ if value.is_nan() => self.quoted("NaN"),
            f64::INFINITY => self.quoted("Infinity"),
            f64::NEG_INFINITY => self.quoted("-Infinity"),
            _ => self.out.push_str(&text()),
        }
    }

    fn enumeration(&mut self, kind: &Kind, number: i32) {
        let known = kind.as_enum();
        if known.is_some_and(|values| values.full_name() == "google.protobuf.NullValue") {
            return self.out.push_str("null");
        }
        let value = known.and_then(|values: &EnumDescriptor| values.get_value(number));
        match value {
            Some(value) => self.quoted(value.name()),
            None => self.out.push_str(&number.to_string()),
        }
    }

    fn quoted(&mut self, text: &str) {
        self.out.extend(["\"", text, "\""]);
    }

    /// As Gson with its HTML escapes (`JsonFormat.PrinterImpl.GsonHolder`).
    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\u{c}' => self.out.push_str("\\f"),
                '\0'..='\u{1f}' | '<' | '>' | '&' | '=' | '\'' | '\u{2028}' | '\u{2029}' => {
                    self.out.extend(["\\u", &format!("{:04x}", u32::from(c))]);
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn special(&mut self, message: &DynamicMessage) -> Printed {
        let descriptor = message.descriptor();
        let name = short_name(&descriptor).unwrap_or_default();
        match name {
            "Timestamp" => {
                let time: Timestamp = message.transcode_to().map_err(|error| error.to_string())?;
                self.quoted(&time.to_string());
            }
            "Duration" => {
                let time: Duration = message.transcode_to().map_err(|error| error.to_string())?;
                self.quoted(&time.to_string());
            }
            "FieldMask" => {
                let paths = message.get_field_by_name("paths");
                let paths = paths.as_deref().and_then(Field::as_list).unwrap_or_default();
                let paths: Vec<String> = paths.iter().filter_map(Field::as_str).map(to_camel).collect();
                self.text(&paths.join(","));
            }
            "Any" => self.any(message)?,
            "Value" => match message.fields().next() {
                Some((field, value)) => self.value(&field.kind(), value)?,
                None => self.out.push_str("null"),
            },
            "Struct" => self.only_field(message, "fields")?,
            "ListValue" => self.only_field(message, "values")?,
            _ if is_wrapper(name) => self.only_field(message, "value")?,
            _ => {}
        }
        Ok(())
    }

    /// The message is printed as one of its fields.
    fn only_field(&mut self, message: &DynamicMessage, name: &str) -> Printed {
        let Some(field) = message.descriptor().get_field_by_name(name) else {
            return Err(format!("{} has no field `{name}`", message.descriptor().full_name()));
        };
        let value = message.get_field(&field);
        match &*value {
            Field::Map(_) => self.map(&field, &value),
            Field::List(items) => self.list(&field.kind(), items),
            single => self.value(&field.kind(), single),
        }
    }

    fn any(&mut self, message: &DynamicMessage) -> Printed {
        let url = message.get_field_by_name("type_url");
        let url = url.as_deref().and_then(Field::as_str).unwrap_or_default();
        let bytes = message.get_field_by_name("value");
        let bytes = bytes.as_deref().and_then(Field::as_bytes).cloned().unwrap_or_default();
        if url.is_empty() && bytes.is_empty() {
            self.out.push_str("{}");
            return Ok(());
        }
        let pool = message.descriptor().parent_pool().clone();
        let Some(descriptor) = pool.get_message_by_name(type_of_url(url)) else {
            return Err(format!("Cannot find type for url: {url}"));
        };
        let inner = DynamicMessage::decode(descriptor, bytes).map_err(|error| error.to_string())?;
        self.object(|printer| {
            let mut is_first = true;
            printer.member(&mut is_first, "@type");
            printer.text(url);
            if is_special(&inner.descriptor()) {
                printer.member(&mut is_first, "value");
                printer.message(&inner)
            } else {
                printer.fields(&inner, &mut is_first)
            }
        })
    }
}

/// With default values, but not of messages and of fields in a `oneof`.
fn is_shown(message: &DynamicMessage, field: &FieldDescriptor) -> bool {
    let is_single = !field.is_list() && !field.is_map();
    let has_no_default = matches!(field.kind(), Kind::Message(_)) || field.containing_oneof().is_some();
    !(is_single && has_no_default) || message.has_field(field)
}

fn float_text(value: f32) -> String {
    // The shortest text that is that float, not the double next to it.
    value.to_string().parse().map(double_to_string).unwrap_or_default()
}

fn key_text(key: &MapKey) -> String {
    match key {
        MapKey::Bool(key) => key.to_string(),
        MapKey::I32(key) => key.to_string(),
        MapKey::I64(key) => key.to_string(),
        MapKey::U32(key) => key.to_string(),
        MapKey::U64(key) => key.to_string(),
        MapKey::String(key) => key.clone(),
    }
}

/// Keys of one map are of one kind.
fn compare(one: &MapKey, other: &MapKey) -> std::cmp::Ordering {
    let number = |key: &MapKey| match key {
        MapKey::Bool(key) => Some(i128::from(*key)),
        MapKey::I32(key) => Some(i128::from(*key)),
        MapKey::I64(key) => Some(i128::from(*key)),
        MapKey::U32(key) => Some(i128::from(*key)),
        MapKey::U64(key) => Some(i128::from(*key)),
        MapKey::String(_) => None,
    };
    number(one).cmp(&number(other)).then_with(|| key_text(one).cmp(&key_text(other)))
}

/// `foo_bar` as `fooBar`.
fn to_camel(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut is_next = false;
    for c in path.chars() {
        match c {
            '_' => is_next = true,
            c if std::mem::take(&mut is_next) => out.push(c.to_ascii_uppercase()),
            c => out.push(c),
        }
    }
    out
}
