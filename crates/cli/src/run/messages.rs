//! What a trial says, between the lines of a run that is watched.

use std::sync::Arc;

use swell_run::{Message, MessageSink};
use swell_session::Requests;

use crate::messages::show;

/// Shows what a trial says. What belongs between the lines of a run goes through `to`, all else is
/// shown at once.
pub(crate) fn sink(to: Requests) -> MessageSink {
    Arc::new(move |message| match message {
        Message::MetricsAt(address) => to.say(format!("metrics are at http://{address}/metrics")),
        Message::GivenUp { waited } => to.say(format!(
            "Given up: no server was reached for {:.0} s (--give-up sets how long; 0: never).",
            waited.as_secs_f64()
        )),
        Message::Monitor(text) | Message::Fleet(text) | Message::Rotation(text) => to.say(text.to_owned()),
        other => show(&other),
    })
}
