//! The listener of a site and its connections.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use swell_connect::TlsServerConfig;
use swell_net::{Task, TcpListener, now_ns, sleep_until, spawn, yield_now};

use crate::Site;
use crate::access::{Access, AccessOptions};
use crate::connection::{Phase, Shared, serve};

/// Connections at a time that have not sent a secret. Beyond that, the oldest silent one is closed,
/// or else the oldest.
const MOST_UNKNOWN: usize = 64;

/// Connections at a time that have sent a secret and do not receive events (event streams have a
/// separate limit). Beyond that, the oldest is closed.
const MOST_KNOWN: usize = 64;

/// How a site is served.
pub struct SiteOptions {
    /// Certificate and key; none: not encrypted.
    pub tls: Option<TlsServerConfig>,
    /// A host name of the site, in addition to its addresses.
    pub name: Option<String>,
    /// The command that prints the address, for messages.
    pub command: &'static str,
}

/// A site that listens and does not answer yet.
pub struct Listening {
    /// Its address.
    pub address: SocketAddr,
    listener: TcpListener,
    access: Access,
    tls: Option<TlsServerConfig>,
}

impl Listening {
    /// The secrets of its two addresses: to change, and to view only.
    pub fn tokens(&self) -> [String; 2] {
        self.access.tokens()
    }
}

/// Listens at an address that belongs to this process alone.
///
/// # Errors
/// The address is not available, or the kernel provides no random numbers.
pub fn listen(at: SocketAddr, options: SiteOptions) -> io::Result<Listening> {
    let SiteOptions { tls, name, command } = options;
    // The listeners of this loop share their port with others, which a page must not.
    let address = std::net::TcpListener::bind(at)?.local_addr()?;
    let listener = TcpListener::bind(address)?;
    let is_encrypted = tls.is_some();
    let access = Access::new(AccessOptions { port: address.port(), is_encrypted, name, command })?;
    Ok(Listening { address, listener, access, tls })
}

/// A site that is served on this event loop until this is stopped.
pub struct Server {
    accepting: Task<()>,
    streams: Rc<Cell<usize>>,
}

impl Server {
    /// Serves a site.
    pub fn start<S: Site>(site: Rc<S>, listening: Listening) -> Self {
        let Listening { listener, access, tls, .. } = listening;
        let streams = Rc::new(Cell::new(0));
        let shared = Rc::new(Shared { site, access, tls, streams: streams.clone() });
        Self { accepting: spawn(accept(listener, shared)), streams }
    }

    /// Open streams.
    pub fn streams(&self) -> usize {
        self.streams.get()
    }

    /// Closes the listener and all connections.
    pub fn stop(self) {
        self.accepting.abort();
    }
}

/// An open connection.
struct Open {
    task: Task<()>,
    phase: Rc<Cell<Phase>>,
    is_done: Rc<Cell<bool>>,
}

async fn accept<S: Site>(listener: TcpListener, shared: Rc<Shared<S>>) {
    let mut open: Vec<Open> = Vec::new();
    loop {
        let Ok((socket, _)) = listener.accept().await else {
            // No descriptors are left: the run may need them more.
            sleep_until(now_ns() + 100_000_000).await;
            continue;
        };
        let phase = Rc::new(Cell::new(Phase::Silent));
        let is_done = Rc::new(Cell::new(false));
        let reached = phase.clone();
        let done = is_done.clone();
        let shared = shared.clone();
        let task = spawn(async move {
            serve(socket, shared, reached).await;
            done.set(true);
        });
        open.push(Open { task, phase, is_done });
        // Bytes that have already arrived are read before any connection is closed, also if many
        // connections wait to be accepted.
        yield_now().await;
        open.retain(|one| !one.is_done.get());
        let phases: Vec<Phase> = open.iter().map(|one| one.phase.get()).collect();
        if let Some(place) = has_to_go(&phases) {
            open.remove(place).task.abort();
        }
    }
}

/// Which of these connections, oldest first, is closed to make room. A connection without a secret
/// never displaces one with a secret.
fn has_to_go(phases: &[Phase]) -> Option<usize> {
    let count = |wanted: &dyn Fn(Phase) -> bool| phases.iter().filter(|phase| wanted(**phase)).count();
    let oldest = |wanted: Phase| phases.iter().position(|phase| *phase == wanted);
    if count(&|phase| phase < Phase::Known) > MOST_UNKNOWN {
        return oldest(Phase::Silent).or_else(|| oldest(Phase::Asks));
    }
    if count(&|phase| phase == Phase::Known) > MOST_KNOWN { oldest(Phase::Known) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_without_a_secret_make_room_for_each_other_and_never_cost_a_reader() {
        use Phase::{Asks, Known, Silent, Streams};
        let readers = [Streams, Known];
        let with = |more: &[Phase]| [&readers[..], more].concat();
        assert_eq!(has_to_go(&with(&[Silent; MOST_UNKNOWN])), None);
        assert_eq!(has_to_go(&with(&[Silent; MOST_UNKNOWN + 1])), Some(2));
        let mut mixed = with(&[Asks; MOST_UNKNOWN]);
        mixed.push(Silent);
        assert_eq!(has_to_go(&mixed), Some(MOST_UNKNOWN + 2), "who asks before who is silent");
        assert_eq!(has_to_go(&with(&[Asks; MOST_UNKNOWN + 1])), Some(2));
        assert_eq!(has_to_go(&with(&[Known; MOST_KNOWN])), Some(1), "the oldest that waits, and no stream");
        assert_eq!(has_to_go(&[Streams; 200]), None, "their number is limited elsewhere");
    }
}
