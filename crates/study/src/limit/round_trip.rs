//! The round trip to a server's machine, during a load.
//!
//! A handshake is answered by the kernel of the server's machine, however busy the server's program
//! is: what it takes longer under load is the network's. Round trips of the load's own connections
//! (`tcpi_rtt`) cannot show that, since a kernel delays acknowledgements until its program answers.

use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a handshake is made: few enough to be no load.
const EACH: Duration = Duration::from_millis(250);
/// One that takes longer is another matter: its first segment was lost or dropped.
const LONGEST: Duration = Duration::from_millis(900);
/// With fewer there is no median.
const FEWEST: usize = 3;

/// Makes handshakes on a separate thread until their median is requested.
#[derive(Debug)]
pub(crate) struct RoundTrips {
    end: Sender<()>,
    thread: JoinHandle<Option<f64>>,
}

impl RoundTrips {
    /// Makes them from now on.
    pub(crate) fn begin(to: SocketAddr) -> Self {
        let (end, ended) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut times_ms = Vec::new();
            loop {
                times_ms.extend(handshake_ms(to));
                if ended.recv_timeout(EACH) != Err(RecvTimeoutError::Timeout) {
                    return median(times_ms);
                }
            }
        });
        Self { end, thread }
    }

    /// Their current median, milliseconds; none with too few.
    pub(crate) fn end(self) -> Option<f64> {
        // Its thread waits for this, or has ended by a panic, which the join tells.
        let _ = self.end.send(());
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// The median of a few, one after the other, where nothing else is asked of the server.
    pub(crate) fn idle(to: SocketAddr) -> Option<f64> {
        median((0..5).filter_map(|_| handshake_ms(to)).collect())
    }
}

/// Milliseconds of a connection that is closed at once; none where there was none in time.
fn handshake_ms(to: SocketAddr) -> Option<f64> {
    let began = Instant::now();
    // Whether the server is reachable is reported by the load, with its causes.
    TcpStream::connect_timeout(&to, LONGEST).ok()?;
    Some(began.elapsed().as_secs_f64() * 1e3)
}

fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_unstable_by(f64::total_cmp);
    (times.len() >= FEWEST).then(|| times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn a_server_that_accepts_nothing_has_round_trips_all_the_same() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let at = listener.local_addr().expect("bound");
        assert!(RoundTrips::idle(at).is_some_and(|ms| ms > 0.0));
        drop(listener);
        assert_eq!(RoundTrips::idle(at), None);
        assert_eq!(RoundTrips::begin(at).end(), None);
    }

    #[test]
    fn the_middle_one_tells() {
        assert_eq!(median(vec![9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![9.0, 1.0]), None);
    }
}
