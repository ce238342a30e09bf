//! An agent's side: finds its run, sets its clock, holds its slices, and sends what it counts.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::Sender as Events;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::{self, AckKind, Message};
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc::UnboundedReceiver;

use super::controller::ordered;
use super::leases::Leases;
use super::sender::{IN_FLIGHT, Sender};
use super::{CONSUMER, Fetched, Names, RUNS, connect, objects};
use crate::offset::{Exchange, Offset, estimate};
use crate::wire::{Body, Claim, Down, Grant, Heartbeat, LeftOff, Manifest, PROTOCOL, State, Up};
use crate::{FleetError, Join};

const TICK: Duration = Duration::from_millis(100);
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How long the streams of a run are waited for.
const RUN_APPEARS: Duration = Duration::from_mins(1);
/// Requests for the time in a round, and rounds before the test.
const EXCHANGES: usize = 16;
const ROUNDS: usize = 5;
/// How often the clock is compared during the test.
const COMPARE: Duration = Duration::from_mins(1);
/// How long a controller that does not answer is asked for a slice.
const ASK: Duration = Duration::from_mins(1);

/// How long files that do not come are asked for.
const TO_FETCH: Duration = Duration::from_secs(25);

/// How long figures that wait may take at the end.
const TO_FLUSH: Duration = Duration::from_secs(30);

/// How long a slice that is another's rests before it is offered again.
const GIVEN_BACK: Duration = Duration::from_millis(200);

/// Who takes part.
#[derive(Clone)]
pub(crate) struct Attend {
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
}

/// To the thread of the bus.
pub(crate) enum Order {
    State(State),
    Count { share: String, body: Body },
    Put { object: String, path: PathBuf },
    GiveBack { slices: Vec<u32>, done: bool },
    Leave,
}

/// A slice that the agent has.
pub(crate) struct Granted {
    pub(crate) slice: u32,
    pub(crate) from: u8,
    pub(crate) taken_over: Option<LeftOff>,
}

/// From it.
pub(crate) enum Event {
    /// The run, with its files.
    Run(Box<Fetched>),
    /// Slices for one share, whose name that is.
    Slices(String, Vec<Granted>),
    /// The controller says.
    Down(Down),
    /// These leases are over.
    LeasesOver(Vec<u32>),
    /// A file is in the object store, or not.
    Put(String, Result<(), FleetError>),
    /// Nobody leads the run any more.
    Abandoned,
    /// A line for who watches.
    Say(String),
}

/// Takes part in a run until it is left.
pub(crate) async fn attend(
    attend: Attend,
    mut orders: UnboundedReceiver<Order>,
    events: Events<Event>,
) -> Result<(), FleetError> {
    let client = connect(&attend.join, &format!("swell agent {}", attend.name)).await?;
    let jet = jetstream::new(client.clone());
    let joined = tokio::select! {
        joined = enter(&attend.join, &client, &jet) => Some(joined?),
        () = asked_to_leave(&mut orders) => None,
    };
    let Some(joined) = joined else { return Ok(()) };
    let (run, log) = (joined.run.clone(), joined.streams.0.clone());
    let mut side = Side::new(client, jet, joined, attend, events);
    side.beat().await;
    let mut runs = side.client.subscribe(RUNS).await.map_err(|error| FleetError::new(error.to_string()))?;
    let over = side.client.subscribe(side.names.over()).await;
    let mut over = over.map_err(|error| FleetError::new(error.to_string()))?;
    let mut words = ordered(&log).await?;
    let mut ticks = tokio::time::interval(TICK);
    let (mut beats, mut compares) = (tokio::time::interval(HEARTBEAT), tokio::time::interval(COMPARE));
    loop {
        tokio::select! {
            Some(word) = words.next() => match word {
                Ok(message) => if let Ok(down) = serde_json::from_slice::<Down>(&message.payload) {
                    side.hear(down).await?;
                },
                Err(_) => tokio::time::sleep(TICK).await,
            },
            Some(_) = over.next() => side.hear(Down::Over).await?,
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
            message = next_of(&mut side.pulled) => side.pulled(message),
            Some(claimed) = side.claims.next() => side.claimed(claimed).await,
            Some((object, put)) = side.putting.next() => side.tell(Event::Put(object, put)),
            drift = compared(&mut side.comparing) => { side.drift = drift; side.comparing = None; }
        }
        side.pull().await;
    }
}

/// The first run that a controller announces.
/// A run that was found.
struct Joined {
    run: String,
    names: Names,
    streams: RunStreams,
    clock: Offset,
}

