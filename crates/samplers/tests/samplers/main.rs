//! Samplers with sockets of this process.

mod bench;
mod tcp;
mod websocket;
