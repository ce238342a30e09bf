//! Controllers, which choose the next sampler.
//!
//! All users of a worker share the compiled controllers ([`Control`]). A user's state of each is a
//! small [`State`]. [`Walk`] determines the next sampler from the two, as `Controller.next()` does
//! in JMeter, and never waits: where JMeter blocks (a critical section), it returns [`Halt::Wait`]
//! and is called again later.

pub(crate) mod make;
mod state;
#[cfg(test)]
mod tests;
mod transaction;
mod walk;
mod weighted;

use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::SampleResult;
use swell_expr::{Context, RemoteFunction, ScriptPlace, Slot, StopRequest, Template};

use crate::trace::TracedControl;
pub(crate) use state::State;
pub(crate) use transaction::is_transaction_message;
pub(crate) use walk::Walk;

/// `JMeterThread.LAST_SAMPLE_OK`.
pub(crate) const LAST_SAMPLE_OK: &str = "JMeterThread.last_sample_ok";

/// A controller of a program, by its index in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ControlId(pub(crate) u32);

/// A sampler of a program, by its index in the list of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SamplerId(pub(crate) u32);

/// The children of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Child {
    Sampler(SamplerId),
    Control(ControlId),
}

/// The next step of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A sampler.
    Sampler(SamplerId),
    /// A transaction with a parent sample (`TransactionSampler`): what to run in it, or that it has
    /// finished, is in the state of its controller.
    Transaction(ControlId),
}

/// Why a controller has no next sampler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// An element asked to stop.
    Stop(StopRequest),
    /// The user must get this lock first; then ask again.
    Wait(Arc<str>),
    /// A function was called that has no answer yet ([`Context::is_suspended`]); ask again when it
    /// has.
    Suspended,
    /// An element that runs elsewhere is to hear of an iteration; ask again when it has.
    Hear,
    /// A loop turned very often without finding a sampler. JMeter's stack overflows there and the
    /// thread dies.
    Barren(ControlId),
}

/// Receivers of the start of a controller's iteration (`LoopIterationListener`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IterationListener {
    /// The user itself, at the root of its thread group.
    User,
    /// A controller directly below.
    Control(ControlId),
    /// A config element (data set, counter, …), by its place in the program's list.
    Element(u32),
}

/// A compiled controller.
pub(crate) struct Control {
    pub(crate) kind: Kind,
    pub(crate) children: Vec<Child>,
    /// In the order in which they are notified.
    pub(crate) listeners: Vec<IterationListener>,
    pub(crate) name: Template,
    /// Something may read the loop index.
    pub(crate) shows_index: bool,
    /// Variable that holds the loop index, `__jm__<name>__idx`, where the name is constant.
    pub(crate) index: Option<Slot>,
    /// Reports its decisions, in a program that is traced.
    pub(crate) traced: Option<Box<TracedControl>>,
}

impl Control {
    /// Puts the loop index into the variable of its name as it is now, unless an answer in it is
    /// missing.
    pub(crate) fn put_index(&self, cx: &mut Context, index: &str) {
        let name = format!("__jm__{}__idx", &*self.name.eval(cx));
        if !cx.is_suspended() {
            cx.vars.put(&name, index);
        }
    }
}

