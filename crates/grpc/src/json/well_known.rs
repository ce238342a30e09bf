//! Messages of `google.protobuf` whose JSON is not an object with their fields.

use std::collections::HashMap;

use prost::Message as _;
use prost_reflect::prost_types::{Duration, Timestamp};
use prost_reflect::{DynamicMessage, Kind, MapKey, MessageDescriptor, Value as Field};
use serde_json::Value;

use super::error::JsonError;
use super::read::{Reading, read_fields, read_message, read_value};

/// Whether null is a separate value.
pub(super) fn takes_null(kind: &Kind) -> bool {
    match kind {
        Kind::Message(message) => message.full_name() == "google.protobuf.Value",
        Kind::Enum(values) => values.full_name() == "google.protobuf.NullValue",
        _ => false,
    }
}

/// The name of a message of `google.protobuf` without its package.
pub(super) fn short_name(descriptor: &MessageDescriptor) -> Option<&str> {
    descriptor.full_name().strip_prefix("google.protobuf.")
}

/// Whether the JSON is that of the field `value`.
pub(super) fn is_wrapper(name: &str) -> bool {
    matches!(
        name,
        "DoubleValue"
            | "FloatValue"
            | "Int64Value"
            | "UInt64Value"
            | "Int32Value"
            | "UInt32Value"
            | "BoolValue"
            | "StringValue"
            | "BytesValue"
    )
}

/// Whether the JSON of a message is something else than its fields.
pub(super) fn is_special(descriptor: &MessageDescriptor) -> bool {
    short_name(descriptor).is_some_and(|name| {
        let others = ["Timestamp", "Duration", "FieldMask", "Struct", "ListValue", "Value", "Any"];
        is_wrapper(name) || others.contains(&name)
    })
}

/// The message, if it is one of these.
pub(super) fn read(
    descriptor: &MessageDescriptor,
    value: &Value,
    reading: Reading,
) -> Option<Result<DynamicMessage, JsonError>> {
    let name = short_name(descriptor)?;
    Some(match name {
        "Timestamp" => timestamp(descriptor, value),
        "Duration" => duration(descriptor, value),
        "FieldMask" => field_mask(descriptor, value),
        "Struct" => structure(descriptor, value, reading),
        "ListValue" => list(descriptor, value, reading),
        "Value" => any_value(descriptor, value, reading),
        "Any" => any(descriptor, value, reading),
        _ if is_wrapper(name) => wrapper(descriptor, value, reading),
        _ => return None,
    })
}

