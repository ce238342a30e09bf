//! Connections over loopback: data, ends, errors, receive stamps.

use std::future::{Future, poll_fn};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use crate::connection::pair;
use socket2::{Domain, Socket, Type};
use swell_net::{ConnectOptions, NetContext, Runtime, TcpListener, TcpStream, now_ns, sleep_until, spawn};

fn run<F: Future>(future: F) -> F::Output {
    Runtime::new().expect("three descriptors").block_on(future)
}

const MS: i64 = 1_000_000;
const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

async fn recv_all(stream: &mut TcpStream, want: usize) -> Vec<u8> {
    let mut all = Vec::new();
    while all.len() < want {
        let got = stream.recv(|bytes, _| bytes.to_vec()).await.expect("data");
        assert!(!got.is_empty(), "ended after {} of {want}", all.len());
        all.extend(got);
    }
    all
}

#[test]
fn bytes_arrive_in_order_whatever_their_number() {
    run(async {
        let (mut client, mut server) = pair().await;
        let data: Vec<u8> = (0..5_000_000u32).map(|i| (i * 7 % 251) as u8).collect();
        let sent = data.clone();
        let sender = spawn(async move {
            client.send_all(&sent).await.expect("the peer reads");
            client
        });
        assert_eq!(recv_all(&mut server, data.len()).await, data);
        sender.await;
    });
}

#[test]
fn bytes_can_be_dropped_without_being_read() {
    run(async {
        let (mut client, mut server) = pair().await;
        let sender = spawn(async move {
            client.send_all(&vec![b'x'; 300_000]).await.expect("the peer reads");
            client.send_all(b"the end").await.expect("the peer reads");
        });
        let mut left = 300_000;
        while left > 0 {
            let skip = poll_fn(|cx| server.poll_skip(cx, left).expect("without a ring it can"));
            let (count, arrival) = skip.await.expect("data");
            assert!((1..=left).contains(&count) && arrival.read_ns >= arrival.kernel_ns, "{count} of {left}");
            left -= count;
        }
        assert_eq!(recv_all(&mut server, 7).await, b"the end");
        sender.await;
        let skip = poll_fn(|cx| server.poll_skip(cx, 9).expect("without a ring it can"));
        assert_eq!(skip.await.expect("an end is not an error").0, 0);
    });
}

#[test]
fn the_end_of_the_peer_is_an_empty_read_again_and_again() {
    run(async {
        let (client, mut server) = pair().await;
        drop(client);
        for _ in 0..3 {
            assert_eq!(server.recv(|bytes, _| bytes.len()).await.expect("an end is not an error"), 0);
        }
    });
}

#[test]
fn half_closed_still_delivers_the_answer() {
    run(async {
        let (mut client, mut server) = pair().await;
        client.send_all(b"ask").await.expect("sent");
        client.shutdown_write().expect("open");
        assert_eq!(server.recv(|b, _| b.to_vec()).await.expect("data"), b"ask");
        assert_eq!(server.recv(|b, _| b.len()).await.expect("end"), 0);
        server.send_all(b"answer").await.expect("sent");
        assert_eq!(client.recv(|b, _| b.to_vec()).await.expect("data"), b"answer");
    });
}

#[test]
fn a_reset_and_a_refused_connection_are_their_errors() {
    run(async {
        let (client, mut server) = pair().await;
        client.set_linger_zero().expect("open");
        drop(client);
        assert_eq!(server.recv(|_, _| ()).await.expect_err("reset").kind(), ErrorKind::ConnectionReset);
        let listener = TcpListener::bind(ANY).expect("a free port");
        let at = listener.local_addr().expect("bound");
        drop(listener);
        let refused = TcpStream::connect(at, &ConnectOptions::default()).await.err().expect("no listener");
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    });
}

