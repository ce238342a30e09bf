//! `GenericController.next()` with the hooks that the kinds of controllers override.
//!
//! JMeter's `next()` calls itself after a child without a sampler. Here that is a loop, so that
//! many such children in a row cannot overflow the stack.

use super::{EMPTY_ITERATIONS, Entry, Turn, Walk};
use crate::control::state::{Interleave, More};
use crate::control::{Child, ControlId, Halt, IterationListener, Kind, Late, Next, SamplerId};

impl Walk<'_> {
    /// `Controller.next()`.
    pub(crate) fn next(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        if let Some(sampler) = self.next_at_once(id)? {
            return Ok(Some(Next::Sampler(sampler)));
        }
        let found = match &self.control(id).kind {
            Kind::Transaction { parent: true, .. } => self.next_with_parent(id),
            Kind::Transaction { parent: false, .. } => self.next_additional(id),
            Kind::OneShot => self.next_one_shot(id),
            Kind::Weighted { .. } => self.next_weighted(id),
            Kind::Foreign(_) => self.next_foreign(id),
            _ => self.next_plain(id),
        };
        self.show_index(id);
        found
    }

    /// What the rest would answer, where that is seen at a glance: the next child of a loop or of a
    /// plain controller is a sampler. Most answers are such, and half of them begin a loop's next
    /// turn. None: that is for the rest to find out, as if it had not been called.
    fn next_at_once(&mut self, id: ControlId) -> Result<Option<SamplerId>, Halt> {
        let control = self.control(id);
        let state = &mut self.states[id.0 as usize];
        let goes_on = |loops: i32| match (&control.kind, state.limit) {
            (Kind::Simple, _) => true,
            (Kind::Loop { loops: text, .. }, Some(limit)) => {
                (limit > 0 || text.constant().is_some()) && (limit < 0 || loops < limit)
            }
            _ => false,
        };
        let out_of_the_way = state.first || state.done || state.broken || state.order.is_some();
        if out_of_the_way || !goes_on(state.loops) {
            return Ok(None);
        }
        if state.current as usize == control.children.len() {
            let turns = matches!(control.kind, Kind::Loop { .. }) && goes_on(state.loops + 1);
            if !turns || state.current == 0 {
                return Ok(None);
            }
            (state.loops, state.current, state.first) = (state.loops + 1, 0, true);
            self.show_index(id);
            self.fire_iteration(id)?;
        }
        let state = self.state(id);
        let Some(Child::Sampler(sampler)) = control.children.get(state.current as usize) else {
            return Ok(None);
        };
        state.current += 1;
        self.show_index(id);
        Ok(Some(*sampler))
    }

    /// The loop around [`Walk::turn`].
    pub(super) fn next_plain(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        for _ in 0..EMPTY_ITERATIONS {
            if let Entry::Leave = self.enter(id)? {
                return Ok(None);
            }
            match self.turn(id)? {
                Turn::Found(next) => return Ok(Some(next)),
                Turn::End => return Ok(None),
                Turn::Again => {}
            }
        }
        Err(Halt::Barren(id))
    }

    /// `GenericController.next()`, once.
    pub(super) fn turn(&mut self, id: ControlId) -> Result<Turn, Halt> {
        self.fire_iteration(id)?;
        let is_done = self.is_done(id);
        self.answered()?;
        if is_done {
            return Ok(Turn::End);
        }
        let control = self.control(id);
        let Some((index, child)) = self.state(id).child(control) else {
            if self.state(id).len(control) == 0 {
                self.set_done(id);
                return Ok(Turn::End);
            }
            return self.next_is_null(id);
        };
        if self.came_round(id, index) {
            return Ok(Turn::End);
        }
        match child {
            Child::Sampler(sampler) => {
                self.next_is_sampler(id);
                Ok(Turn::Found(Next::Sampler(sampler)))
            }
            Child::Control(below) => {
                if !self.cx.take_empty(below.0)
                    && let Some(next) = self.next(below)?
                {
                    self.child_gave(id);
                    return Ok(Turn::Found(next));
                }
                self.child_gave_nothing(id, below)?;
                Ok(Turn::Again)
            }
        }
    }

    /// `fireIterEvents`.
    #[inline]
    pub(super) fn fire_iteration(&mut self, id: ControlId) -> Result<(), Halt> {
        if self.state(id).first { self.fire_first(id) } else { Ok(()) }
    }

    fn fire_first(&mut self, id: ControlId) -> Result<(), Halt> {
        let control = self.control(id);
        let (before, told) =
            if self.cx.may_be_suspended() { (self.cx.evaluated(), self.cx.take_told()) } else { (0, 0) };
        for (place, listener) in control.listeners.iter().enumerate().skip(told) {
            match *listener {
                IterationListener::User => self.out.user_iteration(self.cx),
                IterationListener::Element(element) => self.out.element_iteration(element, self.cx),
                IterationListener::Control(below) => self.iteration_start(below, id),
            }
            if let Some(stop) = self.cx.stop.take() {
                return Err(Halt::Stop(stop));
            }
            if self.cx.is_suspended() {
                self.cx.suspend_in(place);
                return Err(Halt::Suspended);
            }
        }
        if self.cx.may_be_suspended() {
            self.cx.settle(before);
        }
        self.state(id).first = false;
        // What they set may decide what comes next.
        if self.cx.unheard.is_empty() { Ok(()) } else { Err(Halt::Hear) }
    }

    /// `getIterCount`.
    pub(super) fn iteration_count(&mut self, id: ControlId) -> i32 {
        let kind = &self.control(id).kind;
        let state = self.state(id);
        match kind {
            Kind::Loop { .. } | Kind::ForEach(_) | Kind::RunTime { .. } => state.loops + 1,
            Kind::VirtualUser { .. } => state.loops,
            _ => state.iteration,
        }
    }

    /// Puts `__jm__<name>__idx` (`updateIterationIndex`), where something may read it.
    #[inline]
    pub(super) fn show_index(&mut self, id: ControlId) {
        if self.control(id).shows_index {
            self.put_index(id);
        }
    }

    fn put_index(&mut self, id: ControlId) {
        let control = self.control(id);
        let state = self.state(id);
        let index = match control.kind {
            Kind::Loop { .. } | Kind::ForEach(_) => state.loops,
            Kind::While { .. } => state.iteration,
            Kind::VirtualUser { .. } => state.loops - 1,
            _ => return,
        };
        let mut digits = itoa::Buffer::new();
        let value = digits.format(index);
        let vars = &mut self.cx.vars;
        // A script may have put something else there.
        if let Some(slot) = control.index {
            if vars.get_slot(slot).is_none_or(|shown| **shown != *value) {
                vars.put_slot(slot, value);
            }
        } else if control.name.may_wait() {
            self.out.later(Late::Name(id, index));
        } else {
            control.put_index(self.cx, value);
        }
    }

    /// `initialize`.
    pub(crate) fn initialize(&mut self, id: ControlId) {
        self.reset_current(id);
        let state = self.state(id);
        state.iteration = 0;
        state.done = false;
        state.first = true;
        self.initialize_below(id);
        let control = self.control(id);
        match &control.kind {
            Kind::Interleave { across_users: true, .. } => {
                let user = self.cx.user.thread_index;
                let state = self.state(id);
                state.current = user % state.len(control).max(1);
            }
            Kind::RandomOrder => self.reorder(id),
            Kind::Foreign(_) => self.restart_foreign(id),
            Kind::ForEach(each) => self.start_foreach(id, each),
            _ => {}
        }
    }

    /// `initializeSubControllers`.
    pub(super) fn initialize_below(&mut self, id: ControlId) {
        let control = self.control(id);
        for index in 0..self.state(id).len(control) {
            let original = self.state(id).original(index);
            if let Child::Control(below) = control.children[original as usize] {
                self.initialize(below);
            }
        }
    }

    /// `reInitialize`.
    pub(super) fn re_initialize(&mut self, id: ControlId) {
        let control = self.control(id);
        match &control.kind {
            Kind::Loop { .. } | Kind::ForEach(_) | Kind::RunTime { .. } => {
                self.reset_current(id);
                self.state(id).loops += 1;
            }
            Kind::Interleave { .. } | Kind::Random { .. } => {
                let state = self.state(id);
                state.iteration += 1;
                state.more = More::Interleave(Interleave::default());
            }
            kind => {
                if let Kind::Critical { .. } = kind {
                    self.release(id);
                }
                self.reset_current(id);
                self.state(id).iteration += 1;
                if let Kind::RandomOrder = kind {
                    self.reorder(id);
                } else if let Kind::Foreign(_) = kind {
                    self.restart_foreign(id);
                }
            }
        }
        self.state(id).first = true;
    }

    /// `threadFinished`: gives back what a user who ends holds.
    pub(crate) fn release_all(&mut self) {
        for id in 0..self.controls.len() as u32 {
            self.release(ControlId(id));
        }
    }
}
