//! A model of the broker: a queue of slices with leases, a stream of counts, a log, and the ways to
//! it. What it does is what nats-server does with the same operations, as far as the fleet uses
//! them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use rand::Rng;
use rand::rngs::SmallRng;
use swell_fleet::claims::Ask;
use swell_fleet::lease::{Answer, LEASE, WorkMessage};
use swell_fleet::outbox::Publish;
use swell_net::{boot_ns, now_ns, sleep_until};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::kernel::{Span, draws};
use crate::mail::Mail;

/// How long a client waits for an answer of the broker.
const ANSWER: Duration = Duration::from_secs(3);
/// How long it takes at most to connect again after a cut.
const CONNECT_NS: i64 = 1_000_000_000;

/// Passes this time.
pub(super) fn rest(time: Duration) -> Answer<()> {
    let until_ns = now_ns() + time.as_nanos() as i64;
    Box::pin(async move { sleep_until(until_ns).await })
}

/// A message of the broker to a client.
pub(super) enum FromBroker {
    /// A sign of life of an agent.
    Heartbeat(Vec<u8>),
    /// The controller's announcement of the run, by its number.
    Run(usize),
    /// An agent's claim of a slice, and where the answer goes.
    Claim(Bytes, Reply<Bytes>),
    /// What an agent counted.
    Measured(Bytes),
    /// A message of the controller to all agents.
    Word(Bytes),
    /// A slice; none: there was none in time.
    Slice(Option<Slice>),
}

/// The way of a client to the broker, and back.
pub(super) struct Way {
    pub(super) latency_ns: i64,
    /// When nothing passes to the broker, and from it.
    pub(super) cuts: [Vec<Span>; 2],
    /// When what comes from the broker takes longer, and by how much.
    pub(super) lags: Vec<(Span, i64)>,
    last_ns: [i64; 2],
    inbox: UnboundedSender<FromBroker>,
    is_controller: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Free { from_ns: i64 },
    Held { until_ns: i64 },
    Done,
}

struct Pull {
    client: usize,
    left: usize,
    until_ns: i64,
    /// When it was sent, on the clock of leases of its sender.
    asked_ns: i64,
}

/// All that the broker knows.
struct State {
    mail: Mail,
    draws: SmallRng,
    lost_answers: f64,
    stores_twice: bool,
    ways: Vec<Way>,
    /// Slices, and how often each was handed out.
    work: BTreeMap<u32, (Work, u64)>,
    pulls: Vec<Pull>,
    known: HashSet<String>,
    measured: Vec<Bytes>,
    log: Vec<Bytes>,
}

/// The broker; clones are the same.
#[derive(Clone)]
pub(super) struct Broker(Rc<RefCell<State>>);

/// Where an answer goes.
pub(super) struct Reply<T> {
    broker: Broker,
    client: usize,
    to: oneshot::Sender<T>,
}

impl<T: 'static> Reply<T> {
    pub(super) fn send(self, value: T) {
        let Self { broker, client, to } = self;
        let lost = {
            let mut state = broker.0.borrow_mut();
            let share = state.lost_answers;
            share > 0.0 && state.draws.random_bool(share)
        };
        if !lost {
            // The client may wait no more.
            broker.post(client, 1, true, move |_| drop(to.send(value)));
        }
    }
}

impl State {
    /// When a message that leaves now arrives; none: it is lost with a connection that breaks.
    fn arrival_ns(&mut self, client: usize, way: usize, may_be_lost: bool) -> Option<i64> {
        let sent_ns = self.mail.now_ns();
        let jitter = self.draws.random_range(1.0..1.3);
        let Way { latency_ns, cuts, lags, last_ns, .. } = &mut self.ways[client];
        let mut at_ns = sent_ns + (*latency_ns as f64 * jitter) as i64;
        let lag_ns = lags.iter().find(|(span, _)| span.contains(sent_ns)).map_or(0, |(_, by_ns)| *by_ns);
        at_ns += if way == 1 { lag_ns } else { 0 };
        while let Some(cut) = cuts[way].iter().find(|cut| cut.contains(at_ns)) {
            if may_be_lost && cut.from_ns > sent_ns {
                return None;
            }
            at_ns = cut.until_ns + self.draws.random_range(0..CONNECT_NS);
        }
        at_ns = at_ns.max(last_ns[way] + 1);
        last_ns[way] = at_ns;
        Some(at_ns)
    }
}

