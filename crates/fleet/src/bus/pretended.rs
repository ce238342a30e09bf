//! Pretended agents: all of an agent but its engine, many of them on one thread. What they say that they counted is known, so that what the
//! controller makes of it can be compared with the truth.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::time::Duration;

use swell_stats::encoding::encode;
use swell_stats::verdict::Evidence;
use swell_stats::{LabelRow, Observation, Recorder, Snapshot};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;

use super::agent::{Attend, Event, Order, attend};
use super::controller::{Lead, Order as LeadOrder, Report, lead};
use crate::broker::{Broker, BrokerOptions, find};
use crate::desk::{DeskOptions, OnLoss};
use crate::wire::{Body, Down, Manifest, Needs, PROTOCOL, ShareEnd, ShareStatus, State};

const S: i64 = 1_000_000_000;
/// Samples of a label in a second.
const SAMPLES: u32 = 10;

/// How many there are, and what they count.
#[derive(Clone, Copy)]
struct Size {
    agents: u32,
    labels: u32,
    seconds: i64,
}

/// What an agent counts in each second: other times for each agent.
fn counted(agent: u32, labels: u32) -> Snapshot {
    let mut recorder = Recorder::default();
    let mut random = u64::from(agent) + 1;
    for label in 0..labels {
        let label = format!("label {label}");
        for _ in 0..SAMPLES {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let elapsed_ns = 1_000_000 + (random >> 36);
            let success = random % 97 != 0;
            recorder.record(&Observation { label: &label, success, elapsed_ns, ..Observation::default() });
        }
    }
    recorder.take_interval()
}

struct Pretended {
    orders: UnboundedSender<Order>,
    events: Receiver<Event>,
    counted: Vec<u8>,
    samples: u64,
    share: Option<(String, Vec<u32>)>,
    start_ns: Option<i64>,
    told_s: i64,
    over: bool,
}

impl Pretended {
    fn order(&self, order: Order) {
        // One that has left takes none.
        let _ = self.orders.send(order);
    }

    fn count(&self, body: Body) {
        let (share, _) = self.share.as_ref().expect("it makes load");
        self.order(Order::Count { share: share.clone(), body });
    }

    fn look(&mut self, seconds: i64) {
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Run(_) => self.order(Order::State(State::Ready)),
                Event::Slices(share, slices) => {
                    self.share = Some((share, slices.iter().map(|granted| granted.slice).collect()));
                    self.order(Order::State(State::Running { held: Some(1) }));
                }
                Event::Down(Down::Go { phase: 1, start_ns }) => self.start_ns = Some(start_ns),
                Event::Down(Down::Over) => {
                    self.over = true;
                    self.order(Order::Leave);
                }
                Event::LeasesOver(slices) => panic!("leases of {slices:?} are over"),
                _ => {}
            }
        }
        let Some(start_ns) = self.start_ns else { return };
        while self.told_s < seconds && swell_net::now_ns() >= start_ns + (self.told_s + 1) * S {
            self.tell(start_ns / S + self.told_s, seconds);
        }
    }

    fn tell(&mut self, at_s: i64, seconds: i64) {
        if self.told_s == 0 {
            self.order(Order::State(State::Running { held: None }));
        }
        self.told_s += 1;
        let samples = self.samples * self.told_s as u64;
        let status = ShareStatus { phase: Some(1), ..ShareStatus::default() };
        self.count(Body::Counts { at_s, snapshot: self.counted.clone() });
        self.count(Body::Goes { through_s: at_s + 1, samples, status, load: swell_stats::Load::default() });
        if self.told_s == seconds {
            let evidence = encode(&Evidence::default());
            self.count(Body::End(Box::new(ShareEnd { samples, evidence, ..ShareEnd::default() })));
            let slices = self.share.as_ref().map(|(_, slices)| slices.clone()).unwrap_or_default();
            self.order(Order::GiveBack { slices, done: true });
        }
    }
}

/// All agents, until the run is over.
async fn pretend(size: Size, broker: crate::Join, folder: std::path::PathBuf) {
    let mut all = Vec::new();
    for number in 0..size.agents {
        let (orders, inbox) = unbounded_channel();
        let (to_us, events) = channel();
        let of_one = Attend {
            join: broker.clone(),
            agent: format!("a{number}"),
            name: format!("a{number}"),
            host: "here".into(),
            workers: 1,
            folder: folder.join(number.to_string()),
            patience: Duration::from_mins(10),
            on_lease: Arc::new(|_| {}),
        };
        std::fs::create_dir_all(&of_one.folder).expect("a folder");
        tokio::task::spawn_local(async move {
            Box::pin(attend(of_one, inbox, to_us)).await.expect("it takes part");
        });
        let snapshot = counted(number, size.labels);
        let samples = snapshot.rows.iter().map(|row| row.stats.samples).sum();
        let counted = encode(&snapshot);
        all.push(Pretended {
            orders,
            events,
            counted,
            samples,
            share: None,
            start_ns: None,
            told_s: 0,
            over: false,
        });
    }
    while !all.iter().all(|agent| agent.over) {
        tokio::time::sleep(Duration::from_millis(20)).await;
        for agent in &mut all {
            agent.look(size.seconds);
        }
    }
}

