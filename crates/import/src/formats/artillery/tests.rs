use std::fmt::Write as _;

use super::*;
use crate::model::{Body, Exchange};

fn read_all(text: &str) -> (Document, Notes) {
    let mut notes = Notes::default();
    let source = Source { name: "t.yml", bytes: text.as_bytes() };
    let document = read(&source, &Options::default(), &mut notes).expect("a test");
    (document, notes)
}

fn shown(exchange: &Exchange) -> String {
    let mut out = format!("{} {}", exchange.method, exchange.url.to_plan());
    for header in &exchange.headers {
        write!(out, " {}={}", header.name, header.value.to_plan()).unwrap();
    }
    match &exchange.body {
        Body::None => {}
        Body::Text(text) => write!(out, " [{}]", text.to_plan()).unwrap(),
        Body::Form(fields) => {
            for field in fields {
                write!(out, " {}:{}", field.name.to_plan(), field.value.to_plan()).unwrap();
            }
        }
        other => write!(out, " {other:?}").unwrap(),
    }
    for capture in &exchange.captures {
        write!(out, " {}<{:?}", capture.variable, capture.from).unwrap();
    }
    for check in &exchange.checks {
        write!(out, " {:?}", check.of).unwrap();
    }
    out
}

/// The request of a test with one step.
fn one(step: &str) -> (String, Notes) {
    let text = format!(
        "config:\n  target: http://a.test\n  http: {{defaults: {{headers: {{X: d}}}}}}\nscenarios:\n  - flow:\n      - {step}\n"
    );
    let (document, notes) = read_all(&text);
    let all = document.flows[0].exchanges();
    (all.first().map(|one| shown(one)).unwrap_or_default(), notes)
}

#[test]
fn steps_are_requests() {
    for (step, wanted) in [
        ("get: {url: /a}", "GET http://a.test/a X=d"),
        ("get: {url: 'https://b.test/a', headers: {x: 1}}", "GET https://b.test/a x=1"),
        (
            "get: {url: '/a?b=1', qs: {c: 'd e&', f: '{{ v }}'}}",
            "GET http://a.test/a?b=1&c=d%20e%26&f=${v} X=d",
        ),
        (
            "post: {url: /a, json: {b: [1, '{{ v }}'], c: '{{ $randomNumber(1,9) }}'}}",
            "POST http://a.test/a X=d Content-Type=application/json [{\"b\":[1,\"${v}\"],\"c\":\"${__Random(1,9)}\"}]",
        ),
        (
            "post: {url: /a, form: {b: 1}}",
            "POST http://a.test/a X=d Content-Type=application/x-www-form-urlencoded b:1",
        ),
        ("put: {url: /a, body: text}", "PUT http://a.test/a X=d Content-Type=text/plain [text]"),
        ("get: {url: /a, capture: {json: $.t, as: t}}", "GET http://a.test/a X=d t<JsonPath(\"$.t\")"),
        (
            "get: {url: /a, capture: [{regexp: 'a(b)', group: 1, as: t}, {header: H, as: h}]}",
            "GET http://a.test/a X=d t<Regex(\"a(b)\", 1) h<Header(\"H\")",
        ),
        (
            "get: {url: /a, capture: {selector: 'a[href]', attr: href, as: t}}",
            "GET http://a.test/a X=d t<Css { selector: \"a[href]\", attribute: \"href\" }",
        ),
        (
            "get: {url: /a, expect: [{statusCode: 200}, {contentType: json}, {hasProperty: a.b}]}",
            "GET http://a.test/a X=d Status(Equals(\"200\")) Header(\"Content-Type\", Contains(\"application/json\")) JsonPath(\"$.a.b\", Exists)",
        ),
        (
            "get: {url: /a, expect: {statusCode: [200, 201], equals: ['{{ v }}', x]}}",
            "GET http://a.test/a X=d Status(OneOf([\"200\", \"201\"])) Variable(\"v\", Equals(\"x\"))",
        ),
        (
            "get: {url: /a, match: {json: $.a, value: b}}",
            "GET http://a.test/a X=d JsonPath(\"$.a\", Equals(\"b\"))",
        ),
    ] {
        let (found, notes) = one(step);
        assert_eq!((&*found, notes.all()), (wanted, &[][..]), "{step}");
    }
}