impl Broker {
    pub(super) fn new(mail: Mail, seed: u64, lost_answers: f64, stores_twice: bool) -> Self {
        Self(Rc::new(RefCell::new(State {
            mail,
            draws: draws(seed, "broker"),
            lost_answers,
            stores_twice,
            ways: Vec::new(),
            work: BTreeMap::new(),
            pulls: Vec::new(),
            known: HashSet::new(),
            measured: Vec::new(),
            log: Vec::new(),
        })))
    }

    /// A client of the broker, by its number.
    pub(super) fn client(
        &self,
        latency_ns: i64,
        (cuts, lags): ([Vec<Span>; 2], Vec<(Span, i64)>),
        inbox: UnboundedSender<FromBroker>,
        is_controller: bool,
    ) -> Client {
        let mut state = self.0.borrow_mut();
        state.ways.push(Way { latency_ns, cuts, lags, last_ns: [0; 2], inbox, is_controller });
        Client { broker: self.clone(), number: state.ways.len() - 1 }
    }

    /// World time.
    pub(super) fn now_ns(&self) -> i64 {
        self.0.borrow().mail.now_ns()
    }

    /// Sends something to the broker (0) or from it (1).
    fn post(&self, client: usize, way: usize, may_be_lost: bool, delivery: impl FnOnce(&Self) + 'static) {
        let (mail, at_ns) = {
            let mut state = self.0.borrow_mut();
            let at_ns = state.arrival_ns(client, way, may_be_lost);
            (state.mail.clone(), at_ns)
        };
        let broker = self.clone();
        if let Some(at_ns) = at_ns {
            mail.at(at_ns, move || delivery(&broker));
        }
    }

    /// Hands a message to a client, which may have ended.
    fn push(&self, client: usize, may_be_lost: bool, message: FromBroker) {
        self.post(client, 1, may_be_lost, move |broker| {
            let inbox = broker.0.borrow().ways[client].inbox.clone();
            drop(inbox.send(message));
        });
    }

    fn clients(&self, controllers: bool) -> Vec<usize> {
        let state = self.0.borrow();
        (0..state.ways.len()).filter(|client| state.ways[*client].is_controller == controllers).collect()
    }

    /// Stores a message unless it is known. False where it is.
    fn is_new(&self, id: &str) -> bool {
        let mut state = self.0.borrow_mut();
        let is_new = state.known.insert(id.to_owned());
        is_new || state.stores_twice
    }

    fn store_measured(&self, id: &str, payload: &Bytes) {
        if self.is_new(id) {
            self.0.borrow_mut().measured.push(payload.clone());
            for controller in self.clients(true) {
                self.push(controller, false, FromBroker::Measured(payload.clone()));
            }
        }
    }

    fn store_word(&self, id: &str, payload: &Bytes) {
        let is_new = self.0.borrow_mut().known.insert(id.to_owned());
        if is_new {
            self.0.borrow_mut().log.push(payload.clone());
            for agent in self.clients(false) {
                self.push(agent, false, FromBroker::Word(payload.clone()));
            }
        }
    }

    /// Puts slices into the queue.
    pub(super) fn offer(&self, slices: u32) {
        let now_ns = self.now_ns();
        for slice in 0..slices {
            self.0.borrow_mut().work.entry(slice).or_insert((Work::Free { from_ns: now_ns }, 0));
        }
        self.serve();
    }

