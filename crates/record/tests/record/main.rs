//! The recorder with real sockets and literal bytes.

mod bounds;
mod plain;
mod secure;
mod support;
mod tunnels;
mod upstream;
