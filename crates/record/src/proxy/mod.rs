//! The proxy: one event loop on one thread.

mod answer;
mod draft;
mod forward;
mod peer;
mod request;
mod response;
mod server;
mod tunnel;

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use swell_connect::{NameCache, Stream, TlsConfig};
use swell_net::{Receiver, Runtime, Sender, TcpListener, channel, now_ns, sleep_until, spawn_detached};

use crate::authority::Authority;
use crate::hosts::{BROWSER_HOSTS, HostPatterns};
use crate::pages::Pages;
use crate::recorder::{Event, Limits};
use crate::upstream::Upstream;
use forward::{FirstHead, For, serve};
use peer::Peer;
use tunnel::tunnel;

/// How long to wait after a failed accept: the usual reason is that there are no descriptors left.
const ACCEPT_PAUSE_NS: i64 = 10_000_000;

/// Why hosts are not recorded, as the user wishes.
pub(crate) const OTHER_HOST: &str = "another host";
pub(crate) const OF_BROWSER: &str = "the browser's own request";

/// What the proxy needs.
pub(crate) struct ProxyOptions {
    pub(crate) bind: SocketAddr,
    pub(crate) hosts: HostPatterns,
    /// What a browser calls by itself is not recorded.
    pub(crate) has_browser: bool,
    pub(crate) authority: Arc<Authority>,
    pub(crate) tls: TlsConfig,
    pub(crate) upstream: Upstream,
    pub(crate) limits: Limits,
    pub(crate) pages: Arc<Mutex<Pages>>,
    pub(crate) events: SyncSender<Event>,
}

/// A running proxy.
pub(crate) struct Proxy {
    address: SocketAddr,
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

/// What connections share.
struct Shared {
    hosts: HostPatterns,
    has_browser: bool,
    authority: Arc<Authority>,
    tls: TlsConfig,
    upstream: Upstream,
    limits: Limits,
    names: NameCache,
    pages: Arc<Mutex<Pages>>,
    events: SyncSender<Event>,
    connections: Cell<u64>,
}

impl Proxy {
    /// Listens, and starts the thread.
    pub(crate) fn start(options: ProxyOptions) -> io::Result<Self> {
        // The loop's listener shares its port with others, which a proxy must not.
        let address = std::net::TcpListener::bind(options.bind)?.local_addr()?;
        let (stop, stopped) = channel();
        let (bound, listening) = mpsc::sync_channel(1);
        let run = move || run(options, address, stopped, &bound);
        let thread = std::thread::Builder::new().name("swell-record".to_owned()).spawn(run)?;
        listening.recv().map_err(io::Error::other)??;
        Ok(Self { address, stop, thread: Some(thread) })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes all connections; exchanges that are not complete are recorded as they are.
    pub(crate) fn stop(&mut self) {
        // A thread that has ended does not listen any more.
        let _ = self.stop.send(());
        if let Some(thread) = self.thread.take() {
            // A panic was printed by its thread; dropping must not panic again.
            let _ = thread.join();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(
    options: ProxyOptions,
    address: SocketAddr,
    mut stopped: Receiver<()>,
    bound: &SyncSender<io::Result<()>>,
) {
    let told = "the starting thread waits for the answer";
    let mut runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return bound.send(Err(error)).expect(told),
    };
    runtime.block_on(async {
        let listener = match TcpListener::bind(address) {
            Ok(listener) => listener,
            Err(error) => return bound.send(Err(error)).expect(told),
        };
        bound.send(Ok(())).expect(told);
        let shared = Rc::new(Shared {
            hosts: options.hosts,
            has_browser: options.has_browser,
            authority: options.authority,
            tls: options.tls,
            upstream: options.upstream,
            limits: options.limits,
            names: NameCache::default(),
            pages: options.pages,
            events: options.events,
            connections: Cell::new(0),
        });
        spawn_detached(accept(listener, shared));
        stopped.recv().await;
    });
}

async fn accept(listener: TcpListener, shared: Rc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((tcp, _)) => {
                let shared = shared.clone();
                spawn_detached(async move { connection(&shared, Peer::new(Stream::Tcp(tcp))).await });
            }
            Err(_) => sleep_until(now_ns() + ACCEPT_PAUSE_NS).await,
        }
    }
}

async fn connection(shared: &Shared, mut client: Peer) {
    if let FirstHead::Connect(head) = serve(shared, &mut client, For::Any, None).await {
        tunnel(shared, client, &head).await;
    }
}

impl Shared {
    fn send(&self, event: Event) {
        // The writer ends after the proxy only, unless it failed, which the recorder tells.
        let _ = self.events.send(event);
    }

    fn not_recorded(&self, host: &str, why: &str) {
        self.send(Event::NotRecorded { host: host.to_owned(), why: why.to_owned() });
    }

    /// Why requests to a host are not recorded; none if they are.
    fn refusal(&self, host: &str, port: u16) -> Option<&'static str> {
        match () {
            () if self.has_browser && BROWSER_HOSTS.contains(&host) => Some(OF_BROWSER),
            () if !self.hosts.has(host, port) => Some(OTHER_HOST),
            () => None,
        }
    }

    fn next_connection(&self) -> u64 {
        self.connections.set(self.connections.get() + 1);
        self.connections.get()
    }
}
