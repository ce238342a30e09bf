//! A server as a queue, with what loads it, in virtual time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand::Rng;
use rand::rngs::SmallRng;

/// How a server works. Times are seconds.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// Requests, or with [`Model::shares`] processors' worth of them, that are served at a time.
    pub(super) workers: u32,
    /// Mean time that a request takes of a worker.
    pub(super) service_s: f64,
    /// That time is exponential, not fixed.
    pub(super) varies: bool,
    /// All requests are served at once, and share the processors.
    pub(super) shares: bool,
    /// Time of a request that no worker takes.
    pub(super) way_s: f64,
    /// Requests that may wait for a worker, and what happens to more.
    pub(super) queue: Option<(usize, Overflow)>,
    /// Requests a second that are accepted.
    pub(super) admits_per_s: Option<f64>,
    /// Share of the requests that fail whatever the load.
    pub(super) fails: f64,
    /// Connections that are served; more wait for ever, or are closed.
    pub(super) places: Option<(u32, Overflow)>,
    /// Requests a second above which the network loses segments.
    pub(super) carries_per_s: Option<f64>,
    /// After this many requests all stand still for that time.
    pub(super) collects: Option<(u32, f64)>,
    /// Requests a second that the tool can send.
    pub(super) tool_per_s: Option<f64>,
}

/// What happens to a connection that finds no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overflow {
    /// It is refused or reset.
    Closes,
    /// It is not answered: the kernel asks again after 1, 2 and 4 s.
    Waits,
}

/// What makes requests.
#[derive(Clone, Copy, Debug)]
pub(super) enum Load {
    /// So many a second, by chance.
    Open(f64),
    /// Users, each with a pause after a response.
    Closed { users: u32, pause_s: f64 },
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    Refused,
    Reset,
    ConnectTimeout,
    TurnedDown,
    Error,
}

/// A request that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    /// When it was due.
    pub(super) due_s: f64,
    /// When the tool sent it.
    pub(super) sent_s: f64,
    pub(super) end_s: f64,
    /// How long its connection took, where it made one.
    pub(super) connect_s: Option<f64>,
    pub(super) failed: Option<Failed>,
}

/// What happened beside the requests.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Seconds of all workers that were busy.
    pub(super) busy_s: f64,
    /// Seconds in which all stood still to collect garbage.
    pub(super) collecting_s: f64,
    pub(super) connections: u64,
    /// Segments that a full queue dropped.
    pub(super) dropped: u64,
    pub(super) segments: u64,
    pub(super) lost: u64,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    due_s: f64,
    sent_s: f64,
    user: u32,
    tries: u32,
    connect_s: f64,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// The next arrival of an open load.
    Next,
    Arrives(Request),
    /// A worker has finished.
    Done(Request),
    /// The first of the requests that share has finished, if nothing changed since.
    Shared(u64),
    Ends(Request, Option<Failed>),
    /// All stood still until now.
    Resumes,
}

/// An event at its time; those of one instant in their order.
struct At(f64, u64, Event);

impl PartialEq for At {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for At {}
impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for At {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

/// Requests that share the processors: the work that each has had is the same from when it came.
#[derive(Default)]
struct Sharing {
    /// Work that a request had that was there from the start.
    work_s: f64,
    at_s: f64,
    /// Ends by work.
    ends: BinaryHeap<Reverse<At>>,
    version: u64,
}

/// A server under load.
pub(super) struct World<'a> {
    model: &'a Model,
    load: Load,
    random: SmallRng,
    now_s: f64,
    number: u64,
    events: BinaryHeap<Reverse<At>>,
    waiting: VecDeque<Request>,
    busy: u32,
    sharing: Sharing,
    tokens: (f64, f64),
    /// When the tool has sent what it has to.
    tool_free_s: f64,
    /// The rate that the network carries lately, and when that was.
    carried: (f64, f64),
    since_collection: u32,
    stopped: bool,
    rests: bool,
    in_flight: u64,
    pub(super) counts: Counts,
    pub(super) ended: Vec<Ended>,
}

impl<'a> World<'a> {
    pub(super) fn new(model: &'a Model, load: Load, mut random: SmallRng) -> Self {
        let mut events = BinaryHeap::new();
        match load {
            Load::Open(_) => events.push(Reverse(At(0.0, 0, Event::Next))),
            Load::Closed { users, .. } => {
                for user in 0..users {
                    let due_s = 0.2 * random.random::<f64>();
                    let request = Request { due_s, sent_s: due_s, user, tries: 0, connect_s: 0.0 };
                    events.push(Reverse(At(due_s, u64::from(user), Event::Arrives(request))));
                }
            }
        }
        Self {
            model,
            load,
            random,
            now_s: 0.0,
            number: u64::from(u32::MAX),
            events,
            waiting: VecDeque::new(),
            busy: 0,
            sharing: Sharing::default(),
            tokens: (0.0, 0.0),
            tool_free_s: 0.0,
            carried: (0.0, 0.0),
            since_collection: 0,
            stopped: false,
            rests: false,
            in_flight: 0,
            counts: Counts::default(),
            ended: Vec::new(),
        }
    }

