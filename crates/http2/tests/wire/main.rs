//! Sessions as their users see them: bytes in, events and bytes out.

mod allocations;
mod chunks;
mod flow;
mod frames;
mod hostile;
mod hostile_client;
mod oracle;
mod record;
