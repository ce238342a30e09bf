//! Responses of every kind, and the state of the connection after them.

use swell_api::{DataType, Needs};

use crate::site::{Answer, Site, Then, Visitor, answer, ok, on_loop, shown};

#[test]
fn a_sample_has_jmeters_fields() {
    on_loop(async {
        let site = Site::start(|_, _| {
            answer(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nok",
                Then::Keep,
            )
        });
        let sample = Visitor::new(&site).get("/a").await;
        assert_eq!((&*sample.label, &*sample.code, &*sample.message), ("name", "200", "OK"));
        assert!(sample.success);
        assert_eq!((sample.data_type, &*sample.encoding), (DataType::Text, "utf-8"));
        assert_eq!(&*sample.content_type, "text/plain; charset=utf-8");
        assert_eq!(sample.body, b"ok");
        assert_eq!(
            sample.response_headers,
            "HTTP/1.1 200 OK\nContent-Type: text/plain; charset=utf-8\nContent-Length: 2\n"
        );
        let host = format!("127.0.0.1:{}", site.port);
        assert_eq!(
            sample.request_headers,
            format!(
                "Connection: keep-alive\nHost: {host}\nUser-Agent: Apache-HttpClient/4.5.14 (Java/17.0.15)\n"
            )
        );
        let wanted = format!("GET http://{host}/a\n\nGET data:\n\n\n[no cookies]\n");
        assert_eq!(sample.sampler_data, Some(wanted));
        assert_eq!(sample.url.as_deref(), Some(format!("http://{host}/a").as_str()));
        assert_eq!(sample.bytes, 81);
        assert_eq!((sample.header_size, sample.body_size), (79, 2));
        assert_eq!(sample.sent_bytes, site.last().len() as u64);
        let t = sample.timing;
        assert!(t.start_ns <= t.connected_ns && t.connected_ns <= t.first_byte_ns, "{t:?}");
        assert!(t.first_byte_ns <= t.end_ns && t.end_ns <= t.read_ns, "{t:?}");
        assert_eq!(&*sample.http.unwrap().method, "GET");
    });
}

#[test]
fn what_nobody_needs_is_not_kept() {
    on_loop(async {
        let site = Site::start(|_, _| ok("body"));
        let mut visitor = Visitor::with(&site, &[], vec![], Needs::default());
        let sample = visitor.get("/").await;
        assert!(sample.body.is_empty() && sample.response_headers.is_empty() && sample.http.is_none());
        assert_eq!((sample.bytes, sample.body_size, &*sample.code), (42, 4, "200"));
        assert_eq!(sample.body.len(), 0);
    });
}

/// Samples a response and another after it, on a new connection and on an open one. `wanted`: code,
/// message, body, whether the connection was used again.
fn check(given: &Answer, wanted: (&str, &str, &str, bool)) {
    let (code, message, body, reused) = wanted;
    for warm in [false, true] {
        on_loop(async move {
            let (site, mut visitor) = once(given.clone(), warm).await;
            let sample = visitor.get("/first").await;
            assert_eq!((&*sample.code, &*sample.message), (code, message));
            assert_eq!(String::from_utf8_lossy(&sample.body), body);
            assert_eq!(sample.timing.connected_ns == 0, warm);
            let next = visitor.get("/next").await;
            assert_eq!(&*next.code, "200", "{}", next.message);
            assert_eq!(next.timing.connected_ns == 0, reused);
            let connections = [(1, "/first".to_owned()), (if reused { 1 } else { 2 }, "/next".to_owned())];
            assert_eq!(site.targets()[usize::from(warm)..], connections);
        });
    }
}

/// A site that gives an answer once, and a visitor, who has a connection already where it is
/// `warm`.
async fn once(given: Answer, warm: bool) -> (Site, Visitor) {
    let given = std::cell::RefCell::new(Some(given));
    let site = Site::start(move |target, _| match target {
        "/warm" => ok(""),
        _ => given.borrow_mut().take().unwrap_or_else(|| ok("next")),
    });
    let mut visitor = Visitor::new(&site);
    if warm {
        assert!(visitor.get("/warm").await.success);
    }
    (site, visitor)
}

