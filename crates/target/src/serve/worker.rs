//! One thread: its loop, its listeners, its ready pages.

use std::cell::RefCell;
use std::io;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};

use swell_connect::{Stream, TlsServerConfig};
use swell_http2::Scratch;
use swell_net::{Receiver, Runtime, TcpListener, TcpStream, now_ns, sleep_until, spawn};

use crate::metrics::WorkerMetrics;
use crate::routes::RouteState;

use super::Binding;
use super::connection::Connection;
use super::http2::Http2;
use super::ready::Ready;

/// How long to wait after a failed accept: the usual reason is that there are no descriptors left.
const ACCEPT_PAUSE_NS: i64 = 10_000_000;
/// How long a TLS handshake may take.
const HANDSHAKE_NS: i64 = 10_000_000_000;

/// What the connections of a thread share.
pub(crate) struct Worker {
    pub(crate) state: Arc<RouteState>,
    pub(crate) ready: RefCell<Ready>,
    /// Buffers of HTTP/2.
    pub(crate) http2: RefCell<Scratch>,
    place: usize,
}

/// The worker of a connection that is open. The connection counts as long as this lives.
pub(crate) struct OpenConnection(Rc<Worker>);

impl OpenConnection {
    pub(crate) fn new(worker: Rc<Worker>) -> Self {
        worker.state.counters.connection_opened();
        Self(worker)
    }

    pub(crate) fn shared(&self) -> Rc<Worker> {
        self.0.clone()
    }
}

impl Deref for OpenConnection {
    type Target = Worker;

    fn deref(&self) -> &Worker {
        &self.0
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.state.counters.connection_closed();
    }
}

impl Worker {
    /// This worker's own record.
    pub(crate) fn metrics(&self) -> &WorkerMetrics {
        &self.state.workers[self.place]
    }

    pub(crate) fn count_bad_request(&self) {
        self.state.counters.bad_requests.fetch_add(1, Ordering::Relaxed);
    }
}

/// Serves until told to stop. Says through `bound` where it listens, or why it cannot.
pub(crate) fn run(
    state: Arc<RouteState>,
    place: usize,
    binding: Binding,
    mut stopped: Receiver<()>,
    bound: &mpsc::SyncSender<io::Result<Binding>>,
) {
    let told = "the starting thread waits for the answer";
    let mut runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return bound.send(Err(error)).expect(told),
    };
    runtime.block_on(async {
        let worker =
            Rc::new(Worker { state, ready: RefCell::new(Ready::new()), http2: RefCell::default(), place });
        let listening = listen(&worker, binding);
        let failed = listening.is_err();
        bound.send(listening).expect(told);
        if !failed {
            stopped.recv().await;
        }
    });
}

/// Serves on the loop of the caller, as its only worker, until the future is dropped.
///
/// # Errors
/// The address cannot be bound.
pub(crate) async fn serve_here(state: Arc<RouteState>, binding: Binding) -> io::Result<()> {
    let worker =
        Rc::new(Worker { state, ready: RefCell::new(Ready::new()), http2: RefCell::default(), place: 0 });
    listen(&worker, binding)?;
    std::future::pending().await
}

fn listen(worker: &Rc<Worker>, binding: Binding) -> io::Result<Binding> {
    let plain = TcpListener::bind(binding.plain)?;
    let mut bound = Binding { plain: plain.local_addr()?, tls: None };
    if let Some((addr, config)) = binding.tls {
        let listener = TcpListener::bind(addr)?;
        bound.tls = Some((listener.local_addr()?, config.clone()));
        spawn(accept(listener, worker.clone(), Some(config)));
    }
    spawn(accept(plain, worker.clone(), None));
    Ok(bound)
}

async fn accept(listener: TcpListener, worker: Rc<Worker>, tls: Option<TlsServerConfig>) {
    loop {
        match (listener.accept().await, &tls) {
            (Ok((tcp, peer)), None) => {
                spawn(Connection::new(Stream::Tcp(tcp), worker.clone(), peer.port()).serve());
            }
            (Ok((tcp, peer)), Some(config)) => {
                spawn(serve_tls(tcp, worker.clone(), config.clone(), peer.port()));
            }
            (Err(_), _) => sleep_until(now_ns() + ACCEPT_PAUSE_NS).await,
        }
    }
}

async fn serve_tls(mut tcp: TcpStream, worker: Rc<Worker>, config: TlsServerConfig, peer_port: u16) {
    tcp.set_deadline(Some(now_ns() + HANDSHAKE_NS));
    match Stream::tls_accept(tcp, &config).await {
        Ok(mut stream) => {
            stream.set_deadline(None);
            if stream.protocol() == Some(b"h2") {
                let connection = Http2::new(stream, OpenConnection::new(worker), peer_port);
                Box::pin(connection.serve(&[], 0)).await;
            } else {
                Connection::new(stream, worker, peer_port).serve().await;
            }
        }
        Err(_) => {
            worker.state.counters.tls_failures.fetch_add(1, Ordering::Relaxed);
        }
    }
}
