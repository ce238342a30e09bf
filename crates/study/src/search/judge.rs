//! What a trial says: the questions of `measure`'s seconds in their order. Pure.

use swell_report::number::{ms, rate};
use swell_stats::capacity::{Proportion, TrialOutcome, growth};
use swell_stats::threshold::Unit;
use swell_stats::verdict::{Criterion, Grade, Verdict};
use swell_stats::{LabelStats, Snapshot};

use super::slo::Slo;
use crate::guard::Guard;

/// A second of a trial.
#[derive(Clone, Debug, Default)]
pub(super) struct Second {
    /// Its length in seconds.
    pub(super) length_s: f64,
    /// All samples, transactions left out.
    pub(super) total: LabelStats,
    /// The samples of each rule.
    pub(super) of_rules: Vec<LabelStats>,
    /// Failed samples that never reached a server.
    pub(super) unreached: u64,
}

impl Second {
    /// From what was counted.
    pub(super) fn of(length_s: f64, total: LabelStats, labels: &Snapshot, rules: &[Slo]) -> Self {
        let of_rules = rules.iter().map(|rule| rule.select(&total, || labels.clone())).collect();
        let unreached = labels.errors.count(swell_stats::FailureKind::is_unreached);
        Self { length_s, total, of_rules, unreached }
    }
}

/// What was asked of a trial.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrialRequest<'a> {
    /// Rules that the server has to keep.
    pub(super) rules: &'a [Slo],
    /// Requests a second that were wanted; none where users set the pace.
    pub(super) offered_per_s: Option<f64>,
    /// Users, where they set the pace.
    pub(super) users: Option<f64>,
    /// Where samples are too few, the figure decides.
    pub(super) decide: bool,
    /// What ends a trial whatever the rules say.
    pub(super) guard: Guard,
}

impl TrialRequest<'_> {
    /// The guard, without what a rule is about.
    fn guard(&self) -> Guard {
        let is_of = |unit: Unit| self.rules.iter().any(|rule| rule.unit() == unit);
        Guard {
            errors: self.guard.errors && !is_of(Unit::Percent),
            times: self.guard.times && !is_of(Unit::Milliseconds),
        }
    }

    /// Why a trial with these samples is to end, whatever the rules say.
    pub(super) fn broken(&self, all: &LabelStats) -> Option<String> {
        self.guard().broken(all)
    }
}

/// The judgement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judgement {
    /// Result of the trial.
    pub(super) outcome: TrialOutcome,
    /// Why, as text.
    pub(super) why: String,
    /// The rule that broke.
    pub(super) broke: Option<usize>,
    /// Samples were too few to be sure, and the figure decided.
    pub(super) by_figure: bool,
    /// The load that a server near its limit tells by itself: requests a second that were reached
    /// where more were wanted, or users with whom a time would just have held.
    pub(super) reached: Option<f64>,
}

/// A part of the wanted requests that was not made may be chance.
const REACHED: f64 = 0.99;

/// Judges the steady part of a trial that the server lived through.
pub(super) fn judge(asked: &TrialRequest<'_>, steady: &[Second], verdict: Option<&Verdict>) -> Judgement {
    let server = of_server(asked, steady);
    if server.outcome != TrialOutcome::Fail {
        // What the tool did late makes times longer, never shorter: a server that passes all the
        // same has passed.
        return server;
    }
    let by_errors = match server.broke {
        Some(at) => broken_by_failures(asked, at, steady),
        None => asked.guard().errors && broken(asked, steady).is_some(),
    };
    let Some(why) = verdict.and_then(|verdict| tool_fault(asked, by_errors, verdict)) else { return server };
    Judgement { outcome: TrialOutcome::Void, why, broke: None, by_figure: false, reached: None }
}

/// The rule at that index is about failures, or too many samples failed for their times to matter.
fn broken_by_failures(asked: &TrialRequest<'_>, at: usize, steady: &[Second]) -> bool {
    let Some(rule) = asked.rules.get(at) else { return false };
    let mut all = LabelStats::default();
    for second in steady.iter().filter_map(|second| second.of_rules.get(at)) {
        all.merge(second);
    }
    rule.unit() == Unit::Percent || rule.is_broken_by_failures(&all)
}

