//! `swell hit`: which certificates it trusts, what it shows of itself, and where its connections
//! go.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::sync::mpsc;

use swell_connect::TlsServerConfig;

use crate::support::{Answer, Folder, Server, tls_server};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A certificate for a name, in PEM form and as a configuration of a server that asks for
/// certificates.
fn certificate(name: &str) -> (String, TlsServerConfig) {
    let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).expect("a certificate");
    let key = made.signing_key.serialize_der();
    let config = TlsServerConfig::asking(made.cert.der().to_vec(), key, false).expect("they fit");
    (made.cert.pem(), config)
}

/// Errors of one request.
fn errors(folder: &Folder, args: &[&str]) -> (u64, String) {
    let ended = folder.swell(&[&["hit", "-n", "1", "--json"], args].concat());
    let errors = ended.json()["total"]["errors"].as_u64().expect("a number");
    (errors, ended.to_string())
}

#[test]
fn servers_are_verified_where_somebody_says_whom_to_trust() {
    let (pem, config) = certificate("localhost");
    let (other, _) = certificate("localhost");
    let (port, _seen) = tls_server(move |_| config.clone());
    let folder = Folder::new();
    folder.write("ca.pem", pem);
    folder.write("other.pem", other);
    let url = format!("https://localhost:{port}/");
    let unnamed = format!("https://127.0.0.1:{port}/");
    let table: [(&[&str], u64); 6] = [
        (&[&url], 0),
        (&[&url, "-k"], 0),
        (&[&url, "--cacert", "ca.pem"], 0),
        (&[&unnamed, "--cacert", "ca.pem"], 1),
        (&[&url, "--cacert", "other.pem"], 1),
        (&[&url, "--verify"], 1),
    ];
    for (args, wanted) in table {
        let (found, ended) = errors(&folder, args);
        assert_eq!(found, wanted, "{ended}");
    }
}

#[test]
fn a_server_that_asks_is_shown_the_certificate() {
    let (_, config) = certificate("localhost");
    let (port, seen) = tls_server(move |_| config.clone());
    let client = rcgen::generate_simple_self_signed(vec!["client".to_owned()]).expect("a certificate");
    let pem = client.cert.pem();
    let key = client.signing_key.serialize_pem();
    let folder = Folder::new();
    folder.write("cert.pem", &pem);
    folder.write("key.pem", &key);
    folder.write("both.pem", format!("{key}{pem}"));
    let url = format!("https://localhost:{port}/");
    for (args, shown) in
        [(&[][..], false), (&["--cert", "cert.pem", "--key", "key.pem"], true), (&["-E", "both.pem"], true)]
    {
        let (found, ended) = errors(&folder, &[&[&*url], args].concat());
        assert_eq!(found, 0, "{ended}");
        let seen = seen.recv().expect("it was asked");
        assert_eq!(seen.as_deref(), shown.then_some(&client.cert.der()[..]), "{ended}");
    }
}

#[test]
fn certificates_and_sockets_that_are_none_are_refused() {
    let folder = Folder::new();
    folder.write("text.pem", "nothing");
    let client = rcgen::generate_simple_self_signed(vec!["client".to_owned()]).expect("a certificate");
    folder.write("cert.pem", client.cert.pem());
    let table: [(&[&str], &[&str]); 9] = [
        (&["--cacert", "none.pem"], &["--cacert: no certificate", "`none.pem`: No such file", "hint: "]),
        (&["--cacert", "text.pem"], &["`text.pem`: there is none in it", "hint: "]),
        (&["--cacert", "cert.pem", "-k"], &["cannot be used with"]),
        (&["--cert", "none.pem"], &["cannot read `none.pem`"]),
        (&["--cert", "cert.pem"], &["--cert: `cert.pem` cannot be used: it contains no key", "hint: "]),
        (&["--cert", "text.pem"], &["`text.pem` cannot be used: it contains no certificate"]),
        (&["--unix", "none.sock"], &["--unix: there is no `none.sock`"]),
        (&["--unix", "cert.pem"], &["--unix: `cert.pem` is not a socket"]),
        (&["--connect-to", "a:80:b"], &["`a:80:b` is not HOST:PORT:HOST:PORT"]),
    ];
    for (args, texts) in table {
        folder.swell(&[&["hit", "https://localhost:1/", "-n", "1"], args].concat()).refused(texts);
    }
}

