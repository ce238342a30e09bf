//! A request on the wire and its response.

use serde::Serialize;

use crate::content::Content;

/// The connection of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Connection {
    /// Number of the connection of its user, from 1.
    pub number: u32,
    /// An open connection was used.
    pub reused: bool,
    /// Address and port of the other end.
    pub address: String,
    /// Address and port of this end.
    pub local_address: String,
    /// Version of TLS; null without TLS.
    pub tls: Option<String>,
    /// Host and port of the proxy; null without one.
    pub proxy: Option<String>,
}

/// A request as it was handed to the socket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Request {
    /// Bytes that were sent.
    pub size: u64,
    /// Request line and headers with the empty line after them.
    pub head: Content,
    /// What was sent after the head.
    pub body: Content,
}

/// A response as it arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Response {
    /// Bytes that arrived.
    pub size: u64,
    /// Status; 0 if the head is not complete.
    pub status: u16,
    /// Status line and headers with the empty line after them.
    pub head: Content,
    /// Content codings of the body that were taken off, such as `gzip`; empty if none.
    pub encoding: String,
}

/// A cookie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Domain that it is for.
    pub domain: String,
    /// Path that it is for.
    pub path: String,
}

/// A cookie that was not stored, or was stored and not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedCookie {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// What happened to cookies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CookieNotes {
    /// There is a Cookie Manager in the scope of the sampler.
    pub managed: bool,
    /// The `Cookie` header that was sent; null if none was.
    pub sent: Option<String>,
    /// Cookies of the jar that were not sent, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_sent: Vec<RefusedCookie>,
    /// Cookies of the response that were stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stored: Vec<Cookie>,
    /// Cookies of the response that were not stored, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedCookie>,
}

/// What the Cache Manager did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheNote {
    /// Nothing was sent: the stored response is still fresh.
    Fresh,
    /// The request asked whether the stored response is still valid.
    Validated,
}

/// One request and its response.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Exchange {
    /// Method.
    pub method: String,
    /// URL.
    pub url: String,
    /// Start of the sample that it is a part of, on the clock of the run.
    #[serde(skip)]
    pub sample_start_ns: i64,
    /// The connection; null if there was none.
    pub connection: Option<Connection>,
    /// The request; null if nothing was sent.
    pub request: Option<Request>,
    /// The response; null if nothing came.
    pub response: Option<Response>,
    /// Why it failed; null if it did not.
    pub error: Option<String>,
    /// Cookies.
    pub cookies: CookieNotes,
    /// What the Cache Manager did; null if it did nothing.
    pub cache: Option<CacheNote>,
}
