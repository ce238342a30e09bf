//! Bounds the file of intervals: when it has too many intervals or is too long, neighbours are
//! merged.

use std::fs;
use std::io;
use std::path::Path;

use swell_stats::Interval;

use super::files::new_file;
use super::intervals::{Appender, Intervals, RecordEnd};

/// Limits of a file of intervals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Intervals: two hours of seconds.
    pub(super) intervals: u64,
    /// Bytes.
    pub(super) bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { intervals: 7200, bytes: 256 << 20 }
    }
}

impl Bounds {
    pub(super) fn half(self) -> Self {
        Self { intervals: self.intervals / 2, bytes: self.bytes / 2 }
    }

    pub(super) fn are_exceeded_by(self, file: &Appender) -> bool {
        file.count > self.intervals || file.bytes > self.bytes
    }
}

/// Replaces a file with one whose neighbours are merged to at most `width_ms`. A reader that has
/// the old one open continues with that.
pub(super) fn merge_neighbours(path: &Path, width_ms: u64) -> io::Result<Appender> {
    let beside = path.with_extension("merging");
    // One that an earlier attempt left behind is of no use.
    let _ = fs::remove_file(&beside);
    let mut merged = Appender::begin(new_file(&beside)?)?;
    let mut intervals = Intervals::open(path)?;
    let mut waiting: Option<Interval> = None;
    for next in intervals.by_ref() {
        match waiting.as_mut() {
            Some(last) if fits(last, &next, width_ms) => last.merge(&next),
            _ => {
                if let Some(last) = waiting.replace(next) {
                    merged.append(&last)?;
                }
            }
        }
    }
    if let Some(last) = waiting {
        merged.append(&last)?;
    }
    if let Some(RecordEnd::Damaged(why)) = intervals.end() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, why.clone()));
    }
    merged.sync()?;
    fs::rename(&beside, path)?;
    Ok(merged)
}

/// Whether both together are no longer than that. A pause stays apart from what is no pause: its
/// figures are blank, and not zero.
fn fits(last: &Interval, next: &Interval, width_ms: u64) -> bool {
    // The clock of seconds is not exact to the millisecond.
    const SLACK_MS: u64 = 100;
    let length_ms = last.length_ms.saturating_add(next.length_ms);
    length_ms <= width_ms.saturating_add(SLACK_MS) && last.is_paused == next.is_paused
}

#[cfg(test)]
mod tests {
    use super::super::intervals::tests::second;
    use super::*;

    #[test]
    fn neighbours_are_merged_and_no_sample_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("intervals");
        let mut file = Appender::begin(new_file(&path).expect("made")).expect("begun");
        for at in 0..101_u64 {
            let mut one = second(at as i64 * 1000, at);
            one.is_paused = (40..43).contains(&at);
            file.append(&one).expect("appended");
        }
        let bounds = Bounds { intervals: 100, bytes: u64::MAX };
        assert!(bounds.are_exceeded_by(&file) && !Bounds::default().are_exceeded_by(&file));
        let mut merged = merge_neighbours(&path, 4000).expect("merged");
        merged.append(&second(101_000, 101)).expect("appended");
        let all: Vec<_> = Intervals::open(&path).expect("readable").collect();
        assert_eq!(all.iter().map(|one| one.labels.total().samples).sum::<u64>(), 101 * 51);
        let lengths: Vec<_> = all.iter().map(|one| (one.start_ms, one.length_ms, one.is_paused)).collect();
        assert_eq!(lengths[..2], [(0, 4000, false), (4000, 4000, false)]);
        assert_eq!(lengths[10..12], [(40_000, 3000, true), (43_000, 4000, false)]);
        assert_eq!(lengths.last(), Some(&(101_000, 1000, false)));
        assert_eq!(all.len() as u64, merged.count);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no other file is left");
    }
}
