//! Tasks, sleeps, and waking.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use swell_net::{blocking, channel, now_ns, sleep_uncut_until, sleep_until, spawn, wake_sleepers, yield_now};

use crate::cases;

cases![
    sleeps_end_in_order_and_never_early,
    a_sleep_in_the_past_ends_at_once,
    sleepers_can_be_woken_and_others_not,
    tasks_take_turns,
    an_aborted_task_ends,
    a_channel_wakes_its_receiver,
    a_channel_ends_with_its_senders,
    blocking_work_gives_its_result,
    a_dropped_sleep_wakes_nobody,
];

const MS: i64 = 1_000_000;

async fn sleeps_end_in_order_and_never_early() {
    let order = Rc::new(RefCell::new(Vec::new()));
    let start_ns = now_ns();
    let sleep = |n: i64| {
        let order = order.clone();
        spawn(async move {
            sleep_until(start_ns + n * MS).await;
            let late_ns = now_ns() - start_ns - n * MS;
            order.borrow_mut().push(n);
            late_ns
        })
    };
    let tasks: Vec<_> = [5, 1, 4, 2, 3].map(sleep).into();
    for task in tasks {
        assert!(task.await >= 0);
    }
    assert_eq!(*order.borrow(), [1, 2, 3, 4, 5]);
}

async fn a_sleep_in_the_past_ends_at_once() {
    let ran = Rc::new(Cell::new(false));
    let others = ran.clone();
    let other = spawn(async move { others.set(true) });
    sleep_until(now_ns() - MS).await;
    assert!(!ran.get(), "other tasks had a turn");
    other.await;
}

async fn sleepers_can_be_woken_and_others_not() {
    let start_ns = now_ns();
    let cut = spawn(async move { sleep_until(start_ns + 3_600_000 * MS).await });
    let uncut = spawn(async move {
        sleep_uncut_until(start_ns + 5 * MS).await;
        now_ns() - start_ns
    });
    yield_now().await;
    wake_sleepers();
    cut.await;
    assert!(uncut.await >= 5 * MS);
}

async fn tasks_take_turns() {
    let turns = Rc::new(RefCell::new(Vec::new()));
    let tasks: Vec<_> = (0..3)
        .map(|number| {
            let turns = turns.clone();
            spawn(async move {
                for _ in 0..3 {
                    turns.borrow_mut().push(number);
                    yield_now().await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await;
    }
    assert_eq!(*turns.borrow(), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
}

async fn an_aborted_task_ends() {
    let held = Rc::new(());
    let holds = held.clone();
    let task = spawn(async move {
        sleep_until(i64::MAX / 2).await;
        drop(holds);
    });
    yield_now().await;
    task.abort();
    assert_eq!(Rc::strong_count(&held), 1);
}

async fn a_channel_wakes_its_receiver() {
    let (sender, mut receiver) = channel();
    let receiving = spawn(async move {
        let mut all = Vec::new();
        while let Some(value) = receiver.recv().await {
            all.push(value);
        }
        all
    });
    for value in 0..5 {
        sleep_until(now_ns() + MS / 10).await;
        sender.send(value).expect("the receiver is there");
    }
    drop(sender);
    assert_eq!(receiving.await, [0, 1, 2, 3, 4]);
}

async fn a_channel_ends_with_its_senders() {
    let (sender, mut receiver) = channel::<u8>();
    drop(sender.clone());
    let dropping = spawn(async move {
        yield_now().await;
        drop(sender);
    });
    assert_eq!(receiver.recv().await, None);
    dropping.await;
}

async fn blocking_work_gives_its_result() {
    assert_eq!(blocking(|| 6 * 7).await, 42);
}

async fn a_dropped_sleep_wakes_nobody() {
    let start_ns = now_ns();
    drop(sleep_until(start_ns + MS));
    for n in 0..200 {
        let sleep = sleep_until(start_ns + MS + n);
        if n % 2 == 0 {
            sleep.await;
        }
    }
    assert!(now_ns() >= start_ns + MS + 198);
}
