//! Samples whose request is made from a template: their requests, their fields, and their memory.

use std::rc::Rc;
use std::task::Poll;

use swell_api::{Needs, SampleResult, Sampler};
use swell_plan::Element;

use crate::site::{Answer, Site, Then, Visitor, answer, on_loop};

const PATH: &str = "/item?account=${account}&session=${session}";
/// One with a function, whose value is now fit and now not, and one that counts how often it is
/// called.
const CALLING: &str =
    "/item?account=${account}&session=${__V(session)}&token=${__V(token)}&n=${__counter(TRUE)}";

fn managers() -> Vec<Element> {
    let header = |name, value| {
        Element::new("Header", "", "").with_text("Header.name", name).with_text("Header.value", value)
    };
    let headers = [
        header("Accept", "application/json"),
        header("X-Token", "${token}"),
        header("Cache-Control", "no-cache"),
    ];
    let headers = Element::new("HeaderManager", "HeaderPanel", "headers")
        .with_elements("HeaderManager.headers", headers);
    vec![headers, Element::new("CookieManager", "CookiePanel", "cookies")]
}

/// A user whose samplers have templates, or with `Needs::ALL` none, with values for the variables.
fn visitor(site: &Site, needs: Needs) -> Visitor {
    let visitor = Visitor::with(site, &[], managers(), needs);
    for name in ["account", "session", "token"] {
        visitor.compile.expr.names.slot(name);
    }
    visitor
}

fn set(visitor: &mut Visitor, round: usize) {
    visitor.user.cx.vars.put("account", format!("{round}"));
    visitor.user.cx.vars.put("session", format!("s-{round}"));
    // In a query it is escaped, and not as it is, in every third round.
    let token = if round.is_multiple_of(3) { format!("a-b{round}") } else { format!("a b{round}") };
    visitor.user.cx.vars.put("token", token);
}

/// What a sample is, without its times and what only [`Needs::ALL`] has.
fn shown(sample: &SampleResult) -> Vec<String> {
    let http = sample.http.as_ref().expect("details are needed");
    let texts = [&sample.label, &sample.code, &sample.message, &sample.content_type, &sample.encoding];
    let mut shown: Vec<String> = texts.map(ToString::to_string).into();
    shown.push(String::from_utf8_lossy(&sample.body).into_owned());
    shown.push(format!(
        "{:?}",
        (&sample.url, &http.method, &http.query, &http.cookies, &http.redirect_location)
    ));
    let numbers = (sample.bytes, sample.sent_bytes, sample.header_size, sample.body_size, sample.received);
    shown.push(format!("{numbers:?} {} {:?} {}", sample.success, sample.data_type, sample.sub_results.len()));
    shown
}

fn json(body: &str) -> Answer {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    answer(head + body, Then::Keep)
}

/// Answers of every kind that ends a sample in another way, by the round in the target.
fn answered(target: &str) -> Answer {
    let plain = |head: &str| answer(format!("HTTP/1.1 {head}\r\nContent-Length: 2\r\n\r\nok"), Then::Keep);
    match target.split("account=").nth(1).and_then(|rest| rest.split('&').next()) {
        None => plain("200 OK"),
        Some("1") => plain("200 OK\r\nSet-Cookie: c=1"),
        Some("3") => plain("404 Not Found\r\nContent-Type: text/html"),
        Some("4") => plain("302 Found\r\nLocation: /elsewhere"),
        Some("5") => plain("307 Temporary Redirect"),
        Some("6") => plain("200 OK\r\nContent-Encoding: gzip"),
        Some("7") => answer("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok", Then::Close),
        Some("8") => answer("nothing", Then::Close),
        _ => json("{}"),
    }
}

