//! An agent: the program's leases, claims, outbox and reports, with the ways of the model. It does
//! what `AgentSession` and `AgentState` of `swell-fleet` do, and makes its load as numbers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use swell_fleet::claims::{AnsweredClaim, claim};
use swell_fleet::lease::{Answer, Leases, WorkMessage as _};
use swell_fleet::outbox::{IN_FLIGHT, Sender};
use swell_fleet::reporting::IntervalReporter;
use swell_fleet::wire::{
    AgentMessage, Body, ControllerMessage, Grant, GroupCounts, Heartbeat, PROTOCOL, ShareEnd, ShareStatus,
    State,
};
use swell_net::{boot_ns, now_ns, sleep_until};
use swell_stats::encoding::encode;
use swell_stats::verdict::Evidence;
use swell_stats::{Load, Observation, Recorder};
use tokio::sync::mpsc::UnboundedReceiver;

use super::broker::{Broker, Client, FromBroker, Slice};
use super::options::FleetOptions;

const S: i64 = 1_000_000_000;
const LOOK_NS: i64 = S / 10;
const LOAD_NS: i64 = S / 20;
/// How long a slice that is another's rests before it is offered again.
const GIVEN_BACK: Duration = Duration::from_millis(200);
/// How long the broker is asked for slices at a time.
const PULL: Duration = Duration::from_secs(2);

/// A moment in which an agent made load of a slice.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) slice: u32,
    pub(super) share: String,
    /// World time.
    pub(super) at_ns: i64,
}

/// The truth about a fleet.
#[derive(Default)]
pub(super) struct Truth {
    pub(super) made: Vec<Made>,
    /// Samples of each share, and whether it has told its end.
    pub(super) shares: BTreeMap<String, (u64, bool)>,
}

pub(super) type SharedTruth = Rc<RefCell<Truth>>;

struct Share {
    name: String,
    slices: Vec<u32>,
    recorder: Recorder,
    reporter: IntervalReporter,
    /// The phase that it makes or waits for, and whether it waits.
    phase: u8,
    is_held: bool,
    until_ns: i64,
    given_up: Option<String>,
    samples: u64,
    reported_s: i64,
}

/// An agent of a fleet.
#[expect(clippy::struct_excessive_bools, reason = "each is a thing that has happened, as in the program")]
pub(super) struct Agent {
    name: String,
    options: FleetOptions,
    client: Client,
    broker: Broker,
    truth: SharedTruth,
    leases: Leases<Slice>,
    sender: Sender<Client>,
    claims: FuturesUnordered<Answer<Option<AnsweredClaim<Slice>>>>,
    seq: u64,
    shares_named: u64,
    initial: Option<u32>,
    is_apart: bool,
    granted: Vec<(u32, u8)>,
    goes: bool,
    rests: bool,
    pulled_ns: Option<i64>,
    shares: Vec<Share>,
    released: BTreeMap<u8, i64>,
    /// Until when load may be made.
    lease_ns: i64,
    is_over: bool,
}

/// Takes part in a run until it has finished; leaves at `leaves_ns` of its clock.
pub(super) async fn attend(
    (name, options): (String, FleetOptions),
    (client, broker): (Client, Broker),
    mut inbox: UnboundedReceiver<FromBroker>,
    truth: SharedTruth,
    leaves_ns: Option<i64>,
) {
    client.subscribe();
    let mut agent = Agent::new(name, options, client, broker, truth);
    agent.beat();
    let (mut look_ns, mut beat_ns, mut load_ns) = (now_ns(), now_ns() + S, now_ns());
    while !(agent.shares.is_empty() && (agent.is_over || (agent.rests && agent.sender.is_empty()))) {
        tokio::select! {
            biased;
            () = sleep_until(load_ns) => {
                load_ns = now_ns() + LOAD_NS;
                agent.make_load();
            }
            message = inbox.recv() => match message {
                Some(message) => agent.hear(message).await,
                None => return,
            },
            () = sleep_until(look_ns) => {
                look_ns = now_ns() + LOOK_NS;
                agent.look();
                agent.go_on().await;
                if leaves_ns.is_some_and(|at_ns| now_ns() >= at_ns) && !agent.rests {
                    agent.rests = true;
                    agent.beat();
                    agent.shares.iter_mut().for_each(|share| share.give_up("it is asked to leave"));
                }
            }
            () = sleep_until(beat_ns) => {
                beat_ns = now_ns() + S;
                agent.beat();
            }
            () = agent.leases.answered() => agent.look(),
            () = agent.sender.go_on() => {}
            Some(claimed) = agent.claims.next() => agent.claimed(claimed).await,
        }
        agent.pull();
    }
    agent.sender.flush(Duration::from_secs(if agent.is_over { 1 } else { 30 })).await;
}

