//! What a trial says, in words.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use swell_run::{Message, MessageSink};

use super::event::Event;
use crate::print::{print_of_plan, print_stderr};

/// Shows what a trial says. What belongs between the lines of a run goes through `to`, all else is shown at once.
pub(crate) fn sink(to: Sender<Event>) -> MessageSink {
    Arc::new(move |message| match message {
        Message::MetricsAt(address) => say(&to, format!("metrics are at http://{address}/metrics")),
        Message::GivenUp { waited } => say(
            &to,
            format!(
                "Given up: no server was reached for {:.0} s (--give-up sets how long; 0: never).",
                waited.as_secs_f64()
            ),
        ),
        Message::Monitor(text) | Message::Fleet(text) => say(&to, text.to_owned()),
        other => show(&other),
    })
}

/// Shows what is said where no run is watched.
pub(crate) fn plain_sink() -> MessageSink {
    Arc::new(|message| show(&message))
}

fn say(to: &Sender<Event>, text: String) {
    // The watch is over only at the end of the run.
    let _ = to.send(Event::Say(text));
}

fn show(message: &Message<'_>) {
    match message {
        Message::ResultsFail(failure) => print_stderr(&format!("{failure}; the test goes on")),
        Message::Monitor(text) | Message::Fleet(text) => print_stderr(text),
        Message::Broken(reason) => print_stderr(&format!("error: {reason}")),
        Message::LogFails(error) => {
            print_stderr(&format!("cannot write the log: {error}; nothing more is logged"));
        }
        Message::Printed { line, to_stderr } => print_of_plan(line, *to_stderr),
        Message::MetricsAt(_) | Message::GivenUp { .. } => {}
    }
}
