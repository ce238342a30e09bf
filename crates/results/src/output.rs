//! The single writer of a results file: a thread that receives complete rows from the workers and
//! keeps the file consistent.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::{fmt, mem};

use parking_lot::Mutex;
use swell_expr::Backlog;
use swell_secrets::has_protected;

use crate::lag::{Lag, WaitTimes};
use crate::row_text::RowText;

/// Bytes that may wait for the disk, for each file; with more, users wait that make rows. Bodies
/// count: they hold memory of all users.
const QUEUE: usize = 8 << 20;

/// Larger buffers are given back to the allocator: one response of many megabytes must not stay.
const LARGEST_POOLED: usize = 256 * 1024;

/// Rows on their way to the file.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) text: RowText,
    /// Where each row ends in `text`.
    pub(crate) row_ends: Vec<u32>,
}

/// The destination of rows: a file in a run, or something that fails on purpose in tests.
pub(crate) trait Sink: Write + Send + 'static {
    /// Makes it ready for rows, with what stands before them, and gives its length. Nothing is
    /// changed until then.
    fn begin(&mut self) -> io::Result<u64>;
    /// Takes off everything after the first `length` bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// Ends what has `length` bytes of whole rows with `footer` and continues elsewhere, if it is
    /// time to. Returns the length of what is there then. If it fails, `length` bytes are whole
    /// rows as before.
    fn rotate(&mut self, _length: u64, _footer: &[u8]) -> io::Result<Option<u64>> {
        Ok(None)
    }
}

/// The error that a results file can no longer be written. The file ends with a complete row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteFailure {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub cause: String,
    /// Rows in the file from this run.
    pub rows_written: u64,
    /// Rows that were lost so far.
    pub rows_lost: u64,
}

impl fmt::Display for WriteFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let cause = &self.cause;
        write!(f, "cannot write results to `{path}`: {cause}; ")?;
        write!(f, "the file ends after {} rows, {} are lost", self.rows_written, self.rows_lost)
    }
}

/// Called once for each file that fails, on the thread of its writer.
pub type OnFailure = Arc<dyn Fn(&WriteFailure) + Send + Sync>;

/// What the workers and the writer of one file share.
struct Shared {
    failed: AtomicBool,
    cause: Mutex<String>,
    rows_written: AtomicU64,
    rows_lost: AtomicU64,
    /// Bytes that wait for the writer, or are being written.
    lag: Arc<Lag>,
    /// Empty batches that keep their memory.
    pool: Mutex<Vec<Batch>>,
}

enum Message {
    Begin(SyncSender<io::Result<()>>),
    Rows(Batch),
    Close,
}

