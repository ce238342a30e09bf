//! Rows of results as they come from agents: pieces of their files, put together on the disk of the
//! controller.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::{self, stream};
use futures_util::StreamExt as _;

use super::{cannot, ordered};
use crate::FleetError;
use crate::bus::speaker_of;
use crate::coordinator::{RowsOfShare, RunCoordinator};
use crate::spool::Spool;
use crate::wire::{self, RowPiece};

/// Files of an agent at most: one a listener and share.
const MOST_FILES: usize = 10_000;
/// After this many bytes the broker need not keep what came before them. Until then a controller
/// that takes over gets them from there.
const KEPT: u64 = 128 << 20;
/// How long pieces that the broker has are waited for at the end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Rows of agents, as files here.
#[derive(Debug, Default)]
pub(crate) struct FetchedRows {
    /// Files with the listeners that they are of.
    pub(crate) files: Vec<(u32, PathBuf)>,
    /// The same of shares whose agents were lost, with the samples that were counted of them.
    pub(crate) unended: Vec<(u32, PathBuf, u64)>,
    /// About this many rows could not be had.
    pub(crate) lost: u64,
}

/// The files, by share and listener.
type Spools = BTreeMap<(String, u32), Spool>;

/// A piece, and who sent it.
pub(super) struct ReceivedPiece {
    pub(super) speaker: String,
    pub(super) piece: RowPiece,
}

/// All rows of a run.
pub(super) struct RowCollector {
    stream: stream::Stream,
    messages: pull::Ordered,
    folder: PathBuf,
    spools: Spools,
    /// The last message that came.
    seen: u64,
    /// Bytes that came since the broker was told to forget some.
    kept: u64,
    failed: Option<String>,
}

impl RowCollector {
    pub(super) async fn new(stream: stream::Stream, folder: PathBuf) -> Result<Self, FleetError> {
        let messages = ordered(&stream).await?;
        Ok(Self { stream, messages, folder, spools: Spools::new(), seen: 0, kept: 0, failed: None })
    }

    /// The next piece, with who sent it. To be polled together with others, and dropped at will.
    pub(super) async fn next(&mut self) -> Option<ReceivedPiece> {
        match self.messages.next().await {
            Some(Ok(message)) => self.take(&message),
            Some(Err(_)) => {
                // An ordered consumer restarts itself; what is missing comes then.
                tokio::time::sleep(super::TICK).await;
                None
            }
            None => std::future::pending().await,
        }
    }

    /// Why rows cannot be kept, once.
    pub(super) fn take_failure(&mut self) -> Option<String> {
        self.failed.take()
    }

    fn take(&mut self, message: &jetstream::Message) -> Option<ReceivedPiece> {
        // What came before this one is on the disk here.
        if self.kept > KEPT {
            self.kept = 0;
            self.forget();
        }
        self.seen = message.info().ok()?.stream_sequence;
        self.kept += message.payload.len() as u64;
        let speaker = speaker_of(&message.subject).to_owned();
        let piece = wire::row_piece(&message.payload).ok()?;
        Some(ReceivedPiece { speaker, piece })
    }

    /// Keeps a piece of a speaker that may send for its share.
    pub(super) fn add(&mut self, piece: RowPiece) {
        if let Err(error) = self.write(piece) {
            self.failed = Some(format!("cannot keep result rows: {error}"));
        }
    }

    fn write(&mut self, piece: RowPiece) -> std::io::Result<()> {
        let RowPiece { share, listener, offset, bytes } = piece;
        let number = self.spools.len();
        let key = (share, listener);
        if let Some(spool) = self.spools.get_mut(&key) {
            return spool.add(offset, &bytes);
        }
        if number >= MOST_FILES {
            return Ok(());
        }
        let mut spool = Spool::new(self.folder.join(format!("rows-{number}")))?;
        spool.add(offset, &bytes)?;
        self.spools.insert(key, spool);
        Ok(())
    }

    /// The broker's disk is for what is on its way.
    fn forget(&self) {
        let stream = self.stream.clone();
        let next = self.seen;
        tokio::spawn(async move {
            // What it keeps all the same takes its room, and agents wait before that is too much.
            let _ = stream.purge().sequence(next).await;
        });
    }

    /// Receives everything that agents have sent until now.
    async fn drain(&mut self, coordinator: &mut RunCoordinator) -> Result<(), FleetError> {
        let last = self.stream.get_info().await.map_err(cannot)?.state.last_sequence;
        while self.seen < last {
            match tokio::time::timeout(PATIENCE, self.messages.next()).await {
                Ok(Some(Ok(message))) => {
                    if let Some(ReceivedPiece { speaker, piece }) = self.take(&message)
                        && coordinator.speaks_for(&piece.share, &speaker)
                    {
                        self.add(piece);
                    }
                }
                Ok(Some(Err(_))) => tokio::time::sleep(super::TICK).await,
                Ok(None) | Err(_) => {
                    return Err(FleetError::new("the broker did not deliver all result rows"));
                }
            }
        }
        Ok(())
    }

    /// The received rows of these shares, and messages.
    pub(super) async fn end(
        &mut self,
        shares: &[RowsOfShare],
        coordinator: &mut RunCoordinator,
    ) -> (FetchedRows, Vec<String>) {
        let mut said: Vec<String> =
            self.drain(coordinator).await.err().into_iter().map(|error| error.to_string()).collect();
        let mut all = FetchedRows::default();
        let mut spools = std::mem::take(&mut self.spools);
        for RowsOfShare { share, files, samples } in shares {
            let Some(files) = files else {
                unended(&mut spools, share, *samples, &mut all);
                continue;
            };
            for rows in files.iter().filter(|rows| rows.bytes > 0) {
                let spool = spools.remove(&(share.clone(), rows.listener));
                let whole = match spool.map(|mut spool| spool.end(rows.bytes).map(|whole| (spool, whole))) {
                    Some(Ok((spool, whole))) => {
                        all.files.push((rows.listener, spool.path().to_owned()));
                        whole
                    }
                    _ => 0,
                };
                if whole < rows.bytes {
                    all.lost += missing(*samples, whole, rows.bytes);
                    said.push(format!(
                        "result rows are lost: received {} of {} bytes of {share}",
                        whole, rows.bytes
                    ));
                }
            }
        }
        (all, said)
    }
}

/// What has come of a share whose agent was lost.
fn unended(spools: &mut Spools, share: &str, samples: u64, all: &mut FetchedRows) {
    let of_share = (share.to_owned(), 0)..=(share.to_owned(), u32::MAX);
    for (listener, spool) in spools.range_mut(of_share).map(|((_, listener), spool)| (*listener, spool)) {
        if spool.end(u64::MAX).is_ok() {
            all.unended.push((listener, spool.path().to_owned(), samples));
        }
    }
}

/// How many of these rows are missing, given the number of received bytes.
fn missing(samples: u64, whole: u64, bytes: u64) -> u64 {
    let part = (bytes - whole) as f64 / bytes as f64;
    (samples as f64 * part).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_missing_are_estimated_by_their_bytes() {
        assert_eq!((missing(100, 0, 1000), missing(100, 750, 1000), missing(100, 1000, 1000)), (100, 25, 0));
    }
}
