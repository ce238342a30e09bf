//! Connections from several local addresses. Runs in a separate process, because it sets the number
//! of port sections of the kernel program before that program is loaded.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use swell_net::{ConnectOptions, NetContext, Runtime, SourceAddresses, TcpStream, TimestampSource};

use crate::alone::in_separate_process;

#[test]
fn connections_go_out_from_each_address_and_have_their_stamps() {
    if in_separate_process(module_path!(), "connections_go_out_from_each_address_and_have_their_stamps") {
        return;
    }
    let addresses = SourceAddresses::parse("127.0.0.2-127.0.0.4").expect("addresses of this machine");
    let context = NetContext::new(TimestampSource::Kernel).with_sources(Some(addresses));
    let context = Arc::new(context);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let to = listener.local_addr().expect("bound");
    Runtime::with_context(context.clone()).expect("descriptors").block_on(async {
        let mut seen = Vec::new();
        for number in 0..6_u8 {
            let mut stream = TcpStream::connect(to, &ConnectOptions::default()).await.expect("it listens");
            let (mut peer, from) = listener.accept().expect("a connection");
            let before = swell_net::now_ns();
            std::io::Write::write_all(&mut peer, &[number]).expect("open");
            let (byte, arrival) = stream.recv(|bytes, arrival| (bytes[0], arrival)).await.expect("a byte");
            assert_eq!(byte, number);
            assert!((before..=swell_net::now_ns()).contains(&arrival.at_ns), "{from}");
            seen.push((from, stream));
        }
        let ips: Vec<_> = seen.iter().map(|(from, _)| from.ip().to_string()).collect();
        assert_eq!(ips[..3], ["127.0.0.2", "127.0.0.3", "127.0.0.4"]);
        assert_eq!(ips[..3], ips[3..]);
        let own = ConnectOptions { source: Some([127, 0, 0, 9].into()), ..ConnectOptions::default() };
        let _stream = TcpStream::connect(to, &own).await.expect("it listens");
        let from: SocketAddr = listener.accept().expect("a connection").1;
        assert_eq!(from.ip().to_string(), "127.0.0.9", "an element's own address comes first");
    });
    assert_eq!(context.unstamped_reads(), 0);
}
