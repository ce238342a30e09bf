//! The floor: the cost of a request on this loop with nothing around it.
//!
//! `floor ADDRESS PATH CONNECTIONS SECONDS RESPONSE_BYTES [THREADS]` runs a closed loop that only
//! counts bytes, and prints requests and CPU time per request.

use std::net::SocketAddr;

use swell_net::{ConnectOptions, Runtime, TcpStream, machine, now_ns, sleep_until, spawn};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (at, path): (SocketAddr, _) = (args[0].parse().expect("an address"), args[1].clone());
    let number = |i: usize, default: usize| args.get(i).map_or(default, |t| t.parse().expect("a number"));
    let connections = number(2, 20);
    let seconds = number(3, 5);
    let size = number(4, 0);
    let threads = number(5, 2);
    let request = format!("GET {path} HTTP/1.1\r\nHost: {at}\r\n\r\n");
    let end_ns = now_ns() + seconds as i64 * 1_000_000_000;
    let workers: Vec<_> = (0..threads)
        .map(|n| {
            let request = request.clone();
            let mine = connections / threads + usize::from(n < connections % threads);
            std::thread::spawn(move || {
                Runtime::new().expect("descriptors").block_on(async move {
                    let tasks: Vec<_> =
                        (0..mine).map(|_| spawn(user(at, request.clone(), size, end_ns))).collect();
                    let mut count = 0u64;
                    for task in tasks {
                        count += task.await;
                    }
                    count
                })
            })
        })
        .collect();
    let count: u64 = workers.into_iter().map(|w| w.join().expect("no panic")).sum();
    let cpu_us = machine::process_cpu_ns() as f64 / 1000.0;
    println!(
        "{count} requests, {:.0}/s, {:.2} us CPU a request",
        count as f64 / seconds as f64,
        cpu_us / count as f64
    );
}

async fn user(at: SocketAddr, request: String, size: usize, end_ns: i64) -> u64 {
    let mut stream = TcpStream::connect(at, &ConnectOptions::default()).await.expect("a server");
    sleep_until(0).await;
    let mut count = 0;
    while now_ns() < end_ns {
        stream.send_all(request.as_bytes()).await.expect("sent");
        let mut left = size;
        while left > 0 {
            let (got, arrival) =
                stream.recv(|bytes, arrival| (bytes.len(), arrival)).await.expect("an answer");
            assert!(got > 0 && arrival.stamped, "an end or no stamp");
            left = left.saturating_sub(got);
        }
        count += 1;
    }
    count
}
