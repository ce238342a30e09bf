//! `swell serve`, by the bytes that a browser, a program or an attacker would send.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};

use crate::support::{Folder, LIMIT, Running, plan};

/// Served runs.
struct Served {
    folder: Folder,
    running: Running,
    address: SocketAddr,
    token: String,
    /// The secret of who may only look.
    look: String,
}

/// A response.
struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }
}

fn folder() -> Folder {
    Folder::with_plan([plan::group(1, 10).with(plan::nap(0))])
}

fn swell(folder: &Folder, args: &[&str]) -> crate::support::Ended {
    folder.call(args).env("SWELL_RUNS", folder.at("runs")).run()
}

impl Served {
    fn start(folder: Folder) -> Self {
        let mut running = folder.call(&["serve"]).env("SWELL_RUNS", folder.at("runs")).start();
        let lines = [running.next_line(), running.next_line()];
        let [(base, token), (_, look)] = lines.each_ref().map(|line| {
            let url = line.split_whitespace().find(|part| part.starts_with("http://")).expect("an address");
            url.split_once("/#t=").expect("a secret in the fragment")
        });
        let address = base.trim_start_matches("http://").parse().expect("an address");
        let token = token.to_owned();
        let look = look.to_owned();
        Self { folder, running, address, token, look }
    }

    /// The response to a request with these header lines.
    fn ask(&self, method: &str, path: &str, lines: &str, body: &str) -> Response {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a time");
        let host =
            if lines.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}{lines}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        // A refused request may be closed before all was sent.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Response { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn with(&self, token: &str, method: &str, path: &str, body: &str) -> Response {
        let lines = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
        self.ask(method, path, &lines, body)
    }

    fn get(&self, path: &str) -> Response {
        self.with(&self.token, "GET", path, "")
    }

    fn put(&self, path: &str, body: &Value) -> Response {
        self.with(&self.token, "PUT", path, &body.to_string())
    }

    fn upload(&self, path: &str, body: &str) -> Response {
        let token = &self.token;
        let lines = format!("Authorization: Bearer {token}\r\nContent-Type: application/octet-stream\r\n");
        self.ask("POST", path, &lines, body)
    }

    fn stop(self) -> Folder {
        self.running.signal("TERM");
        self.running.wait().exits(0);
        self.folder
    }
}

#[test]
fn only_requests_with_the_secret_from_the_page_are_answered() {
    let folder = folder();
    swell(&folder, &["run", "plan.jmx", "--name", "a"]).exits(0);
    let served = Served::start(folder);
    let token = &served.token;
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let json = "Content-Type: application/json\r\n";
    for (method, path, lines, status) in [
        ("GET", "/", String::new(), 200),
        ("GET", "/run?name=a", String::new(), 200),
        ("GET", "/app.js", String::new(), 200),
        ("GET", "/api/runs", String::new(), 401),
        ("GET", "/api/runs", "Authorization: Bearer wrong\r\n".to_owned(), 401),
        ("GET", &format!("/api/runs?t={token}"), String::new(), 401),
        ("GET", "/api/runs", bearer.clone(), 200),
        ("GET", "/api/runs", format!("{bearer}Host: evil.example\r\n"), 421),
        ("GET", "/api/runs/a/file", String::new(), 401),
        ("GET", "/api/../etc/passwd", bearer.clone(), 404),
        ("DELETE", "/api/runs/a", format!("{bearer}{json}"), 405),
        ("PUT", "/api/runs/a/baseline", json.to_owned(), 401),
        ("PUT", "/api/runs/a/baseline", format!("{bearer}{json}Origin: http://evil.example\r\n"), 403),
        ("PUT", "/api/runs/a/baseline", format!("{bearer}Content-Type: text/plain\r\n"), 415),
        ("POST", "/api/import?file=a.jtl", format!("{bearer}{json}"), 415),
        ("POST", "/api/import?file=a.jtl", "Content-Type: application/octet-stream\r\n".to_owned(), 401),
    ] {
        assert_eq!(served.ask(method, path, &lines, "").status, status, "{method} {path} {lines}");
    }
    for (method, path, status) in
        [("GET", "/api/runs", 200), ("PUT", "/api/runs/a/baseline", 403), ("POST", "/api/import?file=a", 403)]
    {
        assert_eq!(served.with(&served.look, method, path, "{}").status, status, "{method} {path}");
    }
    assert_eq!(served.with(&served.look, "GET", "/api/runs", "").json()["may_change"], false);
    let page = served.ask("GET", "/", "", "");
    for text in ["Content-Security-Policy: default-src 'none'; script-src 'self'", "Cache-Control: no-store"]
    {
        assert!(page.head.contains(text), "{text}: {}", page.head);
    }
    assert!(!page.head.to_ascii_lowercase().contains("access-control"), "{}", page.head);
    assert_eq!(served.get("/api/runs").json()["runs"][0]["is_baseline"], false, "nothing was changed");
    served.stop();
}

