//! The command, started with a time limit: a hang fails the test.

use std::ffi::OsStr;
use std::io::{Read, Write as _};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Longest time for anything here. Far more than a busy machine needs.
pub(crate) const LIMIT: Duration = Duration::from_mins(3);

/// A command to be started.
pub(crate) struct Call {
    command: Command,
    line: String,
    limit: Duration,
}

/// A command that runs.
pub(crate) struct Running {
    child: Child,
    line: String,
    out: Receiver<String>,
    err: Receiver<String>,
    /// What was taken from `err` so far.
    said: String,
    limit: Duration,
    deadline: Instant,
}

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) line: String,
    /// None: it was killed by a signal.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Call {
    /// `swell` with these arguments in that folder.
    pub(crate) fn new(folder: &std::path::Path, args: &[&str]) -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_swell")), folder, args)
    }

    /// `swell` under a shell that first runs `before`, such as `ulimit -n 40`; `after` is put
    /// behind the command, such as a redirection.
    pub(crate) fn in_shell(folder: &std::path::Path, before: &str, args: &[&str], after: &str) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{before}; exec \"$0\" \"$@\" {after}"), env!("CARGO_BIN_EXE_swell")]);
        Self::of(shell, folder, args)
    }

    /// Another program.
    pub(crate) fn shell(folder: &std::path::Path, program: &str, args: &[&str]) -> Self {
        Self::of(Command::new(program), folder, args)
    }

    fn of(mut command: Command, folder: &std::path::Path, args: &[&str]) -> Self {
        command.args(args).current_dir(folder).env_remove("JMETER_HOME").env("SWELL_RUNS", "off");
        // What runs in a job of GitHub would write into its summary.
        command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
        Self { command, line: format!("swell {}", args.join(" ")), limit: LIMIT }
    }

    /// With its own time limit, for programs that work long before they start Swell.
    pub(crate) fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it. Standard input stays open until it has ended.
    pub(crate) fn start(self) -> Running {
        self.start_with(true)
    }

    /// Starts it with closed outputs: a write there is an error.
    pub(crate) fn start_unheard(self) -> Running {
        self.start_with(false)
    }

    fn start_with(mut self, heard: bool) -> Running {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A separate process group, as a shell gives to what it starts.
        let mut child = self.command.process_group(0).spawn().expect("the binary starts");
        let out = child.stdout.take().expect("piped");
        let err = child.stderr.take().expect("piped");
        let nothing = || mpsc::channel().1;
        let (out, err) = if heard { (read_all(out), read_all(err)) } else { (nothing(), nothing()) };
        let line = self.line;
        let limit = self.limit;
        Running { child, line, out, err, said: String::new(), limit, deadline: Instant::now() + limit }
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Ended {
        self.start().wait()
    }
}

/// Reads lines on a thread; the channel ends with the stream.
fn read_all(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut stream = std::io::BufReader::new(stream);
        let mut line = Vec::new();
        while let Ok(1..) = std::io::BufRead::read_until(&mut stream, b'\n', &mut line) {
            // The test may not care for the rest.
            // The test may be over.
            let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
            line.clear();
        }
    });
    receiver
}

impl Running {
    /// The next line on standard output.
    pub(crate) fn next_line(&mut self) -> String {
        let left = self.deadline.saturating_duration_since(Instant::now());
        self.out.recv_timeout(left).unwrap_or_else(|error| self.fail(&format!("no line came: {error}")))
    }

    /// Waits for a line on standard error that has this text, and gives it.
    pub(crate) fn wait_for_words(&mut self, text: &str) -> String {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let line = self.err.recv_timeout(left);
            let line = line.unwrap_or_else(|error| self.fail(&format!("`{text}` was not said: {error}")));
            self.said.push_str(&line);
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, such as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        self.kill(name, &self.child.id().to_string());
    }

    /// Sends a signal to it and to all that it started, as Ctrl-C does on a terminal.
    pub(crate) fn signal_group(&self, name: &str) {
        self.kill(name, &format!("-{}", self.child.id()));
    }

