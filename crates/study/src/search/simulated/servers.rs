//! Servers drawn from a seed, with the limit that each has.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::queue::{Load, Model, Overflow};
use super::truth::{Rule, bears, capacity};
use crate::limit::Cause;

/// What limits a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Workers that wait for something.
    Pool,
    Processors,
    AcceptQueue,
    Admission,
    Descriptors,
    Threads,
    Network,
    Memory,
    /// It fails a part of all requests.
    Errors,
    /// The tool cannot make more load.
    Generator,
    BearsAll,
    BearsNone,
    /// Its limit differs from trial to trial by far more than is wanted.
    Unsteady,
}

impl Kind {
    pub(super) const ALL: [Self; 13] = [
        Self::Pool,
        Self::Processors,
        Self::AcceptQueue,
        Self::Admission,
        Self::Descriptors,
        Self::Threads,
        Self::Network,
        Self::Memory,
        Self::Errors,
        Self::Generator,
        Self::BearsAll,
        Self::BearsNone,
        Self::Unsteady,
    ];

    /// The cause that a search has to name; none where it finds no limit.
    pub(super) fn cause(self) -> Option<Cause> {
        Some(match self {
            Self::Pool | Self::Unsteady => Cause::Pool,
            Self::Processors | Self::BearsNone => Cause::ServerCpu,
            Self::AcceptQueue => Cause::AcceptQueue,
            Self::Admission => Cause::AdmissionControl,
            Self::Descriptors => Cause::DescriptorLimit,
            Self::Threads => Cause::ProcessLimit,
            Self::Network => Cause::Network,
            Self::Memory => Cause::ServerMemory,
            Self::Errors => Cause::Errors,
            Self::Generator => Cause::Generator,
            Self::BearsAll => return None,
        })
    }
}

/// A server, how it is loaded, and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) kind: Kind,
    pub(super) model: Model,
    pub(super) rules: Vec<Rule>,
    /// The pause of users; none: requests come at a rate.
    pub(super) pause_s: Option<f64>,
    /// By how much its speed differs from trial to trial (standard deviation of the logarithm).
    pub(super) spread: f64,
    /// In this part of the trials all stand still for a while.
    pub(super) hiccups: f64,
    /// Busy processors, as a share, where all workers are busy; none: nobody looks.
    pub(super) full_cpu: Option<f64>,
    /// It is on the machine of the tool.
    pub(super) is_local: bool,
    /// The loads that may be tried.
    pub(super) range: (f64, f64),
    /// The highest load that it can handle; none where that is no number.
    pub(super) limit: Option<f64>,
}

impl Server {
    /// The server of a seed. Its limit is exact to about half a percent with 100,000 `samples`.
    pub(super) fn of(seed: u64, fastest_per_s: f64, samples: u64) -> Self {
        let kind = Kind::ALL[(seed % Kind::ALL.len() as u64) as usize];
        let mut random = SmallRng::seed_from_u64(seed);
        loop {
            let drawn = Draw { random: &mut random, fastest_per_s }.server(kind);
            if let Some(server) = drawn.with_limit(samples, seed, &mut random) {
                return server;
            }
        }
    }

    pub(super) fn load(&self, load: f64) -> Load {
        match self.pause_s {
            Some(pause_s) => Load::Closed { users: load.round() as u32, pause_s },
            None => Load::Open(load),
        }
    }

    /// None if no load of it is borne.
    fn with_limit(mut self, samples: u64, seed: u64, random: &mut SmallRng) -> Option<Self> {
        let whole = self.pause_s.is_some();
        let (low, high) = self.range;
        let ends = |least: f64, most: f64| if whole { (least.round().max(1.0), most.round()) } else { (least, most) };
        if matches!(self.kind, Kind::Errors | Kind::Generator) {
            self.range = ends(low, high);
            return Some(self);
        }
        let bears = |load, samples| bears(&self.model, self.load(load), &self.rules, samples, seed);
        if !bears(low, samples / 8) || bears(high, samples / 8) {
            return None;
        }
        let limit = capacity(bears, (low, high), samples, whole);
        let mut draw = |low: f64, high: f64| low * (high / low).powf(random.random::<f64>());
        let range = match self.kind {
            Kind::BearsAll => (limit * draw(0.05, 0.3), limit * draw(0.5, 0.85)),
            Kind::BearsNone => (limit * draw(1.25, 3.0), limit * draw(5.0, 40.0)),
            _ => (limit / draw(3.0, 30.0), limit * draw(2.0, 30.0)),
        };
        self.range = ends(range.0, range.1);
        self.limit = Some(limit);
        Some(self)
    }
}

struct Draw<'a> {
    random: &'a mut SmallRng,
    fastest_per_s: f64,
}

