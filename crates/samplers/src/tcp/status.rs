//! Status codes in responses (`tcp.status.prefix`, `tcp.status.suffix`, `tcp.status.properties`).

use std::collections::HashMap;
use std::path::Path;

use swell_api::CompileContext;
use swell_expr::Level;

/// Where responses contain their status, and the meaning of its codes.
pub(super) struct Statuses {
    prefix: String,
    suffix: String,
    /// `None`: no such file.
    messages: Option<HashMap<String, String>>,
}

/// The status of a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) success: bool,
}

impl Statuses {
    pub(super) fn new(compile: &CompileContext) -> Self {
        let get = |name: &str| compile.props.get(name).unwrap_or_default();
        let file = get("tcp.status.properties");
        let messages = if file.is_empty() { None } else { read(&file, compile) };
        Self { prefix: get("tcp.status.prefix"), suffix: get("tcp.status.suffix"), messages }
    }

    /// Whether answers are looked through.
    pub(super) fn are_read(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// The status of an answer; none if none is looked for. `success`: the exchange went well.
    ///
    /// # Errors
    /// Java's exception if an exchange succeeded and the status is not a number.
    pub(super) fn of(&self, text: &str, success: bool) -> Result<Option<Status>, String> {
        if text.is_empty() || !self.are_read() {
            return Ok(None);
        }
        let Some(code) = self.code(text) else {
            let code = "999".to_owned();
            let message = "Status value not found".to_owned();
            return Ok(Some(Status { code, message, success: false }));
        };
        let success = success && is_good(code)?;
        let message = match &self.messages {
            Some(messages) => {
                messages.get(code).map_or("Status code not found in properties", String::as_str)
            }
            None => "No status property file",
        };
        Ok(Some(Status { code: code.to_owned(), message: message.to_owned(), success }))
    }

    fn code<'t>(&self, text: &'t str) -> Option<&'t str> {
        let start = text.find(&self.prefix)? + self.prefix.len();
        let length = text[start..].find(&self.suffix)?;
        Some(&text[start..start + length])
    }
}

/// The messages of a file; none if it cannot be read, which is logged.
fn read(file: &str, compile: &CompileContext) -> Option<HashMap<String, String>> {
    let bytes = compile.host.read_file(Path::new(file)).map_err(|error| error.to_string());
    let read = bytes.and_then(|bytes| swell_expr::read_property_file(&bytes));
    if let Err(problem) = &read {
        compile.host.log(Level::Warn, &format!("tcp.status.properties: `{file}`: {problem}"));
    }
    read.ok()
}

/// `checkResponseCode`, which takes HTTP's codes of failures for the good ones.
fn is_good(code: &str) -> Result<bool, String> {
    let number: Result<i32, _> = code.parse();
    let thrown = |_| format!("java.lang.NumberFormatException: For input string: \"{code}\"");
    number.map(|number| (400..=599).contains(&number)).map_err(thrown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_stands_between_prefix_and_suffix() {
        let messages = HashMap::from([("500".to_owned(), "fine".to_owned())]);
        let statuses = Statuses { prefix: "[".into(), suffix: "]".into(), messages: Some(messages) };
        let found = |text| statuses.of(text, true).expect("a number").map(|s| (s.code, s.message, s.success));
        let wanted =
            |code: &str, message: &str, success| Some((code.to_owned(), message.to_owned(), success));
        assert_eq!(found("x[500]y"), wanted("500", "fine", true));
        assert_eq!(found("[200]"), wanted("200", "Status code not found in properties", false));
        assert_eq!(found("[200"), wanted("999", "Status value not found", false));
        assert_eq!(found("none"), wanted("999", "Status value not found", false));
        assert_eq!(found(""), None);
        let without = Statuses { prefix: "[".into(), suffix: "]".into(), messages: None };
        assert_eq!(
            without.of("[1]", true).map(|s| s.map(|s| s.message)),
            Ok(Some("No status property file".to_owned()))
        );
        let off = Statuses { prefix: String::new(), suffix: "]".into(), messages: None };
        assert_eq!(off.of("[1]", true), Ok(None));
        let thrown = "java.lang.NumberFormatException: For input string: \"a\"";
        assert_eq!(without.of("[a]", true), Err(thrown.to_owned()));
        assert_eq!(without.of("[a]", false).map(|s| s.map(|s| s.success)), Ok(Some(false)));
    }
}
