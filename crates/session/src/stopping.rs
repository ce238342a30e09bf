//! How signals stop a run: first gently, after a time at once, at last without waiting for
//! anything.

use std::time::{Duration, Instant};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// `SIGINT`, as Ctrl-C sends it: a person wants the end.
    Interrupt,
    /// `SIGTERM`: a system wants the end.
    Terminate,
    /// `SIGHUP`: the terminal is gone.
    HangUp,
    /// `SIGQUIT`, as Ctrl-\\ sends it: show the state of the run, which continues.
    Dump,
}

/// How long running samples may continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace(Option<Duration>);

impl Grace {
    /// As long as they take.
    pub const UNLIMITED: Self = Self(None);

    /// At most this long.
    pub fn of(limit: Duration) -> Self {
        Self(Some(limit))
    }

    /// The longest time; nothing if there is no limit.
    pub fn limit(self) -> Option<Duration> {
        self.0
    }
}

/// Without a setting, after `SIGTERM` and `SIGHUP`: less than the time after which systems that
/// send them kill (10 s docker, 30 s Kubernetes, 90 s systemd), or just that.
const AFTER_TERMINATION: Duration = Duration::from_secs(10);

/// After running samples were aborted, a user ends within this time, or the run is left.
const TO_CUT: Duration = Duration::from_secs(1);

/// A million users end one after the other, which takes seconds; no longer than this.
const TO_CUT_ALL: Duration = Duration::from_secs(10);

/// How long running samples may go on after each kind of signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graces {
    interrupt: Grace,
    terminate: Grace,
}

impl Default for Graces {
    /// The user at the keyboard decides when to press Ctrl-C again.
    fn default() -> Self {
        Self { interrupt: Grace::UNLIMITED, terminate: Grace::of(AFTER_TERMINATION) }
    }
}

impl Graces {
    /// The same for all signals.
    pub fn all(grace: Grace) -> Self {
        Self { interrupt: grace, terminate: grace }
    }
}

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Start nothing more, and let running samples go on so long.
    Graceful(Signal, Grace),
    /// Abort running samples.
    Cut,
    /// Leave, whatever still runs.
    Leave,
}

/// Where the run is on the way to its end.
#[derive(Debug)]
pub(crate) struct Stopping {
    graces: Graces,
    /// When it was first asked for, and what asked.
    asked: Option<(Instant, Signal)>,
    /// When running samples are aborted.
    cut_at: Option<Instant>,
    /// They were aborted.
    ending: Option<Ending>,
}

/// Users end because running samples were aborted.
#[derive(Debug)]
struct Ending {
    /// When to leave whatever still runs, unless users have ended by then.
    leave_at: Instant,
    /// When to leave in any case.
    last: Instant,
    /// Users that had ended at the last look.
    ended: u32,
}

impl Stopping {
    pub(crate) fn new(graces: Graces) -> Self {
        Self { graces, asked: None, cut_at: None, ending: None }
    }

    /// A signal has asked for the end.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// A signal came that wants the end: the first stops gently, the second cuts what runs, the
    /// third leaves. A hang-up does not add to others: systems send it together with a termination,
    /// and shells send it twice.
    pub(crate) fn signal(&mut self, signal: Signal, now: Instant) -> Option<Step> {
        if self.asked.is_none() {
            let terminates = signal != Signal::Interrupt;
            let grace = if terminates { self.graces.terminate } else { self.graces.interrupt };
            self.asked = Some((now, signal));
            let limit = grace.limit().and_then(|limit| now.checked_add(limit));
            self.cut_at = self.cut_at.into_iter().chain(limit).min();
            return Some(Step::Graceful(signal, grace));
        }
        if signal == Signal::HangUp {
            let limit = self.graces.terminate.limit().and_then(|limit| now.checked_add(limit));
            self.cut_at = self.cut_at.into_iter().chain(limit).min();
            return None;
        }
        Some(if self.ending.is_none() { self.cut(now) } else { Step::Leave })
    }

