//! Roots of thread groups whose users do not loop: Open Model, Concurrency, Arrivals.

use swell_expr::Template;

use super::{Turn, Walk};
use crate::control::{ControlId, Halt, Next};
use crate::number;

impl Walk<'_> {
    /// `OpenModelThreadGroupController.next`: over after one iteration.
    pub(super) fn next_one_shot(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        let found = self.next_plain(id);
        if self.state(id).iteration >= 1 {
            self.set_done(id);
        }
        found
    }

    /// `VirtualUserController.next`: before each sampler the user ends if the schedule of its group
    /// has finished. An iteration whose turn it is gets at least its first sampler.
    pub(super) fn enter_virtual_user(&mut self, id: ControlId, per_arrival: bool) {
        let over = self.out.is_over();
        let state = self.state(id);
        let arrives = state.first;
        if state.broken || (over && !(per_arrival && arrives)) {
            self.set_done(id);
        } else if arrives {
            state.loops += 1;
        }
    }

    /// `VirtualUserController.nextIsNull`.
    pub(super) fn virtual_user_end(
        &mut self,
        id: ControlId,
        iterations: &Template,
        per_arrival: bool,
    ) -> Result<Turn, Halt> {
        let before = self.cx.evaluated();
        let limit = number::long(&iterations.eval(self.cx));
        self.decided(before)?;
        let enough = limit > 0 && i64::from(self.state(id).loops) >= limit;
        if enough || self.out.is_over() || (!per_arrival && self.out.is_one_too_many()) {
            self.set_done(id);
            return Ok(Turn::End);
        }
        self.re_initialize(id);
        Ok(if per_arrival { Turn::End } else { Turn::Again })
    }
}
