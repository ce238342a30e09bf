//! The figures of a run for other systems, sent and served during the run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use swell_expr::{Host, Properties};
use swell_metrics::export::{
    Destination, ExportOutcome, Exports as Sinks, Identity, Settings, TrialIdentity,
};

use crate::observer::{Event, EventSink, Observer, Say, Second};
use crate::{Ended, Problem};

/// How often a signal is looked for while a last fetch is waited for.
const LOOK: Duration = Duration::from_millis(100);

/// Exports of a run.
pub(crate) struct Exports {
    /// Nothing after the end.
    sinks: Option<Sinks>,
    /// A signal wants the end.
    interrupted: Arc<AtomicBool>,
}

/// What exports know about a run, and where they report to.
pub(crate) struct ExportContext<'a> {
    pub(crate) plan: &'a str,
    pub(crate) run: &'a str,
    pub(crate) trial: Option<&'a TrialIdentity>,
    pub(crate) props: &'a Properties,
    pub(crate) host: &'a dyn Host,
    pub(crate) events: &'a EventSink,
    pub(crate) say: &'a Say,
    pub(crate) interrupted: &'a Arc<AtomicBool>,
}

impl Exports {
    /// Starts the exports; nothing if there is no destination.
    ///
    /// # Errors
    /// A property has an invalid value, or an address cannot be had.
    pub(crate) fn begin(to: &[Destination], context: &ExportContext<'_>) -> Result<Option<Self>, Problem> {
        if to.is_empty() {
            return Ok(None);
        }
        let settings = Settings::of(context.props, context.host, to)
            .map_err(|why| Problem::settings(format!("--export: {why}")))?;
        let identity = Identity {
            plan: context.plan.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: context.run.to_owned(),
            trial: context.trial.cloned(),
            ..Identity::of_this_machine()
        };
        let events = context.events.clone();
        let say = Arc::new(move |text| events(Event::Notice(text)));
        let sinks = Sinks::start(to, &settings, identity, &(say as _)).map_err(|why| {
            let serves = to.iter().any(|one| matches!(one, Destination::Prometheus(_)));
            let problem = Problem::settings(why);
            if serves { problem.hint("--export prometheus=127.0.0.1:0 takes a free port") } else { problem }
        })?;
        for address in sinks.addresses() {
            (context.say)(&format!("metrics of the run are at http://{address}/metrics"));
        }
        Ok(Some(Self { sinks: Some(sinks), interrupted: context.interrupted.clone() }))
    }
}

impl Observer for Exports {
    fn second(&mut self, second: &Second) {
        if let Some(sinks) = &mut self.sinks {
            sinks.take(second.interval(), second.is_last);
        }
    }

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        let Some(sinks) = self.sinks.take() else { return Vec::new() };
        let is_wanted = || !self.interrupted.load(Ordering::Relaxed);
        if is_wanted() {
            sinks.await_last_fetch(|| {
                std::thread::sleep(LOOK);
                is_wanted()
            });
        }
        ended.exports = sinks.finish();
        ended.exports.iter().filter(|outcome| is_incomplete_file(outcome)).map(incomplete_file).collect()
    }
}

/// A file that was asked for is a result, unlike what another system gets.
fn is_incomplete_file(outcome: &ExportOutcome) -> bool {
    outcome.kind == "csv" && outcome.dropped > 0
}

fn incomplete_file(outcome: &ExportOutcome) -> Problem {
    let ExportOutcome { place, delivered, dropped, last_failure, .. } = outcome;
    let why = last_failure.as_deref().unwrap_or("the disk is too slow");
    let all = delivered + dropped;
    Problem::output(format!("cannot write {dropped} of {all} seconds to `{place}`: {why}"))
}

/// Messages at the end of a run about the exports that lost something.
pub(crate) fn losses(outcomes: &[ExportOutcome]) -> impl Iterator<Item = String> {
    let lossy = outcomes.iter().filter(|outcome| outcome.dropped > 0 && !is_incomplete_file(outcome));
    lossy.map(|outcome| {
        let ExportOutcome { kind, place, delivered, dropped, last_failure, .. } = outcome;
        let why = last_failure.as_ref().map(|why| format!("; the last failure: {why}")).unwrap_or_default();
        let all = delivered + dropped;
        format!("the export by {kind} to {place} lost {dropped} of {all} {}{why}", outcome.unit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_that_lost_something_are_told() {
        let fine = ExportOutcome {
            kind: "otlp",
            place: "http://h/".into(),
            delivered: 3,
            ..ExportOutcome::default()
        };
        let lossy = ExportOutcome { dropped: 2, last_failure: Some("refused".into()), ..fine.clone() };
        let datagrams =
            ExportOutcome { kind: "statsd", place: "h:1".into(), dropped: 1, ..ExportOutcome::default() };
        let file = ExportOutcome { kind: "csv", place: "s.csv".into(), ..lossy.clone() };
        let told: Vec<_> = losses(&[fine, lossy, datagrams, file.clone()]).collect();
        assert_eq!(
            told,
            [
                "the export by otlp to http://h/ lost 2 of 5 requests; the last failure: refused",
                "the export by statsd to h:1 lost 1 of 1 datagrams",
            ]
        );
        assert_eq!(incomplete_file(&file).message, "cannot write 2 of 5 seconds to `s.csv`: refused");
    }
}
