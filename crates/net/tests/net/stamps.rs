//! Receive stamps of data and of ends, recorded by a kernel program if it may be loaded, and
//! returned by reads.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use crate::connection::{pair, pair_with};
use swell_net::{Arrival, ConnectOptions, NetContext, Runtime, TcpStream, TimestampSource, now_ns};

const MS: i64 = 1_000_000;

/// What was read, and when it came.
async fn read(reader: &mut TcpStream) -> (usize, Arrival) {
    reader.recv(|bytes, arrival| (bytes.len(), arrival)).await.expect("no error")
}

/// The reader is kept busy for 20 ms after something was done that the kernel stamps: the stamp
/// must not contain that.
async fn read_late(reader: &mut TcpStream, what: impl AsyncFnOnce()) -> usize {
    let before = now_ns();
    what().await;
    // A ring gets what was sent at the next turn of the loop.
    swell_net::yield_now().await;
    let after = now_ns();
    std::thread::sleep(Duration::from_millis(20));
    let (count, arrival) = read(reader).await;
    assert!(arrival.stamped, "no stamp");
    assert!(arrival.at_ns >= before - MS && arrival.at_ns <= after + MS, "{before} {arrival:?} {after}");
    assert!(arrival.read_ns - arrival.at_ns >= 19 * MS, "{arrival:?}");
    count
}

/// The first socket of a machine that asks for stamps switches them on, a moment later.
async fn until_stamped(reader: &mut TcpStream, sender: &mut TcpStream) {
    let deadline_ns = now_ns() + 5_000 * MS;
    loop {
        sender.send_all(b"warm").await.expect("sent");
        if read(reader).await.1.stamped {
            return;
        }
        assert!(now_ns() < deadline_ns, "this kernel gives no receive stamps on loopback");
    }
}

async fn data_is_stamped(mut reader: TcpStream, mut sender: TcpStream) {
    until_stamped(&mut reader, &mut sender).await;
    for length in [1, 5_000] {
        let bytes = vec![b'x'; length];
        assert_eq!(
            read_late(&mut reader, async || sender.send_all(&bytes).await.expect("sent")).await,
            length
        );
    }
}

/// The end is there when the bytes before it are read.
async fn an_end_with_data_is_stamped(mut reader: TcpStream, mut sender: TcpStream) {
    until_stamped(&mut reader, &mut sender).await;
    let before = now_ns();
    sender.send_all(b"last words").await.expect("sent");
    drop(sender);
    let after = now_ns();
    std::thread::sleep(Duration::from_millis(20));
    for count in [10, 0] {
        // The loop has to see the end before it reads, which it does: it saw nothing of this
        // connection yet.
        let (read, arrival) = read(&mut reader).await;
        assert_eq!(read, count);
        assert!(
            arrival.stamped && arrival.at_ns >= before - MS && arrival.at_ns <= after + MS,
            "{arrival:?}"
        );
    }
}

/// The end comes alone, later than all bytes. Only the program stamps it.
async fn an_end_alone_is_stamped(mut reader: TcpStream, mut sender: TcpStream) {
    sender.send_all(b"last words").await.expect("sent");
    assert_eq!(read(&mut reader).await.0, 10);
    assert_eq!(read_late(&mut reader, async || drop(sender)).await, 0);
}

/// A port may be another connection's the moment after, whose stamps must not be seen. On a busy
/// machine a first byte may come without a stamp; then its time is that of the read, and the
/// runtime counts it.
async fn ports_are_used_again(context: &NetContext, rounds: u64) {
    let counted = context.unstamped_reads();
    let mut stamped = 0;
    for _ in 0..rounds {
        let (mut client, mut server) = pair().await;
        let before = now_ns();
        server.send_all(b"x").await.expect("sent");
        let (_, arrival) = read(&mut client).await;
        assert!(arrival.at_ns >= before, "{before} {arrival:?}");
        stamped += u64::from(arrival.stamped);
    }
    assert_eq!(stamped + context.unstamped_reads() - counted, rounds);
    assert!(stamped * 10 >= rounds * 9, "{stamped} of {rounds}");
}

fn run<F: Future>(source: TimestampSource, future: F) -> F::Output {
    run_in(&Arc::new(NetContext::new(source)), future)
}

fn run_in<F: Future>(context: &Arc<NetContext>, future: F) -> F::Output {
    Runtime::with_context(context.clone()).expect("three descriptors").block_on(future)
}