    /// Nothing new is sent from now on.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    /// Requests that are not answered.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Everybody stands still from now on for so long.
    pub(super) fn rest(&mut self, seconds: f64) {
        self.share();
        self.rests = true;
        self.sharing.version += 1;
        self.at(self.now_s + seconds, Event::Resumes);
    }

    /// Until that time, or until nothing more happens.
    pub(super) fn run_until(&mut self, until_s: f64) {
        while self.events.peek().is_some_and(|at| at.0.0 <= until_s) {
            let Some(Reverse(At(at_s, _, event))) = self.events.pop() else { break };
            self.busy_until(at_s);
            self.happens(event);
        }
        self.busy_until(until_s);
    }

    fn busy_until(&mut self, at_s: f64) {
        let busy = match self.model.shares {
            true => f64::from(self.model.workers).min(self.sharing.ends.len() as f64),
            false => f64::from(self.busy),
        };
        self.counts.busy_s += busy * (at_s - self.now_s);
        self.now_s = at_s;
    }

    fn at(&mut self, at_s: f64, event: Event) {
        self.number += 1;
        self.events.push(Reverse(At(at_s, self.number, event)));
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Next => self.next(),
            Event::Arrives(request) => {
                if !self.stopped || request.tries > 0 {
                    self.arrives(request);
                }
            }
            Event::Done(request) => {
                self.busy -= 1;
                self.leaves(request);
                self.serve();
            }
            Event::Shared(version) if version == self.sharing.version => {
                self.share();
                if let Some(Reverse(At(_, _, Event::Ends(request, _)))) = self.sharing.ends.pop() {
                    self.leaves(request);
                }
                self.plan();
            }
            Event::Shared(_) => {}
            Event::Ends(request, failed) => self.ends(request, failed),
            Event::Resumes => {
                self.share();
                self.rests = false;
                self.plan();
                self.serve();
            }
        }
    }

    fn next(&mut self) {
        let Load::Open(per_s) = self.load else { return };
        if self.stopped {
            return;
        }
        let due_s = self.now_s;
        let next_s = due_s + self.exponential() / per_s;
        self.at(next_s, Event::Next);
        let sent_s = due_s.max(self.tool_free_s);
        self.tool_free_s = sent_s + self.model.tool_per_s.map_or(0.0, f64::recip);
        let request = Request { due_s, sent_s, user: 0, tries: 0, connect_s: 0.0 };
        if sent_s > due_s {
            self.at(sent_s, Event::Arrives(request));
        } else {
            self.arrives(request);
        }
    }

    fn exponential(&mut self) -> f64 {
        let part: f64 = self.random.random();
        -(1.0 - part).ln()
    }

    fn arrives(&mut self, request: Request) {
        const QUICK_S: f64 = 0.001;
        if request.tries == 0 {
            self.in_flight += 1;
        }
        let fail = |world: &mut Self, why| {
            world.at(world.now_s + QUICK_S + world.model.way_s, Event::Ends(request, Some(why)));
        };
        if self.model.fails > 0.0 && self.random.random_bool(self.model.fails) {
            return fail(self, Failed::Error);
        }
        if let Some((places, overflow)) = self.model.places
            && request.user >= places
        {
            // A connection that waits for ever ends with the trial.
            return match overflow {
                Overflow::Closes => fail(self, Failed::Reset),
                Overflow::Waits => {}
            };
        }
        if self.model.admits_per_s.is_some_and(|per_s| !self.is_admitted(per_s)) {
            return fail(self, Failed::TurnedDown);
        }
        if self.model.queue.is_some() {
            self.counts.connections += u64::from(request.tries == 0);
        }
        match self.model.queue {
            Some((longest, overflow)) if self.waiting.len() >= longest && self.busy >= self.model.workers => {
                self.finds_no_place(request, overflow);
            }
            _ if self.model.shares => {
                self.share();
                let work_s = self.sharing.work_s + self.work();
                self.number += 1;
                let end = At(work_s, self.number, Event::Ends(request, None));
                self.sharing.ends.push(Reverse(end));
                self.plan();
            }
            _ => {
                self.waiting.push_back(request);
                self.serve();
            }
        }
    }

