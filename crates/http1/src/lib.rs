//! HTTP/1.1 as bytes, written once for clients and for servers: no socket, no clock.
//!
//! [`client`] writes heads of requests and reads responses as HttpClient 4.5 does; [`server`] reads
//! requests by RFC 9112 and writes heads of responses. What both need is here: where a body ends
//! ([`BodyDecoder`]), chunks, dates, reason phrases, the characters of heads.

mod body;
mod chunked;
pub mod client;
pub mod date;
mod error;
pub mod latin1;
mod reason;
pub mod server;
mod token;

pub use body::{BodyDecoder, Framing};
pub use chunked::{ChunkRules, LAST_CHUNK, write_chunk_size};
pub use error::WireError;
pub use reason::reason;
pub use token::is_token;
