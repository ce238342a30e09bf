//! HTTP/2 where a request or a response comes in parts: bodies that wait, events.

use swell_api::{Needs, SampleResult};
use swell_plan::Element;

use crate::http2_hostile::{get, start};
use crate::http2_script::{DATA, END, END_HEADERS, END_STREAM, HEADERS, OK, Script, frame, with};
use crate::site::{Visitor, on_loop};

const VERSION_2: (&str, &str) = ("swell.http.version", "2");

/// A head with an informational status.
fn interim(status: &str) -> Vec<u8> {
    frame(HEADERS, END_HEADERS, 1, &[&[8, 3], status.as_bytes()].concat())
}

async fn post(visitor: &mut Visitor) -> SampleResult {
    let argument = Element::new("HTTPArgument", "", "")
        .with_text("Argument.value", "12345")
        .with_flag("HTTPArgument.always_encode", false);
    let arguments = Element::new("Arguments", "", "").with_elements("Arguments.arguments", [argument]);
    let sample = visitor.get_with("/", |it| {
        it.with_text("HTTPSampler.method", "POST")
            .with_flag("HTTPSampler.postBodyRaw", true)
            .with_element("HTTPsampler.Arguments", arguments)
    });
    sample.await.expect("a sample")
}

fn expecting() -> Element {
    let header = Element::new("Header", "", "")
        .with_text("Header.name", "Expect")
        .with_text("Header.value", "100-continue");
    Element::new("HeaderManager", "HeaderPanel", "Headers").with_elements("HeaderManager.headers", [header])
}

#[test]
fn the_body_follows_100_continue() {
    for first in [interim("100"), [interim("103"), interim("100")].concat()] {
        on_loop(async move {
            let after_body = frame(HEADERS, END, 1, OK);
            let (site, record) = start(Script { after_body, ..Script::of(first) });
            let mut visitor = Visitor::with(&site, &[VERSION_2], vec![expecting()], Needs::ALL);
            let sample = post(&mut visitor).await;
            assert_eq!(&*sample.code, "200", "{}", sample.message);
            assert!(record.has_waited.get(), "the body came with the head");
            assert_eq!(*record.body.borrow(), b"12345");
        });
    }
}

#[test]
fn a_final_response_keeps_the_body_back() {
    on_loop(async {
        let refusal = frame(HEADERS, END, 1, &[8, 3, b'4', b'1', b'7']);
        let (site, record) = start(Script { after_body: b"x".to_vec(), ..Script::of(refusal) });
        let mut visitor = Visitor::with(&site, &[VERSION_2], vec![expecting()], Needs::ALL);
        let sample = post(&mut visitor).await;
        assert_eq!(&*sample.code, "417", "{}", sample.message);
        assert_eq!(&*get(&mut visitor, "20000").await.code, "200");
        assert_eq!(*record.body.borrow(), b"");
        assert_eq!(*record.codes.borrow(), [8], "the stream was cancelled");
    });
}

#[test]
fn events_have_the_times_of_their_own_frames() {
    on_loop(async {
        let event = |text: &str, flags| frame(DATA, flags, 1, text.as_bytes());
        let stream = [
            frame(HEADERS, END_HEADERS, 1, &with("content-type", "text/event-stream")),
            event("data: one\n\nda", 0),
            event("ta: two\n\n: comment\n\n", 0),
            event("data: three\n\n", END_STREAM),
        ];
        let (site, _) = start(Script::of(stream.concat()));
        let props = [VERSION_2, ("swell.http.events", "true")];
        let mut visitor = Visitor::with(&site, &props, vec![], Needs::ALL);
        let sample = get(&mut visitor, "20000").await;
        let events = sample.events.expect("a stream of events");
        assert_eq!((events.count, events.arrivals_ns.len()), (3, 3));
        assert!(events.arrivals_ns.is_sorted(), "{events:?}");
        assert!(sample.timing.first_byte_ns <= events.arrivals_ns[0]);
        assert_eq!(sample.timing.end_ns, events.arrivals_ns[2]);
        // A response that is not a stream of events has none.
        assert!(get(&mut visitor, "20000").await.events.is_none());
    });
}
