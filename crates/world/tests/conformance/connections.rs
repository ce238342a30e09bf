//! Data, listeners, addresses, stamps.

use std::future::poll_fn;

use swell_net::{ConnectOptions, TcpListener, TcpStream, now_ns, spawn, yield_now};

use crate::cases;
use crate::pair::{ANY, connect, numbered, pair, read};

cases![
    bytes_arrive_in_order,
    bytes_go_both_ways_at_once,
    bytes_can_be_dropped_without_being_read,
    a_send_waits_for_room_and_ends_when_the_peer_reads,
    small_sends_arrive_as_one_stream,
    addresses_of_both_ends_agree,
    a_connection_can_be_made_and_used_before_it_is_accepted,
    listeners_share_a_port,
    many_connections_have_their_own_bytes,
    a_source_address_is_used,
    an_arrival_is_between_the_send_and_the_read,
    a_stamped_send_is_not_an_end,
    nothing_to_read_wakes_nobody,
];

async fn bytes_arrive_in_order() {
    let (mut client, mut server) = pair().await;
    let data = numbered(50_000);
    let sent = data.clone();
    let sender = spawn(async move {
        client.send_all(&sent).await.expect("the peer reads");
        client
    });
    assert_eq!(read(&mut server, data.len()).await, data);
    sender.await;
}

async fn bytes_go_both_ways_at_once() {
    let (client, server) = pair().await;
    let exchange = |mut stream: TcpStream| async move {
        let data = numbered(20_000);
        let mut got = Vec::new();
        for (number, piece) in (1..).zip(data.chunks(500)) {
            stream.send_all(piece).await.expect("the peer reads");
            // More may have come with the last read than was waited for.
            let missing = (number * 500_usize).saturating_sub(got.len());
            got.extend(read(&mut stream, missing).await);
        }
        assert_eq!(got, data);
        stream
    };
    let (one, other) = (spawn(exchange(client)), spawn(exchange(server)));
    drop((one.await, other.await));
}

async fn bytes_can_be_dropped_without_being_read() {
    let (mut client, mut server) = pair().await;
    let sender = spawn(async move {
        client.send_all(&vec![b'x'; 30_000]).await.expect("the peer reads");
        client.send_all(b"the end").await.expect("the peer reads");
    });
    let mut left = 30_000;
    while left > 0 {
        let skip = poll_fn(|cx| server.poll_skip(cx, left).expect("accepted connections can"));
        let (count, arrival) = skip.await.expect("data");
        assert!((1..=left).contains(&count) && arrival.read_ns >= arrival.kernel_ns);
        left -= count;
    }
    assert_eq!(read(&mut server, 7).await, b"the end");
    sender.await;
    let skip = poll_fn(|cx| server.poll_skip(cx, 9).expect("accepted connections can"));
    assert_eq!(skip.await.expect("an end is not an error").0, 0);
}

async fn a_send_waits_for_room_and_ends_when_the_peer_reads() {
    let (mut client, mut server) = pair().await;
    let bytes = 8 << 20;
    let sender = spawn(async move { client.send_all(&vec![7; bytes]).await.map(|()| client) });
    for _ in 0..50 {
        yield_now().await;
    }
    let mut got = 0;
    while got < bytes {
        let count = server.recv(|bytes, _| bytes.len()).await.expect("data");
        assert!(count > 0, "ended after {got} bytes");
        got += count;
    }
    sender.await.expect("all was read");
}

async fn small_sends_arrive_as_one_stream() {
    let (mut client, mut server) = pair().await;
    let data = numbered(3_000);
    let sent = data.clone();
    let sender = spawn(async move {
        for byte in sent {
            client.send_all(&[byte]).await.expect("the peer reads");
        }
        client
    });
    assert_eq!(read(&mut server, data.len()).await, data);
    sender.await;
}

async fn addresses_of_both_ends_agree() {
    let (client, server) = pair().await;
    assert_eq!(client.local_addr().expect("open"), server.peer_addr().expect("open"));
    assert_eq!(server.local_addr().expect("open"), client.peer_addr().expect("open"));
}

