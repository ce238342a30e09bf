use swell_trace::{
    Action, Check, Content, CookieNotes, ElementRef, Exchange, Extraction, ReadVariable, RefusedCookie,
    Request, Response, Role, Sample, Written,
};

use super::*;

fn element(name: &str, line: u32) -> ElementRef {
    ElementRef { name: name.to_owned(), line, path: format!("plan > {name}"), ..ElementRef::default() }
}

fn content(text: &str) -> Content {
    Content::new(text.as_bytes(), 1000)
}

fn exchange(request: &str, body: &str, response: &str) -> Exchange {
    let status = response.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Exchange {
        method: request.split(' ').next().unwrap_or_default().to_owned(),
        url: "http://h/a".to_owned(),
        request: Some(Request { head: content(request), body: content(body), size: 1 }),
        response: Some(Response { head: content(response), status, ..Response::default() }),
        ..Exchange::default()
    }
}

fn step(outcome: Outcome, exchange: Exchange) -> Step {
    let sample = Sample { code: "200".into(), exchanges: vec![exchange], ..Sample::default() };
    Step { element: element("s", 5), outcome, sample: Some(sample), ..Step::default() }
}

fn read(name: &str, value: Option<&str>) -> ReadVariable {
    ReadVariable {
        name: name.to_owned(),
        value: value.map(str::to_owned),
        set_by_step: None,
        set_by: None,
        is_default: false,
    }
}

fn codes(step: &Step, history: &History) -> Vec<&'static str> {
    of_step(step, history).into_iter().map(|hint| hint.code).collect()
}

#[test]
fn a_step_without_anything_wrong_has_no_hint() {
    let fine = step(Outcome::Passed, exchange("GET /a HTTP/1.1", "", "HTTP/1.1 200 OK"));
    assert_eq!(codes(&fine, &History::default()), Vec::<&str>::new());
}

#[test]
fn a_default_value_that_was_sent_names_its_extractor() {
    let mut sent = step(Outcome::Failed, exchange("GET /NOT_FOUND HTTP/1.1", "", "HTTP/1.1 404 No"));
    let by = Some("order".to_owned());
    sent.reads = vec![ReadVariable {
        is_default: true,
        set_by_step: Some(4),
        set_by: by,
        ..read("id", Some("NOT_FOUND"))
    }];
    let found = default_was_sent(&sent, &History::default()).expect("a hint");
    assert!(found.text.contains("`order`") && found.text.contains("step 4"), "{}", found.text);
}

#[test]
fn a_reference_without_value_names_what_sets_it_or_the_nearest_name() {
    let mut sent = step(Outcome::Failed, exchange("GET /$%7Btokn%7D HTTP/1.1", "", "HTTP/1.1 404 No"));
    sent.reads = vec![read("tokn", None)];
    let mut history = History::default();
    history.set.insert("token".to_owned());
    let said = |history: &History| reference_was_sent(&sent, history).expect("a hint").text;
    assert!(said(&history).contains("did you mean `${token}`?"));
    history.setters.push(("tokn".to_owned(), element("later", 9)));
    assert!(said(&history).contains("`later` (line 9) sets it"));
    history.missed.push((2, element("x", 7), "tokn".to_owned()));
    assert!(said(&history).contains("`x` (line 7) found nothing at step 2"));
    assert!(said(&History::default()).ends_with("nothing in the plan sets it"));
}

#[test]
fn the_end_of_a_data_file_is_named() {
    let mut sent = step(Outcome::Failed, exchange("GET /a HTTP/1.1", "", "HTTP/1.1 404 No"));
    sent.reads = vec![read("user", Some("<EOF>"))];
    let history = History { ended_data: vec![element("users.csv", 3)], ..History::default() };
    assert!(end_of_data(&sent, &history).expect("a hint").text.contains("`users.csv`"));
}

#[test]
fn an_empty_group_is_named() {
    let mut found = step(Outcome::Passed, exchange("GET /a HTTP/1.1", "", "HTTP/1.1 200 OK"));
    let mut action = Action::new(element("token", 8), Role::PostProcessor);
    action.extractions =
        vec![Extraction { language: "regex", taken: Some(String::new()), ..Extraction::default() }];
    found.actions = vec![action];
    assert!(empty_value(&found, &History::default()).expect("a hint").text.contains("`$1$`"));
}

#[test]
fn a_page_where_json_was_wanted_is_named() {
    let request = "GET /a HTTP/1.1\r\nAccept: application/json\r\n\r\n";
    let mut page = step(Outcome::Passed, exchange(request, "", "HTTP/1.1 200 OK"));
    page.sample.as_mut().expect("there").content_type = "text/html".to_owned();
    assert_eq!(codes(&page, &History::default()), ["html_for_json"]);
}

