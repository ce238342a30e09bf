//! The methods of `GenericController` that its subclasses override, each with all variants.

use super::{Entry, Turn, Walk};
use crate::control::state::More;
use crate::control::{ControlId, Halt, Kind};

impl Walk<'_> {
    /// What an heir's `next()` does before it calls the one of `GenericController`.
    pub(super) fn enter(&mut self, id: ControlId) -> Result<Entry, Halt> {
        self.show_index(id);
        match &self.control(id).kind {
            Kind::Loop { loops, forever } => self.enter_loop(id, loops, *forever),
            Kind::While { condition } => self.enter_while(id, condition),
            Kind::ForEach(each) => self.enter_foreach(id, each),
            Kind::If { condition, expression, every_child, place, script } => {
                if !*every_child && !self.state(id).first {
                    return Ok(Entry::Go);
                }
                let before = self.cx.evaluated();
                let holds = self.holds(id, condition, *expression, place, script.as_ref());
                self.answered()?;
                if !holds {
                    self.initialize_below(id);
                    self.decided(before)?;
                    self.re_initialize(id);
                    return Ok(Entry::Leave);
                }
                Ok(Entry::Go)
            }
            Kind::Interleave { .. } | Kind::Random { .. } => {
                if self.state(id).interleave().skip_next {
                    self.re_initialize(id);
                    return Ok(Entry::Leave);
                }
                Ok(Entry::Go)
            }
            Kind::Switch { value, names } => {
                if self.state(id).first {
                    let text = value.eval(self.cx);
                    let text = text.trim();
                    let selected = self.select(id, text, names);
                    self.answered()?;
                    if self.is_traced(id) {
                        self.note_choice(id, text, selected);
                    }
                    self.state(id).current = selected;
                }
                Ok(Entry::Go)
            }
            Kind::Throughput(_) => match self.state(id).more {
                More::Throughput { runs: true, .. } => Ok(Entry::Go),
                _ => Ok(Entry::Leave),
            },
            Kind::RunTime { seconds } => self.enter_runtime(id, seconds),
            Kind::Critical { lock } => self.enter_critical(id, lock),
            Kind::VirtualUser { per_arrival, .. } => {
                self.enter_virtual_user(id, *per_arrival);
                Ok(Entry::Go)
            }
            Kind::OnceOnly | Kind::RandomOrder => {
                if self.is_traced(id) && self.state(id).first {
                    self.note_first(id);
                }
                Ok(Entry::Go)
            }
            Kind::Simple
            | Kind::Transaction { .. }
            | Kind::OneShot
            | Kind::Foreign(_)
            | Kind::Weighted { .. } => Ok(Entry::Go),
        }
    }

    /// `nextIsNull`: the last child is through.
    pub(super) fn next_is_null(&mut self, id: ControlId) -> Result<Turn, Halt> {
        Ok(match &self.control(id).kind {
            Kind::Loop { loops, forever } => self.loop_end(id, loops, *forever)?,
            Kind::While { condition } => self.while_end(id, condition)?,
            Kind::ForEach(each) => self.foreach_end(id, each)?,
            Kind::RunTime { seconds } => self.runtime_end(id, seconds)?,
            Kind::VirtualUser { iterations, per_arrival } => {
                self.virtual_user_end(id, iterations, *per_arrival)?
            }
            Kind::OnceOnly => Turn::End,
            Kind::Interleave { .. } | Kind::Random { .. } => {
                self.reset_current(id);
                Turn::Again
            }
            _ => {
                // It may be entered again before there is a sampler, and decides again then.
                self.cx.settle(0);
                self.re_initialize(id);
                Turn::End
            }
        })
    }

    /// `isDone`.
    pub(crate) fn is_done(&mut self, id: ControlId) -> bool {
        let control = self.control(id);
        match &control.kind {
            Kind::If { .. } => false,
            Kind::Throughput(throughput) => self.throughput_done(id, throughput),
            Kind::ForEach(each) => self.foreach_done(id, each),
            Kind::RunTime { seconds } => {
                let empty = self.state(id).len(control) == 0;
                empty || self.seconds(seconds) <= 0 || self.state(id).done
            }
            _ => self.state(id).done,
        }
    }

    /// `setDone(true)`.
    pub(super) fn set_done(&mut self, id: ControlId) {
        let is_loop = matches!(self.control(id).kind, Kind::Loop { .. });
        let state = self.state(id);
        state.done = true;
        if is_loop {
            state.broken = false;
            state.limit = None;
        }
    }

    /// `currentReturnedNull`: a child that is done leaves for good.
    pub(super) fn child_gave_nothing(&mut self, id: ControlId, below: ControlId) -> Result<(), Halt> {
        let control = self.control(id);
        let before = self.cx.evaluated();
        let is_done = self.is_done(below);
        if self.cx.is_suspended() {
            self.cx.suspend_after(below.0);
        }
        self.decided(before)?;
        if is_done {
            self.state(id).remove_current(control);
            return Ok(());
        }
        match control.kind {
            // An interleaving controller that ignores blocks stays at the child.
            Kind::Interleave { whole: false, .. } | Kind::Random { whole: false } => {}
            _ => self.increment_current(id),
        }
        Ok(())
    }

    /// `nextIsAController`, after a child controller gave a sampler.
    pub(super) fn child_gave(&mut self, id: ControlId) {
        match self.control(id).kind {
            Kind::Interleave { whole, .. } | Kind::Random { whole } => {
                if self.is_traced(id) {
                    self.note_child(id);
                }
                self.state(id).interleave().returned_one = true;
                if whole {
                    self.state(id).interleave().search = None;
                } else {
                    self.increment_current(id);
                    self.state(id).interleave().skip_next = true;
                }
            }
            _ => {}
        }
    }

    /// `nextIsASampler`.
    pub(super) fn next_is_sampler(&mut self, id: ControlId) {
        if let Kind::Interleave { .. } | Kind::Random { .. } = self.control(id).kind {
            self.state(id).interleave().skip_next = true;
            if self.is_traced(id) {
                self.note_child(id);
            }
        }
        self.increment_current(id);
    }

    /// `setCurrentElement` of interleaving controllers: whether the search came back to where it
    /// started.
    pub(super) fn came_round(&mut self, id: ControlId, child: u32) -> bool {
        let (Kind::Interleave { .. } | Kind::Random { .. }) = self.control(id).kind else { return false };
        let interleave = self.state(id).interleave();
        match interleave.search {
            None => interleave.search = Some(child),
            Some(start) if start == child && interleave.moved => {
                self.re_initialize(id);
                return true;
            }
            Some(_) => {}
        }
        false
    }

    /// `incrementCurrent`.
    fn increment_current(&mut self, id: ControlId) {
        let control = self.control(id);
        match control.kind {
            Kind::Switch { .. } => self.state(id).current = u32::MAX,
            Kind::Interleave { .. } | Kind::Random { .. } => {
                let interleave = self.state(id).interleave();
                interleave.skip_next |= interleave.returned_one;
                interleave.moved = true;
                self.state(id).current += 1;
                if let Kind::Random { .. } = control.kind {
                    self.reset_current(id);
                }
            }
            _ => self.state(id).current += 1,
        }
    }

    /// `resetCurrent`.
    pub(super) fn reset_current(&mut self, id: ControlId) {
        let control = self.control(id);
        let current = match control.kind {
            Kind::Random { .. } => {
                let count = self.state(id).len(control);
                self.random_below(count)
            }
            _ => 0,
        };
        self.state(id).current = current;
    }
}
