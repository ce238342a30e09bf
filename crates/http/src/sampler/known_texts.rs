//! Texts of responses; common ones need no allocation.

use swell_api::Text;
use swell_http1::latin1;

/// Status code as text, without allocation for those that are common.
pub(super) fn code_text(status: u16) -> Text {
    match status {
        200 => "200".into(),
        201 => "201".into(),
        202 => "202".into(),
        204 => "204".into(),
        206 => "206".into(),
        301 => "301".into(),
        302 => "302".into(),
        303 => "303".into(),
        304 => "304".into(),
        307 => "307".into(),
        308 => "308".into(),
        400 => "400".into(),
        401 => "401".into(),
        403 => "403".into(),
        404 => "404".into(),
        429 => "429".into(),
        500 => "500".into(),
        502 => "502".into(),
        503 => "503".into(),
        504 => "504".into(),
        other => other.to_string().into(),
    }
}

/// Reason phrase as text, without allocation for those that are common.
pub(super) fn message_text(status: u16, reason: &[u8]) -> Text {
    let known = swell_http1::reason(status);
    if known.as_bytes() == reason { known.into() } else { latin1::decode(reason).into() }
}

/// Types of content, and charsets in them, that are common.
const TYPES: [&str; 12] = [
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=utf-8",
    "application/json;charset=UTF-8",
    "application/xml",
    "text/html",
    "text/html; charset=utf-8",
    "text/html; charset=UTF-8",
    "text/html;charset=UTF-8",
    "text/plain",
    "text/plain; charset=utf-8",
    "text/css",
];
pub(super) const CHARSETS: [&str; 4] = ["utf-8", "UTF-8", "iso-8859-1", "ISO-8859-1"];

/// The value of a `Content-Type`, without allocation for those that are common.
pub(super) fn type_text(value: &[u8]) -> Text {
    match TYPES.iter().find(|known| known.as_bytes() == value) {
        Some(known) => Text::Static(known),
        None => latin1::decode(value).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_texts_are_built_in() {
        assert!(matches!(type_text(b"application/json"), Text::Static("application/json")));
        assert_eq!(&*type_text(b"application/jsonp\xe9"), "application/jsonp\u{e9}");
        assert!(matches!(code_text(200), Text::Static("200")));
        assert_eq!(&*code_text(418), "418");
        assert!(matches!(message_text(200, b"OK"), Text::Static("OK")));
        assert_eq!(&*message_text(200, b"Fine"), "Fine");
        assert_eq!(&*message_text(404, b""), "");
    }
}
