//! A real nginx: it ends each connection for HTTP/2 after some requests, which is no error of any
//! sample. Without nginx these tests skip.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};

use socket2::{Domain, Socket, Type};

use crate::support::{Ended, Folder, plan};

/// Requests after which nginx sends GOAWAY.
const REQUESTS_OF_CONNECTION: u64 = 50;

const CONFIG: &str = "pid FOLDER/nginx.pid;
error_log FOLDER/error.log;
worker_processes 1;
events {}
http {
    access_log off;
    client_body_temp_path FOLDER/body;
    proxy_temp_path FOLDER/proxy;
    fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi;
    scgi_temp_path FOLDER/scgi;
    keepalive_requests REQUESTS;
    server {
        listen 127.0.0.1:PORT http2;
        location / { return 200 hello; }
    }
}
";

/// An nginx that ends with the test.
struct Nginx {
    folder: Folder,
    port: u16,
    /// Bound to the port, so that no other process gets it before nginx listens.
    _reserved: Socket,
}

impl Nginx {
    /// None where this machine has no nginx that speaks HTTP/2.
    fn start() -> Option<Self> {
        let reserved = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        reserved.set_reuse_address(true).expect("a socket");
        reserved.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("a port is free");
        let address = reserved.local_addr().ok().and_then(|address| address.as_socket());
        let port = address.expect("bound").port();
        let folder = Folder::new();
        let config = CONFIG
            .replace("FOLDER", &folder.path().to_string_lossy())
            .replace("REQUESTS", &REQUESTS_OF_CONNECTION.to_string())
            .replace("PORT", &port.to_string());
        folder.write("nginx.conf", config);
        let nginx = Self { folder, port, _reserved: reserved };
        // It returns when the port is open.
        match nginx.command(&[]).output() {
            Ok(output) if output.status.success() => Some(nginx),
            Ok(output) => {
                eprintln!("skipped: nginx: {}", String::from_utf8_lossy(&output.stderr));
                None
            }
            Err(error) => {
                eprintln!("skipped: nginx does not start: {error}");
                None
            }
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("nginx");
        command.arg("-p").arg(self.folder.path()).arg("-e").arg(self.folder.at("error.log"));
        command.arg("-c").arg(self.folder.at("nginx.conf")).args(args);
        command.stdin(Stdio::null());
        command
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Nothing is to be done where it has ended by itself.
        let _ = self.command(&["-s", "stop"]).output();
    }
}

/// No sample failed, and each connection carried as many requests as nginx allows, or fewer.
#[track_caller]
fn check(ended: Ended, samples: u64) {
    let ended = ended.exits(0).prints(&[&format!("{samples} samples"), "none failed", "status: 200"]);
    let connections = ended.err.split("HTTP/2 over ").nth(1).and_then(|rest| rest.split(' ').next());
    let connections: u64 = connections.and_then(|number| number.parse().ok()).unwrap_or(0);
    assert!(connections >= samples / REQUESTS_OF_CONNECTION, "{ended}");
}

#[test]
fn connections_that_nginx_ends_fail_no_request_of_hit() {
    let Some(nginx) = Nginx::start() else { return };
    for streams in ["1", "20"] {
        let args = ["hit", "--http2", &nginx.url(), "-n", "900", "-c", "2", "-w", "2", "--streams", streams];
        check(Folder::new().swell(&args), 900);
    }
}

#[test]
fn connections_that_nginx_ends_fail_no_sample_of_a_plan() {
    let Some(nginx) = Nginx::start() else { return };
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, nginx.port));
    let folder = Folder::with_plan([plan::group(3, 100).with(plan::get(at, "/"))]);
    let ended = folder.swell(&["run", "plan.jmx", "--http2", "-l", "out.jtl"]);
    check(ended, 300);
    let jtl = folder.jtl("out.jtl");
    assert!(jtl.column("responseCode").iter().all(|code| *code == "200"));
    let shared = folder.swell(&["run", "plan.jmx", "--http2", "-Jswell.http2.share=3", "-w", "1"]);
    check(shared, 300);
}
