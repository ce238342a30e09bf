//! The loop: tasks, sleeps, and waking from other threads.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;

use swell_net::{
    ConnectOptions, PromptReads, Runtime, TcpListener, TcpStream, TimestampSource, blocking, channel,
    note_exchange, now_ns, reads_may_wait_until, sleep_until, spawn, wake_sleepers, yield_now,
};

fn run<F: Future>(future: F) -> F::Output {
    Runtime::new().expect("three descriptors").block_on(future)
}

const MS: i64 = 1_000_000;

#[test]
fn tasks_give_their_results_and_sleeps_end_in_order_and_never_early() {
    run(async {
        let order = Rc::new(RefCell::new(Vec::new()));
        let start = now_ns();
        let tasks: Vec<_> = [3, 1, 2]
            .map(|n| {
                let order = order.clone();
                spawn(async move {
                    sleep_until(start + n * MS).await;
                    order.borrow_mut().push(n);
                    now_ns() - start
                })
            })
            .into();
        for (task, least) in tasks.into_iter().zip([3, 1, 2]) {
            assert!(task.await >= least * MS);
        }
        assert_eq!(*order.borrow(), [1, 2, 3]);
    });
}

#[test]
fn other_threads_wake_a_task() {
    run(async {
        let (sender, mut receiver) = channel();
        let threads: Vec<_> = (0..4)
            .map(|n| {
                let sender = sender.clone();
                std::thread::spawn(move || (0..1000).try_for_each(|i| sender.send(n * 1000 + i)))
            })
            .collect();
        drop(sender);
        let mut sum = 0u64;
        while let Some(value) = receiver.recv().await {
            sum += value;
        }
        for thread in threads {
            thread.join().expect("no panic").expect("the receiver is there");
        }
        assert_eq!(sum, (0..4000).sum());
    });
}

#[test]
fn sending_to_a_receiver_that_is_gone_gives_the_value_back() {
    let (sender, receiver) = channel();
    drop(receiver);
    assert_eq!(sender.send(7), Err(7));
}

#[test]
fn blocking_work_runs_elsewhere_and_many_at_once() {
    let here = std::thread::current().id();
    run(async {
        let tasks: Vec<_> =
            (0..50).map(|n| spawn(blocking(move || (n, std::thread::current().id())))).collect();
        for (n, task) in tasks.into_iter().enumerate() {
            let (value, thread) = task.await;
            assert_eq!(value, n);
            assert_ne!(thread, here);
        }
    });
}

#[test]
fn a_stop_wakes_every_sleeper() {
    run(async {
        let far = now_ns() + 3600 * 1000 * MS;
        let tasks: Vec<_> = (0..100).map(|_| spawn(sleep_until(far))).collect();
        yield_now().await;
        wake_sleepers();
        for task in tasks {
            task.await;
        }
        assert!(now_ns() < far);
    });
}

#[test]
fn an_aborted_task_is_dropped_at_once_and_its_slot_is_used_again() {
    struct Note(Rc<Cell<bool>>);
    impl Drop for Note {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }
    run(async {
        let dropped = Rc::new(Cell::new(false));
        let note = Note(dropped.clone());
        let task = spawn(async move {
            sleep_until(i64::MAX).await;
            drop(note);
        });
        yield_now().await;
        assert!(!dropped.get());
        task.abort();
        assert!(dropped.get());
        task.abort();
        assert_eq!(spawn(async { 5 }).await, 5);
    });
}

#[test]
fn tasks_left_at_the_end_are_dropped_with_their_sleeps() {
    let alive = Rc::new(());
    let held = alive.clone();
    run(async move {
        spawn(async move {
            sleep_until(i64::MAX).await;
            drop(held);
        });
        yield_now().await;
    });
    assert_eq!(Rc::strong_count(&alive), 1);
}

#[test]
fn a_hundred_loops_one_after_the_other_and_side_by_side() {
    let threads: Vec<_> = (0..8)
        .map(|_| {
            std::thread::spawn(|| (0..20).for_each(|_| run(async { sleep_until(now_ns() + 1000).await })))
        })
        .collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
}

/// When a byte that is there is read, and the time of a timer before which it need not be.
async fn read_and_slot(prompt: bool) -> (i64, i64) {
    let listener = TcpListener::bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let at = listener.local_addr().expect("bound");
    let mut client = TcpStream::connect(at, &ConnectOptions::default()).await.expect("it listens");
    let (mut server, _) = listener.accept().await.expect("a client");
    (0..1_000).for_each(|_| note_exchange(100, true));
    let _prompt = prompt.then(PromptReads::begin);
    // Long enough that a busy machine comes to the read before it.
    let slot_ns = now_ns() + 2 * MS;
    reads_may_wait_until(slot_ns);
    server.send_all(b"x").await.expect("there is room");
    let timer = spawn(sleep_until(slot_ns));
    let read_ns = client.recv(|_, arrival| arrival.read_ns).await.expect("it is there");
    timer.await;
    (read_ns, slot_ns)
}

#[test]
fn what_may_wait_is_read_with_the_next_timer() {
    if !TimestampSource::Kernel.uses_kernel_program() {
        println!("skipped: no program may be loaded into the kernel here");
        return;
    }
    let (read_ns, slot_ns) = run(read_and_slot(false));
    assert!(read_ns >= slot_ns, "{} ns before", slot_ns - read_ns);
    // On a machine that stands still it may be later; once of many times it is not.
    let is_prompt = |_| {
        let (read_ns, slot_ns) = run(read_and_slot(true));
        read_ns < slot_ns
    };
    assert!((0..1_000).any(is_prompt), "it always waited for the timer");
}
