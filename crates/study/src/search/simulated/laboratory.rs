//! Makes the trials of a search with a simulated server: samples through the real statistics, no
//! time but virtual time.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use swell_run::{Trial, TrialReport};
use swell_stats::reading::{Figure, Known};
use swell_stats::verdict::{Evidence, verdict};
use swell_stats::{FailureKind, Observation, Reading, Recorder, Run, Users};

use super::super::judge::TrialRequest;
use super::super::report::SearchReport;
use super::super::state::{Driver, Laboratory, Setup};
use super::super::trial::{GRACE, Interval, ObservedTrial, SteadyProgress, TrialEnd};
use super::queue::{Counts, Ended, Failed, Load, Model, World};
use super::servers::{Kind, Server};
use crate::error::StudyError;

/// Trials with one server.
pub(super) struct Simulated<'a> {
    server: &'a Server,
    random: SmallRng,
    pub(super) passed_s: f64,
    pub(super) samples: u64,
    /// How much faster than in the mean the server was in each trial.
    source: Arc<str>,
}

impl<'a> Simulated<'a> {
    pub(super) fn new(server: &'a Server, seed: u64) -> Self {
        let random = SmallRng::seed_from_u64(seed);
        Self { server, random, passed_s: 0.0, samples: 0, source: Arc::from("server") }
    }

    /// The server as it is in one trial.
    fn model(&mut self) -> Model {
        let speed = (self.server.spread * normal(&mut self.random)).exp();
        let model = self.server.model.clone();
        let scaled = |per_s: Option<f64>| per_s.map(|per_s| per_s * speed);
        Model {
            service_s: model.service_s / speed,
            admits_per_s: scaled(model.admits_per_s),
            carries_per_s: scaled(model.carries_per_s),
            ..model
        }
    }

    fn readings(&self, users: u32, counts: Counts) -> Vec<Reading> {
        let model = &self.server.model;
        let mut readings = Vec::new();
        let mut put = |known, value| {
            let source = Arc::clone(&self.source);
            readings.push(Reading { source, figure: Figure::Known(known), value, seconds: 1.0 });
        };
        if let Some(full) = self.server.full_cpu {
            let standing = if model.shares { counts.collecting_s } else { 0.0 };
            let busy = (full * counts.busy_s / f64::from(model.workers)).max(standing).min(full);
            put(Known::ProcessCpu, 4.0 * busy);
            put(Known::Processors, 4.0);
        }
        if model.collects.is_some() {
            put(Known::GcTime, counts.collecting_s.min(1.0));
        }
        if let Some((places, _)) = model.places {
            let (of, most) = match self.server.kind {
                Kind::Threads => (Known::UserThreads, Known::UserThreadLimit),
                _ => (Known::Descriptors, Known::DescriptorLimit),
            };
            const OTHERS: u32 = 12;
            put(of, f64::from(users.min(places) + OTHERS));
            put(most, f64::from(places + OTHERS));
        }
        readings
    }

    fn evidence(&self, run: &Run, load: Load, counts: Counts) -> Evidence {
        let total = run.total();
        let dropped = counts.dropped as f64 / counts.connections.max(1) as f64;
        let dropped = (counts.dropped > 0).then_some(dropped);
        let cpu_busy = self.server.model.tool_per_s.map(|most| match load {
            Load::Open(per_s) => (0, (per_s / most).min(1.0)),
            Load::Closed { .. } => (0, 0.1),
        });
        Evidence {
            start_delay_p99_ns: (!total.start_delay.is_empty()).then(|| total.start_delay.quantile(0.99)),
            elapsed_p50_ns: total.quantile_ns(0.5),
            cpu_busy,
            accept_queue: dropped.filter(|_| self.server.is_local),
            connect_retries: dropped.filter(|_| !self.server.is_local),
            retransmits: (counts.segments > 0).then(|| counts.lost as f64 / counts.segments as f64),
            ..Evidence::default()
        }
    }
}

pub(super) fn normal(random: &mut SmallRng) -> f64 {
    let radius = 1.0 - random.random::<f64>();
    let turn = random.random::<f64>();
    (-2.0 * radius.ln()).sqrt() * (turn * std::f64::consts::TAU).cos()
}

