//! The options of a world with a whole trial: the plan as a tree, the machines, what goes wrong.

use serde::{Deserialize, Serialize};

/// All options of a world with a trial. The same options give the same world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialOptions {
    /// The seed of all draws during the run.
    pub seed: u64,
    /// Workers of the engine, each a process of the world.
    pub workers: u32,
    /// JMeter's behaviour where it differs from Swell's.
    pub compat: bool,
    /// One way between tool and site, microseconds.
    pub latency_us: u32,
    /// A process that waited runs up to this after it is woken, microseconds.
    pub wake_us: u32,
    /// A read of a clock takes this, nanoseconds.
    pub read_ns: u32,
    /// Main groups run one after the other.
    pub serialized: bool,
    /// The test is stopped from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopOptions>,
    /// Thread groups.
    #[serde(default)]
    pub groups: Vec<GroupOptions>,
    /// What goes wrong.
    #[serde(default)]
    pub faults: Vec<TrialFault>,
}

/// A stop from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopOptions {
    /// After the start of the world, milliseconds.
    pub at_ms: u32,
    /// Running samples are cut.
    pub at_once: bool,
}

/// A phase of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseOfGroup {
    /// A setUp Thread Group.
    SetUp,
    /// A thread group of the main phase.
    Main,
    /// A tearDown Thread Group.
    TearDown,
}

/// A thread group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupOptions {
    /// When it runs.
    pub phase: PhaseOfGroup,
    /// Its users.
    pub load: LoadOfGroup,
    /// A Constant Throughput Timer for all its samplers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// A CSV Data Set for all its iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csv: Option<CsvOptions>,
    /// What an iteration does.
    #[serde(default)]
    pub nodes: Vec<PlanNode>,
}

/// Users of a thread group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LoadOfGroup {
    /// A Thread Group.
    Users {
        /// Number of users.
        users: u32,
        /// The ramp-up, seconds.
        ramp_s: u32,
        /// Iterations of each user; 0: until the end of the duration.
        loops: u32,
        /// Scheduler: the group starts that much later, seconds.
        delay_s: u32,
        /// Scheduler: the group ends after that time, seconds; 0: no scheduler.
        duration_s: u32,
    },
    /// An Open Model Thread Group.
    Open {
        /// Arrivals a second.
        per_s: u32,
        /// Arrivals for this long, seconds.
        for_s: u32,
        /// Random arrivals instead of even ones.
        random: bool,
    },
}

/// A Constant Throughput Timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Whose rate it is.
    pub of: RateOf,
    /// Samples a minute.
    pub per_minute: u32,
}

/// Whose rate a Constant Throughput Timer sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateOf {
    /// "This thread only".
    User,
    /// "All active threads in current thread group (shared)".
    Group,
    /// A Precise Throughput Timer.
    Precise,
}

/// A CSV Data Set that all users share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CsvOptions {
    /// Rows of the file.
    pub rows: u32,
    /// It starts again at the end; otherwise users stop there.
    pub recycles: bool,
}

/// What a user waits before a request, milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Think {
    /// At least.
    pub least_ms: u32,
    /// And up to this more, drawn; 0: a Constant Timer.
    pub range_ms: u32,
}

/// A node of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PlanNode {
    /// An HTTP Request.
    Request {
        /// What it asks for.
        route: RouteOfRequest,
        /// A timer.
        #[serde(default)]
        think: Think,
        /// A Response Assertion, which holds or does not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asserts: Option<bool>,
    },
    /// A Simple Controller.
    Simple {
        /// Its children.
        below: Vec<PlanNode>,
    },
    /// An If Controller.
    If {
        /// Its condition is true.
        holds: bool,
        /// Its children.
        below: Vec<PlanNode>,
    },
    /// A Loop Controller.
    Loop {
        /// Turns.
        turns: u32,
        /// Its children.
        below: Vec<PlanNode>,
    },
    /// A Once Only Controller.
    Once {
        /// Its children.
        below: Vec<PlanNode>,
    },
    /// A Transaction Controller.
    Transaction {
        /// It makes a parent sample.
        parent: bool,
        /// Its children.
        below: Vec<PlanNode>,
    },
    /// A Throughput Controller for each user.
    Throughput {
        /// Executions, or percent of the iterations.
        amount: u32,
        /// It is percent.
        percent: bool,
        /// Its children.
        below: Vec<PlanNode>,
    },
    /// An Interleave Controller.
    Interleave {
        /// Its children.
        below: Vec<PlanNode>,
    },
    /// A Flow Control Action that stops the thread.
    StopThread {},
    /// A Flow Control Action that stops the test.
    StopTest {
        /// "Stop now".
        at_once: bool,
    },
}

/// What a request asks the site for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RouteOfRequest {
    /// A response after that time, milliseconds.
    Delay(u32),
    /// A body of that size.
    Bytes(u32),
    /// That status.
    Status(u32),
    /// A description of the request, from which an extractor takes its id.
    Anything,
}

