//! gRPC as a user of the program sees it.

use crate::support::{Ended, Folder, closed_port, nats_server, site};

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