impl Draw<'_> {
    /// Uniform in the logarithm.
    fn log(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.random.random::<f64>())
    }

    fn chance(&mut self, part: f64) -> bool {
        self.random.random_bool(part)
    }

    fn server(&mut self, kind: Kind) -> Server {
        let per_s = self.log(30.0, self.fastest_per_s);
        let server = match kind {
            Kind::Pool | Kind::BearsAll | Kind::Unsteady => self.pool(per_s),
            Kind::Processors | Kind::BearsNone => self.processors(per_s),
            Kind::AcceptQueue => self.accept_queue(per_s),
            Kind::Admission => {
                let model = Model { admits_per_s: Some(per_s), ..self.quick() };
                Server { model, rules: vec![slow(0.01, 0.2), ERRORS], ..self.open(per_s) }
            }
            Kind::Descriptors | Kind::Threads => self.places(),
            Kind::Network => {
                let model = Model { carries_per_s: Some(per_s), ..self.quick() };
                Server { model, rules: vec![slow(0.01, 0.15)], ..self.open(per_s) }
            }
            Kind::Memory => self.memory(per_s),
            Kind::Errors => {
                let model = Model { fails: self.log(0.02, 0.2), ..self.quick() };
                Server { model, rules: vec![ERRORS], range: (0.1 * per_s, 2.0 * per_s), ..self.open(per_s) }
            }
            Kind::Generator => {
                let model = Model { tool_per_s: Some(per_s), ..self.quick() };
                Server { model, rules: vec![slow(0.01, 0.1)], range: (0.1 * per_s, 4.0 * per_s), ..self.open(per_s) }
            }
        };
        let spread = if kind == Kind::Unsteady { self.log(0.1, 0.3) } else { self.log(0.002, 0.02) };
        let hiccups = if self.chance(0.3) { 0.08 } else { 0.0 };
        Server { kind, spread, hiccups, ..server }
    }

    /// A server with requests at a rate of which nothing is known.
    fn open(&mut self, per_s: f64) -> Server {
        Server {
            kind: Kind::Pool,
            model: self.quick(),
            rules: Vec::new(),
            pause_s: None,
            spread: 0.0,
            hiccups: 0.0,
            full_cpu: self.chance(0.5).then_some(0.2),
            is_local: self.chance(0.5),
            range: (0.02 * per_s, 1.2 * per_s),
            limit: None,
        }
    }

    /// One whose workers are no limit.
    fn quick(&mut self) -> Model {
        Model {
            workers: 1000,
            service_s: self.log(0.002, 0.02),
            varies: self.chance(0.5),
            shares: false,
            way_s: self.log(0.0002, 0.02),
            queue: None,
            admits_per_s: None,
            fails: 0.0,
            places: None,
            carries_per_s: None,
            collects: None,
            tool_per_s: None,
        }
    }

    /// Workers that together serve so many requests a second.
    fn workers(&mut self, per_s: f64, most: f64) -> Model {
        let workers = self.log(1.0, most.min(0.3 * per_s)).round();
        let service_s = workers / per_s;
        Model { workers: workers as u32, service_s, way_s: self.log(0.0002, 0.005), ..self.quick() }
    }

    fn pool(&mut self, per_s: f64) -> Server {
        let model = self.workers(per_s, 40.0);
        let factor = if model.varies { self.log(7.0, 25.0) } else { self.log(2.0, 15.0) };
        self.limited(per_s, model, factor)
    }

    fn processors(&mut self, per_s: f64) -> Server {
        let model = Model { shares: true, ..self.workers(per_s, 8.0) };
        let factor = if model.varies { self.log(15.0, 50.0) } else { self.log(5.0, 25.0) };
        Server { full_cpu: Some(1.0), ..self.limited(per_s, model, factor) }
    }

    /// With a rule about times: at a rate, that they take no more than so many times a worker's;
    /// for users a mean.
    fn limited(&mut self, per_s: f64, model: Model, factor: f64) -> Server {
        let limit_s = factor * model.service_s + model.way_s;
        let open = self.open(per_s);
        if self.chance(0.6) {
            let part = if self.chance(0.7) { 0.01 } else { 0.05 };
            return Server { model, rules: vec![slow(part, limit_s)], ..open };
        }
        let pause_s = if self.chance(0.5) { 0.0 } else { self.log(0.2, 3.0) * model.service_s };
        let limit_s = self.log(1.4, 6.0) * model.service_s + model.way_s;
        let most = 1.5 * per_s * (limit_s + pause_s + model.way_s) + 5.0;
        let rules = vec![Rule::Mean { limit_s }];
        Server { model, rules, pause_s: Some(pause_s), range: (1.0, most.ceil()), ..open }
    }

    fn accept_queue(&mut self, per_s: f64) -> Server {
        let overflow = if self.chance(0.5) { Overflow::Closes } else { Overflow::Waits };
        let longest = self.log(2.0, 20.0) as usize;
        let model = Model { queue: Some((longest, overflow)), ..self.workers(per_s, 20.0) };
        let limit_s = (60.0 * model.service_s).min(0.9).max(8.0 * model.service_s);
        Server { model, rules: vec![slow(0.01, limit_s), ERRORS], ..self.open(per_s) }
    }

    /// A server that cannot open more connections, with users that keep theirs.
    fn places(&mut self) -> Server {
        let overflow = if self.chance(0.5) { Overflow::Closes } else { Overflow::Waits };
        let places = self.log(8.0, 60.0).round();
        let service_s = self.log(0.02, 0.3);
        let model = Model { service_s, places: Some((places as u32, overflow)), ..self.quick() };
        let rules = vec![slow(0.05, 12.0 * service_s), ERRORS];
        let pause_s = Some(self.log(0.2, 1.0));
        Server { model, rules, pause_s, range: (1.0, 2.0 * places), ..self.open(1.0) }
    }

    /// A part of the time goes into collections, which come the oftener the more is asked.
    fn memory(&mut self, per_s: f64) -> Server {
        let part = self.log(0.2, 0.5);
        let pause_s = self.log(0.02, 0.1);
        let every = (pause_s * per_s / part).round().max(1.0);
        let model = self.workers(per_s, 4.0);
        let service_s = (1.0 - part) * model.service_s;
        let model = Model { service_s, shares: true, collects: Some((every as u32, pause_s)), ..model };
        let limit_s = 25.0 * service_s + 5.0 * pause_s;
        Server { model, rules: vec![slow(0.01, limit_s)], full_cpu: Some(1.0), ..self.open(per_s) }
    }
}

const ERRORS: Rule = Rule::Errors { part: 0.01 };

fn slow(part: f64, limit_s: f64) -> Rule {
    Rule::Slow { part, limit_s }
}
