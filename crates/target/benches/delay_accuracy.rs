//! How exact are the site's delays while many connections are open?
//!
//! ```text
//! cargo bench -p swell-target --bench delay_accuracy -- [connections] [requests a second] [seconds] [delay]
//! ```
//!
//! Opens the connections (default 20,000), each of which asks for the delay (default 100 ms) again and again with a random
//! pause between, so that all together ask for about the given number of requests a second (default 5,000). Then prints the
//! distribution of residence minus asked delay, by the site's own record, whose begin is the kernel's receive stamp. The
//! client runs in the same process on a thread of its own, so on a small machine its load is part of the noise.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use swell_net::{ConnectOptions, Runtime, TcpStream, now_ns, sleep_until, spawn};
use swell_target::{Options, Summary, start};

/// Connections from one source address to one port, below the usual range of ephemeral ports.
const PER_ADDRESS: usize = 20_000;
const SECOND_NS: i64 = 1_000_000_000;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number =
        |at: usize, default: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (connections, rate, seconds) = (number(0, 20_000) as usize, number(1, 5_000).max(1), number(2, 10));
    let delay = arguments.get(3).cloned().unwrap_or_else(|| "100ms".into());
    let target = start(Options::default())?;
    let addr = target.addr();
    let pause_ns = connections as i64 * SECOND_NS / rate as i64;
    println!("{connections} connections, {rate} requests/s of /delay/{delay}, {seconds} s");
    let client = std::thread::spawn(move || load(addr, connections, pause_ns, &delay, seconds));
    // The first pauses and the connecting are not measured.
    std::thread::sleep(Duration::from_secs(3 + connections as u64 / 10_000));
    target.reset_stats();
    std::thread::sleep(Duration::from_secs(seconds));
    let stats = target.stats();
    println!("open {}, requests {}", stats.open_connections, stats.total.residence.count);
    if let Some(route) = stats.route("/delay") {
        print("residence - asked", &route.late);
        print("send", &route.send);
    }
    client.join().expect("the client's thread does not panic")
}

fn load(addr: SocketAddr, connections: usize, pause_ns: i64, delay: &str, seconds: u64) -> io::Result<()> {
    let request: &'static [u8] = format!("GET /delay/{delay} HTTP/1.1\r\nHost: x\r\n\r\n").leak().as_bytes();
    Runtime::new()?.block_on(async {
        let first_ns = now_ns() + SECOND_NS;
        for number in 0..connections {
            let source = IpAddr::from(Ipv4Addr::new(127, 0, 1, 1 + (number / PER_ADDRESS) as u8));
            let options = ConnectOptions { source: Some(source), timeout_ns: None };
            let stream = TcpStream::connect(addr, &options).await?;
            // The golden ratio spreads the starts evenly over the pause.
            let start_ns = first_ns + ((number as f64 * 0.618_033_988_75).fract() * pause_ns as f64) as i64;
            spawn(user(stream, request, start_ns, pause_ns));
        }
        sleep_until(now_ns() + (seconds as i64 + 6) * SECOND_NS).await;
        Ok(())
    })
}

async fn user(mut stream: TcpStream, request: &'static [u8], start_ns: i64, pause_ns: i64) -> io::Result<()> {
    let mut next_ns = start_ns;
    loop {
        sleep_until(next_ns).await;
        stream.send_all(request).await?;
        stream.recv(|_, _| ()).await?;
        next_ns = (next_ns + pause_ns).max(now_ns());
    }
}

fn print(name: &str, summary: &Summary) {
    let us = |ns: u64| ns as f64 / 1e3;
    println!(
        "{name} [us]: mean {:.1} sd {:.1} min {:.1} p50 {:.1} p90 {:.1} p99 {:.1} p99.9 {:.1} max {:.1}",
        summary.mean_ns / 1e3,
        summary.sd_ns / 1e3,
        us(summary.min_ns),
        us(summary.p50_ns),
        us(summary.p90_ns),
        us(summary.p99_ns),
        us(summary.p999_ns),
        us(summary.max_ns)
    );
}
