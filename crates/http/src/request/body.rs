//! The body of a request.

use swell_api::Text;

use crate::files::FileRef;

/// A body to send.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    /// Files, and where in the bytes they go.
    pub(crate) files: Vec<(usize, FileRef)>,
    pub(crate) text: Text,
    /// `Content-Type` that JMeter sets where the plan gives none.
    pub(crate) own_type: Option<Text>,
    /// `Content-Type` that HttpClient adds where neither gives one.
    pub(crate) content_type: Option<String>,
}

impl Body {
    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64 + self.files.iter().map(|(_, file)| file.len()).sum::<u64>()
    }
}
