//! Pages that never change: made once, sent as they are.

use std::fmt::Write;
use std::sync::LazyLock;

use swell_http1::date::parse_http;
use swell_http1::server::RequestHead;

use crate::wire::{Coding, encode};

use super::table::ROUTES;

/// One of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageId {
    Index,
    /// Three bytes for answers whose body does not matter.
    Ok,
    PlainText,
    Slow,
    NonCacheable,
    SlowPost,
    Page,
    Style,
    Script,
    Logo,
    Dot,
}

/// A page's content and how it is sent.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) content_type: &'static str,
    pub(crate) identity: Vec<u8>,
    /// The same in gzip, for clients that take it.
    pub(crate) gzip: Option<Vec<u8>>,
    /// It says when it last changed and answers conditional requests.
    pub(crate) cacheable: bool,
    /// No length is given: the connection's end is the body's end.
    pub(crate) closes: bool,
}

/// When every page last changed, as seconds since the epoch.
const LAST_MODIFIED_S: i64 = 1_380_614_400;
/// The same as sent.
pub(crate) const LAST_MODIFIED: &str = "Tue, 01 Oct 2013 08:00:00 GMT";

/// All pages, by [`PageId`].
pub(crate) static PAGES: LazyLock<[Page; 11]> = LazyLock::new(|| {
    [
        file("text/html", index()),
        Page { gzip: None, cacheable: false, ..file("text/plain", b"ok\n".to_vec()) },
        file("text/html", plain_text()),
        closing(b"slow".repeat(10_240)),
        closing(b"Little Blind Text".repeat(1_024)),
        closing(b"slowpost".repeat(1_024)),
        file("text/html", PAGE.into()),
        file("text/css", STYLE.into()),
        file("application/javascript", SCRIPT.into()),
        Page { gzip: None, ..file("image/png", LOGO.into()) },
        Page { gzip: None, ..file("image/gif", DOT.into()) },
    ]
});

impl PageId {
    pub(crate) fn page(self) -> &'static Page {
        &PAGES[self as usize]
    }

    /// Whether a conditional request has this page already (RFC 9110 §13.1.3).
    pub(crate) fn is_unchanged_for(self, head: &RequestHead<'_>) -> bool {
        let Some(since) = head.if_modified_since else { return false };
        self.page().cacheable
            && matches!(head.method, "GET" | "HEAD")
            && (since == LAST_MODIFIED.as_bytes()
                || std::str::from_utf8(since)
                    .ok()
                    .and_then(parse_http)
                    .is_some_and(|at_ms| at_ms >= LAST_MODIFIED_S * 1000))
    }
}

fn file(content_type: &'static str, identity: Vec<u8>) -> Page {
    let gzip = Some(encode(Coding::Gzip, &identity));
    Page { content_type, identity, gzip, cacheable: true, closes: false }
}

fn closing(identity: Vec<u8>) -> Page {
    Page { cacheable: false, closes: true, ..file("text/plain", identity) }
}

fn index() -> Vec<u8> {
    let mut rows = String::new();
    for route in ROUTES {
        let example = route.example.replace('&', "&amp;");
        let help = route.help.replace('&', "&amp;");
        writeln!(rows, "<tr><td><a href=\"{example}\">{example}</a><td>{help}")
            .expect("writing to memory does not fail");
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Site under \
        test</title>\n<h1>Site under test</h1>\n<p>Every delay of this site is known; <a \
        href=\"/stats\">/stats</a> has the true times.</p>\n<table>\n{rows}</table>\n</html>\n"
    )
    .into_bytes()
}

/// Size of the cacheable file of the flood scenario, in bytes.
const PLAIN_TEXT_BYTES: usize = 10_184;

