//! Sending a request and receiving its response: over a connection that is kept or made, again
//! where that is allowed.

mod files;
mod in_flight;
mod parts;
mod sender;
mod tls;

pub(crate) use in_flight::InFlight;
pub(crate) use sender::{Sender, repeats};
