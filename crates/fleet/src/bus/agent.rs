//! An agent's side: finds its run, sets its clock, holds its slices, and sends what it counts.

mod claiming;
mod clock;
mod entering;
mod fetching;
mod rows;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender as Events;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream;
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::object_store::ObjectStore;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc::UnboundedReceiver;

use claiming::{SliceClaims, next_of};
use clock::{ClockComparison, compared, measure};
use entering::{JoinedRun, asked_to_leave, enter};
use rows::RowSender;

use super::controller::ordered;
use super::{FetchedManifest, Names, RUNS, connect};
use crate::lease::Leases;
use crate::offset::Offset;
use crate::outbox::{IN_FLIGHT, Sender};
use crate::wire::{AgentMessage, Body, ControllerMessage, Heartbeat, PROTOCOL, SliceProgress, State};
use crate::{FleetError, Join};

const TICK: Duration = Duration::from_millis(100);
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How often the clock is compared during the test.
const COMPARE: Duration = Duration::from_mins(1);

/// How long figures that wait may take at the end.
const TO_FLUSH: Duration = Duration::from_secs(30);

/// Options of a participating agent.
#[derive(Clone)]
pub(crate) struct AgentBusOptions {
    pub(crate) join: Join,
    pub(crate) agent: String,
    pub(crate) name: String,
    pub(crate) host: String,
    pub(crate) workers: u32,
    /// Where the files of the run go.
    pub(crate) folder: PathBuf,
    /// How long it waits, without load, for a controller that is gone.
    pub(crate) patience: Duration,
    /// Told until when load may be made.
    pub(crate) on_lease: Arc<dyn Fn(i64) + Send + Sync>,
    /// Moves the clock of the agent by this many nanoseconds.
    pub(crate) shift_clock: Arc<dyn Fn(i64) + Send + Sync>,
}

/// To the thread of the bus.
pub(crate) enum Order {
    State(State),
    Count {
        share: String,
        body: Body,
    },
    /// Rows that a share writes are sent, by the listeners that they are of.
    Rows {
        share: String,
        files: Vec<(u32, PathBuf)>,
    },
    /// The share writes no more: what is left of its rows is sent.
    RowsEnd {
        share: String,
    },
    GiveBack {
        share: String,
        slices: Vec<u32>,
        done: bool,
    },
    /// It takes no more slices.
    Rest,
    Leave,
}

/// A slice that the agent has.
pub(crate) struct AssignedSlice {
    pub(crate) slice: u32,
    pub(crate) from: u8,
    pub(crate) taken_over: Option<SliceProgress>,
}

/// From it.
pub(crate) enum Event {
    /// The run, with its files.
    Run(Box<FetchedManifest>),
    /// Slices for one share, whose name that is.
    Slices(String, Vec<AssignedSlice>),
    /// The controller says.
    Down(ControllerMessage),
    /// These leases have expired.
    LeasesOver(Vec<u32>),
    /// All rows of a share are sent, or cannot be.
    RowsSent(String, Result<(), FleetError>),
    /// No controller leads the run any more.
    Abandoned,
    /// A line for the user.
    Say(String),
}

