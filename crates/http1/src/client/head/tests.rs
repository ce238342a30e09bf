use super::*;

fn parse(text: &str) -> Result<ResponseFacts, WireError> {
    ResponseHead::parse(text.as_bytes(), false).map(|h| h.facts)
}

fn text(head: &str, moved: &[&str]) -> String {
    let mut out = String::new();
    ResponseHead::parse(head.as_bytes(), false).unwrap().text(moved, &mut out);
    out
}

#[test]
fn framing_and_reuse_follow_httpclient() {
    use Framing::{Chunked, Length, None, UntilClose};
    let table = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", Length(3), true),
        ("HTTP/1.1 200 OK\r\n\r\n", UntilClose, false),
        ("HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n", UntilClose, false),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", UntilClose, false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", Length(3), false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", Length(4), false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: x\r\n\r\n", Length(3), false),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Chunked, true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Length: 30\r\n\r\n", Chunked, true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", Chunked, false),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 3\r\n\r\n", UntilClose, false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n", Length(3), false),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\n", Length(3), true),
        ("HTTP/1.0 200 OK\r\nProxy-Connection: Keep-Alive\r\nContent-Length: 3\r\n\r\n", Length(3), true),
        ("HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 3\r\n\r\n", Length(3), false),
        ("HTTP/1.1 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 3\r\n\r\n", Length(3), false),
        (
            "HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\n",
            Length(3),
            false,
        ),
        ("HTTP/1.1 204 No Content\r\n\r\n", None, true),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", None, false),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", None, true),
        ("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", None, false),
        ("HTTP/1.1 205 Reset\r\n\r\n", None, true),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n", None, true),
    ];
    for (head, framing, reusable) in table {
        let facts = parse(head).unwrap();
        assert_eq!((facts.framing, facts.reusable), (framing, reusable), "{head}");
    }
    let to_head = ResponseHead::parse(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", true).unwrap().facts;
    assert_eq!((to_head.framing, to_head.reusable), (None, true));
}

#[test]
fn header_size_is_jmeters() {
    let table = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", 38),
        ("HTTP/1.1 200\r\nContent-Length: 3\r\n\r\n", 36),
        ("HTTP/1.1 200 OK\nContent-Length: 3\nX:  y  \nZ:\n\n", 38 + 9 + 4),
        ("HTTP/1.1 200 OK\r\nX: a\r\n  b\r\n\tc\r\n\r\n", 19 + 10),
    ];
    for (head, size) in table {
        assert_eq!(parse(head).unwrap().header_size, size, "{head}");
    }
}

#[test]
fn text_is_jmeters() {
    assert_eq!(
        text("HTTP/1.1 200  Very  OK \r\nX:  y  \r\nZ:\r\n\r\n", &[]),
        "HTTP/1.1 200 Very  OK\nX:  y  \nZ:\n"
    );
    assert_eq!(text("HTTP/1.1 200\r\nX: a\r\n  b\r\n\tc\r\n\r\n", &[]), "HTTP/1.1 200 \nX: a b c\n");
    let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 28\r\nA: b\r\n\r\n";
    let moved = ["content-length", "content-encoding", "content-md5"];
    assert_eq!(text(gzip, &moved), "HTTP/1.1 200 OK\nA: b\nContent-Length: 28\nContent-Encoding: gzip\n");
    let latin1 = ResponseHead::parse(b"HTTP/1.1 200 caf\xe9\r\nX: \xe9\xff\r\n\r\n", false).unwrap();
    let mut out = String::new();
    latin1.text(&[], &mut out);
    assert_eq!(out, "HTTP/1.1 200 caf\u{e9}\nX: \u{e9}\u{ff}\n");
}

#[test]
fn refused_heads_say_what_httpclient_says() {
    let table = [
        ("HTTP/1.1 99 E\r\n\r\n", "Invalid response: HTTP/1.1 99 E"),
        ("HTTP/1.1 abc E\r\n\r\n", "Status line contains invalid status code: HTTP/1.1 abc E"),
        ("HTTP/2 200\r\n\r\n", "Invalid protocol version number: HTTP/2 200"),
        ("HTTP/1.1 200 OK\r\nnocolon\r\n\r\n", "Invalid header: nocolon"),
        ("HTTP/1.1 200 OK\r\nna me: x\r\n: y\r\n\r\n", "Invalid header: : y"),
    ];
    for (head, words) in table {
        assert_eq!(parse(head), Err(WireError::Head(words.into())), "{head}");
    }
}

#[test]
fn keep_alive_timeout_is_read() {
    let head = "HTTP/1.1 200 OK\r\nKeep-Alive: max=100, timeout=5\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(parse(head).unwrap().keep_alive_ms, Some(5000));
    assert_eq!(parse("HTTP/1.1 200 OK\r\nKeep-Alive: 5\r\n\r\n").unwrap().keep_alive_ms, Option::None);
}

#[test]
fn headers_are_found_by_name() {
    let head = ResponseHead::parse(b"HTTP/1.1 302 F\r\nlocation: /a\r\nLOCATION: /b\r\n\r\n", false).unwrap();
    assert_eq!(head.first("Location").as_deref(), Some(&b"/a"[..]));
    assert_eq!(head.last("Location").as_deref(), Some(&b"/b"[..]));
    assert!(head.first("x").is_none());
}

#[test]
fn the_content_type_is_the_last_one() {
    let heads = [
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type:  text/html \r\nX: y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: a\r\nCONTENT-type: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: a\r\n b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: a\r\nContent-Type: b;\r\n c\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: a;\r\n b\r\nContent-Type: c\r\n\r\n",
    ];
    for text in heads {
        let head = ResponseHead::parse(text.as_bytes(), false).unwrap();
        assert_eq!(head.content_type(), head.last("Content-Type"), "{text}");
        let mut last = CachedHead::none();
        last.keep(text.as_bytes(), &head);
        let (again, _) = ResponseHead::repeated(text.as_bytes(), &last).unwrap();
        assert_eq!(again.content_type(), head.content_type(), "{text}");
    }
}

#[test]
fn a_line_that_comes_in_many_pieces_is_searched_once() {
    let mut finder = Finder::default();
    let mut bytes = b"HTTP/1.1 200 OK\r\nX: aaaaaaaa".to_vec();
    assert_eq!(finder.find(&bytes), None);
    // Who looks at a searched byte again sees a line end there that was none.
    let last = bytes.len() - 1;
    bytes[last] = b'\n';
    bytes.extend(b"\r");
    assert_eq!(finder.find(&bytes), None);
    bytes[last] = b'a';
    bytes.extend(b"\n\r\n");
    assert_eq!(finder.find(&bytes), Some((0, bytes.len())));
}

#[test]
fn the_last_eight_heads_are_known() {
    let text = |i: usize| format!("HTTP/1.1 200 OK\r\nContent-Length: {i}\r\n\r\n");
    let mut known = KnownHeads::none();
    for i in 0..9 {
        assert!(known.find(text(i).as_bytes()).is_none(), "{i}");
        known.keep(text(i).as_bytes(), &ResponseHead::parse(text(i).as_bytes(), false).unwrap());
    }
    for i in 0..9 {
        let bytes = text(i) + "body";
        let framing = known.find(bytes.as_bytes()).map(|(head, size)| (head.facts.framing, size));
        let wanted = (Framing::Length(i as u64), text(i).len());
        assert_eq!(framing, (i > 0).then_some(wanted), "the first was instead of the ninth");
    }
}
