//! `--test` asks a response, and what it finds is written into the plan.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::*;
use crate::support::LIMIT;

#[test]
fn a_response_is_asked_as_an_extractor_would() {
    let server = Server::start(shop);
    let folder = Folder::new();
    folder.write("plan.jmx", plan(&(http("GET", "/", &[], "") + &http("GET", "/items", &[], ""))));
    let ask = |more: &[&str]| call(&folder, &server, &[&["debug", "plan.jmx"], more].concat()).run();
    let items = ask(&["--test", "$.items[*].id", "--test", "$.item"]).exits(0);
    let items =
        items.prints(&["step 2, GET /items", "$.items[*].id   2 matches", "    2  i2", "JSON Extractor: "]);
    assert!(items.out.contains("$.item   NO MATCH") && items.out.contains("has: $.items"), "{items}");
    let page = [
        ("css:input[name=csrf_token]@value", "    1  t0k3n"),
        ("re:name=\"(\\w+)\"", "    1  csrf_token"),
        ("bound:value=\"|\"", "    1  t0k3n"),
    ];
    for (question, said) in page {
        ask(&["--test", question, "--at", "1"]).exits(0).prints(&["step 1, GET /", said]);
    }
    ask(&["--test", "$.a", "--at", "9"]).exits(104).says(&["step 9 has no sample"]);
    ask(&["--test", "items"]).refused(&["invalid expression `items`", "css:SELECTOR"]);
}

#[test]
fn the_command_that_corrects_an_extractor_is_shown_and_works() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let wrong = json("first item", "item", "$.item[0].id", "1");
    folder.write("plan.jmx", plan(&http("GET", "/items", &[], &wrong)));
    let host = format!("-Jhost={}", server.addr.ip());
    let port = format!("-Jport={}", server.addr.port());
    let debug = |more: &[&str]| folder.swell(&[&["debug", "plan.jmx", &host, &port], more].concat()).exits(0);
    let asked = debug(&["--test", "$.items[0].id"])
        .prints(&["`first item` (line ", "found nothing; this corrects it:"]);
    let command = asked.out.lines().find_map(|line| line.trim().strip_prefix("swell ")).expect("a command");
    let text = "'/Users/\"GET /items\"/first item/JSONPostProcessor.jsonPathExprs=$.items[0].id'";
    assert_eq!(command, format!("set plan.jmx {text} -i"));
    folder.swell(&["set", "plan.jmx", text.trim_matches('\''), "-i"]).exits(0);
    let corrected = debug(&["--test", "$.items[0].id"]);
    assert!(
        !corrected.out.contains("NO MATCH") && !corrected.out.contains("this corrects it"),
        "{corrected}"
    );
}

#[test]
fn an_extractor_that_finds_something_is_written_into_the_plan() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let before = plan(&(http("GET", "/", &[], "") + &http("GET", "/items", &[], "")));
    folder.write("plan.jmx", &before);
    let debug = |more: &[&str]| call(&folder, &server, &[&["debug", "plan.jmx"], more].concat()).run();
    let written = debug(&["--test", "$.items[0].id", "--at", "2", "--write", "first"]).exits(0);
    written.says(&["add `first` below `Plan > Users > GET /items`"]);
    let after = folder.read("plan.jmx");
    let added: Vec<&str> = after.lines().filter(|line| !before.lines().any(|old| old == *line)).collect();
    let names: Vec<&str> =
        added.iter().map(|line| line.trim()).filter(|line| line.contains("items[0]")).collect();
    assert_eq!(names, ["<stringProp name=\"JSONPostProcessor.jsonPathExprs\">$.items[0].id</stringProp>"]);
    debug(&["--all"]).exits(0).prints(&["-> first = \"i1\""]);
    // What is not as it was wanted changes nothing.
    let same = |more: &[&str], said: &[&str]| {
        debug(more).exits(104).says(said);
        assert_eq!(folder.read("plan.jmx"), after);
    };
    same(
        &["--test", "$.items[0].id", "--at", "2", "--write", "first"],
        &["sets the variable `first` already"],
    );
    same(
        &["--test", "$.none", "--write", "none"],
        &["`$.none` is not written into the plan: it has no match"],
    );
    same(&["--test", "$.items[0].id", "--write", "a b"], &["`a b` is not a name of a variable"]);
    same(&["--test", "$.a", "--test", "$.b", "--write", "c"], &["--write takes one --test"]);
    same(&["--test", "jmes:items[0].id", "--write", "c"], &["JMESPath is not asked here"]);
}

#[test]
fn the_command_that_adds_an_extractor_is_shown_and_works() {
    let server = Server::start(shop);
    let folder = Folder::new();
    folder.write("plan.jmx", plan(&http("GET", "/items", &[], "")));
    let debug =
        |more: &[&str]| call(&folder, &server, &[&["debug", "plan.jmx"], more].concat()).run().exits(0);
    let asked = debug(&["--test", "$.items[0].id"]);
    let command = asked.out.lines().find_map(|line| line.split_once("plan: swell ")).expect("a command").1;
    let below = "/Users/\"GET /items\"";
    assert_eq!(command, format!("set plan.jmx --below '{below}' --extract 'items_id=$.items[0].id' -i"));
    let set = |more: &[&str]| folder.swell(&[&["set", "plan.jmx", "--below", below], more].concat());
    set(&["--extract", "items_id=$.items[0].id", "-i"]).exits(0);
    set(&["--assert", "$.items[1].id", "--equals", "i2", "--assert", "$.items[0].id", "-i"]).exits(104);
    set(&["--assert", "$.items[1].id", "--equals", "i2", "-i"]).exits(0);
    set(&["--assert", "re:i[12]", "-i"]).exits(0);
    let shown = debug(&["--all"]);
    shown.prints(&["-> items_id = \"i1\"", "has $.items[1].id is i2  ok", "has i[12]  ok"]);
    folder.swell(&["fmt", "plan.jmx"]).exits(0);
    folder.swell(&["set", "plan.jmx", "--below", below, "--extract", "a=jmes:items[0].id", "-i"]).exits(0);
    folder.swell(&["fmt", "plan.jmx", "--check"]).exits(0);
}

