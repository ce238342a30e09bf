//! Threads that write the files of functions and elements (`__StringToFile`, Save Responses to a
//! file) and the log. Data for one file is written in the order in which it came. A file that
//! accepts nothing, such as a pipe without a reader, delays no other file.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};
use swell_expr::{Backlog, FileName};

use crate::lag::{DiskWaits, Lag, WaitTimes};
use crate::place::place_of;
use crate::{Writing, open_named};

/// Threads at most. They start as files have to be written, and end when there was nothing to do
/// for [`IDLE`].
const THREADS: usize = 8;
const IDLE: Duration = Duration::from_secs(1);

/// Bytes that may wait for one file, and for all: with more, users that write wait.
const FILE_LIMIT: usize = 4 * 1024 * 1024;
const LIMIT: usize = 16 * 1024 * 1024;

/// What a write takes besides its content, in bytes: a thousand small files are as much as one of 4
/// MiB.
const WRITE_COST: usize = 4096;

/// Called after a failed write, on the writing thread.
pub type OnWriteError = Arc<dyn Fn(&FileName, &io::Error) + Send + Sync>;

/// One write to one file.
pub struct FileWrite {
    /// The file; see [`open_named`].
    pub name: FileName,
    /// What is written.
    pub content: Box<dyn AsRef<[u8]> + Send>,
    /// What to do with existing content.
    pub how: Writing,
    /// Told if it fails.
    pub on_error: OnWriteError,
}

impl FileWrite {
    fn cost(&self) -> usize {
        WRITE_COST + (*self.content).as_ref().len()
    }
}

/// The writers of a run.
pub struct FileWriters(Arc<Queues>);

struct Queues {
    state: Mutex<State>,
    /// There is something to write, or the threads end.
    work: Condvar,
    /// A write is done.
    done: Condvar,
    /// Writes that are not done.
    writes: AtomicUsize,
    /// Bytes that wait for all files.
    lag: Arc<Lag>,
    waits: Arc<WaitTimes>,
}

#[derive(Default)]
struct State {
    files: HashMap<PathBuf, Queue>,
    /// Files with writes, which no thread has taken yet.
    ready: VecDeque<PathBuf>,
    threads: usize,
    idle: usize,
    /// How many writes were done.
    done: u64,
    over: bool,
}

/// What waits for one file.
struct Queue {
    writes: VecDeque<FileWrite>,
    lag: Arc<Lag>,
}

thread_local! {
    static IS_WRITER: Cell<bool> = const { Cell::new(false) };
}

impl Default for FileWriters {
    fn default() -> Self {
        let (state, work, done, writes, waits) = Default::default();
        Self(Arc::new(Queues { state, work, done, writes, lag: Lag::new(LIMIT, Arc::clone(&waits)), waits }))
    }
}

impl FileWriters {
    /// How long a file may take nothing at the end of a run before it is given up.
    pub const PATIENCE: Duration = Duration::from_secs(10);

    /// Hands a write to the threads. Gives what the user waits for that wrote, where they are
    /// behind.
    pub fn write(&self, write: FileWrite) -> Option<Backlog> {
        self.write_to(place_of(Path::new(write.name.text())), write)
    }

    /// As [`FileWriters::write`], to a file whose place ([`place_of`]) is known.
    pub fn write_to(&self, place: PathBuf, write: FileWrite) -> Option<Backlog> {
        let Self(queues) = self;
        let cost = write.cost();
        let mut state = queues.state.lock();
        queues.lag.add(cost);
        queues.writes.fetch_add(1, Ordering::AcqRel);
        if let Some(queue) = state.files.get_mut(&place) {
            queue.lag.add(cost);
            queue.writes.push_back(write);
            return queue.lag.backlog().or_else(|| queues.lag.backlog());
        }
        let lag = Lag::new(FILE_LIMIT, queues.waits.clone());
        lag.add(cost);
        state.files.insert(place.clone(), Queue { writes: [write].into(), lag: lag.clone() });
        state.ready.push_back(place);
        self.wake_writer(state);
        lag.backlog().or_else(|| queues.lag.backlog())
    }