/// The element with a body, raw or a form.
fn with_body(element: Element, is_raw: bool) -> Element {
    let argument = |name: &str, value| {
        Element::new("HTTPArgument", "", name)
            .with_text("Argument.name", name)
            .with_text("Argument.value", value)
            .with_text("Argument.metadata", "=")
            .with_flag("HTTPArgument.always_encode", !is_raw)
    };
    let arguments = if is_raw {
        vec![argument("", "{\"t\": \"${token}\",\r\n\"\u{e9}\": [${account}, ${account}]}")]
    } else {
        vec![argument("a", "${account}"), argument("s", "x y ${session}"), argument("t", "${token}@\u{e9}")]
    };
    let arguments = Element::new("Arguments", "", "").with_elements("Arguments.arguments", arguments);
    element
        .with_text("HTTPSampler.method", if is_raw { "PUT" } else { "POST" })
        .with_flag("HTTPSampler.postBodyRaw", is_raw)
        .with_element("HTTPsampler.Arguments", arguments)
}

#[test]
fn samples_are_those_of_requests_made_as_a_whole() {
    are_those_of_requests_made_as_a_whole(PATH, |element| element);
}

#[test]
fn samples_with_functions_are_those_of_requests_made_as_a_whole() {
    are_those_of_requests_made_as_a_whole(CALLING, |element| element);
    are_those_of_requests_made_as_a_whole(CALLING, |element| with_body(element, true));
}

#[test]
fn samples_with_bodies_are_those_of_requests_made_as_a_whole() {
    are_those_of_requests_made_as_a_whole(PATH, |element| with_body(element, true));
    are_those_of_requests_made_as_a_whole(PATH, |element| with_body(element, false));
}

fn are_those_of_requests_made_as_a_whole(path: &'static str, more: fn(Element) -> Element) {
    on_loop(async move {
        let site = Site::start(|target, _| answered(target));
        let details = Needs { body: true, details: true, ..Needs::default() };
        let mut templated = visitor(&site, details);
        let mut whole = visitor(&site, Needs::ALL);
        let edit = |element: Element| more(element.with_flag("HTTPSampler.follow_redirects", true));
        let samplers = [templated.sampler(path, edit), whole.sampler(path, edit)];
        for round in 0..12 {
            let mut seen = Vec::new();
            for (visitor, sampler) in [&mut templated, &mut whole].into_iter().zip(&samplers) {
                set(visitor, round);
                let before = site.seen.borrow().len();
                let sample = sampler.sample(&mut visitor.user).await.expect("a sample");
                let sent: Vec<_> =
                    site.seen.borrow()[before..].iter().map(|(_, request)| request.clone()).collect();
                seen.push((sent, shown(&sample)));
            }
            assert_eq!(seen[0], seen[1], "round {round}");
        }
    });
}

/// A sample, and how often memory was asked for in it.
async fn counted(sampler: &Rc<dyn Sampler>, visitor: &mut Visitor) -> (Box<SampleResult>, u64) {
    let mut count = 0;
    let mut future = None;
    count += allocation_counter::measure(|| future = Some(sampler.sample(&mut visitor.user))).count_total;
    let mut future = future.expect("it was made");
    let sample = std::future::poll_fn(|cx| {
        let mut polled = Poll::Pending;
        count += allocation_counter::measure(|| polled = future.as_mut().poll(cx)).count_total;
        polled
    });
    let sample = sample.await.expect("a sample");
    drop(future);
    (sample, count)
}

#[test]
fn a_sample_with_variables_takes_little_memory() {
    on_loop(async {
        let site = Site::start(|_, _| json(&"{\"id\":1}".repeat(90)));
        let mut visitor = visitor(&site, Needs { body: true, details: true, ..Needs::default() });
        let post = |element| with_body(element, true);
        // Its future, its URL, its details, the body; the body that was sent, as its details show
        // it. With functions, their values.
        let calling = "/item?account=${__threadNum}&session=${__V(session)}";
        for (path, is_post, most) in [(PATH, false, 5), (PATH, true, 6), (calling, false, 8)] {
            let sampler = visitor.sampler(path, |element| if is_post { post(element) } else { element });
            let mut counts = Vec::new();
            for round in 10..30 {
                set(&mut visitor, round);
                let (sample, count) = counted(&sampler, &mut visitor).await;
                assert!(sample.success, "{}", &*sample.message);
                sample.give_back();
                counts.push(count);
            }
            assert!(
                counts[10..].iter().all(|count| *count <= most),
                "allocations of each sample: {counts:?}"
            );
        }
    });
}
