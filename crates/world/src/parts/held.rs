//! All leases of an agent, and how it claims slices, over a broker and a controller that answer as
//! drawn.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use rand::Rng;
use rand::rngs::SmallRng;
use swell_fleet::claims::{Ask, claim};
use swell_fleet::lease::{Answer, LeaseAction, Leases, WorkMessage};
use swell_fleet::wire::{Claim, Grant, SliceProgress};
use swell_net::{boot_ns, now_ns, sleep_until};
use tokio::sync::oneshot;

use super::lease::{Known, step_ns};
use super::{Checked, equal, must, one_of};

const MS: i64 = 1_000_000;
const SLICES: u32 = 5;
const SHARES: [&str; 3] = ["a.1", "a.2", "a.3"];

/// What was said to the broker of a slice, by its number and epoch.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Sign(u32, u64),
    Done(u32, u64),
    GivenBack(u32, u64, Option<Duration>),
}

#[derive(Default)]
struct Broker {
    said: Vec<Said>,
    /// Signs that wait for their answers: of a slice, when it was sent.
    signs: VecDeque<(u32, i64, oneshot::Sender<bool>)>,
}

#[derive(Clone)]
struct Slice {
    number: u32,
    epoch: u64,
    broker: Rc<RefCell<Broker>>,
}

impl WorkMessage for Slice {
    fn slice(&self) -> Option<u32> {
        Some(self.number)
    }

    fn epoch(&self) -> Option<u64> {
        Some(self.epoch)
    }

    fn progress(&self) -> Answer<bool> {
        let (to, answer) = oneshot::channel();
        let mut broker = self.broker.borrow_mut();
        broker.said.push(Said::Sign(self.number, self.epoch));
        broker.signs.push_back((self.number, boot_ns(), to));
        Box::pin(async move { answer.await.unwrap_or(false) })
    }

    fn done(&self) -> Answer<bool> {
        self.broker.borrow_mut().said.push(Said::Done(self.number, self.epoch));
        Box::pin(async { true })
    }

    fn give_back(&self, after: Option<Duration>) -> Answer<()> {
        self.broker.borrow_mut().said.push(Said::GivenBack(self.number, self.epoch, after));
        Box::pin(async {})
    }
}

struct KnownSlice {
    share: &'static str,
    number: u32,
    epoch: u64,
    lease: Known,
}

/// Waits until that time on the clock of leases.
async fn pass(by_ns: i64) {
    if by_ns > 0 {
        sleep_until(now_ns() + by_ns).await;
    }
}

/// Slices that come, signs, answers, and slices that go, in any order.
pub(super) async fn check(mut draws: SmallRng, operations: u32) -> Checked {
    let broker = Rc::<RefCell<Broker>>::default();
    let mut leases = Leases::<Slice>::default();
    let mut known: Vec<KnownSlice> = Vec::new();
    let mut epoch = 0;
    for _ in 0..operations {
        let ends = known.iter().map(|slice| slice.lease.until_ns() - boot_ns()).min();
        pass(step_ns(&mut draws, ends.unwrap_or(0)).min(13_000 * MS)).await;
        let now_ns = boot_ns();
        let mut expected = Vec::new();
        match draws.random_range(0..10) {
            0..2 => {
                epoch += 1;
                let (share, number) = (one_of(&mut draws, &SHARES), draws.random_range(0..SLICES));
                let signed_ns = now_ns - draws.random_range(0..2_000 * MS);
                known.retain(|slice| slice.number != number);
                let lease = Known { answered_ns: signed_ns, sent_ns: signed_ns };
                known.push(KnownSlice { share, number, epoch, lease });
                let message = Slice { number, epoch, broker: broker.clone() };
                leases.add(share.to_owned(), number, message, signed_ns);
            }
            2..6 => {
                let over = leases.look(now_ns);
                equal("leases that have ended", &over, &look(&mut known, now_ns, &mut expected))?;
            }
            6..9 => answer(&mut draws, &broker, &mut leases, &mut known)?,
            _ => {
                let share = one_of(&mut draws, &SHARES);
                let slices: Vec<u32> = (0..SLICES).filter(|_| draws.random_bool(0.6)).collect();
                let done = draws.random_bool(0.5);
                leases.give_back(share, &slices, done).await;
                let goes = |slice: &KnownSlice| slice.share == share && slices.contains(&slice.number);
                expected.extend(known.iter().filter(|slice| goes(slice)).map(|slice| {
                    let KnownSlice { number, epoch, .. } = *slice;
                    if done { Said::Done(number, epoch) } else { Said::GivenBack(number, epoch, None) }
                }));
                known.retain(|slice| !goes(slice));
            }
        }
        equal("said to the broker", &std::mem::take(&mut broker.borrow_mut().said), &expected)?;
        equal("slices", &leases.slices(), &known.iter().map(|slice| slice.number).collect())?;
        equal("until", &leases.until_ns(), &known.iter().map(|slice| slice.lease.until_ns()).min())?;
    }
    Ok(())
}