    /// One more file is ready.
    fn wake_writer(&self, mut state: MutexGuard<'_, State>) {
        let queues = self.0.clone();
        if state.idle >= state.ready.len() || state.threads >= THREADS {
            queues.work.notify_one();
            return;
        }
        state.threads += 1;
        let thread = std::thread::Builder::new().name("swell-files".to_owned());
        let started = thread.spawn({
            let queues = queues.clone();
            move || queues.serve()
        });
        if started.is_err() {
            state.threads -= 1;
            if state.threads == 0 {
                // No thread can be had: written here rather than never.
                drop(queues.write_next(state));
            }
        }
    }

    /// What a user waits for that has written to the file of this place; none as long as its writer
    /// keeps up.
    pub fn backlog(&self, place: &Path) -> Option<Backlog> {
        self.lag_of(place).and_then(|lag| lag.backlog()).or_else(|| self.0.lag.backlog())
    }

    /// Holds up this thread until what was handed over for a file is written: for its readers. What
    /// is no file, as a pipe, is not waited for.
    pub fn settle(&self, path: &Path) {
        if self.0.writes.load(Ordering::Acquire) == 0 || path.exists() && !path.is_file() {
            return;
        }
        if let Some(lag) = self.lag_of(&place_of(path)) {
            lag.block_until(0);
        }
    }

    /// Holds up this thread while four times as much waits for a file as its users wait for: for
    /// what is written without a user.
    pub fn settle_most(&self, place: &Path) {
        if IS_WRITER.get() {
            // It would wait for itself.
            return;
        }
        if let Some(lag) = self.lag_of(place).filter(|lag| lag.queued() > 4 * FILE_LIMIT) {
            lag.block_until(FILE_LIMIT);
        }
    }

    fn lag_of(&self, place: &Path) -> Option<Arc<Lag>> {
        self.0.state.lock().files.get(place).map(|queue| queue.lag.clone())
    }

    /// Waits until all is written. Where nothing is written for as long as that, gives the files
    /// that wait.
    ///
    /// # Errors
    /// The files that were given up.
    pub fn finish(&self, patience: Duration) -> Result<(), Vec<PathBuf>> {
        let mut state = self.0.state.lock();
        while !state.files.is_empty() {
            let done = state.done;
            let wait = self.0.done.wait_for(&mut state, patience);
            if wait.timed_out() && state.done == done {
                state.over = true;
                return Err(state.files.keys().cloned().collect());
            }
        }
        Ok(())
    }

    /// How long was waited for these files.
    pub fn disk_waits(&self) -> DiskWaits {
        self.0.waits.get()
    }
}

/// What was handed over is written, unless a file takes nothing.
impl Drop for FileWriters {
    fn drop(&mut self) {
        let given_up = self.0.state.lock().over;
        if !given_up && !IS_WRITER.get() {
            // What is left is known to those that asked before.
            let _ = self.finish(Self::PATIENCE);
        }
        self.0.state.lock().over = true;
        self.0.work.notify_all();
    }
}

impl Queues {
    /// The life of a writer.
    fn serve(&self) {
        IS_WRITER.set(true);
        let mut state = self.state.lock();
        loop {
            if !state.ready.is_empty() {
                state = self.write_next(state);
                continue;
            }
            if state.over {
                break;
            }
            state.idle += 1;
            let wait = self.work.wait_for(&mut state, IDLE);
            state.idle -= 1;
            if wait.timed_out() && state.ready.is_empty() {
                break;
            }
        }
        state.threads -= 1;
    }

    /// Writes what waits for the first file that is ready. What comes for it meanwhile makes it
    /// ready again.
    fn write_next<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let Some(place) = state.ready.pop_front() else { return state };
        let queue = state.files.get_mut(&place).expect("it is there until its last write is done");
        let writes = std::mem::take(&mut queue.writes);
        let lag = queue.lag.clone();
        drop(state);
        self.write_all(writes, &lag);
        let mut state = self.state.lock();
        if state.files[&place].writes.is_empty() {
            state.files.remove(&place);
        } else {
            state.ready.push_back(place);
        }
        self.done.notify_all();
        state
    }

    fn write_all(&self, writes: VecDeque<FileWrite>, lag: &Lag) {
        let mut open = None;
        for write in writes {
            if let Err(error) = write_one(&write, &mut open) {
                open = None;
                (write.on_error)(&write.name, &error);
            }
            let cost = write.cost();
            drop(write);
            lag.sub(cost);
            self.lag.sub(cost);
            self.writes.fetch_sub(1, Ordering::AcqRel);
            self.state.lock().done += 1;
        }
    }
}

