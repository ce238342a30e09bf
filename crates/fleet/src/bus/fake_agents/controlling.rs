//! The controller of pretended agents, which is all that this process is: what it merges, and what
//! that costs.

use std::io::Read as _;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;

use swell_stats::{LabelRow, Snapshot};
use tokio::sync::mpsc::unbounded_channel;

use super::{S, Size, agents, counted};
use crate::broker::{Broker, BrokerOptions, find};
use crate::bus::agent::attend;
use crate::bus::controller::{LeadOptions, Order, Report, lead};
use crate::coordinator::{CoordinatorOptions, End, OnLoss, interval_of};
use crate::wire::{FileEntry, Manifest};

pub(super) fn lead_of(size: Size, run: &str, join: crate::Join, rows_folder: PathBuf) -> LeadOptions {
    let coordinator = CoordinatorOptions {
        agents: size.agents as usize,
        named: Vec::new(),
        timeout_ns: 120 * S,
        begin_without: false,
        on_loss: OnLoss::Redistribute,
        multiply: false,
        slices: None,
        allow_skew: true,
        interval_s: size.interval_s,
        phase_timeout_ns: 3600 * S,
    };
    let manifest = Manifest::of_test(run, "none.jmx", Vec::new(), 0);
    LeadOptions { join, manifest, files: Vec::new(), coordinator, takes_over: false, rows_folder }
}

/// Rows by their labels: which come first does not matter.
fn rows(snapshot: &Snapshot) -> Vec<LabelRow> {
    let mut rows = snapshot.rows.clone();
    rows.sort_by(|a, b| a.label.cmp(&b.label));
    rows
}

/// What all agents counted, by what they are.
fn truth(size: Size) -> Snapshot {
    let mut truth = Snapshot::default();
    for agent in 0..size.agents {
        let one = counted(agent, size.labels);
        (0..size.seconds).for_each(|_| truth.merge(&one));
    }
    truth
}

pub(super) fn broker() -> Option<(Broker, String)> {
    let Ok(program) = find(None) else {
        println!("skipped: nats-server not found; `swell fleet install` installs it (needs Go)");
        return None;
    };
    let run = crate::run_id(1);
    let broker = Broker::start(&BrokerOptions {
        program,
        listen: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        store: None,
        run: run.clone(),
        agents: 1,
        serves_many: false,
        advertise: None,
    });
    Some((broker.expect("it starts"), run))
}

/// What a run came to, and what it cost this process while load was made.
#[derive(Default)]
pub(super) struct FakeRun {
    total: Snapshot,
    pub(super) said: Vec<String>,
    pub(super) end: End,
    /// Processor time, from the first second to the last.
    cpu_ns: i64,
    /// How long after its end the slowest interval was there.
    lag_ns: i64,
}

pub(super) fn lead_to_the_end(leads: LeadOptions) -> FakeRun {
    let interval_s = i64::from(leads.coordinator.interval_s);
    let (orders, inbox) = unbounded_channel();
    let (reports, outbox) = sync_channel(64);
    let leading = crate::bus::spawn(async move || Box::pin(lead(leads, inbox, reports)).await);
    let mut led = FakeRun::default();
    let mut began_cpu_ns = 0;
    for report in outbox {
        match report {
            Report::Begin => {
                began_cpu_ns = swell_net::machine::process_cpu_ns();
                drop(orders.send(Order::Begun(Ok(()))));
            }
            Report::Counted(at_s, counted) => {
                led.total.merge(&counted);
                led.lag_ns = led.lag_ns.max(swell_net::now_ns() - (at_s + interval_s) * S);
                led.cpu_ns = swell_net::machine::process_cpu_ns() - began_cpu_ns;
            }
            Report::Say(text) => led.said.push(text),
            Report::End(end, _) => {
                assert_eq!(led.total.refine(&end.fine), 0);
                led.end = *end;
            }
            Report::Busy(_) | Report::Status(_) | Report::Failure(..) => {}
        }
    }
    leading.expect("a thread").join().expect("no panic").expect("it leads to the end");
    led
}

