//! `swell debug`: what is wrong with a plan is in its output.

use crate::support::{Answer, Call, Folder, Request, Server};

mod mistakes;
mod scripts;
mod testers;

/// An element with text properties and what is below it.
fn el(class: &str, name: &str, properties: &[(&str, &str)], below: &str) -> String {
    let property =
        |(name, value): &(&str, &str)| format!("<stringProp name=\"{name}\">{}</stringProp>", escaped(value));
    let properties = properties.iter().map(property).collect::<Vec<_>>().concat();
    with_xml(class, name, &properties, below)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn with_xml(class: &str, name: &str, properties: &str, below: &str) -> String {
    format!(
        "<{class} guiclass=\"{class}Gui\" testclass=\"{class}\" testname=\"{}\" enabled=\"true\">\n{properties}\
         </{class}>\n<hashTree>{below}</hashTree>\n",
        escaped(name)
    )
}

/// A request to the shop.
fn http(method: &str, path: &str, more: &[(&str, &str)], below: &str) -> String {
    let all = [
        ("HTTPSampler.domain", "${host}"),
        ("HTTPSampler.port", "${port}"),
        ("HTTPSampler.path", path),
        ("HTTPSampler.method", method),
        ("HTTPSampler.follow_redirects", "true"),
        ("HTTPSampler.use_keepalive", "true"),
    ];
    let mut properties: Vec<_> = all.to_vec();
    for (name, value) in more {
        properties.retain(|(known, _)| known != name);
        properties.push((name, value));
    }
    let label = format!("{method} {}", path.split('?').next().unwrap_or_default());
    el("HTTPSamplerProxy", &label, &properties, below)
}

/// A request with a body.
fn post(path: &str, body: &str, below: &str) -> String {
    let sampler = http("POST", path, &[("HTTPSampler.postBodyRaw", "true")], below);
    let argument = format!(
        "<elementProp name=\"HTTPsampler.Arguments\" elementType=\"Arguments\"><collectionProp \
         name=\"Arguments.arguments\"><elementProp name=\"\" elementType=\"HTTPArgument\"><boolProp \
         name=\"HTTPArgument.always_encode\">false</boolProp><stringProp name=\"Argument.value\">{}</stringProp>\
         <stringProp name=\"Argument.metadata\">=</stringProp></elementProp></collectionProp></elementProp>",
        escaped(body)
    );
    sampler.replacen("</HTTPSamplerProxy>", &format!("{argument}</HTTPSamplerProxy>"), 1)
}

fn header(name: &str, value: &str) -> String {
    let headers = format!(
        "<collectionProp name=\"HeaderManager.headers\"><elementProp name=\"\" elementType=\"Header\"><stringProp \
         name=\"Header.name\">{name}</stringProp><stringProp name=\"Header.value\">{}</stringProp></elementProp>\
         </collectionProp>",
        escaped(value)
    );
    with_xml("HeaderManager", "headers", &headers, "")
}

/// An extractor of the first match.
fn extractor(class: &str, name: &str, variable: &str, own: &[(&str, &str)]) -> String {
    let common = [("refname", variable), ("match_number", "1"), ("default", "NONE")];
    let property = |(end, value): &(&str, &str)| (format!("{class}.{end}"), (*value).to_owned());
    let properties: Vec<_> = common.iter().chain(own).map(property).collect();
    let properties: Vec<_> = properties.iter().map(|(name, value)| (&**name, &**value)).collect();
    el(class, name, &properties, "")
}

fn regex(name: &str, variable: &str, pattern: &str, template: &str) -> String {
    extractor("RegexExtractor", name, variable, &[("regex", pattern), ("template", template)])
}

fn json(name: &str, variable: &str, path: &str, number: &str) -> String {
    let properties = [
        ("JSONPostProcessor.referenceNames", variable),
        ("JSONPostProcessor.jsonPathExprs", path),
        ("JSONPostProcessor.match_numbers", number),
        ("JSONPostProcessor.defaultValues", "NONE"),
    ];
    el("JSONPostProcessor", name, &properties, "")
}

fn css(name: &str, variable: &str, selector: &str, attribute: &str) -> String {
    extractor("HtmlExtractor", name, variable, &[("expr", selector), ("attribute", attribute)])
}

fn boundary(name: &str, variable: &str, left: &str, right: &str) -> String {
    extractor("BoundaryExtractor", name, variable, &[("lboundary", left), ("rboundary", right)])
}

/// The field must contain the text.
fn contains(name: &str, field: &str, text: &str) -> String {
    let properties = format!(
        "<collectionProp name=\"Asserion.test_strings\"><stringProp name=\"1\">{}</stringProp></collectionProp>\
         <stringProp name=\"Assertion.test_field\">Assertion.{field}</stringProp><intProp \
         name=\"Assertion.test_type\">16</intProp>",
        escaped(text)
    );
    with_xml("ResponseAssertion", name, &properties, "")
}

fn cookies() -> String {
    el("CookieManager", "Cookies", &[], "")
}

fn if_controller(name: &str, condition: &str, below: &str) -> String {
    let properties = [("IfController.condition", condition), ("IfController.useExpression", "true")];
    el("IfController", name, &properties, below)
}

/// A plan whose only thread group has these elements, with a user-defined variable `flag`.
fn plan(below: &str) -> String {
    let variable = |name: &str, value: &str| {
        format!(
            "<elementProp name=\"{name}\" elementType=\"Argument\"><stringProp name=\"Argument.name\">{name}\
             </stringProp><stringProp name=\"Argument.value\">{value}</stringProp></elementProp>"
        )
    };
    let variables =
        [variable("host", "${__P(host)}"), variable("port", "${__P(port)}"), variable("flag", "yes")];
    let variables = format!(
        "<elementProp name=\"TestPlan.user_defined_variables\" elementType=\"Arguments\"><collectionProp \
         name=\"Arguments.arguments\">{}</collectionProp></elementProp>",
        variables.concat()
    );
    let main = "<elementProp name=\"ThreadGroup.main_controller\" elementType=\"LoopController\"><boolProp \
                name=\"LoopController.continue_forever\">false</boolProp><stringProp \
                name=\"LoopController.loops\">1</stringProp></elementProp><stringProp \
                name=\"ThreadGroup.num_threads\">1</stringProp>";
    let group = with_xml("ThreadGroup", "Users", main, below);
    let root = with_xml("TestPlan", "Plan", &variables, &group);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jmeterTestPlan version=\"1.2\" properties=\"5.0\" \
         jmeter=\"5.6.3\"><hashTree>{root}</hashTree></jmeterTestPlan>"
    )
}