    /// The schedule of the test has ended: running samples may go on this long.
    pub(crate) fn schedule_ended(&mut self, grace: Grace, now: Instant) {
        let limit = grace.limit().and_then(|limit| now.checked_add(limit));
        self.cut_at = self.cut_at.into_iter().chain(limit).min();
    }

    /// What is due by now. `ended`: users that have ended so far.
    pub(crate) fn due(&mut self, now: Instant, ended: impl FnOnce() -> u32) -> Option<Step> {
        if let Some(ending) = &mut self.ending {
            if now < ending.leave_at {
                return None;
            }
            let before = std::mem::replace(&mut ending.ended, ended());
            let goes_on = ending.ended > before && now < ending.last;
            ending.leave_at = now + TO_CUT;
            return (!goes_on).then_some(Step::Leave);
        }
        self.cut_at.is_some_and(|cut_at| cut_at <= now).then(|| self.cut(now))
    }

    fn cut(&mut self, now: Instant) -> Step {
        self.ending = Some(Ending { leave_at: now + TO_CUT, last: now + TO_CUT_ALL, ended: 0 });
        Step::Cut
    }

    /// How long until something is due, at most `most`.
    pub(crate) fn wait(&self, most: Duration, now: Instant) -> Duration {
        let next = self.ending.as_ref().map(|ending| ending.leave_at).or(self.cut_at);
        next.map_or(most, |at| at.saturating_duration_since(now).min(most))
    }

    /// Describes the stop; none if none was requested.
    pub(crate) fn state(&self, now: Instant) -> Option<String> {
        let (at, signal) = self.asked?;
        let since_s = now.saturating_duration_since(at).as_secs_f64();
        let next = match (&self.ending, self.cut_at) {
            (Some(_), _) => "running samples are being cut".to_owned(),
            (None, Some(cut_at)) => {
                let left_s = cut_at.saturating_duration_since(now).as_secs_f64();
                format!("running samples are aborted in {left_s:.1} s")
            }
            (None, None) => "waiting for running samples without a limit".to_owned(),
        };
        Some(format!("stopping for {since_s:.1} s, after {}: {next}", name(signal)))
    }
}

/// What is said when a signal stops the run gently.
pub(crate) fn message(signal: Signal, grace: Grace) -> String {
    let what = match signal {
        Signal::Interrupt => "Interrupted",
        Signal::HangUp => "Hung up",
        Signal::Terminate | Signal::Dump => "Terminated",
    };
    match grace.limit() {
        None => {
            format!(
                "{what}: no new samples are started; waiting for running samples. Again to leave at once."
            )
        }
        Some(limit) => format!(
            "{what}: no new samples are started; running samples have {} s to finish. Again to leave at once.",
            limit.as_secs_f64()
        ),
    }
}

/// What is said when the schedule of the test has ended and samples still run.
pub(crate) fn end_message(running: u32, grace: Grace) -> String {
    let requests =
        if running == 1 { "1 running request".to_owned() } else { format!("{running} running requests") };
    match grace.limit() {
        None => format!("The test time has ended; waiting for {requests}."),
        Some(limit) => {
            format!("The test time has ended; waiting up to {} s for {requests}.", limit.as_secs_f64())
        }
    }
}

