//! A run without receive stamps.

use std::sync::Arc;

use swell_net::{ConnectOptions, NetContext, Runtime, TcpListener, TcpStream, TimestampSource, spawn};

#[test]
fn bytes_arrive_and_nobody_says_when() {
    let context = Arc::new(NetContext::new(TimestampSource::None));
    Runtime::with_context(context.clone()).expect("three descriptors").block_on(async {
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
        for n in 0..600_u32 {
            assert!(!stream.sample_send(), "no send is stamped");
            stream.send_all(&n.to_be_bytes()).await.expect("it reads");
            let (bytes, arrival) =
                stream.recv(|bytes, arrival| (bytes.to_vec(), arrival)).await.expect("an echo");
            assert_eq!(bytes, n.to_be_bytes());
            assert!(
                !arrival.stamped && arrival.at_ns == arrival.read_ns && arrival.kernel_ns == arrival.read_ns
            );
        }
        drop(stream);
        echo.await;
    });
    assert!(context.unstamped_reads() >= 1200, "of the echo as well");
}
