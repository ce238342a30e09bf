//! What a trial says, between the lines of a run that is watched.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use swell_run::{Message, MessageSink};

use super::event::Event;
use crate::messages::show;

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
        Message::Monitor(text) | Message::Fleet(text) | Message::Rotation(text) => say(&to, text.to_owned()),
        other => show(&other),
    })
}

fn say(to: &Sender<Event>, text: String) {
    // The watch is over only at the end of the run.
    let _ = to.send(Event::Say(text));
}
