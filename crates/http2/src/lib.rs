//! HTTP/2 as bytes (RFC 9113, RFC 7541), for clients and for servers: no socket, no clock.
//!
//! A session takes the bytes that arrive ([`client::Session::feed`]), calls [`Events`], and appends
//! the bytes to send to a buffer of its caller. Heads come out as HTTP/1 shaped lines, so that code
//! for HTTP/1.1 can read them. The library `h2` is not used on the request path: it costs 3.2 to
//! 5.6 µs of user time and 18 allocations per request.
//!
//! [`client`] and [`server`] are two views of one `connection`; [`hpack`] compresses heads.

pub mod client;
mod connection;
mod error;
mod events;
mod fields;
mod frame;
pub mod hpack;
mod lines;
pub mod server;
mod settings;

pub use connection::Scratch;
pub use error::{ConnectionError, ErrorCode, InvalidField, StreamReset};
pub use events::{Data, Events, RequestHead, ResponseHead, Trailers};
pub use fields::Fields;
pub use frame::StreamId;
pub use settings::{PeerSettings, Settings};

/// What a client sends first (RFC 9113 §3.4).
pub const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
