//! Kept runs as pages: their list with tags and notes, the report of each, comparisons of two, and
//! trends of a label over many. `docs/guide/many-runs.md` shows how to use them.
//!
//! The server has an event loop on a separate thread. Everything that reads files or the history
//! runs on its helper threads, each request with its own connection to the history, so that a large
//! report does not delay the list and several servers can use one history.

mod change;
mod library;
mod list;
mod problem;
mod reports;
mod routes;
mod trend;
mod upload;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread::JoinHandle;

use swell_net::{Receiver, Runtime, Sender, channel};
use swell_site::{Server, SiteOptions, listen};

use crate::library::Library;
use crate::routes::Routes;

/// The command that serves kept runs, for messages.
const COMMAND: &str = "swell serve";

/// Kept runs that are served.
pub struct ServedRuns {
    /// The address of the page, for example `http://127.0.0.1:41234/`.
    url: String,
    tokens: [String; 2],
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl ServedRuns {
    /// Serves the runs of a folder on a loopback address; port 0 lets the system choose.
    ///
    /// # Errors
    /// The address is not available, or no thread can be started.
    pub fn start(at: SocketAddr, runs: PathBuf) -> io::Result<Self> {
        let (end, ended) = channel();
        let (to, ready) = mpsc::channel();
        let serve = move || run(at, runs, ended, &to);
        let thread = std::thread::Builder::new().name("serve".into()).spawn(serve)?;
        let (address, tokens) =
            ready.recv().map_err(|_| io::Error::other("the thread of the server ended"))??;
        Ok(Self { url: format!("http://{address}/"), tokens, end, thread })
    }

    /// The address with the secret that may change tags, notes and baselines.
    pub fn address(&self) -> String {
        format!("{}#t={}", self.url, self.tokens[0])
    }

    /// The address with the secret that may only look.
    pub fn read_only_address(&self) -> String {
        format!("{}#t={}", self.url, self.tokens[1])
    }

    /// Stops the server.
    ///
    /// # Panics
    /// Its thread panicked because of a bug.
    pub fn stop(self) {
        // The thread is gone only if it panicked.
        let _ = self.end.send(());
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
}

type ListenAddress = io::Result<(SocketAddr, [String; 2])>;

fn run(at: SocketAddr, runs: PathBuf, mut ended: Receiver<()>, to: &mpsc::Sender<ListenAddress>) {
    let mut runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(to, error),
    };
    runtime.block_on(async move {
        let listening = match listen(at, SiteOptions { tls: None, name: None, command: COMMAND }) {
            Ok(listening) => listening,
            Err(error) => return failed(to, error),
        };
        // The receiver is gone only if the caller panicked.
        let _ = to.send(Ok((listening.address, listening.tokens())));
        let server = Server::start(Rc::new(Routes::new(Library::new(runs))), listening);
        ended.recv().await;
        server.stop();
    });
}

fn failed(to: &mpsc::Sender<ListenAddress>, error: io::Error) {
    // As above.
    let _ = to.send(Err(error));
}