/// `swell` with these arguments, and with the place of the server as properties.
fn call(folder: &Folder, server: &Server, arguments: &[&str]) -> Call {
    let host = format!("-Jhost={}", server.addr.ip());
    let port = format!("-Jport={}", server.addr.port());
    folder.call(&[arguments, &[&*host, &*port]].concat())
}

fn answer(status: &str, kind: &str, more: &str, body: &str) -> Answer {
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Content-Length: {}\r\n\r\n", body.len());
    Answer::Keep((head + body).into_bytes())
}

const PAGE: &str = r#"<html><body><form><input type="hidden" name="csrf_token" value="t0k3n"><a class="item" href="/i1">one</a></form></body></html>"#;

/// A shop that wants its cookie, its token and JSON.
fn shop(request: &Request) -> Answer {
    let body = String::from_utf8_lossy(&request.body);
    let knows = request.header("Cookie").is_some_and(|cookie| cookie.contains("sid=s1"));
    let is_json = request.header("Content-Type").is_some_and(|kind| kind.contains("json"));
    match request.path().split('?').next().unwrap_or_default() {
        "/" => answer("200 OK", "text/html", "Set-Cookie: sid=s1; Path=/\r\n", PAGE),
        "/login" if knows && request.path().contains("csrf=t0k3n") => {
            answer("302 Found", "text/plain", "Location: /home\r\n", "")
        }
        "/login" => answer("403 Forbidden", "text/plain", "", "bad token"),
        "/home" if knows => answer("200 OK", "text/html", "", "<h1>Welcome</h1>"),
        "/home" => answer("401 Unauthorized", "text/plain", "", "who are you?"),
        "/items" => answer("200 OK", "application/json", "", r#"{"items":[{"id":"i1"},{"id":"i2"}]}"#),
        "/orders" if !is_json => answer("415 Unsupported Media Type", "text/plain", "", "JSON, please"),
        "/orders" if body.contains("\"i1\"") => answer(
            "201 Created",
            "application/json",
            "X-Trace: order-7\r\n",
            r#"{"order":{"id":"o7","qty":2}}"#,
        ),
        "/orders" => answer("422 Unprocessable", "application/json", "", r#"{"error":"no such item"}"#),
        "/orders/o7" => answer("200 OK", "application/json", "", r#"{"id":"o7","state":"new"}"#),
        "/old" => answer("302 Found", "text/html", "Location: /items\r\n", ""),
        _ => answer("404 Not Found", "text/plain", "", "no"),
    }
}

#[test]
fn values_of_controllers_are_those_that_were_used() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let items = http("GET", "/items", &[], "");
    let value = [("SwitchController.value", "${__counter(FALSE)}")];
    let switch =
        el("SwitchController", "by count", &value, &(items.clone() + &http("GET", "/orders/o7", &[], "")));
    let loops = el("LoopController", "turns", &[("LoopController.loops", "${__counter(FALSE)}")], &items);
    folder.write("plan.jmx", plan(&(switch + &loops)));
    let ended = call(&folder, &server, &["debug", "plan.jmx"]).run().exits(0);
    for said in [["by count", "chose `GET /orders/o7`", "-> 1 "], ["turns", "turn 1 of 1", "-> 1 "]] {
        assert!(
            ended.out.lines().any(|line| said.iter().all(|text| line.contains(text))),
            "{said:?} in {ended}"
        );
    }
}

#[test]
fn requests_are_shown_as_the_server_got_them() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let elements = cookies()
        + &http("GET", "/", &[], &css("csrf", "csrf", "input[name=csrf_token]", "value"))
        + &http("GET", "/login?csrf=${csrf}", &[], "")
        + &post(
            "/orders",
            "{\"item\":\"i1\",\"\u{e4}\":\"\\t\"}",
            &header("Content-Type", "application/json"),
        );
    folder.write("plan.jmx", plan(&elements));
    let ended = call(&folder, &server, &["debug", "plan.jmx", "--json", "--secrets"]).run().exits(0);
    let mut shown = Vec::new();
    for line in ended.out.lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        collect_requests(&event["sample"], &mut shown);
    }
    let got: Vec<_> = server
        .requests()
        .into_iter()
        .map(|request| (request.head, String::from_utf8(request.body).expect("UTF-8")))
        .collect();
    assert_eq!(got.len(), 4);
    let trimmed = |head: &str| head.trim_end().to_owned();
    let shown: Vec<_> = shown.iter().map(|(head, body)| (trimmed(head), body.clone())).collect();
    let got: Vec<_> = got.iter().map(|(head, body)| (trimmed(head), body.clone())).collect();
    assert_eq!(shown, got);
    assert!(shown.iter().any(|(head, _)| head.contains("Cookie: sid=s1")), "{shown:?}");
}

