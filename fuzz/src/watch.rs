//! Watches a worker process for panics, hangs, aborts and stack overflows, and saves the failing
//! input.

use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::work::{Current, Runs};

/// Interval between two checks of a worker.
const LOOK: Duration = Duration::from_millis(20);

/// Ticks a second in `/proc/<pid>/stat` (`USER_HZ`, the same on every Linux).
const TICKS: u64 = 100;

/// Seconds of wall-clock time per second of the processor-time limit: on a busy machine a worker
/// gets the processor only now and then.
const WALL: u32 = 30;

/// How a worker ended.
#[derive(Debug)]
pub enum Ending {
    /// It ran this many inputs, and none failed.
    Passed(u64),
    /// The parser failed on an input.
    Failed(Fault),
}

/// A failure of a parser.
#[derive(Debug)]
pub struct Fault {
    /// Kind of the failure.
    pub what: String,
    /// Output of the worker.
    pub words: String,
    /// Number of the run, and its input.
    pub current: Current,
}

/// Runs a target in a separate process. `program` is `swell-fuzz`; `limit` is the processor time
/// that one input may take.
///
/// # Errors
/// The process cannot be started or watched.
pub fn watch(program: &Path, target: &str, runs: Runs, limit: Duration) -> io::Result<Ending> {
    let folder = tempfile::tempdir()?;
    let current = folder.path().join("current");
    let words = folder.path().join("words");
    let mut command = Command::new(program);
    command.args(["work", target, "--seed", &runs.seed.to_string(), "--first", &runs.first.to_string()]);
    command.args(["--runs", &runs.count.to_string()]).arg("--current").arg(&current);
    if let Some(time) = runs.time {
        command.args(["--seconds", &time.as_secs().to_string()]);
    }
    command
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&words)?);
    let mut child = command.spawn()?;
    let hung = wait(&mut child, &current, limit)?;
    let status = child.wait()?;
    if status.success() {
        return Ok(Ending::Passed(Current::read(&current).map_or(0, |current| current.run + 1 - runs.first)));
    }
    let words = String::from_utf8_lossy(&std::fs::read(&words)?).into_owned();
    let Ok(current) = Current::read(&current) else {
        return Err(io::Error::other(format!(
            "the worker of {target} ended before its first input: {words}"
        )));
    };
    let what = if hung { format!("one input took more than {limit:?}") } else { ended(status) };
    Ok(Ending::Failed(Fault { what, words, current }))
}

/// Waits until the worker ends. Returns true if one input took too long and the worker was killed.
fn wait(child: &mut Child, current: &Path, limit: Duration) -> io::Result<bool> {
    let mut last = None;
    let mut since = Instant::now();
    let mut used_before = 0;
    while child.try_wait()?.is_none() {
        let run = Current::read(current).ok().map(|current| current.run);
        let used = ticks(child.id());
        if run != last || run.is_none() {
            (last, since, used_before) = (run, Instant::now(), used);
        }
        let busy = Duration::from_secs_f64((used.saturating_sub(used_before)) as f64 / TICKS as f64);
        if busy > limit || since.elapsed() > limit * WALL {
            child.kill()?;
            return Ok(true);
        }
        std::thread::sleep(LOOK);
    }
    Ok(false)
}

/// Returns a process's time in ticks (proc(5), fields 14 and 15 of `stat`); 0 if it has ended.
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields = after_name.split_ascii_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<u64>().ok()).sum()
}

fn ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match status.signal() {
        Some(signal) => {
            format!("the process ended by signal {signal}: the stack or the memory ran out, or an abort")
        }
        None => "a panic".to_owned(),
    }
}

impl Fault {
    /// Writes the input to a folder, named by its content; returns the path.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(&self, target: &str, folder: &Path) -> io::Result<PathBuf> {
        let mut hasher = DefaultHasher::new();
        self.current.input.hash(&mut hasher);
        std::fs::create_dir_all(folder)?;
        let path = folder.join(format!("{target}-{:016x}", hasher.finish()));
        std::fs::write(&path, &self.current.input)?;
        Ok(path)
    }
}