#[test]
fn tags_notes_and_the_baseline_are_changed_from_the_page_and_shown_everywhere() {
    let folder = folder();
    let tagged = ["--tag", "version=1.0", "--tag", "env=stage", "--note", "first\n<b>try</b>"];
    let ended =
        swell(&folder, &[&["run", "plan.jmx", "--name", "a", "--json"], &tagged[..]].concat()).exits(0);
    let summary = ended.json();
    assert_eq!(summary["tags"], json!({"env": "stage", "version": "1.0"}));
    assert_eq!(summary["note"], "first\n<b>try</b>");
    swell(&folder, &["run", "plan.jmx", "--name", "b"]).exits(0);
    let served = Served::start(folder);
    let markup = "<img src=x onerror=alert(1)>";
    let body = json!({"tags": {"version": markup}, "note": format!("{markup}\nsecond line")});
    let changed = served.put("/api/runs/a/annotation", &body);
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(served.put("/api/runs/a/baseline", &json!({"is_baseline": true})).status, 200);
    assert_eq!(served.put("/api/runs/b/baseline", &json!({"is_baseline": true})).status, 200);
    let runs = served.get("/api/runs").json();
    let of = |place: usize| &runs["runs"][place];
    assert_eq!((&of(0)["name"], &of(0)["is_baseline"]), (&json!("b"), &json!(true)));
    assert_eq!((&of(1)["tags"], &of(1)["is_baseline"]), (&json!([["version", markup]]), &json!(false)));
    let page = served.get("/api/runs/a/page").json();
    let facts = page["facts"].as_array().expect("a list");
    assert!(facts.contains(&json!(["Version", markup])), "{facts:?}");
    let file = served.get("/api/runs/a/file");
    assert!(file.head.contains("Content-Type: text/plain") && file.body.starts_with("<!DOCTYPE html>"));
    assert!(!file.body.contains(markup), "markup is data, and never part of the page");
    for (body, text) in [
        (json!({"tags": {"a b": "1"}, "note": ""}), "invalid tag name `a b`"),
        (json!({"tags": {}, "note": "x".repeat(2001)}), "the note is too long"),
        (json!({"tags": {}}), "missing field `note`"),
        (json!([]), "invalid JSON"),
    ] {
        let refused = served.put("/api/runs/a/annotation", &body);
        assert_eq!(refused.status, 400, "{}", refused.body);
        assert!(refused.error().contains(text), "{}", refused.body);
    }
    let missing = served.put("/api/runs/c/baseline", &json!({"is_baseline": true}));
    assert_eq!((missing.status, missing.error().contains("there is no run `c`")), (404, true));
    let folder = served.stop();
    let listed =
        swell(&folder, &["history", "--json", "--tag", &format!("version={markup}")]).exits(0).json();
    assert_eq!((&listed[0]["name"], listed.as_array().map(Vec::len)), (&json!("a"), Some(1)));
    assert!(folder.read("runs/a/run.json").contains("onerror"), "tags move with the folder");
}

#[test]
fn runs_are_compared_and_a_label_has_a_trend() {
    let folder = folder();
    for name in ["a", "b"] {
        let rule = ["--threshold", "errors<1%", "--threshold", "label(\"nap\"): p(95)<5s"];
        swell(&folder, &[&["run", "plan.jmx", "--name", name], &rule[..]].concat()).exits(0);
    }
    let served = Served::start(folder);
    let compared = served.get("/api/compare?before=a&after=b").json();
    assert_eq!((&compared["kind"], &compared["title"]), (&json!("compare"), &json!("a → b")));
    let earlier = served.get("/api/runs/b/page").json()["earlier"].clone();
    assert_eq!((&earlier["name"], &earlier["command"]), (&json!("a"), &json!("swell compare a b")));
    assert_eq!(served.get("/api/runs/a/page").json()["earlier"], Value::Null);
    let listed = served.get("/api/runs").json();
    assert_eq!(listed["runs"][0]["thresholds_result"], "both thresholds passed");
    assert_eq!(served.get("/api/compare?before=a").status, 400);
    assert_eq!(served.get("/api/compare?before=a&after=x").status, 404);
    let subject = served.folder.at("plan.jmx").display().to_string();
    let labels = served.get(&format!("/api/labels?subject={subject}")).json();
    assert_eq!(labels[0]["label"], "nap");
    let id = &labels[0]["id"];
    let trend = served.get(&format!("/api/trend?subject={subject}&label={id}")).json();
    let names: Vec<_> = trend["runs"].as_array().expect("a list").iter().map(|run| &run["name"]).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(trend["runs"][0]["samples"], 10);
    assert_eq!(trend["limits"][0]["figure"], "p95_ms");
    let all = served.get(&format!("/api/trend?subject={subject}")).json();
    assert_eq!((&all["label"], &all["limits"][0]["figure"]), (&Value::Null, &json!("error_percent")));
    assert_eq!(served.get(&format!("/api/trend?subject={subject}&label=99")).status, 404);
    assert_eq!(served.get(&format!("/api/trend?subject={subject}&label=x")).status, 400);
    served.stop();
}

