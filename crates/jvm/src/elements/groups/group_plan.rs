//! The plan that all groups of JMeter's engine share.

use std::collections::BTreeSet;

use parking_lot::Mutex;
use swell_plan::NodeId;

/// The groups of a run that JMeter's engine runs.
#[derive(Default)]
pub(in crate::elements) struct GroupPlan {
    /// The Java side that has loaded their plan; 0: none.
    pub(super) loaded: Mutex<u32>,
    /// Those that have not ended.
    left: Mutex<BTreeSet<u32>>,
}

impl GroupPlan {
    pub(super) fn add(&self, id: NodeId) {
        self.left.lock().insert(id.0);
    }

    /// A group has ended; whether it was the last.
    pub(super) fn ended(&self, id: NodeId) -> bool {
        let mut left = self.left.lock();
        left.remove(&id.0) && left.is_empty()
    }
}
