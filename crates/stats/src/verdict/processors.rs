//! The programs that used the machine's processors, and which of them delayed a run.

use serde::{Deserialize, Serialize};

use super::{Criterion, Evidence, Gate, Grade};

/// The programs that used the processors of a machine during a test. Figures are processors on
/// average: 1.5 is one and a half.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessorUse {
    /// Processors that there are.
    pub processors: usize,
    /// The tool took, with what it started: a JVM, agents, a broker.
    pub tool: f64,
    /// The server under test took, where it runs on this machine.
    pub server: f64,
    /// Other programs took.
    pub others: f64,
    /// Processes took that cannot be seen from here: of another container, or too short to be
    /// looked at.
    pub unseen: f64,
    /// Other programs by their names, those that took most first.
    pub programs: Vec<Program>,
}

/// Processes with the same name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// As the kernel has it (`comm`): at most 15 bytes.
    pub name: String,
    /// Processes.
    pub processes: u32,
    /// Processors that they took, on average.
    pub processors: f64,
}

/// The possible causes of a delayed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// Other programs of the machine.
    Others,
    /// The server under test, which shares the machine.
    Server,
    /// The tool.
    Tool,
}

impl ProcessorUse {
    /// All of them together.
    pub fn busy(&self) -> f64 {
        self.tool + self.server + self.foreign()
    }

    /// What neither the tool nor the server took.
    pub fn foreign(&self) -> f64 {
        self.others + self.unseen
    }

    /// Others took a good part of the processors, and not less than the server did.
    fn is_foreign(&self, part: f64) -> bool {
        self.foreign() >= part * self.processors as f64 && self.foreign() >= self.server
    }

    /// Others took so much of a machine that was busy that a server on it has to be slower.
    pub fn starves_server(&self) -> bool {
        const PART: f64 = 0.25;
        self.is_foreign(PART) && self.busy() >= BUSY * self.processors as f64
    }
}

/// Less of the processors explains nothing.
const LEAST_PART: f64 = 0.1;
/// From here on a machine has too few processors for all.
const BUSY: f64 = 0.7;
/// Or a worker waited for one for this part of the time.
const WAITED: f64 = 0.05;

/// Whose doing it is that one of these gates is not valid, where it can be told from the
/// processors.
pub(super) fn culprit(gates: &[Gate], seen: &Evidence) -> Option<Culprit> {
    let wrong = || gates.iter().filter(|gate| gate.grade() > Grade::Valid);
    if !wrong().any(|gate| gate.criterion.suffers_from_neighbours()) {
        return None;
    }
    let waited = seen.run_queue_wait.unwrap_or(0.0) >= WAITED;
    let by_others = seen.processors.as_ref().is_some_and(|took| {
        // If the server would be named, but another program used more, that one is named instead.
        let is_short = waited || took.busy() >= BUSY * took.processors as f64;
        took.is_foreign(LEAST_PART) && (is_short || seen.neighbour.is_some())
    });
    let is_of_tool = |gate: &Gate| matches!(gate.criterion, Criterion::CpuBusy | Criterion::RunQueueWait);
    if by_others {
        Some(Culprit::Others)
    } else if seen.neighbour.is_some() {
        Some(Culprit::Server)
    } else {
        wrong().any(is_of_tool).then_some(Culprit::Tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Neighbour, verdict};

    fn took(tool: f64, server: f64, others: f64, unseen: f64) -> ProcessorUse {
        ProcessorUse { processors: 2, tool, server, others, unseen, programs: Vec::new() }
    }

    fn named(processors: Option<ProcessorUse>, is_here: bool, waited: f64) -> Option<Culprit> {
        let here = Neighbour { address: ([127, 0, 0, 1], 80).into(), processors: 2 };
        let neighbour = is_here.then_some(here);
        let late = Evidence { start_delay_p99_ns: Some(50_000_000), ..Evidence::default() };
        verdict(&Evidence { processors, neighbour, run_queue_wait: Some(waited), ..late }).culprit
    }

    #[test]
    fn who_takes_the_processors_is_the_culprit() {
        for (processors, is_here, waited, culprit) in [
            (Some(took(0.1, 0.1, 1.7, 0.0)), true, 0.3, Some(Culprit::Others)),
            (Some(took(0.1, 0.1, 0.0, 1.7)), true, 0.3, Some(Culprit::Others)),
            (Some(took(0.1, 0.1, 1.7, 0.0)), false, 0.3, Some(Culprit::Others)),
            // In bursts: less than the machine has, and workers wait all the same.
            (Some(took(0.1, 0.1, 0.4, 0.0)), true, 0.06, Some(Culprit::Others)),
            // On a machine with room for all, of two that share it: the one that used more.
            (Some(took(0.1, 0.1, 0.4, 0.0)), true, 0.0, Some(Culprit::Others)),
            (Some(took(0.1, 0.5, 0.4, 0.0)), true, 0.0, Some(Culprit::Server)),
            (Some(took(0.1, 0.0, 0.4, 0.0)), false, 0.0, None),
            (Some(took(0.6, 1.3, 0.05, 0.0)), true, 0.3, Some(Culprit::Server)),
            (Some(took(0.4, 1.0, 0.5, 0.0)), true, 0.3, Some(Culprit::Server)),
            (None, true, 0.3, Some(Culprit::Server)),
            (Some(took(1.9, 0.0, 0.05, 0.0)), false, 0.3, Some(Culprit::Tool)),
            (Some(took(0.1, 0.0, 0.05, 0.0)), false, 0.0, None),
        ] {
            assert_eq!(
                named(processors.clone(), is_here, waited),
                culprit,
                "{processors:?} {is_here} {waited}"
            );
        }
    }

    #[test]
    fn where_nothing_was_held_up_nobody_is_the_culprit() {
        let busy = Evidence { processors: Some(took(0.1, 0.1, 1.7, 0.0)), ..Evidence::default() };
        assert_eq!(verdict(&busy).culprit, None);
        let lost = Evidence { retransmits: Some(0.5), ..busy };
        assert_eq!(verdict(&lost).culprit, None, "no processor loses segments");
    }

    #[test]
    fn a_server_starves_beside_others_on_a_busy_machine() {
        assert!(took(0.1, 0.2, 1.2, 0.0).starves_server());
        assert!(!took(0.1, 0.2, 0.6, 0.0).starves_server(), "there is room");
        assert!(!took(0.1, 1.2, 0.6, 0.0).starves_server(), "the server took more");
    }
}