#[test]
fn a_connection_that_waits_for_the_accept_queue_is_a_retry_of_its_peer() {
    let context = Arc::new(NetContext::default());
    let shared = context.clone();
    Runtime::with_context(context).expect("three descriptors").block_on(async move {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        listener.bind(&ANY.into()).and_then(|()| listener.listen(0)).expect("a free port");
        let at = listener.local_addr().ok().and_then(|at| at.as_socket()).expect("bound");
        let of_peer = || shared.peers().into_iter().find(|peer| peer.address == at);
        // The queue has one place; the kernel drops what asks for another.
        let first = TcpStream::connect(at, &ConnectOptions::default()).await.expect("it listens");
        assert_eq!(of_peer().map(|peer| (peer.retried, peer.retries)), Some((0, 0)));
        let second = spawn(async move { TcpStream::connect(at, &ConnectOptions::default()).await });
        swell_net::yield_now().await;
        let accepted = listener.accept().expect("the first");
        second.await.expect("the kernel asks again");
        let peer = of_peer().expect("it was noted");
        assert!(peer.retried == 1 && peer.retries >= 1, "{peer:?}");
        drop((first, accepted));
        let totals = shared.tcp_totals();
        assert_eq!((totals.connections, totals.looked_at), (2, 2), "{totals:?}");
        assert!(totals.sent >= 4 && totals.sent_again == 0, "a handshake is not data: {totals:?}");
    });
}

#[test]
fn a_connection_that_nobody_waits_for_any_more_is_a_retry_of_its_peer() {
    let context = Arc::new(NetContext::default());
    let shared = context.clone();
    Runtime::with_context(context).expect("three descriptors").block_on(async move {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        listener.bind(&ANY.into()).and_then(|()| listener.listen(0)).expect("a free port");
        let at = listener.local_addr().ok().and_then(|at| at.as_socket()).expect("bound");
        let first = TcpStream::connect(at, &ConnectOptions::default()).await.expect("it listens");
        let limit = ConnectOptions { timeout_ns: Some(1_500 * MS), ..ConnectOptions::default() };
        let late = TcpStream::connect(at, &limit).await.err().expect("no accept");
        assert_eq!(late.kind(), ErrorKind::TimedOut);
        let peer = shared.peers().into_iter().find(|peer| peer.address == at).expect("it was noted");
        assert!(peer.retried == 1 && peer.retries >= 1, "{peer:?}");
        drop(first);
        assert_eq!(shared.tcp_totals().sent_again, 0);
    });
}

#[test]
fn connections_that_a_server_accepts_are_none_that_the_run_asked_for() {
    let context = Arc::new(NetContext::default());
    let shared = context.clone();
    Runtime::with_context(context).expect("three descriptors").block_on(async move {
        let (mut client, mut server) = pair().await;
        client.send_all(b"ask").await.expect("sent");
        assert_eq!(server.recv(|b, _| b.len()).await.expect("data"), 3);
        drop(server);
        assert_eq!(shared.tcp_totals().connections, 0);
        drop(client);
        let totals = shared.tcp_totals();
        assert_eq!((totals.connections, totals.looked_at, totals.sent_again), (1, 1, 0), "{totals:?}");
        assert!(totals.sent >= 3, "a SYN, what acknowledges the other's, and data: {totals:?}");
    });
}

#[test]
fn a_deadline_ends_a_read_and_can_be_moved_and_taken_away() {
    run(async {
        let (mut client, mut server) = pair().await;
        let start = now_ns();
        client.set_deadline(Some(start + MS));
        client.set_deadline(Some(start + 3 * MS));
        let error = client.recv(|_, _| ()).await.expect_err("no sender");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(now_ns() - start >= 3 * MS);
        client.set_deadline(None);
        server.send_all(b"late").await.expect("sent");
        assert_eq!(client.recv(|b, _| b.to_vec()).await.expect("data"), b"late");
    });
}

/// Ends when the connection is stale; a test that hangs here has failed.
async fn until_stale(stream: &TcpStream) {
    while !stream.is_stale() {
        sleep_until(now_ns() + MS / 10).await;
    }
}

#[test]
fn an_idle_connection_is_stale_once_the_peer_ends_or_talks() {
    run(async {
        let (client, mut server) = pair().await;
        assert!(!client.is_stale());
        server.send_all(b"stray").await.expect("sent");
        until_stale(&client).await;
        let (client, server) = pair().await;
        drop(server);
        until_stale(&client).await;
    });
}

#[test]
fn two_loops_listen_on_one_port() {
    let first = std::net::TcpListener::bind(ANY).expect("a free port").local_addr().expect("bound");
    run(async {
        let one = TcpListener::bind(first).expect("free again");
        let other = std::thread::spawn(move || run(async { TcpListener::bind(first).map(drop) }));
        other.join().expect("no panic").expect("the port is shared");
        drop(one);
    });
}

