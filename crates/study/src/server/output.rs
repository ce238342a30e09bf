//! What a server prints: the lines are looked through once, the last are kept.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, PipeReader, Read};
use std::sync::Arc;
use std::time::Duration;

use fancy_regex::Regex;
use parking_lot::{Condvar, Mutex};

/// This many of the last lines are kept.
const KEPT: usize = 20;
/// Until the ready line was found, this many first lines are kept to look at.
const LOOKED_AT: usize = 10_000;
/// The rest of a longer line is a separate line.
const LINE_MAX_BYTES: u64 = 16 * 1024;

#[derive(Debug, Default)]
struct Lines {
    last: VecDeque<String>,
    /// Lines that were not looked at yet; none once they never will be.
    fresh: Option<VecDeque<String>>,
    is_over: bool,
}

/// The output of a server, read by a separate thread.
#[derive(Debug)]
pub(super) struct Output {
    shared: Arc<(Mutex<Lines>, Condvar)>,
}

impl Output {
    /// Reads from now on, until the other end is closed everywhere. The thread is left behind if
    /// that never happens.
    pub(super) fn read(from: PipeReader) -> Self {
        let lines = Lines { fresh: Some(VecDeque::new()), ..Lines::default() };
        let shared = Arc::new((Mutex::new(lines), Condvar::new()));
        let theirs = shared.clone();
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            while let Some(line) = next_line(&mut from) {
                take(&mut theirs.0.lock(), line);
                theirs.1.notify_all();
            }
            theirs.0.lock().is_over = true;
            theirs.1.notify_all();
        });
        Self { shared }
    }

    /// The first group of a printed line that matches, empty if the pattern has none. Each line is
    /// looked at once, and none after the one that matches.
    pub(super) fn matching(&self, pattern: &Regex) -> Option<String> {
        let mut lines = self.shared.0.lock();
        let fresh = lines.fresh.as_mut()?;
        while let Some(line) = fresh.pop_front() {
            // A pattern that takes too many steps on a line does not match it.
            if let Ok(Some(found)) = pattern.captures(&line) {
                let group = found.get(1).map(|group| group.as_str().to_owned()).unwrap_or_default();
                lines.fresh = None;
                return Some(group);
            }
        }
        None
    }

    /// Waits until something was printed or so long.
    pub(super) fn wait(&self, time: Duration) {
        let mut lines = self.shared.0.lock();
        if lines.is_over {
            // Nothing wakes us any more.
            drop(lines);
            std::thread::sleep(time);
        } else {
            self.shared.1.wait_for(&mut lines, time);
        }
    }

    /// The other end is closed: there will be no more output.
    pub(super) fn is_over(&self) -> bool {
        self.shared.0.lock().is_over
    }

    pub(super) fn last_lines(&self) -> Vec<String> {
        self.shared.0.lock().last.iter().cloned().collect()
    }
}

fn take(lines: &mut Lines, line: String) {
    if let Some(fresh) = &mut lines.fresh {
        fresh.push_back(line.clone());
        if fresh.len() > LOOKED_AT {
            fresh.pop_front();
        }
    }
    lines.last.push_back(line);
    if lines.last.len() > KEPT {
        lines.last.pop_front();
    }
}

fn next_line(from: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    // A pipe that fails has ended.
    let read = from.by_ref().take(LINE_MAX_BYTES).read_until(b'\n', &mut bytes).ok()?;
    (read > 0).then(|| String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_and_long_ones_are_cut() {
        let mut lines = Lines::default();
        (0..30).for_each(|n| take(&mut lines, n.to_string()));
        assert_eq!((lines.last.len(), &*lines.last[0], &*lines.last[19]), (KEPT, "10", "29"));
        let long = "x".repeat(LINE_MAX_BYTES as usize) + "y\r\nz";
        let mut from = long.as_bytes();
        let lengths: Vec<_> = std::iter::from_fn(|| next_line(&mut from)).map(|line| line.len()).collect();
        assert_eq!(lengths, [LINE_MAX_BYTES as usize, 1, 1]);
    }
}