fn with(
    descriptor: &MessageDescriptor,
    fields: impl IntoIterator<Item = (&'static str, Field)>,
) -> DynamicMessage {
    let mut message = DynamicMessage::new(descriptor.clone());
    for (name, value) in fields {
        // A file may define a type of that name with other fields.
        if message.try_set_field_by_name(name, value).is_err() {
            return DynamicMessage::new(descriptor.clone());
        }
    }
    message
}

fn timestamp(descriptor: &MessageDescriptor, value: &Value) -> Result<DynamicMessage, JsonError> {
    let read = value.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    let time = read.ok_or_else(|| JsonError::value("a time such as \"2026-01-31T12:00:00Z\"", value))?;
    Ok(with(descriptor, [("seconds", Field::I64(time.seconds)), ("nanos", Field::I32(time.nanos))]))
}

fn duration(descriptor: &MessageDescriptor, value: &Value) -> Result<DynamicMessage, JsonError> {
    let read = value.as_str().and_then(|text| text.parse::<Duration>().ok());
    let time = read.ok_or_else(|| JsonError::value("a duration such as \"1.5s\"", value))?;
    Ok(with(descriptor, [("seconds", Field::I64(time.seconds)), ("nanos", Field::I32(time.nanos))]))
}

fn field_mask(descriptor: &MessageDescriptor, value: &Value) -> Result<DynamicMessage, JsonError> {
    let text = value.as_str().ok_or_else(|| JsonError::value("names of fields such as \"a,b.c\"", value))?;
    let paths = text.split(',').filter(|path| !path.is_empty());
    let paths = paths.map(|path| Field::String(to_snake(path))).collect();
    Ok(with(descriptor, [("paths", Field::List(paths))]))
}

/// `fooBar` as `foo_bar`.
fn to_snake(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 4);
    for c in path.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn structure(
    descriptor: &MessageDescriptor,
    value: &Value,
    reading: Reading,
) -> Result<DynamicMessage, JsonError> {
    let Value::Object(members) = value else { return Err(JsonError::value("an object", value)) };
    let entry = descriptor.get_field_by_name("fields").map(|field| field.kind());
    let kind = entry.as_ref().and_then(Kind::as_message).filter(|entry| entry.is_map_entry());
    let Some(kind) = kind.map(|entry| entry.map_entry_value_field().kind()) else {
        return Ok(DynamicMessage::new(descriptor.clone()));
    };
    let mut fields = HashMap::with_capacity(members.len());
    for (name, member) in members {
        if let Some(read) = read_value(&kind, member, reading)? {
            fields.insert(MapKey::String(name.clone()), read);
        }
    }
    Ok(with(descriptor, [("fields", Field::Map(fields))]))
}

fn list(
    descriptor: &MessageDescriptor,
    value: &Value,
    reading: Reading,
) -> Result<DynamicMessage, JsonError> {
    let Value::Array(items) = value else { return Err(JsonError::value("an array", value)) };
    let Some(field) = descriptor.get_field_by_name("values") else {
        return Ok(DynamicMessage::new(descriptor.clone()));
    };
    let kind = field.kind();
    let values: Result<Vec<_>, _> = items.iter().map(|item| read_value(&kind, item, reading)).collect();
    Ok(with(descriptor, [("values", Field::List(values?.into_iter().flatten().collect()))]))
}

fn any_value(
    descriptor: &MessageDescriptor,
    value: &Value,
    reading: Reading,
) -> Result<DynamicMessage, JsonError> {
    let name = match value {
        Value::Null => return Ok(with(descriptor, [("null_value", Field::EnumNumber(0))])),
        Value::Bool(_) => "bool_value",
        Value::Number(_) => "number_value",
        Value::String(_) => "string_value",
        Value::Array(_) => "list_value",
        Value::Object(_) => "struct_value",
    };
    let Some(field) = descriptor.get_field_by_name(name) else {
        return Ok(DynamicMessage::new(descriptor.clone()));
    };
    let read = read_value(&field.kind(), value, reading)?;
    Ok(with(descriptor, read.map(|read| (name, read))))
}

fn wrapper(
    descriptor: &MessageDescriptor,
    value: &Value,
    reading: Reading,
) -> Result<DynamicMessage, JsonError> {
    let Some(field) = descriptor.get_field_by_name("value") else {
        return Ok(DynamicMessage::new(descriptor.clone()));
    };
    let read = read_value(&field.kind(), value, reading)?;
    Ok(with(descriptor, read.map(|read| ("value", read))))
}

/// The full name in a type URL.
pub(super) fn type_of_url(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or(url)
}

fn any(descriptor: &MessageDescriptor, value: &Value, reading: Reading) -> Result<DynamicMessage, JsonError> {
    let Value::Object(fields) = value else {
        return Err(JsonError::value("an object with \"@type\"", value));
    };
    if fields.is_empty() {
        return Ok(DynamicMessage::new(descriptor.clone()));
    }
    let url = fields.get("@type").and_then(Value::as_str);
    let url = url.ok_or_else(|| JsonError::value("an object with \"@type\"", value))?;
    let inner = descriptor.parent_pool().get_message_by_name(type_of_url(url));
    let inner = inner
        .ok_or_else(|| JsonError::value("the URL of a known message", &fields["@type"]).in_field("@type"))?;
    let message = if is_special(&inner) {
        let content = fields.get("value").unwrap_or(&Value::Null);
        read_message(&inner, content, reading).map_err(|error| error.in_field("value"))?
    } else {
        let mut rest = fields.clone();
        rest.shift_remove("@type");
        read_fields(&inner, &rest, reading)?
    };
    let content = Field::Bytes(message.encode_to_vec().into());
    Ok(with(descriptor, [("type_url", Field::String(url.to_owned())), ("value", content)]))
}