/// Waits for a run, if it is not known which, and for what its controller makes.
async fn enter(join: &Join, client: &Client, jet: &jetstream::Context) -> Result<Joined, FleetError> {
    let run = match &join.run {
        Some(run) => run.clone(),
        None => next_run(client).await?,
    };
    let names = Names::new(&run);
    let streams = streams(jet, &names).await?;
    let clock = set_clock(client, &names).await?;
    Ok(Joined { run, names, streams, clock })
}

/// Before a run is found there is nothing else to be ordered.
async fn asked_to_leave(orders: &mut UnboundedReceiver<Order>) {
    while let Some(order) = orders.recv().await {
        if matches!(order, Order::Leave) {
            return;
        }
    }
}

async fn next_run(client: &Client) -> Result<String, FleetError> {
    let mut runs = client.subscribe(RUNS).await.map_err(|error| FleetError::new(error.to_string()))?;
    let ended = || FleetError::new("the broker is gone");
    let message = runs.next().await.ok_or_else(ended)?;
    Ok(String::from_utf8_lossy(&message.payload).into_owned())
}

type RunStreams = (jetstream::stream::Stream, ObjectStore, PullConsumer);

/// The streams of a run, which its controller may be about to make.
async fn streams(jet: &jetstream::Context, names: &Names) -> Result<RunStreams, FleetError> {
    let began = tokio::time::Instant::now();
    loop {
        let log = jet.get_stream(names.log_stream()).await;
        let store = jet.get_object_store(names.objects()).await;
        let work: Result<PullConsumer, _> = jet.get_consumer_from_stream(CONSUMER, names.work_stream()).await;
        match (log, store, work) {
            (Ok(log), Ok(store), Ok(work)) => return Ok((log, store, work)),
            (log, ..) if began.elapsed() > RUN_APPEARS => {
                let why = log.err().map(|error| format!(" ({error})")).unwrap_or_default();
                return Err(FleetError::new(format!("there is no run `{}` on this broker{why}", names.run))
                    .hint("use the line that the controller of this run printed"));
            }
            _ => tokio::time::sleep(TICK).await,
        }
    }
}

async fn exchange(client: &Client, subject: &str) -> Option<Exchange> {
    let sent_ns = swell_net::now_ns();
    let answer =
        tokio::time::timeout(Duration::from_secs(1), client.request(subject.to_owned(), Bytes::new())).await;
    let back_ns = swell_net::now_ns();
    let payload = answer.ok()?.ok()?.payload;
    let (received, answered) = payload.split_first_chunk::<8>()?;
    let answered = answered.first_chunk::<8>()?;
    let (received_ns, answered_ns) = (i64::from_le_bytes(*received), i64::from_le_bytes(*answered));
    Some(Exchange { sent_ns, received_ns, answered_ns, back_ns })
}

