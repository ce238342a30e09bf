//! Requests, made again only where their texts change.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use swell_connect::HeadAgain;
use swell_grpc::{Metadata, timeout, write_gzip, write_message};
use swell_http2::client::{OpenError, PreparedHead, Request, Scheme, Session};
use swell_http2::{Fields, StreamId};

use super::channel::{Channel, Link};
use super::failure::NoCall;

/// The messages of a call.
pub(super) struct Messages {
    pub(super) json: String,
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
    /// The lines of `fields`.
    lines: Vec<u8>,
    prepared: OnceCell<Option<PreparedCall>>,
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
        let encoded = channel.method.method.requests(json, channel.config.is_strict);
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
        let lines = lines(constant, timeout_ns, is_packed);
        let fields = Fields::from_lines(&lines).map_err(|error| NoCall(error.to_string()))?;
        let text = text.to_owned();
        let prepared = OnceCell::new();
        let made = Rc::new(Head { text, timeout_ns, is_packed, fields, lines, prepared, own, metadata });
        *last = Some(made.clone());
        Ok(made)
    }
}

/// The head of a call.
pub(super) enum CallHead<'a> {
    /// It is written for this call.
    Once(Request<'a>),
    /// It was prepared for all calls of a method.
    Prepared(HeadAgain<'a>),
}

impl swell_connect::Head for CallHead<'_> {
    fn write(&self, protocol: &mut Session, end: bool, out: &mut Vec<u8>) -> Result<StreamId, OpenError> {
        match self {
            Self::Once(request) => request.write(protocol, end, out),
            Self::Prepared(again) => again.write(protocol, end, out),
        }
    }
}

/// A head that was prepared for a method of a server.
struct PreparedCall {
    scheme: Scheme,
    authority: String,
    path: String,
    head: PreparedHead,
}

impl Head {
    /// The head of calls to a method. It is prepared for the first method that is called with it:
    /// only where hosts or methods come from variables there are several.
    pub(super) fn of_call<'a>(&'a self, link: &'a Link, path: &'a str) -> CallHead<'a> {
        let prepared = self.prepared.get_or_init(|| {
            let no_fields = Fields::default();
            let request = request(link, path, &no_fields, &self.lines);
            let head = PreparedHead::new(&request).ok()?;
            let (authority, path) = (link.authority.clone(), path.to_owned());
            Some(PreparedCall { scheme: link.scheme(), authority, path, head })
        });
        let is_same = |known: &&PreparedCall| {
            known.scheme == link.scheme() && known.authority == link.authority && known.path == path
        };
        match prepared.as_ref().filter(is_same) {
            Some(known) => CallHead::Prepared(HeadAgain { prepared: &known.head, own: &self.own }),
            // What cannot be sent fails there, with its reason.
            None => CallHead::Once(request(link, path, &self.fields, &self.own)),
        }
    }

    /// The head as it would be written in HTTP/1.
    pub(super) fn as_http1(&self, path: &str, authority: &str) -> Vec<u8> {
        let start = format!("POST {path} HTTP/2.0\r\nhost: {authority}\r\n").into_bytes();
        [&start[..], &self.lines, &self.own, b"\r\n"].concat()
    }
}

fn request<'a>(link: &'a Link, path: &'a str, constant: &'a Fields, own: &'a [u8]) -> Request<'a> {
    Request {
        method: b"POST",
        scheme: link.scheme(),
        authority: link.authority.as_bytes(),
        path: path.as_bytes(),
        path_repeats: true,
        constant,
        own,
    }
}

fn lines(metadata: &[u8], timeout_ns: Option<i64>, is_packed: bool) -> Vec<u8> {
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
    lines
}