    /// Hands out free slices to those who wait for some.
    fn serve(&self) {
        loop {
            let handed = {
                let mut state = self.0.borrow_mut();
                let now_ns = state.mail.now_ns();
                state.pulls.retain(|pull| pull.left > 0 && pull.until_ns > now_ns);
                if state.pulls.is_empty() {
                    return;
                }
                let is_free = |work: &Work| matches!(work, Work::Free { from_ns } if *from_ns <= now_ns);
                let free = state.work.iter().find(|(_, (work, _))| is_free(work)).map(|(slice, _)| *slice);
                let Some(slice) = free else { return };
                let until_ns = now_ns + LEASE.as_nanos() as i64;
                let entry = state.work.entry(slice).or_insert((Work::Done, 0));
                *entry = (Work::Held { until_ns }, entry.1 + 1);
                let epoch = entry.1;
                state.pulls[0].left -= 1;
                let Pull { client, asked_ns, .. } = state.pulls[0];
                let link = Client { broker: self.clone(), number: client };
                (Slice { number: slice, epoch, asked_ns, client: link }, until_ns)
            };
            let (handed, until_ns) = handed;
            let (client, slice) = (handed.client.number, handed.number);
            self.push(client, true, FromBroker::Slice(Some(handed)));
            self.look_at(slice, until_ns);
        }
    }

    /// Looks whether the lease of a slice has ended then.
    fn look_at(&self, slice: u32, at_ns: i64) {
        let broker = self.clone();
        let mail = self.0.borrow().mail.clone();
        mail.at(at_ns, move || {
            let next_ns = {
                let mut state = broker.0.borrow_mut();
                let now_ns = state.mail.now_ns();
                match state.work.get_mut(&slice) {
                    Some((work @ Work::Held { .. }, _)) => match *work {
                        Work::Held { until_ns } if until_ns > now_ns => Some(until_ns),
                        _ => {
                            *work = Work::Free { from_ns: now_ns };
                            None
                        }
                    },
                    _ => None,
                }
            };
            match next_ns {
                Some(next_ns) => broker.look_at(slice, next_ns),
                None => broker.serve(),
            }
        });
    }

    fn set_work(&self, slice: u32, set: impl FnOnce(Work, i64) -> Work) {
        let mut state = self.0.borrow_mut();
        let now_ns = state.mail.now_ns();
        if let Some((work, _)) = state.work.get_mut(&slice) {
            *work = set(*work, now_ns);
        }
    }

    fn give_back(&self, slice: u32, after_ns: i64) {
        let mut free_ns = None;
        self.set_work(slice, |work, now_ns| match work {
            Work::Held { .. } => {
                free_ns = Some(now_ns + after_ns);
                Work::Free { from_ns: now_ns + after_ns }
            }
            other => other,
        });
        let broker = self.clone();
        let mail = self.0.borrow().mail.clone();
        if let Some(free_ns) = free_ns {
            mail.at(free_ns, move || broker.serve());
        }
    }
}

/// A connection of a client to the broker.
#[derive(Clone)]
pub(super) struct Client {
    broker: Broker,
    number: usize,
}

impl Client {
    /// Asks the broker; none where no answer comes in time.
    fn request<T: 'static>(
        &self,
        time: Duration,
        ask: impl FnOnce(&Broker, Reply<T>) + 'static,
    ) -> Answer<Option<T>> {
        let (to, answer) = oneshot::channel();
        let client = self.number;
        let reply = Reply { broker: self.broker.clone(), client, to };
        self.broker.post(client, 0, true, move |broker| ask(broker, reply));
        let waits = rest(time);
        Box::pin(async move {
            tokio::select! {
                biased;
                Ok(answer) = answer => Some(answer),
                // Where the answer is lost, the client does not know.
                () = waits => None,
            }
        })
    }

    /// A message without an answer.
    fn tell(&self, message: impl FnOnce(&Broker) + 'static) {
        self.broker.post(self.number, 0, true, message);
    }

    pub(super) fn heartbeat(&self, heart: Vec<u8>) {
        self.tell(move |broker| {
            for controller in broker.clients(true) {
                broker.push(controller, true, FromBroker::Heartbeat(heart.clone()));
            }
        });
    }

    /// Announces the run.
    pub(super) fn announce(&self) {
        let number = self.number;
        self.tell(move |broker| {
            for client in broker.clients(true) {
                broker.push(client, true, FromBroker::Run(number));
            }
        });
    }

    /// A message to all agents that the broker does not keep.
    pub(super) fn tell_agents(&self, word: Bytes) {
        self.tell(move |broker| {
            for agent in broker.clients(false) {
                broker.push(agent, true, FromBroker::Word(word.clone()));
            }
        });
    }

    /// World time.
    pub(super) fn now_ns(&self) -> i64 {
        self.broker.now_ns()
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Answers a claim.
    pub(super) fn answer<T: 'static>(&self, reply: Reply<T>, value: T) {
        self.tell(move |_| reply.send(value));
    }

    /// Puts slices into the queue: sent until it has them.
    pub(super) fn offer(&self, slices: u32) {
        self.broker.post(self.number, 0, false, move |broker| broker.offer(slices));
    }

    /// Asks for slices.
    pub(super) fn pull(&self, left: usize, time: Duration) {
        let (client, asked_ns) = (self.number, boot_ns());
        self.tell(move |broker| {
            let until_ns = broker.now_ns() + time.as_nanos() as i64;
            broker.0.borrow_mut().pulls.push(Pull { client, left, until_ns, asked_ns });
            broker.serve();
            let mail = broker.0.borrow().mail.clone();
            let broker = broker.clone();
            mail.at(until_ns, move || broker.push(client, true, FromBroker::Slice(None)));
        });
    }

    /// All words from the first on, and those that come.
    pub(super) fn subscribe(&self) {
        let log = self.broker.0.borrow().log.clone();
        for word in log {
            self.broker.push(self.number, false, FromBroker::Word(word));
        }
    }

    /// All counts and words that there were before a controller came.
    pub(super) fn past(&self) -> (Vec<Bytes>, Vec<Bytes>) {
        let state = self.broker.0.borrow();
        (state.log.clone(), state.measured.clone())
    }
}

