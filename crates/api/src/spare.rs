//! Large buffers kept for the next large body.

use parking_lot::{Mutex, MutexGuard};

/// Buffers of bodies that are no longer needed. In a virtual machine, the first touch of new memory
/// can cost milliseconds per 2 MB, during which all users of a worker would wait; memory that was
/// used before costs nothing.
#[derive(Debug, Default)]
pub(crate) struct SpareBuffers(Mutex<Vec<Vec<u8>>>);

impl SpareBuffers {
    /// Smaller buffers are the allocator's, which has them ready.
    pub(crate) const SMALLEST: usize = 256 << 10;
    /// Bytes that all of them may take.
    const MOST: usize = 32 << 20;

    /// The smallest that holds `bytes`, empty.
    pub(crate) fn take(&self, bytes: usize) -> Option<Vec<u8>> {
        if bytes < Self::SMALLEST {
            return None;
        }
        let mut all = self.all();
        let fitting = all.iter().enumerate().filter(|(_, buffer)| buffer.capacity() >= bytes);
        let (place, _) = fitting.min_by_key(|(_, buffer)| buffer.capacity())?;
        Some(all.swap_remove(place))
    }

    /// Keeps a buffer, if there is room among them.
    pub(crate) fn give(&self, mut buffer: Vec<u8>) {
        if buffer.capacity() < Self::SMALLEST {
            return;
        }
        buffer.clear();
        let mut all = self.all();
        let taken: usize = all.iter().map(Vec::capacity).sum();
        if taken + buffer.capacity() <= Self::MOST {
            all.push(buffer);
        }
    }

    /// Frees them all.
    pub(crate) fn clear(&self) {
        let all = std::mem::take(&mut *self.all());
        drop(all);
    }

    fn all(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: usize = 1 << 20;

    fn capacities(spare: &SpareBuffers) -> Vec<usize> {
        spare.all().iter().map(Vec::capacity).collect()
    }

    #[test]
    fn the_smallest_that_fits_is_taken_and_comes_empty() {
        let spare = SpareBuffers::default();
        for size in [4 * MB, MB, 2 * MB] {
            spare.give(vec![1; size]);
        }
        let taken = spare.take(MB + 1).expect("one of 2 MB is there");
        assert_eq!((taken.len(), taken.capacity()), (0, 2 * MB));
        assert_eq!(spare.take(5 * MB), None);
        assert_eq!(spare.take(1), None, "small ones are the allocator's");
        assert_eq!(capacities(&spare), [4 * MB, MB]);
    }

    #[test]
    fn all_together_are_bounded_and_small_ones_are_not_kept() {
        let spare = SpareBuffers::default();
        for size in [SpareBuffers::SMALLEST - 1, 20 * MB, 20 * MB, 12 * MB, MB] {
            spare.give(Vec::with_capacity(size));
        }
        assert_eq!(capacities(&spare), [20 * MB, 12 * MB]);
        spare.clear();
        assert_eq!(capacities(&spare), [0; 0]);
    }
}
