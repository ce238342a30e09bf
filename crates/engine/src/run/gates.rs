//! Barriers before the phases of a run, which can be held from outside.

use parking_lot::Mutex;
use swell_api::Phase;

/// One barrier per phase. All are open unless they are closed before the run.
#[derive(Debug)]
pub(crate) struct PhaseGates {
    /// From when schedules of the phase begin, by phase; none while it is held.
    starts: Mutex<[Option<i64>; 3]>,
}

impl Default for PhaseGates {
    fn default() -> Self {
        Self { starts: Mutex::new([Some(i64::MIN); 3]) }
    }
}

impl PhaseGates {
    pub(super) fn close(&self) {
        *self.starts.lock() = [None; 3];
    }

    pub(super) fn release(&self, phase: Phase, start_ns: i64) {
        self.starts.lock()[phase as usize] = Some(start_ns);
    }

    /// When schedules of a phase are to begin at the earliest; none while it is held.
    pub(super) fn start_ns(&self, phase: Phase) -> Option<i64> {
        self.starts.lock()[phase as usize]
    }
}
