//! Real time and randomness inside a world.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use swell_world::{Clock, in_world};

use crate::alone::{again, text};

/// The process of this test ends with a backtrace that names the function.
fn aborts(test: &str, function: &str, f: impl FnOnce() + Send) {
    match again(module_path!(), test) {
        Some(output) => {
            let text = text(&output);
            assert!(!output.status.success(), "it went on:\n{text}");
            assert!(text.contains(&format!("{function} was called inside a world")), "{text}");
            assert!(text.contains("real_time::"), "the backtrace does not name the caller:\n{text}");
        }
        None => in_world(1, |_| f()),
    }
}

#[test]
fn the_time_of_the_machine_aborts() {
    aborts("the_time_of_the_machine_aborts", "clock_gettime", || assert!(Instant::now().elapsed().is_zero()));
}

#[test]
fn a_sleep_of_the_thread_aborts() {
    aborts("a_sleep_of_the_thread_aborts", "nanosleep", || std::thread::sleep(Duration::from_nanos(1)));
}

#[test]
fn threads_without_a_world_have_their_time() {
    let before = Instant::now();
    in_world(1, |world| {
        let machine = world.machine([10, 0, 0, 1], Clock::default());
        world.process(machine, "sleeper", swell_net::sleep_until(i64::MAX / 4));
        world.run().expect("it sleeps for a century");
        assert!(world.now_ns() > 1_000_000_000_000_000_000 - 1_700_000_000_000_000_000 / 2);
    });
    assert!(before.elapsed() < Duration::from_mins(1), "a century passes at once");
}

#[test]
fn worlds_side_by_side_share_no_lock_that_asks_for_the_time() {
    const THREADS: u8 = 128;
    let all_started = Barrier::new(usize::from(THREADS));
    let make_worlds = |threads: &Barrier| {
        threads.wait();
        for seed in 0..25 {
            in_world(seed, |world| {
                let machine = world.machine([10, 0, 0, 1], Clock::default());
                world.process(machine, "short", async {});
                world.run().expect("it ends");
            });
        }
    };
    std::thread::scope(|scope| {
        (0..THREADS).for_each(|_| drop(scope.spawn(|| make_worlds(&all_started))));
    });
}

#[test]
fn maps_have_the_order_of_the_seed() {
    let order = |seed| {
        in_world(seed, |_| {
            let set: HashSet<u32> = (0..50).collect();
            set.into_iter().collect::<Vec<_>>()
        })
    };
    assert_eq!(order(7), order(7));
    assert_ne!(order(7), order(8));
}

#[test]
fn random_numbers_of_libraries_are_those_of_the_seed() {
    let draw = |seed| in_world(seed, |_| rand::random::<u64>());
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7), draw(8));
}

#[test]
fn clocks_of_processes_are_those_of_their_machines() {
    in_world(3, |world| {
        let clocks = [Clock::default(), Clock { drift_ppb: 100_000, ..Clock::default() }];
        let seen = Rc::new(RefCell::new(Vec::new()));
        for (place, clock) in (1..).zip(clocks) {
            let machine = world.machine([10, 0, 0, place], clock);
            let seen = seen.clone();
            world.process(machine, "sleeper", async move {
                let begin_ns = swell_net::now_ns();
                swell_net::sleep_until(begin_ns + 1_000_000_000_000).await;
                seen.borrow_mut().push((place, swell_net::now_ns() - begin_ns));
            });
        }
        world.run().expect("both end");
        // The faster clock is there first: 1,000 s of it are 0.1 s less of world time.
        let seen = seen.take();
        assert_eq!(seen.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [2, 1]);
        assert!(
            seen.iter().all(|(_, slept_ns)| (0..1_000).contains(&(slept_ns - 1_000_000_000_000))),
            "{seen:?}"
        );
    });
}