/// Takes part in a run until it is left.
pub(crate) async fn attend(
    attend: AgentBusOptions,
    mut orders: UnboundedReceiver<Order>,
    events: Events<Event>,
) -> Result<(), FleetError> {
    let client = connect(&attend.join, &format!("swell agent {}", attend.name)).await?;
    let jet = jetstream::new(client.clone());
    let joined = tokio::select! {
        joined = enter(&attend, &client, &jet) => Some(joined?),
        () = asked_to_leave(&mut orders) => None,
    };
    let Some(joined) = joined else { return Ok(()) };
    let run = joined.run.clone();
    let log = joined.streams.0.clone();
    let mut side = AgentSession::new(client, jet, joined, attend, events);
    side.beat().await;
    let mut runs = side.client.subscribe(RUNS).await.map_err(|error| FleetError::new(error.to_string()))?;
    let over = side.client.subscribe(side.names.over()).await;
    let mut over = over.map_err(|error| FleetError::new(error.to_string()))?;
    let mut words = ordered(&log).await?;
    let mut ticks = tokio::time::interval(TICK);
    let mut beats = tokio::time::interval(HEARTBEAT);
    let mut compares = tokio::time::interval(COMPARE);
    loop {
        tokio::select! {
            Some(word) = words.next() => match word {
                Ok(message) => if let Ok(down) = serde_json::from_slice::<ControllerMessage>(&message.payload) {
                    side.hear(down).await?;
                },
                Err(_) => tokio::time::sleep(TICK).await,
            },
            Some(_) = over.next() => side.hear(ControllerMessage::Over).await?,
            Some(order) = orders.recv() => if side.obey(order).await {
                side.leave().await;
                return Ok(());
            },
            _ = ticks.tick() => side.look(),
            _ = beats.tick() => {
                side.beat().await;
                side.look_for_controller();
            }
            Some(led) = runs.next() => if led.payload == run.as_bytes() {
                side.led = tokio::time::Instant::now();
            },
            _ = compares.tick() => side.compare(),
            () = side.leases.answered() => side.look(),
            () = side.sender.go_on() => {}
            message = next_of(&mut side.pulled) => side.pulled(message).await,
            Some(claimed) = side.claims.next() => side.claimed(claimed).await,
            (share, sent) = side.rows.go_on() => side.tell(Event::RowsSent(share, sent)),
            drift = compared(&mut side.comparing) => { side.drift = drift; side.comparing = None; }
        }
        side.pull().await;
    }
}

#[expect(clippy::struct_excessive_bools, reason = "each is a thing that has happened or is so for the run")]
struct AgentSession {
    client: Client,
    names: Names,
    /// Under which name it speaks.
    speaker: String,
    store: ObjectStore,
    work: PullConsumer,
    attend: AgentBusOptions,
    events: Events<Event>,
    sender: Sender<jetstream::Context>,
    leases: Leases<jetstream::Message>,
    state: State,
    clock: Offset,
    drift: Offset,
    seq: u64,
    /// Number of named shares.
    shares: u64,
    /// Slices that are still to come for the first share.
    initial: Option<u32>,
    /// The first slices are more than workers: each is a separate share, so that it can move to an
    /// agent that joins late.
    apart: bool,
    granted: Vec<AssignedSlice>,
    /// The test has begun: slices of lost agents are taken.
    goes: bool,
    redistribute: bool,
    /// It is about to leave, and takes no slices.
    rests: bool,
    pulled: Option<pull::Batch>,
    /// When the broker was asked for them.
    asked_ns: i64,
    claims: FuturesUnordered<SliceClaims>,
    comparing: Option<ClockComparison>,
    rows: RowSender,
    /// When the controller announced the run last.
    led: tokio::time::Instant,
    /// The run has finished.
    over: bool,
}

impl AgentSession {
    fn new(
        client: Client,
        jet: jetstream::Context,
        joined: JoinedRun,
        attend: AgentBusOptions,
        events: Events<Event>,
    ) -> Self {
        let JoinedRun { run, names, streams: (_, store, work), clock } = joined;
        let speaker = attend.join.speaker(&attend.name);
        // Only this agent knows the numbers of its messages, which a broker accepts once.
        let prefix = format!("{run}/{}/{}", attend.agent, crate::run_id::secret());
        let of_rows = (names.rows(&speaker), format!("{prefix}/rows"));
        Self {
            rows: RowSender::new(jet.clone(), of_rows.0, of_rows.1, names.rows_stream()),
            sender: Sender::new(
                jet,
                names.measured(&speaker),
                prefix,
                attend.folder.join("unsent"),
                IN_FLIGHT,
            ),
            leases: Leases::default(),
            state: State::Preparing,
            clock,
            drift: Offset::default(),
            seq: 0,
            shares: 0,
            initial: None,
            apart: false,
            granted: Vec::new(),
            goes: false,
            redistribute: true,
            rests: false,
            pulled: None,
            asked_ns: i64::MIN,
            claims: FuturesUnordered::new(),
            comparing: None,
            led: tokio::time::Instant::now(),
            over: false,
            client,
            names,
            speaker,
            store,
            work,
            attend,
            events,
        }
    }

