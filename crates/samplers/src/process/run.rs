//! Runs a program on a separate thread (`org.apache.jorphan.exec.SystemCommand`).

use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use swell_api::{Bodies, Body, Keeper};
use swell_expr::{FileName, Host};
use swell_net::channel;

use crate::system_text;

const MS: i64 = 1_000_000;
/// Threads that only copy and wait need little.
const STACK: usize = 128 * 1024;

/// The program to run.
pub(super) struct Program {
    pub(super) command: String,
    pub(super) arguments: Vec<String>,
    /// Added to this process's own.
    pub(super) environment: Vec<(String, String)>,
    pub(super) directory: PathBuf,
    /// None: nothing to read.
    pub(super) stdin: Option<PathBuf>,
    /// None: the output is the response.
    pub(super) stdout: Option<FileName>,
    /// None: goes where the output goes.
    pub(super) stderr: Option<FileName>,
    /// 0: none.
    pub(super) timeout_ms: i64,
    /// The limits of what is kept of its output.
    pub(super) bodies: Arc<Bodies>,
    /// Makes files whose names are not wholly the plan's own.
    pub(super) host: Arc<dyn Host>,
}

/// How the program ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProcessEnd {
    /// By itself, with this code.
    Code(i32),
    /// Not; JMeter's message.
    Failed(String),
}

/// The stored part of an output, and its total size.
#[derive(Debug, Default)]
pub(super) struct ProcessOutput {
    pub(super) bytes: Vec<u8>,
    pub(super) count: u64,
    keeper: Option<Keeper>,
}

impl ProcessOutput {
    fn take(&mut self, piece: &[u8]) {
        self.count += piece.len() as u64;
        if let Some(keeper) = &mut self.keeper {
            // Bytes beyond the memory limit are counted.
            let _ = keeper.keep(&mut self.bytes, piece, usize::MAX);
        }
    }

    /// What it takes of the room for all users.
    /// Its bytes through a text and back, as in JMeter.
    pub(super) fn into_body(mut self) -> Body {
        let mut bytes = self.bytes;
        let Some(mut keeper) = self.keeper.take() else { return through_text(bytes).into() };
        if std::str::from_utf8(&bytes).is_err() {
            // A character for each byte, of three bytes.
            keeper.before_copies(&mut bytes, 3);
        }
        keeper.finish(through_text(bytes))
    }
}

/// The same, with a replacement character for each byte that is not valid UTF-8. Valid UTF-8 is not
/// copied.
fn through_text(bytes: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => text.into_bytes(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into_bytes(),
    }
}

/// The result of a program.
pub(super) struct Outcome {
    pub(super) ended: ProcessEnd,
    pub(super) output: ProcessOutput,
    pub(super) end_ns: i64,
}

/// The process, as long as it has not been waited for: what stops waiting for the sample stops it.
#[derive(Clone, Default)]
struct Running(Arc<Mutex<ProcessState>>);

#[derive(Default)]
struct ProcessState {
    pid: Option<Pid>,
    stopped: bool,
}

impl Running {
    fn known(&self) -> parking_lot::MutexGuard<'_, ProcessState> {
        self.0.lock()
    }

    /// It runs.
    fn started(&self, pid: Pid) {
        let mut known = self.known();
        known.pid = Some(pid);
        known.tell();
    }

    /// Its number may go to another process from now on.
    fn over(&self) {
        self.known().pid = None;
    }

    /// Java's `Process.destroy`, also for one that is about to start.
    fn stop(&self) {
        let mut known = self.known();
        known.stopped = true;
        known.tell();
    }
}

