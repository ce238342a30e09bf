//! Detects growth of the tool's memory and descriptors at constant load: a leak would show over
//! days.

use super::{Drift, DriftFigure, FULL_LOAD, LEAST_CHANGE, MOST_BLOCKS, found};

/// Memory that changes by less over the whole run is not worth a word, in MiB.
const LEAST_MIB: f64 = 16.0;

/// The same for descriptors.
const LEAST_DESCRIPTORS: f64 = 16.0;

/// Resources that a process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnUse {
    /// Resident memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Open file descriptors.
    pub descriptors: Option<u64>,
}

/// The tool's resources in each second with all users. Memory does not grow with the length of the
/// run.
#[derive(Clone, Debug, Default)]
pub struct OwnGrowth {
    most_users: u64,
    memory_mib: BlockMeans,
    descriptors: BlockMeans,
}

impl OwnGrowth {
    /// Measures again, a second after the last time. More users than before use more memory: then
    /// the measurement starts again.
    pub fn look(&mut self, users: u64, own: OwnUse) {
        if users > self.most_users {
            *self = Self { most_users: users, ..Self::default() };
        }
        if (users as f64) < FULL_LOAD * self.most_users as f64 {
            return;
        }
        if let Some(bytes) = own.memory_bytes {
            self.memory_mib.add(bytes as f64 / f64::from(1 << 20));
        }
        if let Some(descriptors) = own.descriptors {
            self.descriptors.add(descriptors as f64);
        }
    }

    /// What of it drifts.
    pub(crate) fn drifts(&self) -> impl Iterator<Item = Drift> {
        let memory = self.memory_mib.drift(DriftFigure::OwnMemory, LEAST_MIB);
        memory.into_iter().chain(self.descriptors.drift(DriftFigure::OwnDescriptors, LEAST_DESCRIPTORS))
    }
}

/// Values a second apart as means of blocks of equal length, which are as many as before or half of
/// them after each value.
#[derive(Clone, Debug, Default)]
struct BlockMeans {
    blocks: Vec<f64>,
    /// Values a block, a power of two; 0 before the first.
    each: u32,
    sum: f64,
    count: u32,
}

impl BlockMeans {
    fn add(&mut self, value: f64) {
        self.each = self.each.max(1);
        self.sum += value;
        self.count += 1;
        if self.count < self.each {
            return;
        }
        self.blocks.push(self.sum / f64::from(self.count));
        (self.sum, self.count) = (0.0, 0);
        if self.blocks.len() == 2 * MOST_BLOCKS {
            self.blocks = self.blocks.chunks_exact(2).map(|two| f64::midpoint(two[0], two[1])).collect();
            self.each *= 2;
        }
    }

    fn drift(&self, what: DriftFigure, least: f64) -> Option<Drift> {
        let least_of = |median: f64| least.max(LEAST_CHANGE * median);
        let step_s = f64::from(self.each);
        found(what, &self.blocks, step_s, self.blocks.len() as f64 * step_s, least_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_tool_takes_is_told_when_it_grows_over_a_week_of_seconds() {
        let after = |seconds: u64, memory: fn(u64) -> u64| {
            let mut growth = OwnGrowth::default();
            for second in 0..seconds {
                // A ramp of 100 users, each with a descriptor and 1 MiB, then some MiB up and down.
                let users = second.min(100);
                let own = OwnUse {
                    memory_bytes: Some(((200 + users + second * 7 % 5) << 20) + memory(second)),
                    descriptors: Some(20 + users),
                };
                growth.look(users, own);
            }
            assert!(growth.memory_mib.blocks.len() < 2 * MOST_BLOCKS);
            growth.drifts().collect::<Vec<_>>()
        };
        assert_eq!(after(604_800, |_| 0), []);
        // A page of 4 KiB a second is 14 MiB an hour.
        let leak = |second: u64| second * 4096;
        let found = after(604_800, leak);
        let [Drift { what: DriftFigure::OwnMemory, per_hour, hours, .. }] = found[..] else {
            panic!("{found:?}")
        };
        assert!((per_hour - 14.0625).abs() < 0.01 && (hours - 168.0).abs() < 3.0, "{found:?}");
        assert_eq!(after(599, leak), [], "too short");
    }
}
