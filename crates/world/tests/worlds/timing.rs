//! Times of links, handshakes and lost segments, to the nanosecond where nothing is drawn.

use std::cell::RefCell;
use std::rc::Rc;

use swell_net::{ConnectOptions, TcpListener, TcpStream, now_ns};
use swell_world::{Clock, Link, Span, in_world};

const MS: i64 = 1_000_000;
/// Reads of clocks take time in a world.
const SLACK_NS: i64 = 2_000;

/// How long a connect and an echo take, in a world with this link and these times of suspension of
/// the site.
fn times(link: Link, suspended: Vec<Span>) -> (Result<i64, std::io::ErrorKind>, Option<i64>) {
    in_world(1, move |world| {
        let tool = world.machine([10, 0, 0, 1], Clock::default());
        let site = world.machine([10, 0, 0, 2], Clock { suspended, ..Clock::default() });
        world.link(tool, site, link);
        world.service(site, "site", async {
            let listener = TcpListener::bind(([10, 0, 0, 2], 80).into()).expect("a free port");
            while let Ok((mut stream, _)) = listener.accept().await {
                while let Ok(bytes @ [_, ..]) = stream.recv(|bytes, _| bytes.to_vec()).await.as_deref() {
                    stream.send_all(bytes).await.expect("open");
                }
            }
        });
        let seen = Rc::new(RefCell::new((Ok(0), None)));
        let into = seen.clone();
        world.process(tool, "tool", async move {
            let begin_ns = now_ns();
            let stream = TcpStream::connect(([10, 0, 0, 2], 80).into(), &ConnectOptions::default()).await;
            into.borrow_mut().0 = stream.as_ref().map(|_| now_ns() - begin_ns).map_err(std::io::Error::kind);
            let Ok(mut stream) = stream else { return };
            let sent_ns = now_ns();
            stream.send_all(b"x").await.expect("open");
            let arrival = stream.recv(|_, arrival| arrival).await.expect("an echo");
            into.borrow_mut().1 = Some(arrival.at_ns - sent_ns);
        });
        world.run().expect("it ends");
        seen.replace((Ok(0), None))
    })
}

fn link() -> Link {
    Link { latency_ns: 10 * MS, jitter_ns: 0, ..Link::default() }
}

fn is_about(found: i64, wanted: i64) -> bool {
    (wanted..wanted + SLACK_NS).contains(&found)
}

#[test]
fn a_connect_and_an_echo_take_two_ways_each() {
    let (connected, echo) = times(link(), Vec::new());
    assert!(is_about(connected.expect("it listens"), 20 * MS), "{connected:?}");
    assert!(is_about(echo.expect("an echo"), 20 * MS), "{echo:?}");
}

#[test]
fn a_lost_syn_is_sent_again_after_one_second_and_then_two() {
    for (cut_ms, wanted_ms) in [(900, 1_020), (1_100, 3_020), (3_500, 7_020)] {
        let cuts = vec![Span::new(0, cut_ms * MS)];
        let (connected, _) = times(Link { cuts, ..link() }, Vec::new());
        assert!(is_about(connected.expect("it listens"), wanted_ms * MS), "{cut_ms}: {connected:?}");
    }
}

#[test]
fn a_connect_that_nothing_answers_times_out_as_on_linux() {
    let (connected, _) = times(Link { cuts: vec![Span::new(0, 3_600_000 * MS)], ..link() }, Vec::new());
    assert_eq!(connected, Err(std::io::ErrorKind::TimedOut));
}

#[test]
fn what_comes_to_a_suspended_machine_is_sent_again() {
    // The request leaves at 20 ms, and again at 220 and 620: the machine is back at 400.
    let (_, echo) = times(link(), vec![Span::new(25 * MS, 375 * MS)]);
    assert!(is_about(echo.expect("an echo"), 620 * MS), "{echo:?}");
}
