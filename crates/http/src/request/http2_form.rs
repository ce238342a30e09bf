//! What of a request is the same each time it is sent over HTTP/2.

use std::cell::{Cell, OnceCell};

use swell_http2::Fields;

use crate::failure::Failure;

/// The lines of a request that is sent more than once, prepared at its second time: they go into the
/// table of each connection. Those of a request that is sent once would only fill it.
#[derive(Clone, Debug, Default)]
pub(super) struct Http2Form {
    was_sent: Cell<bool>,
    fields: OnceCell<Fields>,
    none: Fields,
}

impl Http2Form {
    /// The prepared lines, none the first time.
    pub(super) fn constant(&self, before: &[u8], after: &[u8]) -> Result<&Fields, Failure> {
        if !self.was_sent.replace(true) {
            return Ok(&self.none);
        }
        if let Some(fields) = self.fields.get() {
            return Ok(fields);
        }
        let fields = Fields::from_lines(&[before, after].concat());
        let fields = fields.map_err(|error| Failure::illegal(&error.to_string()))?;
        Ok(self.fields.get_or_init(|| fields))
    }

    /// The lines are prepared.
    pub(super) fn is_repeated(&self) -> bool {
        self.fields.get().is_some()
    }
}
