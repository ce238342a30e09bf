//! The gRPC sampler with a server of grpc-go, by its reflection.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use swell_api::SampleResult;

use crate::bench::{Bench, failed, fine, result, run, run_with, text};

/// The server's source.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/grpc-go");

/// A server of grpc-go. It ends when its input is closed.
struct Server {
    process: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let ended = self.process.wait().expect("it ends");
        assert!(std::thread::panicking() || ended.success(), "the server failed: {ended}");
    }
}

fn go(arguments: &[&str]) -> std::io::Result<Output> {
    // Modules that are not on this machine are not fetched.
    Command::new("go").args(arguments).current_dir(SOURCE).env("GOPROXY", "off").output()
}

/// The program, built into a folder; none where Go or its modules are absent.
fn build(folder: &Path) -> Option<PathBuf> {
    match go(&["list", "-deps", "-e", "-f", "{{with .Error}}{{.}}{{end}}", "."]) {
        Err(error) => {
            println!("skipped: Go is not installed: {error}");
            return None;
        }
        Ok(listed) if !listed.status.success() || !listed.stdout.trim_ascii().is_empty() => {
            let why = [&listed.stderr[..], &listed.stdout].concat();
            println!("skipped: grpc-go is not in Go's cache: {}", String::from_utf8_lossy(&why));
            return None;
        }
        Ok(_) => {}
    }
    let program = folder.join("server");
    let built = go(&["build", "-o", &program.to_string_lossy(), "."]).expect("Go is there");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(program)
}

fn start(program: &Path, files: &[PathBuf]) -> Server {
    let mut process = Command::new(program)
        .args(files)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let output = process.stdout.take().expect("it is piped");
    BufReader::new(output).read_line(&mut line).expect("a line");
    let port = line.trim().parse().expect("a port");
    Server { process, port }
}

async fn call(bench: &mut Bench, port: u16, method: &str, texts: &[(&str, &str)]) -> SampleResult {
    let name = format!("grpc.testing.TestService/{method}");
    bench.call(port, method, &[&[("fullMethod", &*name)], texts].concat()).await
}

#[test]
fn a_server_of_grpc_go_is_called_in_all_four_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(program) = build(folder.path()) else { return };
    let server = start(&program, &[]);
    run(async |bench| {
        let port = server.port;
        let metadata = ("metadata", r#"{"x-text":"a b","x-bytes-bin":"AP8="}"#);
        for (packed, back) in [("", "false"), ("gzip", "false"), ("", "true"), ("gzip", "true")] {
            let json = format!(
                r#"{{"response_size": 3000, "payload": {{"body": "AAEC"}}, "response_compressed": {{"value": {back}}}}}"#
            );
            let texts = [("requestJson", &*json), metadata, ("compression", packed)];
            let sample = call(bench, port, "UnaryCall", &texts).await;
            assert_eq!(result(&sample), fine(), "{packed} {back}: {}", text(&sample));
            assert!(text(&sample).contains(&"A".repeat(4000)), "{}", text(&sample));
            // grpc-go answers in the encoding of the request, or as the service sets it.
            assert_eq!(sample.body_size < 500, packed == "gzip" || back == "true", "{}", sample.body_size);
            for line in ["x-text: a b\n", "x-bytes-bin: AP8", "x-end: yes\n", "grpc-status: 0\n"] {
                assert!(sample.response_headers.contains(line), "{line}{}", sample.response_headers);
            }
        }
        check_streams(bench, port).await;
        check_statuses(bench, port).await;
    });
}

