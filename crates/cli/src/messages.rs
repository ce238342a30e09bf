//! What a trial says, in words.

use std::sync::Arc;

use swell_run::{Message, MessageSink};

use crate::print::{print_of_plan, print_stderr};

/// Shows what is said where no run is watched.
pub(crate) fn plain_sink() -> MessageSink {
    Arc::new(|message| show(&message))
}

/// Shows one message.
pub(crate) fn show(message: &Message<'_>) {
    match message {
        Message::ResultsFail(failure) => print_stderr(&format!("{failure}; the test continues")),
        Message::Monitor(text) | Message::Fleet(text) | Message::Rotation(text) => print_stderr(text),
        Message::Broken(reason) => print_stderr(&format!("error: {reason}")),
        Message::LogFails(error) => {
            print_stderr(&format!("cannot write the log: {error}; nothing more is logged"));
        }
        Message::Printed { line, to_stderr } => print_of_plan(line, *to_stderr),
        Message::MetricsAt(_) | Message::GivenUp { .. } => {}
    }
}
