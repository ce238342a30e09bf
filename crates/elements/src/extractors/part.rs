//! The part of a sample that an extractor searches ("Field to check").

use std::borrow::Cow;

use swell_plan::{Element, Severity};

use crate::entities::unescape_html4;
use crate::{Build, Needs, SampleResult};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Body,
    UnescapedBody,
    Document,
    ResponseHeaders,
    RequestHeaders,
    Url,
    Code,
    Message,
}

impl Part {
    /// Reads it from a property; the body where there is none.
    pub(super) fn of(element: &Element, build: &dyn Build, property: &str) -> Self {
        match element.text_or_empty(property).to_ascii_lowercase().as_str() {
            "true" => Self::ResponseHeaders,
            "request_headers" => Self::RequestHeaders,
            "url" => Self::Url,
            "code" => Self::Code,
            "message" => Self::Message,
            "unescaped" => Self::UnescapedBody,
            "as_document" => {
                let message = "the document's text is not extracted here: the plain body is searched instead";
                build.note(
                    Severity::Warning,
                    element,
                    Some(property),
                    message.into(),
                    Some("search the body"),
                );
                Self::Document
            }
            _ => Self::Body,
        }
    }

    pub(super) fn needs(self) -> Needs {
        let none = Needs::default();
        match self {
            Self::Body | Self::UnescapedBody | Self::Document => Needs { body: true, ..none },
            Self::ResponseHeaders => Needs { response_headers: true, ..none },
            Self::RequestHeaders => Needs { request: true, ..none },
            Self::Url => Needs { details: true, ..none },
            Self::Code | Self::Message => none,
        }
    }

    pub(super) fn text(self, sample: &SampleResult) -> Cow<'_, str> {
        match self {
            Self::Body | Self::Document => sample.body_text(),
            Self::UnescapedBody => unescape_html4(sample.body_text()),
            Self::ResponseHeaders => Cow::Borrowed(&sample.response_headers),
            Self::RequestHeaders => Cow::Borrowed(&sample.request_headers),
            Self::Url => Cow::Borrowed(sample.url.as_deref().unwrap_or_default()),
            Self::Code => Cow::Borrowed(&sample.code),
            Self::Message => Cow::Borrowed(&sample.message),
        }
    }
}
