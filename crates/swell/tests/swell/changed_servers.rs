//! Servers that move to another address, or get another certificate, while a test runs; and files
//! of the test that change meanwhile.

use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::FileExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use swell_connect::TlsServerConfig;
use swell_plan::{Element, Node, Property, PropertyValue};

use crate::support::{Answer, Call, Folder, Jtl, Server, plan, tls_server};

/// A request on a new connection in each iteration.
fn get(protocol: &str, host: &str, port: u16) -> Node {
    let node = plan::get_from(host, &port.to_string(), "/", "");
    let element = node.element.clone().with_text("HTTPSampler.protocol", protocol);
    Node::new(element.with_flag("HTTPSampler.use_keepalive", false))
}

/// Two servers, of which the first calls `move_on` with its fifth request.
fn servers(move_on: impl Fn() + Send + Sync + 'static) -> [Server; 2] {
    let seen = AtomicUsize::new(0);
    let move_on: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
        if seen.fetch_add(1, Ordering::SeqCst) == 4 {
            move_on();
        }
    });
    let rule = |move_on: Option<Arc<dyn Fn() + Send + Sync>>| {
        move |_: &_| {
            if let Some(move_on) = &move_on {
                move_on();
            }
            Answer::Close(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".to_vec())
        }
    };
    Server::pair([rule(Some(move_on)), rule(None)])
}

/// A name server that says of every name that it is at 127.0.0.`last`.
fn name_server(last: Arc<AtomicU8>) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let at = socket.local_addr().expect("it is bound");
    std::thread::spawn(move || {
        let mut buffer = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut buffer) {
            let mut reply = buffer[..length].to_vec();
            (reply[2], reply[3], reply[7]) = (0x81, 0x80, 1);
            reply.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, last.load(Ordering::SeqCst)]);
            socket.send_to(&reply, from).expect("loopback");
        }
    });
    at
}

#[test]
fn a_name_that_a_server_of_the_plan_gives_another_address_is_followed_with_the_next_iteration() {
    for (clear, wanted) in [(true, [5, 15]), (false, [20, 0])] {
        let last = Arc::new(AtomicU8::new(1));
        let [old, new] = servers({
            let last = last.clone();
            move || last.store(2, Ordering::SeqCst)
        });
        let at = vec![Property::new("0", PropertyValue::Text(name_server(last).to_string()))];
        let manager = Element::new("DNSCacheManager", "DNSCachePanel", "dns")
            .with("DNSCacheManager.servers", PropertyValue::Collection(at))
            .with_flag("DNSCacheManager.isCustomResolver", true)
            .with_flag("DNSCacheManager.clearEachIteration", clear);
        let users =
            plan::group(1, 20).with(Node::new(manager)).with(get("http", "moving.test.", old.addr.port()));
        let folder = Folder::with_plan([users]);
        folder.swell(&["run", "plan.jmx"]).exits(0);
        assert_eq!([old.requests().len(), new.requests().len()], wanted, "cleared each iteration: {clear}");
    }
}

/// Runs Swell in a separate mount namespace, in which `/etc/hosts` is a file of the test.
fn with_names(folder: &Folder, args: &[&str]) -> Call {
    let swell = format!("mount --bind hosts /etc/hosts && exec {} \"$@\"", env!("CARGO_BIN_EXE_swell"));
    Call::shell(folder.path(), "unshare", &[&["-rm", "sh", "-c", &swell, "swell"], args].concat())
}

#[test]
fn a_name_of_the_system_that_moves_is_followed_when_java_would_look_it_up_again() {
    let can =
        |args: &[&str]| Command::new("unshare").args(args).output().is_ok_and(|ended| ended.status.success());
    if !can(&["-rm", "mount", "--bind", "/etc/hosts", "/etc/hosts"]) {
        println!("skipped: this user may have no name space of mounts (unshare -rm)");
        return;
    }
    for (ttl, wanted) in [("0", [5, 15]), ("-1", [20, 0])] {
        let folder = Folder::new();
        folder.write("hosts", "127.0.0.1 moving.test localhost\n");
        let hosts = std::fs::OpenOptions::new().write(true).open(folder.at("hosts")).expect("it exists");
        // One letter, so that readers never see half a write.
        let [old, new] = servers(move || hosts.write_all_at(b"2", 8).expect("written"));
        let users = plan::group(1, 20).with(get("http", "moving.test", old.addr.port()));
        folder.write("plan.jmx", plan::jmx([users]));
        let ttl = format!("-Dsun.net.inetaddr.ttl={ttl}");
        with_names(&folder, &["run", "plan.jmx", &ttl]).run().exits(0);
        assert_eq!([old.requests().len(), new.requests().len()], wanted, "{ttl}");
    }
}

