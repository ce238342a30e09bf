//! Walks one user through the controllers and returns the next sampler, as `Controller.next()` does
//! in JMeter.

mod actions;
mod choice;
mod foreach;
mod foreign;
mod hooks;
mod loops;
mod next;
mod one_shot;
mod transaction;
mod weighted;

use swell_expr::Context;

use super::state::State;
use super::{Control, ControlId, ControllerContext, Next};

/// This number of iterations of one controller without a sampler ends the user. JMeter's stack ends
/// after some thousand.
pub(super) const EMPTY_ITERATIONS: u32 = 100_000;

/// One user's walk through the controllers.
pub(crate) struct Walk<'a> {
    pub(crate) controls: &'a [Control],
    pub(crate) states: &'a mut [State],
    pub(crate) cx: &'a mut Context,
    pub(crate) out: &'a mut dyn ControllerContext,
}

/// Result of one turn of a controller.
pub(super) enum Turn {
    Found(Next),
    /// `null`.
    End,
    /// JMeter calls `next()` again.
    Again,
}

/// Whether a controller is entered.
pub(super) enum Entry {
    Go,
    Leave,
}

impl<'a> Walk<'a> {
    pub(super) fn control(&self, id: ControlId) -> &'a Control {
        &self.controls[id.0 as usize]
    }

    pub(super) fn state_of(&self, id: ControlId) -> &State {
        &self.states[id.0 as usize]
    }

    pub(super) fn state(&mut self, id: ControlId) -> &mut State {
        &mut self.states[id.0 as usize]
    }
}
