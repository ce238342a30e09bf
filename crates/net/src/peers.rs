//! The servers that a run connects to, and the connections whose SYN the kernel had to send again.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use parking_lot::Mutex;

use crate::sys;

/// An address that a run has connected to, or tried to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The address.
    pub address: SocketAddr,
    /// Connections whose first segment (SYN) the kernel sent more than once, since nothing came
    /// back.
    pub retried: u64,
    /// How often it sent one of them again.
    pub retries: u64,
}

/// More peers than this are not told apart any more; those that come later are left out.
const MOST: usize = 64;

/// The kernel asks again after a second at the earliest (RFC 6298); quicker connections need no
/// look.
const FIRST_RETRY_NS: i64 = 900_000_000;

/// The peers of a run: by address, the connections with a repeated SYN, and the number of repeats.
#[derive(Debug, Default)]
pub(crate) struct Peers(Mutex<BTreeMap<SocketAddr, (u64, u64)>>);

impl Peers {
    /// Peers so far, by address.
    pub(crate) fn all(&self) -> Vec<Peer> {
        let peer =
            |(&address, &(retried, retries)): (&SocketAddr, &(u64, u64))| Peer { address, retried, retries };
        self.0.lock().iter().map(peer).collect()
    }

    /// A connection to that address begins. `told`: those that the caller's loop has told of
    /// already, in the order of their first connections; for one of these it only compares.
    pub(crate) fn note(&self, told: &mut Vec<SocketAddr>, to: SocketAddr) {
        if told.len() < MOST && !told.contains(&to) {
            told.push(to);
            let mut all = self.0.lock();
            if all.len() < MOST {
                all.entry(to).or_default();
            }
        }
    }

    /// A connection to that address took so long to be made, to fail, or to be given up; how often
    /// its first segment was sent again.
    pub(crate) fn note_wait(&self, to: SocketAddr, fd: &sys::Fd, waited_ns: i64) -> u64 {
        if waited_ns < FIRST_RETRY_NS {
            return 0;
        }
        // Where the kernel does not say, there is nothing to tell.
        let Ok(retries @ 1..) = sys::segments(fd).map(|segments| segments.sent_again) else { return 0 };
        if let Some((retried, sum)) = self.0.lock().get_mut(&to) {
            *retried += 1;
            *sum += retries;
        }
        retries
    }
}
