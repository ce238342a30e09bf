//! The schedule of a thread group from another crate or a provider.

use std::sync::Arc;

use swell_api::{Start, StartMode};

use super::{Schedule, ScheduleMode};

/// Such a schedule, and the meaning of its starts.
pub(crate) struct Foreign {
    pub(crate) schedule: Arc<dyn swell_api::Schedule>,
    pub(crate) mode: StartMode,
}

impl Schedule for Foreign {
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_> {
        self.schedule.starts()
    }

    fn users(&self) -> u32 {
        self.schedule.users()
    }

    fn end_ns(&self) -> Option<i64> {
        self.schedule.end_ns()
    }

    fn mode(&self) -> ScheduleMode<'_> {
        match self.mode {
            StartMode::Users => ScheduleMode::Users,
            StartMode::OneShot => ScheduleMode::OneShot,
            StartMode::Iterations { at_most } => ScheduleMode::Iterations { at_most },
        }
    }
}
