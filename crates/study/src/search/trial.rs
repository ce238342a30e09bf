//! One trial of a search: run for a time, and no longer than it can tell something.

use std::io;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use swell_run::{Starter, Trial, TrialControl, TrialReport};
use swell_stats::{LabelStats, Reading, Snapshot};

use super::judge::{Second, TrialRequest};
use crate::limit::share_of_processors;

/// How often it is looked at whether the trial is still wanted.
const LOOK: Duration = Duration::from_millis(100);
/// How long running samples may take after the time has passed; then they are aborted, and after as
/// long again abandoned.
pub(super) const GRACE: Duration = Duration::from_secs(30);

/// Why a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrialEnd {
    /// At the end of its time.
    InTime,
    /// By itself, before that.
    ByItself,
    /// It could only fail.
    Lost,
    /// There was no response.
    Unreachable,
    /// It is not wanted any more, or the server is gone.
    NotWanted,
}

/// Seconds begin and end with the clock's, so a trial may need this much longer for its steady
/// part.
const SLACK: Duration = Duration::from_secs(3);

/// A finished trial.
pub(super) struct ObservedTrial {
    /// Its steady part.
    pub(super) steady: Vec<Second>,
    /// Figures of the target over it.
    pub(super) readings: Vec<Reading>,
    /// Share of the processors here that the tool's workers took.
    pub(super) tool_cpu: Option<f64>,
    pub(super) report: TrialReport,
    pub(super) ended: TrialEnd,
    /// Samples did not end after the load was gone.
    pub(super) stuck: bool,
    /// Users without a response in the whole of the steady part.
    pub(super) starved: UnansweredRequests,
}

/// Requests that were not answered in the whole of a steady part; they are among no sample of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnansweredRequests {
    pub(super) requests: u64,
    /// Users that there were.
    pub(super) users: u32,
}

impl UnansweredRequests {
    /// What that says about the server, if it is not by chance.
    pub(super) fn words(self) -> Option<String> {
        const SOME: f64 = 0.01;
        let Self { requests, users } = self;
        (requests as f64 > SOME * f64::from(users))
            .then(|| format!("{requests} requests of {users} users had no response in the whole trial"))
    }
}

/// Starts it and runs it from when load is made, on other machines after they have come:
/// `warm_up_s` that does not count, then `seconds`. `goes_on` is asked ten times a second.
pub(super) fn watch(
    (trial, starter): (Trial, Starter),
    (warm_up_s, seconds): (f64, f64),
    asked: &TrialRequest<'_>,
    mut goes_on: impl FnMut(&TrialControl) -> bool,
) -> io::Result<ObservedTrial> {
    let (notify, inbox) = mpsc::channel();
    let subscription = trial.subscribe_with(move || {
        // The receiver is gone only if it has seen the end.
        let _ = notify.send(());
    });
    let running = starter(trial)?;
    let control = running.control();
    let mut began = control.has_begun().then(Instant::now);
    let mut waits = began.is_none();
    let whole = Duration::from_secs_f64(warm_up_s + seconds);
    let mut seen = SteadyProgress::new(asked, warm_up_s, seconds);
    let mut ended = None;
    let mut stopped_at = None;
    let mut step = 0;
    while !subscription.is_over() {
        // A disconnected channel is the end of the trial.
        let _ = inbox.recv_timeout(LOOK);
        while let Some(second) = subscription.try_next() {
            waits &= second.total.samples == 0;
            match stopped_at {
                None if !waits => seen.take(&Interval::of(&second)),
                Some(_) if ended == Some(TrialEnd::InTime) => seen.take_late(&second.total),
                _ => {}
            }
        }
        began = began.or_else(|| control.has_begun().then(Instant::now));
        if ended.is_none() {
            ended = if goes_on(&control) { seen.verdict() } else { Some(TrialEnd::NotWanted) };
            ended = ended.or((seen.is_whole() || began.is_some_and(|at| at.elapsed() >= whole + SLACK))
                .then_some(TrialEnd::InTime));
            if let Some(why) = ended {
                // Requests to a server that answers nothing end with the search's patience for
                // them, not with their own.
                if why == TrialEnd::InTime && seen.all.samples > 0 {
                    control.stop();
                } else {
                    control.stop_now();
                }
                stopped_at = Some(Instant::now());
            }
        }
        let since = stopped_at.map_or(Duration::ZERO, |at| at.elapsed());
        match step {
            0 if since >= GRACE => control.stop_now(),
            1 if since >= GRACE * 2 => control.abandon(),
            _ => continue,
        }
        step += 1;
    }
    let ended = ended.unwrap_or(TrialEnd::ByItself);
    let report = running.wait();
    let stuck = step > 0;
    // What had to be aborted has waited for longer than the trial.
    let cut = report.outcome.as_ref().filter(|_| stuck).map_or(0, |outcome| outcome.cut);
    Ok(seen.end(report, ended, stuck.then_some(cut)))
}