#[test]
fn connections_are_kept_where_httpclient_keeps_them() {
    let length = "Content-Length: 3\r\n\r\nabc";
    let table = [
        (format!("HTTP/1.1 200 OK\r\n{length}"), "200", "OK", "abc", true),
        (format!("HTTP/1.1 404 Not Found\r\n{length}"), "404", "Not Found", "abc", true),
        (format!("HTTP/1.0 200 OK\r\n{length}"), "200", "OK", "abc", false),
        (format!("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n{length}"), "200", "OK", "abc", true),
        (format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{length}"), "200", "OK", "abc", false),
        (format!("HTTP/1.1 200 OK\r\n{length}EXTRA"), "200", "OK", "abc", false),
        ("HTTP/1.1 204 No Content\r\n\r\n".to_owned(), "204", "No Content", "", true),
        (
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n".to_owned(),
            "304",
            "Not Modified",
            "",
            true,
        ),
    ];
    for (text, code, message, body, reused) in table {
        check(&answer(text, Then::Keep), (code, message, body, reused));
    }
    check(&answer("HTTP/1.0 200 OK\r\n\r\nabc", Then::Close), ("200", "OK", "abc", false));
}

#[test]
fn odd_responses_are_read_as_httpclient_reads_them() {
    let good = ("200", "OK", "abc", true);
    check(&answer("HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc", Then::Keep), ("200", "", "abc", true));
    check(&answer("\r\n\r\njunk\nHTTP/1.1 200 OK\nContent-Length: 3\n\nabc", Then::Keep), good);
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
    check(&answer(interim, Then::Keep), good);
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2 \r\nde\r\n0;x\r\nT: v\r\n\r\n";
    check(&answer(chunked, Then::Keep), ("200", "OK", "abcde", true));
    let pieces =
        ["HTTP/1.1 200 OK\r\nTrans", "fer-Encoding: chunked\r", "\n\r\n3\r\na", "bc\r", "\n0\r\n", "\r\n"];
    check(&Answer(pieces.map(|piece| piece.as_bytes().to_vec()).to_vec(), Then::Keep), good);
    check(&answer("HTTP/1.1 200 OK\r\nX: cut", Then::Close), ("200", "OK", "", false));
}

#[test]
fn failures_have_javas_names() {
    let length = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc";
    let chunked = |rest: &str| format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{rest}");
    let none = "org.apache.http.NoHttpResponseException";
    let protocol = "org.apache.http.client.ClientProtocolException";
    let closed = "org.apache.http.ConnectionClosedException";
    let malformed = "org.apache.http.MalformedChunkCodingException";
    let socket = "java.net.SocketException";
    let table = vec![
        (answer("", Then::Close), none, "HOST failed to respond"),
        (answer("", Then::Reset), socket, "Connection reset"),
        (answer("hello world\r\nfoo\r\n\r\n", Then::Close), protocol, "null"),
        (answer("HTTP/1.1 20", Then::Close), protocol, "null"),
        (answer("HTTP/1.1 200 OK\r\nnocolon\r\n\r\n", Then::Keep), protocol, "null"),
        (answer("HTTP/2 200\r\nContent-Length: 3\r\n\r\nabc", Then::Keep), protocol, "null"),
        (
            answer(length, Then::Close),
            closed,
            "Premature end of Content-Length delimited message body (expected: 10; received: 3)",
        ),
        (answer(length, Then::Reset), socket, "Connection reset"),
        (
            answer(chunked("5\r\nabc"), Then::Close),
            "org.apache.http.TruncatedChunkException",
            "Truncated chunk (expected size: 5; actual size: 3)",
        ),
        (
            answer(chunked("3\r\nabc\r\n"), Then::Close),
            closed,
            "Premature end of chunk coded message body: closing chunk expected",
        ),
        (answer(chunked("zz\r\nabc\r\n"), Then::Keep), malformed, "Bad chunk header: zz"),
        (answer(chunked("3\r\nabcd\r\n"), Then::Keep), malformed, "Unexpected content at the end of chunk"),
    ];
    for ((given, class, message), warm) in
        table.into_iter().flat_map(|case| [(case.clone(), false), (case, true)])
    {
        on_loop(async move {
            let (site, mut visitor) = once(given, warm).await;
            let sample = visitor.get("/").await;
            let message = message.replace("HOST", &format!("127.0.0.1:{}", site.port));
            assert_eq!(shown(&sample), (class.to_owned(), message));
            assert!(!sample.success && sample.data_type == DataType::Text);
            assert_eq!((sample.sent_bytes, sample.bytes), (0, sample.body.len() as u64));
            assert!(sample.body_text().starts_with(class), "{}", sample.body_text());
            assert!(sample.response_headers.is_empty() && !sample.request_headers.is_empty());
            let next = visitor.get("/").await;
            let used = site.targets().last().map(|(connection, _)| *connection);
            assert_eq!((&*next.code, used), ("200", Some(2)), "a broken connection is not used again");
        });
    }
}

#[test]
fn refused_and_unknown() {
    on_loop(async {
        let site = Site::start(|_, _| ok(""));
        // A port that was just free.
        let free = swell_net::TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut visitor = Visitor::new(&site);
        let edit = |e: swell_plan::Element| e.with_text("HTTPSampler.port", &port.to_string());
        let sample = visitor.get_with("/", edit).await.unwrap();
        let message = format!("Connect to 127.0.0.1:{port} [/127.0.0.1] failed: Connection refused");
        assert_eq!(shown(&sample), ("org.apache.http.conn.HttpHostConnectException".to_owned(), message));
        assert!(
            sample.timing.connected_ns >= sample.timing.start_ns,
            "JMeter ends the connect time here too"
        );
        let malformed = visitor.get_with("/", |e| e.with_text("HTTPSampler.protocol", "foo")).await.unwrap();
        assert_eq!(shown(&malformed).0, "java.net.MalformedURLException");
        assert_eq!((&*malformed.label, malformed.url.is_none()), ("", true));
        let syntax = visitor.get("/a{b}").await;
        assert_eq!(shown(&syntax).0, "java.net.URISyntaxException");
        assert_eq!((&*syntax.label, syntax.url.is_some()), ("name", true));
        assert!(site.targets().is_empty());
    });
}

#[test]
fn timeouts_are_for_each_read() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/warm" => ok(""),
            "/nothing" => answer("", Then::Hang),
            _ => answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na", Then::Hang),
        });
        let mut visitor = Visitor::new(&site);
        for (path, warm) in [("/nothing", false), ("/part", false), ("/nothing", true), ("/part", true)] {
            if warm {
                visitor.get("/warm").await;
            }
            let short = |e: swell_plan::Element| e.with_text("HTTPSampler.response_timeout", "60");
            let sample = visitor.get_with(path, short).await.unwrap();
            assert_eq!(
                shown(&sample),
                ("java.net.SocketTimeoutException".to_owned(), "Read timed out".to_owned())
            );
            assert_eq!(sample.timing.connected_ns == 0, warm);
            assert!(sample.timing.elapsed_ns() >= 55_000_000, "{:?}", sample.timing);
            assert_eq!(sample.timing.first_byte_ns == 0, path == "/nothing");
            assert_eq!(sample.timing.read_delay_ns(), None, "{:?}", sample.timing);
        }
    });
}

