//! Builds a world from its options, runs it, and checks what must hold.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use swell_target::{LogEntry, Options, serve_here};

use super::check::check;
use super::client::{Client, Sample};
use super::options::{Fault, LoadOptions};
use crate::kernel::{Clock, Counts, Link, Span};
use crate::world::{Machine, Process, World, caught, in_world};

const MS: i64 = 1_000_000;
const S: i64 = 1_000_000_000;
/// Where the site listens.
pub(super) const SITE: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2)), 80);
/// More than the longest body of the load.
const FILLER_BYTES: u64 = 65_536;

/// What a world came to.
#[derive(Clone, Debug)]
pub struct LoadResult {
    /// What did not hold, in words; empty where all did.
    pub wrong: Vec<String>,
    /// A hash of everything that happened in the kernel.
    pub trace: u64,
    /// A hash of all samples.
    pub rows: u64,
    /// Requests, and those of them that got the response of their route.
    pub requests: (usize, usize),
    /// Counts of the kernel.
    pub counts: Counts,
    /// All samples, in the order of their numbers.
    pub samples: Vec<Sample>,
}

/// What is known at the end of a world, for the checks.
pub(super) struct Seen<'w> {
    pub(super) options: &'w LoadOptions,
    pub(super) world: &'w World,
    pub(super) tool: Process,
    pub(super) tool_machine: Machine,
    pub(super) site: Process,
    pub(super) samples: Vec<Sample>,
    pub(super) log: Vec<LogEntry>,
    /// The world ended as it should; otherwise why not.
    pub(super) stuck: Option<String>,
}

/// Runs a world and checks it. A panic in it is one of the things that did not hold.
pub fn run(options: &LoadOptions) -> LoadResult {
    let ran = caught(|| in_world(options.seed, |world| run_in(world, options)));
    ran.unwrap_or_else(|panic| LoadResult {
        wrong: vec![panic],
        trace: 0,
        rows: 0,
        requests: (0, 0),
        counts: Counts::default(),
        samples: Vec::new(),
    })
}

fn run_in(world: &mut World, options: &LoadOptions) -> LoadResult {
    world.note_arrivals();
    let (tool_machine, site_machine) = build(world, options);
    let target = Options {
        bind: SITE,
        misbehave: true,
        log_entries: options.requests as usize + 1,
        seed: options.seed,
        ..Options::default()
    };
    let (record, serving) = serve_here(target);
    let site = world.service(site_machine, "site", async move {
        serving.await.expect("the port is free");
    });
    let client = Rc::new(Client::new(SITE, options, filler()));
    let tool = world.process(tool_machine, "tool", client.clone().run(options));
    disturb(world, options, tool, site);
    let stuck = world.run().err().map(|stuck| stuck.to_string());
    let mut samples = client.samples.take();
    samples.sort_by_key(|sample| sample.number);
    let mut hasher = DefaultHasher::new();
    samples.hash(&mut hasher);
    let expected = samples.iter().filter(|sample| sample.is_expected()).count();
    let requests = (samples.len(), expected);
    let seen = Seen { options, world, tool, tool_machine, site, samples, log: record.log(), stuck };
    let wrong = check(&seen);
    let samples = seen.samples;
    LoadResult {
        wrong,
        trace: world.trace(),
        rows: hasher.finish(),
        requests,
        counts: world.counts(),
        samples,
    }
}

