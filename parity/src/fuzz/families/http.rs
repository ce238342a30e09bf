//! HTTP Requests with all that they can say, and what stands around them: headers, cookies, caches, credentials, defaults.

use swell_plan::{Node, PropertyValue};

use super::http_around::around;
use super::http_target::{origin, target, text};
use crate::fuzz::elements::plain_parameter;
use crate::fuzz::elements::with_files;
use crate::fuzz::elements::{
    Edit, assertion, debug, get, headers, loops, parameter, raw, request, simple, with_parameters,
};
use crate::fuzz::plan::users;
use crate::fuzz::{ChoiceRng, Family, Setting};

/// See the module.
#[derive(Debug)]
pub(super) struct Http;

impl Family for Http {
    fn name(&self) -> &'static str {
        "http"
    }

    fn setting(&self, rng: &mut ChoiceRng) -> Setting {
        let mut properties = Vec::new();
        let choices = [
            "httpsampler.max_redirects=2",
            "CookieManager.save.cookies=true",
            "CookieManager.check.cookies=false",
            "CookieManager.delete_null_cookies=false",
            "http.post_add_content_type_if_missing=true",
            "httpsampler.redirect.removeslashdotdot=false",
            "httpclient.reset_state_on_thread_group_iteration=false",
            "cache_manager.cached_resource_mode=RETURN_200_CACHE",
            "httpsampler.max_bytes_to_store_per_request=20",
            "subresults.disable_renaming=true",
            "sampleresult.default.encoding=UTF-8",
            "httpsampler.ignore_failed_embedded_resources=true",
            "httpsampler.embedded_resources_use_md5=true",
            "jmeter.save.saveservice.encoding=true",
        ];
        for choice in choices {
            if rng.chance(7) {
                let (name, value) = choice.split_once('=').expect("a name and a value");
                properties.push((name.to_owned(), value.to_owned()));
            }
        }
        let variables =
            [("v", "val"), ("odd", "a b&c=\u{e9}"), ("one", "1"), ("empty", ""), ("sub", "sub/dir")];
        Setting {
            properties,
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            beside: if rng.chance(40) { around(rng, 1) } else { Vec::new() },
            ..Setting::default()
        }
    }

    fn group(&self, rng: &mut ChoiceRng) -> Vec<Node> {
        let count = rng.range(0, 3);
        let mut children = around(rng, count);
        for _ in 0..rng.range(2, 5) {
            let node = if rng.chance(20) { block(rng) } else { sampler(rng) };
            children.push(node);
        }
        if rng.chance(20) {
            children.push(debug("variables"));
        }
        let node = loops(users(children), rng.word(&["1", "2", "2", "3"]));
        vec![node.flag("ThreadGroup.same_user_on_next_iteration", rng.chance(60))]
    }
}

/// A controller with things of its own.
fn block(rng: &mut ChoiceRng) -> Node {
    let name = format!("c{}", rng.number());
    let count = rng.range(1, 2);
    let mut children = around(rng, count);
    children.extend((0..rng.range(1, 3)).map(|_| sampler(rng)).collect::<Vec<_>>());
    simple(&name, children)
}

const METHODS: [(u32, &str); 12] = [
    (40, "GET"),
    (20, "POST"),
    (7, "PUT"),
    (4, "PATCH"),
    (5, "DELETE"),
    (5, "HEAD"),
    (3, "OPTIONS"),
    (1, "REPORT"),
    (1, "PROPFIND"),
    (2, "get"),
    (1, "FETCH"),
    (1, "${v}"),
];

fn sampler(rng: &mut ChoiceRng) -> Node {
    let number = rng.number();
    let name = if rng.chance(85) { format!("s{number}") } else { format!("s{number} ${{odd}}") };
    let method = *rng.weighted(&METHODS);
    let path = target(rng);
    let node = match rng.below(10) {
        0 | 1 => raw(&name, method, &path, &text(rng)),
        2 => pieces(rng, &name, method, &path),
        3..=6 => with_parameters(get(&name, &path), []).text("HTTPSampler.method", method),
        _ => fields(rng, &name, method, &path),
    };
    let node = origin(rng, node);
    let mut node = options(rng, node);
    if rng.chance(20) {
        node = node.of(around(rng, 1));
    }
    if rng.chance(15) {
        let field = rng.word(&[
            "response_headers",
            "request_headers",
            "request_data",
            "response_message",
            "sample_label",
        ]);
        node = node.of([assertion("k", field, 20, &["no such thing"])]);
    }
    node
}

