//! Thread groups run by another component: JMeter's engine in a JVM, another process, another tool.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use swell_plan::{Element, Node, NodeId};

use crate::{Needs, OwnedSample, Phase};

/// A thread group whose users do not run in the engine. The engine starts it in its phase, stops
/// it, counts its users, and passes its samples to the listeners in its scope, as with the engine's
/// users.
pub trait ExternalGroup: Send + Sync {
    /// When it runs.
    fn phase(&self) -> Phase {
        Phase::Main
    }

    /// Why what runs it cannot run an element of it; none: it can, as far as is known before the
    /// run. Not asked for listeners that the engine sends samples to.
    fn refuses(&self, _element: &Element) -> Option<String> {
        None
    }

    /// Starts it, once in a run. May take a while: running groups continue, later groups wait.
    ///
    /// # Errors
    /// Why it cannot start, for the author of the plan; the run continues without it.
    fn start(&self, start: &GroupStart<'_>) -> Result<Arc<dyn RunningGroup>, String>;
}

/// The description of such a group.
pub struct GroupStart<'a> {
    /// Its name now.
    pub name: &'a str,
    /// Its number in its phase, from 1, as in thread names.
    pub number: u32,
    /// When its schedule begins, in nanoseconds on the clock of [`crate::Timing`]; not in the past
    /// by more than what starting takes.
    pub start_ns: i64,
    /// The plan, without what is disabled and without thread groups that the engine runs itself;
    /// Module and Include Controllers are filled.
    pub plan: &'a Node,
    /// The file that the plan came from.
    pub file: Option<&'a Path>,
    /// The group with its children; elements of the Test Plan level are its last children.
    pub group: &'a Node,
    /// Evaluates a property of the group with the functions and variables of the plan; a missing
    /// one is empty.
    pub property: &'a dyn Fn(&str) -> String,
    /// The variables that every user starts with, user defined variables evaluated.
    pub variables: &'a [(String, String)],
    /// The engine runs no thread group of the plan itself.
    pub is_all: bool,
    /// What listeners read of its samples.
    pub needs: Needs,
    /// Listeners in this and all other groups of the kind that the engine calls itself; the code
    /// that runs the groups does not run these.
    pub listeners: &'a [NodeId],
}

/// Such a group during the run. All methods except [`RunningGroup::take`] are called from threads
/// that serve load, and must not block.
pub trait RunningGroup: Send + Sync {
    /// Its samples since the last call, no more than a thousand or so; without any it waits up to
    /// `limit` for the first. Called on a thread of the group's own until it says that the group
    /// has ended.
    fn take(&self, limit: Duration) -> Taken;

    /// How many users it has.
    fn users(&self) -> GroupUsers;

    /// Asks its users to stop: after their sample, or at once. It may be called several times, also
    /// after the end.
    fn stop(&self, at_once: bool);

    /// Changes its load while it runs.
    ///
    /// # Errors
    /// It cannot; why, for the caller.
    fn change(&self, change: GroupChange) -> Result<(), String> {
        let _ = change;
        Err("it can only be stopped".to_owned())
    }
}

/// The output of a group.
#[derive(Debug, Default)]
pub struct Taken {
    /// Samples in the order in which they ended.
    pub samples: Vec<GroupSample>,
    /// All users have ended, and these were the last samples; why, where that was not its proper
    /// end.
    pub ended: Option<Result<(), String>>,
    /// The plan asks the whole test to stop, at once if true.
    pub stops_test: Option<bool>,
}

/// A sample of such a group. It contains the thread name and the active users of its group; the
/// active users of other groups are added.
#[derive(Clone, Debug, Default)]
pub struct GroupSample {
    /// The sample, checked.
    pub sample: OwnedSample,
    /// Variables of its user that listeners may write (`sample_variables`).
    pub variables: Vec<(String, String)>,
    /// Who hears of it.
    pub heard_by: SampleAudience,
}

impl From<OwnedSample> for GroupSample {
    /// One that those directly below the group hear of.
    fn from(sample: OwnedSample) -> Self {
        Self { sample, ..Self::default() }
    }
}

/// The listeners that receive a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SampleAudience {
    /// Those directly below the group and the Test Plan, and the counts of the run.
    #[default]
    Group,
    /// These of [`GroupStart::listeners`].
    Elements {
        /// In this order.
        listeners: Vec<NodeId>,
        /// The counts of the run, too: a listener below the Test Plan would hear of it.
        counts: bool,
    },
}

/// The users of such a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupUsers {
    /// That run.
    pub active: u32,
    /// That have started.
    pub started: u32,
    /// That have ended.
    pub finished: u32,
    /// That it has in all, as far as is known.
    pub planned: u32,
}

/// A load change of a running group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GroupChange {
    /// A number of users; none: that of the plan.
    Users(Option<u32>),
    /// A number of arrivals a second; none: that of the plan.
    Rate(Option<f64>),
    /// That many times the load of the plan.
    Factor(f64),
    /// No new samples are started, or they are again.
    Paused(bool),
}
