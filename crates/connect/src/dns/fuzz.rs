//! Access to internal parsers for the fuzz targets in `fuzz/`: bytes in, text out, no checks here.

use super::message;

/// What bytes of a name server answer to question 7, for the addresses of a name; `None` if they
/// answer another question or are not a message.
pub fn dns_answer(bytes: &[u8], name: &str) -> Option<String> {
    message::answer(bytes, 7, name).ok().flatten().map(|answer| format!("{answer:?}"))
}

/// The bytes of question 7, for the addresses of a name; `None` if the name is invalid.
pub fn dns_question(name: &str) -> Option<Vec<u8>> {
    message::question(7, message::checked(name)?).ok()
}