impl Share {
    fn give_up(&mut self, why: &str) {
        self.given_up.get_or_insert_with(|| why.to_owned());
    }

    fn status(&self) -> ShareStatus {
        let group = GroupCounts { phase: 1, active: 1, started: 1, planned: 1, ..GroupCounts::default() };
        ShareStatus {
            phase: Some(self.phase),
            is_held: self.is_held,
            expected_end_ns: (self.until_ns > 0).then_some(self.until_ns),
            samples: self.samples,
            groups: vec![group],
            ..ShareStatus::default()
        }
    }
}

impl Agent {
    fn new(name: String, options: FleetOptions, client: Client, broker: Broker, truth: SharedTruth) -> Self {
        let sender = Sender::new(client.clone(), "m".to_owned(), name.clone(), "/nowhere".into(), IN_FLIGHT);
        Self {
            name,
            options,
            client,
            broker,
            truth,
            leases: Leases::default(),
            sender,
            claims: FuturesUnordered::new(),
            seq: 0,
            shares_named: 0,
            initial: None,
            is_apart: false,
            granted: Vec::new(),
            goes: false,
            rests: false,
            pulled_ns: None,
            shares: Vec::new(),
            released: BTreeMap::new(),
            lease_ns: i64::MAX,
            is_over: false,
        }
    }

    fn beat(&self) {
        let held = self.shares.iter().map(|share| share.is_held.then_some(share.phase));
        let state = if self.shares.is_empty() {
            State::Ready
        } else {
            let all = held.clone().all(|phase| phase.is_some());
            State::Running { held: held.flatten().min().filter(|_| all) }
        };
        let (unsent_for, refusal) = self.sender.stuck();
        let heart = Heartbeat {
            protocol: PROTOCOL,
            // All crates of a build have one version.
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent: self.name.clone(),
            name: self.name.clone(),
            host: "world".to_owned(),
            pid: 1,
            workers: 1,
            state,
            clock: swell_fleet::offset::Offset::default(),
            drift: swell_fleet::offset::Offset::default(),
            unsent: self.sender.unsent(),
            unsent_s: unsent_for.as_secs(),
            refusal,
            holds: self.leases.slices(),
            rests: self.rests,
        };
        self.client.heartbeat(serde_json::to_vec(&heart).expect("a sign of life has a form in JSON"));
    }

    fn count(&mut self, share: &str, body: Body) {
        let up = AgentMessage { agent: self.name.clone(), share: share.to_owned(), seq: self.seq, body };
        self.sender.push(self.seq, postcard::to_stdvec(&up).expect("counts have a form"));
        self.seq += 1;
    }

    /// Leases are looked at.
    fn look(&mut self) {
        let over = self.leases.look(boot_ns());
        if let Some(until_ns) = self.leases.until_ns() {
            self.lease_ns = until_ns;
        }
        for share in self.shares.iter_mut().filter(|share| share.slices.iter().any(|own| over.contains(own)))
        {
            share.give_up("no answer from the broker");
        }
        self.ask_again(&over);
    }

    fn ask_again(&mut self, over: &[u32]) {
        let granted = self.granted.len();
        self.granted.retain(|(slice, _)| !over.contains(slice));
        let again = if self.goes { granted - self.granted.len() } else { over.len() };
        let Some(left) = self.initial.as_mut().filter(|_| again > 0) else { return };
        self.is_apart |= *left == 0;
        *left += again as u32;
    }

