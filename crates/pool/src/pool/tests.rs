use std::future::Future;
use std::pin::pin;
use std::sync::Barrier;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use super::*;
use crate::CancelReason;

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn wait<T>(pending: Pending<T>) -> Result<T, WorkError> {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut pending = pin!(pending);
    loop {
        if let Poll::Ready(result) = pending.as_mut().poll(&mut Context::from_waker(&waker)) {
            return result;
        }
        std::thread::park();
    }
}

fn pool(least: usize, most: usize) -> Pool {
    Pool::new(PoolOptions { least, most, ..PoolOptions::blocking("test", most) })
}

/// Work that says when it has begun and waits for leave to end.
fn blocked(pool: &Pool) -> (Pending<()>, Receiver<()>, Sender<()>) {
    let (begun, has_begun) = channel();
    let (leave, may_leave) = channel();
    let pending = pool.run(move |_| {
        begun.send(()).expect("the test waits");
        // The test lets it go, or has failed.
        let _ = may_leave.recv();
    });
    (pending, has_begun, leave)
}

#[test]
fn work_runs_elsewhere_and_its_times_are_counted() {
    let pool = pool(2, 2);
    let here = std::thread::current().id();
    let there = wait(pool.run(|_| std::thread::current().id())).expect("it runs");
    assert_ne!(here, there);
    while pool.figures().done == 0 {
        std::thread::yield_now();
    }
    let figures = pool.figures();
    assert_eq!((figures.taken(), figures.running, figures.waiting, figures.limit), (1, 0, 0, 2));
    assert!(figures.longest_wait_ns > 0 && figures.ran_ns > 0, "{figures:?}");
}

#[test]
fn threads_come_while_all_are_busy_up_to_the_limit() {
    let pool = pool(1, 4);
    let all_there = Arc::new(Barrier::new(4));
    let work: Vec<_> = (0..4)
        .map(|_| {
            let all_there = all_there.clone();
            pool.run(move |_| all_there.wait().is_leader())
        })
        .collect();
    let leaders = work.into_iter().map(|pending| wait(pending).expect("it runs")).filter(|leads| *leads);
    assert_eq!(leaders.count(), 1);
    assert_eq!(pool.figures().most_threads, 4);
    let (held, begun): (Vec<_>, Vec<_>) =
        (0..4).map(|_| blocked(&pool)).map(|(pending, begun, leave)| ((pending, leave), begun)).unzip();
    for begun in begun {
        begun.recv().expect("it has a thread");
    }
    let fifth = pool.run(|_| 5);
    assert_eq!((pool.figures().running, pool.figures().waiting), (4, 1));
    drop(held);
    assert_eq!(wait(fifth), Ok(5));
    assert_eq!(pool.figures().most_threads, 4);
}

#[test]
fn work_beyond_the_queue_is_refused() {
    let pool = Pool::new(PoolOptions { queue: 1, ..PoolOptions::blocking("test", 1) });
    let (first, begun, leave) = blocked(&pool);
    begun.recv().expect("it runs");
    let second = pool.run(|_| 2);
    assert_eq!(wait(pool.run(|_| 3)), Err(WorkError::Full(1)));
    leave.send(()).expect("it waits");
    assert_eq!((wait(first), wait(second)), (Ok(()), Ok(2)));
    assert_eq!(pool.figures().refused, 1);
}

#[test]
fn work_that_nobody_waits_for_learns_it_or_never_runs() {
    let pool = pool(1, 1);
    let (begun, has_begun) = channel();
    let (told, reasons) = channel();
    let first = pool.run(move |cancel| {
        let (stop, stopped) = channel();
        cancel.on_cancel(move |reason| stop.send(reason).expect("the work waits for it"));
        begun.send(()).expect("the test waits");
        told.send(stopped.recv().expect("it is cancelled")).expect("the test waits");
    });
    has_begun.recv().expect("it runs");
    drop(pool.run(|_| panic!("it is not awaited")));
    drop(first);
    assert_eq!(reasons.recv(), Ok(CancelReason::Abandoned));
    assert_eq!(wait(pool.run(|_| 1)), Ok(1));
    assert_eq!(pool.figures().cancelled, 1);
}

#[test]
fn a_closed_pool_cancels_all_and_its_threads_end() {
    let pool = pool(1, 1);
    let shared = Arc::downgrade(&pool.0);
    let (begun, has_begun) = channel();
    let running = pool.run(move |cancel| {
        let (stop, stopped) = channel();
        cancel.on_cancel(move |reason| stop.send(reason).expect("the work waits for it"));
        begun.send(()).expect("the test waits");
        stopped.recv().expect("it is cancelled")
    });
    has_begun.recv().expect("it runs");
    let waiting = pool.run(|_| ());
    pool.close();
    assert_eq!(wait(running), Ok(CancelReason::RunEnded));
    assert_eq!((wait(waiting), wait(pool.run(|_| ()))), (Err(WorkError::Closed), Err(WorkError::Closed)));
    drop(pool);
    while shared.strong_count() > 0 {
        std::thread::yield_now();
    }
}

#[test]
fn a_panic_is_an_error_of_its_work_alone() {
    let pool = pool(1, 1);
    let panicked = wait(pool.run(|_| panic!("on purpose")));
    assert_eq!(panicked, Err::<(), _>(WorkError::Panicked("on purpose".to_owned())));
    assert_eq!(wait(pool.run(|_| 1)), Ok(1));
}
