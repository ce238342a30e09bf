//! The part of a sample that an extractor searches ("Field to check").

use swell_api::{CompileContext, Needs};
use swell_plan::{Element, Severity};

use crate::subject::SamplePart;

/// Why an extractor with this field to check needs JMeter's class.
pub(crate) fn lacks_document(element: &Element, property: &str) -> Option<String> {
    let is_document = element.text_or_empty(property).eq_ignore_ascii_case("as_document");
    is_document.then(|| "document text is not extracted natively".to_owned())
}

impl SamplePart {
    /// Reads it from a property; the body where there is none.
    pub(super) fn of(element: &Element, compile: &CompileContext, property: &str) -> Self {
        match element.text_or_empty(property).to_ascii_lowercase().as_str() {
            "true" => Self::ResponseHeaders,
            "request_headers" => Self::RequestHeaders,
            "url" => Self::Url,
            "code" => Self::Code,
            "message" => Self::Message,
            "unescaped" => Self::UnescapedBody,
            "as_document" => {
                let message = "document text is not extracted natively: the plain body is searched instead";
                compile.note(
                    Severity::Warning,
                    element,
                    Some(property),
                    message.into(),
                    Some("search the body"),
                );
                Self::Body
            }
            _ => Self::Body,
        }
    }

    pub(super) fn needs(self) -> Needs {
        let none = Needs::default();
        match self {
            Self::Body | Self::UnescapedBody => Needs { body: true, ..none },
            Self::ResponseHeaders => Needs { response_headers: true, ..none },
            Self::RequestHeaders | Self::RequestData => Needs { request: true, ..none },
            Self::Url => Needs { details: true, ..none },
            Self::Code | Self::Message => none,
        }
    }
}
