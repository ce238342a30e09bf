//! One method: its path, its kind, and its messages as JSON.

use prost::Message as _;
use prost_reflect::{DynamicMessage, MessageDescriptor, MethodDescriptor};
use serde_json::{Deserializer, Value};

use crate::JsonError;
use crate::json::{Names, Reading, print, read_message};

/// A method of a service.
#[derive(Clone, Debug)]
pub struct Method(MethodDescriptor);

impl Method {
    pub(crate) fn new(method: MethodDescriptor) -> Self {
        Self(method)
    }

    /// The path of its requests, `/package.Service/Method`.
    pub fn path(&self) -> String {
        format!("/{}/{}", self.0.parent_service().full_name(), self.0.name())
    }

    /// A client may send any number of messages.
    pub fn is_client_streaming(&self) -> bool {
        self.0.is_client_streaming()
    }

    /// A server may send any number of messages.
    pub fn is_server_streaming(&self) -> bool {
        self.0.is_server_streaming()
    }

    /// Turns JSON into the messages of a call. A text without content is one empty message. A
    /// method whose client streams takes several: an array, or one document after the other.
    /// `is_strict`: fields that the message lacks are refused, instead of being ignored as the
    /// plug-in does.
    ///
    /// # Errors
    /// The text is not valid JSON, a value does not fit its field, or there are several messages
    /// for a method that takes one.
    pub fn requests(&self, text: &str, is_strict: bool) -> Result<Vec<Vec<u8>>, JsonError> {
        let documents = self.documents(text)?;
        let reading = Reading { is_strict };
        let input = self.0.input();
        let many = documents.len() > 1;
        let encoded = documents.iter().enumerate().map(|(at, document)| {
            let read = read_message(&input, document, reading);
            let read = read.map_err(|error| if many { error.in_message(at) } else { error });
            read.map(|message| message.encode_to_vec())
        });
        encoded.collect()
    }

    fn documents(&self, text: &str) -> Result<Vec<Value>, JsonError> {
        if text.trim().is_empty() {
            return Ok(vec![Value::Object(serde_json::Map::new())]);
        }
        let found: Result<Vec<Value>, _> = Deserializer::from_str(text).into_iter().collect();
        let mut found = found.map_err(|error| JsonError::Syntax(error.to_string()))?;
        if !self.is_client_streaming() && found.len() > 1 {
            return Err(JsonError::Several(self.path()));
        }
        if self.is_client_streaming() && found.len() == 1 && found[0].is_array() {
            let Some(Value::Array(several)) = found.pop() else { return Ok(Vec::new()) };
            return Ok(several);
        }
        Ok(found)
    }

    /// A message of the server as JSON, in the form of the plug-in: names of the `.proto` file,
    /// default values, two spaces a level.
    ///
    /// # Errors
    /// The bytes are no message of that type, or one that is nested too deeply: what is wrong.
    pub fn response_text(&self, message: &[u8]) -> Result<String, String> {
        text(self.0.output(), message, Names::Proto)
    }

    /// A message of the client as JSON, in the form of the plug-in, whose names are those of JSON.
    ///
    /// # Errors
    /// As [`Method::response_text`].
    pub fn request_text(&self, message: &[u8]) -> Result<String, String> {
        text(self.0.input(), message, Names::Json)
    }
}

fn text(descriptor: MessageDescriptor, message: &[u8], names: Names) -> Result<String, String> {
    let name = descriptor.full_name().to_owned();
    let decoded = DynamicMessage::decode(descriptor, message);
    decoded
        .map_err(|error| error.to_string())
        .and_then(|message| print(&message, names))
        .map_err(|why| format!("invalid message {name}: {why}"))
}
