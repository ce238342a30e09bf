//! A results file of a world: rows of workers as listeners write them, and the writer, which runs
//! when the world wants. `crates/world` uses it.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use swell_api::SampleResult;
use swell_expr::{Backlog, Context};

use super::{Message, OnFailure, Output, Sink, WriteFailure, Writer};
use crate::RowFormat;
use crate::rows::WorkerRows;

/// The disk of a world.
pub trait Disk: Write + Send + 'static {
    /// Takes off everything after the first `length` bytes.
    ///
    /// # Errors
    /// It cannot.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

/// A file on a disk, which begins with a header.
struct OnDisk<D> {
    disk: D,
    header: Vec<u8>,
}

impl<D: Disk> Write for OnDisk<D> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.disk.flush()
    }
}

impl<D: Disk> Sink for OnDisk<D> {
    fn begin(&mut self) -> io::Result<u64> {
        self.disk.write_all(&self.header)?;
        Ok(self.header.len() as u64)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.disk.cut(length)
    }
}

/// A results file with the rows of its workers.
pub struct WorldFile<D> {
    format: RowFormat,
    output: Output,
    workers: Vec<WorkerRows>,
    writer: Writer<OnDisk<D>>,
    receiver: Receiver<Message>,
}

impl<D: Disk> WorldFile<D> {
    /// A file in that form, for workers that have `listeners` listeners of it each.
    pub fn new(disk: D, format: RowFormat, (workers, listeners): (usize, usize), failed: OnFailure) -> Self {
        let mut header = Vec::new();
        format.header(&mut header);
        let sink = OnDisk { disk, header };
        let footer = format.footer().into();
        let (output, writer, receiver) =
            Output::parts("world.jtl".into(), sink, footer, Some(failed), Arc::default());
        let workers = (0..workers).map(|_| {
            let mut rows = WorkerRows::default();
            for _ in 0..listeners {
                rows.join();
            }
            rows
        });
        Self { format, output, workers: workers.collect(), writer, receiver }
    }

    /// A sample comes to a listener of a worker.
    pub fn sample(&mut self, (worker, listener): (usize, usize), sample: &SampleResult, cx: &Context) {
        let rows = &mut self.workers[worker];
        if rows.is_first(listener, sample) {
            rows.write(&self.format, sample, cx, &self.output);
        }
    }

    /// What a user of a worker waits for that has just made a row.
    pub fn backlog(&mut self, worker: usize) -> Option<Backlog> {
        self.workers[worker].backlog(&self.output)
    }

    /// Workers hand over what they have.
    pub fn flush(&mut self) {
        self.workers.iter_mut().for_each(|rows| rows.hand_over(&self.output));
    }

    /// The writer takes what was handed over first; false where there is nothing.
    pub fn step(&mut self) -> bool {
        match self.receiver.try_recv() {
            Ok(message) => self.writer.receive(message),
            Err(_) => false,
        }
    }

    /// Writes what there is and the end of the file. Gives what went wrong, if something did.
    pub fn close(mut self) -> Option<WriteFailure> {
        self.flush();
        while self.step() {}
        self.writer.finish();
        self.output.failure()
    }
}