    fn finds_no_place(&mut self, request: Request, overflow: Overflow) {
        const MOST: u32 = 3;
        self.counts.dropped += 1;
        let why = match overflow {
            Overflow::Closes => Failed::Refused,
            Overflow::Waits if request.tries >= MOST => Failed::ConnectTimeout,
            Overflow::Waits => {
                let again_s = f64::from(1 << request.tries);
                let connect_s = request.connect_s + again_s;
                let again = Request { tries: request.tries + 1, connect_s, ..request };
                return self.at(self.now_s + again_s, Event::Arrives(again));
            }
        };
        self.at(self.now_s + self.model.way_s, Event::Ends(request, Some(why)));
    }

    fn is_admitted(&mut self, per_s: f64) -> bool {
        let most = (0.1 * per_s).max(2.0);
        let (left, at_s) = self.tokens;
        let left = (left + per_s * (self.now_s - at_s)).min(most);
        let is_admitted = left >= 1.0;
        self.tokens = (if is_admitted { left - 1.0 } else { left }, self.now_s);
        is_admitted
    }

    fn work(&mut self) -> f64 {
        self.model.service_s * if self.model.varies { self.exponential() } else { 1.0 }
    }

    /// Gives free workers what waits.
    fn serve(&mut self) {
        while self.busy < self.model.workers && !self.rests {
            let Some(request) = self.waiting.pop_front() else { return };
            self.busy += 1;
            let work_s = self.work();
            self.at(self.now_s + work_s, Event::Done(request));
        }
    }

    /// The work that each request had until now.
    fn share(&mut self) {
        let passed_s = self.now_s - self.sharing.at_s;
        let many = self.sharing.ends.len() as f64;
        if !self.rests && many > 0.0 {
            self.sharing.work_s += passed_s * (f64::from(self.model.workers) / many).min(1.0);
        }
        self.sharing.at_s = self.now_s;
    }

    /// When the first of those that share ends.
    fn plan(&mut self) {
        self.sharing.version += 1;
        let Some(first_s) = self.sharing.ends.peek().map(|end| end.0.0).filter(|_| !self.rests) else {
            return;
        };
        let many = self.sharing.ends.len() as f64;
        let left_s = (first_s - self.sharing.work_s).max(0.0);
        let at_s = self.now_s + left_s / (f64::from(self.model.workers) / many).min(1.0);
        self.at(at_s, Event::Shared(self.sharing.version));
    }

    /// A response leaves the server.
    fn leaves(&mut self, request: Request) {
        self.collect();
        let mut way_s = self.model.way_s;
        if let Some(per_s) = self.model.carries_per_s {
            way_s += self.losses_s(per_s);
        }
        if way_s > 0.0 {
            self.at(self.now_s + way_s, Event::Ends(request, None));
        } else {
            self.ends(request, None);
        }
    }

    fn collect(&mut self) {
        let Some((every, seconds)) = self.model.collects else { return };
        self.since_collection += 1;
        if self.since_collection >= every {
            self.since_collection = 0;
            self.counts.collecting_s += seconds;
            self.rest(seconds);
        }
    }

    /// What the network adds: segments above what it carries are lost, and sent again after 200 ms,
    /// then 400 ms.
    fn losses_s(&mut self, per_s: f64) -> f64 {
        const OVER_S: f64 = 1.0;
        let (lately, at_s) = self.carried;
        let lately = lately * (-(self.now_s - at_s) / OVER_S).exp() + 1.0 / OVER_S;
        self.carried = (lately, self.now_s);
        let loss = (1.0 - per_s / lately).clamp(0.0, 0.9);
        let mut added_s = 0.0;
        let mut again_s = 0.2;
        self.counts.segments += 1;
        while loss > 0.0 && self.random.random_bool(loss) && again_s < 5.0 {
            self.counts.segments += 1;
            self.counts.lost += 1;
            added_s += again_s;
            again_s *= 2.0;
        }
        added_s
    }

    fn ends(&mut self, request: Request, failed: Option<Failed>) {
        self.in_flight -= 1;
        let connects = self.model.queue.is_some() && !matches!(failed, Some(Failed::Refused));
        self.ended.push(Ended {
            due_s: request.due_s,
            sent_s: request.sent_s,
            end_s: self.now_s,
            connect_s: connects.then_some(request.connect_s + self.model.way_s),
            failed,
        });
        let Load::Closed { pause_s, .. } = self.load else { return };
        let due_s = self.now_s + pause_s;
        let again = Request { due_s, sent_s: due_s, user: request.user, tries: 0, connect_s: 0.0 };
        self.at(due_s, Event::Arrives(again));
    }
}
