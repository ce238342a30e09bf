use std::future::poll_fn;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream as StdStream};
use std::time::Duration;

use super::*;
use crate::{Runtime, TimestampSource};

async fn lengths_and_times(stream: &mut TcpStream) -> Vec<(usize, i64)> {
    let mut parts = Vec::new();
    poll_fn(|cx| stream.poll_recv_parts(cx, |bytes, arrival| parts.push((bytes.len(), arrival.at_ns))))
        .await
        .expect("no error");
    parts
}

#[test]
fn segments_have_their_times_where_the_server_spoke_before_the_program_was_attached() {
    if !TimestampSource::Kernel.uses_kernel_program() {
        println!("skipped: no program may be loaded into the kernel here");
        return;
    }
    Runtime::new().expect("three descriptors").block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let client = StdStream::connect(listener.local_addr().expect("bound")).expect("it listens");
        client.set_nonblocking(true).expect("a socket");
        let (mut server, _) = listener.accept().expect("a client");
        server.set_nodelay(true).expect("a socket");
        server.write_all(b"first").expect("sent");
        let fd = Fd::from(client);
        let stamps = RxTimestamps::of_client(&fd, TimestampSource::Kernel, true).expect("a socket");
        let mut client = TcpStream::of_client(fd, stamps).expect("a loop");
        let mut sent = Vec::new();
        for _ in 0..3 {
            sent.push(crate::now_ns());
            server.write_all(&[b'x'; 100]).expect("sent");
            std::thread::sleep(Duration::from_millis(1));
        }
        let parts = lengths_and_times(&mut client).await;
        // The first bytes were not noted: they have the time of those that were.
        let lengths: Vec<_> = parts.iter().map(|(length, _)| *length).collect();
        assert_eq!(lengths, [105, 100, 100]);
        assert!(parts[0].1 < sent[1] && parts[1].1 < sent[2] && parts[2].1 >= sent[2], "{sent:?} {parts:?}");
    });
}
