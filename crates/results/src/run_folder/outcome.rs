//! How a run ended.

use serde::{Deserialize, Serialize};
use swell_stats::verdict::{Criterion, Evidence, Verdict};

/// `outcome.json`; missing if a run was killed. Fields may be added within a version of
/// [`Outcome::SCHEMA`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// [`Outcome::SCHEMA`].
    pub schema: String,
    /// When it was over, milliseconds since the epoch.
    pub end_ms: i64,
    /// Exit status of the command.
    pub exit: u8,
    /// It was stopped before its end.
    pub interrupted: bool,
    /// At least one sample was taken, or a script ended the run: it has a verdict.
    pub is_judged: bool,
    /// What the verdict is made of.
    pub evidence: Evidence,
    /// Why the figures do not hold whatever the evidence says: a script that was not understood,
    /// say.
    pub refusal: Option<String>,
    /// Agents whose load is missing, in one text.
    pub lost_machines: Option<String>,
    /// Addresses that samples connected to.
    pub servers: Vec<String>,
    /// Thresholds and their results.
    pub thresholds: Vec<ThresholdResult>,
    /// What was said at the end of the run besides its figures: files that could not be written,
    /// groups that could not start.
    pub problems: Vec<String>,
}

/// A threshold that was judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThresholdResult {
    /// The rule as it was written.
    pub rule: String,
    /// It was kept.
    pub passed: bool,
    /// The figure that was compared, in the unit of the rule; none if there was nothing to compare.
    pub value: Option<f64>,
    /// What the figure was compared with, in the same unit.
    pub limit: Option<f64>,
    /// Unit of both: `ms`, `/s`, `%`, or empty for counts.
    pub unit: String,
    /// What happened, in a sentence.
    pub text: String,
    /// It ended the run.
    pub aborted: bool,
    /// It judges times, and all samples that have them failed.
    pub all_failed: bool,
}

impl Outcome {
    /// Name and version of the form.
    pub const SCHEMA: &str = "swell.outcome/1";

    /// How good the tool was; none if nothing ran.
    pub fn verdict(&self) -> Option<Verdict> {
        let mut verdict = self.is_judged.then(|| swell_stats::verdict(&self.evidence))?;
        for gate in verdict.gates.iter_mut().filter(|gate| gate.criterion == Criterion::LostLoad) {
            gate.machine = self.lost_machines.as_deref().map(Into::into);
        }
        Some(match &self.refusal {
            Some(refusal) => verdict.refused(refusal.clone()),
            None => verdict,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::verdict::Grade;

    #[test]
    fn the_verdict_is_that_of_the_evidence_and_of_a_refusal() {
        let late = Evidence { start_delay_p99_ns: Some(5_000_000), ..Evidence::default() };
        let judged = Outcome { is_judged: true, evidence: late, ..Outcome::default() };
        assert_eq!(judged.verdict().map(|verdict| verdict.grade), Some(Grade::Degraded));
        assert_eq!(Outcome::default().verdict(), None);
        let refused = Outcome { refusal: Some("a script".into()), ..judged };
        assert_eq!(refused.verdict().map(|verdict| verdict.grade), Some(Grade::Invalid));
    }

    #[test]
    fn machines_that_were_lost_are_in_the_verdict_of_a_run_that_was_kept() {
        let lost_load = Some(swell_stats::verdict::LostLoad { part: 0.01, ..Default::default() });
        let evidence = Evidence { lost_load, ..Evidence::default() };
        let lost_machines = Some("a, b".to_owned());
        let kept = Outcome { is_judged: true, evidence, lost_machines, ..Outcome::default() };
        let read: Outcome = serde_json::from_str(&serde_json::to_string(&kept).unwrap()).unwrap();
        let verdict = read.verdict().unwrap();
        assert_eq!((verdict.grade, verdict.gates[0].machine.as_deref()), (Grade::Degraded, Some("a, b")));
    }

    #[test]
    fn evidence_of_an_older_version_can_be_read() {
        let old = r#"{"is_judged":true,"evidence":{"steal":0.5,"users_time":{"lived_s":1.0,"sampled_s":1.0,"waited_s":0.0,"samples":3}}}"#;
        let read: Outcome = serde_json::from_str(old).expect("fields that are missing are not judged");
        assert_eq!((read.evidence.steal, read.evidence.cpu_busy), (Some(0.5), None));
    }
}
