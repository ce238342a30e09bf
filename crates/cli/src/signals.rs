//! Signals of the system.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use swell_session::{Requests, Signal};

use crate::exit::{Exit, Failure};

/// What the signal of that number asks for.
fn of(number: i32) -> Option<Signal> {
    match number {
        SIGINT => Some(Signal::Interrupt),
        SIGTERM => Some(Signal::Terminate),
        SIGHUP => Some(Signal::HangUp),
        SIGQUIT => Some(Signal::Dump),
        _ => None,
    }
}

/// Sends `event(signal)` from a separate thread for every signal of this process that asks for
/// something. Signals belong to the process: a command calls this once, however many trials it
/// runs. A hang-up that the process was started to ignore (`nohup`) stays ignored.
pub(crate) fn forward<T: Send + 'static>(
    to: Sender<T>,
    event: impl Fn(Signal) -> T + Send + 'static,
) -> Result<(), Failure> {
    each(move |signal| to.send(event(signal)).is_ok())
}

/// Sends every signal of this process to a run.
pub(crate) fn forward_to_run(requests: Requests) -> Result<(), Failure> {
    each(move |signal| requests.signal(signal))
}

/// Calls `take` for every signal until it returns false.
fn each(take: impl Fn(Signal) -> bool + Send + 'static) -> Result<(), Failure> {
    listen(take).map_err(|error| Failure::settings(format!("cannot listen for signals: {error}")))
}

fn listen(take: impl Fn(Signal) -> bool + Send + 'static) -> io::Result<()> {
    // A file that reached its largest size is an error of that file, as for Java; it must not end
    // the process.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let hang_up = (!ignores_hang_up()).then_some(SIGHUP);
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGQUIT].into_iter().chain(hang_up))?;
    thread::Builder::new().name("swell-signals".to_owned()).spawn(move || {
        for signal in signals.forever().filter_map(of) {
            if !take(signal) {
                return;
            }
        }
    })?;
    Ok(())
}

/// Set by the first signal that wants the end; the second one ends the process.
pub(crate) fn interrupt_flag() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let (to, inbox) = mpsc::channel();
    forward(to, |signal| signal)?;
    let theirs = flag.clone();
    thread::spawn(move || {
        for signal in inbox {
            let wants_end = signal != Signal::Dump;
            if wants_end && theirs.swap(true, Ordering::Relaxed) {
                // Guards of servers see the end of this process.
                std::process::exit(Exit::Interrupted as i32);
            }
        }
    });
    Ok(flag)
}

/// Whether this process was started to ignore hang-ups; false where the kernel does not say.
fn ignores_hang_up() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| has_ignored(&status, SIGHUP))
}

/// `SigIgn:` is a hexadecimal mask of ignored signals, with the first signal in its lowest bit.
fn has_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_ignored_signals_is_read() {
        let status = "Name:\tx\nSigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\n";
        assert_eq!([SIGHUP, SIGINT, 13].map(|signal| has_ignored(status, signal)), [true, false, true]);
        assert!(!has_ignored("Name: x\n", SIGHUP));
    }
}