impl ProcessState {
    fn tell(&self) {
        if let Some(pid) = self.pid.filter(|_| self.stopped) {
            // It may have ended just now.
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

/// Stops the process when the sample is cut.
struct StopOnDrop(Running);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Runs a program; the worker continues meanwhile. If the future is dropped, the program is
/// terminated.
pub(super) async fn run(program: Program) -> Outcome {
    let running = Running::default();
    let guard = StopOnDrop(running.clone());
    let (sender, mut receiver) = channel();
    let work = move || drop(sender.send(run_here(&program, &running)));
    let started = std::thread::Builder::new().name("swell-process".into()).stack_size(STACK).spawn(work);
    let outcome = match started {
        Ok(_detached) => receiver.recv().await,
        Err(error) => Some(failed(
            whilst(&format!("java.io.IOException: {}", system_text(&error))),
            ProcessOutput::default(),
        )),
    };
    drop(guard);
    outcome
        .unwrap_or_else(|| failed(whilst("the thread that waits for it has ended"), ProcessOutput::default()))
}

fn whilst(thrown: &str) -> String {
    format!("Exception occurred whilst executing system call: {thrown}")
}

fn failed(message: String, output: ProcessOutput) -> Outcome {
    Outcome { ended: ProcessEnd::Failed(message), output, end_ns: swell_net::now_ns() }
}

fn run_here(program: &Program, running: &Running) -> Outcome {
    let (mut child, output) = match start(program) {
        Ok(started) => started,
        Err(thrown) => return failed(whilst(&thrown), ProcessOutput::default()),
    };
    let pid = Pid::from_child(&child);
    running.started(pid);
    let output = output.map(|pipe| Output::copy(pipe, program.bodies.clone()));
    if !wait_until_over(pid, program.timeout_ms) {
        running.stop();
        let so_far = output.map(|output| output.so_far()).unwrap_or_default();
        let message = format!("Process timeout reached after {} milliseconds", program.timeout_ms);
        let outcome = failed(message, so_far);
        // This thread waits for a process that ignores the signal, and nothing waits for the
        // thread.
        wait_until_over(pid, 0);
        running.over();
        let _reaped = child.wait();
        return outcome;
    }
    running.over();
    let status = child.wait();
    let output = output.map(Output::whole).unwrap_or_default();
    match status {
        Ok(status) => Outcome { ended: ProcessEnd::Code(code(status)), output, end_ns: swell_net::now_ns() },
        Err(error) => failed(whilst(&format!("java.io.IOException: {}", system_text(&error))), output),
    }
}

/// Java's exit value: 128 and the number of the signal that ended it.
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

/// Starts the program; its output comes back where no file takes it.
fn start(program: &Program) -> Result<(Child, Option<PipeReader>), String> {
    let mut command = Command::new(&program.command);
    command.args(&program.arguments).current_dir(&program.directory);
    command.envs(program.environment.iter().map(|(name, value)| (name, value)));
    // Ctrl-C ends the test, and the test ends the program.
    command.process_group(0);
    let io = |error: io::Error| format!("java.io.IOException: {}", system_text(&error));
    command.stdin(match &program.stdin {
        Some(path) => {
            Stdio::from(File::open(trimmed(path)).map_err(|error| no_file(&trimmed(path), &error))?)
        }
        None => Stdio::null(),
    });
    let mut output = None;
    let stdout: io::Result<(Stdio, Stdio)> = match &program.stdout {
        Some(name) => {
            let file = make(name, program)?;
            file.try_clone().map(|copy| (file.into(), copy.into()))
        }
        None => io::pipe().and_then(|(reader, writer)| {
            output = Some(reader);
            writer.try_clone().map(|copy| (writer.into(), copy.into()))
        }),
    };
    let (stdout, mut stderr) = stdout.map_err(io)?;
    if let Some(name) = &program.stderr {
        stderr = make(name, program)?.into();
    }
    let child = command.stdout(stdout).stderr(stderr).spawn().map_err(|error| {
        format!(
            "java.io.IOException: Cannot run program \"{}\" (in directory \"{}\"): error={}, {}",
            program.command,
            program.directory.display(),
            error.raw_os_error().unwrap_or_default(),
            system_text(&error)
        )
    })?;
    Ok((child, output))
}

/// JMeter trims the name of the file that is read, and not those that are written.
fn trimmed(path: &Path) -> PathBuf {
    path.to_str().map_or_else(|| path.to_owned(), |text| PathBuf::from(text.trim()))
}

/// A file for an output. What a response brings into its name does not lead it out of the plan's
/// folder.
fn make(name: &FileName, program: &Program) -> Result<File, String> {
    let path = Path::new(name.text());
    let own = || program.host.may_use(path).and_then(|()| File::create(path));
    let made = if name.is_of_plan() { own() } else { program.host.make_file(name) };
    made.map_err(|error| no_file(path, &error))
}

fn no_file(path: &Path, error: &io::Error) -> String {
    format!("java.io.FileNotFoundException: {} ({})", path.display(), system_text(error))
}

/// Waits until the process has ended; false if the time limit passed first. The process is not
/// waited for in the system's sense before, so that its number stays its own.
fn wait_until_over(pid: Pid, timeout_ms: i64) -> bool {
    let deadline_ns =
        (timeout_ms > 0).then(|| swell_net::now_ns().saturating_add(timeout_ms.saturating_mul(MS)));
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return true };
    loop {
        let left = deadline_ns.map(|at_ns| (at_ns - swell_net::now_ns()).max(0));
        let limit = left.map(|ns| Timespec { tv_sec: ns / 1_000_000_000, tv_nsec: ns % 1_000_000_000 });
        match poll(&mut [PollFd::new(&handle, PollFlags::IN)], limit.as_ref()) {
            Ok(0) => return false,
            Err(error) if error == rustix::io::Errno::INTR => {}
            Ok(_) | Err(_) => return true,
        }
    }
}

/// The output of a process, read on a separate thread.
struct Output {
    kept: Arc<Mutex<ProcessOutput>>,
    reader: io::Result<JoinHandle<()>>,
}

impl Output {
    fn copy(mut pipe: PipeReader, bodies: Arc<Bodies>) -> Self {
        let keeper = Some(Keeper::new(bodies));
        let kept = Arc::new(Mutex::new(ProcessOutput { keeper, ..ProcessOutput::default() }));
        let into = kept.clone();
        let work = move || {
            let mut piece = [0; 8192];
            loop {
                match pipe.read(&mut piece) {
                    Ok(0) => break,
                    Ok(count) => into.lock().take(&piece[..count]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
        };
        let reader = std::thread::Builder::new().name("swell-output".into()).stack_size(STACK).spawn(work);
        Self { kept, reader }
    }

    fn so_far(&self) -> ProcessOutput {
        std::mem::take(&mut *self.kept.lock())
    }

    /// All of it, when all who hold the pipe have closed it, as JMeter waits, too.
    fn whole(self) -> ProcessOutput {
        if let Ok(reader) = self.reader {
            // It only copies; a panic there would leave what was copied.
            let _ended = reader.join();
        }
        std::mem::take(&mut *self.kept.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Program {
        Program {
            command: "sh".into(),
            arguments: vec!["-c".into(), script.into()],
            environment: Vec::new(),
            directory: std::env::temp_dir(),
            stdin: None,
            stdout: None,
            stderr: None,
            timeout_ms: 0,
            bodies: Arc::default(),
            host: Arc::new(swell_expr::testing::TestHost::default()),
        }
    }

    fn ran(program: Program) -> (ProcessEnd, String) {
        let mut runtime = swell_net::Runtime::new().expect("a loop");
        let outcome = runtime.block_on(run(program));
        (outcome.ended, String::from_utf8(outcome.output.bytes).expect("text"))
    }

    #[test]
    fn output_errors_and_code_come_back() {
        assert_eq!(ran(sh("echo out; echo err >&2; exit 3")), (ProcessEnd::Code(3), "out\nerr\n".into()));
        assert_eq!(ran(sh("kill -9 $$")), (ProcessEnd::Code(137), String::new()));
        let env =
            Program { environment: vec![("SWELL_X".into(), "y z".into())], ..sh("echo \"$SWELL_X\"; pwd") };
        let here = std::env::temp_dir().canonicalize().expect("there").display().to_string();
        assert_eq!(ran(env), (ProcessEnd::Code(0), format!("y z\n{here}\n")));
    }

    #[test]
    fn of_an_output_without_end_the_beginning_is_kept() {
        let bodies = Arc::new(Bodies::new(Some(10), None));
        let program = Program { bodies: bodies.clone(), ..sh("head -c 1000000 /dev/zero") };
        let outcome = swell_net::Runtime::new().expect("a loop").block_on(run(program));
        assert_eq!((outcome.output.bytes, outcome.output.count), (vec![0; 10], 1_000_000));
        assert!(bodies.told().is_some());
    }

    #[test]
    fn files_stand_for_the_three_streams() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("in"), "given").expect("written");
        let program = Program {
            stdin: Some(path("in")),
            stdout: Some(FileName::of_plan(path("out").to_string_lossy())),
            stderr: Some(FileName::of_plan(path("err").to_string_lossy())),
            ..sh("cat; echo bad >&2")
        };
        assert_eq!(ran(program), (ProcessEnd::Code(0), String::new()));
        assert_eq!(std::fs::read_to_string(path("out")).expect("there"), "given");
        assert_eq!(std::fs::read_to_string(path("err")).expect("there"), "bad\n");
        let none = Program { stdin: Some(path("none")), ..sh("cat") };
        let why =
            format!("java.io.FileNotFoundException: {} (No such file or directory)", path("none").display());
        assert_eq!(ran(none).0, ProcessEnd::Failed(whilst(&why)));
    }

    #[test]
    fn what_cannot_be_run_has_javas_words() {
        let program = Program { command: "no-such-program".into(), directory: "/".into(), ..sh("") };
        let why = "java.io.IOException: Cannot run program \"no-such-program\" (in directory \"/\"): \
                   error=2, No such file or directory";
        assert_eq!(ran(program).0, ProcessEnd::Failed(whilst(why)));
    }

    #[test]
    fn a_process_that_takes_too_long_is_told_to_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = folder.path().join("told");
        let script = format!("trap 'echo > {}; exit' TERM; while :; do sleep 0.01; done", told.display());
        let program = Program { timeout_ms: 50, ..sh(&script) };
        assert_eq!(
            ran(program).0,
            ProcessEnd::Failed("Process timeout reached after 50 milliseconds".into())
        );
        let since = std::time::Instant::now();
        while !told.exists() {
            assert!(since.elapsed().as_secs() < 20, "the process was not told to end");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_process_whose_sample_is_cut_is_told_to_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let up = folder.path().join("up");
        let told = folder.path().join("told");
        let script = format!(
            "trap 'echo > {}; exit' TERM; echo > {}; while :; do sleep 0.01; done",
            told.display(),
            up.display()
        );
        let mut runtime = swell_net::Runtime::new().expect("a loop");
        runtime.block_on(async {
            let mut running = Box::pin(run(sh(&script)));
            let started = std::future::poll_fn(|cx| {
                assert!(running.as_mut().poll(cx).is_pending());
                if up.exists() {
                    return std::task::Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                std::task::Poll::Pending
            });
            started.await;
            drop(running);
        });
        let since = std::time::Instant::now();
        while !told.exists() {
            assert!(since.elapsed().as_secs() < 20, "the process was not told to end");
            std::thread::yield_now();
        }
    }
}
