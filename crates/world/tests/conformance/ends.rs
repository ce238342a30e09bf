//! Ends of connections: orderly, half, broken, refused; and deadlines.

use std::io::ErrorKind;

use swell_net::{TcpListener, TcpStream, now_ns, sleep_until, spawn};

use crate::cases;
use crate::pair::{ANY, connect, numbered, pair, read};

cases![
    the_end_of_the_peer_is_an_empty_read_again_and_again,
    data_comes_before_the_end,
    half_closed_still_delivers_the_answer,
    both_sides_can_end,
    a_reset_is_an_error_of_a_read,
    data_is_read_before_a_reset,
    closing_with_unread_bytes_is_a_reset,
    a_send_to_a_peer_that_is_gone_fails_in_the_end,
    a_send_after_the_end_of_this_side_fails,
    a_port_without_a_listener_refuses,
    a_listener_that_is_gone_refuses,
    what_waits_to_be_accepted_is_reset_with_its_listener,
    an_idle_connection_is_stale_once_the_peer_ends_or_talks,
    a_deadline_ends_a_read_and_can_be_moved_and_taken_away,
    a_deadline_ends_a_send_without_room,
    a_task_that_is_aborted_closes_its_connection,
];

const MS: i64 = 1_000_000;

async fn the_end_of_the_peer_is_an_empty_read_again_and_again() {
    let (client, mut server) = pair().await;
    drop(client);
    for _ in 0..3 {
        assert_eq!(server.recv(|bytes, _| bytes.len()).await.expect("an end is not an error"), 0);
    }
}

async fn data_comes_before_the_end() {
    let (mut client, mut server) = pair().await;
    client.send_all(&numbered(500)).await.expect("open");
    drop(client);
    assert_eq!(read(&mut server, 500).await, numbered(500));
    assert_eq!(server.recv(|bytes, _| bytes.len()).await.expect("an end is not an error"), 0);
}

async fn half_closed_still_delivers_the_answer() {
    let (mut client, mut server) = pair().await;
    client.send_all(b"ask").await.expect("open");
    client.shutdown_write().expect("open");
    assert_eq!(read(&mut server, 3).await, b"ask");
    assert_eq!(server.recv(|bytes, _| bytes.len()).await.expect("an end"), 0);
    server.send_all(b"answer").await.expect("half open");
    assert_eq!(read(&mut client, 6).await, b"answer");
}

async fn both_sides_can_end() {
    let (mut client, mut server) = pair().await;
    client.shutdown_write().expect("open");
    server.shutdown_write().expect("open");
    for stream in [&mut client, &mut server] {
        assert_eq!(stream.recv(|bytes, _| bytes.len()).await.expect("an end"), 0);
    }
}

async fn a_reset_is_an_error_of_a_read() {
    let (client, mut server) = pair().await;
    client.set_linger_zero().expect("open");
    drop(client);
    assert_eq!(server.recv(|_, _| ()).await.expect_err("reset").kind(), ErrorKind::ConnectionReset);
    // The error was fetched; what is left is an end.
    assert_eq!(server.recv(|bytes, _| bytes.len()).await.expect("an end"), 0);
}

async fn data_is_read_before_a_reset() {
    let (mut client, mut server) = pair().await;
    client.send_all(b"last words").await.expect("open");
    assert!(read(&mut server, 1).await.len() <= 10);
    client.set_linger_zero().expect("open");
    drop(client);
    let mut outcome = Ok(1);
    while let Ok(1..) = outcome {
        outcome = server.recv(|bytes, _| bytes.len()).await;
    }
    assert_eq!(outcome.expect_err("reset").kind(), ErrorKind::ConnectionReset);
}

async fn closing_with_unread_bytes_is_a_reset() {
    let (mut client, server) = pair().await;
    client.send_all(b"ask").await.expect("open");
    // It has to be there.
    while !server.is_stale() {
        sleep_until(now_ns() + MS / 10).await;
    }
    drop(server);
    assert_eq!(client.recv(|_, _| ()).await.expect_err("reset").kind(), ErrorKind::ConnectionReset);
}

