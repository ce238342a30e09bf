//! The report of a trial: its measurements, the verdict, and its errors.

use std::net::SocketAddr;

use swell_engine::{LoadShape, RunOutcome};
use swell_expr::Refusal;
use swell_net::{IoInterface, NetContext};
use swell_results::{DiskWaits, WriteFailure};
use swell_stats::verdict::{Evidence, ProcessorUse, Verdict};
use swell_stats::{Run, Summary, over_machines, worst_of};

use crate::WantedLoad;
use crate::end_elsewhere::EndElsewhere;
use crate::evidence::evidence;
use crate::log::LogSummary;
use crate::never_ran::NeverRan;
use crate::resources::ResourceUsage;
use crate::wanted;

/// A finished trial.
pub struct TrialReport {
    /// How the engine ended; none if the trial was abandoned, or the engine broke.
    pub outcome: Option<RunOutcome>,
    /// All that was counted: a label, over time, in batches.
    pub run: Run,
    /// The figures of [`TrialReport::run`].
    pub summary: Summary,
    /// What the verdict was made of.
    pub evidence: Evidence,
    /// How good the tool was; none if nothing ran.
    pub verdict: Option<Verdict>,
    /// What the machine did to the tool.
    pub resources: ResourceUsage,
    /// Results files that could not be written whole.
    pub write_failures: Vec<WriteFailure>,
    /// Addresses that samples connected to, the first 64.
    pub servers: Vec<SocketAddr>,
    /// The interface of the kernel that served the event loops; none if there were none.
    pub io: Option<IoInterface>,
    /// Errors in the log.
    pub logged: LogSummary,
    /// The engine failed, by a fault of the tool: numbers may be incomplete.
    pub broken: bool,
    /// Whether it came as far as its first user.
    pub began: bool,
    /// Why elements that run elsewhere have ended it (`System.exit`, a crash of the JVM, a script
    /// that took too long); none: they have not.
    pub ended_by: Option<String>,
    /// Samplers of the plan without a sample, as far as that is known.
    pub never_ran: Vec<NeverRan>,
    /// Failures of agents that were too large to be sent, so that they are not kept.
    pub failures_too_large: usize,
}

impl Default for TrialReport {
    /// The report of a trial in which nothing ran.
    fn default() -> Self {
        let run = Run::default();
        Self {
            outcome: None,
            summary: run.summary(),
            run,
            evidence: Evidence::default(),
            verdict: None,
            resources: ResourceUsage::default(),
            write_failures: Vec::new(),
            servers: Vec::new(),
            io: None,
            logged: LogSummary::default(),
            broken: false,
            began: false,
            ended_by: None,
            never_ran: Vec::new(),
            failures_too_large: 0,
        }
    }
}

impl TrialReport {
    /// The script that was not understood and ended the trial.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.outcome.as_ref()?.refusal.as_ref()
    }

    /// Why not one request succeeded, in a sentence: the same in each command. None where one did,
    /// or none went out.
    pub fn nothing_worked(&self) -> Option<String> {
        let is_cut = self.outcome.as_ref().is_some_and(|outcome| outcome.cut > 0);
        let unanswered = || "no response: no request was answered before the end of the test".to_owned();
        swell_report::total_failure(&self.summary)
            .or_else(|| (self.summary.is_empty() && is_cut).then(unanswered))
    }
}

/// A finished trial that has not been judged yet.
pub(crate) struct FinishedTrial {
    pub(crate) outcome: Option<RunOutcome>,
    pub(crate) run: Run,
    pub(crate) resources: ResourceUsage,
    pub(crate) processors: Option<ProcessorUse>,
    pub(crate) write_failures: Vec<WriteFailure>,
    pub(crate) logged: LogSummary,
    pub(crate) broken: bool,
    pub(crate) began: bool,
    pub(crate) ended_by: Option<String>,
    /// How long workers waited for the disk of a results file, in nanoseconds summed over them.
    pub(crate) disk_waits: DiskWaits,
}

impl FinishedTrial {
    /// The verdict of a trial whose load was made by several machines: as good as its worst one.
    pub(crate) fn judged_elsewhere(mut self, end: EndElsewhere) -> TrialReport {
        let summary = self.run.summary();
        self.write_failures.extend(end.write_failures);
        let lost_load = end.lost.as_ref().map(|lost| lost.load);
        let evidence =
            Evidence { lost_load, ..worst_of(end.machines.iter().map(|machine| machine.evidence.clone())) };
        let lost = end.lost.map(|lost| {
            let evidence = Evidence { lost_load: Some(lost.load), ..Evidence::default() };
            (lost.names, swell_stats::verdict(&evidence))
        });
        let judged = end.machines.into_iter().map(|machine| {
            let verdict = swell_stats::verdict(&machine.evidence);
            (machine.name, machine.refusal.into_iter().fold(verdict, Verdict::refused))
        });
        let verdict = (!summary.is_empty()).then(|| over_machines(lost.into_iter().chain(judged)));
        let verdict = verdict.map(|verdict| end.invalid.into_iter().fold(verdict, Verdict::refused));
        TrialReport { evidence, verdict, servers: end.servers, io: end.io, ..self.unjudged(summary) }
    }

    pub(crate) fn judged(
        self,
        net: &NetContext,
        wanted: Option<WantedLoad>,
        shape: Option<&LoadShape>,
    ) -> TrialReport {
        let outcome = self.outcome.as_ref();
        let summary = self.run.summary();
        // The number of aborted samples of an abandoned trial is unknown.
        let is_counted = outcome.is_some() || self.broken;
        let wanted = wanted.filter(|_| is_counted).map(|load| load.of(outcome, &summary));
        let of_shape = || wanted::of_shape(shape.filter(|_| is_counted)?, outcome, &summary);
        let wanted = wanted.or_else(of_shape);
        let counted = &self.run.snapshot;
        let total = self.run.total();
        let evidence = evidence(counted, &total, outcome, &self.resources, net, wanted, self.disk_waits);
        let evidence = Evidence { processors: self.processors.clone(), ..evidence };
        let refusal = outcome.and_then(|outcome| outcome.refusal.as_ref());
        let judged = (!summary.is_empty() || refusal.is_some()).then(|| swell_stats::verdict(&evidence));
        let verdict = judged.map(|verdict| match refusal {
            Some(refusal) => verdict.refused(refusal.to_string()),
            None => verdict,
        });
        let servers = net.peers().into_iter().map(|peer| peer.address).collect();
        let io = net.io_served().cloned();
        TrialReport { evidence, verdict, servers, io, ..self.unjudged(summary) }
    }

    fn unjudged(self, summary: Summary) -> TrialReport {
        TrialReport {
            outcome: self.outcome,
            run: self.run,
            summary,
            evidence: Evidence::default(),
            verdict: None,
            resources: self.resources,
            write_failures: self.write_failures,
            servers: Vec::new(),
            io: None,
            never_ran: Vec::new(),
            failures_too_large: 0,
            logged: self.logged,
            broken: self.broken,
            began: self.began,
            ended_by: self.ended_by,
        }
    }
}