    async fn hear(&mut self, message: FromBroker) {
        match message {
            FromBroker::Word(word) => {
                self.obey(serde_json::from_slice(&word).expect("as it was sent"));
            }
            FromBroker::Slice(None) => self.pulled_ns = None,
            FromBroker::Slice(Some(slice)) => self.pulled(slice).await,
            FromBroker::Heartbeat(_)
            | FromBroker::Run(_)
            | FromBroker::Claim(..)
            | FromBroker::Measured(_) => {}
        }
    }

    fn obey(&mut self, word: ControllerMessage) {
        match word {
            ControllerMessage::Take(takes) if self.initial.is_none() => {
                self.initial = takes.get(&self.name).copied();
                self.is_apart = self.initial.is_some_and(|slices| slices > 1);
                self.shares_named += u64::from(self.initial.is_some() && !self.is_apart);
            }
            ControllerMessage::Go { phase, start_ns } => {
                self.goes = true;
                self.released.insert(phase, start_ns);
            }
            ControllerMessage::Evict { share } => {
                for own in self.shares.iter_mut().filter(|own| own.name == share) {
                    own.give_up("its slices were given to another agent");
                }
            }
            ControllerMessage::Over => {
                self.is_over = true;
                self.shares.iter_mut().for_each(|share| share.give_up("the run has finished"));
            }
            ControllerMessage::Stop(_) => self.shares.iter_mut().for_each(|share| share.until_ns = 1),
            ControllerMessage::Take(_)
            | ControllerMessage::Manifest
            | ControllerMessage::Change(_)
            | ControllerMessage::RowsAgain => {}
        }
    }

    fn pull(&mut self) {
        let wanted = match self.initial {
            _ if self.rests || self.is_over => return,
            Some(left) if left > 0 => left as usize,
            _ if self.goes => 1,
            _ => return,
        };
        let is_pulling = self.pulled_ns.is_some_and(|at_ns| now_ns() < at_ns + 2 * S + S / 2);
        if !is_pulling && self.claims.is_empty() {
            self.pulled_ns = Some(now_ns());
            self.client.pull(wanted, PULL);
        }
    }

    async fn pulled(&mut self, slice: Slice) {
        if self.rests {
            return slice.give_back(None).await;
        }
        if self.is_apart || self.initial.unwrap_or(0) == 0 {
            self.shares_named += 1;
        }
        let share = format!("{}.{}", self.name, self.shares_named);
        let asked_ns = slice.asked_ns();
        self.claims.push(Box::pin(claim(self.client.clone(), (self.name.clone(), share), slice, asked_ns)));
    }

    async fn claimed(&mut self, claimed: Option<AnsweredClaim<Slice>>) {
        let Some(AnsweredClaim { share, slice, epoch, message, signed_ns, grant }) = claimed else { return };
        match grant {
            Grant::Kept => message.give_back(Some(GIVEN_BACK)).await,
            Grant::Done => {
                message.done().await;
            }
            Grant::No { .. } => {}
            Grant::Yes { from, .. } => {
                self.leases.add(share.clone(), slice, message, signed_ns);
                self.count(&share, Body::Granted { slice, epoch });
                self.granted.push((slice, from));
                if let Some(left) = self.initial.as_mut().filter(|left| **left > 0) {
                    *left -= 1;
                }
                self.look();
                if (self.is_apart || self.initial.unwrap_or(0) == 0) && !self.granted.is_empty() {
                    let slices = std::mem::take(&mut self.granted);
                    self.begin(share, &slices).await;
                }
            }
        }
    }

    async fn begin(&mut self, name: String, granted: &[(u32, u8)]) {
        let slices: Vec<u32> = granted.iter().map(|(slice, _)| *slice).collect();
        if self.rests {
            self.leases.give_back(&name, &slices, false).await;
            return self.beat();
        }
        let from = granted.first().map_or(0, |(_, from)| *from);
        self.truth.borrow_mut().shares.insert(name.clone(), (0, false));
        self.shares.push(Share {
            reporter: IntervalReporter::new(&name, self.options.interval_s),
            name,
            slices,
            recorder: Recorder::default(),
            // Plans of these worlds have no set-up.
            phase: from.max(1),
            is_held: true,
            until_ns: 0,
            given_up: None,
            samples: 0,
            reported_s: now_ns() / S,
        });
    }

