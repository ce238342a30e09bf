//! Calls that are evaluated elsewhere, and their results.

use crate::thrown::Thrown;

/// A call that is evaluated elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteCall {
    /// The place of the call in the plan, from [`crate::RemoteFunctions::define`].
    pub number: u32,
    /// Values of its arguments.
    pub arguments: Vec<String>,
}

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteFault {
    /// The text of the call is empty, and the reason goes to the log.
    Empty(String),
    /// The function threw an exception.
    Thrown(Thrown),
    /// Nothing is known of what the call did: the test has to stop.
    Lost(String),
}
