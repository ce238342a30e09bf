//! Printing to standard output and standard error.

use std::io::{self, Write};

use swell_report::without_passwords;

use crate::colour::painted;
use crate::exit::Failure;

/// Prints data to standard output. A closed pipe is no reason to fail, a full disk is.
pub(crate) fn print_stdout(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(without_passwords(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::lost(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Data for people: the same, in colours on a terminal.
pub(crate) fn page(text: &str) -> Result<(), Failure> {
    print_stdout(&painted(text, &io::stdout()))
}

/// A line for standard error, or several: safe for a terminal, whatever servers and plans have put into it.
pub(crate) fn print_stderr(line: &str) {
    let plain = swell_report::plain_lines(line);
    let shown = without_passwords(&plain);
    // Nobody listens any more: no reason to fail.
    let _ = writeln!(io::stderr().lock(), "{}", painted(&shown, &io::stderr()));
}
