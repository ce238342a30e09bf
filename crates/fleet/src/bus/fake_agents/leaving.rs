//! Slices that agents give back, and who has them then.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt as _;
use swell_stats::encoding::encode;
use swell_stats::verdict::Evidence;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::controlling::{broker, lead_of, lead_to_the_end};
use super::{Size, agents};
use crate::bus::agent::{Event, Order, attend};
use crate::bus::controller::Streams;
use crate::bus::{CONSUMER, Names, connect};
use crate::lease::Leases;
use crate::wire::{Body, ControllerMessage, ShareEnd, State};
use crate::{FleetError, Join};

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_mins(1);

/// An agent without an engine, whose orders are the test's.
struct Agent {
    orders: UnboundedSender<Order>,
    events: Receiver<Event>,
    thread: JoinHandle<Result<(), FleetError>>,
}

impl Agent {
    fn join(number: u32, join: &Join, folder: &Path) -> Self {
        let (orders, inbox) = unbounded_channel();
        let (to_us, events) = channel();
        let of_one = agents::attend_of(number, join, folder);
        let attending = crate::bus::spawn(async move || Box::pin(attend(of_one, inbox, to_us)).await);
        Self { orders, events, thread: attending.expect("a thread") }
    }

    fn order(&self, order: Order) {
        self.orders.send(order).expect("it takes part");
    }

    /// The next event that is wanted. It says that it is ready when it has the plan.
    fn wait<T>(&self, wanted: impl Fn(&Event) -> Option<T>) -> T {
        loop {
            let event = self.events.recv_timeout(LIMIT).expect("it comes");
            if matches!(event, Event::Run(_)) {
                self.order(Order::State(State::Ready));
            }
            if let Some(found) = wanted(&event) {
                return found;
            }
        }
    }

    fn wait_for_slice(&self) -> String {
        let share =
            self.wait(|event| if let Event::Slices(share, _) = event { Some(share.clone()) } else { None });
        self.order(Order::State(State::Running { held: Some(1) }));
        share
    }

    /// Ends the share: it is done, or is given up.
    fn end(&self, share: &str, given_up: Option<&str>) {
        let evidence = encode(&Evidence::default());
        let given_up = given_up.map(str::to_owned);
        let done = given_up.is_none();
        let end = ShareEnd { evidence, given_up, ..ShareEnd::default() };
        self.order(Order::Count { share: share.to_owned(), body: Body::End(Box::new(end)) });
        self.order(Order::GiveBack { share: share.to_owned(), slices: vec![0], done });
    }
}

#[test]
fn an_agent_that_is_about_to_leave_takes_no_slice_not_even_the_one_that_it_gave_up() {
    let Some((broker, run)) = broker() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let size = Size { agents: 1, labels: 1, seconds: 1, interval_s: 1 };
    let leads = lead_of(size, &run, broker.controller.clone(), folder.path().to_owned());
    let leading = std::thread::spawn(move || lead_to_the_end(leads));
    let first = Agent::join(0, &broker.agents[0], folder.path());
    let share = first.wait_for_slice();
    first.wait(|event| matches!(event, Event::Down(ControllerMessage::Go { phase: 1, .. })).then_some(()));
    first.order(Order::Rest);
    first.end(&share, Some("it received a request to leave"));
    // It could have the slice again long before another agent has joined.
    let second = Agent::join(1, &broker.agents[0], folder.path());
    let share = second.wait_for_slice();
    second.end(&share, None);
    let led = leading.join().expect("no panic");
    assert_eq!((led.end.failed, led.end.invalid), (None, None), "{:?}", led.said);
    for agent in [first, second] {
        agent.order(Order::Leave);
        agent.thread.join().expect("no panic").expect("it took part");
        let slices = agent.events.iter().filter(|event| matches!(event, Event::Slices(..))).count();
        assert_eq!(slices, 0, "{:?}", led.said);
    }
}

#[test]
fn what_a_share_gives_back_is_not_what_the_agent_has_for_another() {
    let Some((broker, run)) = broker() else { return };
    let join = broker.controller.clone();
    let names = Names::new(&run);
    let work = async move || {
        let client = connect(&join, "a test").await.expect("it connects");
        let jet = jetstream::new(client);
        let streams = Box::pin(Streams::make(&jet, &names)).await.expect("they are made");
        let taken = jet.publish(names.work(0), "0".into()).await.expect("it is sent");
        taken.await.expect("it is taken");
        let consumer: PullConsumer = streams.work.get_consumer(CONSUMER).await.expect("it is there");
        let mut slices = consumer.messages().await.expect("they come");
        let mut leases = Leases::default();
        for share in ["a.1", "a.2"] {
            let slice = slices.next().await.expect("it comes").expect("a message");
            leases.add(share.to_owned(), 0, slice, swell_net::now_ns());
            assert_eq!(leases.slices(), [0]);
            // The first has it no more after that; where the second has it by then, the first tells
            // its end late.
            leases.give_back("a.1", &[0], false).await;
        }
        assert_eq!(leases.slices(), [0], "it would be offered again forever");
        leases.give_back("a.2", &[0], true).await;
        assert_eq!(leases.slices(), [0; 0]);
    };
    crate::bus::spawn(work).expect("a thread").join().expect("no panic");
}
