//! The way into a run: finds it, waits for what its controller makes, sets the clock.

use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::object_store::ObjectStore;
use futures_util::StreamExt as _;
use tokio::sync::mpsc::UnboundedReceiver;

use super::clock::set_clock;
use super::{AgentBusOptions, Order, TICK};
use crate::FleetError;
use crate::bus::{CONSUMER, Names, RUNS};
use crate::offset::Offset;

/// How long the streams of a run are waited for.
const RUN_APPEARS: Duration = Duration::from_secs(30);

/// A run that was found.
pub(super) struct JoinedRun {
    pub(super) run: String,
    pub(super) names: Names,
    pub(super) streams: RunStreams,
    pub(super) clock: Offset,
}

/// Waits for a run, if it is not known which, and for what its controller makes.
pub(super) async fn enter(
    attend: &AgentBusOptions,
    client: &Client,
    jet: &jetstream::Context,
) -> Result<JoinedRun, FleetError> {
    let run = match &attend.join.run {
        Some(run) => run.clone(),
        None => next_run(client).await?,
    };
    let names = Names::new(&run);
    let streams = streams(jet, &names).await?;
    let clock = set_clock(client, &names, &*attend.shift_clock).await?;
    Ok(JoinedRun { run, names, streams, clock })
}

/// Before a run is found there is nothing else to be ordered.
pub(super) async fn asked_to_leave(orders: &mut UnboundedReceiver<Order>) {
    while let Some(order) = orders.recv().await {
        if matches!(order, Order::Leave) {
            return;
        }
    }
}

async fn next_run(client: &Client) -> Result<String, FleetError> {
    let mut runs = client.subscribe(RUNS).await.map_err(|error| FleetError::new(error.to_string()))?;
    let ended = || FleetError::new("the connection to the broker is lost");
    let message = runs.next().await.ok_or_else(ended)?;
    Ok(String::from_utf8_lossy(&message.payload).into_owned())
}

pub(super) type RunStreams = (jetstream::stream::Stream, ObjectStore, PullConsumer);

/// The streams of a run, which its controller may be about to make.
async fn streams(jet: &jetstream::Context, names: &Names) -> Result<RunStreams, FleetError> {
    let began = tokio::time::Instant::now();
    loop {
        let log = jet.get_stream(names.log_stream()).await;
        let store = jet.get_object_store(names.objects()).await;
        let work: Result<PullConsumer, _> = jet.get_consumer_from_stream(CONSUMER, names.work_stream()).await;
        match (log, store, work) {
            (Ok(log), Ok(store), Ok(work)) => return Ok((log, store, work)),
            (log, ..) if began.elapsed() > RUN_APPEARS => {
                let why = log.err().map(|error| format!(" ({error})")).unwrap_or_default();
                return Err(FleetError::new(format!("run `{}` not found on this broker{why}", names.run))
                    .hint("use the command line that the controller of this run printed"));
            }
            _ => tokio::time::sleep(TICK).await,
        }
    }
}
