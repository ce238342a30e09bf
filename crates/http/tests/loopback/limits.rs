//! Limits of a response: memory, turns of the worker, time.

use std::io::Write;

use swell_api::{Cut, Needs};
use swell_connect::Stream;
use swell_net::TcpListener;

use crate::site::{Answer, Site, Then, Visitor, answer, on_loop, redirect, shown};

const MB: usize = 1 << 20;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text).expect("writing to a Vec cannot fail");
    gzip.finish().expect("writing to a Vec cannot fail")
}

fn coded(coding: &str, body: &[u8]) -> Answer {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n", body.len());
    answer([head.as_bytes(), body].concat(), Then::Keep)
}

fn plain(size: usize) -> Answer {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n");
    answer([head.into_bytes(), vec![b'x'; size]].concat(), Then::Keep)
}

#[test]
fn a_corrupt_body_fails_also_where_nobody_reads_it() {
    on_loop(async {
        let whole = gzip(&b"hello".repeat(20));
        let mut flipped = whole.clone();
        flipped[whole.len() - 6] ^= 1;
        let site = Site::start(move |target, _| match target {
            "/whole" => coded("gzip", &whole),
            "/flipped" => coded("gzip", &flipped),
            "/cut" => coded("gzip", &whole[..whole.len() - 10]),
            _ => coded("gzip", b"hello"),
        });
        let mut nobody = Visitor::with(&site, &[], vec![], Needs::default());
        let zip = "java.util.zip.ZipException";
        let end = "java.io.EOFException";
        for (path, class, message) in [
            ("/none", zip, "Not in GZIP format"),
            ("/flipped", zip, "Corrupt GZIP trailer"),
            ("/cut", end, "Unexpected end of ZLIB input stream"),
        ] {
            let sample = nobody.get(path).await;
            assert_eq!(shown(&sample), (class.to_owned(), message.to_owned()), "{path}");
            assert!(!sample.success && sample.body.is_empty());
        }
        let sample = nobody.get("/whole").await;
        assert!(sample.success && sample.body.is_empty(), "{}", sample.message);
        // All of each body has come, so the connection is used again, as in JMeter (parity case
        // `answers_packed`).
        let connections: Vec<usize> = site.targets().into_iter().map(|(number, _)| number).collect();
        assert_eq!(connections, [1, 1, 1, 1]);
    });
}

#[test]
fn a_large_body_that_nothing_reads_counts_as_one_that_is_read() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/cut" => {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 2 * MB);
                answer([head.into_bytes(), vec![b'x'; MB]].concat(), Then::Close)
            }
            "/more" => {
                let Answer(mut pieces, then) = plain(2 * MB);
                pieces[0].extend_from_slice(b"more");
                Answer(pieces, then)
            }
            _ => plain(2 * MB),
        });
        let mut shown = Vec::new();
        for needs in [Needs::default(), Needs { body: true, ..Needs::default() }] {
            let mut visitor = Visitor::with(&site, &[], vec![], needs);
            for path in ["/", "/", "/more", "/", "/cut", "/"] {
                let sample = visitor.get(path).await;
                assert_eq!(sample.success, path != "/cut", "{path}: {}", sample.message);
                assert!(sample.timing.end_ns >= sample.timing.start_ns, "{path}");
                shown.push((path, sample.body_size, sample.bytes, sample.message.to_string()));
            }
        }
        let (unread, read) = shown.split_at(6);
        assert_eq!(unread, read);
        let numbers: Vec<usize> = site.targets().into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers[..6], [1, 1, 1, 2, 2, 3], "a connection with more on it is not used again");
    });
}

#[test]
fn a_run_can_leave_bodies_coded_that_nothing_reads() {
    on_loop(async {
        let whole = gzip(&b"hello".repeat(20));
        let size = whole.len() as u64;
        let site = Site::start(move |target, _| match target {
            "/whole" => coded("gzip", &whole),
            _ => coded("gzip", b"hello"),
        });
        let props = [("swell.http.unread_bodies", "coded")];
        let mut nobody = Visitor::with(&site, &props, vec![], Needs::default());
        let sample = nobody.get("/none").await;
        assert!(sample.success, "{}", sample.message);
        assert_eq!(nobody.get("/whole").await.body_size, size);
        let mut reader = Visitor::with(&site, &props, vec![], Needs::ALL);
        assert!(!reader.get("/none").await.success);
        assert_eq!(reader.get("/whole").await.body, b"hello".repeat(20));
    });
}