/// Readable text of exactly the size that the flood scenario's file has.
fn plain_text() -> Vec<u8> {
    const BEFORE: &str = "<!DOCTYPE html>\n<html><head><title>Plain text</title></head><body>\n<p>";
    const AFTER: &str = "</p>\n</body></html>\n";
    const SENTENCE: &str = "A request comes in, a page goes out, and a counter measures how long it took. ";
    let mut text = String::from(BEFORE);
    while text.len() < PLAIN_TEXT_BYTES {
        text.push_str(SENTENCE);
    }
    text.truncate(PLAIN_TEXT_BYTES - AFTER.len());
    text.push_str(AFTER);
    text.into_bytes()
}

const PAGE: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>A page with embedded resources</title>
  <link rel="stylesheet" href="/page/style.css">
  <script src="/page/app.js"></script>
</head>
<body>
  <h1>A page with embedded resources</h1>
  <p>One style sheet, one script, and three images, one of which stands twice.</p>
  <img src="/page/logo.png" alt="logo">
  <img src="/page/dot.gif?n=1" alt="dot">
  <img src="page/dot.gif?n=2" alt="dot, by a relative address">
  <img src="/page/logo.png" alt="logo again">
  <p><a href="/">back</a></p>
</body>
</html>
"#;

const STYLE: &str =
    "body { font: 16px sans-serif; margin: 2em; background: url(/page/dot.gif); }\nh1 { color: #246; }\n";

const SCRIPT: &str =
    "document.addEventListener('DOMContentLoaded', function () { document.title += '.'; });\n";

/// One transparent pixel.
const LOGO: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
    \0\0\0\rIDATx\x9cc\0\x01\0\0\x05\0\x01\r\n-\xb4\0\0\0\0IEND\xaeB`\x82";

/// One transparent pixel.
const DOT: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

#[cfg(test)]
mod tests {
    use super::*;
    use swell_http1::date::format_http;
    use swell_http1::server::parse;

    #[test]
    fn pages_of_the_flood_scenario_have_its_sizes() {
        for (id, bytes) in [
            (PageId::PlainText, 10_184),
            (PageId::Slow, 40_960),
            (PageId::NonCacheable, 17_408),
            (PageId::SlowPost, 8_192),
        ] {
            assert_eq!(id.page().identity.len(), bytes, "{id:?}");
        }
        assert_eq!(format_http(LAST_MODIFIED_S), LAST_MODIFIED);
    }

    #[test]
    fn pages_stand_at_the_place_of_their_name() {
        for (id, content_type, begin) in [
            (PageId::Index, "text/html", &b"<!DOCTYPE html>"[..]),
            (PageId::Ok, "text/plain", b"ok\n"),
            (PageId::Page, "text/html", b"<!DOCTYPE html>"),
            (PageId::Style, "text/css", b"body {"),
            (PageId::Script, "application/javascript", b"document"),
            (PageId::Logo, "image/png", b"\x89PNG"),
            (PageId::Dot, "image/gif", b"GIF89a"),
        ] {
            assert_eq!(id.page().content_type, content_type, "{id:?}");
            assert!(id.page().identity.starts_with(begin), "{id:?}");
        }
    }

    #[test]
    fn conditional_requests_are_about_cacheable_pages_and_dates() {
        let cases = [
            ("GET", PageId::PlainText, LAST_MODIFIED, true),
            ("HEAD", PageId::PlainText, LAST_MODIFIED, true),
            ("GET", PageId::PlainText, "Wed, 02 Oct 2013 08:00:00 GMT", true),
            ("GET", PageId::PlainText, "Mon, 30 Sep 2013 08:00:00 GMT", false),
            ("GET", PageId::PlainText, "lately", false),
            ("POST", PageId::PlainText, LAST_MODIFIED, false),
            ("GET", PageId::Slow, LAST_MODIFIED, false),
        ];
        for (method, id, since, wanted) in cases {
            let bytes = format!("{method} / HTTP/1.1\r\nIf-Modified-Since: {since}\r\n\r\n");
            let (_, seen) =
                parse(bytes.as_bytes(), 1_000, |head| Ok(id.is_unchanged_for(head))).unwrap().unwrap();
            assert_eq!(seen, wanted, "{method} {id:?} {since}");
        }
    }
}