async fn a_send_to_a_peer_that_is_gone_fails_in_the_end() {
    let (mut client, server) = pair().await;
    drop(server);
    let error = loop {
        if let Err(error) = client.send_all(b"ask").await {
            break error;
        }
        sleep_until(now_ns() + MS / 10).await;
    };
    assert!([ErrorKind::ConnectionReset, ErrorKind::BrokenPipe].contains(&error.kind()), "{error}");
}

async fn a_send_after_the_end_of_this_side_fails() {
    let (_client, mut server) = pair().await;
    server.shutdown_write().expect("open");
    assert_eq!(server.send_all(b"more").await.expect_err("ended").kind(), ErrorKind::BrokenPipe);
}

async fn a_port_without_a_listener_refuses() {
    let listener = TcpListener::bind(ANY).expect("a free port");
    let at = listener.local_addr().expect("bound");
    drop(listener);
    let refused = connect(at).await.err().expect("no listener");
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
}

async fn a_listener_that_is_gone_refuses() {
    let listener = TcpListener::bind(ANY).expect("a free port");
    let at = listener.local_addr().expect("bound");
    let first = connect(at).await.expect("it listens");
    let (_server, _) = listener.accept().await.expect("a client");
    drop(listener);
    assert_eq!(connect(at).await.err().expect("no listener").kind(), ErrorKind::ConnectionRefused);
    assert!(!first.is_stale(), "what was accepted stays");
}

async fn what_waits_to_be_accepted_is_reset_with_its_listener() {
    let listener = TcpListener::bind(ANY).expect("a free port");
    let mut client = connect(listener.local_addr().expect("bound")).await.expect("it listens");
    drop(listener);
    assert_eq!(client.recv(|_, _| ()).await.expect_err("reset").kind(), ErrorKind::ConnectionReset);
}

/// Ends when the connection is stale; a test that hangs here has failed.
async fn until_stale(stream: &TcpStream) {
    while !stream.is_stale() {
        sleep_until(now_ns() + MS / 10).await;
    }
}

async fn an_idle_connection_is_stale_once_the_peer_ends_or_talks() {
    let (client, mut server) = pair().await;
    assert!(!client.is_stale() && !server.is_stale_now());
    server.send_all(b"stray").await.expect("open");
    until_stale(&client).await;
    let (client, server) = pair().await;
    drop(client);
    until_stale(&server).await;
    assert!(server.is_stale_now());
}

async fn a_deadline_ends_a_read_and_can_be_moved_and_taken_away() {
    let (mut client, mut server) = pair().await;
    let start_ns = now_ns();
    client.set_deadline(Some(start_ns + MS));
    client.set_deadline(Some(start_ns + 3 * MS));
    assert_eq!(client.recv(|_, _| ()).await.expect_err("no sender").kind(), ErrorKind::TimedOut);
    assert!(now_ns() - start_ns >= 3 * MS);
    client.set_deadline(Some(now_ns() + 1_000_000 * MS));
    client.set_deadline(Some(now_ns() + MS));
    assert_eq!(client.recv(|_, _| ()).await.expect_err("no sender").kind(), ErrorKind::TimedOut);
    client.set_deadline(None);
    server.send_all(b"late").await.expect("open");
    assert_eq!(read(&mut client, 4).await, b"late");
}

async fn a_deadline_ends_a_send_without_room() {
    let (_client, mut server) = pair().await;
    let start_ns = now_ns();
    server.set_deadline(Some(start_ns + 20 * MS));
    let error = server.send_all(&vec![7; 64 << 20]).await.expect_err("the peer does not read");
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(now_ns() - start_ns >= 20 * MS);
}

async fn a_task_that_is_aborted_closes_its_connection() {
    let (mut client, mut server) = pair().await;
    let reader = spawn(async move { client.recv(|bytes, _| bytes.len()).await });
    swell_net::yield_now().await;
    reader.abort();
    assert_eq!(server.recv(|bytes, _| bytes.len()).await.expect("an end"), 0);
}
