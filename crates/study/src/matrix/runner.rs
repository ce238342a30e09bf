//! Runs the tools one after the other.

use std::fs::{self, File};
use std::io;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rustix::process::{Pid, Signal, kill_process_group};

use super::result::{FORM, Memory, ToolFacts};
use super::{Adapter, Job, Matrix, Reading, Record, Run, RunEnding, Source, ToolRequest, site};
use crate::error::StudyError;
use crate::processes::Watch;
use crate::server::Guard;

/// How often the memory of a tool is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// How long a tool may take beyond its time: JVMs start, users stop, reports are made.
const BEYOND: Duration = Duration::from_mins(1);
/// How many bytes of a tool's output are read.
const MOST_BYTES: u64 = 1 << 30;

/// What is measured.
#[derive(Clone, Debug)]
pub struct MatrixOptions {
    /// The tools, each with its program; none: it is not there.
    pub tools: Vec<(&'static Adapter, Option<PathBuf>)>,
    /// Where the site is.
    pub site: SocketAddr,
    /// Response delays.
    pub rtts: Vec<Duration>,
    /// Numbers of users.
    pub users: Vec<u32>,
    /// Seconds a run.
    pub seconds: u32,
    /// How often all is measured.
    pub rounds: usize,
    /// The order of each round is drawn from it; none: in the order given.
    pub seed: Option<u64>,
    /// Where tools write their files, a folder a run.
    pub folder: PathBuf,
}

/// A run that is about to start.
pub struct RunFacts<'a> {
    /// The tool.
    pub tool: &'static Adapter,
    /// Tool, delay and users: `wrk at 10 ms with 20 users`.
    pub label: String,
    /// The folder in which it runs.
    pub folder: &'a Path,
}

/// What a matrix needs of its caller.
pub trait MatrixDriver {
    /// Why the caller cannot do its part.
    type Failure;
    /// Whether it is still wanted.
    fn goes_on(&self) -> bool;
    /// A run is about to start. What this returns are more arguments for the tool.
    fn begin(&mut self, run: &RunFacts<'_>) -> Vec<String>;
    /// A run has ended, this many of all; what is known of it, in a line.
    ///
    /// # Errors
    /// What the tool left cannot be used; that ends the matrix.
    fn done(&mut self, done: usize, all: usize, run: &Run, line: &str) -> Result<(), Self::Failure>;
    /// What there is can be kept.
    ///
    /// # Errors
    /// It cannot be; that ends the matrix.
    fn keep(&mut self, matrix: &Matrix) -> Result<(), Self::Failure>;
}

/// Measures all. Whether it came to the end is the second value: false, the caller did not want it
/// to.
///
/// # Errors
/// The site does not answer, a folder cannot be made, or the caller cannot keep the matrix.
pub fn run<F>(
    made_by: &str,
    options: &MatrixOptions,
    driver: &mut dyn MatrixDriver<Failure = F>,
) -> Result<(Matrix, bool), StudyError<F>> {
    let mut matrix = Matrix {
        form: FORM,
        made_by: made_by.to_owned(),
        tools: options.tools.iter().map(|(adapter, program)| facts(adapter, program.as_deref())).collect(),
        rtts_ms: options.rtts.iter().map(|rtt| rtt.as_secs_f64() * 1e3).collect(),
        users: options.users.clone(),
        seconds: options.seconds,
        seed: options.seed,
        runs: Vec::new(),
    };
    let plan = order(options);
    let all = plan.len();
    for (number, &(round, tool, rtt, users)) in plan.iter().enumerate() {
        if !driver.goes_on() {
            return Ok((matrix, false));
        }
        let (adapter, Some(program)) = &options.tools[tool] else { continue };
        let folder = options.folder.join(format!("{number:04}-{}", adapter.name));
        let rtt = options.rtts[rtt];
        let users = options.users[users];
        let one = OneRun { adapter, program, folder: &folder, options, rtt, users, round };
        let found =
            one.measure(driver).map_err(|error| StudyError::Machine(format!("{}: {error}", adapter.name)))?;
        let Some(found) = found else { return Ok((matrix, false)) };
        driver.done(number + 1, all, &found, &told(&found))?;
        matrix.runs.push(found);
        driver.keep(&matrix)?;
    }
    Ok((matrix, true))
}

/// Rounds, tools, delays and users as numbers, in the order in which they are measured.
fn order(options: &MatrixOptions) -> Vec<(usize, usize, usize, usize)> {
    let mut random = options.seed.map(StdRng::seed_from_u64);
    let mut all = Vec::new();
    for round in 0..options.rounds {
        let mut one = Vec::new();
        for rtt in 0..options.rtts.len() {
            for users in 0..options.users.len() {
                let there = options.tools.iter().enumerate().filter(|(_, (_, program))| program.is_some());
                one.extend(there.map(|(tool, _)| (round, tool, rtt, users)));
            }
        }
        if let Some(random) = &mut random {
            one.shuffle(random);
        }
        all.extend(one);
    }
    all
}

fn facts(adapter: &Adapter, program: Option<&Path>) -> ToolFacts {
    ToolFacts {
        name: adapter.name.to_owned(),
        version: program.and_then(|program| version(adapter, program)),
        program: program.map(|program| program.display().to_string()),
        install: adapter.install.to_owned(),
    }
}

/// The first line with a digit that it says of itself.
fn version(adapter: &Adapter, program: &Path) -> Option<String> {
    if adapter.version.is_empty() {
        return None;
    }
    let ended = Command::new(program).args(adapter.version).stdin(Stdio::null()).output().ok()?;
    let said = [ended.stdout, ended.stderr].concat();
    let text = String::from_utf8_lossy(&said).into_owned();
    let line = text.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    Some(line.trim().chars().take(100).collect())
}

struct OneRun<'a> {
    adapter: &'static Adapter,
    program: &'a Path,
    folder: &'a Path,
    options: &'a MatrixOptions,
    rtt: Duration,
    users: u32,
    round: usize,
}

