//! Sends a request and receives its response over a kept or a new connection, and retries it if
//! that is allowed.

mod events;
mod files;
mod http2;
mod in_flight;
mod parts;
mod sender;
mod tls;
mod wire;

pub(super) use http2::sessions;
pub(crate) use in_flight::InFlight;
pub(crate) use sender::{Sender, repeats};
pub(crate) use tls::tls_of;
pub(crate) use wire::{WireTrace, add_bytes, traced_connection};