/// Something that goes wrong in a world with a trial. Times are milliseconds of world time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TrialFault {
    /// Segments take up to this longer, each another time.
    Jitter {
        /// Microseconds.
        most_us: u32,
    },
    /// Segments are lost and sent again.
    Loss {
        /// The share of all segments.
        share: f64,
    },
    /// Connections break.
    Resets {
        /// The share of all segments.
        share: f64,
    },
    /// Sends and reads take a part of what they could.
    Partial {
        /// The share of all calls.
        share: f64,
    },
    /// Nothing passes between tool and site.
    Cut {
        /// From then.
        at_ms: u32,
        /// For so long.
        for_ms: u32,
    },
    /// The tool gets no processor.
    ToolStall {
        /// From then.
        at_ms: u32,
        /// For so long.
        for_ms: u32,
    },
    /// The site gets no processor.
    SiteStall {
        /// From then.
        at_ms: u32,
        /// For so long.
        for_ms: u32,
    },
    /// Each turn of a loop takes up to this.
    SlowTurns {
        /// Microseconds.
        most_us: u32,
    },
    /// The process of the site ends.
    SiteKilled {
        /// At that time.
        at_ms: u32,
    },
}

impl PlanNode {
    /// Children; none for what has no children.
    pub(super) fn below(&self) -> &[PlanNode] {
        match self {
            Self::Simple { below }
            | Self::If { below, .. }
            | Self::Loop { below, .. }
            | Self::Once { below }
            | Self::Transaction { below, .. }
            | Self::Throughput { below, .. }
            | Self::Interleave { below } => below,
            Self::Request { .. } | Self::StopThread {} | Self::StopTest { .. } => &[],
        }
    }

    fn below_mut(&mut self) -> Option<&mut Vec<PlanNode>> {
        match self {
            Self::Simple { below }
            | Self::If { below, .. }
            | Self::Loop { below, .. }
            | Self::Once { below }
            | Self::Transaction { below, .. }
            | Self::Throughput { below, .. }
            | Self::Interleave { below } => Some(below),
            Self::Request { .. } | Self::StopThread {} | Self::StopTest { .. } => None,
        }
    }

    /// Whether this holds for it or a node below it.
    pub(super) fn any(&self, is_it: &dyn Fn(&PlanNode) -> bool) -> bool {
        is_it(self) || self.below().iter().any(|node| node.any(is_it))
    }
}

impl GroupOptions {
    /// Whether this holds for a node.
    pub(super) fn any(&self, is_it: impl Fn(&PlanNode) -> bool) -> bool {
        self.nodes.iter().any(|node| node.any(&is_it))
    }
}

impl TrialOptions {
    /// Whether a fault of a kind exists.
    pub(super) fn has(&self, is_it: impl Fn(&TrialFault) -> bool) -> bool {
        self.faults.iter().any(is_it)
    }

    /// Something ends the test before its end.
    pub(super) fn may_stop(&self) -> bool {
        self.stop.is_some()
            || self.groups.iter().any(|group| group.any(|node| matches!(node, PlanNode::StopTest { .. })))
    }

    /// The options as TOML.
    ///
    /// # Panics
    /// Never: every value has a form in TOML.
    pub fn to_text(&self) -> String {
        toml::to_string(self).expect("options have a form in TOML")
    }

    /// Options a step smaller: fewer faults, groups, nodes and users.
    pub(crate) fn steps(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for place in 0..self.faults.len() {
            let mut less = self.clone();
            less.faults.remove(place);
            all.push(less);
        }
        if self.stop.is_some() {
            all.push(Self { stop: None, ..self.clone() });
        }
        for place in 0..self.groups.len() {
            let mut less = self.clone();
            less.groups.remove(place);
            all.push(less);
            let mut change = |change: &dyn Fn(&mut GroupOptions) -> bool| {
                let mut less = self.clone();
                if change(&mut less.groups[place]) {
                    all.push(less);
                }
            };
            change(&|group| group.rate.take().is_some());
            change(&|group| group.csv.take().is_some());
            change(&|group| match &mut group.load {
                LoadOfGroup::Users { users, .. } if *users > 1 => {
                    *users /= 2;
                    true
                }
                LoadOfGroup::Open { per_s, .. } if *per_s > 1 => {
                    *per_s /= 2;
                    true
                }
                _ => false,
            });
            for number in 0..nodes_of(&self.groups[place].nodes) {
                change(&|group| remove(&mut group.nodes, &mut { number }));
            }
        }
        if self.workers > 1 {
            all.push(Self { workers: 1, ..self.clone() });
        }
        all
    }
}

fn nodes_of(nodes: &[PlanNode]) -> usize {
    nodes.iter().map(|node| 1 + nodes_of(node.below())).sum()
}

/// Removes the node of a number in the order of the plan.
fn remove(nodes: &mut Vec<PlanNode>, number: &mut usize) -> bool {
    for place in 0..nodes.len() {
        if *number == 0 {
            nodes.remove(place);
            return true;
        }
        *number -= 1;
        if nodes[place].below_mut().is_some_and(|below| remove(below, number)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_read_the_same_from_their_text() {
        for seed in 0..50 {
            let options = TrialOptions::drawn(seed);
            assert_eq!(toml::from_str::<TrialOptions>(&options.to_text()).as_ref(), Ok(&options));
        }
    }

    #[test]
    fn each_step_is_smaller() {
        let size = |options: &TrialOptions| options.to_text().len();
        for seed in 0..20 {
            let options = TrialOptions::drawn(seed);
            let steps = options.steps();
            assert!(steps.iter().all(|step| *step != options && size(step) <= size(&options)), "{options:?}");
        }
    }
}
