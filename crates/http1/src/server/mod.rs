//! The server's side: requests in by RFC 9112, heads of responses out.

mod request;
mod response;

pub use request::{Header, RequestHead, header, parse};
pub use response::{Connection, Length, Refusal, ResponseHeadFields};
