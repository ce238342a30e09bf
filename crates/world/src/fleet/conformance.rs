//! One script of operations for a broker, whose answers are the same from the model and from
//! nats-server: what the worlds of fleets prove holds only as far as this does.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use swell_fleet::lease::{Answer, WorkMessage};
use swell_fleet::outbox::Publish as _;
use swell_net::now_ns;
use tokio::sync::mpsc::unbounded_channel;

use super::broker::{Broker, Client, FromBroker, Slice, rest};
use crate::kernel::Clock;
use crate::world::in_world;

const MS: u64 = 1_000;
/// How long a slice is kept for its holder, seconds; redelivery may take a little longer.
const LEASE_S: std::ops::Range<f64> = 12.4..14.0;

/// A broker, with what a fleet asks of it.
pub trait BrokerUnderTest {
    /// A slice as it is handed out.
    type Slice: WorkMessage + 'static;
    /// Puts slices into the queue.
    fn offer(&self, slices: u32) -> Answer<()>;
    /// Asks for up to this many slices, and waits for them for this long.
    fn pull(&self, most: usize, wait: Duration) -> Answer<Vec<Self::Slice>>;
    /// Gives what an agent counted, by its id. Whether the broker has taken it.
    fn publish(&self, id: &str, payload: &'static str) -> Answer<bool>;
    /// All that was published, in its order.
    fn published(&self) -> Answer<Vec<Bytes>>;
    /// Passes this time.
    fn rest(&self, time: Duration) -> Answer<()>;
    /// A clock, seconds.
    fn now_s(&self) -> f64;
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Slices with the numbers of times that they were handed out.
fn named<S: WorkMessage>(slices: &[S]) -> String {
    let name = |slice: &S| format!("{:?}/{:?}", slice.slice().unwrap_or(999), slice.epoch().unwrap_or(999));
    slices.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// The answers of a broker to the script, a line each.
///
/// # Panics
/// A broker gives fewer slices than there are.
pub async fn answers<B: BrokerUnderTest>(broker: &B) -> Vec<String> {
    let mut said = Vec::new();
    broker.offer(4).await;
    let began_s = broker.now_s();
    let first = broker.pull(4, ms(2_000)).await;
    said.push(format!("all: {}", named(&first)));
    said.push(format!("no more: {}", named(&broker.pull(1, ms(300)).await)));
    let [kept, done, returned, rested] = &first[..] else { panic!("{said:?}") };
    said.push(format!("sign: {}", kept.progress().await));
    said.push(format!("done: {}", done.done().await));
    returned.give_back(None).await;
    let returned = broker.pull(1, ms(2_000)).await;
    said.push(format!("given back: {}", named(&returned)));
    rested.give_back(Some(ms(1_000))).await;
    said.push(format!("rests: {}", named(&broker.pull(1, ms(400)).await)));
    let rested = broker.pull(1, ms(3_000)).await;
    said.push(format!("has rested: {}", named(&rested)));
    said.extend(counts(broker).await);
    // Until the sign of the first slice is the last of all.
    broker.rest(ms(4_000)).await;
    said.push(format!("sign again: {}", kept.progress().await));
    let signed_s = broker.now_s();
    let again = broker.pull(2, ms(14_000)).await;
    let took_s = broker.now_s() - began_s;
    said.push(format!(
        "leases ended: {} in time: {}",
        named(&again),
        (LEASE_S.start..15.5).contains(&took_s)
    ));
    // What those say that had the slices before.
    let [former, other] =
        [&returned[..], &rested[..]].map(|slices| slices.first().expect("it was handed out"));
    said.push(format!("sign of a former holder: {}", former.progress().await));
    said.push(format!("done by a former holder: {}", other.done().await));
    let last = broker.pull(2, ms(8 * MS)).await;
    let took_s = broker.now_s() - signed_s;
    said.push(format!("the one that signed: {}", named(&last[..last.len().min(1)])));
    said.push(format!("no one that is done: {} in time: {}", last.len(), took_s > LEASE_S.start));
    said
}

/// Messages with ids, some of them twice.
async fn counts<B: BrokerUnderTest>(broker: &B) -> Vec<String> {
    let mut said = Vec::new();
    for (id, payload) in [("a/0", "one"), ("a/1", "two"), ("a/0", "one"), ("b/0", "three"), ("a/1", "other")]
    {
        said.push(format!("{id}: {}", broker.publish(id, payload).await));
    }
    let all = broker.published().await;
    let texts: Vec<_> = all.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    said.push(format!("stored: {}", texts.join(" ")));
    said
}

/// The model of the broker.
struct Model {
    broker: Broker,
    /// The one that publishes.
    client: Client,
}

impl Model {
    fn connect(broker: &Broker) -> (Client, tokio::sync::mpsc::UnboundedReceiver<FromBroker>) {
        let (sender, inbox) = unbounded_channel();
        (broker.client(50_000, Default::default(), sender, false), inbox)
    }
}

impl BrokerUnderTest for Model {
    type Slice = Slice;

    fn offer(&self, slices: u32) -> Answer<()> {
        self.broker.offer(slices);
        Box::pin(async {})
    }

    fn pull(&self, most: usize, wait: Duration) -> Answer<Vec<Slice>> {
        let (client, mut inbox) = Self::connect(&self.broker);
        Box::pin(async move {
            client.pull(most, wait);
            let mut slices = Vec::new();
            while slices.len() < most
                && let Some(message) = inbox.recv().await
            {
                match message {
                    FromBroker::Slice(Some(slice)) => slices.push(slice),
                    FromBroker::Slice(None) => break,
                    _ => {}
                }
            }
            slices
        })
    }

    fn publish(&self, id: &str, payload: &'static str) -> Answer<bool> {
        let taken = self.client.publish("counts", id, Bytes::from_static(payload.as_bytes()));
        Box::pin(async move { taken.await.is_ok() })
    }

    fn published(&self) -> Answer<Vec<Bytes>> {
        let (_, measured) = self.client.past();
        Box::pin(async move { measured })
    }

    fn rest(&self, time: Duration) -> Answer<()> {
        rest(time)
    }

    fn now_s(&self) -> f64 {
        now_ns() as f64 / 1e9
    }
}

/// The answers of the model.
///
/// # Panics
/// The model hangs.
pub fn answers_of_model() -> Vec<String> {
    in_world(1, |world| {
        let broker = Broker::new(world.mail(), 1, 0.0, false);
        let machine = world.machine([10, 0, 0, 1], Clock::default());
        let said = Rc::<RefCell<Vec<String>>>::default();
        let into = said.clone();
        world.process(machine, "script", async move {
            let (client, _inbox) = Model::connect(&broker);
            let found = answers(&Model { broker, client }).await;
            *into.borrow_mut() = found;
        });
        world.run().expect("the script ends");
        said.take()
    })
}