#[test]
fn where_no_answer_was_read_there_is_no_late_read() {
    on_loop(async {
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
        let site = Site::start(move |target, _| match target {
            "/whole" => answer("HTTP/1.1 200 OK\r\n\r\nup to the end", Then::Close),
            "/ended" => answer("", Then::Close),
            "/half" => answer(half, Then::Close),
            "/broken" => answer(half, Then::Reset),
            "/strange" => answer("SSH-2.0-x\r\n\r\n", Then::Close),
            _ => answer("", Then::Reset),
        });
        let mut visitor = Visitor::new(&site);
        let whole = visitor.get("/whole").await;
        assert!(whole.success && whole.timing.read_delay_ns().is_some(), "{:?}", whole.timing);
        for path in ["/ended", "/half", "/broken", "/strange"] {
            let failed = visitor.get(path).await;
            assert_eq!(failed.timing.read_delay_ns(), None, "{path} {}: {:?}", failed.code, failed.timing);
            assert!(failed.timing.end_ns >= failed.timing.start_ns, "{path}: {:?}", failed.timing);
        }
        let reset = visitor.get("/").await;
        let refused = visitor.get_with("/", |e| e.with_text("HTTPSampler.port", "1")).await.unwrap();
        let bad = visitor.get_with("/", |e| e.with_text("HTTPSampler.port", "99999")).await.unwrap();
        for sample in [reset, refused, bad] {
            assert_eq!(sample.timing.read_delay_ns(), None, "{}: {:?}", sample.code, sample.timing);
        }
    });
}

