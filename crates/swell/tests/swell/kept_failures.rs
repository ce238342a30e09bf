//! `--keep-failures`: a load run shows the steps before its first failures.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::support::{Answer, Folder, Request, Server, nats_server, plan};

fn busy(body: &str) -> Answer {
    let length = body.len();
    Answer::Keep(format!("HTTP/1.1 503 Busy\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes())
}

/// A server whose second path fails.
fn shop(request: &Request) -> Answer {
    if request.path().starts_with("/login") { Answer::ok("welcome") } else { busy("no stock") }
}

fn shopping(server: &Server, users: u32, loops: i32) -> Folder {
    let login = plan::get(server.addr, "/login?token=s3cret");
    Folder::with_plan([plan::group(users, loops).with(login).with(plan::get(server.addr, "/order"))])
}

fn events(folder: &Folder) -> Vec<Value> {
    let lines = folder.read("kept/failures.ndjson");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn steps(events: &[Value]) -> Vec<&Value> {
    events.iter().filter(|event| event["event"] == "step").collect()
}

#[test]
fn the_first_failure_is_kept_with_the_steps_before_it() {
    let server = Server::start(shop);
    let folder = shopping(&server, 1, 3);
    let args = ["run", "plan.jmx", "--run-dir", "kept", "-e", "-o", "report"];
    folder.swell(&args).exits(0);
    let events = events(&folder);
    assert_eq!((&events[0]["event"], &events[0]["kept_failures"]), (&"start".into(), &true.into()));
    let steps = steps(&events);
    let outcomes: Vec<_> = steps.iter().map(|step| step["outcome"].as_str().unwrap_or_default()).collect();
    assert_eq!(outcomes, ["passed", "failed"], "{events:?}");
    let [login, order] = [steps[0], steps[1]];
    let sent = |step: &Value| step["sample"]["exchanges"][0]["request"]["head"]["text"].to_string();
    assert!(sent(login).contains("GET /login?token=*** HTTP/1.1"), "{login}");
    assert!(sent(order).contains("GET /order HTTP/1.1"), "{order}");
    let head = order["sample"]["exchanges"][0]["response"]["head"]["text"].to_string();
    assert!(head.starts_with("\"HTTP/1.1 503 Busy"), "{order}");
    assert_eq!(order["sample"]["code"], "503");
    assert_eq!(order["sample"]["body"]["text"], "", "bodies are not kept unless that is wanted");
    assert_eq!(order["iteration"], 1);
    assert!(order["element"]["line"].as_u64().is_some_and(|line| line > 0), "{order}");
    for name in ["failures.ndjson", "failures.html"] {
        let path = folder.at("kept").join(name);
        let mode = fs::metadata(&path).expect("it is written").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
        assert!(!fs::read_to_string(path).expect("text").contains("s3cret"), "{name}");
    }
    let link = "\"kept\":\"../kept/failures.html#step=2\"";
    assert!(folder.report("report/index.html").contains(link));
    folder.swell(&["report", "kept", "-o", "kept/again.html"]).exits(0);
    assert!(folder.report("kept/again.html").contains("\"kept\":\"failures.html#step=2\""));
}

#[test]
fn bodies_and_more_failures_are_kept_if_that_is_wanted() {
    let server = Server::start(shop);
    let folder = shopping(&server, 2, 5);
    let wanted = ["--keep-failures", "3", "--keep-failure-bodies"];
    folder.swell(&[&["run", "plan.jmx", "--run-dir", "kept"], &wanted[..]].concat()).exits(0);
    let events = events(&folder);
    let steps = steps(&events);
    let bodies: Vec<_> = steps.iter().map(|step| step["sample"]["body"]["text"].as_str()).collect();
    let pair = [Some("welcome"), Some("no stock")];
    assert_eq!(bodies, pair.repeat(3), "{events:?}");
    let numbers: Vec<_> = steps.iter().map(|step| step["number"].as_u64().unwrap_or(0)).collect();
    assert_eq!(numbers, (1..=6).collect::<Vec<_>>());
}

#[test]
fn nothing_is_kept_of_a_run_without_failures_or_if_that_is_not_wanted() {
    let server = Server::start(shop);
    let folder = shopping(&server, 1, 1);
    folder.swell(&["run", "plan.jmx", "--run-dir", "kept", "--keep-failures", "0"]).exits(0);
    assert!(!folder.has("kept/failures.ndjson") && !folder.has("kept/failures.html"));
    let good = Server::start(|_| Answer::ok("fine"));
    let folder = shopping(&good, 1, 1);
    folder.swell(&["run", "plan.jmx", "--run-dir", "kept"]).exits(0);
    assert!(!folder.has("kept/failures.ndjson") && !folder.has("kept/failures.html"));
}

#[test]
fn many_users_are_kept_with_their_own_steps() {
    let server = Server::start(|request: &Request| match request.path() {
        path if path.starts_with("/login") => Answer::ok("welcome"),
        path => busy(path),
    });
    let paths = ["/login/${__threadNum}", "/order/${__threadNum}"];
    let group = paths.iter().fold(plan::group(40, 2), |group, path| group.with(plan::get(server.addr, path)));
    let folder = Folder::with_plan([group]);
    let wanted = ["--keep-failures", "2", "--keep-failure-bodies"];
    folder.swell(&[&["run", "plan.jmx", "--run-dir", "kept"], &wanted[..]].concat()).exits(0);
    let events = events(&folder);
    let steps = steps(&events);
    assert_eq!(steps.len(), 160);
    for pair in steps.chunks(2) {
        let path = |step: &Value| {
            let url = step["sample"]["exchanges"][0]["url"].as_str().unwrap_or_default();
            url.rsplit('/').next().unwrap_or_default().to_owned()
        };
        let user = pair[0]["user"].as_str().unwrap_or_default();
        let number = user.rsplit('-').next().unwrap_or_default();
        assert_eq!([path(pair[0]), path(pair[1])], [number, number], "{user}");
        assert_eq!(pair[1]["sample"]["body"]["text"], format!("/order/{number}"));
    }
}

#[test]
fn failures_of_agents_are_kept_with_their_names() {
    if nats_server().is_none() {
        return;
    }
    let server = Server::start(shop);
    let folder = shopping(&server, 4, 3);
    let wanted = ["--agents", "2", "-w", "1", "--keep-failures", "3", "--keep-failure-bodies"];
    folder
        .swell(&[&["run", "plan.jmx", "--run-dir", "kept", "-e", "-o", "report"], &wanted[..]].concat())
        .exits(0);
    let events = events(&folder);
    assert_eq!((&events[0]["event"], &events[0]["kept_failures"]), (&"start".into(), &true.into()));
    let steps = steps(&events);
    let outcomes: Vec<_> = steps.iter().map(|step| step["outcome"].as_str().unwrap_or_default()).collect();
    assert_eq!(outcomes, ["passed", "failed"].repeat(3), "{events:?}");
    for step in &steps {
        let user = step["user"].as_str().unwrap_or_default();
        let (agent, thread) = user.split_once(": ").expect("an agent and a user");
        assert!(!agent.is_empty() && thread.starts_with("Users 1-"), "{user}");
    }
    let bodies: Vec<_> = steps.iter().map(|step| step["sample"]["body"]["text"].as_str()).collect();
    assert_eq!(bodies, [Some("welcome"), Some("no stock")].repeat(3));
    let text = folder.read("kept/failures.ndjson");
    assert!(text.contains("token=***") && !text.contains("s3cret"));
    assert!(folder.report("report/index.html").contains("\"kept\":\"../kept/failures.html#step=2\""));
}
