//! Requests that are allowed.

use percent_encoding::percent_decode_str;
use swell_http1::server::{Refusal, RequestHead, header};

use crate::access::{Access, Rights};

/// An allowed request, without its body.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its method.
    pub method: String,
    /// Parts of the path, decoded.
    pub path: Vec<String>,
    /// What the sender may do.
    pub rights: Rights,
    /// It comes from the page, and not from a program.
    pub is_from_page: bool,
    /// The last event that the reader of a stream has.
    pub last_event: Option<u64>,
    /// Names and values of the query, decoded.
    query: Vec<(String, String)>,
    /// It carried a secret.
    is_known: bool,
    content_type: Vec<u8>,
}

impl Request {
    /// Parses a head and refuses what is not allowed. Paths below `/api` need a secret.
    pub(crate) fn of(head: &RequestHead<'_>, access: &Access) -> Result<Self, Refusal> {
        access.check_origin(head)?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let path: Vec<String> = head.path.split('/').skip(1).map(decoded).collect();
        let is_known = path.first().is_some_and(|part| part == "api");
        let rights = if is_known { access.check_rights(head.method, head.headers)? } else { Rights::Look };
        let pairs = head.query.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let query: Vec<_> = pairs.map(|(name, value)| (decoded(name), decoded(value))).collect();
        let last = header(head.headers, "last-event-id").and_then(|id| std::str::from_utf8(id).ok());
        let since = query.iter().find(|(name, _)| name == "since").map(|(_, value)| value.as_str());
        let last_event = last.or(since).and_then(|id| id.trim().parse().ok());
        let is_from_page = header(head.headers, "x-swell-client").is_some_and(|client| client == b"page");
        let content_type = header(head.headers, "content-type").unwrap_or_default().to_owned();
        let method = head.method.to_owned();
        Ok(Self { method, path, rights, is_from_page, last_event, query, is_known, content_type })
    }

    /// The value of a name in the query.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it only reads.
    pub fn is_read(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD")
    }

    pub(crate) fn is_known(&self) -> bool {
        self.is_known
    }

    pub(crate) fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// Refuses a change whose body has another type: forms of other pages cannot send that type.
    pub(crate) fn check_type(&self, wanted: &str) -> Result<(), Refusal> {
        let given = self.content_type.split(|byte| *byte == b';').next().unwrap_or_default();
        if self.is_read() || given.trim_ascii().eq_ignore_ascii_case(wanted.as_bytes()) {
            return Ok(());
        }
        Err(Refusal::new(415, format!("unsupported content type: use {wanted}")))
    }
}