#[test]
fn connections_go_where_they_are_told_to() {
    let server = Server::start(|_| Answer::ok("ok"));
    let port = server.addr.port();
    let folder = Folder::new();
    let routes = [
        format!("nowhere.invalid:80:127.0.0.1:{port}"),
        format!("nowhere.invalid::127.0.0.1:{port}"),
        format!("::127.0.0.1:{port}"),
    ];
    for route in &routes {
        let (found, ended) = errors(&folder, &["http://nowhere.invalid/", "--connect-to", route]);
        assert_eq!(found, 0, "{ended}");
    }
    assert_eq!(
        server.requests().last().and_then(|request| request.header("host").map(str::to_owned)).as_deref(),
        Some("nowhere.invalid")
    );
    // One that fits not is no route, the first that fits is the one.
    let url = format!("http://127.0.0.1:{port}/");
    let routes = [
        "--connect-to",
        "other.invalid:80:127.0.0.1:1",
        "--connect-to",
        &format!("127.0.0.1:{port}:127.0.0.1:{port}"),
    ];
    let (found, ended) = errors(&folder, &[&[&*url], &routes[..]].concat());
    assert_eq!((found, server.requests().len()), (0, 4), "{ended}");
}

#[test]
fn requests_go_to_a_socket_in_the_file_system() {
    let folder = Folder::new();
    let listener = UnixListener::bind(folder.at("site.sock")).expect("a socket");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                // Requests are small: each comes at once, and alone.
                while let Ok(1..) = stream.read(&mut buffer) {
                    if stream.write_all(OK).is_err() {
                        return;
                    }
                }
            });
        }
    });
    let args = ["hit", "http://site.invalid/x", "-n", "500", "-c", "5", "--unix", "site.sock", "--json"];
    let ended = folder.swell(&args).exits(0);
    let total = &ended.json()["total"];
    assert_eq!((&total["samples"], &total["errors"]), (&500.into(), &0.into()), "{ended}");
    // The listener is gone, but the name is there.
    drop(UnixListener::bind(folder.at("left.sock")).expect("a socket"));
    let ended = folder.swell(&["hit", "site.invalid", "--unix", "left.sock", "--debug"]);
    assert!(ended.out.contains("Connect to left.sock failed: Connection refused"), "{ended}");
}

#[test]
fn connections_go_out_from_the_addresses_that_are_named() {
    let folder = Folder::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("bound"));
    let (sender, seen) = mpsc::channel();
    std::thread::spawn(move || {
        while let Ok((mut stream, from)) = listener.accept() {
            // The test may have ended.
            let _ = sender.send(from.ip().to_string());
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                // Requests are small: each comes at once, and alone.
                while let Ok(1..) = stream.read(&mut buffer) {
                    if stream.write_all(OK).is_err() {
                        return;
                    }
                }
            });
        }
    });
    let args = ["hit", &url, "-n", "60", "-c", "6", "--source", "127.0.0.2-127.0.0.4"];
    folder.swell(&args).exits(0);
    let mut from: Vec<_> = seen.try_iter().collect();
    from.sort();
    from.dedup();
    assert_eq!(from, ["127.0.0.2", "127.0.0.3", "127.0.0.4"]);
    let refused = |list: &str, why: &str| {
        folder.swell(&["hit", &url, "-n", "1", "--source", list]).refused(&["source: ", why]);
    };
    refused("192.0.2.1", "192.0.2.1 is not an address of this machine");
    refused("127.0.0.9-", "neither an address nor a range");
}