/// What a trial counted in a second.
pub(super) struct Interval<'a> {
    pub(super) length_s: f64,
    /// The trial has finished.
    pub(super) is_last: bool,
    /// All samples, transactions left out.
    pub(super) total: &'a LabelStats,
    /// The samples of each label, and failures.
    pub(super) labels: Snapshot,
    /// Users that run.
    pub(super) users: u32,
    /// Figures of the target.
    pub(super) readings: &'a [Reading],
    /// Busy workers of the tool: 1.5 is one and a half.
    pub(super) tool_busy: f64,
}

impl<'a> Interval<'a> {
    fn of(second: &'a swell_run::Second) -> Self {
        Self {
            length_s: (second.at_ns - second.from_ns) as f64 / 1e9,
            is_last: second.is_last,
            total: &second.total,
            labels: second.labels(),
            users: second.status.as_ref().map_or(0, |status| status.active),
            readings: &second.readings,
            tool_busy: second.workers.iter().map(|worker| worker.busy).sum(),
        }
    }
}

/// The steady part as it grows.
pub(super) struct SteadyProgress<'a> {
    asked: &'a TrialRequest<'a>,
    warm_up_s: f64,
    seconds: f64,
    so_far_s: f64,
    steady: Vec<Second>,
    readings: Vec<Reading>,
    /// Busy workers, summed up over the seconds.
    busy: f64,
    samples: u64,
    unreached: u64,
    /// The most users that there were.
    users: u32,
    /// All of the steady part.
    all: LabelStats,
    /// Samples that ended after it and took longer than the whole of it.
    late: u64,
}

/// What is left of a short last second says little.
const LEAST_S: f64 = 0.2;

impl<'a> SteadyProgress<'a> {
    pub(super) fn new(asked: &'a TrialRequest<'a>, warm_up_s: f64, seconds: f64) -> Self {
        Self {
            asked,
            warm_up_s,
            seconds,
            so_far_s: 0.0,
            steady: Vec::new(),
            readings: Vec::new(),
            busy: 0.0,
            samples: 0,
            unreached: 0,
            users: 0,
            all: LabelStats::default(),
            late: 0,
        }
    }

    pub(super) fn take(&mut self, second: &Interval<'_>) {
        let Interval { length_s, total, .. } = *second;
        let counted = Second::of(length_s, total.clone(), &second.labels, self.asked.rules);
        self.samples += counted.total.samples;
        self.unreached += counted.unreached;
        let from_s = self.so_far_s;
        self.so_far_s += length_s;
        if from_s + 1e-3 < self.warm_up_s || length_s < LEAST_S || second.is_last {
            return;
        }
        self.users = self.users.max(second.users);
        self.all.merge(&counted.total);
        self.steady.push(counted);
        Reading::merge(&mut self.readings, second.readings);
        self.busy += second.tool_busy;
    }

    /// Samples that ended after the load was gone.
    pub(super) fn take_late(&mut self, total: &LabelStats) {
        // Slow as the others are, and within the rules, a sample may take longer than a short
        // trial.
        const FAR_SLOWER: f64 = 10.0;
        let limits = self.asked.rules.iter().filter_map(super::Slo::limit_ms);
        let slow_ms = limits.fold(FAR_SLOWER * self.all.quantile_ns(0.5) as f64 / 1e6, f64::max);
        let whole_ns = (1e9 * self.length_s()).max(1e6 * slow_ms) as u64;
        self.late += total.elapsed.count() - total.elapsed.count_up_to(whole_ns);
    }

    fn length_s(&self) -> f64 {
        self.steady.iter().map(|second| second.length_s).sum()
    }

    /// The steady part is as long as was asked.
    pub(super) fn is_whole(&self) -> bool {
        self.length_s() > self.seconds - 0.1
    }

    /// Why the trial can end now.
    pub(super) fn verdict(&self) -> Option<TrialEnd> {
        const FEW: u64 = 20;
        if self.so_far_s >= 0.5
            && self.samples >= FEW
            && 2 * self.unreached > self.samples
            && self.steady.len() < 2
        {
            return Some(TrialEnd::Unreachable);
        }
        // So much is needed to tell what was reached.
        const TELLING: usize = 3;
        if self.steady.len() < TELLING {
            return None;
        }
        let of_all = self.length_s() / self.seconds;
        let lost = self.asked.broken(&self.all).is_some()
            || self.asked.rules.iter().enumerate().any(|(at, rule)| {
                let seconds: Vec<_> =
                    self.steady.iter().filter_map(|second| second.of_rules.get(at).cloned()).collect();
                rule.is_lost(&seconds, of_all.min(1.0), self.asked.offered_per_s.is_some())
            });
        lost.then_some(TrialEnd::Lost)
    }

    /// The trial, as it ended. `cut` is the number of samples that had to be aborted since they
    /// did not end after the load was gone; none: all ended.
    pub(super) fn end(self, report: TrialReport, ended: TrialEnd, cut: Option<u64>) -> ObservedTrial {
        let tool_cpu = self.tool_cpu();
        let starved = UnansweredRequests { requests: self.late + cut.unwrap_or(0), users: self.users };
        let Self { steady, readings, .. } = self;
        ObservedTrial { steady, readings, tool_cpu, report, ended, stuck: cut.is_some(), starved }
    }

    fn tool_cpu(&self) -> Option<f64> {
        (!self.steady.is_empty()).then(|| share_of_processors(self.busy / self.steady.len() as f64))
    }
}
