//! The live page, by the bytes that a browser, a program or an attacker would send.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

use crate::support::{Folder, LIMIT, Running, plan, site};

/// A run with a live page, whose users nap until it is stopped.
struct Live {
    folder: Folder,
    running: Running,
    address: SocketAddr,
    token: String,
    /// The secret of who may look and change nothing.
    look: String,
}

impl Live {
    fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(more: &[&str]) -> Self {
        let folder = Folder::with_plan([plan::group(2, -1).with(plan::nap(5))]);
        let args = ["run", "plan.jmx", "--live", "--run-dir", "kept", "-e", "-o", "report"];
        let call = folder.call(&[&args, more].concat()).env("XDG_RUNTIME_DIR", folder.path());
        let live = Self::of(folder, call.start());
        // Only then can the load be changed, and a stop leaves a run in which something ran.
        while live.get("/api/status").1["groups"][0]["active"] != 2
            || live.get("/api/status").1["samples"] == 0
        {
            std::thread::yield_now();
        }
        live
    }

    /// A command that has just started with `--live`.
    fn of(folder: Folder, mut running: Running) -> Self {
        let said = ["Live page: http", "look only: http"].map(|words| running.wait_for_words(words));
        let [(base, token), (_, look)] = said.each_ref().map(|line| {
            let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
            url.split_once("/#t=").expect("a secret in the fragment")
        });
        let address = base.trim_start_matches("http://").parse().expect("an address");
        let token = token.to_owned();
        let look = look.to_owned();
        Self { folder, running, address, token, look }
    }