#[test]
fn what_cannot_be_added_is_refused_with_what_to_do() {
    let folder = Folder::new();
    folder.write("plan.jmx", plan(&http("GET", "/items", &[], "")));
    let set = |more: &[&str]| folder.swell(&[&["set", "plan.jmx"], more].concat());
    let below = ["--below", "/Users/\"GET /items\""];
    set(&below).exits(104).says(&["nothing is to be added below", "--extract NAME=EXPR"]);
    set(&["--below", "Users", "--assert", "$.a"]).exits(104).says(&["is not a sampler"]);
    set(&[&below[..], &["--extract", "a"]].concat()).exits(104).says(&["expected NAME=EXPR"]);
    set(&[&below[..], &["--assert", "css:a"]].concat())
        .exits(104)
        .says(&["no assertion with a CSS selector"]);
    set(&["--extract", "a=$.a"]).refused(&["--below"]);
}

#[test]
fn jmespath_shows_its_element_and_where_it_runs() {
    let server = Server::start(shop);
    let folder = Folder::new();
    folder.write("plan.jmx", plan(&http("GET", "/items", &[], "")));
    let asked = call(&folder, &server, &["debug", "plan.jmx", "--test", "jmes:items[0].id"]).run().exits(0);
    asked.prints(&[
        "jmes:items[0].id   JMESPath is not asked here: it runs on the JVM",
        "JSON JMESPath Extractor: Names of created variables: value; JMESPath expressions: items[0].id",
    ]);
}

/// A request to the page that `swell debug --open` serves; the status and the body.
fn ask_page(address: &str, token: Option<&str>, path: &str, body: &Value) -> (u16, Value) {
    let body = body.to_string();
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a time");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\n{token}Content-Type: application/json\r\nConnection: close"
    );
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer in UTF-8");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, serde_json::from_str(body).unwrap_or_default())
}

#[test]
fn the_served_page_writes_into_the_plan_and_not_into_one_that_was_changed() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let before = plan(&(http("GET", "/", &[], "") + &http("GET", "/items", &[], "")));
    folder.write("plan.jmx", &before);
    let call = call(&folder, &server, &["debug", "plan.jmx", "--open"]);
    // Without a command that opens a browser.
    let call = call.env("XDG_RUNTIME_DIR", folder.path()).env("PATH", folder.path());
    let mut running = call.start();
    let said = running.wait_for_words("Serving the page until Ctrl-C: ");
    let (address, token) = said.trim().split_once("/#t=").expect("a secret in the fragment");
    let address = address.rsplit('/').next().expect("an address");
    let write = |token, step: u32, expression: &str, written_as: Value| {
        let body = json!({"step": step, "expression": expression, "as": written_as});
        ask_page(address, token, "/api/write", &body)
    };
    let extractor = |name: &str| json!({"extractor": name});
    assert_eq!(write(None, 2, "$.items[0].id", extractor("first")).0, 401, "without the secret");
    for (step, expression, written_as, said) in [
        (2, "$.none", extractor("none"), "it has no match there"),
        (2, "$.items[0].id", extractor("a b"), "`a b` is not a name of a variable"),
        (9, "$.items[0].id", extractor("a"), "step 9 has no sample"),
        (1, "css:input@value", json!({"assertion": null}), "JMeter has no assertion with a CSS selector"),
    ] {
        let (status, answer) = write(Some(token), step, expression, written_as);
        assert_eq!(status, 409, "{answer}");
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(said)), "{said}: {answer}");
    }
    assert_eq!(write(Some(token), 2, "$.items[0].id", json!("nothing")).0, 400);
    assert_eq!(folder.read("plan.jmx"), before, "what is refused changes nothing");
    // The second sampler moves down by what is added to the first.
    for (step, expression, name) in [(1, "css:input@value", "token"), (2, "$.items[0].id", "first")] {
        let (status, answer) = write(Some(token), step, expression, extractor(name));
        assert_eq!((status, &answer["plan"]), (200, &json!("plan.jmx")), "{answer}");
        let line = usize::try_from(answer["line"].as_u64().expect("a line")).expect("a small number");
        let after = folder.read("plan.jmx");
        let written = after.lines().nth(line - 1).expect("the line is there");
        assert!(written.contains(&format!("testname=\"{name}\"")), "{answer}: {written}");
    }
    // The bytes are those of `swell set`.
    folder.write("set.jmx", &before);
    for (below, extract) in [("GET /", "token=css:input@value"), ("GET /items", "first=$.items[0].id")] {
        let below = format!("/Users/\"{below}\"");
        folder.swell(&["set", "set.jmx", "--below", &below, "--extract", extract, "-i"]).exits(0);
    }
    let written = folder.read("plan.jmx");
    assert_eq!(written, folder.read("set.jmx"));
    let changed = format!("{written}\n");
    folder.write("plan.jmx", &changed);
    let (status, answer) = write(Some(token), 2, "$.items[1].id", json!({"assertion": "i2"}));
    assert_eq!(status, 409, "{answer}");
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(error.contains("`plan.jmx` was changed after `swell debug` had read it"), "{answer}");
    assert_eq!(folder.read("plan.jmx"), changed);
    running.signal("INT");
    running.wait().exits(0);
}
