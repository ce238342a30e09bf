//! Ctrl-C, once and twice.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// Sends `event()` for every interrupt or termination signal of this process, from a thread of its own.
pub(crate) fn forward<T: Send + 'static>(
    to: Sender<T>,
    event: impl Fn() -> T + Send + 'static,
) -> io::Result<()> {
    // A file that reached its largest size is an error of that file, as for Java; it must not end the process.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new().name("swell-signals".to_owned()).spawn(move || {
        for _ in signals.forever() {
            if to.send(event()).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}
