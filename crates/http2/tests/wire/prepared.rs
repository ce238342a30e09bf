//! Heads that are prepared once and sent many times.

use swell_http2::client::{PreparedHead, Request, Scheme, Session};
use swell_http2::{Fields, Scratch, Settings, server};

use crate::record::Log;

fn request(method: &'static str, constant: &'static Fields) -> Request<'static> {
    Request {
        method: method.as_bytes(),
        scheme: Scheme::Https,
        authority: b"localhost:1",
        path: b"/a?b=c",
        path_repeats: true,
        constant,
        own: b"User-Agent: swell\r\nAccept: */*\r\nHost: left out\r\n",
    }
}

#[test]
fn a_prepared_head_says_the_same_in_a_few_bytes() {
    let none: &'static Fields = Box::leak(Box::default());
    for method in ["GET", "HEAD", "PURGE"] {
        let head = PreparedHead::new(&request(method, none)).unwrap();
        let (mut client, mut peer) =
            (Session::new(&Settings::default()), server::Session::new(&Settings::server()));
        let (mut out, mut answers) = (Vec::new(), Vec::new());
        let (mut log, mut scratch) = (Log::default(), Scratch::default());
        client.start(&mut out);
        let mut sizes = Vec::new();
        for number in 0..4_u32 {
            let own: &[u8] = if number < 3 { b"" } else { b"Cookie: d=e\r\n" };
            let before = out.len();
            let stream = client.request_prepared(&head, own, true, &mut out).unwrap();
            assert_eq!(stream.get(), 2 * number + 1);
            sizes.push(out.len() - before);
        }
        peer.feed(&out, &mut scratch, &mut answers, &mut log).unwrap();
        let line = |number: u32, cookie: &str| {
            format!(
                "{number} request {method} https://localhost:1/a?b=c user-agent: swell;accept: */*;{cookie} end"
            )
        };
        let mut seen = log.take();
        seen.retain(|line| line.contains(" request "));
        assert_eq!(seen, [line(1, ""), line(3, ""), line(5, ""), line(7, "cookie: d=e;")]);
        assert!(sizes[0] > 30 && sizes[1] <= 9 + 8 && sizes[1] == sizes[2], "{sizes:?}");
    }
}

#[test]
fn a_head_that_cannot_be_sent_is_refused_before() {
    let none: &'static Fields = Box::leak(Box::default());
    let good = request("GET", none);
    for bad in [
        Request { method: b"G T", ..good },
        Request { path: b"/a b", ..good },
        Request { own: b"a: b\rc: d\r\n", ..good },
    ] {
        assert!(PreparedHead::new(&bad).is_err(), "{bad:?}");
    }
    let head = PreparedHead::new(&good).unwrap();
    let mut client = Session::new(&Settings::default());
    let mut out = Vec::new();
    assert!(client.request_prepared(&head, b"no colon\r\n", true, &mut out).is_err());
    assert_eq!((out.len(), client.open_streams()), (0, 0));
}
