//! How far the clock of an agent is from the controller's.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use async_nats::Client;
use bytes::Bytes;
use rand::Rng as _;

use crate::FleetError;
use crate::bus::Names;
use crate::offset::{ClockExchange, Offset, estimate, is_crowded, is_settled};

/// Requests for the time in a round, and rounds before the test.
const EXCHANGES: usize = 16;
const ROUNDS: usize = 5;
/// Between those rounds.
const PAUSE: Duration = Duration::from_millis(20);
/// Requests in a round of an agent that is not sure after these rounds, and how many rounds there
/// are at most.
const LATER_EXCHANGES: usize = 4;
const MOST_ROUNDS: usize = 20;
/// After this many rounds without a single answer, none is expected any more.
const SILENT_ROUNDS: usize = 30;

async fn exchange(client: &Client, subject: &str) -> Option<ClockExchange> {
    let sent_ns = swell_net::now_ns();
    let answer =
        tokio::time::timeout(Duration::from_secs(1), client.request(subject.to_owned(), Bytes::new())).await;
    let back_ns = swell_net::now_ns();
    let payload = answer.ok()?.ok()?.payload;
    let (received, answered) = payload.split_first_chunk::<8>()?;
    let answered = answered.first_chunk::<8>()?;
    let received_ns = i64::from_le_bytes(*received);
    let answered_ns = i64::from_le_bytes(*answered);
    Some(ClockExchange { sent_ns, received_ns, answered_ns, back_ns })
}

/// This many requests, one after the other, as long as they are answered.
async fn round(client: &Client, subject: &str, requests: usize) -> Vec<ClockExchange> {
    let mut exchanges = Vec::new();
    for _ in 0..requests {
        let Some(one) = exchange(client, subject).await else { break };
        exchanges.push(one);
    }
    exchanges
}

/// How far the clock is off now, by one round.
pub(super) async fn measure(client: Client, subject: String) -> Option<Offset> {
    estimate(&round(&client, &subject, EXCHANGES).await)
}

/// Moves the clock of the agent to the controller's.
pub(super) async fn set_clock(
    client: &Client,
    names: &Names,
    shift: &(dyn Fn(i64) + Send + Sync),
) -> Result<Offset, FleetError> {
    let subject = names.clock();
    let mut exchanges = Vec::new();
    let mut errors_ns = Vec::new();
    let mut calm = 0;
    for number in 0..SILENT_ROUNDS {
        let requests = if number < ROUNDS { EXCHANGES } else { LATER_EXCHANGES };
        let latest = round(client, &subject, requests).await;
        exchanges.extend_from_slice(&latest);
        calm = if is_crowded(&exchanges, &latest) { 0 } else { calm + 1 };
        let found = estimate(&exchanges);
        errors_ns.extend(found.map(|found| found.error_ns));
        let is_enough = number + 1 >= ROUNDS && (is_settled(&errors_ns, calm) || number + 1 >= MOST_ROUNDS);
        if let Some(found) = found.filter(|_| is_enough) {
            shift(found.offset_ns);
            return Ok(found);
        }
        tokio::time::sleep(if number < ROUNDS { PAUSE } else { later_pause() }).await;
    }
    Err(FleetError::new("the controller does not answer clock requests: check that it is still running"))
}

/// At a random time, so that agents that asked at once do not do so again.
fn later_pause() -> Duration {
    Duration::from_millis(rand::rng().random_range(200..1800))
}

pub(super) type ClockComparison = Pin<Box<dyn Future<Output = Offset>>>;

pub(super) async fn compared(comparing: &mut Option<ClockComparison>) -> Offset {
    match comparing {
        Some(comparing) => comparing.await,
        None => std::future::pending().await,
    }
}
