//! How far the clock of an agent is from the controller's.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use async_nats::Client;
use bytes::Bytes;

use crate::FleetError;
use crate::bus::Names;
use crate::offset::{Exchange, Offset, estimate};

/// Requests for the time in a round, and rounds before the test.
const EXCHANGES: usize = 16;
const ROUNDS: usize = 5;

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

pub(super) async fn measure(client: Client, subject: String, rounds: usize) -> Option<Offset> {
    let mut exchanges = Vec::new();
    for round in 0..rounds * EXCHANGES {
        exchanges.extend(exchange(&client, &subject).await);
        if round % EXCHANGES == EXCHANGES - 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    estimate(&exchanges)
}

/// Moves the clock of the agent to the controller's.
pub(super) async fn set_clock(
    client: &Client,
    names: &Names,
    shift: &(dyn Fn(i64) + Send + Sync),
) -> Result<Offset, FleetError> {
    for _ in 0..30 {
        if let Some(found) = measure(client.clone(), names.clock(), ROUNDS).await {
            shift(found.offset_ns);
            return Ok(found);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Err(FleetError::new("the controller does not answer with its time: is it still there?"))
}

pub(super) type Comparing = Pin<Box<dyn Future<Output = Offset>>>;

pub(super) async fn compared(comparing: &mut Option<Comparing>) -> Offset {
    match comparing {
        Some(comparing) => comparing.await,
        None => std::future::pending().await,
    }
}
