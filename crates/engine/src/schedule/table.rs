//! A schedule calculated in advance for every user.

use super::{Schedule, Start};

/// Starts in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    starts: Vec<Start>,
}

impl Table {
    /// Puts starts in order; of those at one time the lower number is first.
    pub(crate) fn new(mut starts: Vec<Start>) -> Self {
        starts.sort_by_key(|start| (start.start_ns, start.user));
        Self { starts }
    }
}

impl Schedule for Table {
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_> {
        Box::new(self.starts.iter().copied())
    }

    fn users(&self) -> u32 {
        self.starts.len() as u32
    }

    fn end_ns(&self) -> Option<i64> {
        self.starts.iter().map(|start| start.end_ns.max(start.start_ns)).max()
    }
}