fn of_server(asked: &TrialRequest<'_>, steady: &[Second]) -> Judgement {
    let open = asked.offered_per_s.is_some();
    let length_s: f64 = steady.iter().map(|second| second.length_s).sum();
    let samples: u64 = steady.iter().map(|second| second.total.samples).sum();
    let reached_per_s = asked
        .offered_per_s
        .filter(|offered| {
            length_s > 0.0
                && (samples as f64) < REACHED * offered * length_s - 3.0 * (offered * length_s).sqrt()
        })
        .map(|_| samples as f64 / length_s);
    let told = |outcome, why: String| Judgement {
        outcome,
        why,
        broke: None,
        by_figure: false,
        reached: reached_per_s,
    };
    if steady.is_empty() {
        return told(TrialOutcome::Undecided, "no steady second".to_owned());
    }
    if samples == 0 {
        // A server that hangs does so in a longer trial, too.
        let outcome = if asked.decide { TrialOutcome::Fail } else { TrialOutcome::Undecided };
        return told(outcome, "no response at all".to_owned());
    }
    let mut unsure = None;
    let mut first = String::new();
    let mut by_figure = false;
    for (at, rule) in asked.rules.iter().enumerate() {
        let seconds: Vec<_> = steady.iter().filter_map(|second| second.of_rules.get(at).cloned()).collect();
        let judged = rule.judge(&seconds, length_s, open);
        let words = words_of(rule, judged.value, open);
        let outcome = match judged.outcome {
            Proportion::Unsure if asked.decide => {
                by_figure = true;
                if rule.figure_holds(&judged) { Proportion::Within } else { Proportion::Beyond }
            }
            other => other,
        };
        match outcome {
            Proportion::Beyond => {
                let users = asked
                    .users
                    .and_then(|users| users_at_limit(users, samples as f64 / length_s, rule, judged.value));
                let failed = told(TrialOutcome::Fail, words);
                return Judgement { broke: Some(at), by_figure, reached: failed.reached.or(users), ..failed };
            }
            Proportion::Unsure => unsure = Some(words),
            Proportion::Within if first.is_empty() => first = words,
            Proportion::Within => {}
        }
    }
    if let Some(why) = broken(asked, steady).or_else(|| queue(asked, steady, reached_per_s)) {
        return told(TrialOutcome::Fail, why);
    }
    match unsure {
        Some(words) => {
            told(TrialOutcome::Undecided, format!("{words}: too close or too few samples to decide"))
        }
        None => Judgement { by_figure, ..told(TrialOutcome::Pass, first) },
    }
}

/// With how many users a time would just have kept its limit, if the server is saturated: then
/// fewer users make responses quicker but not fewer (N = X (R + Z), Little's law, whatever the
/// pause Z).
fn users_at_limit(users: f64, per_s: f64, rule: &Slo, value_ms: Option<f64>) -> Option<f64> {
    let above_ms = value_ms? - rule.limit_ms_of_all()?;
    let at_limit = users - per_s * above_ms / 1e3;
    (above_ms > 0.0 && at_limit > 0.0).then_some(at_limit)
}

fn broken(asked: &TrialRequest<'_>, steady: &[Second]) -> Option<String> {
    let mut all = LabelStats::default();
    for second in steady {
        all.merge(&second.total);
    }
    asked.broken(&all)
}

fn words_of(rule: &Slo, value: Option<f64>, open: bool) -> String {
    let times = if rule.is_of_responses(open) { " of response times" } else { "" };
    let figure = match (value, rule.unit()) {
        (None, _) => "no sample".to_owned(),
        (Some(value), Unit::Milliseconds) => format!("{} ms", ms(value)),
        (Some(value), unit) => format!("{} {}", rate(value), unit.sign()),
    };
    format!("{}{times}: {figure}", rule.text())
}

/// A queue that grows fails the server although its times still hold.
fn queue(asked: &TrialRequest<'_>, steady: &[Second], reached_per_s: Option<f64>) -> Option<String> {
    let offered = asked.offered_per_s?;
    if let Some(reached) = reached_per_s {
        return Some(format!("{}/s of {}/s were answered", rate(reached), rate(offered)));
    }
    // Requests in flight by Little's law: the times of a second's requests, summed up.
    let in_flight: Vec<f64> = steady
        .iter()
        .filter(|second| second.length_s > 0.9)
        .map(|second| {
            let sum_ns = if second.total.response.is_empty() {
                second.total.sum_ns
            } else {
                second.total.sum_response_ns
            };
            sum_ns as f64 / 1e9 / second.length_s
        })
        .collect();
    let growth = growth(&in_flight, offered)?;
    growth.grows.then(|| format!("its queue grew by {} requests a second", rate(growth.per_s)))
}

