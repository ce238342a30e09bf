//! HTTP/1.1 without sockets: requests in, answers out, both as bytes (RFC 9110, RFC 9112).

mod body;
mod date;
mod encoding;
mod query;
mod request;
mod response;

pub(crate) use body::{Body, BodyReader};
pub(crate) use date::{DATE_BYTES, format_date, parse_date};
pub(crate) use encoding::{Coding, encode};
pub(crate) use query::{decode, pairs, value};
pub(crate) use request::{Framing, Head, header, parse};
pub(crate) use response::{Connection, DATE_AT, Length, Refusal, Response, reason};