fn name(signal: Signal) -> &'static str {
    match signal {
        Signal::Interrupt => "SIGINT",
        Signal::Terminate => "SIGTERM",
        Signal::HangUp => "SIGHUP",
        Signal::Dump => "SIGQUIT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn stopping(graces: Graces) -> (Stopping, Instant) {
        (Stopping::new(graces), Instant::now())
    }

    #[test]
    fn a_termination_cuts_after_ten_seconds_and_leaves_after_eleven() {
        for signal in [Signal::Terminate, Signal::HangUp] {
            let (mut stopping, start) = stopping(Graces::default());
            assert_eq!(stopping.signal(signal, start), Some(Step::Graceful(signal, Grace::of(10 * S))));
            assert_eq!(stopping.due(start + 9 * S, || 7), None);
            assert_eq!(stopping.wait(20 * S, start + 9 * S), S);
            assert_eq!(stopping.due(start + 10 * S, || 7), Some(Step::Cut));
            assert_eq!(stopping.due(start + 10 * S, || 0), None, "once");
            assert_eq!(stopping.due(start + 11 * S, || 0), Some(Step::Leave));
        }
    }

    #[test]
    fn a_million_users_are_waited_for_as_long_as_they_end() {
        let (mut stopping, start) = stopping(Graces::all(Grace::of(Duration::ZERO)));
        stopping.signal(Signal::Interrupt, start);
        assert_eq!(stopping.due(start, || 0), Some(Step::Cut));
        assert_eq!(stopping.due(start + S, || 400_000), None);
        assert_eq!(stopping.due(start + 2 * S, || 800_000), None);
        assert_eq!(stopping.due(start + 2 * S, || 800_000), None, "not before a second has passed again");
        assert_eq!(stopping.due(start + 3 * S, || 800_000), Some(Step::Leave));
    }

    #[test]
    fn users_that_end_for_ever_are_not_waited_for() {
        let (mut stopping, start) = stopping(Graces::all(Grace::of(Duration::ZERO)));
        stopping.signal(Signal::Interrupt, start);
        let steps = (0..12).map(|second| stopping.due(start + second * S, || second));
        let steps: Vec<_> = steps.flatten().collect();
        assert_eq!(steps[..2], [Step::Cut, Step::Leave]);
    }

    #[test]
    fn an_interrupt_waits_without_a_limit_and_twice_cuts() {
        let (mut stopping, start) = stopping(Graces::default());
        assert_eq!(
            stopping.signal(Signal::Interrupt, start),
            Some(Step::Graceful(Signal::Interrupt, Grace::UNLIMITED))
        );
        assert_eq!(stopping.due(start + 10_000 * S, || 7), None);
        assert_eq!(stopping.signal(Signal::Interrupt, start + S), Some(Step::Cut));
        assert_eq!(stopping.signal(Signal::Interrupt, start + S), Some(Step::Leave));
    }

    #[test]
    fn one_option_is_for_all_signals() {
        for signal in [Signal::Interrupt, Signal::Terminate, Signal::HangUp] {
            let (mut stopping, start) = stopping(Graces::all(Grace::of(2 * S)));
            assert_eq!(stopping.signal(signal, start), Some(Step::Graceful(signal, Grace::of(2 * S))));
            assert_eq!(
                (stopping.due(start + S, || 7), stopping.due(start + 2 * S, || 7)),
                (None, Some(Step::Cut))
            );
        }
    }

    #[test]
    fn a_hang_up_behind_another_signal_only_brings_its_limit() {
        let (mut stopping, start) = stopping(Graces::default());
        stopping.signal(Signal::Interrupt, start);
        assert_eq!(stopping.signal(Signal::HangUp, start + S), None);
        assert_eq!(
            (stopping.due(start + 10 * S, || 7), stopping.due(start + 11 * S, || 7)),
            (None, Some(Step::Cut))
        );
    }

    #[test]
    fn words_name_signal_and_limit() {
        assert!(
            message(Signal::Interrupt, Grace::UNLIMITED)
                .starts_with("Interrupted: no new samples are started; waiting")
        );
        assert!(message(Signal::Terminate, Grace::of(10 * S)).contains("have 10 s to finish"));
        let (mut stopping, start) = stopping(Graces::default());
        assert_eq!(stopping.state(start), None);
        stopping.signal(Signal::Terminate, start);
        let said = stopping.state(start + 3 * S);
        assert_eq!(
            said.as_deref(),
            Some("stopping for 3.0 s, after SIGTERM: running samples are aborted in 7.0 s")
        );
    }
}
