//! Whether the p95 of a run stands: how much of it can be the tool's own doing.

use swell_stats::Summary;
use swell_stats::verdict::{Criterion, Grade, Verdict};

use crate::cause::total_failure;
use crate::headline::time;
use crate::reason::figure;

/// Less than this is not worth a number, milliseconds.
const LEAST_MS: f64 = 0.005;

/// By how much the tool may have changed the p95 of service times, as far as the gates of the
/// verdict know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// At most this, in milliseconds.
    pub by_ms: f64,
    /// The p95 can only be too high; else it can be too low as well.
    pub is_upwards: bool,
    /// A delay with a known effect was measured.
    pub is_known: bool,
    /// Every gate that is not valid has its effect in `by_ms`; the others have an effect that no
    /// gate knows.
    pub is_whole: bool,
}

/// How far a p95 of this length can be wrong.
pub fn standing(verdict: &Verdict, p95_ms: f64) -> Standing {
    let mut in_times_ms = 0.0;
    let mut late_ms = 0.0;
    let mut is_known = false;
    let mut is_whole = verdict.refusal.is_none();
    for gate in &verdict.gates {
        match (gate.criterion, gate.changed) {
            (Criterion::ReadDelay | Criterion::SendDelay, _) => {
                in_times_ms += gate.value;
                is_known = true;
            }
            (Criterion::StartDelay, Some(changed)) => {
                is_known = true;
                // The changed figure is the one that is farthest off, by what it is allowed.
                let part = changed.by_ns as f64 / changed.allowed_ns() as f64;
                let allowed_ms = (p95_ms * 0.0075).max(0.2);
                let is_p95 = changed.quantile == Some(0.95) && !changed.of_responses;
                late_ms = if is_p95 { changed.by_ns as f64 / 1e6 } else { part * allowed_ms };
            }
            _ => is_whole &= gate.grade() == Grade::Valid,
        }
    }
    Standing { by_ms: in_times_ms + late_ms, is_upwards: late_ms < LEAST_MS, is_known, is_whole }
}

/// How far the p95 may be off because of delays that are too long, after the word for the
/// measurement: ` (p95 up to 3.4 ms off)`.
pub(crate) fn off(verdict: &Verdict, summary: &Summary) -> Option<String> {
    let p95 = &summary.total.quantiles[2];
    if !p95.supported || verdict.grade == Grade::Valid {
        return None;
    }
    let Standing { by_ms, is_known, .. } = standing(verdict, p95.ms);
    (is_known && by_ms >= LEAST_MS).then(|| format!(" (p95 up to {} ms off)", figure(by_ms)))
}

/// Whether the p95 stands, in a sentence; none without one.
pub(crate) fn p95(verdict: &Verdict, summary: &Summary) -> Option<String> {
    let p95 = &summary.total.quantiles[2];
    if !p95.supported || total_failure(summary).is_some() {
        return None;
    }
    let standing = standing(verdict, p95.ms);
    let p95 = time(p95.ms);
    let Standing { by_ms, is_upwards, is_known, is_whole } = standing;
    if !is_known {
        return (!is_whole).then(|| format!("how far these reasons changed p95 {p95} is unknown"));
    }
    let by = figure(by_ms);
    let known = match (by_ms >= LEAST_MS, is_upwards) {
        (true, true) => format!("p95 {p95} may be up to {by} ms too high"),
        (true, false) => format!("p95 {p95} may be up to {by} ms too high or too low"),
        (false, _) if is_whole => {
            return Some(format!("p95 {p95} stands: Swell's own delays changed it by less than 0.01 ms"));
        }
        (false, _) => format!("Swell's own delays changed p95 {p95} by less than 0.01 ms"),
    };
    Some(if is_whole { known } else { format!("{known}; how far the other reasons changed it is unknown") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::verdict::{Evidence, verdict};
    use swell_stats::{Changed, Observation, Recorder};

    /// A thousand samples of 20 ms.
    fn summary(success: bool) -> Summary {
        let mut recorder = Recorder::default();
        for _ in 0..1000 {
            recorder.record(&Observation { success, elapsed_ns: 20_000_000, ..Observation::default() });
        }
        Summary::of(&recorder.take_interval())
    }

    fn said(seen: &Evidence) -> String {
        p95(&verdict(seen), &summary(true)).expect("there are enough samples")
    }

    #[test]
    fn a_good_measurement_says_nothing_of_its_own_delays() {
        let said = |send_ms: f64| {
            let seen = Evidence { send_delay_p99_ns: Some((send_ms * 1e6) as u64), ..Evidence::default() };
            off(&verdict(&seen), &summary(true))
        };
        assert_eq!(said(0.1), None);
        assert_eq!(said(0.4).as_deref(), Some(" (p95 up to 0.4 ms off)"));
        let unknown = Evidence { clock_steps: Some(1), rate_error: Some(0.5), ..Evidence::default() };
        assert_eq!(off(&verdict(&unknown), &summary(true)), None);
    }

    #[test]
    fn delays_in_the_times_make_it_too_high() {
        let sent = Evidence { send_delay_p99_ns: Some(400_000), ..Evidence::default() };
        assert_eq!(said(&sent), "p95 20 ms may be up to 0.4 ms too high");
        let read = Evidence { read_delay_p99_ns: Some(250_000), read_delay_counts: true, ..sent.clone() };
        assert_eq!(said(&read), "p95 20 ms may be up to 0.65 ms too high");
        let apart = Evidence { read_delay_counts: false, ..read };
        assert_eq!(said(&apart), "p95 20 ms may be up to 0.4 ms too high", "a read that does not count");
    }

    #[test]
    fn late_starts_are_limited_by_the_figure_that_they_changed_most() {
        let changed = |quantile, by_ns| Evidence {
            late_starts: Some(Changed { quantile, of_responses: false, measured_ns: 100_000_000, by_ns }),
            ..Evidence::default()
        };
        let own = said(&changed(Some(0.95), 300_000));
        assert_eq!(own, "p95 20 ms may be up to 0.3 ms too high or too low");
        // Twice what the p99 of 100 ms may be off by, 0.75 ms: at most twice the 0.2 ms of a p95 of
        // 20 ms.
        let other = said(&changed(Some(0.99), 1_500_000));
        assert_eq!(other, "p95 20 ms may be up to 0.4 ms too high or too low");
    }

    #[test]
    fn what_no_gate_knows_is_said_to_be_unknown() {
        let good = said(&Evidence { send_delay_p99_ns: Some(1000), ..Evidence::default() });
        assert_eq!(good, "p95 20 ms stands: Swell's own delays changed it by less than 0.01 ms");
        let busy = Evidence { cpu_busy: Some((0, 0.95)), ..Evidence::default() };
        assert_eq!(said(&busy), "how far these reasons changed p95 20 ms is unknown");
        let both = Evidence { send_delay_p99_ns: Some(400_000), ..busy };
        let wanted =
            "p95 20 ms may be up to 0.4 ms too high; how far the other reasons changed it is unknown";
        assert_eq!(said(&both), wanted);
        let late = Evidence { start_delay_p99_ns: Some(5_000_000), ..Evidence::default() };
        assert_eq!(
            said(&late),
            "how far these reasons changed p95 20 ms is unknown",
            "how late says not how far off"
        );
        assert_eq!(p95(&verdict(&Evidence::default()), &summary(true)), None, "nothing was measured");
        assert_eq!(p95(&verdict(&both), &summary(false)), None, "not one sample succeeded");
    }
}
