//! One trial of a study: run for a time, its seconds kept apart so that a beginning can be cut off.

use std::io;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use swell_run::{Starter, Trial, TrialControl, TrialReport};
use swell_stats::{LabelStats, Reading, Steady, SummaryRow, steady};

use crate::guard::Guard;

/// How often the caller is asked whether the trial is still wanted.
const LOOK: Duration = Duration::from_millis(100);
/// How long running samples may take after the time has passed; then they are aborted, and after as
/// long again abandoned.
const GRACE: Duration = Duration::from_secs(10);

/// What happened in one second of a trial.
#[derive(Clone, Debug)]
pub struct SecondOfTrial {
    /// Its length in seconds: the last one is shorter.
    pub length_s: f64,
    /// All samples, transactions left out.
    pub total: LabelStats,
    /// Figures of the target.
    pub readings: Vec<Reading>,
    /// Workers of the tool that were busy: 1.5 is one and a half.
    pub tool_busy: f64,
}

/// A finished trial.
pub struct MeasuredTrial {
    /// Its seconds in their order; the last one has what ended after the time was over.
    pub seconds: Vec<SecondOfTrial>,
    /// The whole of it.
    pub report: TrialReport,
    /// The caller did not want it any longer.
    pub cut_short: bool,
    /// Why it was ended before its time, by the guard.
    pub aborted: Option<String>,
}

/// Starts a trial and runs it for that time, or to its own end if that is earlier. The time, and
/// the seconds that are kept, begin with the load: a trial that starts on other machines waits for
/// them first. `goes_on` is asked ten times a second; false aborts it. So does the guard, from the
/// third second on.
///
/// # Errors
/// No thread can be had.
pub fn run_for(
    trial: Trial,
    starter: Starter,
    time: Duration,
    guard: Guard,
    mut goes_on: impl FnMut(&TrialControl) -> bool,
) -> io::Result<MeasuredTrial> {
    const TELLING: usize = 3;
    let (notify, inbox) = mpsc::channel();
    let subscription = trial.subscribe_with(move || {
        // The receiver is gone only if it has seen the end.
        let _ = notify.send(());
    });
    let running = starter(trial)?;
    let control = running.control();
    let mut began = control.has_begun().then(Instant::now);
    let mut seconds = Vec::new();
    let mut cut_short = false;
    let mut step = 0;
    let mut all = LabelStats::default();
    let mut aborted = None;
    let mut waits = began.is_none();
    while !subscription.is_over() {
        // A disconnected channel is the end of the trial.
        let _ = inbox.recv_timeout(LOOK);
        while let Some(second) = subscription.try_next() {
            waits &= second.total.samples == 0;
            if waits {
                continue;
            }
            let length_s = (second.at_ns - second.from_ns) as f64 / 1e9;
            all.merge(&second.total);
            seconds.push(SecondOfTrial {
                length_s,
                total: second.total.clone(),
                readings: second.readings.clone(),
                tool_busy: second.workers.iter().map(|worker| worker.busy).sum(),
            });
        }
        if !cut_short && !goes_on(&control) {
            cut_short = true;
            control.stop_now();
        }
        if aborted.is_none() && step == 0 && seconds.len() >= TELLING {
            aborted = guard.broken(&all);
            if aborted.is_some() {
                control.stop_now();
            }
        }
        began = began.or_else(|| control.has_begun().then(Instant::now));
        let since = began.map_or(Duration::ZERO, |began| began.elapsed());
        match step {
            0 if since >= time => control.stop(),
            1 if since >= time + GRACE => control.stop_now(),
            2 if since >= time + GRACE * 2 => control.abandon(),
            _ => continue,
        }
        step += 1;
    }
    Ok(MeasuredTrial { seconds, report: running.wait(), cut_short, aborted })
}

/// How much of the beginning of each trial is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// What looks unlike the rest, by the medians of seconds (MSER), and never less than the first
    /// second of three or more.
    Auto,
    /// So long.
    Time(Duration),
}

/// The figures of the steady part of a trial.
#[derive(Clone, Debug)]
pub struct SteadyPart {
    /// What was cut off, seconds.
    pub cut_s: f64,
    /// What is left, seconds.
    pub length_s: f64,
    /// Whether a steady part was found; where not, the cut is a guess.
    pub is_steady: bool,
    /// Samples a second.
    pub per_s: f64,
    /// Their figures.
    pub row: SummaryRow,
    /// The samples themselves.
    pub all: LabelStats,
    /// Figures of the target.
    pub readings: Vec<Reading>,
    /// Busy workers of the tool.
    pub tool_busy: f64,
}

