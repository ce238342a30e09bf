//! The controller's side: makes the streams of a run, hears its agents, and does what the desk
//! decides.

mod rows;

use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::{self, Context, object_store, stream};
use async_nats::{Client, HeaderMap, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::{CONSUMER, Names, RUNS, connect, objects, speaker_of};
use crate::coordinator::{Action, CoordinatorOptions, End, RunCoordinator};
use crate::lease::LEASE;
use crate::outbox::Sender;
use crate::wire::{self, Claim, ControllerMessage, Grant, Heartbeat, Hello, Manifest};
use crate::{FleetError, Join};

pub(crate) use rows::FetchedRows;
use rows::{ReceivedPiece, RowCollector};

/// Header of an announcement: which controller leads the run.
const CONTROLLER: &str = "Swell-Controller";

const TICK: Duration = Duration::from_millis(100);
/// How long a broker that is away is waited for with a word that has to reach it.
const TO_SEND: Duration = Duration::from_secs(15);

/// How a controller leads a run.
pub(crate) struct LeadOptions {
    pub(crate) join: Join,
    pub(crate) manifest: Manifest,
    /// The files of the manifest.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) coordinator: CoordinatorOptions,
    /// The run is already running: its controller was lost.
    pub(crate) takes_over: bool,
    /// Where rows of agents are put.
    pub(crate) rows_folder: PathBuf,
}

/// To the thread of the bus.
pub(crate) enum Order {
    Change(swell_engine::LoadChange),
    Stop(swell_engine::Stopped),
    /// Results files are ready, or not.
    Begun(Result<(), String>),
}

/// From it, in order.
pub(crate) enum Report {
    Begin,
    Counted(i64, Box<swell_stats::Snapshot>),
    Busy(swell_stats::Load),
    /// A failure that an agent of that name kept.
    Failure(String, Vec<u8>),
    Say(String),
    Status(Box<swell_engine::Status>),
    /// The end, with files of rows by their listener.
    End(Box<End>, FetchedRows),
}

/// Leads a run to its end.
pub(crate) async fn lead(
    lead: LeadOptions,
    mut orders: UnboundedReceiver<Order>,
    reports: std::sync::mpsc::SyncSender<Report>,
) -> Result<(), FleetError> {
    let names = Names::new(&lead.manifest.run);
    let client = connect(&lead.join, "swell controller").await?;
    let clock = connect(&lead.join, "swell clock").await?;
    let jet = jetstream::new(client.clone());
    let streams = Box::pin(Streams::make(&jet, &names)).await?;
    let answering =
        tokio::spawn(answer_clock(clock.subscribe(names.clock()).await.map_err(cannot)?, clock.clone()));
    let mut hearts = client.subscribe(names.heartbeat("*")).await.map_err(cannot)?;
    let mut claims = client.subscribe(names.claim("*")).await.map_err(cannot)?;
    let mut coordinator = RunCoordinator::new(lead.coordinator.clone(), swell_net::now_ns());
    let mut echoes = client.subscribe(RUNS).await.map_err(cannot)?;
    let rows = RowCollector::new(streams.rows.clone(), lead.rows_folder.clone()).await?;
    let mut side = ControllerSession::new(client, jet, names, (streams, rows), reports, &lead);
    if lead.takes_over {
        side.replay(&mut coordinator).await?;
        side.send(&ControllerMessage::RowsAgain)?;
    } else {
        side.publish_plan(&lead).await?;
    }
    let mut measured = side.streams.measured().await?;
    let mut ticks = tokio::time::interval(TICK);
    let mut told = 0_u32;
    loop {
        tokio::select! {
            Some(message) = hearts.next() => hear_heart(&message, &mut coordinator),
            Some(message) = echoes.next() => side.hear_of_runs(&message, &mut coordinator),
            () = side.words.go_on() => {}
            Some(message) = claims.next() => side.answer_claim(&mut coordinator, &message).await,
            Some(message) = measured.next() => match message {
                Ok(message) => {
                    if let Ok(up) = wire::up(&message.payload)
                        && coordinator.speaks(&up.agent, speaker_of(&message.subject))
                    {
                        coordinator.up(up, swell_net::now_ns());
                    }
                }
                // An ordered consumer restarts itself; what is missing comes then.
                Err(_) => tokio::time::sleep(TICK).await,
            },
            piece = side.rows.next() => side.heard_rows(piece, &mut coordinator),
            Some(order) = orders.recv() => side.obey(order, &mut coordinator),
            _ = ticks.tick() => {
                coordinator.tick(swell_net::now_ns());
                told += 1;
                side.tell(&coordinator, told).await;
            }
        }
        let is_over = match side.act(&mut coordinator).await {
            Ok(is_over) => is_over,
            Err(error) => {
                // What was measured is reported anyway.
                coordinator.give_up(error.to_string());
                side.act(&mut coordinator).await?
            }
        };
        if is_over {
            answering.abort();
            return Ok(());
        }
    }
}

/// A sign of life. One of another version may have other fields; what is none at all says nothing.
fn hear_heart(message: &async_nats::Message, coordinator: &mut RunCoordinator) {
    let bytes = &message.payload;
    match serde_json::from_slice::<Heartbeat>(bytes) {
        Ok(heart) => {
            if coordinator.speaks(&heart.agent, speaker_of(&message.subject)) {
                coordinator.heartbeat(heart, swell_net::now_ns());
            }
        }
        Err(_) => {
            if let Ok(hello) = serde_json::from_slice::<Hello>(bytes) {
                coordinator.strange_heartbeat(hello);
            }
        }
    }
}

/// What agents of a run were told when it began.
pub(crate) async fn manifest_of(join: Join, run: String) -> Result<Manifest, FleetError> {
    let client = connect(&join, "swell controller").await?;
    let store = jetstream::new(client).get_object_store(Names::new(&run).objects()).await;
    let store = store.map_err(|error| {
        FleetError::new(format!("run `{run}` not found on the broker at {} ({error})", join.place()))
            .hint("the controller of a run prints its name at the start: `The run is …`")
    })?;
    let manifest = objects::manifest(&store).await?;
    match manifest.unreadable() {
        Some(why) => Err(FleetError::new(why)),
        None => Ok(manifest),
    }
}

/// Answers with when a request came, and when the answer went.
async fn answer_clock(mut requests: Subscriber, client: Client) {
    while let Some(request) = requests.next().await {
        let received_ns = swell_net::now_ns();
        let Some(reply) = request.reply else { continue };
        let mut times = received_ns.to_le_bytes().to_vec();
        times.extend(swell_net::now_ns().to_le_bytes());
        // The agent asks again.
        let _ = client.publish(reply, times.into()).await;
    }
}

fn cannot(error: impl std::fmt::Display) -> FleetError {
    FleetError::new(format!("broker: {error}"))
}

/// The streams of a run.
pub(super) struct Streams {
    pub(super) work: stream::Stream,
    measurements: stream::Stream,
    rows: stream::Stream,
    log: stream::Stream,
    objects: ObjectStore,
}

impl Streams {
    pub(super) async fn make(jet: &Context, names: &Names) -> Result<Self, FleetError> {
        let of = |name: String, subject: String| stream::Config {
            name,
            subjects: vec![subject],
            storage: stream::StorageType::File,
            discard: stream::DiscardPolicy::New,
            ..stream::Config::default()
        };
        let work = stream::Config {
            retention: stream::RetentionPolicy::WorkQueue,
            ..of(names.work_stream(), format!("sw.{}.work.>", names.run))
        };
        let measurements = stream::Config {
            duplicate_window: Duration::from_mins(2),
            ..of(names.measurements_stream(), names.measured("*"))
        };
        let rows = stream::Config {
            duplicate_window: Duration::from_mins(2),
            ..of(names.rows_stream(), names.rows("*"))
        };
        let log = of(names.log_stream(), names.log());
        let objects = object_store::Config { bucket: names.objects(), ..object_store::Config::default() };
        let work = jet.get_or_create_stream(work).await.map_err(cannot)?;
        work.get_or_create_consumer(
            CONSUMER,
            pull::Config {
                durable_name: Some(CONSUMER.to_owned()),
                ack_policy: AckPolicy::Explicit,
                ack_wait: LEASE,
                max_ack_pending: 10_000,
                ..pull::Config::default()
            },
        )
        .await
        .map_err(cannot)?;
        Ok(Self {
            work,
            measurements: jet.get_or_create_stream(measurements).await.map_err(cannot)?,
            rows: jet.get_or_create_stream(rows).await.map_err(cannot)?,
            log: jet.get_or_create_stream(log).await.map_err(cannot)?,
            objects: match jet.get_object_store(names.objects()).await {
                Ok(there) => there,
                Err(_) => jet.create_object_store(objects).await.map_err(cannot)?,
            },
        })
    }

    /// All that agents counted, from the first message on.
    async fn measured(&self) -> Result<pull::Ordered, FleetError> {
        ordered(&self.measurements).await
    }
}

pub(super) async fn ordered(stream: &stream::Stream) -> Result<pull::Ordered, FleetError> {
    let config = pull::OrderedConfig { deliver_policy: DeliverPolicy::All, ..pull::OrderedConfig::default() };
    let consumer = stream.create_consumer(config).await.map_err(cannot)?;
    consumer.messages().await.map_err(cannot)
}

struct ControllerSession {
    client: Client,
    jet: Context,
    names: Names,
    streams: Streams,
    rows: RowCollector,
    reports: std::sync::mpsc::SyncSender<Report>,
    /// Messages for the agents that the broker does not have yet.
    words: Sender<Context>,
    /// Number of the next word.
    word: u64,
    /// The name of this controller among those of the run: later ones sort after it.
    own: String,
}

impl ControllerSession {
    fn report(&self, report: Report) {
        // The receiver is gone only after the end.
        let _ = self.reports.send(report);
    }

    fn new(
        client: Client,
        jet: Context,
        names: Names,
        (streams, rows): (Streams, RowCollector),
        reports: std::sync::mpsc::SyncSender<Report>,
        lead: &LeadOptions,
    ) -> Self {
        let own = format!("{:020}-{}", swell_net::now_ns(), crate::run_id::secret());
        // Another controller may have led the run before, with different numbers.
        let prefix = format!("{}/controller-{own}", names.run);
        // One at a time: messages have an order.
        let words = Sender::new(jet.clone(), names.log(), prefix, lead.rows_folder.join("unsent"), 1);
        Self { client, jet, names, streams, rows, reports, words, word: 0, own }
    }

    /// Gives agents the files and the manifest of the run.
    async fn publish_plan(&mut self, lead: &LeadOptions) -> Result<(), FleetError> {
        for (entry, path) in lead.manifest.files.iter().zip(&lead.files) {
            objects::put(&self.streams.objects, &entry.object, path).await?;
        }
        objects::put_manifest(&self.streams.objects, &lead.manifest).await?;
        self.send(&ControllerMessage::Manifest)?;
        if self.words.flush(TO_SEND).await {
            return Ok(());
        }
        Err(FleetError::new("the broker does not accept messages for the agents"))
    }

    fn obey(&self, order: Order, coordinator: &mut RunCoordinator) {
        match order {
            Order::Change(change) => coordinator.change(change),
            Order::Stop(how) => coordinator.stop(how),
            Order::Begun(Ok(())) => {}
            Order::Begun(Err(why)) => {
                self.say(why);
                coordinator.stop(swell_engine::Stopped::Immediate);
            }
        }
    }

    /// How the run goes, each second look, and that it is led, each tenth.
    async fn tell(&self, coordinator: &RunCoordinator, looks: u32) {
        if looks.is_multiple_of(2)
            && let Some(status) = coordinator.status()
        {
            self.report(Report::Status(Box::new(status)));
        }
        if looks % 10 == 1 {
            // Agents that wait for any run learn of this one. The next word comes in a second.
            let mut headers = HeaderMap::new();
            headers.insert(CONTROLLER, self.own.as_str());
            let _ =
                self.client.publish_with_headers(RUNS, headers, Bytes::from(self.names.run.clone())).await;
        }
    }

    /// A run is announced: by this controller, which so knows that it hears the broker, or by
    /// another that leads the same run.
    fn hear_of_runs(&self, message: &async_nats::Message, coordinator: &mut RunCoordinator) {
        if message.payload != self.names.run.as_bytes() {
            return;
        }
        let by = message.headers.as_ref().and_then(|headers| headers.get(CONTROLLER));
        match by.map(async_nats::HeaderValue::as_str) {
            Some(own) if own == self.own => coordinator.hears(swell_net::now_ns()),
            // If two lead a run, the later one was started to take it over.
            Some(other) if other > self.own.as_str() => coordinator.hand_over(),
            _ => {}
        }
    }

    fn heard_rows(&mut self, piece: Option<ReceivedPiece>, coordinator: &mut RunCoordinator) {
        if let Some(ReceivedPiece { speaker, piece }) = piece
            && coordinator.speaks_for(&piece.share, &speaker)
        {
            coordinator.rows_came(&piece.share, swell_net::now_ns());
            self.rows.add(piece);
        }
        if let Some(why) = self.rows.take_failure() {
            self.say(why);
        }
    }

    fn say(&self, text: String) {
        self.report(Report::Say(text));
    }

    /// A message to all agents. It is queued until the broker has it, in the order of all messages.
    fn send(&mut self, down: &ControllerMessage) -> Result<(), FleetError> {
        self.words.push(self.word, serde_json::to_vec(down).map_err(cannot)?);
        self.word += 1;
        Ok(())
    }

    async fn answer_claim(&self, coordinator: &mut RunCoordinator, message: &async_nats::Message) {
        let grant = match serde_json::from_slice::<Claim>(&message.payload) {
            Ok(claim) if !coordinator.speaks(&claim.agent, speaker_of(&message.subject)) => {
                Grant::No { why: "the request is from another agent".to_owned() }
            }
            Ok(claim) => coordinator.claim(&claim, swell_net::now_ns()),
            Err(error) => Grant::No { why: format!("cannot read the request: {error}") },
        };
        let Some(reply) = &message.reply else { return };
        // The agent asks again.
        let _ =
            self.client.publish(reply.clone(), serde_json::to_vec(&grant).unwrap_or_default().into()).await;
    }

    /// What another controller of this run had said.
    async fn replay(&self, coordinator: &mut RunCoordinator) -> Result<(), FleetError> {
        let mut log = ordered(&self.streams.log).await?;
        let last = self.streams.log.cached_info().state.last_sequence;
        let mut seen = 0;
        while seen < last {
            let next = tokio::time::timeout(Duration::from_secs(5), log.next()).await;
            let Ok(Some(Ok(message))) = next else { break };
            seen = message.info().map_err(cannot)?.stream_sequence;
            if let Ok(down) = serde_json::from_slice::<ControllerMessage>(&message.payload) {
                coordinator.replay(&down, swell_net::now_ns());
            }
        }
        Ok(())
    }

    /// Does what the desk decided. True at the end of the run.
    async fn act(&mut self, coordinator: &mut RunCoordinator) -> Result<bool, FleetError> {
        for action in coordinator.take_actions() {
            match action {
                Action::Send(down) => self.send(&down)?,
                Action::Slice(slices) => self.cut(slices).await?,
                Action::Begin => self.report(Report::Begin),
                Action::Counted(at_s, counted) => self.report(Report::Counted(at_s, counted)),
                Action::Busy(load) => self.report(Report::Busy(load)),
                Action::Failure(agent, packed) => self.report(Report::Failure(agent, packed)),
                Action::Say(text) => self.say(text),
                Action::HandOver(end) => {
                    self.report(Report::End(end, FetchedRows::default()));
                    return Ok(true);
                }
                Action::Finish(end) => {
                    // An agent that misses it reads the same in the log.
                    let _ = self.client.publish(self.names.over(), Bytes::new()).await;
                    if !self.words.flush(TO_SEND).await {
                        self.say("the broker did not accept the final messages for the agents".into());
                    }
                    let (rows, said) = self.rows.end(&end.rows, coordinator).await;
                    for line in said {
                        self.say(line);
                    }
                    self.report(Report::End(end, rows));
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    async fn cut(&self, slices: u32) -> Result<(), FleetError> {
        for slice in 0..slices {
            self.offer(slice).await?;
        }
        let _ = &self.streams.work;
        Ok(())
    }

    /// Gives a slice to the broker, once, also where that is away for a while.
    async fn offer(&self, slice: u32) -> Result<(), FleetError> {
        let began = tokio::time::Instant::now();
        let id = format!("{}/slice-{slice}", self.names.run);
        loop {
            let mut headers = HeaderMap::new();
            headers.insert("Nats-Msg-Id", id.as_str());
            let payload = Bytes::from(slice.to_string());
            let put = match self.jet.publish_with_headers(self.names.work(slice), headers, payload).await {
                Ok(ack) => ack.await.map(drop),
                Err(error) => Err(error),
            };
            match put {
                Err(_) if began.elapsed() < TO_SEND => tokio::time::sleep(TICK).await,
                put => return put.map_err(cannot),
            }
        }
    }
}

/// Gives orders to the thread of the bus.
pub(crate) type Orders = UnboundedSender<Order>;