    /// What comes back for these bytes, up to the end of the connection.
    fn bytes(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a time");
        // One that is refused may be closed before all was sent.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    /// The status of the answer.
    fn status(&self, request: &str) -> u16 {
        let answer = self.bytes(
            &request
                .replace("HOST", &self.address.to_string())
                .replace("TOKEN", &self.token)
                .replace("LOOK", &self.look),
        );
        answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let at = self.address;
        let token = &self.token;
        let answer = self.bytes(&format!(
            "{method} {path} HTTP/1.1\r\nHost: {at}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ));
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    fn get(&self, path: &str) -> (u16, Value) {
        self.ask("GET", path, "")
    }

    fn stop(self) -> Folder {
        assert_eq!(self.ask("POST", "/api/stop-now", "").0, 202);
        self.running.wait().exits(0);
        self.folder
    }
}

#[test]
fn only_who_has_the_secret_and_comes_from_the_page_is_served() {
    let live = Live::start();
    let json = "Content-Type: application/json\r\nConnection: close\r\nContent-Length: 0";
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close", 200),
        ("GET /app.js HTTP/1.1\r\nHost: HOST\r\nConnection: close", 200),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close", 421),
        ("GET / HTTP/1.1\r\nConnection: close", 421),
        ("GET /api/snapshot HTTP/1.1\r\nHost: HOST\r\nConnection: close", 401),
        ("GET /api/events HTTP/1.1\r\nHost: HOST", 401),
        ("GET /api/status HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer wrong\r\nConnection: close", 401),
        ("GET /api/status?t=TOKEN HTTP/1.1\r\nHost: HOST\r\nConnection: close", 401),
        ("GET /api/status HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nConnection: close", 200),
        ("GET /../etc/passwd HTTP/1.1\r\nHost: HOST\r\nConnection: close", 404),
        (
            "OPTIONS /api/stop HTTP/1.1\r\nHost: HOST\r\nOrigin: http://evil.example\r\nAuthorization: Bearer TOKEN",
            403,
        ),
        ("nonsense", 400),
    ] {
        assert_eq!(live.status(&format!("{request}\r\n\r\n")), status, "{request}");
    }
    for (more, status) in [
        ("Origin: http://evil.example\r\nAuthorization: Bearer TOKEN", 403),
        ("Sec-Fetch-Site: cross-site\r\nAuthorization: Bearer TOKEN", 403),
        ("Authorization: Bearer wrong", 401),
        ("X: y", 401),
    ] {
        let request = format!("POST /api/stop HTTP/1.1\r\nHost: HOST\r\n{json}\r\n{more}\r\n\r\n");
        assert_eq!(live.status(&request), status, "{more}");
    }
    let form = "POST /api/stop HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(live.status(form), 415);
    let long = format!("GET / HTTP/1.1\r\nHost: HOST\r\nX: {}\r\n\r\n", "x".repeat(9000));
    assert_eq!(live.status(&long), 431);
    let page = live.bytes(&format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", live.address));
    for text in [
        "Content-Security-Policy: default-src 'none'; script-src 'self'",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.to_ascii_lowercase().contains("access-control"), "{page}");
    assert_eq!(live.get("/api/status").1["is_over"], false, "nothing of this touched the run");
    live.stop();
}

#[test]
fn who_may_only_look_changes_nothing() {
    let live = Live::start();
    let body =
        "Content-Type: application/json\r\nConnection: close\r\nContent-Length: 11\r\n\r\n{\"users\":9}";
    for (request, status) in [
        (
            "GET /api/snapshot HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer LOOK\r\nConnection: close\r\n\r\n",
            200,
        ),
        ("PUT /api/groups/0/load HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer LOOK\r\nBODY", 403),
        ("POST /api/stop-now HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer LOOK\r\nBODY", 403),
        ("DELETE /api/groups/0/load HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer LOOK\r\nBODY", 403),
        ("PUT /api/groups/0/load HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nBODY", 202),
    ] {
        assert_eq!(live.status(&request.replace("BODY", body)), status, "{request}");
    }
    for (token, may_change) in [(&live.look, "false"), (&live.token, "true")] {
        let request = format!(
            "GET /api/snapshot HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        let answer = live.bytes(&request.replace("HOST", &live.address.to_string()));
        assert!(answer.contains(&format!("\"may_change\":{may_change}")), "{answer}");
    }
    let url = format!("http://{}/#t={}", live.address, live.look);
    let ctl = |args: &[&str]| live.folder.call(&[&["ctl", "--url", &url], args].concat()).run();
    ctl(&["status"]).exits(0).prints(&["main, "]);
    ctl(&["stop"]).refused(&["refused (403): this secret is read-only"]);
    assert_eq!(live.get("/api/status").1["is_over"], false, "nothing of this stopped the run");
    live.stop();
}

#[test]
fn control_goes_up_to_its_ceilings() {
    let live = Live::start_with(&["--live-max-users", "6", "--live-max-rate", "10"]);
    for (path, body, status) in [
        ("/api/groups/0/load", "{\"users\":7}", 422),
        ("/api/groups/0/load", "{\"users\":7,\"over_ms\":1000}", 422),
        ("/api/load", "{\"factor\":3.1}", 422),
        ("/api/load", "{\"factor\":3}", 202),
        ("/api/groups/0/load", "{\"users\":6}", 202),
    ] {
        let (found, answer) = live.ask("PUT", path, body);
        assert_eq!(found, status, "{path} {body}: {answer}");
        let told = answer["error"].as_str().unwrap_or("at most 6 in this run");
        assert!(told.contains("at most 6 in this run"), "{answer}");
    }
    live.stop();
}

#[test]
fn a_page_for_other_machines_is_encrypted_and_known_by_its_certificate() {
    let folder = Folder::with_plan([plan::group(1, -1).with(plan::nap(5))]);
    let made = rcgen::generate_simple_self_signed(vec!["load.example".to_owned()]).expect("a certificate");
    std::fs::write(folder.path().join("cert.pem"), made.cert.pem()).expect("written");
    std::fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).expect("written");
    let own = ["--live", "--live-cert", "cert.pem", "--live-key", "key.pem"];
    for options in [&["--live=0.0.0.0:0"][..], &own] {
        let args = [&["run", "plan.jmx", "--no-run-dir"], options].concat();
        let call = folder.call(&args).env("XDG_RUNTIME_DIR", folder.path());
        let mut running = call.start();
        let line = running.wait_for_words("Live page: https://");
        let url = line.split_whitespace().find(|word| word.starts_with("https://")).expect("an address");
        running.wait_for_words("SHA-256 of its certificate: ");
        let ctl = |args: &[&str]| {
            let args = [&["ctl"], args].concat();
            folder.call(&args).env("XDG_RUNTIME_DIR", folder.path()).run()
        };
        ctl(&["status"]).exits(0).prints(&["users"]);
        ctl(&["--url", url, "status"]).exits(0);
        let (address, digest) = url.split_once("&c=").expect("the digest of its certificate");
        assert_eq!(digest.len(), 64, "{url}");
        let other = format!("{address}&c={}", "0".repeat(64));
        ctl(&["--url", &other, "status"]).refused(&["does not answer: ", "certificate"]);
        ctl(&["--url", address, "status"]).refused(&["does not say by which certificate", "hint: "]);
        let plain = address.replace("https://", "http://");
        ctl(&["--url", &plain, "status"]).refused(&[]);
        // Nothing of the page is sent without encryption, and a silent client keeps no other client
        // out.
        let port = address.split(':').nth(2).and_then(|rest| rest.split('/').next()).expect("a port");
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("it listens");
        let _silent = TcpStream::connect(format!("127.0.0.1:{port}")).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a time");
        stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").expect("sent");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.windows(5).any(|bytes| bytes == b"HTTP/"), "{answer:?}");
        while ctl(&["--json", "status"]).exits(0).out.contains("\"samples\":0") {}
        ctl(&["stop-now"]).exits(0);
        running.wait().exits(0);
    }
    let refused = |args: &[&str], words: &[&str]| {
        folder.call(&[&["run", "plan.jmx"], args].concat()).run().refused(words);
    };
    refused(
        &["--live", "--live-cert", "none.pem", "--live-key", "key.pem"],
        &["--live-cert: cannot read `none.pem`"],
    );
    refused(
        &["--live", "--live-cert", "key.pem", "--live-key", "key.pem"],
        &["it contains no certificate", "hint: "],
    );
    refused(
        &["--live", "--live-cert", "cert.pem", "--live-key", "cert.pem"],
        &["it contains no private key"],
    );
}

/// A server on another port of the same host gets every cookie of that host: the secret must not be
/// one.
#[test]
fn the_secret_is_never_a_cookie() {
    let live = Live::start();
    let body = format!("{{\"token\":\"{}\"}}", live.token);
    let answers = [
        format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", live.address),
        format!(
            "GET /api/snapshot HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
            live.address, live.token
        ),
        format!(
            "POST /session HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            live.address,
            body.len()
        ),
    ];
    for request in answers {
        let answer = live.bytes(&request);
        assert!(!answer.to_ascii_lowercase().contains("set-cookie"), "{answer}");
    }
    let port = live.address.port();
    let cookie = format!(
        "POST /api/pause HTTP/1.1\r\nHost: HOST\r\nCookie: swell_{port}=TOKEN\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    );
    assert_eq!(live.status(&cookie), 401);
    live.stop();
}

#[test]
fn a_flood_of_bare_connections_cuts_no_reader() {
    let live = Live::start();
    let head = |path: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
            live.address, live.token
        )
    };
    // One reader that is sent events, and one between two requests.
    let mut events = BufReader::new(TcpStream::connect(live.address).expect("it listens"));
    events.get_mut().write_all(head("/api/events").as_bytes()).expect("sent");
    let mut lines = events.lines().map(|line| line.expect("the stream is open"));
    assert!(lines.any(|line| line.starts_with("id: ")), "an event");
    let mut waiting = TcpStream::connect(live.address).expect("it listens");
    let mut status = || {
        waiting.write_all(head("/api/status").as_bytes()).expect("it is open");
        let mut answer = Vec::new();
        while !answer.ends_with(b"}") {
            let mut piece = [0; 4096];
            let count = waiting.read(&mut piece).expect("it is open");
            assert!(count > 0, "the reader was cut");
            answer.extend_from_slice(&piece[..count]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    };
    status();
    let mut flood = Vec::new();
    for _ in 0..600 {
        flood.push(TcpStream::connect(live.address).expect("it listens"));
    }
    status();
    assert!(lines.any(|line| line.starts_with("id: ")), "events go on");
    assert_eq!(live.get("/api/status").0, 200, "and a new reader comes in");
    drop(flood);
    live.stop();
}

#[test]
fn idle_connections_keep_nobody_out() {
    let live = Live::start();
    let idle: Vec<_> = (0..100).map(|_| TcpStream::connect(live.address).expect("it listens")).collect();
    assert_eq!(live.get("/api/status").0, 200);
    drop(idle);
    live.stop();
}

fn refuses_invalid_changes(live: &Live) {
    for (method, path, body, status, text) in [
        ("PUT", "/api/groups/7/load", "{\"users\": 5}", 404, "unknown thread group `7`"),
        ("PUT", "/api/groups/0/load", "{\"per_s\": 5}", 409, "has users, not an arrival rate"),
        ("PUT", "/api/groups/0/load", "{\"users\": -1}", 422, "a whole number from 0"),
        (
            "PUT",
            "/api/groups/0/load",
            "{\"users\": 5, \"over_ms\": -1}",
            422,
            "invalid over_ms: expected a whole number from 0",
        ),
        ("PUT", "/api/load", "{\"factor\": 2, \"over_ms\": 90000000}", 422, "to 86400000 (one day)"),
        ("PUT", "/api/groups/0/load", "{", 400, "not a JSON object"),
        ("PUT", "/api/load", "{\"factor\": 0}", 409, "a factor above 0"),
        (
            "PUT",
            "/api/load",
            "{\"factor\": 2, \"if_revision\": 99}",
            412,
            "the run was changed by another request",
        ),
        ("POST", "/api/reboot", "", 404, "unknown change"),
    ] {
        let (found, answer) = live.ask(method, path, body);
        assert_eq!(found, status, "{path} {body}: {answer}");
        assert!(
            answer["error"].as_str().is_some_and(|error| error.contains(text)),
            "{path} {body}: {answer}"
        );
    }
}

#[test]
fn the_load_is_changed_and_each_change_is_in_the_journal() {
    let live = Live::start();
    assert_eq!(live.ask("PUT", "/api/groups/0/load", "{\"users\": 5}").0, 202);
    while live.get("/api/status").1["groups"][0]["active"] != 5 {
        std::thread::yield_now();
    }
    refuses_invalid_changes(&live);
    let ctl = |args: &[&str]| {
        let args = [&["ctl"], args].concat();
        live.folder.call(&args).env("XDG_RUNTIME_DIR", live.folder.path()).run()
    };
    ctl(&["status"]).exits(0).prints(&["main, 5 users", "5 users wanted"]);
    ctl(&["load", "--users", "3"]).exits(0).prints(&["set to 3"]);
    ctl(&["load", "--users", "4", "--over", "100ms"])
        .exits(0)
        .prints(&["users of `", "set to 4 over a ramp of 0.1 s"]);
    while live.get("/api/status").1["groups"][0]["active"] != 4 {
        std::thread::yield_now();
    }
    ctl(&["load", "--users", "4", "--over", "soon"]).refused(&["invalid time `soon`"]);
    ctl(&["set", "swell.api_token=s3cret"]).exits(0).prints(&["property `swell.api_token` set to `***`"]);
    ctl(&["set", "rate=3"]).refused(&["refused (422): the plan does not read a property `rate`: "]);
    ctl(&["pause"]).exits(0);
    ctl(&["resume"]).exits(0);
    ctl(&["load", "absent", "--users", "3"]).refused(&["refused (404): unknown thread group `absent`"]);
    ctl(&["load", "--plan"]).exits(0).prints(&["returned to the plan"]);
    let events = live.get("/api/snapshot").1["events"].clone();
    let told: Vec<_> = events
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| (event["who"].as_str(), event["what"].as_str()))
        .collect();
    assert_eq!(told.len(), 7, "{told:?}");
    assert!(told.contains(&(Some("ctl"), Some("paused"))), "{told:?}");
    let folder = live.stop();
    assert!(folder.report("report/index.html").contains("stopped at once"));
    let journal = folder.read("kept/events.ndjson");
    for text in ["\"kind\":\"load\"", "\"kind\":\"pause\"", "\"source\":\"ctl\"", "stopped at once"] {
        assert!(journal.contains(text), "{text}: {journal}");
    }
    assert!(!journal.contains("s3cret"), "{journal}");
    let gone = folder.call(&["ctl", "status"]).env("XDG_RUNTIME_DIR", folder.path()).run();
    gone.refused(&["no running test has a live page", "hint: "]);
}

#[test]
fn a_stream_tells_each_second_and_what_was_missed() {
    let live = Live::start();
    let listen = |since: &str| {
        let mut stream = TcpStream::connect(live.address).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a time");
        let at = live.address;
        let token = &live.token;
        write!(stream, "GET /api/events HTTP/1.1\r\nHost: {at}\r\nAuthorization: Bearer {token}\r\nLast-Event-ID: {since}\r\n\r\n").expect("sent");
        stream
    };
    let until = |stream: &mut TcpStream, text: &str| {
        let mut seen = Vec::new();
        let mut piece = [0; 4096];
        while !String::from_utf8_lossy(&seen).contains(text) {
            let count = stream.read(&mut piece).expect("events in time");
            assert!(count > 0, "the stream ended without {text}");
            seen.extend_from_slice(&piece[..count]);
        }
        String::from_utf8_lossy(&seen).into_owned()
    };
    let first = until(&mut listen("0"), "id: 2\nevent: tick");
    assert!(first.contains("Content-Type: text/event-stream") && first.contains("id: 1\nevent: "), "{first}");
    until(&mut listen("987654"), "event: reset");
    let mut open = listen("1");
    until(&mut open, "id: 2\n");
    live.stop();
    until(&mut open, "event: end");
}

#[test]
fn a_live_page_that_cannot_be_served_is_told_before_the_run() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(1))]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = format!("--live={}", taken.local_addr().expect("bound"));
    folder.swell(&["run", "plan.jmx", &at]).refused(&["cannot serve the live page at", "hint: "]);
    folder
        .swell(&["run", "plan.jmx", "--live=here"])
        .refused(&["expected a port, or an address with a port"]);
}

#[test]
fn a_study_has_one_page_for_all_its_trials() {
    let site = site();
    // A light load: the page gets only the time that the load leaves.
    let url = format!("http://{}/delay/100ms", site.addr());
    let folder = Folder::new();
    let args = ["sweep", &url, "--vary", "users=1,2,3", "--each", "1h", "--live", "--threshold", "samples>0"];
    let running = folder.call(&args).env("XDG_RUNTIME_DIR", folder.path()).start();
    let live = Live::of(folder, running);
    // Each trial appears at the same address, with the same secret, next to the results of those
    // before it, and is stopped there.
    for number in 1..=3 {
        let shown = loop {
            let (status, shown) = live.get("/api/snapshot");
            assert_eq!(status, 200);
            if shown["study"]["running"]["number"] == number && shown["status"]["samples"] != 0 {
                break shown;
            }
            std::thread::yield_now();
        };
        let study = &shown["study"];
        assert_eq!((&study["kind"], &study["subject"]), (&"sweep".into(), &url.as_str().into()));
        let users = study["running"]["load"].as_str().and_then(|load| load.strip_prefix("users "));
        assert!(users.is_some_and(|users| ["1", "2", "3"].contains(&users)), "{study}");
        assert_eq!(shown["status"]["trial"], study["running"]);
        assert_eq!(study["trials"].as_array().map(Vec::len), Some(number - 1), "{study}");
        for trial in study["trials"].as_array().into_iter().flatten() {
            assert!(trial["per_s"].as_f64() > Some(0.0) && trial["is_met"] == true, "{study}");
            assert!(trial["text"].as_str().is_some_and(|text| text.contains("users")), "{study}");
        }
        assert_eq!(shown["live"], true, "{number}");
        assert_eq!(live.ask("POST", "/api/stop", "").0, 202);
    }
    live.running.wait().exits(0);
}

#[test]
fn failures_are_linked_to_their_steps_during_the_run() {
    let target = site();
    let missing = plan::get(target.addr(), "/stats/missing");
    let folder = Folder::with_plan([plan::group(1, -1).with(missing).with(plan::nap(100))]);
    let call =
        folder.call(&["run", "plan.jmx", "--live", "--no-run-dir"]).env("XDG_RUNTIME_DIR", folder.path());
    let live = Live::of(folder, call.start());
    let kept = loop {
        let errors = live.get("/api/snapshot").1["errors"].clone();
        if errors[0]["kept"].is_string() {
            break errors[0]["kept"].clone();
        }
        std::thread::yield_now();
    };
    assert_eq!(kept, "failures#step=1");
    // The events are packed, which is not text, so nothing asks for them here.
    let head = |path: &str, more: &str| {
        live.status(&format!("HEAD {path} HTTP/1.1\r\nHost: HOST\r\n{more}Connection: close\r\n\r\n"))
    };
    let bearer = "Authorization: Bearer LOOK\r\n";
    let statuses = ["/failures", "/trace.js", "/trace.css", "/api/trace"].map(|path| head(path, ""));
    assert_eq!((statuses, head("/api/trace", bearer)), ([200, 200, 200, 401], 200));
    live.stop();
}
