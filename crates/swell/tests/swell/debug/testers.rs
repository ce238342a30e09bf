//! `--test` asks a response, and what it finds is written into the plan.

use super::*;

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