    /// A moment of load, as far as the lease allows it.
    fn make_load(&mut self) {
        if boot_ns() >= self.lease_ns {
            return;
        }
        let at_ns = self.broker.now_ns();
        let now_ns = now_ns();
        let mut truth = self.truth.borrow_mut();
        for share in &mut self.shares {
            let starts_ns = self.released.get(&1).copied().unwrap_or(i64::MAX);
            let makes = !share.is_held && share.phase == 1 && share.given_up.is_none();
            if !makes || now_ns < starts_ns || now_ns >= share.until_ns {
                continue;
            }
            for slice in &share.slices {
                truth.made.push(Made { slice: *slice, share: share.name.clone(), at_ns });
                for sample in 0..self.options.samples {
                    let elapsed_ns = u64::from(sample + 1) * 1_234_567;
                    let seen =
                        Observation { label: "load", success: true, elapsed_ns, ..Observation::default() };
                    share.recorder.record(&seen);
                }
            }
            share.samples += share.slices.len() as u64 * u64::from(self.options.samples);
            if let Some(known) = truth.shares.get_mut(&share.name) {
                known.0 = share.samples;
            }
        }
    }

    /// Phases begin and end, and what was counted is reported.
    async fn go_on(&mut self) {
        let length_ns = i64::from(self.options.length_s) * S;
        for share in &mut self.shares {
            if let Some(start_ns) = self.released.get(&share.phase).filter(|_| share.is_held) {
                share.is_held = false;
                if share.phase == 1 {
                    share.until_ns = start_ns + length_ns;
                }
            }
            if share.phase == 1 && !share.is_held && now_ns() >= share.until_ns {
                (share.phase, share.is_held) = (2, true);
            }
        }
        self.report();
        let is_over = |share: &Share| share.given_up.is_some() || (share.phase == 2 && !share.is_held);
        while let Some(place) = self.shares.iter().position(is_over) {
            let share = self.shares.remove(place);
            self.end(share).await;
        }
    }

    /// Tells each second what was counted in it.
    fn report(&mut self) {
        let now_s = now_ns() / S;
        let mut bodies = Vec::new();
        for share in self.shares.iter_mut().filter(|share| share.reported_s < now_s) {
            let mut say = |body| bodies.push((share.name.clone(), body));
            share.reporter.count(share.reported_s, &share.recorder.take_interval());
            share.reported_s = now_s;
            let through_s = share.reporter.tell(now_s, &mut say);
            if self.options.interval_s == 1 {
                share.reporter.tell_so_far(&mut say);
            }
            let samples = share.reporter.samples();
            bodies.push((
                share.name.clone(),
                Body::Goes { through_s, samples, status: share.status(), load: Load::default() },
            ));
        }
        for (share, body) in bodies {
            self.count(&share, body);
        }
    }

    async fn end(&mut self, mut share: Share) {
        let mut bodies = Vec::new();
        share.reporter.count(share.reported_s, &share.recorder.take_interval());
        share.reporter.finish(|body| bodies.push(body));
        let samples = share.reporter.samples();
        let is_done = share.given_up.is_none();
        bodies.push(Body::Goes {
            through_s: now_ns() / S + 1,
            samples,
            status: share.status(),
            load: Load::default(),
        });
        let end = ShareEnd {
            samples,
            evidence: encode(&Evidence::default()),
            given_up: share.given_up.clone(),
            ..ShareEnd::default()
        };
        bodies.push(Body::End(Box::new(end)));
        for body in bodies {
            self.count(&share.name, body);
        }
        self.truth.borrow_mut().shares.insert(share.name.clone(), (share.samples, true));
        self.leases.give_back(&share.name, &share.slices, is_done).await;
        self.beat();
    }
}
