//! Where requests go, and texts that are odd.

use std::fmt::Write as _;

use swell_plan::Node;

use crate::fuzz::ChoiceRng;
use crate::fuzz::elements::Edit;

/// A text of a name, a value or a body.
pub(super) fn text(rng: &mut ChoiceRng) -> String {
    let all = [
        "a",
        "b c",
        "1+1",
        "100%",
        "%41",
        "%zz",
        "\u{e9}",
        "\u{20ac}",
        "\u{1f600}",
        "x&y=z",
        "${v}",
        "${odd}",
        "${missing}",
        "{\"a\": 1}",
        "<a b=\"c\"/>",
        "",
        " ",
        "a\nb",
        "a\tb",
        "'\"",
        "[]",
        "a;b",
        "?#",
        "/\\",
        "~!@$^*()",
        "${__threadNum}",
        "\u{fc}=\u{fc}",
        "a\r\nb",
        "%C3%A9",
        "=",
        "$",
        "\\,",
    ];
    rng.word(&all).to_owned()
}

/// A path, mostly one to which the recorder has a special answer.
pub(super) fn target(rng: &mut ChoiceRng) -> String {
    match rng.below(20) {
        0..=4 => format!("/@group@{}", odd(rng)),
        5 => odd(rng),
        6 | 7 => format!("/status/{}", rng.word(&STATUS)),
        8 | 9 => redirect(rng),
        10 | 11 => cookie(rng),
        12 => header(rng),
        13 => format!("/cache/{}", rng.word(&["etag", "modified", "maxage", "expires", "nostore", "vary"])),
        14 => format!("/auth/{}", rng.word(&["basic", "digest"])),
        15 => format!("/typed?{}", escaped(rng.word(&TYPES))),
        16 => full(rng),
        _ => rng.word(&PAGES).to_owned(),
    }
}

const STATUS: [&str; 19] = [
    "200", "201", "202", "204", "205", "206", "300", "304", "305", "399", "400", "401", "404", "407", "410",
    "418", "500", "503", "599",
];

const PAGES: [&str; 23] = [
    "/json",
    "/html",
    "/xml",
    "/chunked",
    "/trailers",
    "/gzip",
    "/deflate",
    "/broken-gzip",
    "/nolength",
    "/close",
    "/latin1",
    "/cp1252",
    "/utf16",
    "/bom",
    "/meta",
    "/metaless",
    "/xml1",
    "/no-such-charset",
    "/quoted-charset",
    "/image.png",
    "/bytes/0",
    "/bytes/9000",
    "/script.js",
];

const TYPES: [&str; 13] = [
    "",
    "text/html",
    "TEXT/HTML;CHARSET=iso-8859-1",
    "image/gif",
    "application/octet-stream",
    "text/plain; charset=",
    "application/json; charset=UTF-8; x=y",
    "nonsense",
    "video/mp4",
    "text/plain;charset='utf-8'",
    "application/xhtml+xml",
    "audio/x",
    "multipart/mixed; boundary=x",
];

/// The end of a path with odd characters.
fn odd(rng: &mut ChoiceRng) -> String {
    let all = [
        "/",
        "",
        "/a b",
        "/\u{e9}",
        "/%C3%A9",
        "/%zz",
        "/%",
        "/a|b",
        "/<x>",
        "/[1]",
        "/a\\b",
        "/^`",
        "/{x}",
        "/\"q\"",
        "/a#frag",
        "/#",
        "?",
        "?a=b",
        "?a=b&",
        "?a=b c",
        "?a=\u{e9}",
        "?a=%41",
        "?a|b",
        "?a={1}",
        "?a=[1]",
        "?a?b",
        "/;jsessionid=1",
        "//double",
        "/./a/../b",
        "/..",
        "/a%2Fb",
        "/a+b",
        "/${v}",
        "/${odd}",
        "/${missing}",
        "?x=${odd}",
        "/a\tb",
        "/a:b",
        "/a@b",
        "/*",
        "/~!$&'()",
        "?&&",
        "?=",
        "/a ",
        " /a",
        "/\u{1f600}",
        "?a=b#c",
        "/a;b=c?d",
        "/%2e%2e/x",
        "/a?b=/../c",
        "?a=%",
        "?a=b%20c+d",
    ];
    rng.word(&all).to_owned()
}

fn redirect(rng: &mut ChoiceRng) -> String {
    let code = rng.word(&["301", "302", "302", "303", "307", "308", "300", "304", "305"]);
    if rng.chance(30) {
        return format!("/redirect/{}?code={code}", rng.word(&["1", "2", "3"]));
    }
    let places = [
        "/end",
        "end",
        "../end",
        "?q=1",
        "#top",
        "",
        "/a b",
        "/\u{e9}",
        "/%zz",
        "//127.0.0.1:${__P(parity.port)}/slashes",
        "http://127.0.0.1:${__P(parity.port)}/full",
        "http://127.0.0.1:${__P(parity.port)}",
        "HTTP://127.0.0.1:${__P(parity.port)}/up",
        "/a/../b",
        "/../../c",
        "/a|b",
        "/a?b=c d",
        "/status/404",
        "/status/500",
        "/json",
        "http:/one",
        "/end#frag",
        "/cookie?set=late=1",
        "/auth/basic",
        "/frame",
        "mailto:x@y",
        "/x?a={b}",
        " /blank",
        "/[x]",
        "/a//b",
    ];
    let place = escaped(rng.word(&places));
    let cookie = if rng.chance(30) { format!("&set={}", escaped(cookie_line(rng))) } else { String::new() };
    format!("/redirect-to?url={place}&code={code}{cookie}")
}