/// Slices whose leases have ended, and the signs that are due.
fn look(known: &mut Vec<KnownSlice>, now_ns: i64, expected: &mut Vec<Said>) -> Vec<u32> {
    let mut over = Vec::new();
    for slice in known.iter_mut() {
        match slice.lease.due(now_ns) {
            LeaseAction::Over => over.push(slice.number),
            LeaseAction::Sign => {
                slice.lease.sent_ns = now_ns;
                expected.push(Said::Sign(slice.number, slice.epoch));
            }
            LeaseAction::Wait { .. } => {}
        }
    }
    known.retain(|slice| !over.contains(&slice.number));
    over
}

/// The broker answers a sign, or does not.
fn answer(
    draws: &mut SmallRng,
    broker: &Rc<RefCell<Broker>>,
    leases: &mut Leases<Slice>,
    known: &mut [KnownSlice],
) -> Checked {
    let waiting = broker.borrow().signs.len();
    if waiting == 0 {
        return Ok(());
    }
    let place = draws.random_range(0..waiting);
    let Some((number, sent_ns, to)) = broker.borrow_mut().signs.remove(place) else { return Ok(()) };
    let is_answered = draws.random_bool(0.8);
    must(to.send(is_answered).is_ok(), || "a sign waits for no answer".to_owned())?;
    must(leases.answered().now_or_never().is_some(), || "an answer is not taken".to_owned())?;
    let now_ns = boot_ns();
    for slice in known.iter_mut().filter(|slice| is_answered && slice.number == number) {
        slice.lease.answered(sent_ns, now_ns);
    }
    Ok(())
}

/// What happened to a claim: a sign with its answer, a question.
#[derive(Clone, Debug)]
enum Step {
    Sign { at_ns: i64 },
    Signed { sent_ns: i64, at_ns: i64 },
    Asked { at_ns: i64, claim: Bytes, answer: Option<Grant> },
    Rested(Duration),
}

struct Claiming {
    draws: SmallRng,
    steps: Vec<Step>,
    /// The share of signs and questions that are answered.
    answered: f64,
}

/// A slice and the way to the controller, both as drawn.
#[derive(Clone)]
struct Drawn(Rc<RefCell<Claiming>>);

impl Drawn {
    fn takes(&self) -> i64 {
        self.0.borrow_mut().draws.random_range(0..3_000 * MS)
    }

    fn answers(&self) -> bool {
        let mut claiming = self.0.borrow_mut();
        let answered = claiming.answered;
        claiming.draws.random_bool(answered)
    }
}

impl WorkMessage for Drawn {
    fn slice(&self) -> Option<u32> {
        Some(7)
    }

    fn epoch(&self) -> Option<u64> {
        Some(3)
    }

    fn progress(&self) -> Answer<bool> {
        let (takes_ns, is_answered) = (self.takes() + 1, self.answers());
        let (sent_ns, claiming) = (boot_ns(), self.0.clone());
        claiming.borrow_mut().steps.push(Step::Sign { at_ns: sent_ns });
        Box::pin(async move {
            pass(takes_ns).await;
            if is_answered {
                claiming.borrow_mut().steps.push(Step::Signed { sent_ns, at_ns: boot_ns() });
            }
            is_answered
        })
    }

    fn done(&self) -> Answer<bool> {
        Box::pin(async { true })
    }

    fn give_back(&self, _: Option<Duration>) -> Answer<()> {
        Box::pin(async {})
    }
}

impl Ask for Drawn {
    fn ask(&self, claim: Bytes) -> Answer<Option<Bytes>> {
        let (takes_ns, answers) = (self.takes() + 1, self.answers());
        let grants = [
            Grant::Kept,
            Grant::Done,
            Grant::No { why: "no".to_owned() },
            Grant::Yes { from: 1, taken_over: None },
            Grant::Yes { from: 2, taken_over: Some(SliceProgress::default()) },
        ];
        let place = self.0.borrow_mut().draws.random_range(0..grants.len());
        let answer = answers.then(|| grants[place].clone());
        let bytes =
            answer.as_ref().map(|grant| serde_json::to_vec(grant).expect("a grant has a form").into());
        self.0.borrow_mut().steps.push(Step::Asked { at_ns: boot_ns(), claim, answer });
        Box::pin(async move {
            pass(takes_ns).await;
            bytes
        })
    }

