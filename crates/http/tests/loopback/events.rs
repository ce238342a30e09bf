//! Streams of events: figures, sub-samples, and servers that send them badly.

use swell_api::{EVENT_SAMPLES, Needs, SampleResult};

use crate::site::{Answer, Site, Then, Visitor, answer, on_loop, redirect};

const EVENTS: (&str, &str) = ("swell.http.events", "true");

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";

/// A stream in chunks, each sent separately.
fn chunked(chunks: &[&[u8]]) -> Answer {
    let mut pieces = vec![format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n").into_bytes()];
    let chunk = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    pieces.extend(chunks.iter().map(|bytes| chunk(bytes)));
    pieces.push(b"0\r\n\r\n".to_vec());
    Answer(pieces, Then::Keep)
}

/// The sample of a request that is answered so.
fn sampled(props: &[(&str, &str)], needs: Needs, answered: Answer) -> (SampleResult, Option<String>) {
    let mut found = None;
    let props = [&[EVENTS][..], props].concat();
    on_loop(async {
        let site = Site::start(move |_, _| answered.clone());
        let mut visitor = Visitor::with(&site, &props, vec![], needs);
        let sample = visitor.get("/sse").await;
        found = Some((sample, visitor.compile.bodies().events_told()));
    });
    found.expect("the test ran")
}

fn count(sample: &SampleResult) -> Option<u64> {
    sample.events.as_ref().map(|events| events.count)
}

#[test]
fn each_event_is_a_sub_sample_from_the_one_before_to_its_arrival() {
    let stream: [&[u8]; 3] = [b"event: a\ndata: 1\n\n", b": hi\n\ndata: 2\ndata: 3\n\n", b"data: 4\r\n\r\n"];
    let (sample, told) = sampled(&[], Needs::ALL, chunked(&stream));
    assert_eq!((count(&sample), told), (Some(3), None));
    let subs = &sample.sub_results;
    let shown: Vec<_> = subs.iter().map(|sub| (&*sub.message, sub.body_text().into_owned())).collect();
    let wanted = [("a", "1"), ("message", "2\n3"), ("message", "4")];
    assert_eq!(shown, wanted.map(|(name, data)| (name, data.to_owned())));
    let mut start_ns = sample.timing.start_ns;
    for (sub, bytes) in subs.iter().zip([18, 23, 11]) {
        assert_eq!((&*sub.label, &*sub.code, sub.success, sub.bytes), ("name event", "200", true, bytes));
        let timing = &sub.timing;
        assert_eq!(timing.start_ns, start_ns);
        assert!(timing.first_byte_ns >= start_ns && timing.end_ns >= timing.first_byte_ns, "{timing:?}");
        start_ns = timing.end_ns;
    }
    assert!(start_ns <= sample.timing.end_ns);
    assert_eq!(subs.iter().map(|sub| sub.bytes).sum::<u64>(), stream.concat().len() as u64);
}

#[test]
fn sub_samples_have_a_limit_and_the_others_are_counted() {
    let events = b"data: x\n\n".repeat(250);
    let (sample, told) = sampled(&[], Needs::ALL, chunked(&[&events]));
    assert_eq!((count(&sample), sample.sub_results.len()), (Some(250), 100));
    let told = told.expect("there are too many");
    assert!(told.starts_with("150 events have no sub-sample") && told.contains(EVENT_SAMPLES), "{told}");
    for (most, subs) in [("0", 0), ("200", 200), ("1000", 250)] {
        let (sample, _) = sampled(&[(EVENT_SAMPLES, most)], Needs::ALL, chunked(&[&events]));
        assert_eq!((count(&sample), sample.sub_results.len()), (Some(250), subs));
    }
}

#[test]
fn without_a_reader_of_samples_there_are_only_figures() {
    let (sample, told) = sampled(&[], Needs::default(), chunked(&[&b"data: x\n\n".repeat(250)]));
    assert_eq!((count(&sample), sample.sub_results.len(), told), (Some(250), 0, None));
}

#[test]
fn a_stream_after_redirects_has_its_events() {
    let mut found = None;
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/sse" => redirect(302, "/there"),
            _ => chunked(&[b"data: 1\n\n", b"data: 2\n\n"]),
        });
        let mut visitor = Visitor::with(&site, &[EVENTS], vec![], Needs::ALL);
        found = Some(visitor.follow("/sse").await);
    });
    let sample = found.expect("the test ran");
    assert_eq!(count(&sample), Some(2));
    let labels: Vec<_> = sample.sub_results.iter().map(|sub| &*sub.label).collect();
    assert_eq!(labels, ["name-0", "name-1", "name event", "name event"]);
}

#[test]
fn one_byte_a_chunk_is_a_stream_like_any() {
    let stream = b"\xef\xbb\xbfid: 1\0\r\nretry: 99999999999999999999\rdata: \xc3\xa4\n\n: end\r\r\ndata\n\n";
    let chunks: Vec<&[u8]> = stream.chunks(1).collect();
    let (sample, _) = sampled(&[], Needs::ALL, chunked(&chunks));
    let data: Vec<_> = sample.sub_results.iter().map(|sub| sub.body_text().into_owned()).collect();
    assert_eq!((count(&sample), data), (Some(2), vec!["\u{e4}".to_owned(), String::new()]));
}

#[test]
fn what_is_no_stream_has_no_events() {
    let body = "data: x\n\n";
    for head in [
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ),
        "HTTP/1.1 204 No Content\r\nContent-Type: text/event-stream\r\n\r\n".to_owned(),
        format!("{HEAD}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
    ] {
        let is_204 = head.contains(" 204 ");
        let (sample, _) = sampled(&[], Needs::ALL, answer(&head, Then::Keep));
        assert_eq!(count(&sample), is_204.then_some(0), "{head}");
        assert!(sample.sub_results.is_empty());
    }
}

#[test]
fn a_stream_that_breaks_keeps_the_events_that_came() {
    let stream = format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n9\r\ndata: x\n\n\r\n9\r\ndata: y");
    let (sample, _) = sampled(&[], Needs::ALL, answer(&stream, Then::Close));
    assert!(!sample.success, "{sample:?}");
    assert_eq!((count(&sample), sample.sub_results.len()), (Some(1), 1));
}

#[test]
fn comments_and_an_event_without_end_are_no_events() {
    let comments = b": keep-alive\n\n".repeat(5000);
    let endless = [&b"data: "[..], &vec![b'x'; 3_000_000]].concat();
    let (sample, told) = sampled(&[], Needs::ALL, chunked(&[&comments, &endless]));
    assert_eq!((count(&sample), sample.sub_results.len(), told), (Some(0), 0, None));
    assert!(sample.success);
}

#[test]
fn a_connection_with_more_than_the_response_is_not_used_again() {
    let mut connections = Vec::new();
    on_loop(async {
        let site = Site::start(|_, _| {
            let Answer(pieces, then) = chunked(&[b"data: x\n\n"]);
            Answer(vec![[pieces.concat(), b"HTTP/1.1 200 OK\r\n".to_vec()].concat()], then)
        });
        let mut visitor = Visitor::with(&site, &[EVENTS], vec![], Needs::ALL);
        for _ in 0..2 {
            assert_eq!(count(&visitor.get("/sse").await), Some(1));
        }
        connections = site.targets().iter().map(|(number, _)| *number).collect();
    });
    assert_eq!(connections, [1, 2]);
}
