//! `swell debug` of public plans, with all hosts on this machine: the requests that it shows are
//! those that the server got.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use serde_json::Value;
use swell_plan::{Node, PropertyValue};

use crate::support::{Answer, Folder, Request, Server};

/// A plan that takes longer is left: it loops without end.
const LONGEST: Duration = Duration::from_secs(30);

/// Head and body of a request.
type Sent = (String, Vec<u8>);

fn plans() -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/plans");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("{} is not there: nothing tested", folder.display());
        return None;
    };
    let mut files: Vec<_> = files.map(|file| file.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jmx"));
    files.sort();
    Some(files)
}

/// The same plan with all hosts at that port; none if the file is not a plan.
fn local(file: &Path, port: u16) -> Option<String> {
    let bytes = std::fs::read(file).ok()?;
    let mut plan = swell_plan::read(&bytes, None).plan?;
    localize(&mut plan.root, port);
    Some(swell_plan::write(&plan))
}

fn localize(node: &mut Node, port: u16) {
    for property in &mut node.element.properties {
        let name = property.name.to_ascii_lowercase();
        let PropertyValue::Text(text) = &mut property.value else { continue };
        let new = match name.rsplit('.').next().unwrap_or_default() {
            "domain" if !text.is_empty() => "127.0.0.1".to_owned(),
            "port" => port.to_string(),
            "protocol" => "http".to_owned(),
            "proxyhost" | "proxyport" => String::new(),
            "path" if text.contains("://") => {
                let path =
                    text.split("://").nth(1).and_then(|rest| rest.split_once('/')).map_or("", |both| both.1);
                format!("/{path}")
            }
            _ => continue,
        };
        *text = new;
        property.written = None;
    }
    node.children.iter_mut().for_each(|child| localize(child, port));
}

/// What a sample and its parts sent.
fn sent(sample: &Value, all: &mut Vec<Sent>) {
    for exchange in sample["exchanges"].as_array().into_iter().flatten() {
        let request = &exchange["request"];
        if request.is_null() {
            continue;
        }
        let bytes = |part: &Value| match part["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => BASE64_STANDARD.decode(part["base64"].as_str().unwrap_or_default()).expect("base64"),
        };
        let head = String::from_utf8_lossy(&bytes(&request["head"])).trim_end().to_owned();
        all.push((head, bytes(&request["body"])));
    }
    for child in sample["children"].as_array().into_iter().flatten() {
        sent(child, all);
    }
}

fn page(_: &Request) -> Answer {
    Answer::Keep(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: sid=1; Path=/\r\nContent-Length: 26\r\n\r\n\
          <html><p id=\"a\">b</p></html"
            .to_vec(),
    )
}

/// What a plan sends and what is shown of it; none if it was left.
fn both(file: &Path) -> Option<(Vec<Sent>, Vec<Sent>)> {
    let server = Server::start(page);
    let folder = Folder::new();
    folder.write("plan.jmx", local(file, server.addr.port())?);
    let args = ["debug", "plan.jmx", "--json", "--secrets", "--scripts", "native"];
    let limit = format!("{}", LONGEST.as_secs());
    let binary = env!("CARGO_BIN_EXE_swell");
    let call = ["-s", "INT", &*limit, binary];
    let output =
        std::process::Command::new("timeout").args(call).args(args).current_dir(folder.path()).output();
    let output = output.expect("timeout runs");
    if output.status.code() == Some(124) {
        println!("{}: left after {limit} s, so not compared", file.display());
        return None;
    }
    let mut shown = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let event: Value = serde_json::from_str(line).expect("a line is JSON");
        if event["event"] == "step" {
            sent(&event["sample"], &mut shown);
            // Requests of a step without a sample.
            sent(&event, &mut shown);
        }
    }
    let got = server.requests().into_iter().map(|request| (request.head.trim_end().to_owned(), request.body));
    let mut got: Vec<_> = got.collect();
    got.sort();
    shown.sort();
    Some((got, shown))
}

#[test]
fn requests_of_public_plans_are_shown_as_the_server_got_them() {
    let Some(files) = plans() else { return };
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let requests = AtomicUsize::new(0);
    let compared = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some((got, shown)) = both(file) else { continue };
                    compared.fetch_add(usize::from(!got.is_empty()), Ordering::Relaxed);
                    requests.fetch_add(got.len(), Ordering::Relaxed);
                    if got != shown {
                        let only = |one: &[Sent], other: &[Sent]| {
                            one.iter().filter(|sent| !other.contains(sent)).count()
                        };
                        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                        let lacks = only(&got, &shown);
                        let more = only(&shown, &got);
                        wrong
                            .lock()
                            .push(format!("{name}: {lacks} not shown, {more} not got, of {}", got.len()));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner();
    println!("{} plans sent {} requests", compared.into_inner(), requests.load(Ordering::Relaxed));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(requests.into_inner() > 500, "too few plans sent something");
}
