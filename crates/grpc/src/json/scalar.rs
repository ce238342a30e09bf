//! Values that are no messages, and keys of maps.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use prost_reflect::{EnumDescriptor, Kind, MapKey, Value as Field};
use serde_json::Value;

use super::error::JsonError;
use super::read::Reading;

const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::STANDARD, CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::URL_SAFE, CONFIG);

/// The name of a kind in a `.proto` file.
fn name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Double => "double",
        Kind::Float => "float",
        Kind::Int32 => "int32",
        Kind::Int64 => "int64",
        Kind::Uint32 => "uint32",
        Kind::Uint64 => "uint64",
        Kind::Sint32 => "sint32",
        Kind::Sint64 => "sint64",
        Kind::Fixed32 => "fixed32",
        Kind::Fixed64 => "fixed64",
        Kind::Sfixed32 => "sfixed32",
        Kind::Sfixed64 => "sfixed64",
        Kind::Bool => "bool (true or false)",
        Kind::String => "string",
        Kind::Bytes => "bytes (text in base64)",
        Kind::Message(_) => "message",
        Kind::Enum(_) => "enum",
    }
}

pub(super) fn read(kind: &Kind, value: &Value, reading: Reading) -> Result<Field, JsonError> {
    let read = match kind {
        Kind::Double => float(value).map(Field::F64),
        Kind::Float => float(value).and_then(narrow).map(Field::F32),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => whole(value).and_then(fit).map(Field::I32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => whole(value).and_then(fit).map(Field::I64),
        Kind::Uint32 | Kind::Fixed32 => whole(value).and_then(fit).map(Field::U32),
        Kind::Uint64 | Kind::Fixed64 => whole(value).and_then(fit).map(Field::U64),
        Kind::Bool => match value {
            Value::Bool(value) => Some(Field::Bool(*value)),
            Value::String(text) if !reading.is_strict => text.parse().ok().map(Field::Bool),
            _ => None,
        },
        Kind::String => match value {
            Value::String(text) => Some(Field::String(text.clone())),
            // Gson's `getAsString`.
            Value::Number(_) | Value::Bool(_) if !reading.is_strict => Some(Field::String(value.to_string())),
            _ => None,
        },
        Kind::Bytes => bytes(value).map(|bytes| Field::Bytes(bytes.into())),
        Kind::Message(_) | Kind::Enum(_) => None,
    };
    read.ok_or_else(|| JsonError::value(name(kind), value))
}

fn fit<T: TryFrom<i128>>(number: i128) -> Option<T> {
    T::try_from(number).ok()
}

/// A number or its text, if it is whole: `1.0` and `1e3` are.
fn whole(value: &Value) -> Option<i128> {
    let text = number_text(value)?;
    text.parse::<i128>().ok().or_else(|| {
        let number = text.parse::<f64>().ok()?;
        // Beyond, not each whole number is a double.
        let is_whole = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
        is_whole.then_some(number as i128)
    })
}

fn float(value: &Value) -> Option<f64> {
    let text = number_text(value)?;
    match &*text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        // Rust's parser takes "inf" and "nan" as well.
        _ if text.bytes().any(|byte| byte.is_ascii_alphabetic() && !byte.eq_ignore_ascii_case(&b'e')) => None,
        _ => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

fn narrow(number: f64) -> Option<f32> {
    let narrow = number as f32;
    (narrow.is_finite() || !number.is_finite()).then_some(narrow)
}

fn number_text(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    let text = value.as_str()?;
    STANDARD.decode(text).or_else(|_| URL_SAFE.decode(text)).ok()
}

pub(super) fn read_enum(
    descriptor: &EnumDescriptor,
    value: &Value,
    reading: Reading,
) -> Result<Option<Field>, JsonError> {
    if descriptor.full_name() == "google.protobuf.NullValue" && value.is_null() {
        return Ok(Some(Field::EnumNumber(0)));
    }
    if let Some(found) = value.as_str().and_then(|name| descriptor.get_value_by_name(name)) {
        return Ok(Some(Field::EnumNumber(found.number())));
    }
    if let Some(number) = whole(value).and_then(fit) {
        return Ok(Some(Field::EnumNumber(number)));
    }
    if value.is_string() && !reading.is_strict {
        return Ok(None);
    }
    let known: Vec<String> = descriptor.values().map(|value| value.name().to_owned()).collect();
    Err(JsonError::value(format!("enum {} ({})", descriptor.full_name(), known.join(", ")), value))
}

/// The key of a map.
pub(super) fn key(kind: &Kind, text: &str) -> Result<MapKey, JsonError> {
    let read = match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => text.parse().ok().map(MapKey::I32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => text.parse().ok().map(MapKey::I64),
        Kind::Uint32 | Kind::Fixed32 => text.parse().ok().map(MapKey::U32),
        Kind::Uint64 | Kind::Fixed64 => text.parse().ok().map(MapKey::U64),
        Kind::Bool => text.parse().ok().map(MapKey::Bool),
        _ => Some(MapKey::String(text.to_owned())),
    };
    read.ok_or_else(|| JsonError::value(format!("{} as a key", name(kind)), &Value::String(text.to_owned())))
}
