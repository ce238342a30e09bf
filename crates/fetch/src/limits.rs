//! Limits of a request.

use std::time::Duration;

/// Limits of a request.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time for a connection.
    pub connect: Duration,
    /// How long a server may send or take nothing.
    pub silence: Duration,
    /// The time from the start to the last byte of the answer, redirects included.
    pub total: Duration,
    /// The size of the body.
    pub body: BodyLimit,
    /// Redirects that are followed. Only requests without a body are redirected.
    pub redirects: u8,
}

/// How much of a body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLimit {
    /// A larger body, in bytes, is an error.
    Refuse(u64),
    /// A larger answer is cut, and so is one that only the end of the connection ends.
    Cut(u64),
}
