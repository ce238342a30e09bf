//! Trials as another program runs them: one after the other, several at once, many in one process.

mod after_another;
#[path = "../../../net/tests/net/alone.rs"]
mod alone;
mod bzm;
mod files;
mod many;
mod plans;
mod seconds;
mod together;
