//! Limits and properties that the process reads from its machine.

use swell_net::machine::{descriptor_limits, raise_descriptor_limit};

/// `FDSize`: places of the kernel's table of descriptors (proc_pid_status(5)).
fn places_for_descriptors() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("FDSize:")).expect("since Linux 2.6");
    line.trim().parse().expect("a number")
}

#[test]
fn the_limit_of_descriptors_is_raised_and_the_kernel_has_room_for_them_at_once() {
    let (_, hard) = descriptor_limits().expect("known");
    assert_eq!(raise_descriptor_limit().expect("raised"), hard);
    assert_eq!(descriptor_limits().expect("known").0, hard);
    let wanted = hard.min(1 << 17);
    assert!(places_for_descriptors() >= wanted, "{} of {wanted}", places_for_descriptors());
}