/// An open results file.
pub(crate) struct Output {
    path: PathBuf,
    sender: Sender<Message>,
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Output {
    /// Starts the writer, which leaves the sink as it is until the first rows or [`Output::begin`].
    /// `footer` is written at the end. Times of waiting go to `waits`.
    pub(crate) fn start<S: Sink>(
        path: PathBuf,
        sink: S,
        footer: impl Into<Cow<'static, [u8]>>,
        on_failure: Option<OnFailure>,
        waits: Arc<WaitTimes>,
    ) -> io::Result<Self> {
        let (output, writer, receiver) = Self::parts(path, sink, footer.into(), on_failure, waits);
        let thread = std::thread::Builder::new().name("results".into()).spawn(move || {
            // Bodies are escaped here, some 60 MB/s a file; users that keep a schedule come first,
            // and wait where this falls behind.
            swell_net::machine::give_way();
            writer.run(&receiver);
        })?;
        *output.writer.lock() = Some(thread);
        Ok(output)
    }

    /// An output, its writer, and what the writer receives.
    fn parts<S: Sink>(
        path: PathBuf,
        sink: S,
        footer: Cow<'static, [u8]>,
        on_failure: Option<OnFailure>,
        waits: Arc<WaitTimes>,
    ) -> (Self, Writer<S>, Receiver<Message>) {
        let (sender, receiver) = channel();
        let shared = Arc::new(Shared::new(waits));
        let writer = Writer {
            path: path.clone(),
            sink,
            begun: false,
            length: 0,
            footer,
            shared: shared.clone(),
            on_failure,
        };
        (Self { path, sender, shared, writer: Mutex::default() }, writer, receiver)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file ready for rows.
    ///
    /// # Errors
    /// What the system said.
    pub(crate) fn begin(&self) -> io::Result<()> {
        let (reply, begun) = sync_channel(1);
        let ended = |_| io::Error::other("its writer has ended");
        self.sender.send(Message::Begin(reply)).map_err(|error| ended(error.to_string()))?;
        begun.recv().map_err(|error| ended(error.to_string()))?
    }

    /// Hands rows over and leaves an empty batch. It never waits: users do, where
    /// [`Output::backlog`] says so.
    pub(crate) fn hand_over(&self, batch: &mut Batch) {
        if batch.row_ends.is_empty() {
            return;
        }
        let rows = batch.row_ends.len() as u64;
        if self.shared.failed.load(Ordering::Acquire) {
            batch.text.clear();
            batch.row_ends.clear();
            self.shared.rows_lost.fetch_add(rows, Ordering::Relaxed);
            return;
        }
        let empty = self.shared.pool.lock().pop().unwrap_or_default();
        let bytes = batch.text.bytes();
        self.shared.lag.add(bytes);
        if self.sender.send(Message::Rows(mem::replace(batch, empty))).is_err() {
            self.shared.lag.sub(bytes);
            self.shared.rows_lost.fetch_add(rows, Ordering::Relaxed);
        }
    }

    /// Whether users that make rows are to wait.
    pub(crate) fn is_behind(&self) -> bool {
        self.shared.lag.is_behind()
    }

    /// What users wait for that make rows, where the disk is slower than they are.
    pub(crate) fn backlog(&self) -> Option<Backlog> {
        self.shared.lag.backlog()
    }

    /// What went wrong, if something did.
    pub(crate) fn failure(&self) -> Option<WriteFailure> {
        self.shared.failed.load(Ordering::Acquire).then(|| self.shared.failure(&self.path))
    }

    /// Writes what is waiting and the end of the file.
    pub(crate) fn close(&self) {
        if let Some(thread) = self.writer.lock().take() {
            let closing = self.sender.send(Message::Close);
            let ended = thread.join();
            debug_assert!(
                closing.is_ok() && ended.is_ok(),
                "the writer neither panics nor ends before it is closed"
            );
        }
    }
}

impl Shared {
    fn new(waits: Arc<WaitTimes>) -> Self {
        let (failed, cause, rows_written, rows_lost, pool) = Default::default();
        Self { failed, cause, rows_written, rows_lost, lag: Lag::new(QUEUE, waits), pool }
    }

    fn failure(&self, path: &Path) -> WriteFailure {
        WriteFailure {
            path: path.to_owned(),
            cause: self.cause.lock().clone(),
            rows_written: self.rows_written.load(Ordering::Relaxed),
            rows_lost: self.rows_lost.load(Ordering::Relaxed),
        }
    }
}

struct Writer<S> {
    path: PathBuf,
    sink: S,
    /// The sink is ready for rows.
    begun: bool,
    /// Length of the file up to its last whole row.
    length: u64,
    footer: Cow<'static, [u8]>,
    shared: Arc<Shared>,
    on_failure: Option<OnFailure>,
}

impl<S: Sink> Writer<S> {
    fn run(mut self, receiver: &Receiver<Message>) {
        while let Ok(message) = receiver.recv()
            && self.receive(message)
        {}
        self.finish();
    }

    /// Does what a message wants; false where that is the end.
    fn receive(&mut self, message: Message) -> bool {
        match message {
            Message::Begin(reply) => {
                // It waits for this; if it is gone, the first rows report a failure.
                let _ = reply.send(self.begin());
            }
            Message::Rows(batch) => {
                let bytes = batch.text.bytes();
                self.take(batch);
                self.shared.lag.sub(bytes);
            }
            Message::Close => return false,
        }
        true
    }

    fn finish(mut self) {
        // What no run has begun stays as it was.
        if self.begun {
            self.end();
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.begun {
            self.length = self.sink.begin()?;
            self.begun = true;
        }
        Ok(())
    }

    fn take(&mut self, mut batch: Batch) {
        if !self.shared.failed.load(Ordering::Relaxed)
            && let Err(error) = self.begin()
        {
            self.tell(error.to_string());
        }
        if self.shared.failed.load(Ordering::Relaxed) {
            self.shared.rows_lost.fetch_add(batch.row_ends.len() as u64, Ordering::Relaxed);
        } else {
            if has_protected() {
                batch.text.mask(&mut batch.row_ends);
            }
            self.write_rows(&batch);
        }
        if batch.text.capacity() <= LARGEST_POOLED {
            batch.text.clear();
            batch.row_ends.clear();
            self.shared.pool.lock().push(batch);
        }
    }

    fn write_rows(&mut self, batch: &Batch) {
        let rows = batch.row_ends.len();
        // A row with bodies was handed over at once, so it is the last.
        let plain = &batch.row_ends[..rows - usize::from(batch.text.has_bodies())];
        let end = plain.last().map_or(0, |&end| end as usize);
        let (written, mut result) = write_all(&mut self.sink, &batch.text[..end]);
        let mut whole = plain.partition_point(|&end| end as usize <= written);
        self.length += whole.checked_sub(1).map_or(0, |last| u64::from(plain[last]));
        if result.is_ok() && whole < rows {
            let mut counted = Counted { sink: &mut self.sink, bytes: 0 };
            result = batch.text.write_from(end, &mut counted);
            if result.is_ok() {
                self.length += counted.bytes;
                whole += 1;
            }
        }
        self.shared.rows_written.fetch_add(whole as u64, Ordering::Relaxed);
        if let Err(error) = result {
            self.shared.rows_lost.fetch_add((rows - whole) as u64, Ordering::Relaxed);
            self.fail(&error);
            return;
        }
        match self.sink.rotate(self.length, &self.footer) {
            Ok(Some(length)) => self.length = length,
            Ok(None) => {}
            Err(error) => self.fail(&error),
        }
    }

    /// The end of the file, also after a failure: what was cut off may have made room for it.
    fn end(&mut self) {
        let (_, mut result) = write_all(&mut self.sink, &self.footer);
        if result.is_ok() {
            result = self.sink.flush();
        }
        let Err(error) = result else { return };
        if self.shared.failed.load(Ordering::Relaxed) {
            // It was told before why. A part of the end is no row: where it cannot be taken off, the
            // file is as it would be without this.
            let _ = self.sink.cut(self.length);
        } else {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &io::Error) {
        let cause = match self.sink.cut(self.length) {
            Ok(()) => error.to_string(),
            Err(cutting) => format!("{error}; the last row may be incomplete: {cutting}"),
        };
        self.tell(cause);
    }

    fn tell(&self, cause: String) {
        *self.shared.cause.lock() = cause;
        self.shared.failed.store(true, Ordering::Release);
        if let Some(on_failure) = &self.on_failure {
            on_failure(&self.shared.failure(&self.path));
        }
    }
}

/// Counts what is written.
struct Counted<'s, S> {
    sink: &'s mut S,
    bytes: u64,
}

impl<S: Write> Write for Counted<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.sink.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// As `Write::write_all`, but says how much was written when it fails.
fn write_all(sink: &mut impl Write, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut done = 0;
    while done < bytes.len() {
        match sink.write(&bytes[done..]) {
            Ok(0) => return (done, Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (done, Err(error)),
        }
    }
    (done, Ok(()))
}

#[cfg(feature = "simulated")]
pub mod simulated;
#[cfg(test)]
mod tests;