/// A form.
fn fields(rng: &mut ChoiceRng, name: &str, method: &str, path: &str) -> Node {
    let count = rng.range(1, 3);
    let parameters = (0..count).map(|_| {
        let (name, value) = (text(rng), text(rng));
        let one = if rng.chance(50) { parameter(&name, &value) } else { plain_parameter(&name, &value) };
        if rng.chance(10) { one.with_text("HTTPArgument.content_type", "text/x") } else { one }
    });
    let parameters: Vec<_> = parameters.collect();
    with_parameters(request(name, method, path, &[]), parameters)
}

/// Parameters without names: a body in pieces.
fn pieces(rng: &mut ChoiceRng, name: &str, method: &str, path: &str) -> Node {
    let count = rng.range(1, 2);
    let parameters: Vec<_> = (0..count).map(|_| plain_parameter("", &text(rng))).collect();
    with_parameters(request(name, method, path, &[]), parameters)
}

fn options(rng: &mut ChoiceRng, node: Node) -> Node {
    let mut node = node;
    if rng.chance(12) {
        let files = ["data/upload.txt", "data/latin1.csv", "data/empty.csv", "data/other.txt"];
        let kinds = ["text/plain", "", "application/octet-stream"];
        let count = *rng.weighted(&[(7, 1), (3, 2)]);
        let all: Vec<(&str, &str, &str)> =
            (0..count).map(|_| (rng.word(&files), rng.word(&["f", "", "f"]), rng.word(&kinds))).collect();
        node = with_files(node, &all);
    }
    let redirects = [(true, false), (true, false), (false, true), (false, false), (true, true)];
    let (follow, auto) = *rng.pick(&redirects);
    node = node.flag("HTTPSampler.follow_redirects", follow).flag("HTTPSampler.auto_redirects", auto);
    node = node.flag("HTTPSampler.use_keepalive", rng.chance(85));
    node = node.flag("HTTPSampler.DO_MULTIPART_POST", rng.chance(10));
    node = node.flag("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART", rng.chance(10));
    if rng.chance(7) {
        node = node.flag("HTTPSampler.md5", true);
    }
    if rng.chance(25) {
        let encodings = ["UTF-8", "ISO-8859-1", "US-ASCII", "${empty}", "windows-1252"];
        node = node.text("HTTPSampler.contentEncoding", rng.word(&encodings));
    }
    if rng.chance(10) {
        node = node.text("HTTPSampler.implementation", rng.word(&["HttpClient4", "", "HttpClient3.1"]));
    }
    if rng.chance(10) {
        node = node.text("HTTPSampler.response_timeout", rng.word(&["5000", "x", "0", "${missing}"]));
    }
    if rng.chance(20) { page(rng, node) } else { node }
}

/// A request for a page with its resources.
fn page(rng: &mut ChoiceRng, node: Node) -> Node {
    let paths = [
        "/page",
        "/tags",
        "/frame",
        "/broken",
        "/cookied",
        "/cacheable",
        "/importing",
        "/html",
        "/redirect-to?url=/frame",
        "/imports.css",
        "/self",
    ];
    let mut node = node.text("HTTPSampler.path", rng.word(&paths)).flag("HTTPSampler.image_parser", true);
    if rng.chance(30) {
        node = node.text(
            "HTTPSampler.embedded_url_re",
            rng.word(&[".*png", ".*(css|js)", "http.*", "(", "${empty}", ".*/image.*"]),
        );
    }
    if rng.chance(30) {
        node = node
            .text("HTTPSampler.embedded_url_exclude_re", rng.word(&[".*png", ".*css", "nothing", "[", ""]));
    }
    node
}

/// A header manager of random lines.
pub(super) fn lines(rng: &mut ChoiceRng) -> Node {
    let all = [
        ("X-A", "1"),
        ("x-a", "2"),
        ("X-B", "${v}"),
        ("X-A", ""),
        ("", "nameless"),
        ("User-Agent", "own/1"),
        ("Accept-Encoding", "gzip"),
        ("Content-Type", "application/json"),
        ("content-type", "text/own; charset=UTF-8"),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Cookie", "own=1"),
        ("Host", "example.test"),
        ("Connection", "close"),
        ("Content-Length", "3"),
        ("Authorization", "Bearer t"),
        ("Referer", "http://x/"),
        ("X-\u{e9}", "\u{e9}\u{20ac}"),
        ("X-Spaces", " a  b "),
        ("Accept", "*/*"),
        ("If-None-Match", "\"v1\""),
        ("X-Lines", "a\nb"),
    ];
    let count = rng.range(1, 3);
    let pairs: Vec<(&str, &str)> = (0..count).map(|_| *rng.pick(&all)).collect();
    headers(&format!("k{}", rng.number()), &pairs)
}

/// A property that is a number where JMeter has one.
pub(super) fn long(value: &str) -> PropertyValue {
    PropertyValue::Long(value.to_owned())
}