#[test]
fn of_a_bomb_the_beginning_is_kept_and_the_rest_is_counted_on_the_wire() {
    on_loop(async {
        let bomb = gzip(&vec![0; 4 * MB]);
        let twice = gzip(&bomb);
        let size = bomb.len() as u64;
        let site = Site::start(move |target, _| match target {
            "/twice" => coded("gzip, gzip", &twice),
            _ => coded("gzip", &bomb),
        });
        let props = [("response.max_bytes", "1048576")];
        let mut visitor = Visitor::with(&site, &props, vec![], Needs::ALL);
        for (path, cut) in [("/", 1), ("/twice", 2)] {
            let sample = visitor.get(path).await;
            assert!(sample.success, "{}", sample.message);
            assert_eq!(sample.body, vec![0; MB], "{path}");
            assert_eq!(visitor.compile.bodies().cut(Cut::TooLong), cut);
        }
        assert_eq!(visitor.get("/").await.body_size, size);
        let mut nobody = Visitor::with(&site, &props, vec![], Needs::default());
        assert!(nobody.get("/").await.success);
        assert_eq!(nobody.compile.bodies().cut(Cut::TooLong), 1, "undecoded bodies are reported");
    });
}

#[test]
fn a_plain_body_is_kept_up_to_the_limit_and_counted_beyond() {
    on_loop(async {
        let site = Site::start(|_, _| plain(3 * MB));
        let mut visitor = Visitor::with(&site, &[("response.max_bytes", "1000000")], vec![], Needs::ALL);
        let sample = visitor.get("/").await;
        assert_eq!((sample.success, sample.body.len(), sample.body_size), (true, 1_000_000, 3 * MB as u64));
        assert_eq!(visitor.compile.bodies().cut(Cut::TooLong), 1);
        // A limit below what needs no room, and a body that comes in pieces.
        let pieces = Site::start(|_, _| {
            let Answer(whole, then) = plain(5_000);
            Answer(whole.concat().chunks(2_000).map(<[u8]>::to_vec).collect(), then)
        });
        let mut visitor = Visitor::with(&pieces, &[("response.max_bytes", "1000")], vec![], Needs::ALL);
        let sample = visitor.get("/").await;
        assert_eq!((sample.success, sample.body.len(), sample.body_size), (true, 1_000, 5_000));
        assert_eq!(visitor.compile.bodies().cut(Cut::TooLong), 1);
        // A limit set by the plan itself is not reported.
        let props = [("httpsampler.max_bytes_to_store_per_request", "70000")];
        let mut asked = Visitor::with(&site, &props, vec![], Needs::ALL);
        assert_eq!(asked.get("/").await.body.len(), 70_000);
        assert_eq!(asked.compile.bodies().told(), None);
    });
}

#[test]
fn all_users_together_keep_so_much_and_give_it_back() {
    on_loop(async {
        let site = Site::start(|_, _| plain(MB));
        let props = [("response.max_bytes_total", "1500000")];
        let mut visitor = Visitor::with(&site, &props, vec![], Needs::ALL);
        let first = visitor.get("/").await;
        let second = visitor.get("/").await;
        assert_eq!(first.body.len(), MB);
        assert!(second.success && second.body.len() < MB / 2, "{}", second.body.len());
        assert_eq!(visitor.compile.bodies().cut(Cut::NoRoom), 1);
        drop((first, second));
        assert_eq!(visitor.get("/").await.body.len(), MB, "there is room again");
    });
}

#[test]
fn the_digest_is_that_of_all_that_came() {
    use md5::Digest as _;
    on_loop(async {
        let site = Site::start(|_, _| plain(3 * MB));
        let mut visitor = Visitor::with(&site, &[("response.max_bytes", "1000")], vec![], Needs::ALL);
        let sample = visitor.get_with("/", |e| e.with_flag("HTTPSampler.md5", true)).await.unwrap();
        let wanted = format!("{:x}", md5::Md5::digest(vec![b'x'; 3 * MB]));
        assert_eq!(sample.body_text(), wanted);
    });
}

