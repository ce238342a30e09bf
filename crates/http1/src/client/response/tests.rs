use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::*;

#[derive(Default, PartialEq, Debug, Clone)]
struct Keep {
    head: String,
    body: Vec<u8>,
}

impl Sink for Keep {
    fn head(&mut self, head: &ResponseHead<'_>) {
        head.text(&[], &mut self.head);
    }
    fn body(&mut self, bytes: &[u8]) {
        self.body.extend_from_slice(bytes);
    }
}

/// What came out: the head and body, the result, the sizes, reuse.
type Outcome = (Keep, Result<bool, WireError>, u64, u64, bool);

fn run<'a>(parts: impl IntoIterator<Item = &'a [u8]>, to_head: bool) -> Outcome {
    let mut response = Response::new(to_head);
    let mut keep = Keep::default();
    let mut received = 0;
    let mut done = false;
    for part in parts {
        received += part.len();
        match response.feed(part, &mut keep) {
            Ok(complete) => done |= complete,
            Err(e) => return (keep, Err(e), 0, response.body_len(), false),
        }
    }
    assert_eq!(response.received(), received as u64);
    let result = if done { Ok(true) } else { response.end(&mut keep).map(|()| false) };
    (keep, result, response.received(), response.body_len(), response.reusable())
}

const SAMPLES: &[&[u8]] = &[
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloEXTRA",
    b"\r\n\r\nHTTP/1.1 200 OK\nContent-Length: 3\nX:  y\n\nabc",
    b"junk\nmore junk\n  HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n",
    b"HTTP/1.0 200 OK\r\n\r\nuntil the end",
    b"HTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX: a\r\n  b\r\n\tc\r\nContent-Length: 1\r\n\r\nz",
    b"HTTP/1.1 200 OK\r\nX: no empty line",
    b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    b"HTTP/1.1 20",
    b"hello",
    b"",
];

#[test]
fn bytes_that_were_not_read_count_as_if_they_were() {
    let mut response = Response::new(false);
    let mut keep = Keep::default();
    assert_eq!(response.left(), None);
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nab";
    assert_eq!(response.feed(head, &mut keep), Ok(false));
    assert_eq!(response.left(), Some(998));
    response.skip(990);
    assert_eq!((response.left(), response.body_len()), (Some(8), 992));
    assert_eq!(response.received(), head.len() as u64 + 990);
    assert_eq!(response.end(&mut keep), Err(WireError::ShortBody { expected: 1000, received: 992 }));
    assert_eq!(response.feed(b"12345678", &mut keep), Ok(true));
    assert_eq!((response.left(), response.body_len(), response.reusable()), (None, 1000, true));
    let mut chunked = Response::new(false);
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert_eq!((chunked.feed(head, &mut keep), chunked.left()), (Ok(false), None));
}

#[test]
fn the_same_comes_out_wherever_it_is_cut() {
    for sample in SAMPLES {
        let whole = run([*sample], false);
        for cut in 0..=sample.len() {
            let (a, b) = sample.split_at(cut);
            assert_eq!(run([a, b].into_iter().filter(|p| !p.is_empty()), false), whole, "{cut} {sample:?}");
        }
        assert_eq!(run(sample.chunks(1), false), whole, "{sample:?}");
    }
}

#[test]
fn literal_responses() {
    let ok = |sample: usize| {
        let (keep, result, ..) = run([SAMPLES[sample]], false);
        result.unwrap();
        (keep.head, String::from_utf8(keep.body).unwrap())
    };
    assert_eq!(ok(0), ("HTTP/1.1 200 OK\nContent-Length: 5\n".into(), "hello".into()));
    assert_eq!(ok(2), ("HTTP/1.1 200 OK\nContent-Length: 3\nX:  y\n".into(), "abc".into()));
    assert_eq!(ok(3), ("HTTP/1.1 404 Not Found\nContent-Length: 0\n".into(), String::new()));
    assert_eq!(ok(4), ("HTTP/1.1 200 OK\nContent-Length: 3\n".into(), "abc".into()));
    assert_eq!(ok(5).1, "abcde");
    assert_eq!(ok(6).1, "until the end");
    assert_eq!(ok(9), ("HTTP/1.1 200 OK\nX: no empty line\n".into(), String::new()));
}

