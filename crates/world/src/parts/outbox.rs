//! Messages of an agent on their way to a broker that takes them, refuses them, or does not answer.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, select};
use rand::Rng;
use rand::rngs::SmallRng;
use swell_fleet::lease::Answer;
use swell_fleet::outbox::{Publish, Sender};
use swell_net::{boot_ns, now_ns, sleep_until};

use super::{Checked, equal, must, one_of};

const MS: i64 = 1_000_000;
/// After a refusal nothing is sent for this long.
const AGAIN_NS: i64 = 300 * MS;

/// What the broker knows.
#[derive(Default)]
struct Known {
    /// What was wrong with what came.
    wrong: Option<String>,
    /// Messages that were taken, by their numbers.
    taken: BTreeMap<u64, Bytes>,
    /// Numbers in the order in which they came first.
    order: Vec<u64>,
    under_way: usize,
    most_under_way: usize,
    refused_ns: Option<i64>,
    last_taken_ns: Option<i64>,
}

#[derive(Clone)]
struct Stream {
    known: Rc<RefCell<Known>>,
    draws: Rc<RefCell<SmallRng>>,
    /// The share of messages that are refused.
    refuses: Rc<Cell<f64>>,
}

fn number(subject: &str, id: &str) -> Result<u64, String> {
    equal("the subject", &subject, &"counts")?;
    let number = id.strip_prefix("run/agent/").and_then(|number| number.parse().ok());
    number.ok_or_else(|| format!("a message has the id {id:?}"))
}

fn payload(number: u64) -> Vec<u8> {
    let mut bytes = number.to_be_bytes().to_vec();
    bytes.resize(8 + (number % 5) as usize * 40, number as u8);
    bytes
}

impl Publish for Stream {
    fn publish(&self, subject: &str, id: &str, bytes: Bytes) -> Answer<Result<(), String>> {
        let (takes_ns, is_refused) = {
            let mut draws = self.draws.borrow_mut();
            (draws.random_range(1..400 * MS), draws.random_bool(self.refuses.get()))
        };
        let known = self.known.clone();
        let number = number(subject, id);
        {
            let mut known = known.borrow_mut();
            known.under_way += 1;
            known.most_under_way = known.most_under_way.max(known.under_way);
            let is_early = known.refused_ns.is_some_and(|at_ns| boot_ns() < at_ns + AGAIN_NS);
            match number {
                Err(ref wrong) => known.wrong = Some(wrong.clone()),
                Ok(_) if is_early => known.wrong = Some("a message soon after a refusal".to_owned()),
                Ok(number) if known.taken.contains_key(&number) => {
                    known.wrong = Some(format!("message {number} comes again after it was taken"));
                }
                Ok(number) if bytes != payload(number) => {
                    known.wrong = Some(format!("message {number} has other bytes"));
                }
                Ok(number) if !known.order.contains(&number) => known.order.push(number),
                Ok(_) => {}
            }
        }
        Box::pin(async move {
            sleep_until(now_ns() + takes_ns).await;
            let mut known = known.borrow_mut();
            known.under_way -= 1;
            if is_refused {
                known.refused_ns = Some(boot_ns());
                return Err(format!("full at {}", boot_ns()));
            }
            known.last_taken_ns = Some(boot_ns());
            known.taken.extend(number.map(|number| (number, bytes)));
            Ok(())
        })
    }

    fn rest(&self, time: Duration) -> Answer<()> {
        let until_ns = now_ns() + time.as_nanos() as i64;
        Box::pin(async move { sleep_until(until_ns).await })
    }
}

/// Messages that come while others are on their way: each is taken once, in its order where one is
/// under way at a time.
pub(super) async fn check(mut draws: SmallRng, operations: u32) -> Checked {
    let in_flight = one_of(&mut draws, &[1, 3, 64]);
    let stream = Stream {
        known: Rc::default(),
        draws: Rc::new(RefCell::new(super::draws(draws.random(), "broker"))),
        refuses: Rc::new(Cell::new(one_of(&mut draws, &[0.0, 0.1, 0.5]))),
    };
    let known = stream.known.clone();
    let refuses = stream.refuses.clone();
    let mut sender =
        Sender::new(stream, "counts".to_owned(), "run/agent".to_owned(), "/nowhere".into(), in_flight);
    let mut pushed: Vec<u64> = Vec::new();
    let mut since_ns = boot_ns();
    for number in 0..u64::from(operations / 2) {
        if draws.random_bool(0.7) {
            if sender.is_empty() {
                since_ns = boot_ns();
            }
            sender.push(number, payload(number));
            pushed.push(number);
        }
        let until_ns = now_ns() + draws.random_range(0..500 * MS);
        loop {
            let is_in_time = {
                let going = std::pin::pin!(sender.go_on());
                let resting = std::pin::pin!(sleep_until(until_ns));
                matches!(select(going, resting).await, Either::Left(_))
            };
            if !is_in_time {
                break;
            }
            state(&sender, &known.borrow(), &pushed, since_ns)?;
        }
    }
    refuses.set(0.0);
    must(sender.flush(Duration::from_hours(1)).await, || "messages stay although all are taken".to_owned())?;
    let known = known.borrow();
    equal("messages taken", &known.taken.keys().copied().collect(), &pushed)?;
    must(known.most_under_way <= in_flight, || format!("{} messages at a time", known.most_under_way))?;
    must(sender.is_empty() && sender.unsent() == 0, || {
        "something is left after the last message".to_owned()
    })?;
    let in_order = in_flight > 1 || known.order == pushed;
    must(in_order, || format!("messages came in the order {:?}", known.order))
}

/// How many are not taken, for how long none was, and why.
fn state(sender: &Sender<Stream>, known: &Known, pushed: &[u64], since_ns: i64) -> Checked {
    if let Some(wrong) = &known.wrong {
        return Err(wrong.clone());
    }
    // Answers that are ready but not looked at count as not taken.
    let left = (pushed.len() - known.taken.len()) as u64;
    must(sender.unsent() >= left, || format!("{} unsent of {left}", sender.unsent()))?;
    let (stuck, why) = sender.stuck();
    if sender.is_empty() {
        return equal("stuck", &(stuck, why), &(Duration::ZERO, None));
    }
    let since_ns = known.last_taken_ns.unwrap_or(since_ns).max(since_ns);
    let most_ns = (boot_ns() - since_ns) as u128 + 1_000_000_000;
    must(stuck.as_nanos() <= most_ns, || format!("stuck for {stuck:?}, not {most_ns} ns"))?;
    let is_known = why.is_none_or(|why| why.starts_with("full at "));
    must(is_known, || "the refusal is not the broker's".to_owned())
}