    fn tell(&self, event: Event) {
        // The receiver is gone only at the end.
        let _ = self.events.send(event);
    }

    async fn beat(&self) {
        let (unsent_for, refusal) = self.sender.stuck();
        let heart = Heartbeat {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent: self.attend.agent.clone(),
            name: self.attend.name.clone(),
            host: self.attend.host.clone(),
            pid: std::process::id(),
            workers: self.attend.workers,
            state: self.state.clone(),
            clock: self.clock,
            drift: self.drift,
            unsent: self.sender.unsent(),
            unsent_s: unsent_for.as_secs(),
            refusal,
            holds: self.leases.slices(),
            rests: self.rests,
        };
        let bytes = serde_json::to_vec(&heart).unwrap_or_default();
        // The next one comes in a second.
        let _ = self.client.publish(self.names.heartbeat(&self.speaker), bytes.into()).await;
    }

    /// Another controller may take over the run, but not forever; users continue to the end of the
    /// plan in any case.
    fn look_for_controller(&self) {
        if self.led.elapsed() > self.attend.patience && self.leases.slices().is_empty() {
            self.tell(Event::Abandoned);
        }
    }

    fn compare(&mut self) {
        if self.comparing.is_none() {
            let measured = measure(self.client.clone(), self.names.clock());
            self.comparing = Some(Box::pin(async { measured.await.unwrap_or_default() }));
        }
    }

    async fn hear(&mut self, down: ControllerMessage) -> Result<(), FleetError> {
        match &down {
            ControllerMessage::Manifest => self.fetch().await?,
            ControllerMessage::Take(takes) if self.initial.is_none() => {
                self.initial = takes.get(&self.attend.agent).copied();
                self.apart = self.initial.is_some_and(|slices| slices > self.attend.workers);
                self.shares += u64::from(self.initial.is_some() && !self.apart);
            }
            ControllerMessage::Go { .. } => self.goes = true,
            ControllerMessage::RowsAgain => self.rows.again(),
            ControllerMessage::Over => self.over = true,
            _ => {}
        }
        self.tell(Event::Down(down));
        Ok(())
    }

    /// True where the agent is to leave.
    async fn obey(&mut self, order: Order) -> bool {
        match order {
            Order::State(state) => {
                if state != self.state {
                    self.state = state;
                    self.beat().await;
                }
            }
            Order::Count { share, body } => self.count(share, body),
            Order::Rows { share, files } => self.rows.follow(&share, files),
            Order::RowsEnd { share } => self.rows.end(&share),
            Order::Rest => {
                self.rests = true;
                // Before it gives any slice back, so that none is on its way here.
                self.beat().await;
            }
            Order::GiveBack { share, slices, done } => {
                self.leases.give_back(&share, &slices, done).await;
                // The controller gives them to no other agent before it knows that.
                self.beat().await;
            }
            Order::Leave => return true,
        }
        false
    }

    fn count(&mut self, share: String, body: Body) {
        let up = AgentMessage { agent: self.attend.agent.clone(), share, seq: self.seq, body };
        match postcard::to_stdvec(&up) {
            Ok(bytes) => {
                self.sender.push(self.seq, bytes);
                self.seq += 1;
            }
            Err(error) => self.tell(Event::Say(format!("cannot write figures: {error}"))),
        }
    }

    /// Leases are looked at.
    fn look(&mut self) {
        let over = self.leases.look(swell_net::boot_ns());
        if let Some(until_ns) = self.leases.until_ns() {
            (self.attend.on_lease)(until_ns);
        }
        if !over.is_empty() {
            self.ask_again(&over);
            self.tell(Event::LeasesOver(over));
        }
    }

    /// Sends what is left, for a while.
    async fn leave(&mut self) {
        // When the run has finished, figures are no longer awaited.
        if self.sender.flush(if self.over { TICK } else { TO_FLUSH }).await {
            // All is acknowledged; what is left are signs of life.
            let _ = tokio::time::timeout(TICK, self.client.flush()).await;
        }
    }
}
