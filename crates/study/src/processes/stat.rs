//! `/proc/PID/stat` (proc_pid_stat(5)).

/// A process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// That of its parent.
    pub parent: u32,
    /// That of its group.
    pub group: u32,
    /// CPU time, user and system, in clock ticks.
    pub cpu_ticks: u64,
    /// Threads.
    pub threads: u64,
    /// Resident memory in pages.
    pub rss_pages: u64,
}

/// Reads the one line of that file; none if it is something else. The name of a program may hold
/// blanks and brackets.
pub fn parse_stat(bytes: &[u8]) -> Option<Process> {
    let text = String::from_utf8_lossy(bytes);
    let (id, rest) = text.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<_> = rest.split_ascii_whitespace().collect();
    // The third field of the file is the first here.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let small = |field: usize| u32::try_from(number(field)?).ok();
    Some(Process {
        id: id.parse().ok()?,
        parent: small(4)?,
        group: small(5)?,
        cpu_ticks: number(14)?.checked_add(number(15)?)?,
        threads: number(20)?,
        rss_pages: number(24)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let line = b"42 (a) b (c) S 7 40 40 0 -1 4194560 1 2 3 4 100 20 0 0 20 0 33 0 95 1000 512 18446744073709551615 1 1\n";
        let want = Process { id: 42, parent: 7, group: 40, cpu_ticks: 120, threads: 33, rss_pages: 512 };
        assert_eq!(parse_stat(line), Some(want));
        for bad in [&b""[..], b"42 (a", b"42 (a) S", b"x (a) S 7 40", b"\xff\xfe"] {
            assert_eq!(parse_stat(bad), None);
        }
    }
}
