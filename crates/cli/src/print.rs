//! Printing to standard output and standard error.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use swell_report::{Styled, without_passwords};
use swell_session::Say;

pub(crate) use crate::colour::has_colours;
use crate::colour::{painted, painted_message};
use crate::exit::Failure;

/// Prints data to standard output. A closed pipe is no reason to fail, a full disk is.
pub(crate) fn print_stdout(text: &str) -> Result<(), Failure> {
    write_stdout(&without_passwords(text))
}

/// `text`: without passwords.
fn write_stdout(text: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal()
        && hold_back(Line { text: text.trim_end_matches('\n').to_owned(), to_stdout: true })
    {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::lost(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Data for people: the same, in colours on a terminal.
pub(crate) fn page(text: &Styled) -> Result<(), Failure> {
    write_stdout(&painted(&text.map(without_passwords), &io::stdout()))
}

/// A line for standard error, or several: safe for a terminal, whatever servers and plans have put
/// into it.
pub(crate) fn print_stderr(line: &str) {
    let plain = swell_report::plain_lines(line);
    let shown = without_passwords(&plain);
    let is_held =
        io::stderr().is_terminal() && hold_back(Line { text: shown.clone().into_owned(), to_stdout: false });
    if !is_held {
        // A closed standard error is no reason to fail.
        let _ = writeln!(io::stderr().lock(), "{}", painted_message(&shown, &io::stderr()));
    }
}

/// Shows lines on standard error.
pub(crate) fn say() -> Say {
    Arc::new(print_stderr)
}

/// Lines that wait at most while a full-screen view has the terminal; of more, the last ones.
const MOST_HELD: usize = 10_000;

/// A line that waits, or several.
#[derive(Clone)]
struct Line {
    text: String,
    to_stdout: bool,
}

/// Lines that wait for the terminal, one queue for the process; none while no view holds it.
static HELD: Mutex<Option<VecDeque<Line>>> = Mutex::new(None);

fn lock_held() -> MutexGuard<'static, Option<VecDeque<Line>>> {
    HELD.lock()
}

/// From now on what goes to a terminal waits.
#[cfg(feature = "tui")]
pub(crate) fn hold() {
    lock_held().get_or_insert_default();
}

/// Lines that wait, the last ten of them.
#[cfg(feature = "tui")]
pub(crate) fn held() -> Vec<String> {
    let held = lock_held();
    let lines = held.iter().flatten().flat_map(|line| line.text.lines());
    let lines: VecDeque<_> = lines.collect();
    lines.iter().skip(lines.len().saturating_sub(10)).map(|line| (*line).to_owned()).collect()
}

/// Prints what waits, and holds nothing back any more.
#[cfg(feature = "tui")]
pub(crate) fn release() {
    for line in lock_held().take().into_iter().flatten() {
        // As above.
        let _ = if line.to_stdout {
            writeln!(io::stdout().lock(), "{}", line.text)
        } else {
            writeln!(io::stderr().lock(), "{}", painted_message(&line.text, &io::stderr()))
        };
    }
}

/// Keeps a line if lines are held back.
fn hold_back(line: Line) -> bool {
    let mut held = lock_held();
    let Some(lines) = held.as_mut() else { return false };
    if lines.len() >= MOST_HELD {
        lines.pop_front();
    }
    lines.push_back(line);
    true
}

/// A line that the plan prints, harmless for a terminal, on standard output or standard error.
pub(crate) fn print_of_plan(line: &str, to_stderr: bool) {
    let line = swell_report::plain_lines(line);
    let line = without_passwords(&line);
    let is_terminal = if to_stderr { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    if is_terminal && hold_back(Line { text: line.clone().into_owned(), to_stdout: !to_stderr }) {
        return;
    }
    // A closed pipe at the other end is no reason to stop a test.
    let _ = if to_stderr {
        writeln!(io::stderr().lock(), "{line}")
    } else {
        writeln!(io::stdout().lock(), "{line}")
    };
}

/// The same as [`print_stdout`], with the passwords that are in it.
#[cfg(feature = "fleet")]
pub(crate) fn print_secrets(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::lost(format!("cannot write to standard output: {error}")))
}

/// A line for standard error that is there to be copied, with the password that is in it.
#[cfg(feature = "fleet")]
pub(crate) fn print_secret(line: &str) {
    // A closed standard error is no reason to fail.
    let _ = writeln!(io::stderr().lock(), "{line}");
}