/// Head and body of each request of a sample, in order.
fn collect_requests(sample: &serde_json::Value, all: &mut Vec<(String, String)>) {
    for exchange in sample["exchanges"].as_array().into_iter().flatten() {
        let text = |part: &str| exchange["request"][part]["text"].as_str().unwrap_or_default().to_owned();
        all.push((text("head"), text("body")));
    }
    for child in sample["children"].as_array().into_iter().flatten() {
        collect_requests(child, all);
    }
}

#[test]
fn many_users_or_iterations_are_refused_unless_confirmed() {
    let folder = Folder::new();
    folder.write("plan.jmx", include_str!("../../../../examples/first.jmx"));
    let debug = |more: &[&str]| folder.swell(&[&["debug", "plan.jmx", "--with-target"], more].concat());
    debug(&["--iterations", "1000"]).refused(&["1000 iterations", "--yes"]);
    debug(&["--users", "2"]).refused(&["2 virtual users", "--yes"]);
    let ended = debug(&["--users", "2", "--yes"])
        .exits(0)
        .prints(&["Users 1-1, iteration 1", "Users 1-2, iteration 1"]);
    assert!(ended.out.contains("2 samples, none failed"), "{ended}");
    debug(&["--group", "Visitors"]).refused(&["no thread group `Visitors`", "`Users`"]);
}

