//! Builds the world of a fleet from its options, runs it, and checks what must hold.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use swell_net::{now_ns, sleep_until};
use tokio::sync::mpsc::unbounded_channel;

use super::agent::{SharedTruth, attend};
use super::broker::Broker;
use super::check::{Seen, check};
use super::controller::{SharedLed, lead};
use super::options::{CutWays, FleetFault, FleetOptions};
use crate::kernel::{Clock, Span};
use crate::world::{World, caught, in_world};

const MS: i64 = 1_000_000;
const S: i64 = 1_000 * MS;

/// What the world of a fleet came to.
#[derive(Clone, Debug, Default)]
pub struct FleetResult {
    /// What did not hold, in words; empty where all did.
    pub wrong: Vec<String>,
    /// A hash of everything that happened, and of what agents made.
    pub trace: u64,
    /// Samples that agents made, and those that the controller counted.
    pub samples: (u64, u64),
    /// Lines of the controller for its user.
    pub said: Vec<String>,
}

/// Runs a world and checks it. A panic in it is one of the things that did not hold.
pub fn run(options: &FleetOptions) -> FleetResult {
    caught(|| in_world(options.seed, |world| run_in(world, options)))
        .unwrap_or_else(|panic| FleetResult { wrong: vec![panic], ..FleetResult::default() })
}

/// A process of the fleet: what it is, and when it begins in world time.
struct Fleet<'w> {
    world: &'w mut World,
    options: &'w FleetOptions,
    broker: Broker,
    truth: SharedTruth,
    led: Vec<SharedLed>,
}

fn run_in(world: &mut World, options: &FleetOptions) -> FleetResult {
    let lost = options.faults.iter().find_map(|fault| match fault {
        FleetFault::LostAnswers { share } => Some(*share),
        _ => None,
    });
    let twice = options.has(|fault| *fault == FleetFault::StoresTwice);
    let broker = Broker::new(world.mail(), options.seed, lost.unwrap_or(0.0), twice);
    let mut fleet = Fleet { world, options, broker, truth: SharedTruth::default(), led: Vec::new() };
    fleet.controllers();
    for number in 0..options.agents {
        fleet.agent(number, 0);
    }
    let joins = options.faults.iter().filter_map(|fault| match fault {
        FleetFault::Joins { at_ms } => Some(*at_ms),
        _ => None,
    });
    for (place, at_ms) in joins.enumerate() {
        fleet.agent(options.agents + place as u32, at_ms);
    }
    fleet.world.set_limit_ns((i64::from(options.length_s) + 240) * S);
    let stuck = fleet.world.run().err().map(|stuck| stuck.to_string());
    let Fleet { world, truth, led, .. } = fleet;
    let truth = truth.take();
    let said: Vec<String> = led.iter().flat_map(|led| std::mem::take(&mut led.borrow_mut().said)).collect();
    let led = led.last().map(|led| led.take()).unwrap_or_default();
    let seen = Seen { options, truth: &truth, led: &led, stuck };
    let wrong = check(&seen);
    let mut hasher = DefaultHasher::new();
    world.trace().hash(&mut hasher);
    for made in &truth.made {
        (made.slice, &made.share, made.at_ns).hash(&mut hasher);
    }
    let made = truth.shares.values().map(|(samples, _)| samples).sum();
    FleetResult { wrong, trace: hasher.finish(), samples: (made, led.counted), said }
}

fn span(at_ms: u32, for_ms: u32) -> Span {
    Span::new(i64::from(at_ms) * MS, i64::from(for_ms) * MS)
}