#[test]
fn a_results_file_is_imported_by_the_page() {
    let served = Served::start(folder());
    assert_eq!(served.get("/api/runs").json()["runs"], json!([]), "there is no history yet");
    let rows = "timeStamp,elapsed,label,responseCode,success\n1700000000000,5,\"<b>\",200,true\n";
    let imported = served.upload("/api/import?file=..%2Fnightly.jtl", rows);
    assert_eq!(imported.status, 200, "{}", imported.body);
    assert_eq!(imported.json(), json!({"name": "nightly-20231114-221320", "samples": 1, "bad_rows": 0}));
    let run = &served.get("/api/runs").json()["runs"][0];
    assert_eq!((&run["kind"], &run["plan"]), (&json!("import"), &json!("nightly.jtl")));
    assert_eq!((&run["samples"], &run["has_folder"]), (&json!(1), &json!(true)));
    let page = served.get("/api/runs/nightly-20231114-221320/page").json();
    assert_eq!(page["labels"][0]["label"], "<b>");
    for (path, body, status, text) in [
        ("/api/import?file=a.jtl", "no results file", 400, "cannot import `a.jtl`"),
        ("/api/import?file=a.jtl", "timeStamp,elapsed\n", 400, "it has no samples"),
        ("/api/import", rows, 400, "missing parameter `file`"),
        ("/api/import?file=%2F", rows, 400, "invalid file or plan name"),
    ] {
        let refused = served.upload(path, body);
        assert_eq!(refused.status, status, "{}", refused.body);
        assert!(refused.error().contains(text), "{}", refused.body);
    }
    assert_eq!(served.get("/api/runs").json()["runs"].as_array().map(Vec::len), Some(1));
    let left = std::fs::read_dir(served.folder.at("runs")).expect("a folder");
    let names: Vec<_> = left.map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(names.len(), 2, "the run and the history: {names:?}");
    served.stop();
}

#[test]
fn labels_of_any_length_and_number_and_single_samples_are_shown_everywhere() {
    let folder = folder();
    let row = |label: &str| format!("1700000000000,5,{label},200,true\n");
    let many: String = (0..5000).map(|number| row(&format!("/item/{number}"))).collect();
    let files = [("long", row(&"x".repeat(10_000))), ("many", many), ("one", row("<b>pay</b>"))];
    for (name, rows) in files {
        let file = format!("{name}.jtl");
        folder.write(&file, format!("timeStamp,elapsed,label,responseCode,success\n{rows}"));
        swell(&folder, &["history", "import", &file, "--name", name, "--plan", "shop"]).exits(0);
        swell(&folder, &["report", &file, "-o", &format!("{name}.html")]).exits(0);
        assert!(folder.read(&format!("{name}.html")).len() < 2_000_000, "{name}");
    }
    folder.write("none.jtl", "timeStamp,elapsed,label,responseCode,success\n");
    swell(&folder, &["report", "none.jtl"]).exits(0).says(&["`none.jtl` has no samples"]);
    swell(&folder, &["history", "import", "none.jtl"]).refused(&["it has no samples"]);
    swell(&folder, &["compare", "one", "none.jtl"]).refused(&["none.jtl"]);
    let note = "<img src=x onerror=alert(1)>";
    swell(&folder, &["history", "note", "one", note]).exits(0);
    let table = swell(&folder, &["history"]).exits(0);
    assert!(table.out.lines().all(|line| line.chars().count() <= 80), "{table}");
    for [before, after] in [["long", "many"], ["many", "one"], ["one", "long"]] {
        swell(&folder, &["compare", before, after]).exits(0).prints(&["UNKNOWN: ", "TOTAL: "]);
    }
    let served = Served::start(folder);
    let runs = served.get("/api/runs").json();
    assert!(runs["runs"].as_array().is_some_and(|all| all.iter().any(|run| run["note"] == note)), "{runs}");
    for (name, samples) in [("long", 1), ("many", 5000), ("one", 1)] {
        let page = served.get(&format!("/api/runs/{name}/page"));
        assert_eq!((page.status, &page.json()["total"]["samples"]), (200, &json!(samples)), "{name}");
        let file = served.get(&format!("/api/runs/{name}/file"));
        assert!(file.status == 200 && !file.body.contains("<img") && !file.body.contains("<b>pay"), "{name}");
        assert_eq!(served.get(&format!("/api/compare?before={name}&after=one")).status, 200, "{name}");
    }
    let labels = served.get("/api/labels?subject=shop").json();
    let label = labels.as_array().and_then(|all| all.iter().find(|label| label["label"] == "<b>pay</b>"));
    let id = &label.expect("a label of few runs is in the list")["id"];
    assert_eq!(served.get(&format!("/api/trend?subject=shop&label={id}")).status, 200);
    assert_eq!(served.get("/api/trend?subject=shop").json()["runs"].as_array().map(Vec::len), Some(3));
    served.stop();
}

