//! The client's side: requests out, responses in as HttpClient 4.5 reads them.

mod head;
mod request;
mod response;

pub use head::{ResponseFacts, ResponseHead, closes};
pub use request::{write_header, write_request_line};
pub use response::{DiscardSink, Response, Sink};
