//! gRPC as a user of the program sees it.

use std::net::SocketAddr;
use std::sync::mpsc::Receiver;

use swell_connect::TlsServerConfig;
use swell_plan::{Element, Node};

use crate::support::{Ended, Folder, closed_port, nats_server, plan, site, tls_forwarder};

const EXAMPLE: &str = include_str!("../../../../examples/grpc.jmx");
const PROTO: &str = include_str!("../../../../examples/proto/echo.proto");

fn hit(port: u16, method: &str, more: &[&str]) -> Ended {
    let url = format!("grpc://127.0.0.1:{port}/{method}");
    Folder::new().swell(&[&["hit", &url, "-n", "4", "-c", "2", "-w", "1"], more].concat())
}

/// A folder with the example and its `.proto` file.
fn example() -> Folder {
    let folder = Folder::new();
    folder.write("plan.jmx", EXAMPLE);
    std::fs::create_dir(folder.at("proto")).expect("a new folder");
    folder.write("proto/echo.proto", PROTO);
    folder
}

#[test]
fn methods_of_all_four_kinds_are_hit_by_reflection() {
    let site = site();
    let port = site.addr().port();
    let several = r#"[{"text":"a"},{"text":"b"}]"#;
    for (method, data) in [
        ("Unary", r#"{"text":"hello"}"#),
        ("ServerStream", r#"{"messages":3}"#),
        ("ClientStream", several),
        ("Bidirectional", several),
    ] {
        let ended = hit(port, &format!("swell.Echo/{method}"), &["--data", data, "--json"]).exits(0);
        let json = ended.json();
        assert_eq!((&json["total"]["samples"], &json["total"]["errors"]), (&4.into(), &0.into()), "{json}");
        let shown = hit(port, &format!("swell.Echo/{method}"), &["--data", data]).exits(0);
        shown.says(&["HTTP/2 over 2 connections, 1 stream on each"]);
    }
}

#[test]
fn a_failed_call_says_why() {
    let site = site();
    let port = site.addr().port();
    for (method, data, said) in [
        (
            "swell.Echo/Unary",
            r#"{"status":5,"description":"no such user"}"#,
            "gRPC status 5 NOT_FOUND: no such user",
        ),
        ("swell.Echo/No", "{}", "service `swell.Echo` has no method `No`; it has Unary, ClientStream"),
        ("a.B/No", "{}", "5 NOT_FOUND: there is no `a.B`"),
        (
            "swell.Echo/Unary",
            r#"{"txt":"hello"}"#,
            "field `txt`: expected a field of message swell.EchoRequest",
        ),
        ("swell.Echo/Unary", r#"{"text":1}"#, "field `text`: expected string, got number 1"),
    ] {
        hit(port, method, &["--data", data]).exits(98).prints(&["(100 % of 4 samples)", said]);
    }
    let late = ["--data", r#"{"delay_ms":20000}"#, "--timeout", "30ms"];
    hit(port, "swell.Echo/Unary", &late).exits(98).prints(&["gRPC status 4 DEADLINE_EXCEEDED"]);
    let closed = closed_port();
    let refused = format!("connection refused by 127.0.0.1:{closed}");
    hit(closed, "swell.Echo/Unary", &[]).exits(98).prints(&["nothing answered", &refused]);
}

#[test]
fn a_debugged_call_shows_its_exchange() {
    let site = site();
    let port = format!("-Jport={}", site.addr().port());
    let ended = example().swell(&["debug", "plan.jmx", &port, "-Jcalls=2", "--json"]).exits(0);
    ended.prints(&["\"method\":\"POST\"", "/swell.Echo/Unary", "x-user: 1", "grpc-status: 0"]);
}

#[test]
fn agents_get_the_proto_files_of_a_plan() {
    if nats_server().is_none() {
        return;
    }
    let site = site();
    let port = format!("-Jport={}", site.addr().port());
    let args = ["run", "plan.jmx", &port, "-Jusers=4", "-Jcalls=5", "--agents", "2", "-w", "1", "--json"];
    let json = example().swell(&args).exits(0).json();
    assert_eq!((&json["total"]["samples"], &json["total"]["errors"]), (&20.into(), &0.into()), "{json}");
}

/// A way to the test server that requires a certificate of its clients, and what they show.
fn requiring(to: SocketAddr) -> (u16, Receiver<Option<Vec<u8>>>) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let key = made.signing_key.serialize_der();
    let config = TlsServerConfig::asking(made.cert.der().to_vec(), key, true).expect("they fit");
    tls_forwarder(config.with_protocols(&[b"h2"]), to)
}

#[test]
fn a_server_that_requires_a_certificate_gets_that_of_the_command_line() {
    let site = site();
    let (port, seen) = requiring(site.addr());
    let client = rcgen::generate_simple_self_signed(vec!["client".to_owned()]).expect("a certificate");
    let folder = Folder::new();
    folder.write("cert.pem", client.cert.pem());
    folder.write("key.pem", client.signing_key.serialize_pem());
    let url = format!("grpcs://localhost:{port}/swell.Echo/Unary");
    let args = ["hit", &url, "-n", "4", "-c", "2", "-w", "1", "--json", "--data", r#"{"text":"a"}"#];
    let json =
        folder.swell(&[&args[..], &["--cert", "cert.pem", "--key", "key.pem"]].concat()).exits(0).json();
    assert_eq!((&json["total"]["samples"], &json["total"]["errors"]), (&4.into(), &0.into()), "{json}");
    for _ in 0..2 {
        let shown = seen.recv().expect("a connection of each user");
        assert_eq!(shown.as_deref(), Some(&client.cert.der()[..]));
    }
    let ended = folder.swell(&args).exits(98);
    // With TLS 1.3 the server refuses after the handshake: its reason may be lost with the connection.
    ended.prints(&["14 UNAVAILABLE"]);
}

/// A key store of Java with the keys First, second, third-3 and user4.
const STORE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../connect/tests/keystores/ec.p12");

#[test]
fn a_grpc_sampler_shows_the_certificate_that_a_keystore_configuration_chooses() {
    let site = site();
    let (port, seen) = requiring(site.addr());
    let sampler = Element::new("vn.zalopay.benchmark.GRPCSampler", "", "call")
        .with_text("GRPCSampler.host", "localhost")
        .with_text("GRPCSampler.port", &port.to_string())
        .with_text("GRPCSampler.fullMethod", "swell.Echo/Unary")
        .with_text("GRPCSampler.requestJson", r#"{"text":"a"}"#)
        .with_flag("GRPCSampler.reflection", true)
        .with_flag("GRPCSampler.tls", true)
        .with_flag("GRPCSampler.tlsDisableVerification", true);
    let keys = Element::new("KeystoreConfig", "TestBeanGUI", "keys")
        .with_text("clientCertAliasVarName", "who")
        .with_text("endIndex", "");
    let who = Element::new("Argument", "", "who")
        .with_text("Argument.name", "who")
        .with_text("Argument.value", "third-3");
    let who = Element::new("Arguments", "ArgumentsPanel", "").with_elements("Arguments.arguments", [who]);
    let group = plan::group(1, 3).with(Node::new(who)).with(Node::new(keys)).with(Node::new(sampler));
    let folder = Folder::with_plan([group]);
    let store = format!("-Djavax.net.ssl.keyStore={STORE}");
    let args = ["run", "plan.jmx", "--json", &store, "-Djavax.net.ssl.keyStorePassword=secret1"];
    let json = folder.swell(&args).exits(0).json();
    assert_eq!((&json["total"]["samples"], &json["total"]["errors"]), (&3.into(), &0.into()), "{json}");
    let shown = seen.recv().expect("a connection").expect("a certificate");
    assert!(shown.windows(7).any(|part| part == b"third-3"), "another key was shown");
}