impl OneRun<'_> {
    fn ask(&self) -> ToolRequest {
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
        ToolRequest {
            host: self.options.site.ip().to_string(),
            port: self.options.site.port(),
            path: format!("/delay/{}us", self.rtt.as_nanos() as f64 / 1e3),
            users: self.users,
            seconds: self.options.seconds,
            threads: threads.min(self.users),
        }
    }

    /// One run; none if the caller does not want it any longer.
    fn measure<F>(&self, driver: &mut dyn MatrixDriver<Failure = F>) -> io::Result<Option<Run>> {
        let mut job = (self.adapter.job)(&self.ask());
        let label = label(self.adapter.name, self.rtt.as_secs_f64() * 1e3, self.users);
        job.args.extend(driver.begin(&RunFacts { tool: self.adapter, label, folder: self.folder }));
        fs::create_dir_all(self.folder)?;
        for (name, text) in &job.files {
            fs::write(self.folder.join(name), text)?;
        }
        site::reset(self.options.site)?;
        let mut tool = match Tool::start(self.program, &job, self.folder) {
            Ok(tool) => tool,
            Err(error) => {
                return Ok(Some(self.of(
                    RunEnding::Failed(error.to_string()),
                    Reading::default(),
                    Record::default(),
                    Memory::default(),
                )));
            }
        };
        let watch = Watch::begin(Some(tool.child.id()), LOOK);
        let time = Duration::from_secs(u64::from(self.options.seconds)) + BEYOND;
        let end = tool.wait(time, || driver.goes_on());
        let used = watch.end().into();
        drop(tool);
        let truth = site::record(self.options.site)?;
        let (ending, said) = match end {
            End::Unwanted => return Ok(None),
            End::TooLate => {
                (RunEnding::Failed(format!("it did not end within {} s", time.as_secs())), Reading::default())
            }
            End::Ended => self.read(),
        };
        Ok(Some(self.of(ending, said, truth, used)))
    }

    fn of(&self, ending: RunEnding, said: Reading, truth: Record, used: Memory) -> Run {
        let Self { adapter, users, round, rtt, .. } = *self;
        let tool = adapter.name.to_owned();
        let rtt_ms = rtt.as_secs_f64() * 1e3;
        Run { tool, rtt_ms, users, round, ending, said, truth, used }
    }

    fn read(&self) -> (RunEnding, Reading) {
        let sources: Vec<Vec<u8>> = self
            .adapter
            .sources
            .iter()
            .map(|source| match source {
                Source::Stdout => read_most(&self.folder.join(STDOUT)),
                Source::File(name) => read_most(&self.folder.join(name)),
                Source::Below(name) => {
                    find(self.folder, name, 4).map(|path| read_most(&path)).unwrap_or_default()
                }
            })
            .collect();
        let parts: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
        match self.adapter.read(&parts) {
            Some(reading) => (RunEnding::Read, reading),
            None => (RunEnding::Failed(self.last_words()), Reading::default()),
        }
    }

    /// The last lines that the tool wrote, which mostly say what was wrong.
    fn last_words(&self) -> String {
        let said = [read_most(&self.folder.join(STDOUT)), read_most(&self.folder.join(STDERR))].concat();
        let text = String::from_utf8_lossy(&said).into_owned();
        let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(5)..].join("\n");
        if last.is_empty() { "it wrote nothing".to_owned() } else { last }
    }
}