#[test]
fn reuse_and_sizes() {
    let of = |sample: usize| {
        let (_, _, received, body_len, reusable) = run([SAMPLES[sample]], false);
        (received, body_len, reusable)
    };
    assert_eq!(of(0), (43, 5, true));
    assert_eq!(of(1), (48, 5, false), "bytes after the response");
    assert_eq!(of(5).1, 5);
    assert!(of(5).2);
    assert!(!of(6).2);
    assert!(!of(9).2);
}

#[test]
fn broken_responses() {
    let error = |bytes: &[u8]| run([bytes], false).1.unwrap_err();
    assert_eq!(error(SAMPLES[10]), WireError::ShortBody { expected: 10, received: 5 });
    assert_eq!(error(SAMPLES[11]), WireError::TruncatedChunk { expected: 5, actual: 3 });
    assert_eq!(error(SAMPLES[12]), WireError::Head("Invalid response: HTTP/1.1 20".into()));
    assert_eq!(error(SAMPLES[13]), WireError::NoStatusLine);
    let nothing: [&[u8]; 0] = [];
    assert_eq!(run(nothing, false).1, Err(WireError::NoResponse));
    let head = run([&b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"[..]], true);
    assert_eq!((head.1, head.4), (Ok(true), true), "no body answers HEAD");
}

#[test]
fn a_head_of_ten_megabytes_is_read_and_one_of_twenty_refused() {
    let feed = |megabytes: usize| {
        let mut response = Response::new(false);
        let line = format!("X: {}\r\n", "a".repeat(65531));
        response.feed(b"HTTP/1.1 200 OK\r\n", &mut DiscardSink)?;
        for _ in 0..megabytes * 16 {
            response.feed(line.as_bytes(), &mut DiscardSink)?;
        }
        response.feed(b"Content-Length: 0\r\n\r\n", &mut DiscardSink)
    };
    assert_eq!(feed(10), Ok(true));
    assert_eq!(feed(20), Err(WireError::HeadTooLarge));
}

#[test]
fn interim_responses_without_end_are_refused() {
    let interim = format!("HTTP/1.1 102 Processing\r\nX: {}\r\n\r\n", "a".repeat(65507));
    let feed = |megabytes: usize| {
        let mut response = Response::new(false);
        for _ in 0..megabytes * 16 {
            response.feed(interim.as_bytes(), &mut DiscardSink)?;
        }
        response.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", &mut DiscardSink)
    };
    assert_eq!(feed(15), Ok(true));
    assert_eq!(feed(17), Err(WireError::InterimTooLarge));
}

#[test]
fn damaged_responses_neither_panic_nor_depend_on_the_cuts() {
    let mut random = StdRng::seed_from_u64(7);
    for round in 0..20_000 {
        let mut bytes = SAMPLES[round % SAMPLES.len()].to_vec();
        for _ in 0..random.random_range(1..5) {
            let byte = match random.random_range(0..3) {
                0 => random.random(),
                _ => b" \r\n:;,0123456789abcHTP/.-"[random.random_range(0..25)],
            };
            let at = random.random_range(0..=bytes.len());
            match random.random_range(0..3) {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
        let whole = run([&bytes[..]], false);
        let cut = random.random_range(0..=bytes.len());
        let (a, b) = bytes.split_at(cut);
        let cut_up = run([a, b].into_iter().filter(|p| !p.is_empty()), false);
        assert_eq!(cut_up, whole, "{cut} {:?}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn a_head_that_repeats_means_what_it_meant() {
    for sample in SAMPLES {
        for to_head in [false, true] {
            let first = run([*sample], to_head);
            assert_eq!(run([*sample], to_head), first);
            assert_eq!(run(sample.chunks(7), to_head), first);
        }
    }
    // The same head but for one header is another head; the same bytes to a HEAD have no body.
    let a = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let b = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhell";
    assert_eq!(run([a.as_bytes()], false).3, 5);
    assert_eq!(run([b.as_bytes()], false).3, 4);
    assert_eq!(run([&a.as_bytes()[..38]], true).3, 0);
    assert_eq!(run([a.as_bytes()], false).3, 5);
}
