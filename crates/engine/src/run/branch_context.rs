//! State that a Parallel Controller branch keeps for its user.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use swell_api::SampleResult;

use crate::control::ControlId;

/// State that a branch keeps for its user.
#[expect(clippy::struct_excessive_bools, reason = "each says another thing of the branch")]
pub(super) struct BranchContext {
    /// The thread's name in its samples.
    pub(super) thread_name: Rc<str>,
    /// Its samples go into that of the Parallel Controller, not to listeners.
    pub(super) collects: bool,
    pub(super) heard: Rc<RefCell<Vec<SampleResult>>>,
    /// Samples that transactions around the Parallel Controller sum up.
    pub(super) told: RefCell<Vec<(ControlId, SampleResult)>>,
    /// Its failed samples do what the thread group says; otherwise its user acts on the whole.
    pub(super) acts_on_errors: bool,
    /// Controllers of the branch.
    pub(super) own: Range<u32>,
    /// It wants its user to stop.
    pub(super) stops: bool,
    /// It wants its user to start the next loop of the thread group.
    pub(super) leaves: bool,
}

impl BranchContext {
    pub(super) fn tell(&self, transaction: ControlId, result: &SampleResult) {
        self.told.borrow_mut().push((transaction, result.clone()));
    }
}
