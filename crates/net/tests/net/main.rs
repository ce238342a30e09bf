//! The event loop, sockets and timestamps of this crate, as other crates use them.

mod alone;
mod connection;
mod event_loop;
mod huge_pages;
mod machine;
mod sockets;
mod sources;
mod stamps;
mod uring;
mod without_stamps;
