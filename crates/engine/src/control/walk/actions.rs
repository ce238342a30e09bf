//! Actions that change the usual order: start next thread loop, next iteration of the current loop,
//! break the current loop.

use swell_api::LoopAction;

use super::Walk;
use crate::control::transaction::AbandonedTransaction;
use crate::control::{ControlId, Kind, Late};

impl Walk<'_> {
    /// Ends what a sampler is in, from the innermost controller outwards
    /// (`JMeterThread.continueOnThreadLoop`, `continueOnCurrentLoop`, `breakOnCurrentLoop`). `path`
    /// holds the controllers above the sampler, innermost first, the root of the thread group last.
    /// Gives the last transaction with parent sample that was ended.
    pub(crate) fn leave(&mut self, path: &[ControlId], action: LoopAction) -> Option<AbandonedTransaction> {
        let mut left = None;
        for (above, &id) in path.iter().enumerate() {
            let root = above + 1 == path.len();
            let stops_here = self.control(id).kind.iterates() && action != LoopAction::NextThreadLoop;
            if !root && !stops_here {
                self.trigger_end_of_loop(id, &mut left);
                continue;
            }
            if let Kind::OneShot = self.control(id).kind {
                // It ignores the action and continues with its next child.
            } else if action == LoopAction::Break {
                self.break_loop(id);
            } else {
                self.re_initialize(id);
            }
            break;
        }
        left
    }

    /// `IteratingController.breakLoop`.
    fn break_loop(&mut self, id: ControlId) {
        self.reset_current(id);
        self.reset_loop_count(id);
        let state = self.state(id);
        state.broken = true;
        state.first = true;
    }

    /// `triggerEndOfLoop`.
    pub(super) fn trigger_end_of_loop(&mut self, id: ControlId, left: &mut Option<AbandonedTransaction>) {
        match &self.control(id).kind {
            Kind::If { .. } => self.initialize_below(id),
            Kind::Transaction { parent: true, .. } => {
                *left = self.leave_transaction(id, left.take());
            }
            Kind::Transaction { parent: false, .. } => self.leave_additional(id),
            _ => {}
        }
        self.re_initialize(id);
        if let Kind::While { condition } = &self.control(id).kind {
            // Only for what its evaluation does, as JMeter.
            if !condition.may_wait() {
                let _ = self.while_over(id, condition, true);
            } else if !self.state(id).broken {
                self.out.later(Late::Condition(id));
            }
        }
        self.reset_loop_count(id);
    }
}