/// Machines and links.
fn build(world: &mut World, options: &LoadOptions) -> (Machine, Machine) {
    let mut clocks =
        [Clock::default(), Clock { start_ns: 77 * S, epoch_ns: 1_700_000_003 * S, ..Clock::default() }];
    let mut link =
        Link { latency_ns: i64::from(options.latency_us) * 1_000, jitter_ns: 0, ..Link::default() };
    for fault in &options.faults {
        match *fault {
            Fault::Jitter { most_us } => link.jitter_ns = i64::from(most_us) * 1_000,
            Fault::Loss { share } => link.loss = share,
            Fault::Resets { share } => link.reset = share,
            Fault::Partial { share } => link.partial = share,
            Fault::SmallBuffers { bytes } => link.buffer = bytes as usize,
            Fault::NearTies { share } => link.near_ties = share,
            Fault::Cut { at_ms, for_ms } => link.cuts.push(span(at_ms, for_ms)),
            Fault::ToolSuspended { at_ms, for_ms } => clocks[0].suspended.push(span(at_ms, for_ms)),
            Fault::WallStep { at_ms, by_ms } => {
                clocks[0].steps.push((i64::from(at_ms) * MS, i64::from(by_ms) * MS));
            }
            Fault::Drift { tool_ppm, site_ppm } => {
                clocks[0].drift_ppb = i64::from(tool_ppm) * 1_000;
                clocks[1].drift_ppb = i64::from(site_ppm) * 1_000;
            }
            Fault::ToolStall { .. }
            | Fault::SiteStall { .. }
            | Fault::SlowTurns { .. }
            | Fault::SiteKilled { .. }
            | Fault::LeaseEnds { .. } => {}
        }
    }
    let [tool_clock, site_clock] = clocks;
    let tool = world.machine([10, 0, 0, 1], tool_clock);
    let site = world.machine([10, 0, 0, 2], site_clock);
    world.link(tool, site, link);
    (tool, site)
}

/// Faults of processes, and the limit of the world.
fn disturb(world: &mut World, options: &LoadOptions, tool: Process, site: Process) {
    for fault in &options.faults {
        match *fault {
            Fault::ToolStall { at_ms, for_ms } => world.stall(tool, span(at_ms, for_ms)),
            Fault::SiteStall { at_ms, for_ms } => world.stall(site, span(at_ms, for_ms)),
            Fault::SlowTurns { most_us } => world.set_turn_ns(i64::from(most_us) * 1_000),
            Fault::LeaseEnds { at_ms } => world.lease(tool, i64::from(at_ms) * MS),
            Fault::SiteKilled { at_ms } => world.kill(site, i64::from(at_ms) * MS),
            _ => {}
        }
    }
    world.set_read_ns(i64::from(options.read_ns));
    world.set_wake_ns(i64::from(options.wake_us) * 1_000);
    let length_ns = (f64::from(options.requests) / options.rate_per_s * 1e9) as i64;
    // A request may wait for its connection for 30 s, and then for its response.
    world.set_limit_ns(length_ns + i64::from(options.timeout_ms) * MS + 45 * S);
}

fn span(at_ms: u32, for_ms: u32) -> Span {
    Span::new(i64::from(at_ms) * MS, i64::from(for_ms) * MS)
}

/// The bytes of which the routes of the site send the first: those of one large body.
fn filler() -> Rc<[u8]> {
    static FILLER: OnceLock<Arc<[u8]>> = OnceLock::new();
    FILLER.get_or_init(|| fetch(&format!("/bytes/{FILLER_BYTES}")).into()).as_ref().into()
}

/// The body of a response in a world without faults.
fn fetch(path: &str) -> Vec<u8> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: site\r\nConnection: close\r\n\r\n");
    in_world(1, |world| {
        let machine = world.machine([10, 0, 0, 2], Clock::default());
        let (_record, serving) = serve_here(Options { bind: SITE, ..Options::default() });
        world.service(machine, "site", async move {
            serving.await.expect("the port is free");
        });
        let all = Rc::new(RefCell::new(Vec::new()));
        let into = all.clone();
        world.process(machine, "client", async move {
            let options = swell_net::ConnectOptions::default();
            let mut stream = swell_net::TcpStream::connect(SITE, &options).await.expect("it listens");
            stream.send_all(request.as_bytes()).await.expect("open");
            while stream.recv(|bytes, _| into.borrow_mut().extend_from_slice(bytes)).await.is_ok() {
                if stream.has_seen_end() {
                    return;
                }
            }
        });
        world.run().expect("a calm world ends");
        let all = all.take();
        let head = all.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a response");
        all[head + 4..].to_vec()
    })
}