    fn kill(&self, name: &str, to: &str) {
        // The shell's own `kill`: one system call, and no unsafe code in a test.
        let sent = Command::new("sh").args(["-c", "kill -s \"$0\" -- \"$1\"", name, to]).status();
        assert!(sent.expect("a shell").success(), "{name} could not be sent to {}", self.line);
    }

    /// The largest resident memory so far, bytes.
    pub(crate) fn peak_bytes(&self) -> u64 {
        let line = self.status_line("VmHWM").expect("the kernel says so");
        line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).expect("a number") * 1024
    }

    /// A line of what the kernel says about it (proc_pid_status(5)), without its name; none if this
    /// kernel does not say that.
    pub(crate) fn status_line(&self, name: &str) -> Option<String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(|value| value.trim().to_owned())
    }

    /// The paths of what it has open.
    pub(crate) fn open_files(&self) -> Vec<String> {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).expect("it runs");
        // One that was closed meanwhile is open no more.
        let paths = open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        paths.map(|path| path.to_string_lossy().into_owned()).collect()
    }

    /// Types a line.
    pub(crate) fn type_line(&mut self, text: &str) {
        let mut input = self.child.stdin.as_ref().expect("it is open");
        input.write_all(format!("{text}\n").as_bytes()).expect("it reads");
    }

    /// Ends its standard input.
    pub(crate) fn end_input(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Ended {
        let out = self.rest(true);
        let err = std::mem::take(&mut self.said) + &self.rest(false);
        // Its output has ended, so it is about to end itself.
        let status = loop {
            match self.child.try_wait().expect("it is our child") {
                Some(status) => break status,
                None if Instant::now() > self.deadline => self.fail("closed its output but is still running"),
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        Ended::new(std::mem::take(&mut self.line), status, out, err)
    }

    fn rest(&mut self, of_out: bool) -> String {
        let mut all = String::new();
        loop {
            let stream = if of_out { &self.out } else { &self.err };
            match stream.recv_timeout(self.deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => all.push_str(&line),
                Err(mpsc::RecvTimeoutError::Disconnected) => return all,
                Err(mpsc::RecvTimeoutError::Timeout) => self.fail(&format!("did not end; so far:\n{all}")),
            }
        }
    }

    fn fail(&mut self, why: &str) -> ! {
        // It may be over already.
        let _ = self.child.kill();
        let err: String = self.err.try_iter().collect();
        panic!("`{}` after {} s: {why}\n{err}", self.line, self.limit.as_secs());
    }
}

/// A test that fails leaves no process behind.
impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            // It may be over already.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Ended {
    fn new(line: String, status: ExitStatus, out: String, err: String) -> Self {
        let ended = Self { line, code: status.code(), out, err };
        for text in [&ended.out, &ended.err] {
            assert!(!text.contains("panicked"), "it panicked: {ended}");
        }
        ended
    }

    /// The exit status is that.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// The exit status is one of these.
    #[track_caller]
    pub(crate) fn exits_in(self, codes: &[i32]) -> Self {
        assert!(self.code.is_some_and(|code| codes.contains(&code)), "{self}");
        self
    }

    /// Standard error has all these texts.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.err.contains(text), "`{text}` is missing: {self}");
        }
        self
    }

    /// Standard output has all these texts.
    #[track_caller]
    pub(crate) fn prints(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.out.contains(text), "`{text}` is missing: {self}");
        }
        self
    }

    /// It was refused: status 104, nothing on standard output, and these texts on standard error.
    #[track_caller]
    pub(crate) fn refused(self, texts: &[&str]) -> Self {
        let ended = self.exits(104).says(texts);
        assert_eq!(ended.out, "", "{ended}");
        ended
    }

    /// Standard output as JSON, and nothing else there.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, code, out, err } = self;
        write!(f, "`{line}` ended with {code:?}\n--- standard output\n{out}\n--- standard error\n{err}\n---")
    }
}