async fn measure(client: Client, subject: String, rounds: usize) -> Option<Offset> {
    let mut exchanges = Vec::new();
    for round in 0..rounds * EXCHANGES {
        exchanges.extend(exchange(&client, &subject).await);
        if round % EXCHANGES == EXCHANGES - 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    estimate(&exchanges)
}

/// Moves the clock of this process to the controller's.
async fn set_clock(client: &Client, names: &Names) -> Result<Offset, FleetError> {
    for _ in 0..30 {
        if let Some(found) = measure(client.clone(), names.clock(), ROUNDS).await {
            swell_net::shift_clock(found.offset_ns);
            return Ok(found);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Err(FleetError::new("the controller does not answer with its time: is it still there?"))
}

type Comparing = Pin<Box<dyn Future<Output = Offset>>>;

async fn compared(comparing: &mut Option<Comparing>) -> Offset {
    match comparing {
        Some(comparing) => comparing.await,
        None => std::future::pending().await,
    }
}

async fn next_of(pulled: &mut Option<pull::Batch>) -> Option<Message> {
    match pulled {
        // A message that cannot be had comes again.
        Some(batch) => batch.next().await.and_then(Result::ok),
        None => std::future::pending().await,
    }
}

/// A slice for which the controller was asked.
struct Claimed {
    share: String,
    slice: u32,
    epoch: u64,
    message: Message,
    signed_ns: i64,
    grant: Grant,
}

type Claiming = Pin<Box<dyn Future<Output = Option<Claimed>>>>;

/// A file on its way to the object store.
type Putting = Pin<Box<dyn Future<Output = (String, Result<(), FleetError>)>>>;

#[expect(clippy::struct_excessive_bools, reason = "each is a thing that has happened or is so for the run")]
struct Side {
    client: Client,
    names: Names,
    store: ObjectStore,
    work: PullConsumer,
    attend: Attend,
    events: Events<Event>,
    sender: Sender,
    leases: Leases,
    state: State,
    clock: Offset,
    drift: Offset,
    seq: u64,
    /// Shares named so far.
    shares: u64,
    /// Slices that are still to come for the first share.
    initial: Option<u32>,
    /// The first slices are more than workers: each is a share of its own, so that it can move to an agent that comes late.
    apart: bool,
    granted: Vec<Granted>,
    /// The test has begun: slices of lost agents are taken.
    goes: bool,
    redistribute: bool,
    pulled: Option<pull::Batch>,
    claims: FuturesUnordered<Claiming>,
    comparing: Option<Comparing>,
    putting: FuturesUnordered<Putting>,
    /// When the controller announced the run last.
    led: tokio::time::Instant,
    /// The run is over.
    over: bool,
}

impl Side {
    fn new(
        client: Client,
        jet: jetstream::Context,
        joined: Joined,
        attend: Attend,
        events: Events<Event>,
    ) -> Self {
        let Joined { run, names, streams: (_, store, work), clock } = joined;
        Self {
            sender: Sender::new(
                jet,
                names.measured(&attend.agent),
                format!("{run}/{}", attend.agent),
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
            pulled: None,
            claims: FuturesUnordered::new(),
            comparing: None,
            putting: FuturesUnordered::new(),
            led: tokio::time::Instant::now(),
            over: false,
            client,
            names,
            store,
            work,
            attend,
            events,
        }
    }

    fn tell(&self, event: Event) {
        // Who listens has left only at the end.
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
        };
        let bytes = serde_json::to_vec(&heart).unwrap_or_default();
        // The next one comes in a second.
        let _ = self.client.publish(self.names.heartbeat(&self.attend.agent), bytes.into()).await;
    }

    /// Another controller may lead the run on, but not for ever; users go on to the end of the plan in any case.
    fn look_for_controller(&self) {
        if self.led.elapsed() > self.attend.patience && self.leases.slices().is_empty() {
            self.tell(Event::Abandoned);
        }
    }

    fn compare(&mut self) {
        if self.comparing.is_none() {
            let measured = measure(self.client.clone(), self.names.clock(), 1);
            self.comparing = Some(Box::pin(async { measured.await.unwrap_or_default() }));
        }
    }

    async fn hear(&mut self, down: Down) -> Result<(), FleetError> {
        match &down {
            Down::Manifest => self.fetch().await?,
            Down::Take(takes) if self.initial.is_none() => {
                self.initial = takes.get(&self.attend.agent).copied();
                self.apart = self.initial.is_some_and(|slices| slices > self.attend.workers);
                self.shares += u64::from(self.initial.is_some() && !self.apart);
            }
            Down::Go { .. } => self.goes = true,
            Down::Over => self.over = true,
            _ => {}
        }
        self.tell(Event::Down(down));
        Ok(())
    }

    async fn fetch(&mut self) -> Result<(), FleetError> {
        let fetched = self.fetched().await;
        if let Err(error) = &fetched {
            self.state = State::Failed { why: error.message.clone() };
            self.beat().await;
            let _ = self.client.flush().await;
        }
        self.tell(Event::Run(Box::new(fetched?)));
        Ok(())
    }

    async fn fetched(&mut self) -> Result<Fetched, FleetError> {
        let began = tokio::time::Instant::now();
        loop {
            let fetched = self.fetched_once().await;
            // Many agents at once, or a broker that is away for a moment: what came and is wrong stays so.
            let may_come = |error: &FleetError| error.message.starts_with(objects::CANNOT_FETCH);
            match fetched {
                Err(error) if may_come(&error) && began.elapsed() < TO_FETCH => {
                    self.beat().await;
                    tokio::time::sleep(TICK).await;
                }
                fetched => return fetched,
            }
        }
    }

    async fn fetched_once(&mut self) -> Result<Fetched, FleetError> {
        let manifest: Manifest = objects::manifest(&self.store).await?;
        if let Some(why) = manifest.unreadable() {
            return Err(FleetError::new(why));
        }
        self.redistribute = manifest.redistribute;
        objects::fetch(&self.store, &manifest, &self.attend.folder).await?;
        Ok(Fetched { manifest })
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
            Order::Put { object, path } => {
                // Rows of a long test take their time: signs of life and for leases go on meanwhile.
                let store = self.store.clone();
                self.putting.push(Box::pin(async move {
                    let put = objects::put_patiently(&store, &object, &path).await;
                    (object, put)
                }));
            }
            Order::GiveBack { slices, done } => {
                self.leases.give_back(&slices, done).await;
                // The controller gives them to nobody else before it knows that.
                self.beat().await;
            }
            Order::Leave => return true,
        }
        false
    }

    fn count(&mut self, share: String, body: Body) {
        let up = Up { agent: self.attend.agent.clone(), share, seq: self.seq, body };
        match postcard::to_stdvec(&up) {
            Ok(bytes) => {
                self.sender.push(self.seq, bytes);
                self.seq += 1;
            }
            Err(error) => self.tell(Event::Say(format!("figures cannot be written: {error}"))),
        }
    }

    /// Leases are looked at.
    fn look(&mut self) {
        let over = self.leases.look(swell_net::now_ns());
        if let Some(until_ns) = self.leases.until_ns() {
            (self.attend.on_lease)(until_ns);
        }
        if !over.is_empty() {
            self.tell(Event::LeasesOver(over));
        }
    }

    /// Asks the broker for slices, as many as will be made.
    async fn pull(&mut self) {
        let wanted = match self.initial {
            Some(left) if left > 0 => left as usize,
            _ if self.goes && self.redistribute => 1,
            _ => return,
        };
        if self.pulled.is_some() || !self.claims.is_empty() {
            return;
        }
        let batch = self.work.batch().max_messages(wanted).expires(Duration::from_secs(2));
        // Where the broker is away, the next look asks again.
        self.pulled = batch.messages().await.ok();
    }

    fn pulled(&mut self, message: Option<Message>) {
        let Some(message) = message else {
            self.pulled = None;
            return;
        };
        if self.apart || self.initial.unwrap_or(0) == 0 {
            self.shares += 1;
        }
        let share = format!("{}.{}", self.attend.agent, self.shares);
        let (client, subject, agent) = (self.client.clone(), self.names.claim(), self.attend.agent.clone());
        self.claims.push(Box::pin(claim(client, subject, agent, share, message)));
    }

    async fn claimed(&mut self, claimed: Option<Claimed>) {
        let Some(Claimed { share, slice, epoch, message, signed_ns, grant }) = claimed else { return };
        match grant {
            // One that the broker does not hear of comes again when its time is over.
            Grant::Kept => drop(message.ack_with(AckKind::Nak(Some(GIVEN_BACK))).await),
            Grant::No { why } => {
                self.tell(Event::Say(format!("slice {slice}: {why}")));
                // What is done must not come again, to anybody.
                let _ = if why.ends_with("is done") { message.ack().await } else { Ok(()) };
            }
            Grant::Yes { from, taken_over } => {
                self.leases.add(slice, message, signed_ns);
                self.count(share.clone(), Body::Granted { slice, epoch });
                self.granted.push(Granted { slice, from, taken_over });
                if let Some(left) = self.initial.as_mut().filter(|left| **left > 0) {
                    *left -= 1;
                }
                if self.apart || self.initial.unwrap_or(0) == 0 {
                    let slices = std::mem::take(&mut self.granted);
                    self.look();
                    self.tell(Event::Slices(share, slices));
                }
            }
        }
    }

    /// Sends what is left, for a while.
    async fn leave(&mut self) {
        // When the run is over, nobody waits for figures any more.
        if self.sender.flush(if self.over { TICK } else { TO_FLUSH }).await {
            // All is acknowledged; what is left are signs of life.
            let _ = tokio::time::timeout(TICK, self.client.flush()).await;
        }
    }
}

/// Tells the broker that the slice has come, and asks the controller whether it may be made.
async fn claim(
    client: Client,
    subject: String,
    agent: String,
    share: String,
    message: Message,
) -> Option<Claimed> {
    let epoch = u64::try_from(message.info().ok()?.delivered).ok()?;
    let slice: u32 = std::str::from_utf8(&message.payload).ok()?.parse().ok()?;
    let request = Claim { agent, share: share.clone(), slice, epoch };
    let request = Bytes::from(serde_json::to_vec(&request).ok()?);
    let began = tokio::time::Instant::now();
    while began.elapsed() < ASK {
        let signed_ns = swell_net::now_ns();
        if message.double_ack_with(AckKind::Progress).await.is_err() {
            continue;
        }
        let answer =
            tokio::time::timeout(Duration::from_secs(2), client.request(subject.clone(), request.clone()));
        let Ok(Ok(answer)) = answer.await else {
            tokio::time::sleep(TICK).await;
            continue;
        };
        let grant = serde_json::from_slice(&answer.payload).ok()?;
        return Some(Claimed { share, slice, epoch, message, signed_ns, grant });
    }
    None
}
