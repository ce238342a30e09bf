//! A controller: the program's coordinator, with the ways of the model. It does what
//! `ControllerSession` of `swell-fleet` does.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use swell_fleet::OnLoss;
use swell_fleet::coordinator::{Action, CoordinatorOptions, End, RunCoordinator};
use swell_fleet::outbox::Sender;
use swell_fleet::wire::{self, Claim, ControllerMessage, Grant, Heartbeat};
use swell_net::{now_ns, sleep_until};
use tokio::sync::mpsc::UnboundedReceiver;

use super::broker::{Client, FromBroker};
use super::options::FleetOptions;

const TICK_NS: i64 = 100_000_000;
/// How long the last messages for the agents may take.
const TO_SEND: std::time::Duration = std::time::Duration::from_secs(15);

/// What a controller came to.
#[derive(Default)]
pub(super) struct Led {
    /// Samples of all intervals that it handed on.
    pub(super) counted: u64,
    /// The seconds of those intervals, in their order.
    pub(super) closed_s: Vec<i64>,
    /// What it received of agents, in its order.
    pub(super) received: Vec<Bytes>,
    /// Lines for the user.
    pub(super) said: Vec<String>,
    /// How the run ended; none: not under this controller.
    pub(super) end: Option<Box<End>>,
    pub(super) handed_over: bool,
}

pub(super) type SharedLed = Rc<RefCell<Led>>;

fn coordinator_options(options: &FleetOptions) -> CoordinatorOptions {
    CoordinatorOptions {
        agents: options.agents as usize,
        named: Vec::new(),
        timeout_ns: 60_000_000_000,
        begin_without: true,
        on_loss: OnLoss::Redistribute,
        multiply: false,
        slices: Some(options.slices),
        allow_skew: true,
        interval_s: options.interval_s,
        phase_timeout_ns: 60_000_000_000,
    }
}

struct Session {
    client: Client,
    coordinator: RunCoordinator,
    words: Sender<Client>,
    word: u64,
    led: SharedLed,
}

/// Leads a run to its end; `takes_over`: the run of another controller.
pub(super) async fn lead(
    options: FleetOptions,
    client: Client,
    mut inbox: UnboundedReceiver<FromBroker>,
    led: SharedLed,
    takes_over: bool,
) {
    let prefix = format!("controller-{}", client.number());
    let words = Sender::new(client.clone(), "log".to_owned(), prefix, "/nowhere".into(), 1);
    let coordinator = RunCoordinator::new(coordinator_options(&options), now_ns());
    let mut session = Session { client, coordinator, words, word: 0, led };
    if takes_over {
        session.replay();
    } else {
        session.send(&ControllerMessage::Manifest);
    }
    let mut tick_ns = now_ns();
    let mut ticks = 0_u32;
    loop {
        tokio::select! {
            biased;
            () = session.words.go_on() => {}
            message = inbox.recv() => match message {
                Some(message) => session.hear(message),
                None => return,
            },
            () = sleep_until(tick_ns) => {
                tick_ns = now_ns() + TICK_NS;
                session.coordinator.tick(now_ns());
                if ticks.is_multiple_of(10) {
                    session.client.announce();
                }
                ticks += 1;
            }
        }
        if session.act() {
            // The log brings the end to agents; they may also be gone.
            session.words.flush(TO_SEND).await;
            return;
        }
    }
}

impl Session {
    fn send(&mut self, word: &ControllerMessage) {
        let bytes = serde_json::to_vec(word).expect("a message has a form in JSON");
        self.words.push(self.word, bytes);
        self.word += 1;
    }

    fn replay(&mut self) {
        let (log, measured) = self.client.past();
        for word in log {
            let word = serde_json::from_slice::<ControllerMessage>(&word).expect("as it was sent");
            self.coordinator.replay(&word, now_ns());
        }
        for message in measured {
            self.count(&message);
        }
    }

    fn count(&mut self, message: &Bytes) {
        self.led.borrow_mut().received.push(message.clone());
        let up = wire::up(message).expect("as it was sent");
        if self.coordinator.speaks(&up.agent, &up.agent) {
            self.coordinator.up(up, now_ns());
        }
    }

    fn hear(&mut self, message: FromBroker) {
        match message {
            FromBroker::Heartbeat(heart) => {
                let heart = serde_json::from_slice::<Heartbeat>(&heart).expect("as it was sent");
                if self.coordinator.speaks(&heart.agent, &heart.agent) {
                    self.coordinator.heartbeat(heart, now_ns());
                }
            }
            FromBroker::Run(by) if by == self.client.number() => self.coordinator.hears(now_ns()),
            FromBroker::Run(by) if by > self.client.number() => self.coordinator.hand_over(),
            FromBroker::Claim(claim, reply) => {
                let grant = match serde_json::from_slice::<Claim>(&claim) {
                    Ok(claim) => self.coordinator.claim(&claim, now_ns()),
                    Err(error) => Grant::No { why: error.to_string() },
                };
                let answer = serde_json::to_vec(&grant).expect("a grant has a form in JSON");
                self.client.answer(reply, answer.into());
            }
            FromBroker::Measured(message) => self.count(&message),
            FromBroker::Run(_) | FromBroker::Word(_) | FromBroker::Slice(_) => {}
        }
    }

    /// Does what the coordinator decided. True at the end.
    fn act(&mut self) -> bool {
        for action in self.coordinator.take_actions() {
            match action {
                Action::Send(word) => self.send(&word),
                Action::Slice(slices) => self.client.offer(slices),
                Action::Counted(at_s, counted) => {
                    let samples: u64 = counted.rows.iter().map(|row| row.stats.samples).sum();
                    let mut led = self.led.borrow_mut();
                    led.counted += samples;
                    led.closed_s.push(at_s);
                }
                Action::Say(text) => {
                    let at_s = self.client.now_ns() as f64 / 1e9;
                    self.led.borrow_mut().said.push(format!("{at_s:.3} {text}"));
                }
                Action::HandOver(_) => {
                    self.led.borrow_mut().handed_over = true;
                    return true;
                }
                Action::Finish(end) => {
                    let over = serde_json::to_vec(&ControllerMessage::Over);
                    self.client.tell_agents(over.expect("a message has a form in JSON").into());
                    self.led.borrow_mut().end = Some(end);
                    return true;
                }
                Action::Begin | Action::Busy(_) | Action::Failure(..) => {}
            }
        }
        false
    }
}
