//! The state of a run, which `SIGQUIT` asks for.

use std::fmt;

use swell_engine::{GroupStatus, Phase, Status};
use swell_stats::Snapshot;

use swell_run::WorkerLoad;

/// Errors that are shown, the most frequent first.
const ERRORS: usize = 5;
/// Characters of an error that are shown.
const ERROR_CHARS: usize = 100;

/// The current state of a run.
pub(crate) struct State<'a> {
    /// None before the engine has started.
    pub(crate) status: Option<&'a Status>,
    /// What was counted so far.
    pub(crate) counted: &'a Snapshot,
    /// The last seconds of each worker.
    pub(crate) workers: &'a [WorkerLoad],
    /// On the way to the end, if a signal has asked for it.
    pub(crate) stopping: Option<String>,
    /// On the clock of [`Status::started_ns`].
    pub(crate) now_ns: i64,
}

const PHASES: [(Phase, &str); 3] =
    [(Phase::SetUp, "set-up"), (Phase::Main, "main"), (Phase::TearDown, "tear-down")];

impl fmt::Display for State<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(status) = self.status else { return write!(f, "state of the run: not started yet") };
        write!(f, "state of the run after {:.1} s; it is running", self.seconds(status))?;
        if let Some(stopping) = &self.stopping {
            write!(f, "\n  {stopping}")?;
        }
        for (phase, name) in PHASES {
            self.phase(f, status, phase, name)?;
        }
        self.samples(f, status)?;
        for WorkerLoad { worker, over_s, busy, waited } in self.workers {
            let [busy, waited] = [busy, waited].map(|part| 100.0 * part);
            write!(
                f,
                "\n  worker {worker}: {busy:.1} % busy, waited for a processor {waited:.1} % of the time, over {over_s:.1} s"
            )?;
        }
        Ok(())
    }
}

impl State<'_> {
    fn seconds(&self, status: &Status) -> f64 {
        (self.now_ns - status.started_ns) as f64 / 1e9
    }

    /// What a phase does, and its groups; nothing of a phase without groups.
    fn phase(&self, f: &mut fmt::Formatter<'_>, status: &Status, phase: Phase, name: &str) -> fmt::Result {
        let groups: Vec<_> = status.groups.iter().filter(|group| group.phase == phase).collect();
        if groups.is_empty() {
            return Ok(());
        }
        let left = status.expected_end_ns.filter(|_| status.phase == Some(phase));
        let left = left.map(|end_ns| format!(", {:.0} s left", (end_ns - self.now_ns).max(0) as f64 / 1e9));
        write!(f, "\n  {name}: {}{}", doing(status, phase, &groups), left.unwrap_or_default())?;
        for group in groups {
            let name = swell_report::plain(&group.name);
            let GroupStatus { active, started, finished, planned, .. } = group;
            write!(
                f,
                "\n    {name}: {active} users run, {started} of {planned} have started, {finished} have ended"
            )?;
        }
        Ok(())
    }

    fn samples(&self, f: &mut fmt::Formatter<'_>, status: &Status) -> fmt::Result {
        let counted = self.counted.total();
        let per_second = counted.samples as f64 / self.seconds(status).max(1e-3);
        let samples = counted.samples;
        let errors = counted.errors;
        write!(f, "\n  samples: {samples}, {per_second:.1}/s in the mean, {errors} failed")?;
        for row in self.counted.errors.rows().into_iter().take(ERRORS) {
            let error = format!("{} {}", row.code, row.message);
            write!(f, "\n    {}: {}", row.count, start_of(swell_report::plain(error.trim()).as_ref()))?;
        }
        Ok(())
    }
}

/// As much of a text as fits a line.
fn start_of(text: &str) -> &str {
    text.char_indices().nth(ERROR_CHARS).map_or(text, |(end, _)| &text[..end])
}

/// Groups of a finished phase have no users any more; in a phase that did not run, none started.
fn doing(status: &Status, phase: Phase, groups: &[&GroupStatus]) -> &'static str {
    let started = groups.iter().any(|group| group.started > 0);
    let active = groups.iter().any(|group| group.active > 0);
    match status.phase {
        Some(now) if now == phase && active => "running",
        Some(now) if now == phase => "no users run now",
        _ if started => "over",
        _ => "not started",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_api::PoolFigures;
    use swell_engine::TimeSpent;
    use swell_stats::{Observation, Recorder};

    fn group(name: &str, phase: Phase, [active, started, finished, planned]: [u32; 4]) -> GroupStatus {
        let wanted_users = Some(planned);
        let wanted_per_second = None;
        GroupStatus {
            name: name.into(),
            phase,
            active,
            started,
            finished,
            planned,
            wanted_users,
            wanted_per_second,
        }
    }

    fn status() -> Status {
        let groups = vec![
            group("log in", Phase::SetUp, [0, 1, 1, 1]),
            group("shop", Phase::Main, [120, 123, 3, 500]),
            group("clean", Phase::TearDown, [0, 0, 0, 0]),
        ];
        Status {
            phase: Some(Phase::Main),
            is_held: false,
            is_paused: false,
            active: 120,
            started: 124,
            finished: 4,
            planned: 501,
            started_ns: 1_000_000_000,
            expected_end_ns: Some(53_000_000_000),
            samples: 3,
            spent: TimeSpent::default(),
            foreign: PoolFigures::default(),
            checks: PoolFigures::default(),
            groups,
            rows_read: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn it_tells_users_by_group_phases_samples_errors_and_workers() {
        let mut recorder = Recorder::default();
        for (success, message) in [(true, "OK"), (true, "OK"), (false, "Connection refused")] {
            recorder.record(&Observation { label: "a", success, message, ..Observation::default() });
        }
        let counted = recorder.take_interval();
        let status = status();
        let workers = [WorkerLoad { worker: 1, over_s: 5.0, busy: 0.423, waited: 0.011 }];
        let stopping = Some("stopping for 3.0 s, after SIGTERM: …".to_owned());
        let now_ns = 11_000_000_000;
        let said = State { status: Some(&status), counted: &counted, workers: &workers, stopping, now_ns };
        let lines = [
            "state of the run after 10.0 s; it is running",
            "  stopping for 3.0 s, after SIGTERM: …",
            "  set-up: over",
            "    log in: 0 users run, 1 of 1 have started, 1 have ended",
            "  main: running, 42 s left",
            "    shop: 120 users run, 123 of 500 have started, 3 have ended",
            "  tear-down: not started",
            "    clean: 0 users run, 0 of 0 have started, 0 have ended",
            "  samples: 3, 0.3/s in the mean, 1 failed",
            "    1: Connection refused",
            "  worker 1: 42.3 % busy, waited for a processor 1.1 % of the time, over 5.0 s",
        ];
        assert_eq!(said.to_string(), lines.join("\n"));
    }

    #[test]
    fn before_the_start_there_is_not_much_to_tell() {
        let counted = Recorder::default().take_interval();
        let said = State { status: None, counted: &counted, workers: &[], stopping: None, now_ns: 0 };
        assert_eq!(said.to_string(), "state of the run: not started yet");
    }
}
