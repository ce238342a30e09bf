//! Studies: what is learned from many trials. Here are the parts that belong to no single trial: the server under test, which is started
//! and stopped with the settings that a study asks for.
//!
//! Nothing here reads arguments or writes to a terminal; results are values and texts.

pub mod server;