impl Fleet<'_> {
    /// The controller, and the one that takes over from it.
    fn controllers(&mut self) {
        let mut cuts = Vec::new();
        let mut pauses = Vec::new();
        let mut taken_over = None;
        for fault in &self.options.faults {
            match *fault {
                FleetFault::ControllerCut { at_ms, for_ms } => cuts.push(span(at_ms, for_ms)),
                FleetFault::ControllerPaused { at_ms, for_ms } => pauses.push(span(at_ms, for_ms)),
                FleetFault::TakenOver { at_ms, after_ms } => taken_over = Some((at_ms, at_ms + after_ms)),
                _ => {}
            }
        }
        let first = self.controller(cuts.clone(), 0);
        for pause in pauses {
            self.world.stall(first, pause);
        }
        if let Some((at_ms, next_ms)) = taken_over {
            self.world.kill(first, i64::from(at_ms) * MS);
            self.controller(cuts, next_ms);
        }
    }

    fn controller(&mut self, cuts: Vec<Span>, at_ms: u32) -> crate::Process {
        let number = self.led.len() as u8;
        let machine = self.world.machine([10, 0, 1, number], Clock::default());
        let led = SharedLed::default();
        self.led.push(led.clone());
        let (options, broker) = (self.options.clone(), self.broker.clone());
        let latency_ns = i64::from(options.latency_us) * 1_000;
        self.world.process(machine, "controller", async move {
            sleep_until(now_ns() + i64::from(at_ms) * MS).await;
            let (sender, inbox) = unbounded_channel();
            let client = broker.client(latency_ns, ([cuts.clone(), cuts], Vec::new()), sender, true);
            lead(options, client, inbox, led, number > 0).await;
        })
    }

    /// An agent, which begins at that time.
    fn agent(&mut self, number: u32, at_ms: u32) {
        let mut clock = Clock::default();
        let mut cuts: [Vec<Span>; 2] = Default::default();
        let (mut lags, mut leaves_ms) = (Vec::new(), None);
        for fault in &self.options.faults {
            match *fault {
                FleetFault::Cut { agent, at_ms, for_ms, ways } if agent == number => {
                    let cut = span(at_ms, for_ms);
                    let ways = [(CutWays::Up, CutWays::Both), (CutWays::Down, CutWays::Both)]
                        .map(|(one, both)| ways == one || ways == both);
                    cuts.iter_mut()
                        .zip(ways)
                        .filter(|(_, is_cut)| *is_cut)
                        .for_each(|(way, _)| way.push(cut));
                }
                FleetFault::Lags { agent, at_ms, for_ms, by_ms } if agent == number => {
                    lags.push((span(at_ms, for_ms), i64::from(by_ms) * MS));
                }
                FleetFault::Suspended { agent, at_ms, for_ms } if agent == number => {
                    clock.suspended.push(span(at_ms, for_ms));
                }
                FleetFault::Drift { agent, ppm } if agent == number => {
                    clock.drift_ppb = i64::from(ppm) * 1_000;
                }
                FleetFault::Leaves { agent, at_ms } if agent == number => leaves_ms = Some(at_ms),
                _ => {}
            }
        }
        let machine = self.world.machine([10, 0, 2, number as u8], clock);
        let (options, broker, truth) = (self.options.clone(), self.broker.clone(), Rc::clone(&self.truth));
        let latency_ns = i64::from(options.latency_us) * 1_000;
        let name = format!("agent-{number}");
        let process = self.world.process(machine, &name.clone(), async move {
            let began_ns = now_ns();
            sleep_until(began_ns + i64::from(at_ms) * MS).await;
            let (sender, inbox) = unbounded_channel();
            let client = broker.client(latency_ns, (cuts, lags), sender, false);
            let leaves_ns = leaves_ms.map(|ms| began_ns + i64::from(ms) * MS);
            attend((name, options), (client, broker), inbox, truth, leaves_ns).await;
        });
        for fault in &self.options.faults {
            match *fault {
                FleetFault::Paused { agent, at_ms, for_ms } if agent == number => {
                    self.world.stall(process, span(at_ms, for_ms));
                }
                FleetFault::Killed { agent, at_ms } if agent == number => {
                    self.world.kill(process, i64::from(at_ms) * MS);
                }
                _ => {}
            }
        }
    }
}