async fn check_streams(bench: &mut Bench, port: u16) {
    let json = r#"{"response_parameters": [{"size": 1}, {"size": 200000}, {"size": 3}]}"#;
    let sample = call(bench, port, "StreamingOutputCall", &[("requestJson", json)]).await;
    assert_eq!((result(&sample), sample.sub_results.len()), (fine(), 3), "{}", text(&sample));
    let sizes: Vec<u64> = sample.sub_results.iter().map(|sub| sub.bytes).collect();
    assert_eq!(sizes, [5, 200_008, 7], "a field of a field, each with its number and length");
    let json = r#"[{"payload": {"body": "AAEC"}}, {"payload": {"body": "AA=="}}]"#;
    let sample = call(bench, port, "StreamingInputCall", &[("requestJson", json)]).await;
    assert_eq!(result(&sample), fine(), "{}", text(&sample));
    assert!(text(&sample).contains("\"aggregated_payload_size\": 4"), "{}", text(&sample));
    let sample = call(bench, port, "FullDuplexCall", &[("requestJson", json)]).await;
    assert_eq!((result(&sample), sample.sub_results.len()), (fine(), 2), "{}", text(&sample));
    assert!(text(&sample.sub_results[0]).contains("\"body\": \"AAEC\""), "{}", text(&sample));
}

async fn check_statuses(bench: &mut Bench, port: u16) {
    let json = r#"{"response_status": {"code": 9, "message": "not ü%yet"}}"#;
    let sample = call(bench, port, "UnaryCall", &[("requestJson", json)]).await;
    assert_eq!((result(&sample), &*text(&sample)), (failed("9 FAILED_PRECONDITION"), "not ü%yet"));
    let json = r#"{"response_parameters": [{"size": 1}], "response_status": {"code": 5}}"#;
    let sample = call(bench, port, "StreamingOutputCall", &[("requestJson", json)]).await;
    assert_eq!(result(&sample), failed("5 NOT_FOUND"), "a message came before");
    let late = [("requestJson", r#"{"fill_username": true}"#), ("deadline", "50")];
    let sample = call(bench, port, "UnaryCall", &late).await;
    assert_eq!(result(&sample), failed("4 DEADLINE_EXCEEDED"), "{}", text(&sample));
    // The server has no code for this method, which its descriptors name.
    let sample = call(bench, port, "EmptyCall", &[]).await;
    assert_eq!(result(&sample), failed("12 UNIMPLEMENTED"), "{}", text(&sample));
    assert_eq!(text(&sample), "method EmptyCall not implemented");
}

/// A certificate with that name, signed by itself or by an authority, and its key, in PEM form.
fn certificate(name: &str, authority: Option<&Issuer<'_, KeyPair>>) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    params.distinguished_name.push(DnType::CommonName, name);
    let made = match authority {
        Some(authority) => params.signed_by(&key, authority),
        None => params.self_signed(&key),
    };
    (made.expect("a certificate").pem(), key.serialize_pem())
}

/// An authority, and its certificate in PEM form.
fn authority() -> (String, Issuer<'static, KeyPair>) {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pem = params.self_signed(&key).expect("a certificate").pem();
    (pem, Issuer::new(params, key))
}

#[test]
fn a_server_of_grpc_go_that_requires_certificates_sees_the_users_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(program) = build(folder.path()) else { return };
    let (authority_pem, authority) = authority();
    let (server_pem, server_key) = certificate("server", None);
    let (client_pem, client_key) = certificate("user one", Some(&authority));
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a new folder");
        path
    };
    let files = [
        write("server.pem", server_pem),
        write("server-key.pem", server_key),
        write("authority.pem", authority_pem),
    ];
    let server = start(&program, &files);
    let store = [client_pem, client_key].concat();
    let secure =
        [("tls", "true"), ("tlsDisableVerification", "true"), ("requestJson", "{}"), ("deadline", "20000")];
    run_with(&[("javax.net.ssl.keyStore", "client.pem")], async |bench| {
        bench.put_file("client.pem", store.as_bytes());
        let sample = call(bench, server.port, "UnaryCall", &secure).await;
        assert_eq!(result(&sample), fine(), "{}", text(&sample));
        assert!(sample.response_headers.contains("x-client: user one\n"), "{}", sample.response_headers);
    });
    run(async |bench| {
        let sample = call(bench, server.port, "UnaryCall", &secure).await;
        assert!(!sample.success && text(&sample).ends_with("CertificateRequired"), "{}", text(&sample));
    });
}
