//! Makes the elements of the engine.

use std::rc::Rc;

use swell_api::{ElementKind, IterationElement, Make, Phase, Registry, Sampler};
use swell_expr::ElementKind as ScriptKind;
use swell_plan::{Element, Node};

use crate::compile_context::GroupCompileContext;
use crate::control;
use crate::group_load::GroupKind;
use crate::timer::Timer;

/// Makes a controller, without its children.
type MakeController = fn(&GroupCompileContext<'_>, &Node) -> control::Kind;
/// Makes a sampler.
type MakeSampler = fn(&Element, &GroupCompileContext<'_>) -> Rc<dyn Sampler>;
/// Makes a timer; the number counts the timers that keep a time for each user.
type MakeTimer = fn(&Node, &GroupCompileContext<'_>, &mut usize) -> Timer;
/// Makes a data set.
type MakeDataSet = fn(&Node, &GroupCompileContext<'_>) -> Box<dyn IterationElement>;

/// An element of the engine.
pub(crate) enum Native {
    /// The Test Plan: its user defined variables are set before the run.
    TestPlan,
    /// User Defined Variables, likewise.
    Variables,
    ThreadGroup(Phase, GroupKind),
    Controller(MakeController),
    /// A controller that ends by the clock, so the plan has a schedule.
    TimedController(MakeController),
    /// Sums up the samples below it.
    Transaction(MakeController),
    /// A sampler that runs its children in parallel.
    Parallel,
    Sampler(MakeSampler),
    /// A sampler that pauses, so the plan has a schedule.
    PausingSampler(MakeSampler),
    Timer(MakeTimer),
    /// A timer that keeps a rate.
    RateTimer(MakeTimer),
    DataSet(MakeDataSet),
    /// Read from the whole tree of a thread group.
    SampleTimeout,
    /// Created for each sampler in whose scope it is.
    DebugPostProcessor,
    /// Acts on samples that failed.
    OnError,
    /// Runs a script, as far as it is understood.
    Script(ScriptKind),
}

/// When thread groups of a kind run, if the engine has its own code for them.
pub fn phase_of(kind: &ElementKind) -> Option<Phase> {
    let Make::Engine(native) = &kind.make else { return None };
    match native.downcast_ref()? {
        Native::ThreadGroup(phase, _) => Some(*phase),
        _ => None,
    }
}

/// Whether elements of a kind sum up the samples below them in a sample.
pub fn is_transaction(kind: &ElementKind) -> bool {
    let Make::Engine(native) = &kind.make else { return false };
    matches!(native.downcast_ref(), Some(Native::Transaction(_)))
}

/// What the engine makes of an element; none if it is not its own.
pub(crate) fn native(registry: &Registry, element: &Element) -> Option<&'static Native> {
    match registry.kind(element)?.make {
        Make::Engine(native) => native.downcast_ref(),
        _ => None,
    }
}
