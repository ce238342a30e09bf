//! Figures of runs, received from other processes and machines.

use swell_engine::RunOutcome;
use swell_stats::encoding::{Portable, decode, encode};
use swell_stats::verdict::Evidence;
use swell_stats::{Interval, Snapshot};

/// Bytes are an error, or a value that survives writing and reading and can be merged.
pub(super) fn figures(input: &[u8]) {
    if let Some(snapshot) = read::<Snapshot>(input) {
        let mut all = Snapshot::new(10);
        all.merge(&snapshot);
        let wanted = snapshot.rows.iter().map(|row| row.stats.elapsed.count()).fold(0, u64::wrapping_add);
        let merged = all.rows.iter().map(|row| row.stats.elapsed.count()).fold(0, u64::wrapping_add);
        assert_eq!(merged, wanted, "no value is lost");
    }
    if let Some(interval) = read::<Interval>(input) {
        let mut all = Interval::default();
        all.merge(&interval);
        assert_eq!(all.labels.rows.len(), interval.labels.rows.len(), "nothing merged with one is that one");
    }
    let _ = read::<Evidence>(input).map(|evidence| swell_stats::verdict(&evidence));
    let _ = read::<RunOutcome>(input);
}

fn read<T: Portable>(input: &[u8]) -> Option<T> {
    let value: T = decode(input).ok()?;
    let again: T = decode(&encode(&value)).expect("what was decoded can be encoded");
    assert_eq!(encode(&again), encode(&value), "it comes back whole");
    Some(value)
}
