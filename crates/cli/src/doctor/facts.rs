//! What this machine says about itself.

use std::fs::read_to_string;

use serde::Serialize;

use crate::kernel;

/// Facts that decide what a test can do here. `None`: this machine does not say.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Facts {
    /// Release of the kernel.
    pub(crate) kernel: String,
    /// Cores this process may use.
    pub(crate) cores: usize,
    /// Free memory, bytes.
    pub(crate) memory_available_bytes: Option<u64>,
    /// Hard limit of open descriptors of a process.
    pub(crate) descriptors_hard: Option<u64>,
    /// Local ports for outgoing connections, first and last.
    pub(crate) local_ports: Option<(u16, u16)>,
    /// Longest queue of connections that wait to be accepted.
    pub(crate) somaxconn: Option<u64>,
    /// The kernel's source of time.
    pub(crate) clock_source: Option<String>,
    /// Whether reads on loopback come with the kernel's receive stamp.
    pub(crate) receive_stamps: bool,
    /// Whether a program in the kernel may note them.
    pub(crate) uses_kernel_program: bool,
    /// Why event loops cannot have io_uring here; none: they can.
    pub(crate) uring_refused: Option<String>,
    /// Whether processors may be kept from sleeping during a test.
    pub(crate) stays_awake: bool,
    /// Runnable processes, mean of the last minute.
    pub(crate) load_average: Option<f64>,
    /// Share of time the hypervisor took away since boot, percent.
    pub(crate) steal_percent: Option<f64>,
}

impl Facts {
    /// Asks this machine.
    pub(crate) fn of_this_machine() -> Self {
        Self {
            kernel: kernel::release(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_available_bytes: memory_available(),
            descriptors_hard: swell_net::machine::descriptor_limits().ok().map(|(_, hard)| hard),
            local_ports: local_ports(),
            somaxconn: number("/proc/sys/net/core/somaxconn"),
            clock_source: word("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            receive_stamps: receive_stamps(),
            uses_kernel_program: swell_net::TimestampSource::Kernel.uses_kernel_program(),
            uring_refused: swell_net::try_uring().err().map(|error| error.to_string()),
            stays_awake: swell_net::machine::disable_deep_idle().is_ok(),
            load_average: word("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            steal_percent: steal_percent(),
        }
    }
}

fn word(file: &str) -> Option<String> {
    Some(read_to_string(file).ok()?.trim().to_owned())
}

fn number(file: &str) -> Option<u64> {
    word(file)?.parse().ok()
}

fn memory_available() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// Local ports for outgoing connections, first and last.
pub(crate) fn local_ports() -> Option<(u16, u16)> {
    let text = word("/proc/sys/net/ipv4/ip_local_port_range")?;
    let (first, last) = text.split_once(char::is_whitespace)?;
    Some((first.parse().ok()?, last.trim().parse().ok()?))
}

fn steal_percent() -> Option<f64> {
    let text = read_to_string("/proc/stat").ok()?;
    let times: Vec<f64> =
        text.lines().next()?.split_whitespace().skip(1).filter_map(|t| t.parse().ok()).collect();
    let total: f64 = times.iter().take(8).sum();
    Some(times.get(7)? * 100.0 / total)
}

/// Sends a byte over loopback and looks whether its arrival was stamped. The first stamp of a
/// machine switches stamping on, which takes the kernel a moment: so it tries a few times.
fn receive_stamps() -> bool {
    let Ok(mut runtime) = swell_net::Runtime::new() else { return false };
    runtime.block_on(async { try_stamps().await.unwrap_or(false) })
}

async fn try_stamps() -> std::io::Result<bool> {
    let listener = swell_net::TcpListener::bind(([127, 0, 0, 1], 0).into())?;
    let at = listener.local_addr()?;
    let client = swell_net::spawn(async move {
        swell_net::TcpStream::connect(at, &swell_net::ConnectOptions::default()).await
    });
    let (mut server, _) = listener.accept().await?;
    let mut client = client.await?;
    for _ in 0..20 {
        server.send_all(b"x").await?;
        if client.recv(|_, arrival| arrival.stamped).await? {
            return Ok(true);
        }
        swell_net::sleep_until(swell_net::now_ns() + 1_000_000).await;
    }
    Ok(false)
}
