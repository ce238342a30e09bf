//! HTTP/1.1 as bytes, written once for clients and for servers: no socket, no clock.
//!
//! [`client`] writes request heads and reads responses as HttpClient 4.5 does; [`server`] reads
//! requests by RFC 9112 and writes response heads. This level has what both need: the end of a body
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
