//! A plan that is ready to run.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use swell_api::Phase;
use swell_expr::{ForeignFunctions, Host, PlanTexts, Properties, RunInfo};
use swell_plan::{Diagnostic, Element, Node, NodeId};
use swell_trace::TraceSink;

use crate::group_load::Load;

/// The environment of a run.
#[derive(Clone)]
pub struct Settings {
    /// Properties (`-J`, `-q`, `user.properties`).
    pub props: Arc<Properties>,
    /// The outside world.
    pub host: Arc<dyn Host>,
    /// Facts of the run.
    pub run: Arc<RunInfo>,
    /// Functions that other crates bring.
    pub functions: ForeignFunctions,
    /// Edits the plan once its Module and Include Controllers are expanded.
    pub edit: Option<PlanEdit>,
    /// Receives what users do, step by step; none in a run that is not traced.
    pub trace: Option<Arc<dyn TraceSink>>,
}

/// An edit of the tree of a plan, from its root.
pub type PlanEdit = Arc<dyn Fn(&mut Node) + Send + Sync>;

/// A thread group with its enabled part of the tree; elements of the Test Plan level are copied
/// below it.
pub(crate) struct Group {
    pub(crate) node: Node,
    pub(crate) phase: Phase,
    /// Number in its phase, from 1, as in thread names.
    pub(crate) number: u32,
    pub(crate) load: Load,
    /// Where something else runs it: the listeners that hear of its samples here.
    pub(crate) external_listeners: Vec<NodeId>,
}

impl Group {
    /// Something else runs it.
    pub(crate) fn is_external(&self) -> bool {
        matches!(self.load, Load::External(_))
    }
}

/// A plan ready to run.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of a plan")]
pub struct Prepared {
    pub(crate) settings: Settings,
    pub(crate) file: Option<Arc<PathBuf>>,
    /// The enabled tree, Module and Include Controllers filled.
    pub(crate) root: Node,
    pub(crate) groups: Vec<Group>,
    /// Numbers of the texts of `root` and `groups`.
    pub(crate) texts: Arc<PlanTexts>,
    /// Variables that every user starts with.
    pub(crate) initial: Vec<(String, String)>,
    pub(crate) serialized: bool,
    /// Samples start at times that the plan sets, not only when the ones before have ended.
    pub(crate) keeps_schedule: bool,
    /// Something may read the loop indexes.
    pub(crate) indexes_are_read: bool,
    /// Something may read the variables that JMeter keeps for its own work.
    pub(crate) internals_are_read: bool,
    /// A function may read the response before.
    pub(crate) reads_previous: bool,
    /// A function that a provider answers may read samples.
    pub(crate) functions_read_samples: bool,
    pub(crate) tear_down_on_shutdown: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Prepared {
    /// Diagnostics of the plan. Errors mean that it would not run as written: elements that are not
    /// supported, unknown functions.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Adds a diagnostic.
    pub(crate) fn note(&mut self, found: impl IntoIterator<Item = Diagnostic>) {
        self.diagnostics.extend(found);
    }

    /// Names of the thread groups in the order in which they start, with their phases.
    pub fn groups(&self) -> impl Iterator<Item = (&str, Phase)> {
        self.groups.iter().map(|group| (group.node.element.name(), group.phase))
    }

    /// The thread groups in the order in which they start, with their phases.
    pub fn group_elements(&self) -> impl Iterator<Item = (&Element, Phase)> {
        self.groups.iter().map(|group| (&group.node.element, group.phase))
    }

    /// The places of the thread groups of the same phase, which are next to each other.
    pub(crate) fn phase_of(&self, place: usize) -> Range<usize> {
        let phase = self.groups[place].phase;
        let begin = self.groups.partition_point(|group| group.phase < phase);
        begin..self.groups.partition_point(|group| group.phase <= phase)
    }

    /// The variables that every user starts with, user defined variables evaluated.
    pub fn variables(&self) -> &[(String, String)] {
        &self.initial
    }

    /// The enabled tree, Module and Include Controllers filled.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The file of the plan.
    pub fn file(&self) -> Option<&Arc<PathBuf>> {
        self.file.as_ref()
    }

    /// The settings it was prepared with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
