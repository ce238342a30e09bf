//! From JSON to a message.

use std::collections::HashMap;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value as Field};
use serde_json::{Map, Value};

use super::error::JsonError;
use super::scalar::{self, key};
use super::well_known;

/// How JSON is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Unknown fields and enum values, and numbers for texts, are refused; otherwise they are read
    /// as `JsonFormat.parser().ignoringUnknownFields()` does.
    pub(crate) is_strict: bool,
}

/// Reads a message. The depth is bounded by that of the JSON parser.
pub(crate) fn read_message(
    descriptor: &MessageDescriptor,
    value: &Value,
    reading: Reading,
) -> Result<DynamicMessage, JsonError> {
    if let Some(read) = well_known::read(descriptor, value, reading) {
        return read;
    }
    let Value::Object(fields) = value else {
        return Err(JsonError::value(format!("an object for message {}", descriptor.full_name()), value));
    };
    read_fields(descriptor, fields, reading)
}

pub(super) fn read_fields(
    descriptor: &MessageDescriptor,
    fields: &Map<String, Value>,
    reading: Reading,
) -> Result<DynamicMessage, JsonError> {
    let mut message = DynamicMessage::new(descriptor.clone());
    for (name, value) in fields {
        let found = descriptor.get_field_by_json_name(name).or_else(|| descriptor.get_field_by_name(name));
        let Some(field) = found else {
            if reading.is_strict {
                return Err(unknown(descriptor, name));
            }
            continue;
        };
        let read = read_field(&field, value, reading).map_err(|error| error.in_field(name))?;
        let Some(read) = read else { continue };
        if let Some(oneof) = field.containing_oneof() {
            let set =
                oneof.fields().find(|other| other.number() != field.number() && message.has_field(other));
            if let Some(other) = set {
                let wanted = format!("one of the fields of `{}`: `{}` is set", oneof.name(), other.name());
                return Err(JsonError::value(wanted, value).in_field(name));
            }
        }
        message.set_field(&field, read);
    }
    Ok(message)
}

fn unknown(descriptor: &MessageDescriptor, name: &str) -> JsonError {
    let known: Vec<String> = descriptor.fields().map(|field| field.name().to_owned()).collect();
    let known = if known.is_empty() { "no field".to_owned() } else { known.join(", ") };
    JsonError::Value {
        field: name.to_owned(),
        wanted: format!("a field of message {} ({known})", descriptor.full_name()),
        got: "an unknown name".to_owned(),
    }
}

/// None: the field stays unset.
fn read_field(field: &FieldDescriptor, value: &Value, reading: Reading) -> Result<Option<Field>, JsonError> {
    let kind = field.kind();
    if value.is_null() && !well_known::takes_null(&kind) {
        return Ok(None);
    }
    if field.is_map() {
        return read_map(&kind, value, reading).map(Some);
    }
    if !field.is_list() {
        return read_value(&kind, value, reading);
    }
    let Value::Array(items) = value else { return Err(JsonError::value("an array", value)) };
    let mut list = Vec::with_capacity(items.len());
    for (number, item) in items.iter().enumerate() {
        let read = read_value(&kind, item, reading).map_err(|error| error.in_item(number))?;
        list.extend(read);
    }
    Ok(Some(Field::List(list)))
}

fn read_map(kind: &Kind, value: &Value, reading: Reading) -> Result<Field, JsonError> {
    let Value::Object(entries) = value else { return Err(JsonError::value("an object", value)) };
    let entry = kind.as_message().expect("the entries of a map are messages");
    let (key_kind, value_kind) = (entry.map_entry_key_field().kind(), entry.map_entry_value_field().kind());
    let mut map: HashMap<MapKey, Field> = HashMap::with_capacity(entries.len());
    for (name, item) in entries {
        let key = key(&key_kind, name)?;
        let read =
            read_value(&value_kind, item, reading).map_err(|error| error.in_field(&format!("[{name:?}]")))?;
        if let Some(read) = read {
            map.insert(key, read);
        }
    }
    Ok(Field::Map(map))
}

/// None: an enum value that is not known and ignored.
pub(super) fn read_value(kind: &Kind, value: &Value, reading: Reading) -> Result<Option<Field>, JsonError> {
    match kind {
        Kind::Message(descriptor) => Ok(Some(Field::Message(read_message(descriptor, value, reading)?))),
        Kind::Enum(descriptor) => scalar::read_enum(descriptor, value, reading),
        other => scalar::read(other, value, reading).map(Some),
    }
}
