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