/// Why a trial says nothing of the server: the tool or its machine were at fault.
fn tool_fault(asked: &TrialRequest<'_>, by_errors: bool, verdict: &Verdict) -> Option<String> {
    use Criterion as C;
    let open = asked.offered_per_s.is_some();
    let of_responses = |rule: &&Slo| rule.is_of_responses(open);
    let any_ms = asked.rules.iter().filter_map(Slo::limit_ms).reduce(f64::min);
    let least_ms = asked.rules.iter().filter(of_responses).filter_map(Slo::limit_ms).reduce(f64::min);
    // A delay matters where the rules are about times that are not far longer.
    let matters =
        |value_ms: f64, limit_ms: Option<f64>| limit_ms.is_none_or(|limit_ms| value_ms > 0.05 * limit_ms);
    let at_fault = |gate: &swell_stats::verdict::Gate| match gate.criterion {
        // A tool that is late makes no response an error.
        criterion if by_errors && criterion != C::ResourceExhaustion => false,
        C::StartDelay if least_ms.is_some() => gate.grade() > Grade::Valid && matters(gate.value, least_ms),
        C::ReadDelay if verdict.read_delay_counts => {
            gate.grade() > Grade::Valid && matters(gate.value, any_ms)
        }
        C::StartDelay | C::ReadDelay | C::SendDelay => {
            gate.grade() == Grade::Invalid && matters(gate.value, any_ms)
        }
        C::CpuBusy | C::RunQueueWait | C::DiskWait => gate.grade() == Grade::Invalid,
        C::Steal => gate.value > 0.05,
        C::ResourceExhaustion | C::MemoryUsed => gate.grade() > Grade::Valid,
        _ => false,
    };
    let gates: Vec<_> = verdict.gates.iter().filter(|gate| at_fault(gate)).cloned().collect();
    if gates.is_empty() {
        return None;
    }
    let grade = Grade::Invalid;
    let only = Verdict { grade, gates, ..verdict.clone() };
    let reasons = swell_report::reasons(&only);
    Some(if reasons.is_empty() {
        "the tool did not measure accurately enough".to_owned()
    } else {
        reasons.join("; ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::verdict::{Evidence, verdict};
    use swell_stats::{Observation, Recorder};

    fn seconds(count: usize, per_s: u64, ms: impl Fn(usize) -> u64, rules: &[Slo]) -> Vec<Second> {
        let second = |at: usize| {
            let mut recorder = Recorder::default();
            for _ in 0..per_s {
                let ns = ms(at) * 1_000_000;
                let seen = Observation {
                    success: true,
                    elapsed_ns: ns,
                    response_ns: Some(ns),
                    ..Observation::default()
                };
                recorder.record(&seen);
            }
            let labels = recorder.take_interval();
            Second::of(1.0, labels.total(), &labels, rules)
        };
        (0..count).map(second).collect()
    }

    fn asked(rules: &[Slo], offered: f64) -> TrialRequest<'_> {
        TrialRequest { rules, offered_per_s: Some(offered), users: None, decide: false, guard: Guard::ON }
    }

    #[test]
    fn the_questions_have_an_order() {
        let rules = [Slo::parse("p(99)<100ms").expect("a rule")];
        let of = |seconds: &[Second], offered| judge(&asked(&rules, offered), seconds, None);
        let good = of(&seconds(10, 100, |_| 20, &rules), 100.0);
        assert_eq!((good.outcome, good.reached), (TrialOutcome::Pass, None), "{good:?}");
        assert!(good.why.starts_with("p(99)<100ms of response times: 20."), "{good:?}");
        let slow = of(&seconds(10, 100, |_| 200, &rules), 200.0);
        assert_eq!((slow.outcome, slow.broke, slow.reached), (TrialOutcome::Fail, Some(0), Some(100.0)));
        assert_eq!(
            of(&seconds(10, 80, |_| 20, &rules), 100.0).outcome,
            TrialOutcome::Fail,
            "not all were answered"
        );
        let growing = of(&seconds(6, 1000, |at| 20 + 13 * at as u64, &rules), 1000.0);
        assert_eq!(growing.outcome, TrialOutcome::Fail, "{growing:?}");
        assert!(growing.why.contains("queue grew"), "{growing:?}");
        assert_eq!(of(&seconds(2, 100, |_| 20, &rules), 100.0).outcome, TrialOutcome::Undecided);
        assert_eq!(of(&[], 100.0).outcome, TrialOutcome::Undecided);
        assert_eq!(of(&seconds(3, 0, |_| 20, &rules), 100.0).why, "no response at all");
    }

    #[test]
    fn most_samples_failed_and_no_rule_is_about_that() {
        let failing = |rules: &[Slo]| {
            let mut seconds = seconds(10, 100, |_| 2, rules);
            for second in &mut seconds {
                second.total.errors = 60;
            }
            judge(&asked(rules, 100.0), &seconds, None)
        };
        let quick = failing(&[Slo::parse("mean<30ms").expect("a rule")]);
        assert_eq!(
            (quick.outcome, &*quick.why),
            (TrialOutcome::Fail, "60 % of the samples failed, more than half")
        );
        let rules = ["mean<30ms", "errors<70%"].map(|rule| Slo::parse(rule).expect("a rule"));
        assert!(!asked(&rules, 100.0).guard().errors && !asked(&rules, 100.0).guard().times);
    }

    #[test]
    fn the_last_trial_of_a_load_is_decided_by_its_figure() {
        let rules = [Slo::parse("p(99)<100ms").expect("a rule")];
        let asked = TrialRequest { decide: true, ..asked(&rules, 100.0) };
        let found = judge(&asked, &seconds(2, 100, |_| 20, &rules), None);
        assert_eq!((found.outcome, found.by_figure), (TrialOutcome::Pass, true));
    }

    /// A pool of 25 with 20 ms: 1,250/s, and 50 users have 40 ms each. 30 ms are those of 37.5
    /// users; with a pause of 10 ms, those of 50.
    #[test]
    fn users_that_wait_too_long_tell_with_how_many_the_limit_would_hold() {
        let of = |rule: &str, users, per_s, ms| {
            let rules = [Slo::parse(rule).expect("a rule")];
            let asked = TrialRequest { offered_per_s: None, users: Some(users), ..asked(&rules, 0.0) };
            let judged = judge(&asked, &seconds(4, per_s, |_| ms, &rules), None);
            (judged.outcome, judged.reached.map(|users| (users * 2.0).round() / 2.0))
        };
        assert_eq!(of("mean<30ms", 50.0, 1_250, 40), (TrialOutcome::Fail, Some(37.5)));
        assert_eq!(of("mean<30ms", 62.5, 1_250, 40), (TrialOutcome::Fail, Some(50.0)));
        assert_eq!(of("mean<30ms", 30.0, 1_250, 24), (TrialOutcome::Pass, None));
        assert_eq!(of("rps>1300", 50.0, 1_250, 40), (TrialOutcome::Fail, None), "not a time");
    }

    #[test]
    fn a_busy_tool_makes_a_failure_void_and_leaves_a_pass() {
        let rules = [Slo::parse("p(99)<100ms").expect("a rule")];
        let busy = verdict(&Evidence { cpu_busy: Some((1, 0.99)), ..Evidence::default() });
        let of = |ms| judge(&asked(&rules, 100.0), &seconds(10, 100, move |_| ms, &rules), Some(&busy));
        let void = of(200);
        assert!(void.outcome == TrialOutcome::Void && void.why.contains("worker 1"), "{void:?}");
        assert_eq!(of(20).outcome, TrialOutcome::Pass);
    }

    #[test]
    fn a_late_read_voids_only_where_it_matters_and_failures_are_no_fault_of_the_tool() {
        let rules = [Slo::parse("p(99)<100ms").expect("a rule")];
        let asked =
            TrialRequest { rules: &rules, offered_per_s: None, users: None, decide: false, guard: Guard::ON };
        let late = |ns| {
            let evidence =
                Evidence { read_delay_p99_ns: Some(ns), read_delay_counts: true, ..Evidence::default() };
            verdict(&evidence)
        };
        let slow = seconds(10, 100, |_| 200, &rules);
        assert_eq!(judge(&asked, &slow, Some(&late(4_000_000))).outcome, TrialOutcome::Fail);
        assert_eq!(judge(&asked, &slow, Some(&late(6_000_000))).outcome, TrialOutcome::Void);
        let mut failing = slow;
        for second in &mut failing {
            second.of_rules[0].errors = 5;
        }
        assert_eq!(judge(&asked, &failing, Some(&late(6_000_000))).outcome, TrialOutcome::Fail);
    }

    #[test]
    fn a_late_start_voids_only_where_it_feeds_the_rule() {
        let late = |ns| verdict(&Evidence { start_delay_p99_ns: Some(ns), ..Evidence::default() });
        let of = |rule: &str, offered: Option<f64>, ns| {
            let rules = [Slo::parse(rule).expect("a rule")];
            let asked = TrialRequest {
                rules: &rules,
                offered_per_s: offered,
                users: None,
                decide: false,
                guard: Guard::ON,
            };
            judge(&asked, &seconds(10, 100, |_| 200, &rules), Some(&late(ns))).outcome
        };
        assert_eq!(of("p(99)<100ms", Some(100.0), 4_000_000), TrialOutcome::Fail, "within 5 % of the limit");
        assert_eq!(of("p(99)<100ms", Some(100.0), 6_000_000), TrialOutcome::Void);
        assert_eq!(of("p(99)<100ms", None, 6_000_000), TrialOutcome::Fail, "service times do not contain it");
        assert_eq!(of("p(99)<100ms", None, 60_000_000), TrialOutcome::Void, "but a tool that late is none");
    }
}
