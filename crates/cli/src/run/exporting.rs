//! The figures of a run for other systems, sent and served while it goes on.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use swell_expr::{Host, Properties};
use swell_results::export::{Exports, Identity, Outcome, Settings};
use swell_run::Subscription;

use super::event::Event;
use crate::args::ExportArgs;
use crate::exit::Failure;
use crate::print::print_stderr;
use crate::signals::Signal;

/// How often a signal is looked for while a last fetch is waited for.
const LOOK: Duration = Duration::from_millis(100);

/// Exports of a run that has not started.
pub(crate) struct Exporting(Exports);

impl Exporting {
    /// Starts what the command line asks for; none where it asks for nothing. `to` gets what is to be said while the run goes on.
    ///
    /// # Errors
    /// A property has no sensible value, or an address cannot be had.
    pub(crate) fn begin(
        args: &ExportArgs,
        plan: &str,
        props: &Properties,
        host: &dyn Host,
        to: Sender<Event>,
    ) -> Result<Option<Self>, Failure> {
        if args.export.is_empty() {
            return Ok(None);
        }
        let settings = Settings::of(props, host, &args.export)
            .map_err(|why| Failure::settings(format!("--export: {why}")))?;
        let identity = Identity {
            plan: plan.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..Identity::of_this_machine()
        };
        // The watch is gone only at the end of the run.
        let say = Arc::new(move |text| drop(to.send(Event::Say(text))));
        let exports = Exports::start(&args.export, &settings, identity, &(say as _)).map_err(|why| {
            Failure::settings(why).hint("--export prometheus=127.0.0.1:0 takes a free port")
        })?;
        for address in exports.addresses() {
            print_stderr(&format!("metrics of the run are at http://{address}/metrics"));
        }
        Ok(Some(Self(exports)))
    }

    /// Sets the name of the run.
    pub(crate) fn name_run(&self, name: &str) {
        self.0.name_run(name);
    }

    /// Takes the seconds on a thread of its own until the trial is over.
    pub(super) fn start(mut self, seconds: Subscription) -> io::Result<JoinHandle<Self>> {
        Builder::new().name("swell-exports".to_owned()).spawn(move || {
            let mut background = swell_net::Background::enter();
            for second in seconds {
                self.0.take(&second.interval(), second.is_last);
                background.rest();
            }
            self
        })
    }

    /// Ends it, after the trial. A signal ends the wait for a last fetch.
    pub(super) fn end(self, is_interrupted: bool, inbox: &Receiver<Event>) -> Vec<Outcome> {
        if !is_interrupted {
            self.0.await_last_fetch(|| match inbox.recv_timeout(LOOK) {
                Ok(Event::Signal(signal)) => matches!(signal, Signal::Dump),
                Ok(_) | Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => false,
            });
        }
        self.0.finish()
    }
}

/// What is to be said of exports at the end of a run: those that lost something.
pub(crate) fn losses(outcomes: &[Outcome]) -> impl Iterator<Item = String> {
    let lossy = outcomes.iter().filter(|outcome| outcome.dropped > 0);
    lossy.map(|Outcome { kind, place, delivered, dropped, last_failure, .. }| {
        let why = last_failure.as_ref().map(|why| format!("; the last failure: {why}")).unwrap_or_default();
        format!("the export by {kind} to {place} lost {dropped} of {} requests{why}", delivered + dropped)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_that_lost_something_are_told() {
        let fine = Outcome { kind: "otlp", place: "http://h/".into(), delivered: 3, ..Outcome::default() };
        let lossy = Outcome { dropped: 2, last_failure: Some("refused".into()), ..fine.clone() };
        let told: Vec<_> = losses(&[fine, lossy]).collect();
        assert_eq!(told, ["the export by otlp to http://h/ lost 2 of 5 requests; the last failure: refused"]);
    }
}
