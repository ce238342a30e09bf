//! A user's state of a controller.

use std::sync::Arc;

use swell_api::{Controller, ControllerState};

use super::transaction::{Additional, Transaction};
use super::weighted::Weighted;
use super::{Child, Control, Counts};

/// State of one controller for one user. Names of JMeter's fields are in brackets.
pub(crate) struct State {
    /// Index into the children that are left (`current`); `u32::MAX` after the one child of a
    /// switch.
    pub(crate) current: u32,
    /// Iterations of controllers that do not count loops (`iterCount`).
    pub(crate) iteration: i32,
    /// Loops done (`loopCount`).
    pub(crate) loops: i32,
    /// Loops to do, once read (`nbLoops`).
    pub(crate) limit: Option<i32>,
    /// The next child is the first of an iteration (`first`).
    pub(crate) first: bool,
    /// Has ended (`done`).
    pub(crate) done: bool,
    /// A break is due (`breakLoop`).
    pub(crate) broken: bool,
    /// Children that are left, in their order, where that is not all of them.
    pub(crate) order: Option<Box<[u32]>>,
    /// What only some kinds need.
    pub(crate) more: More,
}

/// State of some kinds only.
pub(crate) enum More {
    Nothing,
    Interleave(Interleave),
    /// Start of a Runtime Controller's time.
    Since(Option<i64>),
    Throughput {
        counts: Counts,
        runs: bool,
    },
    /// The lock that is held.
    Lock(Option<Arc<str>>),
    Transaction(Option<Box<Transaction>>),
    Additional(Option<Box<Additional>>),
    Weighted(Box<Weighted>),
    Foreign(Box<Foreign>),
}

/// State of `InterleaveControl`.
#[derive(Default)]
pub(crate) struct Interleave {
    pub(crate) skip_next: bool,
    pub(crate) returned_one: bool,
    pub(crate) moved: bool,
    /// The child that the search started at.
    pub(crate) search: Option<u32>,
}

/// State of a controller from another crate or a provider ([`swell_api::Controller`]).
pub(crate) struct Foreign {
    pub(super) state: Box<dyn ControllerState>,
    /// The child controller that is not through yet.
    pub(super) inside: Option<usize>,
}

impl Foreign {
    fn new(controller: &dyn Controller) -> Self {
        Self { state: controller.for_user(), inside: None }
    }
}

impl State {
    /// State before `initialize`.
    pub(crate) fn new(control: &Control) -> Self {
        use super::Kind;
        let more = match &control.kind {
            Kind::Foreign(controller) => More::Foreign(Box::new(Foreign::new(&**controller))),
            Kind::Interleave { .. } | Kind::Random { .. } => More::Interleave(Interleave::default()),
            Kind::RunTime { .. } => More::Since(None),
            Kind::Throughput(_) => More::Throughput { counts: Counts::default(), runs: false },
            Kind::Critical { .. } => More::Lock(None),
            Kind::Weighted { .. } => More::Weighted(Box::default()),
            Kind::Transaction { parent: true, .. } => More::Transaction(None),
            Kind::Transaction { parent: false, .. } => More::Additional(None),
            _ => More::Nothing,
        };
        // A report is made on the way that `Walk::next_at_once` leaves out.
        let order = control.traced.as_ref().map(|_| (0..control.children.len() as u32).collect());
        Self {
            current: 0,
            iteration: 0,
            loops: 0,
            limit: None,
            first: true,
            done: false,
            broken: false,
            order,
            more,
        }
    }

    /// How many children are left.
    pub(crate) fn len(&self, control: &Control) -> u32 {
        self.order.as_ref().map_or(control.children.len(), |order| order.len()) as u32
    }

    /// Index among all children of the child at a place among those left.
    pub(crate) fn original(&self, place: u32) -> u32 {
        self.order.as_ref().map_or(place, |order| order[place as usize])
    }

    /// The current child with its index among all children; none beyond the end.
    pub(crate) fn child(&self, control: &Control) -> Option<(u32, Child)> {
        if self.current >= self.len(control) {
            return None;
        }
        let index = self.original(self.current);
        Some((index, control.children[index as usize]))
    }

    /// The children that are left, as indices.
    pub(crate) fn left(&self, control: &Control) -> Vec<u32> {
        (0..self.len(control)).map(|place| self.original(place)).collect()
    }

    /// Takes the current child out for the rest of the user's life (`removeCurrentElement`).
    pub(crate) fn remove_current(&mut self, control: &Control) {
        let mut left = self.left(control);
        left.remove(self.current as usize);
        self.order = Some(left.into());
    }

    pub(crate) fn interleave(&mut self) -> &mut Interleave {
        match &mut self.more {
            More::Interleave(interleave) => interleave,
            _ => unreachable!("interleaving controllers have this state"),
        }
    }
}