#[test]
fn a_run_that_was_killed_is_shown_up_to_its_last_second() {
    let folder = Folder::with_plan([plan::group(1, -1).with(plan::nap(1))]);
    let args = ["run", "plan.jmx", "--name", "cut"];
    let running = folder.call(&args).env("SWELL_RUNS", folder.at("runs")).start();
    crate::kept_runs::wait_for_samples(&folder, "runs/cut");
    running.signal("KILL");
    drop(running);
    swell(&folder, &["history"]).exits(0).prints(&["cut\n", "killed"]);
    let served = Served::start(folder);
    assert_eq!(served.get("/api/runs").json()["runs"][0]["state"], "killed");
    let page = served.get("/api/runs/cut/page");
    assert!(page.body.contains("The run was killed: this is what it had done"), "{}", page.body);
    assert!(page.json()["total"]["samples"].as_u64() > Some(0));
    served.stop();
}

#[test]
fn runs_that_were_moved_and_a_history_in_use_or_damaged_are_reported() {
    let folder = folder();
    for name in ["a", "b"] {
        swell(&folder, &["run", "plan.jmx", "--name", name]).exits(0);
    }
    std::fs::rename(folder.at("runs/a"), folder.at("elsewhere")).expect("moved");
    let served = Served::start(folder);
    // Two servers use one history.
    let mut second = served.folder.call(&["serve"]).env("SWELL_RUNS", served.folder.at("runs")).start();
    assert!(second.next_line().starts_with("Kept runs: http://127.0.0.1:"));
    let runs = served.get("/api/runs").json();
    assert_eq!(
        (&runs["runs"][0]["has_folder"], &runs["runs"][1]["has_folder"]),
        (&json!(true), &json!(false))
    );
    let gone = served.get("/api/runs/a/page");
    assert_eq!(gone.status, 410, "{}", gone.body);
    assert!(gone.error().contains("the folder of the run `a` is gone"), "{}", gone.body);
    second.signal("INT");
    second.wait().exits(0);
    std::fs::write(served.folder.at("runs/history.sqlite"), "no database, and long enough to be read as one")
        .expect("written");
    let damaged = served.get("/api/runs");
    assert_eq!(damaged.status, 503, "{}", damaged.body);
    assert!(damaged.error().contains("it is damaged"), "{}", damaged.body);
    served.stop();
}

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let folder = Folder::new();
    folder.swell(&["serve", "--at", "0.0.0.0:0"]).refused(&["expected an address of this machine alone"]);
    folder.swell(&["serve"]).refused(&["no folder for kept runs is set", "SWELL_RUNS"]);
}

#[test]
fn kept_failures_are_linked_and_served() {
    let target = crate::support::site();
    let good = plan::get(target.addr(), "/");
    let folder =
        Folder::with_plan([plan::group(1, 1).with(good).with(plan::get(target.addr(), "/stats/missing"))]);
    swell(&folder, &["run", "plan.jmx", "--name", "failing"]).exits(0);
    let served = Served::start(folder);
    let errors = &served.get("/api/runs/failing/page").json()["errors"];
    assert_eq!(errors[0]["kept"], "failures?run=failing#step=2", "{errors}");
    assert_eq!(served.ask("GET", "/failures?run=failing", "", "").status, 200);
    assert_eq!(served.ask("GET", "/trace.js", "", "").status, 200);
    // The events are packed, which is not text.
    assert_eq!(served.with(&served.look, "HEAD", "/api/trace?run=failing", "").status, 200);
    assert_eq!(served.ask("GET", "/api/trace?run=failing", "", "").status, 401);
    assert_eq!(served.get("/api/trace").status, 400);
    assert_eq!(served.get("/api/trace?run=b").status, 404);
    served.stop();
}