#[test]
fn a_source_address_is_used() {
    run(async {
        let listener = TcpListener::bind(ANY).expect("a free port");
        let at = listener.local_addr().expect("bound");
        let source = Some("127.0.0.7".parse().expect("an address"));
        let options = ConnectOptions { source, ..ConnectOptions::default() };
        let client = spawn(async move { TcpStream::connect(at, &options).await.expect("listening") });
        let (_server, peer) = listener.accept().await.expect("a client");
        assert_eq!(peer.ip().to_string(), "127.0.0.7");
        client.await;
    });
}

#[test]
fn one_send_in_many_is_stamped_by_the_kernel() {
    run(async {
        let listener = TcpListener::bind(([127, 0, 0, 1], 0).into()).expect("a free port");
        let at = listener.local_addr().expect("bound");
        let echo = spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("one comes");
            while let Ok(bytes) = stream.recv(|bytes, _| bytes.to_vec()).await
                && !bytes.is_empty()
            {
                stream.send_all(&bytes).await.expect("it reads");
            }
        });
        let mut stream = TcpStream::connect(at, &ConnectOptions::default()).await.expect("it listens");
        let mut sampled = 0;
        let from_ns = now_ns();
        for _ in 0..600 {
            let stamps = stream.sample_send();
            let start_ns = now_ns();
            stream.send_all(b"hello").await.expect("it reads");
            let arrival = stream.recv(|_, arrival| arrival).await.expect("an echo");
            if stamps {
                sampled += 1;
                let sent_ns = stream.sent_ns().expect("loopback stamps what is sent");
                // The correction of the clocks may be some microseconds off.
                assert!(sent_ns >= start_ns - 50_000 && sent_ns <= arrival.read_ns + 50_000);
            }
        }
        // Each, then each second, fourth, and so on, and again after a stall longer than a hundred
        // per second allow.
        let most = 12 * (1 + (now_ns() - from_ns) / (10 * MS));
        assert!((3..=most).contains(&sampled), "{sampled} of 600, at most {most}");
        assert_eq!(stream.sent_ns(), None, "nothing else was stamped");
        drop(stream);
        echo.await;
    });
}

#[test]
fn connections_take_one_port_after_the_other_and_not_every_other() {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").expect("Linux");
    let parts: Vec<u32> = release.split(['.', '-']).map_while(|part| part.parse().ok()).take(2).collect();
    if parts < vec![6, 8] {
        println!("Linux {release} takes every other port whatever it is asked: nothing tested");
        return;
    }
    run(async {
        let listener = TcpListener::bind(ANY).expect("a free port");
        let at = listener.local_addr().expect("bound");
        let mut ports = Vec::new();
        let mut open = Vec::new();
        for _ in 0..40 {
            let client = TcpStream::connect(at, &ConnectOptions::default()).await.expect("listening");
            ports.push(client.local_addr().expect("connected").port());
            open.push(client);
        }
        assert!(
            ports.iter().any(|port| port % 2 == 0) && ports.iter().any(|port| port % 2 == 1),
            "{ports:?}"
        );
    });
}

#[test]
fn a_socket_in_the_file_system_is_connected_to_by_its_path() {
    let folder = std::env::temp_dir().join(format!("swell-unix-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("site.sock");
    let listener = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    let echo = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        std::io::copy(&mut stream.try_clone().expect("a descriptor"), &mut stream).expect("an echo");
    });
    let mut runtime = Runtime::new().expect("a loop");
    runtime.block_on(async {
        let mut stream = TcpStream::connect_unix(&path, None).await.expect("it listens");
        assert!(!stream.sample_send(), "sent data has no stamp");
        stream.send_all(b"hello").await.expect("sent");
        let (text, stamped) =
            stream.recv(|bytes, arrival| (bytes.to_vec(), arrival.stamped)).await.expect("an answer");
        assert_eq!((&*text, stamped), (&b"hello"[..], false));
        drop(stream);
        let long = std::path::PathBuf::from("x".repeat(200));
        let error = TcpStream::connect_unix(&long, None).await.err().expect("too long");
        assert!(error.to_string().contains("at most 107 bytes"), "{error}");
    });
    echo.join().expect("it ends with the connection");
    std::fs::remove_dir_all(&folder).expect("removed");
}
