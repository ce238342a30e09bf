//! HTTP/1.1 as bytes: pure, no socket.

pub(crate) mod chunked;
pub(crate) mod error;
pub(crate) mod head;
pub(crate) mod latin1;
pub(crate) mod response;
