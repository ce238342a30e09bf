//! How exact are the site's delays while many connections are open?
//!
//! ```text
//! cargo bench -p swell-target --bench delay_accuracy -- [connections] [requests a second] [seconds] [delay]
//! ```
//!
//! A second process opens the connections (default 19,900), each of which asks for the delay
//! (default 100 ms) again and again, so that all together ask for about the given number of
//! requests a second (default 5,000). Then prints the distribution of residence minus asked delay
//! by the site's own record, whose begin is the kernel's receive stamp. Each process needs a
//! descriptor for every connection.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::time::Duration;

use swell_net::{ConnectOptions, Runtime, TcpStream, now_ns, sleep_until, spawn};
use swell_target::{Options, Summary, start};

const SECOND_NS: i64 = 1_000_000_000;
/// Time for connecting before anything is measured.
const SETTLE_S: u64 = 5;
/// Connections from one source address to one port; there are more ephemeral ports than these.
const PER_ADDRESS: usize = 20_000;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let text = |at: usize, default: &str| arguments.get(at).cloned().unwrap_or_else(|| default.into());
    let number = |at: usize, default: &str| text(at, default).parse::<u64>().map_err(io::Error::other);
    if text(0, "") == "client" {
        let addr = text(1, "").parse().map_err(io::Error::other)?;
        return load(addr, number(2, "")? as usize, number(3, "")?, &text(4, ""));
    }
    let connections = number(0, "19900")?;
    let rate = number(1, "5000")?.max(1);
    let seconds = number(2, "10")?;
    let delay = text(3, "100ms");
    let target = start(Options::default())?;
    println!("{connections} connections, {rate} requests/s of /delay/{delay}, {seconds} s");
    let mut client = Command::new(std::env::current_exe()?)
        .args(["client", &target.addr().to_string(), &connections.to_string(), &rate.to_string(), &delay])
        .stdin(Stdio::null())
        .spawn()?;
    std::thread::sleep(Duration::from_secs(SETTLE_S));
    target.reset_stats();
    std::thread::sleep(Duration::from_secs(seconds));
    let stats = target.stats();
    client.kill()?;
    client.wait()?;
    println!("open {}, requests {}", stats.open_connections, stats.total.residence.count);
    if let Some(route) = stats.route("/delay") {
        print("residence - asked", &route.late);
        print("send", &route.send);
    }
    Ok(())
}

/// The other process: asks until it is killed.
fn load(addr: SocketAddr, connections: usize, rate: u64, delay: &str) -> io::Result<()> {
    let request: &'static [u8] = format!("GET /delay/{delay} HTTP/1.1\r\nHost: x\r\n\r\n").leak().as_bytes();
    let pause_ns = connections as i64 * SECOND_NS / rate as i64;
    Runtime::new()?.block_on(async {
        let first_ns = now_ns() + SECOND_NS * 2;
        let mut users = Vec::new();
        for number in 0..connections {
            let source = IpAddr::from(Ipv4Addr::new(127, 0, 1, 1 + (number / PER_ADDRESS) as u8));
            let options = ConnectOptions { source: Some(source), ..ConnectOptions::default() };
            let stream = TcpStream::connect(addr, &options).await?;
            // The golden ratio spreads the starts evenly over the pause.
            let start_ns = first_ns + ((number as f64 * 0.618_033_988_75).fract() * pause_ns as f64) as i64;
            users.push(spawn(user(stream, request, start_ns, pause_ns)));
        }
        for user in users {
            user.await?;
        }
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
