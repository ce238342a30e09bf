//! Rows of results on their way to the controller while they are written: files are read in pieces
//! as they grow. Only a few pieces are in memory at a time; what the broker does not accept yet
//! stays in the files, and writers of rows never wait for it.

use std::collections::VecDeque;
use std::fs::File;
use std::future::{Future, IntoFuture as _};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::Context;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

use crate::FleetError;
use crate::wire::RowPiece;

/// Bytes of a piece at most.
const PIECE: usize = 128 << 10;
/// Pieces that the broker has not taken, at most.
const IN_FLIGHT: usize = 8;
/// How often files are looked at, for each second between two messages with figures.
const LOOK: Duration = Duration::from_millis(200);
/// Between tries while the broker is away.
const AGAIN: Duration = Duration::from_millis(300);
/// How long a broker that takes nothing is waited for at the end of a share.
const PATIENCE: Duration = Duration::from_mins(1);
/// After this many pieces, the broker is asked how many rows it holds.
const ASK_AFTER: u32 = 128;
/// With more bytes of rows at the broker this agent waits until the controller has taken some.
const MOST_STORED: u64 = 1 << 30;

/// A results file that is sent.
struct RowUpload {
    share: String,
    listener: u32,
    path: PathBuf,
    /// Bytes that were read.
    read: u64,
    /// Pieces that the broker has not taken.
    on_their_way: usize,
    /// There was more in it at the last look.
    has_more: bool,
    /// Nothing more is written to it.
    ends: bool,
}

/// A piece on its way.
struct Piece {
    share: String,
    listener: u32,
    round: u32,
    offset: u64,
    payload: Bytes,
}

enum Done {
    Sent(Piece, Result<(), String>),
    /// Bytes of rows that the broker holds, if it said so.
    Stored(Option<u64>),
}

/// Sends rows of all shares of an agent.
pub(super) struct RowSender {
    jet: Context,
    subject: String,
    /// What makes numbers of pieces those of this run and agent.
    prefix: String,
    stream: String,
    files: Vec<RowUpload>,
    /// Pieces that the broker did not take.
    refused: VecDeque<Piece>,
    doing: FuturesUnordered<Pin<Box<dyn Future<Output = Done>>>>,
    sending: usize,
    /// Raised when all is sent again.
    round: u32,
    look_every: Duration,
    look_at: Instant,
    paused_until: Option<Instant>,
    since_asked: u32,
    /// When the broker took the last piece.
    taken: Instant,
}

impl RowSender {
    pub(super) fn new(jet: Context, subject: String, prefix: String, stream: String) -> Self {
        Self {
            jet,
            subject,
            prefix,
            stream,
            files: Vec::new(),
            refused: VecDeque::new(),
            doing: FuturesUnordered::new(),
            sending: 0,
            round: 0,
            look_every: LOOK,
            look_at: Instant::now(),
            paused_until: None,
            since_asked: 0,
            taken: Instant::now(),
        }
    }

    /// Figures are sent every few seconds: with many agents, rows are read at the same interval.
    pub(super) fn set_interval(&mut self, interval_s: u32) {
        self.look_every = LOOK * interval_s.clamp(1, 60);
    }

    /// Sends what is written to these files of a share from now on.
    pub(super) fn follow(&mut self, share: &str, files: Vec<(u32, PathBuf)>) {
        self.files.extend(files.into_iter().map(|(listener, path)| RowUpload {
            share: share.to_owned(),
            listener,
            path,
            read: 0,
            on_their_way: 0,
            has_more: true,
            ends: false,
        }));
    }

    /// Nothing more is written to the files of a share.
    pub(super) fn end(&mut self, share: &str) {
        self.taken = Instant::now();
        for file in self.files.iter_mut().filter(|file| file.share == share) {
            (file.ends, file.has_more) = (true, true);
        }
    }

    /// Sends all rows once more, from the first on.
    pub(super) fn again(&mut self) {
        self.round += 1;
        self.refused.clear();
        for file in &mut self.files {
            (file.read, file.on_their_way, file.has_more) = (0, 0, true);
        }
    }

