//! Whom this process connects to, and which connections were made only after the kernel had asked again.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::sys;

/// An address that this process has connected to, or tried to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The address.
    pub address: SocketAddr,
    /// Connections whose first segment (SYN) the kernel sent more than once, since nothing came back.
    pub retried: u64,
    /// How often it sent one of them again.
    pub retries: u64,
}

/// More peers than this are not told apart any more; those that come later are left out.
const MOST: usize = 64;

/// The kernel asks again after a second at the earliest (RFC 6298); quicker connections need no look.
const FIRST_RETRY_NS: i64 = 900_000_000;

static PEERS: Mutex<BTreeMap<SocketAddr, (u64, u64)>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// Those that this thread has told of already, in the order of their first connections.
    static TOLD: RefCell<Vec<SocketAddr>> = const { RefCell::new(Vec::new()) };
}

/// Peers so far, by address; at most the first 64.
pub fn peers() -> Vec<Peer> {
    let all = all();
    let peer =
        |(&address, &(retried, retries)): (&SocketAddr, &(u64, u64))| Peer { address, retried, retries };
    all.iter().map(peer).collect()
}

fn all() -> MutexGuard<'static, BTreeMap<SocketAddr, (u64, u64)>> {
    PEERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection to that address begins. A thread that has told of it only compares.
pub(crate) fn note(to: SocketAddr) {
    TOLD.with_borrow_mut(|told| {
        if told.len() < MOST && !told.contains(&to) {
            told.push(to);
            let mut all = all();
            if all.len() < MOST {
                all.entry(to).or_default();
            }
        }
    });
}

/// A connection to that address took so long to be made, or to fail.
pub(crate) fn note_wait(to: SocketAddr, fd: &OwnedFd, waited_ns: i64) {
    if waited_ns < FIRST_RETRY_NS {
        return;
    }
    // Where the kernel does not say, there is nothing to tell.
    let Ok(retries @ 1..) = sys::retransmits(fd) else { return };
    if let Some((retried, sum)) = all().get_mut(&to) {
        *retried += 1;
        *sum += u64::from(retries);
    }
}
