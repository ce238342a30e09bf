use super::*;
use crate::model::{Body, CaptureFrom, Part, PartValue, Response};
use crate::source::Place;

/// One recording of a shop: a page with a token, a login, a list, an order.
fn recording(csrf: &str, token: &str, item: &str, order: &str, typed: &str) -> Vec<Exchange> {
    let step = |method: &str, url: String, body: Option<(&str, String)>, mime: &str, text: String| {
        let mut exchange = Exchange::new(method, Text::literal(url), Place::default());
        if let Some((mime, body)) = body {
            exchange.add_header("Content-Type", mime.to_owned());
            exchange.body = Body::Text(Text::literal(body));
        }
        exchange.response =
            Some(Response { status: 200, mime: mime.to_owned(), text, ..Response::default() });
        exchange
    };
    let form = Some(("application/x-www-form-urlencoded", format!("csrf={csrf}&user={typed}")));
    let mut list = step(
        "GET",
        "http://a.test/items".to_owned(),
        None,
        "application/json",
        format!("{{\"items\":[{{\"id\":\"{item}\"}}]}}"),
    );
    list.add_header("Authorization", format!("Bearer {token}"));
    let posted = Some(("application/json", format!("{{\"item\":\"{item}\",\"n\":1}}")));
    vec![
        step(
            "GET",
            "http://a.test/".to_owned(),
            None,
            "text/html",
            format!("<input name=\"csrf\" value=\"{csrf}\">"),
        ),
        step(
            "POST",
            "http://a.test/login".to_owned(),
            form,
            "text/html",
            format!("<script>let t = \"{token}\";</script>"),
        ),
        list,
        step(
            "POST",
            "http://a.test/orders".to_owned(),
            posted,
            "application/json",
            format!("{{\"order\":{{\"id\":\"{order}\"}}}}"),
        ),
        step("GET", format!("http://a.test/orders/{order}?i={item}"), None, "text/html", String::new()),
    ]
}

fn shown(all: &[Exchange]) -> Vec<String> {
    let body = |exchange: &Exchange| match &exchange.body {
        Body::Text(text) => format!(" {}", text.to_plan()),
        _ => String::new(),
    };
    let captures = |exchange: &Exchange| -> String {
        let from = |from: &CaptureFrom| match from {
            CaptureFrom::JsonPath(path) => path.clone(),
            CaptureFrom::Css { selector, attribute } => format!("{selector} {attribute}"),
            CaptureFrom::Between(left, right) => format!("{left}|{right}"),
            other => format!("{other:?}"),
        };
        let shown: Vec<String> =
            exchange.captures.iter().map(|one| format!(" [{} {}]", one.variable, from(&one.from))).collect();
        shown.concat()
    };
    all.iter()
        .map(|one| format!("{} {}{}{}", one.method, one.url.to_plan(), body(one), captures(one)))
        .collect()
}

#[test]
fn what_differs_and_was_in_a_response_becomes_a_variable() {
    let mut first = recording("c-1111", "tok-aaaa1", "it1", "o-77", "ada");
    let second = recording("c-2222", "tok-bbbb2", "it2", "o-88", "bob");
    let pairs = pairs(&first.iter().collect::<Vec<_>>(), &second.iter().collect::<Vec<_>>());
    assert_eq!(pairs, (0..5).map(Some).collect::<Vec<_>>());
    let mut notes = Notes::default();
    correlate(&mut first, &second, &pairs, false, &mut notes);
    assert_eq!(
        shown(&first),
        [
            "GET http://a.test/ [csrf input[name=\"csrf\"] value]",
            "POST http://a.test/login csrf=${csrf}&user=ada [token et t = \"|\"]",
            "GET http://a.test/items [item $.items[0].id]",
            "POST http://a.test/orders {\"item\":\"${item}\",\"n\":1} [order_id $.order.id]",
            "GET http://a.test/orders/${order_id}?i=${item}",
        ]
    );
    assert_eq!(first[2].headers[0].value.to_plan(), "Bearer ${token}");
    let left: Vec<_> = notes.all().iter().map(|note| &*note.what).collect();
    assert_eq!(left, ["field user of POST http://a.test/login"]);
    assert!(notes.is_lossy());
}

#[test]
fn one_recording_gives_guesses_of_random_values_only() {
    let mut first = recording("3c569b23ce9b", "eyJhbGciOiJI", "it1", "9f8e7d6c5b4a", "ada");
    let mut notes = Notes::default();
    correlate(&mut first, &[], &[None; 5], false, &mut notes);
    assert_eq!(
        shown(&first)[1..],
        [
            "POST http://a.test/login csrf=${csrf}&user=ada",
            "GET http://a.test/items",
            "POST http://a.test/orders {\"item\":\"it1\",\"n\":1} [order_id $.order.id]",
            "GET http://a.test/orders/${order_id}?i=it1",
        ]
    );
    assert!(first[0].captures[0].comment.starts_with("guess"));
    assert_eq!(first[3].captures[0].default, "9f8e7d6c5b4a");
    assert!(!notes.is_lossy());
}

#[test]
fn texts_of_multipart_bodies_are_values() {
    let part = |value| Part { name: "a".to_owned(), value, mime: String::new() };
    let text = |text: &str| part(PartValue::Text(Text::literal(text)));
    let file = part(PartValue::Bytes("f.txt".to_owned(), b"3".to_vec()));
    let mut exchange = Exchange::new("POST", Text::literal("http://a.test/"), Place::default());
    exchange.body = Body::Multipart(vec![text("1"), text("2"), file.clone()]);
    let values = places::values(&exchange);
    let found: Vec<&str> =
        values.iter().map(|value| &*value.decoded).filter(|value| value.len() == 1).collect();
    assert_eq!(found, ["1", "2"]);
    let second = values.iter().find(|value| value.decoded == "2").expect("it was found");
    places::replace(&mut exchange, vec![(second.slot.clone(), Text::variable("v"))]);
    let changed = part(PartValue::Text(Text::variable("v")));
    assert_eq!(exchange.body, Body::Multipart(vec![text("1"), changed, file]));
}
