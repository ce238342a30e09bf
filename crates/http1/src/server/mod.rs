//! The server's side: reads requests by RFC 9112, and writes response heads.

mod request;
mod response;

pub use request::{Header, RequestHead, header, parse};
pub use response::{Connection, Length, Refusal, ResponseHeadFields};
