//! Worlds that cannot end say who waits for what.

use std::future::pending;

use swell_net::{ConnectOptions, TcpListener, TcpStream, now_ns, sleep_until, spawn, yield_now};
use swell_world::{Clock, Stuck, Why, World, in_world};

const SITE: &str = "10.0.0.2:80";

async fn connect() -> TcpStream {
    TcpStream::connect(SITE.parse().expect("an address"), &ConnectOptions::default())
        .await
        .expect("it listens")
}

/// Accepts connections and keeps them, without a word.
fn silent(world: &mut World) {
    let site = world.machine([10, 0, 0, 2], Clock::default());
    world.service(site, "site", async {
        let listener = TcpListener::bind(SITE.parse().expect("an address")).expect("a free port");
        let mut open = Vec::new();
        loop {
            open.push(listener.accept().await.expect("a connection"));
        }
    });
}

fn stuck(build: impl FnOnce(&mut World) + Send) -> Stuck {
    in_world(1, |world| {
        build(world);
        world.run().expect_err("it cannot end")
    })
}

#[test]
fn a_read_that_nothing_answers_is_named_with_its_connection() {
    let stuck = stuck(|world| {
        silent(world);
        let tool = world.machine([10, 0, 0, 1], Clock::default());
        world.process(tool, "tool", async {
            let mut stream = connect().await;
            stream.send_all(b"hello").await.expect("open");
            spawn(async move { stream.recv(|_, _| ()).await.expect("an answer") }).await;
        });
    });
    assert_eq!(stuck.why, Why::Hang);
    let text = stuck.to_string();
    for part in [
        "processes wait, and nothing can happen any more",
        "service site: 0 tasks, 1 wait for the kernel",
        "the root future waits to read: listener 10.0.0.2:80",
        "process tool: 1 tasks, 1 wait for the kernel",
        "task 0 waits to read: 10.0.0.1:32768 to 10.0.0.2:80, open, 0 bytes to read, 5 not read by the peer",
    ] {
        assert!(text.contains(part), "{part}\nis missing in\n{text}");
    }
}

#[test]
fn a_process_that_waits_for_no_kernel_hangs_too() {
    let stuck = stuck(|world| {
        let tool = world.machine([10, 0, 0, 1], Clock::default());
        world.process(tool, "tool", pending());
    });
    assert_eq!(
        (stuck.why, stuck.report.as_str()),
        (Why::Hang, "process tool: 0 tasks, 0 wait for the kernel\n")
    );
}

#[test]
fn a_process_that_is_not_done_at_the_limit_is_late() {
    let stuck = stuck(|world| {
        world.set_limit_ns(1_000_000_000);
        let tool = world.machine([10, 0, 0, 1], Clock::default());
        world.process(tool, "tool", async {
            loop {
                sleep_until(now_ns() + 300_000_000).await;
            }
        });
    });
    assert_eq!(stuck.why, Why::Late);
    assert!(stuck.report.contains("the root future sleeps until 1.2"), "{}", stuck.report);
}

#[test]
fn a_loop_that_never_waits_is_found() {
    let stuck = stuck(|world| {
        let tool = world.machine([10, 0, 0, 1], Clock::default());
        world.process(tool, "tool", async {
            loop {
                yield_now().await;
            }
        });
    });
    assert_eq!(stuck.why, Why::NeverWaits);
}
