//! Sockets and threads: the one part with effects.

mod connection;
mod events;
mod http2;
mod job;
mod leftover;
mod ready;
mod send;
mod tls;
mod websocket;
mod worker;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use swell_connect::TlsServerConfig;
use swell_net::{Sender, channel};

use crate::metrics::{LogEntry, StatsSnapshot};
use crate::options::Options;
use crate::routes::RouteState;

/// A running target. Dropping it stops it.
pub struct Target {
    state: Arc<RouteState>,
    addr: SocketAddr,
    tls_addr: Option<SocketAddr>,
    certificate: Option<Vec<u8>>,
    workers: Vec<(Sender<()>, JoinHandle<()>)>,
}

/// Where a worker listens.
#[derive(Clone)]
pub(crate) struct Binding {
    pub(crate) plain: SocketAddr,
    pub(crate) tls: Option<(SocketAddr, TlsServerConfig)>,
}

/// Starts the target's threads and returns when all of them listen.
///
/// # Errors
/// An address cannot be bound, the certificate cannot be made, or the system has no more threads or
/// descriptors.
pub fn start(mut options: Options) -> io::Result<Target> {
    options.workers = options.workers.max(1);
    let workers = options.workers;
    // The workers share their port; another process may not, or the two would answer by turns.
    for at in [Some(options.bind), options.tls_bind].into_iter().flatten().filter(|at| at.port() != 0) {
        swell_net::TcpListener::is_free(at)?;
    }
    let (certificate, config) = match options.tls_bind {
        Some(_) => tls::self_signed().map(|(certificate, config)| (Some(certificate), Some(config)))?,
        None => (None, None),
    };
    let mut binding = Binding { plain: options.bind, tls: options.tls_bind.zip(config) };
    let state = Arc::new(RouteState::new(options));
    let mut target = Target {
        state,
        addr: binding.plain,
        tls_addr: None,
        certificate,
        workers: Vec::with_capacity(workers),
    };
    for place in 0..workers {
        // The first worker may get free ports; the others then share them.
        binding = target.start_worker(place, binding)?;
    }
    target.addr = binding.plain;
    target.tls_addr = binding.tls.map(|(addr, _)| addr);
    Ok(target)
}

/// What a target that has no threads has recorded. See [`serve_here`].
pub struct TargetRecord(Arc<RouteState>);

impl TargetRecord {
    /// See [`Target::stats`].
    pub fn stats(&self) -> StatsSnapshot {
        self.0.snapshot()
    }

    /// See [`Target::log`].
    pub fn log(&self) -> Vec<LogEntry> {
        self.0.log()
    }
}

/// A target with one worker and without TLS, for the event loop of the caller: its record, and the
/// future that serves until it is dropped. The future fails where the address cannot be bound.
pub fn serve_here(mut options: Options) -> (TargetRecord, impl Future<Output = io::Result<()>>) {
    options.workers = 1;
    let binding = Binding { plain: options.bind, tls: None };
    let state = Arc::new(RouteState::new(options));
    (TargetRecord(state.clone()), worker::serve_here(state, binding))
}

impl Target {
    fn start_worker(&mut self, place: usize, binding: Binding) -> io::Result<Binding> {
        let (stop, stopped) = channel();
        let (bound, told) = mpsc::sync_channel(1);
        let state = self.state.clone();
        let run = move || worker::run(state, place, binding, stopped, &bound);
        let thread = std::thread::Builder::new().name(format!("target-{place}")).spawn(run)?;
        self.workers.push((stop, thread));
        told.recv().map_err(io::Error::other)?
    }

    /// Where plain HTTP is served.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Where HTTP over TLS is served, if it was asked for.
    pub fn tls_addr(&self) -> Option<SocketAddr> {
        self.tls_addr
    }

    /// The self-signed certificate of the TLS address, in DER, for clients that check it.
    pub fn certificate(&self) -> Option<&[u8]> {
        self.certificate.as_deref()
    }

    /// What `/stats` shows.
    pub fn stats(&self) -> StatsSnapshot {
        self.state.snapshot()
    }

    /// As `/stats/reset`.
    pub fn reset_stats(&self) {
        self.state.reset();
    }

    /// The kept requests that carried an `id`, in order of arrival. See [`Options::log_entries`].
    pub fn log(&self) -> Vec<LogEntry> {
        self.state.log()
    }

    /// Closes every connection and waits until the threads have ended.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        for (stop, _) in &self.workers {
            // A worker that has ended does not listen any more.
            let _ = stop.send(());
        }
        for (_, thread) in self.workers.drain(..) {
            // A panic in a worker was printed by its thread; dropping must not panic again.
            let _ = thread.join();
        }
    }
}
