//! Names and values as JSON objects.

use serde_json::{Map, Value};

/// An object of strings; a name that comes again has its values joined with commas, as header
/// fields are.
pub(crate) fn object(pairs: impl Iterator<Item = (impl AsRef<str>, impl AsRef<str>)>) -> Value {
    let mut object = Map::new();
    for (name, value) in pairs {
        let value = value.as_ref();
        match object.get_mut(name.as_ref()) {
            Some(Value::String(before)) => before.extend([", ", value]),
            _ => {
                object.insert(name.as_ref().into(), value.into());
            }
        }
    }
    Value::Object(object)
}