    /// Continues; returns a share whose rows are all sent, or cannot be. To be polled together with
    /// others, and dropped at will.
    pub(super) async fn go_on(&mut self) -> (String, Result<(), FleetError>) {
        loop {
            self.fill();
            if let Some(share) = self.take_ended() {
                return (share, Ok(()));
            }
            if let Some(hopeless) = self.take_hopeless() {
                return hopeless;
            }
            let next_look = self.paused_until.unwrap_or(self.look_at.max(Instant::now() + LOOK / 10));
            if self.files.is_empty() && self.doing.is_empty() {
                std::future::pending::<()>().await;
            }
            tokio::select! {
                Some(done) = self.doing.next() => self.done(done),
                () = tokio::time::sleep_until(next_look) => {}
            }
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Stored(stored) => {
                if stored.is_some_and(|bytes| bytes > MOST_STORED) {
                    self.since_asked = ASK_AFTER;
                    self.paused_until = Some(Instant::now() + AGAIN);
                }
            }
            Done::Sent(piece, taken) => {
                self.sending -= 1;
                let is_current = piece.round == self.round;
                if taken.is_err() {
                    if is_current {
                        self.refused.push_back(piece);
                    }
                    self.paused_until = Some(Instant::now() + AGAIN);
                    return;
                }
                self.taken = Instant::now();
                let of_piece = |file: &&mut RowUpload| {
                    file.share == piece.share && file.listener == piece.listener && is_current
                };
                for file in self.files.iter_mut().filter(of_piece) {
                    file.on_their_way -= 1;
                }
            }
        }
    }

    fn fill(&mut self) {
        let now = Instant::now();
        if self.paused_until.is_some_and(|until| now < until) {
            return;
        }
        self.paused_until = None;
        if self.since_asked >= ASK_AFTER {
            return self.ask_how_much_is_stored();
        }
        let looks = now >= self.look_at;
        if looks {
            self.look_at = now + self.look_every;
            self.files.iter_mut().for_each(|file| file.has_more = true);
        }
        while self.sending < IN_FLIGHT {
            let Some(piece) = self.refused.pop_front().or_else(|| self.read_next()) else { return };
            self.send(piece);
        }
    }

    fn send(&mut self, piece: Piece) {
        self.sending += 1;
        self.since_asked += 1;
        let jet = self.jet.clone();
        let subject = self.subject.clone();
        let Piece { share, listener, round, offset, payload } = &piece;
        let id = format!("{}/{share}/{listener}/{round}/{offset}", self.prefix);
        let payload = payload.clone();
        self.doing.push(Box::pin(async move {
            let mut headers = HeaderMap::new();
            headers.insert("Nats-Msg-Id", id.as_str());
            let taken = match jet.publish_with_headers(subject, headers, payload).await {
                Ok(ack) => ack.into_future().await.map(drop).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            Done::Sent(piece, taken)
        }));
    }

    /// A controller that lags removes rows from the broker as it gets them, so that they do not
    /// fill its disk.
    fn ask_how_much_is_stored(&mut self) {
        self.since_asked = 0;
        let jet = self.jet.clone();
        let stream = self.stream.clone();
        self.doing.push(Box::pin(async move {
            let bytes = match jet.get_stream(stream).await {
                Ok(stream) => Some(stream.cached_info().state.bytes),
                Err(_) => None,
            };
            Done::Stored(bytes)
        }));
    }

    /// The next piece of a file that has grown.
    fn read_next(&mut self) -> Option<Piece> {
        let round = self.round;
        for file in self.files.iter_mut().filter(|file| file.has_more) {
            // One that is not there yet is looked at again; what cannot be read is missing at the
            // controller, which says so.
            let bytes = read(&file.path, file.read).unwrap_or_default();
            file.has_more = bytes.len() == PIECE;
            if bytes.is_empty() {
                continue;
            }
            let share = file.share.clone();
            let listener = file.listener;
            let offset = file.read;
            let length = bytes.len() as u64;
            let piece = RowPiece { share: share.clone(), listener, offset, bytes };
            let Ok(payload) = postcard::to_stdvec(&piece) else { continue };
            file.read += length;
            file.on_their_way += 1;
            return Some(Piece { share, listener, round, offset, payload: payload.into() });
        }
        None
    }

    /// A share all of whose rows the broker has.
    fn take_ended(&mut self) -> Option<String> {
        let is_sent = |file: &RowUpload| file.ends && !file.has_more && file.on_their_way == 0;
        let share = self.files.iter().find(|file| is_sent(file))?.share.clone();
        let all = self.files.iter().filter(|file| file.share == share).all(is_sent);
        all.then(|| {
            self.files.retain(|file| file.share != share);
            share
        })
    }

    /// A share that has ended, where the broker has taken nothing for long.
    fn take_hopeless(&mut self) -> Option<(String, Result<(), FleetError>)> {
        if self.taken.elapsed() < PATIENCE {
            return None;
        }
        let share = self.files.iter().find(|file| file.ends)?.share.clone();
        self.files.retain(|file| file.share != share);
        self.refused.retain(|piece| piece.share != share);
        let seconds = PATIENCE.as_secs();
        let why =
            format!("the broker has not accepted result rows for {seconds} s: the remaining rows are lost");
        Some((share, Err(FleetError::new(why).hint(crate::bus::FULL_DISK))))
    }
}

/// Up to a piece of a file, from there on.
fn read(path: &Path, offset: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let there = file.metadata()?.len().saturating_sub(offset).min(PIECE as u64);
    let mut bytes = vec![0; usize::try_from(there).unwrap_or(0)];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}