async fn a_connection_can_be_made_and_used_before_it_is_accepted() {
    let listener = TcpListener::bind(ANY).expect("a free port");
    let mut client = connect(listener.local_addr().expect("bound")).await.expect("it listens");
    client.send_all(b"early").await.expect("open");
    let (mut server, peer) = listener.accept().await.expect("a client");
    assert_eq!(peer, client.local_addr().expect("open"));
    assert_eq!(read(&mut server, 5).await, b"early");
}

async fn listeners_share_a_port() {
    let one = TcpListener::bind(ANY).expect("a free port");
    let at = one.local_addr().expect("bound");
    let other = TcpListener::bind(at).expect("the port is shared");
    let accepting = [one, other].map(|listener| {
        spawn(async move {
            loop {
                let (mut server, _) = listener.accept().await.expect("a client");
                server.send_all(b"hello").await.expect("open");
            }
        })
    });
    for _ in 0..20 {
        let mut client = connect(at).await.expect("it listens");
        assert_eq!(read(&mut client, 5).await, b"hello");
    }
    accepting.iter().for_each(swell_net::Task::abort);
}

async fn many_connections_have_their_own_bytes() {
    let mut readers = Vec::new();
    let mut servers = Vec::new();
    for _ in 0..40 {
        let (mut client, server) = pair().await;
        readers.push(spawn(async move { read(&mut client, 8).await }));
        servers.push(server);
    }
    for (number, server) in servers.iter_mut().enumerate().rev() {
        server.send_all(&(number as u64).to_be_bytes()).await.expect("open");
    }
    for (number, reader) in readers.into_iter().enumerate() {
        assert_eq!(reader.await, (number as u64).to_be_bytes());
    }
}

async fn a_source_address_is_used() {
    let listener = TcpListener::bind(ANY).expect("a free port");
    let at = listener.local_addr().expect("bound");
    let source = Some([127, 0, 0, 7].into());
    let options = ConnectOptions { source, ..ConnectOptions::default() };
    let client = spawn(async move { TcpStream::connect(at, &options).await.expect("it listens") });
    let (_server, peer) = listener.accept().await.expect("a client");
    assert_eq!(peer.ip(), std::net::Ipv4Addr::new(127, 0, 0, 7));
    client.await;
}

async fn an_arrival_is_between_the_send_and_the_read() {
    // The correction of the clocks of a real machine may be some microseconds off.
    const OFF_NS: i64 = 200_000;
    let (mut client, mut server) = pair().await;
    for _ in 0..20 {
        let before_ns = now_ns();
        client.send_all(b"ask").await.expect("open");
        let arrival = server.recv(|_, arrival| arrival).await.expect("data");
        assert!(arrival.kernel_ns >= before_ns - OFF_NS, "{before_ns} {arrival:?}");
        assert!(arrival.kernel_ns <= arrival.read_ns && arrival.read_ns <= now_ns(), "{arrival:?}");
    }
}

async fn a_stamped_send_is_not_an_end() {
    let (mut client, mut server) = pair().await;
    let mut sampled = 0;
    for _ in 0..30 {
        let stamps = client.sample_send();
        client.send_all(b"ask").await.expect("open");
        assert_eq!(read(&mut server, 3).await, b"ask");
        yield_now().await;
        assert!(!client.is_stale() && !client.has_seen_end());
        server.send_all(b"answer").await.expect("open");
        let got = client.recv(|bytes, _| bytes.len()).await.expect("data");
        assert!(got > 0, "the stamp of a send was taken for the end");
        if got < 6 {
            read(&mut client, 6 - got).await;
        }
        sampled += usize::from(stamps && client.sent_ns().is_some());
    }
    println!("{sampled} sends were stamped");
}

async fn nothing_to_read_wakes_nobody() {
    let (mut client, mut server) = pair().await;
    let start_ns = now_ns();
    client.set_deadline(Some(start_ns + 5_000_000));
    let error = client.recv(|_, _| ()).await.expect_err("nothing was sent");
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    client.set_deadline(None);
    server.send_all(b"late").await.expect("open");
    assert_eq!(read(&mut client, 4).await, b"late");
}