#[test]
fn redirects_are_named() {
    let to = |location: &str| format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n");
    let login = step(Outcome::Passed, exchange("GET /a HTTP/1.1", "", &to("/login?next=a")));
    assert_eq!(codes(&login, &History::default()), ["login_redirect"]);
    let off = step(Outcome::Failed, exchange("GET /a HTTP/1.1", "", &to("/b")));
    assert_eq!(codes(&off, &History::default()), ["not_followed"]);
}

#[test]
fn a_refusal_names_the_extractor_before_or_what_was_sent() {
    let refused = step(Outcome::Failed, exchange("GET /a HTTP/1.1", "", "HTTP/1.1 401 No"));
    let history = History { missed: vec![(2, element("token", 7), "t".to_owned())], ..History::default() };
    assert!(unauthorized(&refused, &history).expect("a hint").text.contains("`token` (line 7)"));
    let alone = unauthorized(&refused, &History::default()).expect("a hint").text;
    assert!(alone.contains("no HTTP Cookie Manager"), "{alone}");
}

#[test]
fn cookies_that_are_not_sent_are_named() {
    let mut plain = exchange("GET /a HTTP/1.1", "", "HTTP/1.1 200 OK");
    plain.cookies = CookieNotes {
        managed: true,
        not_sent: vec![RefusedCookie {
            name: "sid".into(),
            reason: "Secure, and the request is http".into(),
        }],
        ..CookieNotes::default()
    };
    let plain = step(Outcome::Passed, plain);
    assert_eq!(codes(&plain, &History::default()), ["secure_cookie"]);
    let failed = step(Outcome::Failed, exchange("GET /a HTTP/1.1", "", "HTTP/1.1 404 No"));
    let history = History { lost_cookies: vec![(1, vec!["sid".into()])], ..History::default() };
    assert_eq!(codes(&failed, &history), ["no_cookie_manager"]);
    assert_eq!(of_run(&history).len(), 1);
}

#[test]
fn bodies_are_looked_at() {
    let none = step(Outcome::Failed, exchange("POST /a HTTP/1.1", "", "HTTP/1.1 400 Bad"));
    assert_eq!(codes(&none, &History::default()), ["empty_body"]);
    let json = "POST /a HTTP/1.1\r\nContent-Type: application/json\r\n\r\n";
    let mut lost = step(Outcome::Failed, exchange(json, r#"{"p":"C:\tmp\q"}"#, "HTTP/1.1 400 Bad"));
    lost.written = vec![Written { property: "p".into(), text: r#"{"p":"C:\\tmp\\${q}"}"#.into() }];
    let said = invalid_json(&lost, &History::default()).expect("a hint").text;
    assert!(said.contains("double them"), "{said}");
    let form = "POST /a HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n";
    let wrong = step(Outcome::Failed, exchange(form, r#"{"a":1}"#, "HTTP/1.1 415 Type"));
    assert_eq!(codes(&wrong, &History::default()), ["wrong_content_type"]);
}

#[test]
fn an_assertion_on_the_wrong_field_is_told_the_right_one() {
    let mut failed = step(Outcome::Failed, exchange("GET /a HTTP/1.1", "", "HTTP/1.1 200 OK"));
    let mut action = Action::new(element("Says hello", 8), Role::Assertion);
    action.checks = vec![Check {
        field: Some("response headers".into()),
        wanted: Some("hello".into()),
        got: Some("HTTP/1.1 200 OK".into()),
        ..Check::default()
    }];
    failed.actions = vec![action];
    failed.sample.as_mut().expect("there").body = content("well, hello");
    let said = wrong_field(&failed, &History::default()).expect("a hint").text;
    assert!(said.contains("is in the response body"), "{said}");
    failed.sample.as_mut().expect("there").body = content("");
    failed.actions[0].checks[0].got = Some(String::new());
    let said = wrong_field(&failed, &History::default()).expect("a hint").text;
    assert!(said.ends_with("which is empty"), "{said}");
}

#[test]
fn similar_paths_are_named_where_an_assertion_finds_none() {
    let mut failed = step(Outcome::Failed, exchange("GET /a HTTP/1.1", "", "HTTP/1.1 200 OK"));
    let mut action = Action::new(element("Has a name", 8), Role::Assertion);
    action.checks = vec![Check {
        field: Some("response body at $.user.nam".into()),
        got: Some("No results for path: $['user']['nam']".into()),
        ..Check::default()
    }];
    failed.actions = vec![action];
    failed.sample.as_mut().expect("there").body = content(r#"{"user":{"name":"a"}}"#);
    let said = similar_path(&failed, &History::default()).expect("a hint").text;
    assert!(said.contains("the response body has: $.user.name"), "{said}");
}
