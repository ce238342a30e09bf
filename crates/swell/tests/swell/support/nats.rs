//! A broker of the test's own, which is killed and started again with what it kept.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{Folder, LIMIT};

/// The program, where it is installed; says so where it is not.
pub(crate) fn nats_server() -> Option<PathBuf> {
    let named = std::env::var_os("SWELL_NATS_SERVER").map(PathBuf::from);
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let folders = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let folders = folders.into_iter().flatten().chain(cache.map(|cache| cache.join("swell/bin")));
    let found =
        named.into_iter().chain(folders.map(|folder| folder.join("nats-server"))).find(|path| path.is_file());
    if found.is_none() {
        println!("skipped: nats-server not found; `swell fleet install` installs it (needs Go)");
    }
    found
}

/// A broker that runs.
pub(crate) struct Broker {
    program: PathBuf,
    folder: Folder,
    child: Child,
    port: u16,
}

impl Broker {
    /// None where there is no program.
    pub(crate) fn start() -> Option<Self> {
        Self::with_store("1GB")
    }

    /// One that keeps no more than that.
    pub(crate) fn with_store(most: &str) -> Option<Self> {
        Self::with_settings(most, "")
    }

    /// One with settings besides those that all have.
    pub(crate) fn with_settings(most: &str, more: &str) -> Option<Self> {
        let program = nats_server()?;
        let folder = Folder::new();
        let place = folder.path().display().to_string();
        let settings = format!(
            "host: 127.0.0.1\njetstream {{ store_dir: \"{place}/store\", max_file_store: {most} }}\n{more}"
        );
        folder.write("nats.conf", settings);
        let child = spawn(&program, &folder, -1);
        let mut broker = Self { program, folder, child, port: 0 };
        broker.port = broker.wait_for_port();
        Some(broker)
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// A way to it that can be blocked.
    pub(crate) fn proxy(&self) -> Proxy {
        Proxy::start(self.port)
    }

    /// Ends it without a chance to write anything.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Starts it again at the same port with what it kept.
    pub(crate) fn restart(&mut self) {
        self.child = spawn(&self.program, &self.folder, i32::from(self.port));
        assert_eq!(self.wait_for_port(), self.port);
    }

    /// The server writes the port into a file named after itself and its process.
    fn wait_for_port(&mut self) -> u16 {
        let file = self.folder.at(&format!("nats-server_{}.ports", self.child.id()));
        let deadline = Instant::now() + LIMIT;
        loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let ports: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
            if let Some((_, port)) = ports["nats"][0].as_str().and_then(|url| url.rsplit_once(':')) {
                return port.trim_end_matches('/').parse().expect("a port");
            }
            let ended = self.child.try_wait().expect("it can be asked");
            assert!(ended.is_none(), "the broker ended: {}", self.folder.read("nats.log"));
            assert!(Instant::now() < deadline, "the broker did not start: {}", self.folder.read("nats.log"));
            std::thread::yield_now();
        }
    }
}

fn spawn(program: &PathBuf, folder: &Folder, port: i32) -> Child {
    let mut command = Command::new(program);
    command.args(["-p", &port.to_string(), "-l"]).arg(folder.at("nats.log"));
    command.arg("-c").arg(folder.at("nats.conf")).arg("--ports_file_dir").arg(folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the broker starts")
}

impl Drop for Broker {
    fn drop(&mut self) {
        // One that a test has killed is gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hands bytes on between agents and a broker, until it is blocked: then its connections stay open,
/// and nothing comes through. So is a network that is half open.
pub(crate) struct Proxy {
    port: u16,
    blocked: Arc<AtomicBool>,
}

impl Proxy {
    fn start(to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("bound").port();
        let blocked = Arc::new(AtomicBool::new(false));
        let is_blocked = blocked.clone();
        // It ends with the process of the tests.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { continue };
                let back = (server.try_clone().expect("a socket"), client.try_clone().expect("a socket"));
                for (from, to) in [(client, server), back] {
                    let is_blocked = is_blocked.clone();
                    std::thread::spawn(move || hand_on(from, to, &is_blocked));
                }
            }
        });
        Self { port, blocked }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Nothing comes through any more.
    pub(crate) fn block(&self) {
        self.blocked.store(true, Ordering::Relaxed);
    }
}

fn hand_on(mut from: TcpStream, mut to: TcpStream, is_blocked: &AtomicBool) {
    let mut bytes = vec![0; 65536];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        // What is read after that is lost, without a sign to either side.
        if !is_blocked.load(Ordering::Relaxed) && to.write_all(&bytes[..length]).is_err() {
            return;
        }
    }
}