impl Publish for Client {
    fn publish(&self, subject: &str, id: &str, payload: Bytes) -> Answer<Result<(), String>> {
        let (is_word, id) = (subject == "log", id.to_owned());
        let answer = self.request(ANSWER, move |broker, reply| {
            if is_word {
                broker.store_word(&id, &payload);
            } else {
                broker.store_measured(&id, &payload);
            }
            reply.send(());
        });
        Box::pin(async move { answer.await.ok_or_else(|| "no answer".to_owned()) })
    }

    fn rest(&self, time: Duration) -> Answer<()> {
        rest(time)
    }
}

impl Ask for Client {
    fn ask(&self, claim: Bytes) -> Answer<Option<Bytes>> {
        self.request(Duration::from_secs(2), move |broker, reply: Reply<Bytes>| {
            // The latest controller answers.
            if let Some(controller) = broker.clients(true).last().copied() {
                broker.push(controller, true, FromBroker::Claim(claim, reply));
            }
        })
    }

    fn rest(&self, time: Duration) -> Answer<()> {
        rest(time)
    }
}

/// A slice as it was handed out.
#[derive(Clone)]
pub(super) struct Slice {
    number: u32,
    epoch: u64,
    /// When its holder asked for it.
    asked_ns: i64,
    client: Client,
}

impl Slice {
    pub(super) fn asked_ns(&self) -> i64 {
        self.asked_ns
    }
}

impl WorkMessage for Slice {
    fn slice(&self) -> Option<u32> {
        Some(self.number)
    }

    fn epoch(&self) -> Option<u64> {
        Some(self.epoch)
    }

    fn progress(&self) -> Answer<bool> {
        let slice = self.number;
        let answer = self.client.request(ANSWER, move |broker, reply| {
            // As nats-server: by the message, also from a former holder.
            broker.set_work(slice, |work, now_ns| match work {
                Work::Held { .. } => Work::Held { until_ns: now_ns + LEASE.as_nanos() as i64 },
                other => other,
            });
            reply.send(());
        });
        Box::pin(async move { answer.await.is_some() })
    }

    fn done(&self) -> Answer<bool> {
        let slice = self.number;
        let answer = self.client.request(ANSWER, move |broker, reply| {
            broker.set_work(slice, |_, _| Work::Done);
            reply.send(());
        });
        Box::pin(async move { answer.await.is_some() })
    }

    fn give_back(&self, after: Option<Duration>) -> Answer<()> {
        let (slice, after_ns) = (self.number, after.unwrap_or_default().as_nanos() as i64);
        self.client.tell(move |broker| broker.give_back(slice, after_ns));
        Box::pin(async {})
    }
}