async fn clients_are_stamped() {
    let (client, server) = pair().await;
    data_is_stamped(client, server).await;
    let (client, server) = pair().await;
    an_end_with_data_is_stamped(client, server).await;
}

#[test]
fn a_program_in_the_kernel_stamps_the_arrival_and_not_the_read() {
    if !TimestampSource::Kernel.uses_kernel_program() {
        println!("skipped: no program may be loaded into the kernel here");
        return;
    }
    let context = Arc::new(NetContext::new(TimestampSource::Kernel));
    run_in(&context, async {
        clients_are_stamped().await;
        let (client, server) = pair().await;
        an_end_alone_is_stamped(client, server).await;
        ports_are_used_again(&context, 200).await;
    });
}

#[test]
fn stamps_with_reads_are_of_the_arrival_and_not_of_the_read() {
    assert!(!TimestampSource::Socket.uses_kernel_program());
    run(TimestampSource::Socket, clients_are_stamped());
    // What a listener accepts has its stamps with reads in any case.
    run(TimestampSource::Kernel, async {
        let (client, server) = pair().await;
        data_is_stamped(server, client).await;
        let (client, server) = pair().await;
        an_end_with_data_is_stamped(server, client).await;
    });
}

/// What a byte, and a read that comes 2 ms after it, say of each other.
async fn late_read() -> Arrival {
    let (mut client, mut server) = pair().await;
    until_stamped(&mut client, &mut server).await;
    server.send_all(b"x").await.expect("sent");
    std::thread::sleep(Duration::from_millis(2));
    read(&mut client).await.1
}

#[test]
fn two_runs_at_once_have_clocks_of_their_own() {
    let user = std::thread::spawn(|| run(TimestampSource::UserSpace, late_read()));
    let kernel = run(TimestampSource::Kernel, late_read());
    let user = user.join().expect("no panic");
    assert!(
        kernel.stamped && kernel.at_ns == kernel.kernel_ns && kernel.at_ns < kernel.read_ns,
        "{kernel:?}"
    );
    assert!(user.stamped && user.at_ns == user.read_ns && user.kernel_ns < user.read_ns, "{user:?}");
}

/// What was read, by segments.
async fn read_parts(reader: &mut TcpStream) -> Vec<(usize, Arrival)> {
    let mut parts = Vec::new();
    poll_fn(|cx| reader.poll_recv_parts(cx, |bytes, arrival| parts.push((bytes.len(), arrival))))
        .await
        .expect("no error");
    parts
}

/// Some segments, each sent in its own millisecond, when it was sent, and what one read says.
async fn segments(count: usize) -> (Vec<(i64, i64)>, Vec<(usize, Arrival)>) {
    let options = ConnectOptions { segments: true, ..ConnectOptions::default() };
    let (mut reader, mut sender) = pair_with(&options).await;
    // What was read before counts.
    sender.send_all(b"first").await.expect("sent");
    assert_eq!(read(&mut reader).await.0, 5);
    let mut sent = Vec::new();
    for _ in 0..count {
        let before = now_ns();
        sender.send_all(&[b'x'; 100]).await.expect("sent");
        sent.push((before, now_ns()));
        std::thread::sleep(Duration::from_millis(1));
    }
    (sent, read_parts(&mut reader).await)
}

#[test]
fn segments_that_are_read_at_once_keep_their_times() {
    if !TimestampSource::Kernel.uses_kernel_program() {
        println!("skipped: no program may be loaded into the kernel here");
        return;
    }
    let context = Arc::new(NetContext::new(TimestampSource::Kernel));
    run_in(&context, async {
        let (sent, read) = segments(3).await;
        assert_eq!(read.iter().map(|(count, _)| *count).collect::<Vec<_>>(), [100, 100, 100]);
        for ((before, after), (_, arrival)) in sent.iter().zip(&read) {
            let at_ns = arrival.at_ns;
            assert!(at_ns >= *before && at_ns <= *after + MS, "{before} {arrival:?} {after}");
        }
        assert!(read[0].1.at_ns < sent[1].0 && read[1].1.at_ns < sent[2].0, "{sent:?} {read:?}");
        assert_eq!(context.merged_stamps(), 0);
    });
    // Without a program, a read has one time.
    run(TimestampSource::Socket, async {
        let (_, read) = segments(3).await;
        assert_eq!(read.len(), 1);
    });
}