fn cookie(rng: &mut ChoiceRng) -> String {
    let base = rng.word(&["/cookie", "/cookie", "/sub/../cookie"]);
    let count = rng.range(1, 3);
    let lines: Vec<String> = (0..count).map(|_| format!("set={}", escaped(cookie_line(rng)))).collect();
    format!("{base}?{}", lines.join("&"))
}

fn cookie_line<'a>(rng: &mut ChoiceRng) -> &'a str {
    rng.word(&[
        "a=1",
        "a=2; Path=/",
        "a=3; Path=/sub",
        "b=\"q v\"",
        "b=; Path=/",
        "c=1; Max-Age=0; Path=/",
        "c=2; Max-Age=100; Path=/",
        "c=3; Max-Age=x",
        "c=1; Max-Age=-1; Path=/",
        "d=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/",
        "d=2; Expires=Thu, 01-Jan-2099 00:00:00 GMT; Path=/",
        "d=3; expires=soon; path=/",
        "d=4; Expires=Thursday, 01-Jan-99 00:00:00 GMT; Path=/",
        "e=1; Domain=127.0.0.1; Path=/",
        "e=2; Domain=.127.0.0.1; Path=/",
        "e=3; Domain=other.test",
        "e=4; Domain=; Path=/",
        "f=1; Secure; Path=/",
        "g=1; HttpOnly; SameSite=Lax; Path=/",
        "=nameless",
        "noequals",
        "h=a=b; Path=/",
        "i=1, j=2; Path=/",
        "k=\u{e9}; Path=/",
        "l=1;Path=/;Version=1",
        "m=1; Path=cookie",
        "n=a b; Path=/",
        "o=1;;Path=/",
        "P=1; PATH=/",
        "p=2; Path=\"/\"",
        "$v=1; Path=/",
        "q=1; Path=/; Comment=x; Port=\"80\"",
        "r=${v}; Path=/",
        "",
        ";",
        "s=\"a;b\"; Path=/",
    ])
}

fn header(rng: &mut ChoiceRng) -> String {
    let all = [
        "Content-Type=text%2Fhtml",
        "Location=/nowhere",
        "Refresh=1",
        "Content-Encoding=identity",
        "Content-Encoding=x-gzip",
        "Connection=close",
        "Keep-Alive=timeout%3D1",
        "X-Empty=",
        "X-Accent=%C3%A9",
        "X-Folded=a%09b",
        "ETag=%22v1%22",
        "Cache-Control=max-age%3D100",
        "Set-Cookie2=a%3D1",
        "Content-Language=de",
        "X-A=1&X-A=2",
        "Content-Disposition=x",
        "WWW-Authenticate=Negotiate",
        "Last-Modified=x",
        "Expires=0",
        "Date=x",
        "Vary=*",
    ];
    let count = rng.range(1, 2);
    let pairs: Vec<&str> = (0..count).map(|_| rng.word(&all)).collect();
    format!("/headers?{}", pairs.join("&"))
}

/// A whole URL as the path.
fn full(rng: &mut ChoiceRng) -> String {
    let all = [
        "http://127.0.0.1:${__P(parity.port)}/full",
        "http://127.0.0.1:${__P(parity.port)}",
        "http://127.0.0.1:${__P(parity.port)}/full?a=b c",
        "HTTP://127.0.0.1:${__P(parity.port)}/full",
        "http://localhost:${__P(parity.port)}/full#x",
        "http://127.0.0.1:${__P(parity.port)}/a|b",
        "http://user:pw@127.0.0.1:${__P(parity.port)}/full",
    ];
    rng.word(&all).to_owned()
}

fn escaped(text: &str) -> String {
    // References stay: they are replaced before the text is sent.
    let mut out = String::new();
    let mut depth = 0;
    let mut before = ' ';
    for c in text.chars() {
        depth += i32::from(before == '$' && c == '{');
        let plain = c.is_ascii_alphanumeric()
            || "-._~/:${}()".contains(c) && depth > 0
            || "-._~/:".contains(c)
            || c == '$';
        if plain {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                // Writing into memory does not fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
        depth -= i32::from(c == '}');
        before = c;
    }
    out
}

/// Where a request goes: fields that name the server.
pub(super) fn origin(rng: &mut ChoiceRng, node: Node) -> Node {
    let all: [(u32, &[(&str, &str)]); 10] = [
        (80, &[]),
        (3, &[("domain", "localhost")]),
        (3, &[("domain", "")]),
        (3, &[("port", "")]),
        (3, &[("protocol", "")]),
        (1, &[("protocol", "HTTP")]),
        (1, &[("domain", " 127.0.0.1 ")]),
        (1, &[("domain", "127.0.0.1/")]),
        (1, &[("protocol", "http://")]),
        (3, &[("domain", ""), ("port", ""), ("protocol", ""), ("path", "")]),
    ];
    rng.weighted(&all)
        .iter()
        .fold(node, |node, (name, value)| node.text(&format!("HTTPSampler.{name}"), value))
}