#[test]
fn a_head_of_ten_megabytes() {
    on_loop(async {
        let site = Site::start(|_, _| {
            let mut pieces = vec![b"HTTP/1.1 200 OK\r\n".to_vec()];
            pieces.extend((0..160).map(|i| format!("X-{i}: {}\r\n", "a".repeat(65_530)).into_bytes()));
            pieces.push(b"Content-Length: 2\r\n\r\nok".to_vec());
            Answer(pieces, Then::Keep)
        });
        let sample = Visitor::new(&site).get("/").await;
        assert_eq!((&*sample.code, &*sample.body), ("200", &b"ok"[..]));
        assert!(sample.header_size > 10_000_000);
    });
}

#[test]
fn bodies_are_decoded_and_sizes_are_those_on_the_wire() {
    use std::io::Write;
    on_loop(async {
        let site = Site::start(|target, _| {
            let text = b"hello".repeat(20);
            let (coding, body) = match target {
                "/gzip" => {
                    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                    gzip.write_all(&text).unwrap();
                    ("gzip", gzip.finish().unwrap())
                }
                "/br" => {
                    let mut out = Vec::new();
                    brotli::CompressorWriter::new(&mut out, 4096, 5, 22).write_all(&text).unwrap();
                    ("br", out)
                }
                _ => ("gzip", b"hello".to_vec()),
            };
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\nA: b\r\n\r\n",
                body.len()
            );
            answer([head.into_bytes(), body].concat(), Then::Keep)
        });
        let mut all = Visitor::new(&site);
        for path in ["/gzip", "/br"] {
            let sample = all.get(path).await;
            assert_eq!(sample.body, b"hello".repeat(20), "{path}");
            assert!(sample.body_size < 60, "sizes are those on the wire");
            let lines: Vec<&str> =
                sample.response_headers.lines().map(|l| l.split(':').next().unwrap()).collect();
            assert_eq!(lines[1..], ["A", "Content-Length", "Content-Encoding"]);
        }
        let broken = all.get("/broken").await;
        assert_eq!(
            shown(&broken),
            ("java.util.zip.ZipException".to_owned(), "Not in GZIP format".to_owned())
        );
    });
}

#[test]
fn stored_bytes_can_be_limited_and_digested() {
    on_loop(async {
        let site = Site::start(|_, _| ok("0123456789"));
        let props = [("httpsampler.max_bytes_to_store_per_request", "4")];
        let sample = Visitor::with(&site, &props, vec![], Needs::ALL).get("/").await;
        assert_eq!((&*sample.body, sample.body_size), (&b"0123"[..], 10));
        let md5 = |e: swell_plan::Element| e.with_flag("HTTPSampler.md5", true);
        let sample = Visitor::new(&site).get_with("/", md5).await.unwrap();
        assert_eq!(sample.body_text(), "781e5e245d69b566979b86e28d23f2c7");
    });
}

#[test]
fn tls_resumes_for_its_user_only() {
    on_loop(async {
        let site = Site::start_tls(|target, _| match target {
            "/close" => {
                answer("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", Then::Close)
            }
            _ => ok("secret"),
        });
        let mut visitor = Visitor::new(&site);
        let https = |e: swell_plan::Element| {
            e.with_text("HTTPSampler.protocol", "https").with_text("HTTPSampler.domain", "localhost")
        };
        let sample = visitor.get_with("/a", https).await.unwrap();
        assert_eq!((&*sample.code, &*sample.body), ("200", &b"secret"[..]), "{}", sample.message);
        assert!(sample.timing.connected_ns > 0);
        visitor.get_with("/close", https).await.unwrap();
        let again = visitor.get_with("/b", https).await.unwrap();
        assert_eq!(&*again.code, "200");
        let targets: Vec<usize> = site.targets().into_iter().map(|(n, _)| n).collect();
        assert_eq!(targets, [1, 1, 2]);
    });
}

#[test]
fn a_site_without_tls_is_told_from_one_with() {
    on_loop(async {
        let site = Site::start(|_, _| ok(""));
        let listener = swell_net::TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(swell_net::spawn(async move {
            while let Ok((mut tcp, _)) = listener.accept().await {
                let _ = tcp.recv(|_, _| ()).await;
                let _ = tcp.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            }
        }));
        let edit = |e: swell_plan::Element| {
            e.with_text("HTTPSampler.protocol", "https").with_text("HTTPSampler.port", &port.to_string())
        };
        let sample = Visitor::new(&site).get_with("/", edit).await.unwrap();
        assert_eq!(
            shown(&sample),
            ("javax.net.ssl.SSLException".to_owned(), "Unsupported or unrecognized SSL message".to_owned())
        );
    });
}
