//! What comes back in all encodings, with all kinds of headers, and who reads it.

use super::draft::Draft;
use super::extractors::{json, regex};
use super::parts::{Edit, assertion, debug, get, headers, loops, request, transaction, users};

pub(super) fn drafts() -> Vec<Draft> {
    vec![encodings(), declared(), types(), keeping(), lengths(), packed(), statuses(), header_forms()]
}

/// Answers in several charsets.
fn encodings() -> Draft {
    let pages =
        ["latin1", "cp1252", "utf16", "bom", "meta", "metaless", "xml1", "no-such-charset", "quoted-charset"];
    let read = pages.map(|page| {
        get(page, &format!("/{page}")).of([
            regex("word", &format!("v_{page}"), "(caf\\S*)", "$1$", "1", "none"),
            assertion("holds", "response_data", 16, &["caf\u{e9}"]),
        ])
    });
    Draft::new(
        "answers_charsets",
        "Bodies in charsets that a header names, or a page, or nobody.",
        [users(read.into_iter().chain([debug("v")]))],
    )
    .rule("mask bytes")
}

fn declared() -> Draft {
    Draft::new(
        "answers_default_charset",
        "The charset where nobody names one is a property.",
        [users([
            get("metaless", "/metaless").of([assertion("holds", "response_data", 16, &["caf\u{e9}"])]),
            get("latin1", "/latin1").of([assertion("holds", "response_data", 16, &["caf\u{e9}"])]),
            get("utf8", "/html").of([assertion("holds", "response_data", 16, &["Orders"])]),
        ])],
    )
    .rule("property sampleresult.default.encoding=ISO-8859-1")
}

fn types() -> Draft {
    let with = |name: &str, content_type: &str| get(name, &format!("/typed?{content_type}"));
    Draft::new(
        "answers_types",
        "Text or binary, by the content type.",
        [users([
            with("none", ""),
            with("text", "text/plain"),
            with("json", "application/json"),
            with("vendor json", "application/vnd.api%2Bjson"),
            with("xml", "application/soap%2Bxml; charset=utf-8"),
            with("form", "application/x-www-form-urlencoded"),
            with("octets", "application/octet-stream"),
            with("pdf", "application/pdf"),
            with("image", "image/svg%2Bxml"),
            with("audio", "audio/mpeg"),
            with("video", "video/mp4"),
            with("font", "font/woff2"),
            with("zip", "application/zip"),
            with("multipart", "multipart/mixed; boundary=x"),
            with("odd", "nonsense"),
            with("capitals", "TEXT/HTML; CHARSET=UTF-8"),
            with("empty charset", "text/html; charset="),
        ])],
    )
}

fn keeping() -> Draft {
    let said = |name: &str, query: &str| get(name, &format!("/headers?{query}"));
    Draft::new(
        "answers_connections",
        "What the server says of its connections.",
        [loops(
            users([
                said("close", "Connection=close"),
                get("after close", "/a"),
                said("close in capitals", "connection=CLOSE"),
                get("after close in capitals", "/a"),
                said("keep-alive", "Connection=keep-alive&Keep-Alive=timeout%3D5,%20max%3D100"),
                get("after keep-alive", "/a"),
                said("short", "Keep-Alive=timeout%3D0"),
                get("after short", "/a"),
                get("to the end", "/nolength").flag("HTTPSampler.use_keepalive", false),
                get("after the end", "/a"),
            ]),
            "2",
        )],
    )
}

fn lengths() -> Draft {
    Draft::new(
        "answers_lengths",
        "Bodies of many lengths, and their sizes.",
        [users([
            get("0", "/bytes/0"),
            get("1", "/bytes/1"),
            get("4096", "/bytes/4096"),
            get("8192", "/bytes/8192"),
            get("65536", "/bytes/65536"),
            get("1000000", "/bytes/1000000"),
            get("chunked", "/chunked"),
            get("chunked with trailers", "/trailers"),
            request("head of a large one", "HEAD", "/bytes/100000", &[]),
            transaction("sum", true, false, [get("in it", "/bytes/10"), get("too", "/bytes/20")]),
        ])],
    )
    .rule("mask bodies")
}

fn packed() -> Draft {
    Draft::new(
        "answers_packed",
        "Packed bodies: read, judged, kept, asked for.",
        [users([
            get("gzip", "/gzip").of([
                assertion("holds", "response_data", 16, &["the same words"]),
                regex("w", "w", "(again)", "$1$", "1", "none"),
            ]),
            get("asked", "/gzip").of([headers("h", &[("Accept-Encoding", "gzip")])]),
            get("deflate", "/deflate").of([assertion("holds", "response_data", 16, &["the same words"])]),
            request("head", "HEAD", "/gzip", &[]),
            get("digest", "/gzip").flag("HTTPSampler.md5", true),
            get("broken", "/broken-gzip"),
            get("not packed", "/headers?Content-Encoding=identity"),
            get("unknown", "/headers?Content-Encoding=nonsense"),
            get("after", "/a ".trim()),
        ])],
    )
}

fn statuses() -> Draft {
    let codes = [
        "202", "203", "205", "206", "226", "306", "402", "405", "409", "410", "413", "418", "422", "429",
        "451", "501", "502", "504", "511", "599",
    ];
    Draft::new(
        "answers_statuses",
        "Codes that are less common, and what is made of them.",
        [users(codes.into_iter().map(|code| {
            get(code, &format!("/status/{code}"))
                .of([json("none", "$.a", "1", "none"), assertion("text", "response_data", 16, &["status"])])
        }))],
    )
}

fn header_forms() -> Draft {
    let said = |name: &str, query: &str| get(name, &format!("/headers?{query}"));
    Draft::new(
        "answers_headers",
        "Header lines as they come, and what is read of them.",
        [users([
            said("several", "X-A=1&X-A=2&x-b=c").of([
                regex("all", "all", "X-A: (\\d)", "$1$", "-1", "none")
                    .text("RegexExtractor.useHeaders", "true"),
                assertion("both", "response_headers", 2, &["X-A: 1\\n(.*\\n)*X-A: 2"]),
                assertion("case", "response_headers", 16, &["x-b: c"]),
            ]),
            said("empty", "X-Empty="),
            said("blanks", "X-Blank=%20a%20%20b%20"),
            said("signs", "X-Signs=%22a%22;%20b%3Dc,%20d"),
            said("latin", "X-Latin=%E9"),
            said("long", &format!("X-Long={}", "v".repeat(4000))),
            said("location without redirect", "Location=/elsewhere"),
            said("cookies without manager", "Set-Cookie=a%3D1&Set-Cookie=b%3D2"),
            debug("variables"),
        ])],
    )
    .rule("mask bytes")
}