#[test]
fn phases_are_arrivals_and_scenarios_have_weights() {
    let text = "
config:
  target: 'http://{{ host }}'
  phases:
    - {duration: 60, arrivalRate: 5}
    - {duration: 2m, arrivalRate: 5, rampTo: 50, maxVusers: 9}
    - pause: 500ms
    - {duration: 10, arrivalCount: 20}
  variables: {host: [a.test, b.test]}
  payload: {path: users.csv, fields: [user, pw], skipHeader: true, order: sequence}
scenarios:
  - {name: browse, weight: 3, flow: [{get: {url: /a}}, {think: 1.5}, {get: {url: /b}}]}
  - {flow: [{loop: [{get: {url: /c}}], count: 4}, {think: '{{ t }}'}, {get: {url: /d}}]}
";
    let (document, notes) = read_all(text);
    let flow = &document.flows[0];
    assert_eq!(
        flow.load.schedule.as_deref(),
        Some(
            "rate(5/s) even_arrivals(60 s) rate(5/s) rate(5/s) even_arrivals(120 s) rate(50/s) pause(500 ms) rate(2/s) even_arrivals(10 s) rate(2/s)"
        )
    );
    let Item::Folder(folder) = &flow.items[0] else { panic!("a folder") };
    assert_eq!(folder.kind, FolderKind::Alternatives(vec![3, 1]));
    let all = flow.exchanges();
    assert_eq!(all[1].pause, Some(Pause::Fixed(1_500)));
    assert_eq!(all[3].pause, Some(Pause::Expression(Text::function("${__jexl3(1000 * ${t},)}"))));
    assert_eq!(
        (&*flow.data[0].path, flow.data[0].variables.len(), flow.data[0].skips_first_line),
        ("users.csv", 2, true)
    );
    assert_eq!(document.variables[0].value.to_plan(), "a.test");
    assert!(!notes.is_lossy());
    let whats: Vec<_> = notes.all().iter().map(|note| &*note.what).collect();
    assert_eq!(whats, ["variable `host`", "`maxVusers`"]);
}

#[test]
fn what_cannot_be_taken_over_has_a_note() {
    for (step, what) in [
        ("function: f", "step `function`"),
        ("get: {url: /a, beforeRequest: f}", "function `f` of `beforeRequest`"),
        ("get: {url: /a, expect: {cdn: x}}", "expectation `cdn`"),
        ("get: {url: /a, capture: {json: $.a}}", "`capture`"),
        ("post: {url: /a, formData: {f: {fromFile: /etc/passwd}}}", "file `/etc/passwd`"),
        ("loop: []\n        whileTrue: f", "`loop`"),
        ("get: {url: '/{{ $f(1) }}'}", "value `{{ $f(1) }}`"),
    ] {
        let (_, notes) = one(step);
        assert!(notes.is_lossy() && notes.all()[0].what == what, "{step}: {notes:?}");
    }
    let (document, notes) =
        read_all("config: {target: ws://a, processor: ./f.js}\nscenarios: [{engine: ws, flow: []}]");
    assert!(document.flows[0].exchanges().is_empty() && notes.all().len() == 2);
}

#[test]
fn files_are_recognized() {
    for (text, wanted) in [
        ("config:\n  target: x\nscenarios:\n  - flow: []", true),
        ("{\"config\": {}, \"scenarios\": []}", true),
        ("scenarios:\n", false),
        ("", false),
    ] {
        assert_eq!(fits(text), wanted, "{text}");
    }
    let source = Source { name: "t.yml", bytes: b"config:\n  target: x" };
    let error = read(&source, &Options::default(), &mut Notes::default()).expect_err("refused");
    assert!(error.message.contains("needs `scenarios`"));
}
