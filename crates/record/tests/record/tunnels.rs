//! What passes and is not recorded.

use crate::support::{Server, expect, record, rest, send, tls_client};

#[test]
fn connection_that_leaves_http_passes_both_ways_and_is_listed() {
    let switch = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    let (server, _) = Server::secure(1, &[], |mut stream| {
        expect(&mut stream, b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
        send(&mut stream, switch);
        send(&mut stream, b"\x81\x02hi");
        expect(&mut stream, b"\x81\x80\0\0\0\0");
        send(&mut stream, b"\x88\0");
    });
    let recording = record(|_| {});
    let mut client = recording.secure(server.address);
    send(&mut client, b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    expect(&mut client, switch);
    expect(&mut client, b"\x81\x02hi");
    send(&mut client, b"\x81\x80\0\0\0\0");
    expect(&mut client, b"\x88\0");
    server.end();
    let ended = recording.end();
    assert_eq!(ended.entries()[0]["response"]["status"], 101);
    assert!(ended.reasons()[0].contains("WebSocket"), "{:?}", ended.reasons());
}

#[test]
fn http_without_tls_in_a_tunnel_is_recorded() {
    let server = Server::plain(1, |mut stream| {
        expect(&mut stream, b"GET /x HTTP/1.1\r\n\r\n");
        send(&mut stream, b"HTTP/1.1 204 No Content\r\n\r\n");
    });
    let at = server.address;
    let recording = record(|_| {});
    let mut client = recording.tunnel(at);
    send(&mut client, b"GET /x HTTP/1.1\r\n\r\n");
    expect(&mut client, b"HTTP/1.1 204 No Content\r\n\r\n");
    server.end();
    assert_eq!(recording.end().lines(), [format!("GET http://{at}/x 204")]);
}

#[test]
fn protocols_that_are_not_http_pass() {
    let server = Server::plain(2, |mut stream| {
        send(&mut stream, b"SSH-2.0-x\r\n");
        expect(&mut stream, b"SSH-2.0-y\r\n");
    });
    let recording = record(|_| {});
    for _ in 0..2 {
        let mut client = recording.tunnel(server.address);
        expect(&mut client, b"SSH-2.0-x\r\n");
        send(&mut client, b"SSH-2.0-y\r\n");
        assert_eq!(rest(&mut client), "");
    }
    server.end();
    let ended = recording.end();
    assert!(ended.entries().is_empty());
    assert_eq!(
        (ended.reasons(), ended.recorded.not_recorded[0].count),
        (vec!["a connection that is not HTTP"], 2)
    );
}

#[test]
fn clients_and_servers_of_http2_only_get_their_own_connection() {
    let (server, own) = Server::secure(1, &[b"h2"], |mut stream| send(&mut stream, b"PRI"));
    let recording = record(|_| {});
    let mut client = tls_client(recording.tunnel(server.address), own, &[b"h2"]);
    expect(&mut client, b"PRI");
    server.end();
    // This client could speak HTTP/1.1, the server cannot: it refuses the first connection.
    let (server, own) = Server::secure(2, &[b"h2"], |mut stream| send(&mut stream, b"PRI"));
    let mut client = tls_client(recording.tunnel(server.address), own, &[b"h2", b"http/1.1"]);
    expect(&mut client, b"PRI");
    server.end();
    let ended = recording.end();
    assert!(ended.entries().is_empty());
    let wanted = ["the client speaks no HTTP/1.1", "the server speaks no HTTP/1.1"];
    assert!(
        ended.reasons().iter().zip(wanted).all(|(why, wanted)| why.starts_with(wanted)),
        "{:?}",
        ended.reasons()
    );
    assert_eq!(ended.reasons().len(), 2);
}

#[test]
fn other_hosts_pass_undecrypted() {
    let (server, own) = Server::secure(1, &[], |mut stream| send(&mut stream, b"hi"));
    let other = Server::plain(1, |mut stream| {
        expect(&mut stream, b"GET / HTTP/1.1\r\n\r\n");
        send(&mut stream, b"HTTP/1.1 204 No Content\r\n\r\n");
    });
    let recording = record(|options| options.hosts = "shop.test".parse().unwrap());
    let mut client = tls_client(recording.tunnel(server.address), own, &[]);
    expect(&mut client, b"hi");
    let mut client = recording.client();
    send(&mut client, format!("GET http://{}/ HTTP/1.1\r\n\r\n", other.address).as_bytes());
    expect(&mut client, b"HTTP/1.1 204 No Content\r\n\r\n");
    server.end();
    other.end();
    let ended = recording.end();
    assert!(ended.entries().is_empty());
    assert_eq!((ended.reasons(), ended.recorded.not_recorded[0].count), (vec!["another host"], 2));
}

#[test]
fn tunnel_to_nowhere_is_refused() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let recording = record(|_| {});
    for (target, status) in [(closed.to_string(), "502"), ("nowhere".to_owned(), "400")] {
        let mut client = recording.client();
        send(&mut client, format!("CONNECT {target} HTTP/1.1\r\n\r\n").as_bytes());
        let answer = rest(&mut client);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
    let ended = recording.end();
    assert!(ended.reasons()[0].contains("Connection refused"), "{:?}", ended.reasons());
}