fn lead_of(size: Size, run: &str, join: crate::Join, rows_folder: std::path::PathBuf) -> Lead {
    let desk = DeskOptions {
        agents: size.agents as usize,
        named: Vec::new(),
        timeout_ns: 120 * S,
        begin_without: false,
        on_loss: OnLoss::Abort,
        multiply: false,
        slices: None,
        allow_skew: true,
        phase_timeout_ns: 3600 * S,
    };
    let manifest = Manifest {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        run: run.to_owned(),
        plan: "none.jmx".into(),
        files: Vec::new(),
        properties: BTreeMap::new(),
        slices: 0,
        multiply: false,
        redistribute: true,
        local_files: false,
        wants_rows: false,
        compat: false,
        seed: None,
        shape: None,
        exit_after: true,
        needs: Needs::default(),
    };
    Lead { join, manifest, files: Vec::new(), desk, takes_over: false, rows_folder }
}

/// Processor time of the thread that calls; nothing where the kernel does not tell it.
fn busy() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0))
}

/// Rows by their labels: which come first does not matter.
fn rows(snapshot: &Snapshot) -> Vec<LabelRow> {
    let mut rows = snapshot.rows.clone();
    rows.sort_by(|a, b| a.label.cmp(&b.label));
    rows
}

fn merged_is_the_truth(size: Size) {
    let Ok(program) = find(None) else {
        return println!("skipped: there is no nats-server; `swell fleet install` installs it where Go is");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let run = crate::run_id(1);
    let broker = Broker::start(&BrokerOptions {
        program,
        listen: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        store: None,
        run: run.clone(),
        serves_many: false,
        advertise: None,
    });
    let broker = broker.expect("it starts");
    let (orders, inbox) = unbounded_channel();
    let (reports, outbox) = sync_channel(64);
    let leads = lead_of(size, &run, broker.controller.clone(), folder.path().to_owned());
    let leading = super::spawn(async move || {
        let led = Box::pin(lead(leads, inbox, reports)).await;
        (led, busy())
    });
    let (join, place) = (broker.agent.clone(), folder.path().to_owned());
    let agents = super::spawn(async move || LocalSet::new().run_until(pretend(size, join, place)).await);
    let (mut total, mut said, mut end) = (Snapshot::default(), Vec::new(), None);
    let before = busy();
    for report in outbox {
        match report {
            Report::Begin => drop(orders.send(LeadOrder::Begun(Ok(())))),
            Report::Counted(_, counted) => total.merge(&counted),
            Report::Say(text) => said.push(text),
            Report::End(over, _) => end = Some(over),
            Report::Busy(_) | Report::Status(_) => {}
        }
    }
    let (led, led_for) = leading.expect("a thread").join().expect("no panic");
    led.expect("it leads to the end");
    agents.expect("a thread").join().expect("no panic");
    let end = end.expect("it ends");
    assert_eq!((end.failed.as_deref(), end.invalid.as_deref()), (None, None), "{said:?}");
    let mut truth = Snapshot::default();
    for agent in 0..size.agents {
        let one = counted(agent, size.labels);
        (0..size.seconds).for_each(|_| truth.merge(&one));
    }
    assert!(rows(&total) == rows(&truth), "what was merged is not what was counted: {said:?}");
    let samples = u64::from(size.agents * size.labels * SAMPLES) * size.seconds as u64;
    println!(
        "{} agents, {} labels, {} s: {samples} samples merged as counted; the controller's threads were busy for {:.2} and {:.2} s",
        size.agents,
        size.labels,
        size.seconds,
        led_for.as_secs_f64(),
        busy().saturating_sub(before).as_secs_f64()
    );
}

#[test]
fn what_pretended_agents_count_is_merged_bit_by_bit() {
    merged_is_the_truth(Size { agents: 25, labels: 20, seconds: 3 });
}

/// The figure of many agents: `cargo test --release -p swell-fleet -- --ignored --nocapture thousand`.
#[test]
#[ignore = "a benchmark of a minute, for a machine of its own"]
fn a_thousand_pretended_agents_are_merged_bit_by_bit() {
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (agents, labels) = (number("AGENTS", 1000), number("LABELS", 200));
    merged_is_the_truth(Size { agents, labels, seconds: i64::from(number("SECONDS", 60)) });
}