    fn rest(&self, time: Duration) -> Answer<()> {
        self.0.borrow_mut().steps.push(Step::Rested(time));
        Box::pin(async move { pass(time.as_nanos() as i64).await })
    }
}

/// A slice is claimed with a sign to the broker before each question, and the lease counts from
/// that sign. A claim is given up after a minute, or when its own lease has ended, which counts from
/// when the slice was asked for.
pub(super) async fn check_claims(mut draws: SmallRng, operations: u32) -> Checked {
    for _ in 0..operations.div_ceil(20) {
        let answered = one_of(&mut draws, &[0.02, 0.3, 0.7, 1.0]);
        let claiming =
            Claiming { draws: super::draws(draws.random(), "claims"), steps: Vec::new(), answered };
        let drawn = Drawn(Rc::new(RefCell::new(claiming)));
        let began_ns = boot_ns();
        // A slice may come late, or be read late.
        let late_ms = one_of(&mut draws, &[0, 1_000, 8_000, 11_000, 11_499, 11_500, 30_000]);
        let asked_ns = began_ns - late_ms * MS;
        let names = ("agent".to_owned(), "a.1".to_owned());
        let claimed = claim(drawn.clone(), names, drawn.clone(), asked_ns).await;
        let took_ns = boot_ns() - began_ns;
        let steps = std::mem::take(&mut drawn.0.borrow_mut().steps);
        let (answer, signed_ns, lease) = follow(&steps, (asked_ns, began_ns))?;
        let has_ended = boot_ns() >= lease.until_ns();
        let Some(claimed) = claimed else {
            // Each step takes up to 3 s, and a question comes after a sign.
            let is_patient = (60_000 * MS..66_000 * MS + 100 * MS).contains(&took_ns);
            must(has_ended || (answer.is_none() && is_patient), || {
                format!("given up after {took_ns} ns: {steps:?}")
            })?;
            continue;
        };
        must(!has_ended, || format!("claimed after its lease: {steps:?}"))?;
        equal(
            "the share, slice and epoch",
            &(claimed.share.as_str(), claimed.slice, claimed.epoch),
            &("a.1", 7, 3),
        )?;
        equal("the grant", &Some(claimed.grant), &answer)?;
        equal("when the sign was sent", &Some(claimed.signed_ns), &signed_ns)?;
    }
    Ok(())
}

/// The order of steps; gives the answer of the last, when the sign before it was sent, and the lease.
fn follow(
    steps: &[Step],
    (asked_ns, began_ns): (i64, i64),
) -> Result<(Option<Grant>, Option<i64>, Known), String> {
    let mut lease = Known { answered_ns: asked_ns, sent_ns: asked_ns };
    let mut signed_ns = None;
    let mut last = None;
    let mut must_rest = false;
    for step in steps {
        must(last.is_none(), || format!("it continues after an answer: {steps:?}"))?;
        match step {
            Step::Sign { at_ns } => {
                must(*at_ns < lease.until_ns(), || format!("a sign after the lease: {steps:?}"))?;
                must(!must_rest, || format!("a question is repeated at once: {steps:?}"))?;
                must(at_ns - began_ns < 60_000 * MS, || format!("a sign after a minute: {steps:?}"))?;
                signed_ns = None;
            }
            Step::Signed { sent_ns, at_ns } => {
                lease.answered(*sent_ns, *at_ns);
                signed_ns = Some(*sent_ns);
            }
            Step::Asked { at_ns, claim, answer } => {
                let is_signed = signed_ns.is_some_and(|signed_ns| signed_ns < *at_ns);
                must(is_signed, || format!("a question without a sign: {steps:?}"))?;
                must(*at_ns < lease.until_ns(), || format!("a question after the lease: {steps:?}"))?;
                let is = serde_json::from_slice::<Claim>(claim).map_err(|error| error.to_string())?;
                let wanted = Claim { agent: "agent".to_owned(), share: "a.1".to_owned(), slice: 7, epoch: 3 };
                equal("the claim", &is, &wanted)?;
                last.clone_from(answer);
                must_rest = answer.is_none();
                if answer.is_none() {
                    signed_ns = None;
                }
            }
            Step::Rested(time) => {
                equal("the rest between two questions", time, &Duration::from_millis(100))?;
                must_rest = false;
            }
        }
    }
    Ok((last, signed_ns, lease))
}
