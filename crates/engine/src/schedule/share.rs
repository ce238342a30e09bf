//! The part of a test that this run makes, if several runs share the test.

use std::collections::BTreeMap;
use std::sync::Arc;

use swell_api::Phase;

use super::Slice;

/// Where [`swell_expr::Shared`] has the [`Share`] of the run.
pub(crate) const SHARE: &str = "share of the test";

/// Slices of a test: each worker makes one of them. Start k of every thread group is in slice k mod
/// `of`. So several runs with different slices of the same number make the whole test together,
/// without knowing of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The slices that this run makes, one a worker; each below `of`.
    pub slices: Vec<u32>,
    /// How many slices there are.
    pub of: u32,
    /// The phase with which it begins; earlier phases have finished elsewhere.
    pub from: Phase,
    /// How far another run got with a slice that it had begun.
    pub taken_over: Option<Takeover>,
}

/// How much of a slice's load was already made elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Takeover {
    /// From when on it was not made, on the clock of [`swell_api::Timing`].
    pub lost_ns: i64,
    /// Users that had ended, by thread group: they are not started again.
    pub ended_users: Arc<[u32]>,
    /// Over how long users start that are to run already, so that they do not all connect in one
    /// moment.
    pub ramp_ns: i64,
    /// Rows of data files that were used, as [`crate::Status::rows_read`] told: others follow.
    pub rows_read: Arc<BTreeMap<String, u64>>,
}

impl Share {
    /// The whole test, made by that many workers.
    pub fn whole(workers: u32) -> Self {
        Self { slices: (0..workers).collect(), of: workers, from: Phase::SetUp, taken_over: None }
    }

    /// The part of the whole.
    pub fn part(&self) -> f64 {
        if self.slices.len() == self.of as usize {
            1.0
        } else {
            self.slices.len() as f64 / f64::from(self.of)
        }
    }

    /// What is run once in the whole test and not in slices is run here.
    pub(crate) fn has_first(&self) -> bool {
        self.slices.contains(&0)
    }

    /// The slice of a worker of a group that comes after groups of this many users.
    pub(crate) fn slice(&self, worker: usize, offset: u32) -> Slice {
        Slice::of(self.slices[worker % self.slices.len()], self.of, offset)
    }

    /// How many of `total` are its own, in a group that comes after groups of this many users.
    pub(crate) fn share(&self, total: u32, offset: u32) -> u32 {
        (0..self.slices.len()).map(|worker| self.slice(worker, offset).share(total)).sum()
    }

    /// The number in the whole test of the `count`-th of something that each run counts for itself:
    /// no two runs have the same.
    pub(crate) fn number(&self, count: u32) -> u32 {
        let slice = count as usize % self.slices.len();
        let round = count / self.slices.len() as u32;
        round.saturating_mul(self.of).saturating_add(self.slices[slice])
    }

    /// Rows of a data file that were used where the slice was made before.
    pub(crate) fn rows_used(&self, file: &str) -> u64 {
        self.taken_over.as_ref().and_then(|taken_over| taken_over.rows_read.get(file).copied()).unwrap_or(0)
    }

    /// Whether the row of that place in a file that all share is its own.
    pub(crate) fn has_row(&self, place: u64) -> bool {
        self.slices.iter().any(|slice| place % u64::from(self.of) == u64::from(*slice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn share(slices: &[u32], of: u32) -> Share {
        Share { slices: slices.to_vec(), of, ..Share::whole(1) }
    }

    proptest! {
        #[test]
        fn shares_of_a_test_make_the_whole_once(
            owners in proptest::collection::vec(0_u32..4, 1..12), total in 0_u32..200, offset in 0_u32..50,
        ) {
            let of = owners.len() as u32;
            let parts: Vec<_> = (0..4).map(|owner| {
                let own = (0..of).filter(|slice| owners[*slice as usize] == owner).collect::<Vec<_>>();
                share(&own, of)
            }).filter(|part| !part.slices.is_empty()).collect();
            prop_assert_eq!(parts.iter().map(|part| part.share(total, offset)).sum::<u32>(), total);
            let mut users: Vec<u32> = parts.iter().flat_map(|part| {
                (0..part.slices.len()).flat_map(|worker| part.slice(worker, offset).cut(0..total)).collect::<Vec<_>>()
            }).collect();
            users.sort_unstable();
            prop_assert_eq!(users, (0..total).collect::<Vec<_>>());
            let owned = |row: u64| parts.iter().filter(|part| part.has_row(row)).count();
            prop_assert!((0..100).all(|row| owned(row) == 1));
            let mut numbers: Vec<u32> = parts.iter().flat_map(|part| (0..20).map(|count| part.number(count))).collect();
            let count = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(numbers.len(), count);
        }
    }

    #[test]
    fn alone_everything_is_as_without_slices() {
        let whole = Share::whole(3);
        assert_eq!((0..7).map(|count| whole.number(count)).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!((whole.part(), whole.share(7, 2), whole.has_first()), (1.0, 7, true));
        assert!((0..9).all(|row| whole.has_row(row)));
    }
}
