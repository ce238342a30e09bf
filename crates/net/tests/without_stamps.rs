//! A process that asks for no stamps: alone in its test, as that cannot be taken back.

use swell_net::{ConnectOptions, Runtime, TcpListener, TcpStream, spawn, unstamped_reads, without_stamps};

#[test]
fn bytes_arrive_and_nobody_says_when() {
    without_stamps();
    Runtime::new().expect("three descriptors").block_on(async {
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
        assert!(unstamped_reads() >= 600);
        drop(stream);
        echo.await;
    });
}
