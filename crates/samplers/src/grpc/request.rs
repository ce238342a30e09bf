//! Requests, made again only where their texts change.

use std::cell::RefCell;
use std::rc::Rc;

use swell_grpc::{Metadata, timeout, write_gzip, write_message};
use swell_http2::Fields;

use super::channel::Channel;
use super::failure::NoCall;

/// The messages of a call.
pub(super) struct Messages {
    json: String,
    path: String,
    is_packed: bool,
    /// With their prefixes.
    pub(super) body: Vec<u8>,
    /// The first message, which `samplerData` shows; empty if there is none.
    pub(super) first: Vec<u8>,
}

/// The fields of a call.
pub(super) struct Head {
    text: String,
    timeout_ns: Option<i64>,
    is_packed: bool,
    pub(super) fields: Fields,
    /// Lines that vary from call to call.
    pub(super) own: Vec<u8>,
    pub(super) metadata: Metadata,
}

/// The last request of a sampler, which the next one mostly equals.
#[derive(Default)]
pub(super) struct LastRequest {
    messages: RefCell<Option<Rc<Messages>>>,
    head: RefCell<Option<Rc<Head>>>,
}

impl LastRequest {
    /// The messages for a text in JSON.
    ///
    /// # Errors
    /// The text does not fit the method.
    pub(super) fn messages(&self, json: &str, channel: &Channel) -> Result<Rc<Messages>, NoCall> {
        let is_packed = channel.config.is_packed;
        let mut last = self.messages.borrow_mut();
        let is_same = |known: &&mut Rc<Messages>| {
            known.json == json && known.path == channel.method.path && known.is_packed == is_packed
        };
        if let Some(known) = last.as_mut().filter(is_same) {
            return Ok(known.clone());
        }
        let encoded = channel.method.method.requests(json, false);
        let mut encoded =
            encoded.map_err(|error| NoCall(format!("Unable to read messages from: {json}: {error}")))?;
        let mut body = Vec::new();
        for message in &encoded {
            if is_packed { write_gzip(message, &mut body) } else { write_message(message, &mut body) }
        }
        let first = if encoded.is_empty() { Vec::new() } else { encoded.swap_remove(0) };
        let path = channel.method.path.clone();
        let made = Rc::new(Messages { json: json.to_owned(), path, is_packed, body, first });
        *last = Some(made.clone());
        Ok(made)
    }

    /// The fields for metadata and a deadline. `varies`: the metadata are others in each call, so
    /// that connections need not remember them.
    ///
    /// # Errors
    /// The metadata are not valid.
    pub(super) fn head(
        &self,
        (text, varies): (&str, bool),
        timeout_ns: Option<i64>,
        is_packed: bool,
    ) -> Result<Rc<Head>, NoCall> {
        let mut last = self.head.borrow_mut();
        let is_same = |known: &&mut Rc<Head>| {
            known.text == text && known.timeout_ns == timeout_ns && known.is_packed == is_packed
        };
        if let Some(known) = last.as_mut().filter(is_same) {
            return Ok(known.clone());
        }
        let metadata = Metadata::parse(text).map_err(|error| NoCall(error.to_string()))?;
        let mut own = Vec::new();
        metadata.write(&mut own);
        let constant = if varies { &[][..] } else { &std::mem::take(&mut own) };
        let fields = fields(constant, timeout_ns, is_packed)?;
        let made = Rc::new(Head { text: text.to_owned(), timeout_ns, is_packed, fields, own, metadata });
        *last = Some(made.clone());
        Ok(made)
    }
}

fn fields(metadata: &[u8], timeout_ns: Option<i64>, is_packed: bool) -> Result<Fields, NoCall> {
    let mut lines = b"content-type: application/grpc\r\nte: trailers\r\n".to_vec();
    lines.extend_from_slice(concat!("user-agent: grpc-swell/", env!("CARGO_PKG_VERSION"), "\r\n").as_bytes());
    lines.extend_from_slice(b"grpc-accept-encoding: gzip\r\n");
    if is_packed {
        lines.extend_from_slice(b"grpc-encoding: gzip\r\n");
    }
    if let Some(timeout_ns) = timeout_ns {
        lines.extend_from_slice(format!("grpc-timeout: {}\r\n", timeout::write(timeout_ns)).as_bytes());
    }
    lines.extend_from_slice(metadata);
    Fields::from_lines(&lines).map_err(|error| NoCall(error.to_string()))
}
