//! WebSocket samplers with servers that are scripted, hostile, or made by others.

mod hostile;
mod message_sampler;
mod peers;
mod proxy;
mod reads;
pub(crate) mod scripted;
mod server;
