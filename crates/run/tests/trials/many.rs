//! A hundred trials in one process leave nothing behind.

use std::path::Path;

use crate::alone::in_separate_process;
use crate::plans::{counts, plan, run, target};

/// More than this may the memory of the process not grow by from the second trial to the last: the
/// allocator keeps pages that it may need again.
const SLACK_BYTES: u64 = 24 << 20;

fn entries(folder: &str) -> Vec<String> {
    let entries = Path::new(folder).read_dir().expect("this is Linux");
    let shown = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.ok()?.path();
        // A thread by its name, a descriptor by what it is open to.
        let what = std::fs::read_to_string(path.join("comm"))
            .or_else(|_| std::fs::read_link(&path).map(|to| to.display().to_string()));
        what.ok()
    };
    entries.filter_map(shown).collect()
}

/// Resident memory in bytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("this is Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("every process has some");
    line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).expect("a number") * 1024
}

/// In a separate process, since other tests open and close things as well.
#[test]
fn descriptors_threads_and_memory_after_the_last_are_those_after_the_second() {
    if in_separate_process(
        module_path!(),
        "descriptors_threads_and_memory_after_the_last_are_those_after_the_second",
    ) {
        return;
    }
    let site = target();
    let plan = plan(site.addr(), "/bytes/100", 2, 5);
    let mut seen = Vec::new();
    for _ in 0..100 {
        assert_eq!(counts(&run(&plan)), (10, 0));
        seen.push((entries("/proc/self/fd"), entries("/proc/self/task"), memory()));
    }
    let second = &seen[1];
    let last = &seen[99];
    println!(
        "descriptors {} and {}, threads {} and {}, bytes {} and {}",
        second.0.len(),
        last.0.len(),
        second.1.len(),
        last.1.len(),
        second.2,
        last.2
    );
    // A thread that was joined may be listed for a moment, and the target closes connections of the
    // trial before in its own time.
    assert!(last.0.len() <= second.0.len() + 2, "{second:?} {last:?}");
    assert!(last.1.len() <= second.1.len() + 2, "{:?} {:?}", second.1, last.1);
    assert!(last.2 <= second.2 + SLACK_BYTES, "{} {}", second.2, last.2);
}