#[test]
fn hostile_responses_stay_harmless_and_short() {
    let long = "x".repeat(3 << 20);
    let hostile = format!("\u{1b}[2J\u{1b}]0;title\u{7}<script>{long}");
    let server = Server::start(move |request| match request.path() {
        "/long" => answer("500 No", "text/html", "X-Odd: \u{1b}[31m\r\n", &hostile),
        _ => Answer::Keep(b"HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\n\xff\xfe\x00\x01".to_vec()),
    });
    let folder = Folder::new();
    folder.write("plan.jmx", plan(&(http("GET", "/long", &[], "") + &http("GET", "/bytes", &[], ""))));
    let ended = call(&folder, &server, &["debug", "plan.jmx"]).run().exits(98);
    assert!(!ended.out.contains('\u{1b}') && ended.out.len() < 10_000, "{} bytes", ended.out.len());
    assert!(ended.out.contains("cut: the first 1048576 of"), "{ended}");
    assert!(ended.out.contains("bytes that are not text") || ended.out.contains("4 bytes"), "{ended}");
}

#[test]
fn a_server_that_never_answers_is_left_by_a_signal_and_what_was_sent_is_shown() {
    let server = Server::start(|_| Answer::Silence);
    let folder = Folder::new();
    folder.write("plan.jmx", plan(&http("GET", "/slow", &[], "")));
    let mut running = call(&folder, &server, &["debug", "plan.jmx", "--json"]).start();
    let mut lines = vec![running.next_line(), running.next_line()];
    while server.requests().is_empty() {
        std::thread::yield_now();
    }
    running.signal("INT");
    let ended = running.wait().exits(105);
    lines.extend(ended.out.lines().map(str::to_owned));
    let step = lines.iter().find(|line| line.contains("\"event\":\"step\"")).expect("the step is there");
    assert!(step.contains("GET /slow HTTP/1.1") && step.contains("\"outcome\":\"stopped\""), "{step}");
}

#[test]
fn elements_that_cannot_run_are_shown_and_the_rest_runs() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let elements = el("com.example.OtherSampler", "other", &[], "") + &http("GET", "/items", &[], "");
    folder.write("plan.jmx", plan(&elements));
    let ended = call(&folder, &server, &["debug", "plan.jmx", "--scripts", "native"]).run().exits(0);
    assert!(ended.out.lines().any(|line| line.contains("other") && line.contains("NOT RUN")), "{ended}");
    assert!(ended.out.contains("1 sample, none failed"), "{ended}");
}

#[test]
fn secrets_are_masked_in_json_unless_they_are_wanted() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let elements = cookies()
        + &http("GET", "/", &[], "")
        + &http("GET", "/home?token=abc", &[], &header("Authorization", "Bearer s3cret"));
    folder.write("plan.jmx", plan(&elements));
    let masked = call(&folder, &server, &["debug", "plan.jmx", "--json"]).run().exits(0);
    for secret in ["s3cret", "sid=s1", "token=abc"] {
        assert!(!masked.out.contains(secret), "{secret}: {masked}");
    }
    let shown = ["debug", "plan.jmx", "--json", "--secrets", "--bodies", "all"];
    let whole = call(&folder, &server, &shown).run().exits(0);
    for secret in ["s3cret", "sid=s1", "token=abc"] {
        assert!(whole.out.contains(secret), "{secret}: {whole}");
    }
}