/// Signs certificates for `localhost`.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    /// A server that asks for certificates.
    fn server(&self) -> TlsServerConfig {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        TlsServerConfig::asking(certificate.der().to_vec(), key.serialize_der(), false).expect("they fit")
    }
}

/// A server that is another from its eleventh connection on, with which it calls `move_on`.
fn moving_server(
    configs: [TlsServerConfig; 2],
    move_on: impl Fn() + Send + 'static,
) -> (u16, Receiver<Option<Vec<u8>>>) {
    tls_server(move |number| {
        if number == 10 {
            move_on();
        }
        configs[usize::from(number >= 10)].clone()
    })
}

/// Which of 20 samples succeeded.
fn successes(folder: &Folder, port: u16, more: &[&str]) -> Vec<bool> {
    folder.write("plan.jmx", plan::jmx([plan::group(1, 20).with(get("https", "localhost", port))]));
    folder.swell(&[&["run", "plan.jmx", "-f", "-l", "out.jtl"], more].concat()).exits(0);
    Jtl::parse(&folder.read("out.jtl")).column("success").iter().map(|text| *text == "true").collect()
}

#[test]
fn a_certificate_that_a_server_gets_meanwhile_is_verified() {
    let [trusted, other] = [Authority::new(), Authority::new()];
    let table: [(&Authority, &[&str], bool); 3] = [
        (&trusted, &["-Jswell.http.trust=ca.pem"], true),
        (&other, &["-Jswell.http.trust=ca.pem"], false),
        (&other, &[], true),
    ];
    for (signer, args, goes_on) in table {
        let (port, _seen) = moving_server([trusted.server(), signer.server()], || {});
        let folder = Folder::new();
        folder.write("ca.pem", &trusted.pem);
        let found = successes(&folder, port, args);
        assert_eq!(found, [vec![true; 10], vec![goes_on; 10]].concat(), "{args:?}");
        if !goes_on {
            let rows = Jtl::parse(&folder.read("out.jtl"));
            assert!(rows.column("responseMessage")[10].contains("certificate"), "{rows:?}");
        }
    }
}

#[test]
fn files_of_certificates_and_keys_are_those_of_the_start_of_the_test() {
    let [old, new] = [Authority::new(), Authority::new()];
    let folder = Folder::new();
    folder.write("ca.pem", &old.pem);
    let clients = [(); 2].map(|()| {
        let made = rcgen::generate_simple_self_signed(vec!["client".to_owned()]).expect("a certificate");
        (made.cert.der().to_vec(), made.signing_key.serialize_pem() + &made.cert.pem())
    });
    folder.write("client.pem", &clients[0].1);
    let files = [("ca.pem", new.pem.clone()), ("client.pem", clients[1].1.clone())];
    let files = files.map(|(name, content)| (folder.at(name), content));
    let change =
        move || files.iter().for_each(|(path, content)| std::fs::write(path, content).expect("written"));
    let (port, seen) = moving_server([old.server(), new.server()], change);
    let args = ["-Jswell.http.trust=ca.pem", "-Djavax.net.ssl.keyStore=client.pem"];
    assert_eq!(successes(&folder, port, &args), [[true; 10], [false; 10]].concat());
    assert_eq!(seen.try_iter().collect::<Vec<_>>(), vec![Some(clients[0].0.clone()); 10]);
    // The next test takes what is there now.
    assert_eq!(successes(&folder, port, &args), [true; 20]);
    assert_eq!(seen.try_iter().collect::<Vec<_>>(), vec![Some(clients[1].0.clone()); 20]);
}
