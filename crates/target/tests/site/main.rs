//! The site from outside: literal bytes over loopback.

mod client;
mod events;
mod examples;
mod flood;
mod http2;
mod mirror;
mod misbehave;
mod protocol;
mod routes;
mod stats;
mod tls;
mod websocket;
