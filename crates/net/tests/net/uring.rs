//! A loop on io_uring behaves like one on epoll.

use std::io::ErrorKind;
use std::sync::Arc;

use crate::connection::pair;
use swell_net::{Io, NetContext, Runtime, TcpStream, TimestampSource, spawn, try_uring, yield_now};

/// On a ring without stamps, so that connections are the ring's wherever this test runs; nothing
/// where the kernel gives no ring.
fn on_ring(future: impl Future<Output = ()>) {
    if let Err(error) = try_uring() {
        println!("skipped: this kernel gives no ring: {error}");
        return;
    }
    let context = Arc::new(NetContext::new(TimestampSource::None).with_io(Io::Uring));
    Runtime::with_context(context.clone()).expect("descriptors").block_on(future);
    let served = context.io_served().expect("a loop ran");
    assert_eq!((served.io, &served.refused), (Io::Uring, &None));
}

/// A byte of the stream at this place.
fn byte_at(place: usize) -> u8 {
    (place % 251) as u8
}

fn piece(from: usize, length: usize) -> Vec<u8> {
    (from..from + length).map(byte_at).collect()
}

/// All bytes until the peer ends, which are to be those of [`byte_at`]; how many.
async fn read_all(stream: &mut TcpStream) -> usize {
    let mut count = 0;
    loop {
        let bytes = stream.recv(|bytes, _| bytes.to_vec()).await.expect("no error");
        if bytes.is_empty() {
            return count;
        }
        assert!(bytes.iter().enumerate().all(|(n, byte)| *byte == byte_at(count + n)), "after {count}");
        count += bytes.len();
    }
}

#[test]
fn small_sends_to_a_peer_that_does_not_read_yet_arrive_whole_and_in_order() {
    const PIECES: usize = 4_000;
    on_ring(async {
        let (mut client, mut server) = pair().await;
        // 16 MB: more than the buffers of both sockets hold.
        let sending = spawn(async move {
            for n in 0..PIECES {
                client.send_all(&piece(n * 4_000, 4_000)).await.expect("the peer is there");
            }
            client.shutdown_write().expect("open");
            client
        });
        for _ in 0..10_000 {
            yield_now().await;
        }
        assert_eq!(read_all(&mut server).await, PIECES * 4_000);
        sending.await;
    });
}

#[test]
fn a_connection_that_is_closed_with_bytes_on_their_way_loses_none() {
    on_ring(async {
        let (mut client, mut server) = pair().await;
        for n in 0..20 {
            client.send_all(&piece(n * 100, 100)).await.expect("open");
        }
        drop(client);
        assert_eq!(read_all(&mut server).await, 2_000);
    });
}

#[test]
fn what_arrives_faster_than_it_is_read_waits_with_the_peer_and_arrives_whole() {
    const ALL: usize = 64 << 20;
    on_ring(async {
        let (mut client, mut server) = pair().await;
        let sending = spawn(async move {
            let mut sent = 0;
            while sent < ALL {
                server.send_all(&piece(sent, 1 << 18)).await.expect("open");
                sent += 1 << 18;
            }
        });
        // It is received from the first read on; then there are no reads for a while.
        let first = client.recv(|bytes, _| bytes.len()).await.expect("bytes");
        for _ in 0..2_000 {
            yield_now().await;
        }
        let mut count = first;
        loop {
            let bytes = client.recv(|bytes, _| bytes.to_vec()).await.expect("no error");
            if bytes.is_empty() {
                break;
            }
            assert_eq!(
                (bytes[0], bytes[bytes.len() - 1]),
                (byte_at(count), byte_at(count + bytes.len() - 1))
            );
            count += bytes.len();
        }
        assert_eq!(count, ALL);
        sending.await;
    });
}

#[test]
fn more_answers_at_once_than_the_ring_has_buffers_all_arrive() {
    const CONNECTIONS: usize = 1_500;
    on_ring(async {
        let mut pairs = Vec::new();
        for _ in 0..CONNECTIONS {
            pairs.push(pair().await);
        }
        let mut readers = Vec::new();
        for (mut client, server) in pairs {
            let reader = spawn(async move { client.recv(|bytes, _| bytes.to_vec()).await.expect("bytes") });
            readers.push((reader, server));
        }
        // All receives are with the kernel before anything is sent.
        yield_now().await;
        let mut waiting = Vec::new();
        for (n, (reader, mut server)) in readers.into_iter().enumerate() {
            server.send_all(&(n as u64).to_be_bytes()).await.expect("open");
            waiting.push((n as u64, reader, server));
        }
        for (n, reader, _server) in waiting {
            assert_eq!(reader.await, n.to_be_bytes());
        }
    });
}

#[test]
fn a_peer_that_is_gone_is_an_error_of_the_next_call() {
    on_ring(async {
        let (mut client, server) = pair().await;
        server.set_linger_zero().expect("open");
        drop(server);
        let outcome = async {
            client.send_all(b"hello").await?;
            client.recv(|bytes, _| bytes.len()).await
        };
        let error = outcome.await.expect_err("no listener");
        assert!([ErrorKind::ConnectionReset, ErrorKind::BrokenPipe].contains(&error.kind()), "{error}");
    });
}

#[test]
fn connections_come_and_go_on_one_ring() {
    on_ring(async {
        for round in 0..300 {
            let (mut client, mut server) = pair().await;
            client.send_all(b"ask").await.expect("open");
            assert_eq!(server.recv(|bytes, _| bytes.to_vec()).await.expect("asked"), b"ask", "{round}");
            server.send_all(b"answer").await.expect("open");
            assert_eq!(client.recv(|bytes, _| bytes.to_vec()).await.expect("answered"), b"answer", "{round}");
        }
    });
}
