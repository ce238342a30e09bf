//! Sessions as their users see them: bytes in, events and bytes out.

#![expect(
    clippy::decimal_bitwise_operands,
    clippy::unwrap_used,
    reason = "stream numbers and indices are decimal in the RFCs; a failed step of a test ends it"
)]

mod allocations;
mod chunks;
mod flow;
mod frames;
mod hostile;
mod hostile_client;
mod oracle;
mod prepared;
mod record;