/// Kinds of controllers, with their settings.
pub(crate) enum Kind {
    /// `GenericController`, `RecordingController`, `TestFragmentController`, Module and Include
    /// Controllers.
    Simple,
    /// `LoopController`, also the root of a thread group.
    Loop { loops: Template, forever: bool },
    /// `OpenModelThreadGroupController`: the root of a group whose users stay for one iteration.
    OneShot,
    /// `VirtualUserController`: the root of the thread groups of `com.blazemeter`. `per_arrival`:
    /// each iteration waits for its arrival.
    VirtualUser { iterations: Template, per_arrival: bool },
    /// `WhileController`.
    While { condition: Template },
    /// `ForeachController`.
    ForEach(Box<ForEach>),
    /// `OnceOnlyController`.
    OnceOnly,
    /// `IfController`.
    If {
        condition: Template,
        expression: bool,
        every_child: bool,
        place: Rc<ScriptPlace>,
        script: Option<RemoteFunction>,
    },
    /// `InterleaveControl`; `whole`: a child controller runs as a whole on each visit (style 1).
    Interleave { whole: bool, across_users: bool },
    /// `RandomController`.
    Random { whole: bool },
    /// `RandomOrderController`.
    RandomOrder,
    /// `SwitchController` with the names of its children.
    Switch { value: Template, names: Vec<Template> },
    /// `WeightedSwitchController` with the weights of its children.
    Weighted { weights: Vec<Template>, random: bool },
    /// `ThroughputController`.
    Throughput(Box<Throughput>),
    /// `RunTime`.
    RunTime { seconds: Template },
    /// `CriticalSectionController`.
    Critical { lock: Template },
    /// One that another crate or a provider brought.
    Foreign(Rc<dyn swell_api::Controller>),
    /// `TransactionController`.
    Transaction { parent: bool, include_timers: bool },
}

/// Settings of a `ForeachController`.
pub(crate) struct ForEach {
    pub(crate) input: Template,
    pub(crate) output: Template,
    pub(crate) start: Option<Template>,
    pub(crate) end: Option<Template>,
    pub(crate) separator: bool,
}

/// Settings of a `ThroughputController`.
pub(crate) struct Throughput {
    pub(crate) percent: bool,
    pub(crate) amount: Option<Template>,
    /// Counts of all users, where they share them.
    pub(crate) shared: Option<Arc<Mutex<Counts>>>,
}

/// How many times a `ThroughputController` was reached and ran.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) executions: i32,
    pub(crate) iteration: i32,
}

impl Default for Counts {
    fn default() -> Self {
        Self { executions: 0, iteration: -1 }
    }
}

impl Kind {
    /// JMeter's `IteratingController`: break and continue stop unwinding here.
    pub(crate) fn iterates(&self) -> bool {
        matches!(
            self,
            Self::Loop { .. }
                | Self::While { .. }
                | Self::ForEach(_)
                | Self::OneShot
                | Self::VirtualUser { .. }
        )
    }

    /// JMeter's `LoopIterationListener` among controllers.
    pub(crate) fn listens(&self) -> bool {
        self.iterates() || matches!(self, Self::OnceOnly | Self::Throughput(_))
    }
}

/// What controllers can read and do beyond the user's variables.
pub(crate) trait ControllerContext {
    /// The time.
    fn now_ns(&self) -> i64;
    /// An iteration of the thread group starts.
    fn user_iteration(&mut self, cx: &mut Context);
    /// An iteration starts for a config element.
    fn element_iteration(&mut self, element: u32, cx: &mut Context);
    /// A transaction without parent sample has finished: its sample goes to the listeners of the
    /// last package.
    fn transaction_done(&mut self, result: SampleResult, cx: &mut Context);
    /// A transaction with parent sample was left within another one, which has its sample.
    fn part_done(&mut self, _result: &SampleResult, _cx: &mut Context) {}
    /// The schedule of the thread group has finished.
    fn is_over(&self) -> bool {
        false
    }
    /// There are more users than the thread group wants.
    fn is_one_too_many(&self) -> bool {
        false
    }
    /// Takes a lock if it is free or this user's already.
    fn try_lock(&mut self, name: &Arc<str>) -> bool;
    /// Gives a lock back.
    fn unlock(&mut self, name: &Arc<str>);
    /// Notes what is to be done as soon as its answers can be waited for.
    fn later(&mut self, what: Late);
}

/// A decision that a foreign controller must make, for a controller that continues without it.
#[derive(Debug)]
pub(crate) enum Late {
    /// The condition of a While Controller that is left: only for what its evaluation does.
    Condition(ControlId),
    /// The name of a controller, whose variable is to have this index.
    Name(ControlId, i32),
    /// The sample of a transaction without parent sample: the listeners of that package that may
    /// wait hear of it.
    Done(u32, Box<SampleResult>),
}
