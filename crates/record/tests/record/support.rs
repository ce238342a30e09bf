//! Servers and clients of the tests, which speak literal bytes.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConnection, StreamOwned};
use serde_json::Value;
use swell_connect::TlsServerConfig;
use swell_record::{Authority, Limits, Recorded, Recorder, RecorderOptions, Transactions, Trust, Watch};

/// A test that waits longer than this has failed.
const LIMIT: Duration = Duration::from_mins(1);

/// A recorder in a separate folder.
pub(crate) struct Recording {
    pub(crate) recorder: Recorder,
    pub(crate) authority: Arc<Authority>,
    pub(crate) raw: PathBuf,
    pub(crate) watched: Arc<Mutex<Vec<Watch>>>,
    _folder: tempfile::TempDir,
}

/// What is recorded, and the file.
pub(crate) struct Ended {
    pub(crate) recorded: Recorded,
    pub(crate) har: Value,
}

pub(crate) fn record(change: impl FnOnce(&mut RecorderOptions)) -> Recording {
    let folder = tempfile::tempdir().expect("a folder");
    let raw = folder.path().join("raw.har");
    let authority = Arc::new(Authority::open(&folder.path().join("ca")).expect("an authority"));
    let mut options = RecorderOptions {
        bind: ([127, 0, 0, 1], 0).into(),
        hosts: swell_record::HostPatterns::default(),
        authority: authority.clone(),
        trust: Trust::All,
        upstream: swell_record::Upstream::default(),
        raw: raw.clone(),
        overwrites: false,
        transactions: Transactions::Auto,
        browses: None,
        limits: Limits::ALL_HOSTS,
    };
    change(&mut options);
    let watched = Arc::new(Mutex::new(Vec::new()));
    let seen = watched.clone();
    let recorder = Recorder::start(options, move |watch| seen.lock().expect("no panic").push(watch));
    Recording { recorder: recorder.expect("a recorder"), authority, raw, watched, _folder: folder }
}

impl Recording {
    /// A connection to the proxy.
    pub(crate) fn client(&self) -> TcpStream {
        connection(self.recorder.address())
    }

    /// A tunnel to an address.
    pub(crate) fn tunnel(&self, to: SocketAddr) -> TcpStream {
        let mut client = self.client();
        send(&mut client, format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n").as_bytes());
        expect(&mut client, b"HTTP/1.1 200 Connection established\r\n\r\n");
        client
    }

    /// A tunnel with TLS in it, where the client trusts the recorder only.
    pub(crate) fn secure(&self, to: SocketAddr) -> StreamOwned<ClientConnection, TcpStream> {
        let tunnel = self.tunnel(to);
        tls_client(tunnel, self.authority.certificate().to_vec(), &[b"h2", b"http/1.1"])
    }

    pub(crate) fn end(self) -> Ended {
        let recorded = self.recorder.finish();
        let text = std::fs::read(&self.raw).expect("the file");
        Ended { recorded, har: serde_json::from_slice(&text).expect("whole JSON") }
    }
}

impl Ended {
    pub(crate) fn entries(&self) -> &[Value] {
        self.har["log"]["entries"].as_array().expect("entries")
    }

    /// Method, URL and status of each entry.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = |entry: &Value| {
            let request = &entry["request"];
            let url = request["url"].as_str().expect("a URL");
            format!("{} {url} {}", request["method"].as_str().expect("a method"), entry["response"]["status"])
        };
        self.entries().iter().map(text).collect()
    }

    /// Reasons for what was not recorded.
    pub(crate) fn reasons(&self) -> Vec<&str> {
        self.recorded.not_recorded.iter().map(|found| &*found.why).collect()
    }
}

pub(crate) fn connection(to: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(to).expect("a connection");
    stream.set_read_timeout(Some(LIMIT)).expect("a limit");
    stream
}

pub(crate) fn tls_client(
    tcp: TcpStream,
    root: Vec<u8>,
    protocols: &[&[u8]],
) -> StreamOwned<ClientConnection, TcpStream> {
    tls_client_for("127.0.0.1", tcp, root, protocols)
}

/// The same for a server of that name.
pub(crate) fn tls_client_for(
    name: &'static str,
    tcp: TcpStream,
    root: Vec<u8>,
    protocols: &[&[u8]],
) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(root.into()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let name = name.try_into().expect("a name");
    StreamOwned::new(ClientConnection::new(Arc::new(config), name).expect("a session"), tcp)
}

/// The server's end of TLS, after the handshake.
pub(crate) fn tls_server(
    mut tcp: TcpStream,
    config: &Arc<rustls::ServerConfig>,
) -> io::Result<StreamOwned<ServerConnection, TcpStream>> {
    let mut session = ServerConnection::new(config.clone()).expect("a session");
    while session.is_handshaking() {
        session.complete_io(&mut tcp)?;
    }
    Ok(StreamOwned::new(session, tcp))
}

pub(crate) fn send(stream: &mut impl Write, bytes: &[u8]) {
    stream.write_all(bytes).and_then(|()| stream.flush()).expect("sent");
}

/// Reads these bytes, and no more.
#[track_caller]
pub(crate) fn expect(stream: &mut impl Read, wanted: &[u8]) {
    let mut got = vec![0; wanted.len()];
    let mut length = 0;
    while length < got.len() && got[..length] == wanted[..length] {
        match stream.read(&mut got[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) => panic!("{error} after {:?}", String::from_utf8_lossy(&got[..length])),
        }
    }
    assert_eq!(String::from_utf8_lossy(&got[..length]), String::from_utf8_lossy(wanted));
}

/// Reads to the end of the connection.
pub(crate) fn rest(stream: &mut impl Read) -> String {
    let mut got = Vec::new();
    // TLS without a goodbye is an end, too.
    let _ = stream.read_to_end(&mut got);
    String::from_utf8_lossy(&got).into_owned()
}

/// A server whose connections each are served by a function, one after the other.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    thread: JoinHandle<()>,
}

impl Server {
    /// Serves this number of connections.
    pub(crate) fn plain(connections: usize, mut serve: impl FnMut(TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let address = listener.local_addr().expect("an address");
        let thread = thread::spawn(move || {
            for _ in 0..connections {
                let (stream, _) = listener.accept().expect("a connection");
                stream.set_read_timeout(Some(LIMIT)).expect("a limit");
                serve(stream);
            }
        });
        Self { address, thread }
    }

    /// The same with TLS and these protocols; its certificate. A handshake that fails ends the
    /// connection.
    pub(crate) fn secure(
        connections: usize,
        protocols: &[&[u8]],
        mut serve: impl FnMut(StreamOwned<ServerConnection, TcpStream>) + Send + 'static,
    ) -> (Self, Vec<u8>) {
        let (certificate, config) =
            TlsServerConfig::self_signed(vec!["127.0.0.1".to_owned()]).expect("a certificate");
        let config = config.with_protocols(protocols).shared();
        let server = Self::plain(connections, move |tcp| {
            if let Ok(stream) = tls_server(tcp, &config) {
                serve(stream);
            }
        });
        (server, certificate)
    }

    /// Waits until it has served all.
    pub(crate) fn end(self) {
        self.thread.join().expect("the server");
    }
}