#[test]
fn a_run_names_samplers_that_never_ran() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let skipped =
        if_controller("only for x", "${__jexl3(\"${flag}\" == \"x\")}", &http("GET", "/home", &[], ""));
    folder.write("plan.jmx", plan(&(http("GET", "/items", &[], "") + &skipped)));
    let wanted = "1 sampler never ran: GET /home (below `only for x`); `swell debug` shows why";
    call(&folder, &server, &["run", "plan.jmx"]).run().exits(0).says(&[wanted]);
    let taken = if_controller("for all", "true", &http("GET", "/items", &[], ""));
    folder.write("plan.jmx", plan(&taken));
    let ended = call(&folder, &server, &["run", "plan.jmx"]).run().exits(0);
    assert!(!ended.err.contains("never ran"), "{ended}");
}

#[test]
fn controllers_say_why_what_is_below_them_runs_or_not() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let items = |name: &str| http("GET", "/items", &[], "").replace("GET /items\"", &format!("{name}\""));
    let elements = el("OnceOnlyController", "at first", &[], &items("a"))
        + &el("RandomOrderController", "any order", &[], &(items("b") + &items("c")))
        + &el(
            "CriticalSectionController",
            "alone",
            &[("CriticalSectionController.lockName", "till")],
            &items("d"),
        )
        + &el("CriticalSectionController", "not alone", &[], &items("e"))
        + &el("RunTime", "no time", &[("RunTime.seconds", "0")], &items("f"));
    folder.write("plan.jmx", plan(&elements));
    let host = format!("-Jhost={}", server.addr.ip());
    let port = format!("-Jport={}", server.addr.port());
    let ended = folder.swell(&["debug", "plan.jmx", "--iterations", "2", &host, &port]).exits(0);
    let lines = |start: &str| ended.out.lines().filter(|line| line.trim_start().starts_with(start)).count();
    assert_eq!(lines("-  Once Only `at first`  runs, since this is the first iteration"), 1, "{ended}");
    assert_eq!(
        lines("-  Once Only `at first`  not in iteration 2: it runs in the first one only"),
        1,
        "{ended}"
    );
    let orders =
        ["`b`, `c`", "`c`, `b`"].map(|order| lines(&format!("-  Random Order `any order`  order: {order}")));
    assert_eq!(orders.iter().sum::<usize>(), 2, "{ended}");
    assert_eq!(lines("-  Critical Section `alone`  holds the lock `till`"), 2, "{ended}");
    assert_eq!(
        lines("-  Critical Section `not alone`  it has no lock name, so it locks nothing"),
        2,
        "{ended}"
    );
    // A Runtime Controller without time leaves the plan, as in JMeter.
    assert_eq!(lines("-  Runtime `no time`  0 s: nothing runs"), 1, "{ended}");
    let never =
        |line: &str| line.contains("never ran: f ") && line.contains("the Runtime Controller `no time`");
    assert!(ended.out.lines().any(never), "{ended}");
}

#[test]
fn bodies_are_kept_up_to_the_size_that_is_wanted() {
    let server = Server::start(|_| Answer::ok("0123456789"));
    let folder = Folder::new();
    folder.write("plan.jmx", plan(&http("GET", "/", &[], "")));
    let host = format!("-Jhost={}", server.addr.ip());
    let port = format!("-Jport={}", server.addr.port());
    let debug =
        |bodies: &str| folder.swell(&["debug", "plan.jmx", "--json", "--bodies", bodies, &host, &port]);
    let cut = debug("4").exits(0);
    assert!(cut.out.contains(r#""body":{"size":10,"text":"0123","cut":true}"#), "{cut}");
    let whole = debug("all").exits(0);
    assert!(whole.out.contains(r#""body":{"size":10,"text":"0123456789"}"#), "{whole}");
    debug("few").refused(&["invalid number of bytes `few`: expected a whole number, or `all`"]);
}