/// Cuts the beginning off, and the last second, in which the load went away.
pub fn steady_part(seconds: &[SecondOfTrial], warm_up: WarmUp) -> SteadyPart {
    // A trial of less than two seconds has no part to leave out.
    let whole = if seconds.len() > 2 { &seconds[..seconds.len() - 1] } else { seconds };
    let (from, is_steady) = match warm_up {
        WarmUp::Auto => found_cut(whole, least_cut(whole, seconds.len())),
        WarmUp::Time(time) => {
            let mut at = 0;
            let mut sum_s = 0.0;
            while at + 1 < whole.len() && sum_s + 1e-3 < time.as_secs_f64() {
                sum_s += whole[at].length_s;
                at += 1;
            }
            (at, true)
        }
    };
    let mut all = LabelStats::default();
    let mut readings = Vec::new();
    let mut busy = 0.0;
    for second in &whole[from..] {
        all.merge(&second.total);
        Reading::merge(&mut readings, &second.readings);
        busy += second.tool_busy;
    }
    // The sum of no numbers at all would be -0.
    let sum_s = |seconds: &[SecondOfTrial]| seconds.iter().fold(0.0, |sum, second| sum + second.length_s);
    let cut_s = sum_s(&whole[..from]);
    let length_s = sum_s(&whole[from..]);
    let per_s = if length_s > 0.0 { all.samples as f64 / length_s } else { 0.0 };
    let row = SummaryRow::of("", false, &all);
    let tool_busy = busy / whole[from..].len().max(1) as f64;
    SteadyPart { cut_s, length_s, is_steady, per_s, row, all, readings, tool_busy }
}

/// The first second, in which users start, is never counted where there are three or more; the
/// first of all may be a short one.
fn least_cut(whole: &[SecondOfTrial], of_all: usize) -> usize {
    match whole {
        [first, _, _, ..] if first.length_s < 0.9 => 2,
        _ => usize::from(whole.len() < of_all),
    }
}

/// After how many seconds the rest is steady, `least` at least, and whether that was found.
fn found_cut(seconds: &[SecondOfTrial], least: usize) -> (usize, bool) {
    // A second without samples is one in which all waited: its time is unknown, and the previous
    // time is used.
    let mut last = 0.0;
    let medians: Vec<f64> = seconds
        .iter()
        .map(|second| {
            if second.total.samples > 0 {
                last = second.total.quantile_ns(0.5) as f64;
            }
            last
        })
        .collect();
    match steady(&medians) {
        Steady::From(cut) => (cut.max(least), true),
        Steady::TooShort => (least.max(seconds.len() / 5), seconds.len() < 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    fn second(count: u64, ms: u64) -> SecondOfTrial {
        let mut recorder = Recorder::default();
        for _ in 0..count {
            let seen = Observation { elapsed_ns: ms * 1_000_000, success: true, ..Observation::default() };
            recorder.record(&seen);
        }
        SecondOfTrial {
            length_s: 1.0,
            total: recorder.take_interval().total(),
            readings: Vec::new(),
            tool_busy: 0.0,
        }
    }

    #[test]
    fn a_slow_beginning_and_the_last_second_are_left_out() {
        let mut seconds: Vec<_> = (0..6).map(|at| second(10, 100 - 10 * at)).collect();
        seconds.extend((0..20).map(|_| second(100, 10)));
        seconds.push(SecondOfTrial { length_s: 0.2, ..second(50, 900) });
        let part = steady_part(&seconds, WarmUp::Auto);
        assert_eq!((part.is_steady, part.row.samples), (true, 2000));
        assert!((part.cut_s - 6.0).abs() < 1e-9 && (part.per_s - 100.0).abs() < 1e-9, "{part:?}");
        assert!(part.row.max_ms < 11.0, "{part:?}");
        let part = steady_part(&seconds, WarmUp::Time(Duration::from_secs(10)));
        assert!((part.cut_s - 10.0).abs() < 1e-9 && (part.length_s - 16.0).abs() < 1e-9, "{part:?}");
    }

    #[test]
    fn short_trials_keep_something() {
        for count in 0..5_usize {
            let seconds: Vec<_> = (0..count).map(|_| second(10, 5)).collect();
            let part = steady_part(&seconds, WarmUp::Auto);
            let want = [0, 1, 2, 1, 2][count];
            assert_eq!(part.row.samples, 10 * want, "{count}");
            let part = steady_part(&seconds, WarmUp::Time(Duration::from_mins(1)));
            assert_eq!(part.row.samples > 0, count > 0, "{count}");
        }
    }
}
