//! The client's side: writes requests, and reads responses as HttpClient 4.5 does.

mod head;
mod request;
mod response;

pub use head::{ResponseFacts, ResponseHead, closes};
pub use request::{write_header, write_request_line};
pub use response::{DiscardSink, Response, Sink, take_head};