/// Writes to the file that the write before has opened, where that is the same to be appended to.
fn write_one(write: &FileWrite, open: &mut Option<(FileName, File)>) -> io::Result<()> {
    let file = match open.take().filter(|(name, _)| write.how.append && *name == write.name) {
        Some((_, file)) => file,
        None => open_named(&write.name, write.how)?,
    };
    let (_, file) = open.insert((write.name.clone(), file));
    file.write_all((*write.content).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::sync::mpsc;

    const APPEND: Writing = Writing { append: true, makes_folders: false };

    fn write(path: &Path, content: &str, how: Writing, errors: &mpsc::Sender<String>) -> FileWrite {
        let errors = errors.clone();
        FileWrite {
            name: FileName::of_plan(path.to_string_lossy()),
            content: Box::new(content.to_owned().into_bytes()),
            how,
            on_error: Arc::new(move |_, error| {
                // Not every test listens.
                let _ = errors.send(error.to_string());
            }),
        }
    }

    /// A pipe that has no reader yet.
    fn pipe(folder: &Path) -> PathBuf {
        let path = folder.join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .expect("a pipe");
        path
    }

    #[test]
    fn a_file_is_written_in_order_and_a_reader_sees_all_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        let writers = FileWriters::default();
        let (errors, _) = mpsc::channel();
        let mut wanted = String::new();
        for number in 0..500 {
            let how = Writing { append: number != 100, ..APPEND };
            if number == 100 {
                wanted.clear();
            }
            let line = format!("{number}\n");
            wanted.push_str(&line);
            drop(writers.write(write(&path, &line, how, &errors)));
            if number % 50 == 0 {
                writers.settle(&path);
                assert_eq!(std::fs::read_to_string(&path).expect("readable"), wanted);
            }
        }
        writers.finish(FileWriters::PATIENCE).expect("all is written");
        assert_eq!(std::fs::read_to_string(&path).expect("readable"), wanted);
    }

    #[test]
    fn a_pipe_that_nobody_reads_holds_up_no_other_file_and_its_users_wait() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = pipe(folder.path());
        let file = folder.path().join("f");
        let writers = FileWriters::default();
        let (errors, _) = mpsc::channel();
        let large = "x".repeat(1024 * 1024);
        let mut behind = (0..5).map(|_| writers.write(write(&pipe, &large, APPEND, &errors)).is_some());
        let behind: Vec<_> = behind.by_ref().collect();
        assert_eq!(behind, [false, false, false, true, true]);
        assert!(writers.write(write(&file, "text", APPEND, &errors)).is_none(), "not for this file");
        writers.settle(&file);
        assert_eq!(std::fs::read_to_string(&file).expect("readable"), "text");
        // A reader of the pipe itself does not wait for its writers.
        writers.settle(&pipe);
        // Its writers come and go: open for both, it does not end with one of them.
        let mut opened = File::options().read(true).write(true).open(&pipe).expect("there");
        opened.read_exact(&mut vec![0; 5 * large.len()]).expect("all that was written");
        writers.finish(FileWriters::PATIENCE).expect("all is written");
    }

    #[test]
    fn files_that_take_nothing_are_given_up_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = pipe(folder.path());
        let writers = FileWriters::default();
        let (errors, _) = mpsc::channel();
        drop(writers.write(write(&pipe, "text", APPEND, &errors)));
        assert_eq!(writers.finish(Duration::from_millis(1)), Err(vec![place_of(&pipe)]));
        // The thread that holds it continues, and the test leaves nothing behind.
        drop(File::open(&pipe).expect("its writer waits for this"));
    }

    #[test]
    fn what_cannot_be_written_is_told_and_the_next_is_tried_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let writers = FileWriters::default();
        let (errors, told) = mpsc::channel();
        let missing = folder.path().join("none/f");
        drop(writers.write(write(&missing, "1", APPEND, &errors)));
        drop(writers.write(write(Path::new("/dev/full"), "2", APPEND, &errors)));
        assert!(told.recv().is_ok() && told.recv().is_ok());
        std::fs::create_dir(folder.path().join("none")).expect("made");
        drop(writers.write(write(&missing, "3", APPEND, &errors)));
        drop(writers);
        assert_eq!(std::fs::read_to_string(&missing).expect("written"), "3");
    }
}