/// The most memory that this process had; nothing where the kernel does not tell it.
fn peak_memory_mb() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn merged_is_the_truth(size: Size) {
    let Some((broker, run)) = broker() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    swell_net::machine::raise_descriptor_limit().expect("descriptors for all connections");
    let mut agents = agents::start(size, &broker.agents[0], folder.path());
    let led = lead_to_the_end(lead_of(size, &run, broker.controller.clone(), folder.path().to_owned()));
    // What the tests do with the figures is not a cost of a controller.
    let memory_mb = peak_memory_mb();
    let mut told = String::new();
    agents.stdout.take().expect("piped").read_to_string(&mut told).expect("text");
    assert!(agents.wait().expect("it ends").success(), "{told} {:?}", led.said);
    assert_eq!((led.end.failed.as_deref(), led.end.invalid.as_deref()), (None, None), "{:?}", led.said);
    assert!(
        rows(&led.total) == rows(&truth(size)),
        "the merged counts differ from the agents' counts: {:?}",
        led.said
    );
    let samples = size.samples();
    println!(
        "{} agents, {} labels, {} s, reported every {} s: {samples} samples merged correctly; the \
        controller used {:.2} cores and {memory_mb} MB, and lagged at most {:.1} s",
        size.agents,
        size.labels,
        size.seconds,
        size.interval_s,
        led.cpu_ns as f64 / 1e9 / size.seconds as f64,
        led.lag_ns as f64 / 1e9
    );
    for line in led.said.iter().filter(|line| line.starts_with("accounted") || line.starts_with("common")) {
        println!("{line}");
    }
    let is_figure = |line: &&str| {
        ["agents began", "agents decided", "a loop with"].iter().any(|text| line.contains(text))
    };
    told.lines().filter(is_figure).for_each(|line| println!("{line}"));
}

#[test]
fn what_pretended_agents_count_is_merged_bit_by_bit() {
    for interval_s in [1, 2] {
        merged_is_the_truth(Size { agents: 25, labels: 20, seconds: 3, interval_s });
    }
}

#[test]
fn a_file_or_a_version_that_is_not_the_controllers_is_named_on_both_sides() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.jmx");
    std::fs::write(&path, "what is there now").expect("written");
    let sha256 = "0".repeat(64);
    let entry = FileEntry {
        name: "plan.jmx".into(),
        texts: Vec::new(),
        given: true,
        object: "file0".into(),
        sha256,
        bytes: 17,
    };
    let cases = [
        (
            env!("CARGO_PKG_VERSION"),
            "`plan.jmx` differs from the controller's file: received 17 \
            bytes with SHA-256 ",
        ),
        ("0.0.1", "the controller runs Swell 0.0.1 (protocol "),
    ];
    for (version, told) in cases {
        let Some((broker, run)) = broker() else { return };
        let size = Size { agents: 1, labels: 1, seconds: 1, interval_s: 1 };
        let mut leads = lead_of(size, &run, broker.controller.clone(), folder.path().to_owned());
        leads.manifest.files = vec![entry.clone()];
        version.clone_into(&mut leads.manifest.version);
        leads.files = vec![path.clone()];
        let (_orders, inbox) = unbounded_channel();
        let (to_us, _events) = std::sync::mpsc::channel();
        let of_one = agents::attend_of(0, &broker.agents[0], folder.path());
        let agent = crate::bus::spawn(async move || Box::pin(attend(of_one, inbox, to_us)).await);
        let led = lead_to_the_end(leads);
        let why = agent.expect("a thread").join().expect("no panic").expect_err("it cannot take part");
        assert!(why.message.starts_with(told), "{why}");
        let failed = led.end.failed.unwrap_or_default();
        assert!(failed.starts_with(&format!("agent a0 cannot take part: {told}")), "{failed}");
    }
}

/// The figure of many agents:
/// `cargo test --profile profiling -p swell-fleet --lib -- --ignored --nocapture thousand`.
#[test]
#[ignore = "a benchmark of a minute, for a dedicated machine"]
fn a_thousand_pretended_agents_are_merged_bit_by_bit() {
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let agents = number("AGENTS", 1000);
    let labels = number("LABELS", 200);
    let interval_s = number("INTERVAL", interval_of(agents as usize));
    merged_is_the_truth(Size { agents, labels, seconds: i64::from(number("SECONDS", 60)), interval_s });
}