#[test]
fn resources_of_a_page_are_under_the_same_limits() {
    on_loop(async {
        let bomb = gzip(&vec![b' '; 2 * MB]);
        let site = Site::start(move |target, _| match target {
            "/" => {
                let page = "<img src=a><img src=b>";
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ";
                answer(format!("{head}{}\r\n\r\n{page}", page.len()), Then::Keep)
            }
            _ => coded("gzip", &bomb),
        });
        let mut visitor = Visitor::with(&site, &[("response.max_bytes", "100000")], vec![], Needs::ALL);
        let page = visitor.get_with("/", |e| e.with_flag("HTTPSampler.image_parser", true)).await.unwrap();
        let sizes: Vec<usize> = page.sub_results.iter().map(|sub| sub.body.len()).collect();
        assert_eq!((page.success, &sizes[1..]), (true, &[100_000, 100_000][..]), "{}", page.message);
        assert_eq!(visitor.compile.bodies().cut(Cut::TooLong), 2);
    });
}

const OVER: &str = "The sample took longer than 80 ms in total (http.total_timeout)";

/// The sample failed by its total time.
#[track_caller]
fn is_over(sample: &swell_api::SampleResult) {
    assert_eq!(shown(sample), ("java.net.SocketTimeoutException".to_owned(), OVER.to_owned()));
    assert!(sample.timing.elapsed_ns() >= 75_000_000, "{:?}", sample.timing);
}

#[test]
fn a_sample_ends_when_its_total_time_is_over() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/redirect" => redirect(302, "/hang"),
            "/half" => answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", Then::Hang),
            "/interim" => answer("HTTP/1.1 100 Continue\r\n\r\n".repeat(1000), Then::Hang),
            "/fine" => plain(4),
            _ => answer("", Then::Hang),
        });
        let mut visitor = Visitor::with(&site, &[("http.total_timeout", "80")], vec![], Needs::ALL);
        for path in ["/hang", "/half", "/interim"] {
            is_over(&visitor.get(path).await);
            assert!(visitor.get("/fine").await.success, "the next has its own time");
        }
        let chain = visitor.follow("/redirect").await;
        is_over(&chain);
        assert_eq!(chain.sub_results.len(), 2);
    });
}

#[test]
fn a_body_without_end_leaves_others_their_turns_and_ends_with_its_time() {
    on_loop(async {
        let site = Site::start(|_, _| plain(4));
        let listener = TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(swell_net::spawn(async move {
            let (tcp, _) = listener.accept().await.unwrap();
            let mut stream = Stream::Tcp(tcp);
            stream.send_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            let piece = vec![b'x'; 65_536];
            while stream.send_all(&piece).await.is_ok() {
                swell_net::yield_now().await;
            }
        }));
        let props = [("http.total_timeout", "80"), ("response.max_bytes", "100000")];
        let mut visitor = Visitor::with(&site, &props, vec![], Needs::ALL);
        let endless = |e: swell_plan::Element| e.with_text("HTTPSampler.port", &port.to_string());
        is_over(&visitor.get_with("/", endless).await.unwrap());
        assert_eq!(visitor.compile.bodies().cut(Cut::TooLong), 1);
    });
}

#[test]
fn a_wrong_limit_is_an_error_that_is_said_once() {
    on_loop(async {
        let site = Site::start(|_, _| plain(4));
        let props = [("http.total_timeout", "soon"), ("response.max_bytes", "-1")];
        let mut visitor = Visitor::with(&site, &props, vec![], Needs::ALL);
        visitor.get("/").await;
        visitor.get("/").await;
        let found = visitor.compile.diagnostics.borrow();
        let said: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said.iter().any(|said| said.contains("http.total_timeout: `soon` is not a whole number")),
            "{said:?}"
        );
        drop(found);
    });
}

#[test]
fn a_body_that_takes_long_to_decode_ends_with_its_time() {
    on_loop(async {
        // No machine decodes that in a millisecond.
        let bomb = gzip(&vec![0; 16 * MB]);
        let site = Site::start(move |_, _| coded("gzip", &bomb));
        let mut visitor = Visitor::with(&site, &[("http.total_timeout", "1")], vec![], Needs::ALL);
        let sample = visitor.get("/").await;
        let (class, message) = shown(&sample);
        assert_eq!(class, "java.net.SocketTimeoutException", "{message}");
        assert!(sample.body_text().contains("http.total_timeout"));
    });
}