fn record(recorder: &mut Recorder, ended: &Ended, open: bool) {
    let ns = |seconds: f64| (1e9 * seconds).round() as u64;
    let (kind, code, message) = match ended.failed {
        None => (FailureKind::Other, "200", "OK"),
        Some(Failed::Refused) => (FailureKind::Refused, "", "connection refused"),
        Some(Failed::Reset) => (FailureKind::Reset, "", "connection reset"),
        Some(Failed::ConnectTimeout) => (FailureKind::ConnectTimeout, "", "no connection in time"),
        Some(Failed::TurnedDown) => (FailureKind::Status, "503", "Service Unavailable"),
        Some(Failed::Error) => (FailureKind::Status, "500", "Internal Server Error"),
    };
    let elapsed_ns = ns(ended.end_s - ended.sent_s);
    recorder.record(&Observation {
        label: "request",
        success: ended.failed.is_none(),
        start_ns: ns(ended.sent_s) as i64,
        end_ns: ns(ended.end_s) as i64,
        elapsed_ns,
        elapsed_ms: elapsed_ns / 1_000_000,
        start_delay_ns: open.then(|| ns(ended.sent_s - ended.due_s)),
        response_ns: open.then(|| ns(ended.end_s - ended.due_s)),
        connect_ns: ended.connect_s.map(ns),
        first_byte_ns: Some(elapsed_ns),
        bytes: 500,
        sent_bytes: 200,
        requests: 1,
        code,
        message,
        kind,
        ..Observation::default()
    });
}

fn since(now: Counts, before: Counts) -> Counts {
    Counts {
        busy_s: now.busy_s - before.busy_s,
        collecting_s: now.collecting_s - before.collecting_s,
        ..Counts::default()
    }
}

impl<F> Laboratory<F> for Simulated<'_> {
    fn elapsed(&self) -> Duration {
        Duration::from_secs_f64(self.passed_s)
    }

    fn observe(
        &mut self,
        _: Setup<'_, F>,
        load: f64,
        (warm_up_s, seconds): (f64, f64),
        asked: &TrialRequest<'_>,
    ) -> Result<ObservedTrial, StudyError<F>> {
        let model = self.model();
        let load = self.server.load(load);
        let users = match load {
            Load::Closed { users, .. } => users,
            Load::Open(_) => 0,
        };
        let whole_s = warm_up_s + seconds;
        let hiccup = self.random.random_bool(self.server.hiccups);
        let mut hiccup_s = hiccup.then(|| whole_s * self.random.random::<f64>());
        let seed = self.random.random();
        let mut world = World::new(&model, load, SmallRng::seed_from_u64(seed));
        let mut recorder = Recorder::default();
        let mut run = Run::default();
        let mut seen = SteadyProgress::new(asked, warm_up_s, seconds);
        let mut ended = None;
        let mut now_s = 0.0;
        let mut counted = Counts::default();
        let mut left_s = GRACE.as_secs_f64();
        let open = matches!(load, Load::Open(_));
        loop {
            now_s += 1.0;
            if let Some(at_s) = hiccup_s.take_if(|at_s| *at_s <= now_s) {
                world.run_until(at_s);
                world.rest(0.2 + self.random.random::<f64>());
            }
            world.run_until(now_s);
            self.samples += world.ended.len() as u64;
            world.ended.drain(..).for_each(|ended| record(&mut recorder, &ended, open));
            let labels = recorder.take_interval();
            let total = run.add(now_s as i64, &labels, Users { active: users.into(), ..Users::default() });
            if ended == Some(TrialEnd::InTime) {
                seen.take_late(&total);
                left_s -= 1.0;
            } else {
                let readings = self.readings(users, since(world.counts, counted));
                counted = world.counts;
                let cpu = self.evidence(&run, load, counted).cpu_busy;
                seen.take(&Interval {
                    length_s: 1.0,
                    is_last: false,
                    total: &total,
                    labels,
                    users,
                    readings: &readings,
                    tool_busy: cpu.map_or(0.05, |(_, busy)| busy),
                });
                ended = seen.verdict().or(seen.is_whole().then_some(TrialEnd::InTime));
                if ended.is_some() {
                    world.stop();
                }
            }
            let is_done = world.in_flight() == 0 || left_s <= 0.0;
            if ended.is_some_and(|why| is_done || why != TrialEnd::InTime) {
                break;
            }
        }
        self.passed_s += now_s;
        let evidence = self.evidence(&run, load, world.counts);
        let judged = verdict(&evidence);
        let summary = run.summary();
        let report = TrialReport { summary, run, verdict: Some(judged), evidence, ..TrialReport::default() };
        let cut = (left_s <= 0.0).then(|| world.in_flight());
        Ok(seen.end(report, ended.unwrap_or(TrialEnd::ByItself), cut))
    }
}

/// A search that nobody watches.
pub(super) struct Alone;

impl Driver for Alone {
    type Failure = String;

    fn trial(&mut self, _: &[(String, String)], _: f64) -> Result<Trial, String> {
        Err("all trials are simulated".to_owned())
    }

    fn goes_on(&self) -> bool {
        true
    }

    fn may_load(&mut self, _: IpAddr) -> Result<(), String> {
        Ok(())
    }

    fn say(&mut self, _: &str) {}

    fn keep(&mut self, _: &SearchReport) -> Result<(), String> {
        Ok(())
    }
}
