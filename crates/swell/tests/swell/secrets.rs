//! Secrets and variables of the environment: what the plan gets, and that nothing shows them.

use std::path::Path;

use swell_plan::{Element, Node, Property, PropertyValue};

use crate::support::{Answer, Folder, Server, plan};

const SECRET: &str = "s3cret-&-of \"ada\"";

/// All bytes of all files of a folder.
fn all_bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(all_bytes(&path));
        } else {
            all.push((path.display().to_string(), std::fs::read(&path).expect("a file")));
        }
    }
    all
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn hit_sends_secrets_and_variables_of_files_and_records_figures() {
    let server = Server::start(|_| Answer::ok("yes"));
    let folder = Folder::new();
    folder.write("token", "hit-s3cret-token\n");
    folder.write(".env", "SHOP_PATH=from-a-file\n");
    let url = format!("http://{}/${{__env(SHOP_PATH)}}", server.addr);
    let header = "X-Token: ${__P(token)}/${__Random(5,5,drawn)}";
    let common = ["hit", &url, "--functions", "-H", header, "-n", "3", "-c", "1", "--secret", "token=@token"];
    let more = ["--env-file", ".env", "--figure", "drawn", "--run-dir", "kept", "-l", "r.jtl"];
    let ended =
        folder.swell(&[&common[..], &more, &["--threshold", "figure(drawn).max<5"]].concat()).exits(99);
    ended.prints(&["figures", "drawn"]);
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        assert!(request.head.starts_with("GET /from-a-file ") && request.head.contains("hit-s3cret-token/5"));
    }
    std::fs::remove_file(folder.at("token")).expect("it is there");
    assert!(all_bytes(folder.path()).iter().all(|(_, bytes)| !has(bytes, "hit-s3cret")));
    assert!(
        folder.read("kept/run.json").contains("from-a-file") || folder.read("r.jtl").contains("from-a-file")
    );
    folder.write("token", "hit-s3cret-token\n");
    let shown =
        folder.swell(&[&common[..2], &common[2..5], &["--debug", "--secret", "token=@token"]].concat());
    shown.exits(0).prints(&["> X-Token: ***/5"]);
    for option in [["--secret", "token=@token"], ["--figure", "drawn"]] {
        let why = format!("{} has no effect without --functions", option[0]);
        folder.swell(&[&["hit", &url], &option[..]].concat()).refused(&[&why, "hint: with --functions"]);
    }
    let args = [&common[..], &["-l", "token"]].concat();
    folder.swell(&args).refused(&["`token`", "a file of values"]);
}

#[test]
fn a_secret_reaches_the_server_and_nothing_else() {
    let server = Server::start(|_| Answer::ok("no"));
    // The value is in the URL, the label, the message of an assertion and a line of the log.
    let mut wanted = Element::new("ResponseAssertion", "AssertionGui", "has the key")
        .with_text("Assertion.test_field", "Assertion.response_data")
        .with_text("Assertion.test_type", "16");
    let strings =
        PropertyValue::Collection(vec![Property::new("", PropertyValue::Text("${__P(key)}".to_owned()))]);
    wanted.properties.push(Property::new("Asserion.test_strings", strings));
    let get = plan::get(server.addr, "/in?x=${__urlencode(${__P(key)})}&y=1").with(Node::new(wanted));
    let log = plan::get(server.addr, "/${__log(key is ${__P(key)})}");
    let folder = Folder::with_plan([plan::group(1, 3).with(get).with(log)]);
    folder.write("key", format!("{SECRET}\n"));
    let args = [
        "run",
        "plan.jmx",
        "--secret",
        "key=@key",
        "--run-dir",
        "kept",
        "-l",
        "r.jtl",
        "-j",
        "run.log",
        "-e",
        "-o",
        "report",
        "--summary",
        "s.json",
        "--junit",
        "j.xml",
        "--export",
        "csv=s.csv",
        "--threshold",
        "errors<1%",
    ];
    let ended = folder.swell(&args).exits(98);
    let requests = server.requests();
    assert!(requests.iter().any(|request| request.head.contains("x=s3cret-%26-of+%22ada%22&y=1")));
    std::fs::remove_file(folder.at("key")).expect("it is there");
    let mut shown = vec![("output".to_owned(), [ended.out.as_bytes(), ended.err.as_bytes()].concat())];
    shown.extend(all_bytes(folder.path()));
    assert!(shown.len() > 10, "the run left {} files", shown.len());
    for (name, bytes) in &shown {
        assert!(!has(bytes, "s3cret-"), "{name}: {}", String::from_utf8_lossy(bytes));
    }
    for name in ["r.jtl", "run.log", "s.json", "j.xml", "s.csv", "kept/run.json", "kept/summary.json"] {
        assert!(folder.read(name).contains("***"), "{name} has a mask");
    }
}

#[test]
fn variables_of_a_file_are_those_of_the_environment() {
    let server = Server::start(|_| Answer::ok("yes"));
    let get = plan::get(server.addr, "/${__env(FROM_FILE)}/${__env(GIVEN)}/${__env(API_TOKEN)}");
    let folder = Folder::with_plan([plan::group(1, 1).with(get)]);
    folder.write("a.env", "FROM_FILE=first\nGIVEN=file # comment\n");
    folder.write("b.env", "export FROM_FILE='second'\nAPI_TOKEN=\"t0ken-of-file\"\n");
    let args = ["run", "plan.jmx", "--env-file", "a.env", "--env-file", "b.env", "-l", "r.jtl"];
    let ended = folder.call(&args).env("GIVEN", "environment").run().exits(0);
    let requests = server.requests();
    assert!(
        requests[0].head.starts_with("GET /second/environment/t0ken-of-file HTTP/1.1"),
        "{}",
        requests[0].head
    );
    assert!(!ended.out.contains("t0ken") && !ended.err.contains("t0ken"), "{ended}");
    folder.write("bad.env", "A=1\nt0ken without a name\n");
    let ended = folder.swell(&["run", "plan.jmx", "--env-file", "bad.env"]);
    ended.refused(&["bad.env:2: invalid variable: expected NAME=VALUE"]);
}

#[test]
fn a_secret_on_the_command_line_is_refused_without_showing_it() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0))]);
    folder.write("short", "abc");
    for (source, why) in [
        ("key=hunter2", "expected NAME=@FILE or NAME=env:VARIABLE"),
        ("key", "expected NAME=@FILE or NAME=env:VARIABLE"),
        ("key=@none", "cannot read the secret `key`: `none`: No such file"),
        ("key=@short", "it has fewer than 4 bytes, so it cannot be masked"),
        ("key=env:SWELL_NO_SUCH", "the environment has no text in the variable `SWELL_NO_SUCH`"),
    ] {
        folder.swell(&["run", "plan.jmx", "--secret", source]).refused(&[why]);
    }
}