const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";

/// A file, as much of it as is read; empty where there is none.
fn read_most(path: &Path) -> Vec<u8> {
    use std::io::Read;
    let mut bytes = Vec::new();
    // What cannot be read is not there.
    let _ = File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    bytes
}

/// The first file of this name in a folder and those below it, by their names, this many levels
/// deep.
fn find(folder: &Path, name: &str, levels: u32) -> Option<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    entries.sort_unstable();
    let here =
        entries.iter().find(|path| path.is_file() && path.file_name().is_some_and(|found| found == name));
    here.cloned().or_else(|| {
        let below = entries.iter().filter(|path| path.is_dir() && levels > 0);
        below.into_iter().find_map(|path| find(path, name, levels - 1))
    })
}

/// How a tool's run ended.
enum End {
    Ended,
    TooLate,
    Unwanted,
}

/// A running tool, in a separate process group. Dropping it ends the whole group.
struct Tool {
    child: Child,
    group: Pid,
    guard: Option<Guard>,
}

impl Tool {
    fn start(program: &Path, job: &Job, folder: &Path) -> io::Result<Self> {
        let mut command = match job.script {
            None => Command::new(program),
            Some(script) => {
                let mut shell = Command::new("/bin/sh");
                shell.args(["-c", script]).arg(program);
                shell
            }
        };
        command.args(&job.args).envs(job.env.iter().cloned()).current_dir(folder).process_group(0);
        let file = |name: &str| File::create(folder.join(name));
        let child = command.stdin(Stdio::null()).stdout(file(STDOUT)?).stderr(file(STDERR)?).spawn()?;
        let group = Pid::from_child(&child);
        let mut tool = Self { child, group, guard: None };
        tool.guard = Some(Guard::of(group)?);
        Ok(tool)
    }

    fn wait(&mut self, time: Duration, goes_on: impl Fn() -> bool) -> End {
        let deadline = Instant::now() + time;
        loop {
            // A child of ours can be waited for.
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                return End::Ended;
            }
            if !goes_on() {
                return End::Unwanted;
            }
            if Instant::now() >= deadline {
                return End::TooLate;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        // Processes that the tool left, or all of them if it still runs; nothing if all have ended.
        let _ = kill_process_group(self.group, Signal::KILL);
        drop(self.guard.take());
        let _ = self.child.wait();
    }
}

fn label(tool: &str, rtt_ms: f64, users: u32) -> String {
    format!("{tool} at {rtt_ms} ms with {users} users")
}

/// A run in a line.
fn told(run: &Run) -> String {
    let place = label(&run.tool, run.rtt_ms, run.users);
    match &run.ending {
        RunEnding::Failed(why) => format!("{place}: {}", why.lines().last().unwrap_or_default()),
        RunEnding::Read => {
            let per_s = run.said.per_s.map_or("no rate".to_owned(), |rate| format!("{rate:.1}/s"));
            let error = run.mean_error().map(|error| format!(", its mean is off by {:+.1} %", 100.0 * error));
            format!("{place}: {per_s}{}", error.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests;
