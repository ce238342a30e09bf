//! Several exchanges on one connection: their times, and who reads for whom.

use std::future::poll_fn;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use swell_connect::{Arrived, Session, Stream};
use swell_http2::client::{Request, Scheme};
use swell_http2::{Data, Events, Fields, RequestHead, Scratch, Settings, StreamId, server};
use swell_net::{Arrival, ConnectOptions, Runtime, TcpStream, TimestampSource, now_ns, spawn};

#[derive(Default)]
struct Asked(Vec<StreamId>);

impl Events for Asked {
    fn request(&mut self, stream: StreamId, _: RequestHead<'_>) {
        self.0.push(stream);
    }

    fn data(&mut self, _: StreamId, _: Data<'_>) {}
}

/// Waits for a signal, then answers three requests, the last first, each in its own segment, and
/// sends the times.
fn serve(listener: &TcpListener, go: &mpsc::Receiver<()>, done: &mpsc::Sender<Vec<i64>>) {
    let (mut tcp, _) = listener.accept().expect("a client");
    tcp.set_nodelay(true).expect("a socket");
    let mut session = server::Session::new(&Settings::default());
    let mut scratch = Scratch::default();
    let mut asked = Asked::default();
    let mut out = Vec::new();
    session.start(&mut out);
    tcp.write_all(&out).expect("sent");
    let mut buffer = [0; 4096];
    while asked.0.len() < 3 {
        let count = tcp.read(&mut buffer).expect("requests");
        out.clear();
        session.feed(&buffer[..count], &mut scratch, &mut out, &mut asked).expect("valid");
        tcp.write_all(&out).expect("sent");
    }
    go.recv().expect("the client is busy from now on");
    let mut times = Vec::new();
    for stream in asked.0.iter().rev() {
        out.clear();
        session.respond(*stream, 200, &Fields::default(), b"", false, &mut out).expect("valid");
        session.send_data(*stream, b"body", true, &mut out);
        times.push(now_ns());
        tcp.write_all(&out).expect("sent");
        // So that the kernel makes a segment of each.
        std::thread::sleep(Duration::from_millis(2));
    }
    done.send(times).expect("awaited");
    // Until the client has ended.
    while tcp.read(&mut buffer).is_ok_and(|count| count > 0) {}
}

/// One exchange: when its response began and ended.
async fn exchange(session: &Session) -> (Arrival, Arrival) {
    let request = Request {
        method: b"GET",
        scheme: Scheme::Http,
        authority: b"localhost",
        path: b"/",
        path_repeats: false,
        constant: &Fields::default(),
        own: b"",
    };
    let opened = poll_fn(|cx| session.poll_open(cx, &request, true)).await;
    let mut exchange = opened.expect("a stream");
    let mut body = Vec::new();
    loop {
        let take = |arrived: &mut Arrived| {
            body.append(&mut arrived.body);
            arrived.ended.then_some((arrived.first, arrived.last))
        };
        let mut take = Some(take);
        let step =
            poll_fn(|cx| exchange.poll_receive(cx, |arrived| (take.take().expect("taken once"))(arrived)));
        if let Some((first, last)) = step.await.expect("no error") {
            assert_eq!(body, b"body");
            return (first.expect("a head"), last.expect("an end"));
        }
    }
}

#[test]
fn responses_that_are_read_at_once_end_with_their_own_segments() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let at = listener.local_addr().expect("bound");
    let (done, times) = mpsc::channel();
    let (go, told) = mpsc::channel();
    let server = std::thread::spawn(move || serve(&listener, &told, &done));
    Runtime::new().expect("three descriptors").block_on(async move {
        let options = ConnectOptions { segments: true, ..ConnectOptions::default() };
        let tcp = TcpStream::connect(at, &options).await.expect("listening");
        let session = Session::new(Stream::Tcp(tcp), &Settings::default());
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let session = session.clone();
                spawn(async move { exchange(&session).await })
            })
            .collect();
        // All three write, and what they wrote goes out.
        for _ in 0..3 {
            swell_net::yield_now().await;
        }
        // The worker is busy until all responses have come.
        go.send(()).expect("the server waits");
        let sent = times.recv().expect("three answers");
        let read_from_ns = now_ns();
        let mut ends = Vec::new();
        for task in tasks {
            ends.push(task.await);
        }
        assert!(session.peer().is_some());
        ends.reverse();
        let has_program = TimestampSource::Kernel.uses_kernel_program();
        for (number, (first, last)) in ends.iter().enumerate() {
            assert!(
                last.read_ns >= read_from_ns && last.at_ns >= first.at_ns,
                "{number}: {read_from_ns} {sent:?} {ends:?}"
            );
            if has_program {
                assert!(sent[number] <= first.at_ns && last.at_ns <= read_from_ns, "{sent:?} {ends:?}");
                let next = sent.get(number + 1).copied().unwrap_or(i64::MAX);
                assert!(last.at_ns < next, "{sent:?} {ends:?}");
            }
        }
    });
    server.join().expect("no panic");
}
