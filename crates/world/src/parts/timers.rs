//! Sleeps and deadlines of a loop whose clock rests while it works: each ends at its nanosecond,
//! whatever others are set, moved and given up meanwhile.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use futures_util::future::{Either, select};
use rand::Rng;
use rand::rngs::SmallRng;
use swell_net::{Deadline, now_ns, sleep_uncut_until, sleep_until, spawn};

use super::{Checked, equal, must, one_of};
use crate::kernel::Clock;
use crate::world::World;

const MS: i64 = 1_000_000;
const TASKS: usize = 6;

type Wrong = Rc<RefCell<Option<String>>>;

/// Runs tasks that sleep at the same time on one loop.
pub(super) fn run(world: &mut World, mut draws: SmallRng, operations: u32) -> Checked {
    // Reads of the clock take no time: what is late or early by a nanosecond shows.
    world.set_read_ns(0);
    let machine = world.machine([10, 0, 0, 1], Clock::default());
    let wrong = Wrong::default();
    let into = wrong.clone();
    let seeds: Vec<u64> = (0..TASKS).map(|_| draws.random()).collect();
    world.process(machine, "timers", async move {
        let tasks: Vec<_> = seeds
            .into_iter()
            .map(|seed| {
                let into = into.clone();
                let draws = super::draws(seed, "timers");
                spawn(async move {
                    if let Err(what) = task(draws, operations).await {
                        into.borrow_mut().get_or_insert(what);
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await;
        }
    });
    world.set_limit_ns(i64::from(operations) * 500 * MS + 10_000 * MS);
    let ended = world.run().map_err(|stuck| format!("life: {stuck}"));
    let wrong = wrong.take();
    ended.and(wrong.map_or(Ok(()), Err))
}

/// A time, often one that other tasks have as well, or a nanosecond from it.
fn later(draws: &mut SmallRng) -> i64 {
    let now_ns = now_ns();
    match draws.random_range(0..5) {
        0 => now_ns + draws.random_range(1..100),
        1 => now_ns + draws.random_range(1..3 * MS),
        2 => now_ns + draws.random_range(1..400 * MS),
        // The next whole millisecond, or nearly: several tasks have it.
        _ => (now_ns / MS + draws.random_range(1..4)) * MS + one_of(draws, &[-1, 0, 0, 1]),
    }
    .max(now_ns + 1)
}

fn is_now(what: &str, at_ns: i64) -> Checked {
    equal(&format!("{what} ended after"), &(now_ns() - at_ns), &0)
}

async fn task(mut draws: SmallRng, operations: u32) -> Checked {
    let mut deadline = Deadline::default();
    for _ in 0..operations {
        let at_ns = later(&mut draws);
        match draws.random_range(0..7) {
            0 | 1 => {
                sleep_until(at_ns).await;
                is_now("a sleep", at_ns)?;
            }
            2 => {
                sleep_uncut_until(at_ns).await;
                is_now("an uncut sleep", at_ns)?;
            }
            3 => shorter(&mut draws, at_ns).await?,
            4 | 5 => moved(&mut draws, &mut deadline, at_ns).await?,
            _ if draws.random_bool(0.5) => aborted(at_ns).await?,
            _ => released(&mut draws, at_ns).await?,
        }
    }
    Ok(())
}

/// The shorter of two sleeps; the longer one is given up.
async fn shorter(draws: &mut SmallRng, at_ns: i64) -> Checked {
    let other_ns = later(draws);
    let ended = select(sleep_until(at_ns), sleep_until(other_ns)).await;
    is_now("the shorter of two sleeps", at_ns.min(other_ns))?;
    match ended {
        Either::Left(_) => must(at_ns <= other_ns, || "the longer sleep ended first".to_owned()),
        Either::Right(_) => must(other_ns <= at_ns, || "the longer sleep ended first".to_owned()),
    }
}

/// A deadline that is moved before it passes, earlier and later, by a task that other things wake.
async fn moved(draws: &mut SmallRng, deadline: &mut Deadline, first_ns: i64) -> Checked {
    let mut at_ns = first_ns;
    deadline.set(Some(at_ns));
    for _ in 0..draws.random_range(0..4) {
        let looks_ns = later(draws);
        let passed = until(deadline, looks_ns).await;
        if passed {
            is_now("a deadline", at_ns)?;
            return Ok(());
        }
        must(now_ns() <= at_ns, || {
            format!("a deadline has not passed {} ns after its time", now_ns() - at_ns)
        })?;
        at_ns = later(draws);
        deadline.set(Some(at_ns));
    }
    poll_fn(|cx| if deadline.has_passed(cx) { Poll::Ready(()) } else { Poll::Pending }).await;
    is_now("a deadline that was moved", at_ns)?;
    deadline.set(None);
    Ok(())
}

/// Whether a deadline passes before an instant.
async fn until(deadline: &mut Deadline, at_ns: i64) -> bool {
    let passes = poll_fn(|cx| if deadline.has_passed(cx) { Poll::Ready(()) } else { Poll::Pending });
    matches!(select(passes, sleep_until(at_ns)).await, Either::Left(_))
}

/// A task that has ended is aborted while another is in its place, which runs to its end.
async fn aborted(at_ns: i64) -> Checked {
    let ended = spawn(async {});
    sleep_until(now_ns() + 1).await;
    let began_ns = now_ns();
    let next = spawn(async move {
        sleep_until(at_ns.max(began_ns + 1)).await;
        now_ns()
    });
    sleep_until(began_ns + 1).await;
    ended.abort();
    let aborts = select(next, sleep_until(at_ns + 10 * MS)).await;
    match aborts {
        Either::Left((ended_ns, _)) => equal("a task ended after", &(ended_ns - at_ns.max(began_ns + 1)), &0),
        Either::Right(_) => Err("a task was aborted instead of one that had ended".to_owned()),
    }
}

/// A timer that is given up, whose place another one gets, which fires at its own time.
async fn released(draws: &mut SmallRng, at_ns: i64) -> Checked {
    let mut given_up = Deadline::default();
    given_up.set(Some(at_ns));
    let is_early = poll_fn(|cx| Poll::Ready(given_up.has_passed(cx))).await;
    must(!is_early, || "a deadline passed before its time".to_owned())?;
    drop(given_up);
    let next_ns = at_ns + draws.random_range(0..5 * MS);
    sleep_until(next_ns).await;
    is_now("a sleep after a deadline that was given up", next_ns)
}
