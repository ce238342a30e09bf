//! Huge pages are used only on request. The setting belongs to the process.

use swell_net::{HugePages, avoid_huge_pages};

use crate::alone::in_separate_process;

/// `THP_enabled`: whether new memory of this process may come in huge pages (proc_pid_status(5)).
fn has_huge_pages() -> Option<bool> {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    Some(status.lines().find_map(|line| line.strip_prefix("THP_enabled:"))?.trim() == "1")
}

#[test]
fn a_process_that_avoids_them_has_them_while_somebody_holds_them() {
    if in_separate_process(module_path!(), "a_process_that_avoids_them_has_them_while_somebody_holds_them") {
        return;
    }
    if has_huge_pages() != Some(true) {
        println!("skipped: this process has no huge pages, or its kernel does not tell");
        return;
    }
    drop(HugePages::hold());
    assert_eq!(has_huge_pages(), Some(true), "they are not avoided");
    let early = HugePages::hold();
    avoid_huge_pages();
    assert_eq!(has_huge_pages(), Some(true), "they are already held");
    drop(early);
    assert_eq!(has_huge_pages(), Some(false));
    let first = HugePages::hold();
    let second = HugePages::hold();
    drop(first);
    assert_eq!(has_huge_pages(), Some(true), "the second holds them still");
    drop(second);
    avoid_huge_pages();
    assert_eq!(has_huge_pages(), Some(false));
}
