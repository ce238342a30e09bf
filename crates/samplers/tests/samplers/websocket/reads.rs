//! Several connections, whole messages, pings, frames that came while the user was thinking.

use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

use swell_net::{now_ns, sleep_until, yield_now};

use super::server::{element, exchange, open, read, read_frame, said, samples, websocket_server};
use crate::bench::run;

const MS: i64 = 1_000_000;

#[test]
fn frames_that_arrive_while_the_user_thinks_are_read_with_their_times() {
    let (sent, times) = mpsc::channel();
    let (go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
    let port = websocket_server("", move |mut stream, _| {
        for text in [b'a', b'b', b'c'] {
            wait.lock().expect("one connection").recv().expect("the user says when");
            stream.write_all(&[0x81, 1, text]).expect("taken");
            sent.send(now_ns()).expect("the user waits");
        }
        std::mem::forget(stream);
    });
    run(async |bench| {
        assert_eq!(said(&samples(bench, vec![open(port)]).await[0]).0, "101");
        let mut sent_ns = Vec::new();
        for _ in 0..3 {
            go.send(()).expect("the server waits");
            sent_ns.push(times.recv().expect("a frame was sent"));
            sleep_until(now_ns() + 30 * MS).await;
        }
        let read_ns = now_ns();
        let found = samples(bench, vec![read(&[]), read(&[]), read(&[])]).await;
        for (sample, (text, sent_ns)) in found.iter().zip(["a", "b", "c"].iter().zip(&sent_ns)) {
            assert_eq!((sample.success, &*sample.body_text(), sample.timing.elapsed_ns()), (true, *text, 0));
            // The kernel receives a frame on loopback before the send returns.
            let waited_ns = sample.timing.start_ns - sent_ns;
            assert!(sample.waited_ns >= waited_ns && sample.timing.start_ns >= read_ns, "{sample:?}");
            assert_eq!(sample.timing.read_delay_ns(), None, "it was not late: it was not awaited");
        }
        if found[0].waited_ns > 85 * MS {
            // Each frame has the time of the segment that ended it, where the kernel notes those.
            let arrivals =
                found.iter().map(|sample| sample.timing.start_ns - sample.waited_ns).collect::<Vec<_>>();
            assert!(arrivals.windows(2).all(|both| both[1] > both[0] + 25 * MS), "{arrivals:?}");
        } else {
            println!("skipped: the kernel does not note the times of segments here");
        }
    });
}

#[test]
fn a_user_has_as_many_connections_as_it_names() {
    let port = websocket_server("", |mut stream, head| {
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        while let Some((first, payload)) = read_frame(&mut stream) {
            let answer = [path.as_bytes(), b" ", &payload].concat();
            stream.write_all(&[&[first, answer.len() as u8][..], &answer].concat()).expect("taken");
        }
    });
    run(async |bench| {
        let on = |name: &str, path: &str| {
            open(port).with_text("path", path).with_text("swell.websocket.connection", name)
        };
        let ask = |name: &str| exchange(&[]).with_text("swell.websocket.connection", name);
        let elements = vec![
            on("", "/1"),
            on("b", "/2"),
            ask(""),
            ask("b"),
            on("", "/3"),
            ask(""),
            ask("b"),
            element("CloseWebSocketSampler", &[("swell.websocket.connection", "b"), ("readTimeout", "200")]),
            ask("b"),
            ask(""),
        ];
        let found = samples(bench, elements).await;
        let bodies: Vec<_> = found.iter().map(|sample| sample.body_text().into_owned()).collect();
        assert_eq!(bodies[2..7], ["/1 hi", "/2 hi", "", "/3 hi", "/2 hi"]);
        assert!(!found[8].success && found[8].message.contains("there is no connection"), "{:?}", found[8]);
        assert_eq!(bodies[9], "/3 hi");
    });
}

#[test]
fn fragments_are_frames_or_parts_of_a_message_as_the_plan_wants() {
    let port = websocket_server("", |mut stream, _| {
        while read_frame(&mut stream).is_some() {
            // A ping within a message, and a character that is cut.
            stream.write_all(b"\x01\x02a\xc3\x89\x01p\x80\x02\xa4z").expect("taken");
        }
    });
    run(async |bench| {
        let frames = samples(bench, vec![open(port), exchange(&[]), read(&[]), read(&[])]).await;
        assert_eq!(frames[1].body_text(), "a\u{fffd}");
        assert_eq!(said(&frames[2]).0, "Sampler error: unexpected frame type (ping).");
        let whole = [("swell.websocket.messages", "true"), ("swell.websocket.pings", "true")];
        let message = samples(bench, vec![open(port), exchange(&whole)]).await.remove(1);
        assert_eq!((message.success, &*message.body_text()), (true, "a\u{e4}z"), "{message:?}");
        assert_eq!((message.bytes, message.body_size), (8, 4));
        bench.compile.props.set("swell.websocket.messages", "true");
        bench.compile.props.set("swell.websocket.pings", "true");
        let message = samples(bench, vec![open(port), exchange(&[])]).await.remove(1);
        assert_eq!(message.body_text(), "a\u{e4}z", "a property of the run asks for it, too");
    });
}

#[test]
fn pings_are_answered_where_the_plan_wants_that() {
    let (answers, answered) = mpsc::channel();
    let port = websocket_server("", move |mut stream, _| {
        read_frame(&mut stream).expect("asked");
        stream.write_all(b"\x89\x03abc").expect("taken");
        answers.send(read_frame(&mut stream).expect("a pong")).expect("the test waits");
        stream.write_all(b"\x81\x02ok").expect("taken");
    });
    run(async |bench| {
        let found = samples(bench, vec![open(port), exchange(&[("swell.websocket.pings", "true")])]).await;
        assert_eq!((found[1].success, &*found[1].body_text()), (true, "ok"));
        assert_eq!(answered.recv().expect("the server saw it"), (0x8a, b"abc".to_vec()));
        yield_now().await;
    });
}

/// Lets the user think until another thread has said something.
async fn think_until<T>(said: &mpsc::Receiver<T>) -> T {
    let until_ns = now_ns() + 20_000 * MS;
    loop {
        match said.try_recv() {
            Ok(found) => return found,
            Err(_) => assert!(now_ns() < until_ns, "the server waits for what a thinking user answers"),
        }
        yield_now().await;
    }
}

/// Each message but the last is followed by a ping, whose answer shows that both were read.
#[test]
fn messages_and_pings_are_read_while_the_user_thinks() {
    const MESSAGES: usize = 100;
    let (done, times) = mpsc::channel();
    let port = websocket_server("", move |mut stream, _| {
        let mut sent = Vec::new();
        for number in 0..MESSAGES {
            sent.push(now_ns());
            stream.write_all(&[0x82, 1, number as u8]).expect("taken");
            stream.write_all(&[0x89, 1, number as u8]).expect("taken");
            assert_eq!(read_frame(&mut stream), Some((0x8a, vec![number as u8])));
        }
        stream.write_all(b"\x81\x04last").expect("taken");
        done.send(sent).expect("the user thinks");
        std::mem::forget(stream);
    });
    run(async |bench| {
        let pings = [("swell.websocket.pings", "true")];
        let opened = open(port).with_text("swell.websocket.pings", "true");
        assert_eq!(said(&samples(bench, vec![opened]).await[0]).0, "101");
        let sent = think_until(&times).await;
        let reads = (0..=MESSAGES).map(|_| read(&pings)).collect();
        let mut found = samples(bench, reads).await;
        assert_eq!(found.pop().expect("the last").body_text(), "last");
        for (number, (sample, before_ns)) in found.iter().zip(&sent).enumerate() {
            assert_eq!((sample.success, &sample.body[..]), (true, &[number as u8][..]));
            assert_eq!((sample.timing.elapsed_ns(), sample.timing.read_delay_ns()), (0, None));
            let arrived_ns = sample.timing.start_ns - sample.waited_ns;
            // The ping after it was answered before the next message was sent.
            let next_ns = sent.get(number + 1).copied().unwrap_or(i64::MAX);
            assert!((*before_ns..=next_ns).contains(&arrived_ns), "{number}: {arrived_ns} {sent:?}");
        }
    });
}

#[test]
fn a_ping_that_comes_with_the_end_of_a_sample_is_answered_while_the_user_thinks() {
    let (done, answered) = mpsc::channel();
    let port = websocket_server("", move |mut stream, _| {
        read_frame(&mut stream).expect("asked");
        stream.write_all(b"\x81\x02ok\x89\x01p").expect("taken");
        done.send(read_frame(&mut stream)).expect("the user thinks");
        std::mem::forget(stream);
    });
    run(async |bench| {
        let found = samples(bench, vec![open(port), exchange(&[("swell.websocket.pings", "true")])]).await;
        assert_eq!(found[1].body_text(), "ok");
        assert_eq!(think_until(&answered).await, Some((0x8a, b"p".to_vec())));
    });
}

#[test]
fn pings_are_frames_of_a_thinking_user_whose_plan_does_not_want_them_answered() {
    let (done, said_so) = mpsc::channel();
    let port = websocket_server("", move |mut stream, _| {
        stream.write_all(b"\x89\x01p\x81\x01a").expect("taken");
        done.send(()).expect("the user thinks");
        assert_eq!(read_frame(&mut stream), Some((0x81, b"hi".to_vec())), "the ping was not answered");
        stream.write_all(b"\x81\x01b").expect("taken");
        std::mem::forget(stream);
    });
    run(async |bench| {
        samples(bench, vec![open(port)]).await;
        think_until(&said_so).await;
        for _ in 0..100 {
            yield_now().await;
        }
        let found = samples(bench, vec![read(&[]), read(&[]), exchange(&[])]).await;
        assert_eq!(said(&found[0]).0, "Sampler error: unexpected frame type (ping).");
        assert_eq!((&*found[1].body_text(), &*found[2].body_text()), ("a", "b"));
    });
}

#[test]
fn a_server_that_pushes_without_end_is_stopped_while_the_user_thinks() {
    const ALL: usize = 1 << 26;
    let (done, said_so) = mpsc::channel();
    let port = websocket_server("", move |mut stream, _| {
        stream.set_write_timeout(Some(Duration::from_millis(300))).expect("a socket");
        let piece = b"\x81\x01a".repeat(1000);
        let mut sent = 0;
        while sent < ALL && stream.write_all(&piece).is_ok() {
            sent += piece.len();
        }
        done.send(sent).expect("the user thinks");
        std::mem::forget(stream);
    });
    run(async |bench| {
        samples(bench, vec![open(port)]).await;
        let sent = think_until(&said_so).await;
        assert!(sent < ALL, "it could send {sent} bytes to a user that reads none");
        let found = samples(bench, vec![read(&[]), read(&[])]).await;
        assert!(found.iter().all(|sample| sample.success && sample.body_text() == "a"), "{found:?}");
    });
}

#[test]
fn the_end_of_a_connection_is_found_by_the_sample_after_the_messages_before_it() {
    let (done, said_so) = mpsc::channel();
    let port = websocket_server("", move |mut stream, _| {
        stream.write_all(b"\x81\x01a\x81\x01b").expect("taken");
        drop(stream);
        done.send(()).expect("the user thinks");
    });
    run(async |bench| {
        samples(bench, vec![open(port)]).await;
        think_until(&said_so).await;
        let found = samples(bench, vec![read(&[]), read(&[]), read(&[])]).await;
        assert_eq!((&*found[0].body_text(), &*found[1].body_text()), ("a", "b"));
        assert_eq!(said(&found[2]).1, "WebSocket I/O error: end of stream");
    });
}
