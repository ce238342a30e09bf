//! Requests byte by byte, as JMeter 5.6.3 sent them to a recorder.

use std::rc::Rc;

use swell_api::{Needs, SamplerInput};
use swell_plan::{Element, Node};

use crate::cache::Validators;
use crate::compile::{Settings, Spec};
use crate::testing::{self, collection, element};

use super::*;

const AGENT: &str = "User-Agent: Apache-HttpClient/4.5.14 (Java/17.0.15)\r\n";

pub(super) fn argument(name: &str, value: &str, encode: bool, separator: &str) -> Element {
    element(
        "HTTPArgument",
        "",
        &[
            ("HTTPArgument.always_encode", if encode { "true" } else { "false" }),
            ("Argument.name", name),
            ("Argument.value", value),
            ("Argument.metadata", separator),
        ],
    )
}

pub(super) fn sampler(texts: &[(&str, &str)], arguments: Vec<Element>) -> Element {
    let mut all = vec![
        ("HTTPSampler.domain", "127.0.0.1"),
        ("HTTPSampler.port", "42461"),
        ("HTTPSampler.path", "/f"),
        ("HTTPSampler.use_keepalive", "true"),
    ];
    all.retain(|(name, _)| texts.iter().all(|(n, _)| n != name));
    all.extend_from_slice(texts);
    let mut sampler = element("HTTPSamplerProxy", "HttpTestSampleGui", &all);
    sampler.properties.push(collection(
        "HTTPsampler.Arguments",
        "Arguments.arguments",
        "Arguments",
        arguments,
    ));
    sampler
}

pub(super) fn manager(lines: &[(&str, &str)]) -> Node {
    let lines = lines.iter().map(|(n, v)| element("Header", "", &[("Header.name", n), ("Header.value", v)]));
    let mut manager = element("HeaderManager", "HeaderPanel", &[]);
    manager.properties.push(collection("HeaderManager.headers", "", "", lines.collect()));
    Node::new(manager)
}

fn request_with(
    sampler: Element,
    configs: &[Node],
    props: &[(&str, &str)],
) -> Result<Request, crate::failure::Failure> {
    let compile = testing::compile_with(props);
    let node = Node::new(sampler);
    let input = SamplerInput { sampler: &node, configs: configs.iter().collect(), needs: Needs::ALL };
    let spec = Spec::new(&input, &compile);
    let mut cx = testing::context_for(&compile);
    let evaluated = evaluate(texts(&spec, &mut cx));
    let url = evaluated.url.clone().map_err(|e| crate::failure::Failure::malformed(&e))?;
    url.check().map_err(|e| crate::failure::Failure::syntax(&e))?;
    build(
        &evaluated,
        &Settings::new(&node.element, &compile),
        &url,
        &evaluated.texts.method.clone(),
        (false, None),
    )
}

fn sent(sampler: Element, configs: &[Node]) -> String {
    let request = request_with(sampler, configs, &[]).unwrap();
    String::from_utf8_lossy(&request.bytes).into_owned()
}

#[test]
fn a_plain_get() {
    let wanted = format!("GET / HTTP/1.1\r\nConnection: keep-alive\r\nHost: 127.0.0.1:42461\r\n{AGENT}\r\n");
    assert_eq!(sent(sampler(&[("HTTPSampler.path", "")], vec![]), &[]), wanted);
    let close = sampler(&[("HTTPSampler.use_keepalive", "false"), ("HTTPSampler.port", "80")], vec![]);
    let wanted = format!("GET /f HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1\r\n{AGENT}\r\n");
    assert_eq!(sent(close, &[]), wanted);
}

#[test]
fn headers_of_the_plan_stand_before_httpclients() {
    let lines = [
        ("X-A", "1"),
        ("Host", "foo.example:8080"),
        ("Content-Length", "77"),
        ("Cookie", "a=b; c=d"),
        ("x-a", "2"),
        ("Connection", "close"),
        ("User-Agent", "me"),
        ("", ""),
        ("X-Empty", ""),
        ("X-U", "caf\u{e9} \u{20ac}"),
    ];
    let request = request_with(sampler(&[], vec![]), &[manager(&lines)], &[]).unwrap();
    let wanted = b"GET /f HTTP/1.1\r\nConnection: keep-alive\r\nX-A: 1\r\nHost: foo.example:8080\r\nCookie: a=b; c=d\r\n\
        x-a: 2\r\nConnection: close\r\nUser-Agent: me\r\n: \r\nX-Empty: \r\nX-U: caf\xe9 ?\r\n\r\n";
    assert_eq!(&*request.bytes, wanted);
    assert!(request.closes);
    assert_eq!(request.own_cookies(), "a=b; c=d");
    assert!(!request.headers_text().contains("Cookie"));
}

#[test]
fn managers_merge_innermost_first() {
    let inner = manager(&[("x-a", "in"), ("X-D", "in"), ("X-D", "in2")]);
    let outer = manager(&[("X-A", "tg"), ("X-B", "tg"), ("X-B", "tg2"), ("X-C", "tg")]);
    let wanted = format!(
        "GET /f HTTP/1.1\r\nConnection: keep-alive\r\nx-a: in\r\nX-D: in\r\nX-D: in2\r\nX-B: tg\r\nX-C: tg\r\n\
         Host: 127.0.0.1:42461\r\n{AGENT}\r\n"
    );
    assert_eq!(sent(sampler(&[], vec![]), &[inner, outer]), wanted);
}

fn check_body(sampler: Element, line: &str, content_type: &str, body: &[u8]) {
    let request = request_with(sampler, &[], &[]).unwrap();
    let head = format!(
        "{line} HTTP/1.1\r\nConnection: keep-alive\r\nContent-Length: {}\r\nContent-Type: {content_type}\r\n\
         Host: 127.0.0.1:42461\r\n{AGENT}\r\n",
        body.len()
    );
    let wanted = [head.as_bytes(), body].concat();
    assert_eq!(String::from_utf8_lossy(&request.bytes), String::from_utf8_lossy(&wanted));
}

const FORM: &str = "application/x-www-form-urlencoded; charset=UTF-8";
const FORM_LATIN1: &str = "application/x-www-form-urlencoded; charset=ISO-8859-1";
const TEXT: &str = "text/plain; charset=UTF-8";
const TEXT_LATIN1: &str = "text/plain; charset=ISO-8859-1";
const POST: (&str, &str) = ("HTTPSampler.method", "POST");
const LATIN1: (&str, &str) = ("HTTPSampler.contentEncoding", "ISO-8859-1");
const RAW: (&str, &str) = ("HTTPSampler.postBodyRaw", "true");

#[test]
fn forms() {
    let form = vec![
        argument("a b", "c d", true, "="),
        argument("x", "y+z%20q", false, "="),
        argument("e", "", true, ""),
        argument("", "skip", true, "="),
        argument("u", "\u{e9}~*-._!'()", true, "="),
    ];
    let body = b"a+b=c+d&x=y+z+q&e=&u=%C3%A9%7E*-._%21%27%28%29";
    check_body(sampler(&[POST], form), "POST /f", FORM, body);
    let latin1 = vec![argument("u", "\u{e9}", true, "="), argument("v", "%e9", false, "=")];
    check_body(sampler(&[POST, LATIN1], latin1), "POST /f", FORM_LATIN1, b"u=%E9&v=%E9");
    check_body(sampler(&[POST], vec![]), "POST /f", FORM, b"");
    let delete = sampler(&[("HTTPSampler.method", "DELETE")], vec![argument("a", "b", true, "=")]);
    check_body(delete, "DELETE /f?a=b", FORM, b"a=b");
    check_body(sampler(&[("HTTPSampler.method", "FOO")], vec![]), "FOO /f", FORM, b"");
}

#[test]
fn raw_bodies() {
    let plain = |v: &str| argument("", v, false, "=");
    let post = sampler(&[POST, RAW, ("HTTPSampler.path", "/f?x=1")], vec![plain("line1\nline2\u{e9}")]);
    check_body(post, "POST /f?x=1", TEXT, "line1\nline2\u{e9}".as_bytes());
    let latin1 = sampler(&[POST, RAW, LATIN1], vec![argument("", "a b=c", true, "="), plain("\u{e9}")]);
    check_body(latin1, "POST /f", TEXT_LATIN1, b"a+b%3Dc\xe9");
    check_body(sampler(&[], vec![plain("one"), plain("two")]), "GET /f", TEXT, b"onetwo");
    let patch = sampler(&[("HTTPSampler.method", "PATCH"), RAW], vec![plain("xx")]);
    check_body(patch, "PATCH /f", TEXT, b"xx");
}

#[test]
fn a_content_type_of_the_plan_counts() {
    let json = manager(&[("Content-Type", "application/json"), ("Host", "h")]);
    let post = sampler(
        &[("HTTPSampler.method", "POST"), ("HTTPSampler.postBodyRaw", "true")],
        vec![argument("", "{}", false, "=")],
    );
    let wanted = format!(
        "POST /f HTTP/1.1\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nHost: h:42461\r\n\
         Content-Length: 2\r\n{AGENT}\r\n{{}}"
    );
    assert_eq!(sent(post, &[json]), wanted);
}

#[test]
fn no_body_no_entity_headers() {
    for (method, target) in [("HEAD", "/f"), ("OPTIONS", "/f?a=b"), ("TRACE", "/f")] {
        let wanted = format!(
            "{method} {target} HTTP/1.1\r\nConnection: keep-alive\r\nHost: 127.0.0.1:42461\r\n{AGENT}\r\n"
        );
        assert_eq!(
            sent(sampler(&[("HTTPSampler.method", method)], vec![argument("a", "b", true, "=")]), &[]),
            wanted
        );
    }
}

#[test]
fn queries() {
    let target = |path: &str, arguments| {
        let request = request_with(sampler(&[("HTTPSampler.path", path)], arguments), &[], &[]).unwrap();
        request.url.target()
    };
    let a = || argument("a", "1", true, "=");
    assert_eq!(target("/p?x=1", vec![a()]), "/p?x=1&a=1");
    assert_eq!(
        target("p", vec![a(), argument("b", "", true, ""), argument("c", "", true, "=")]),
        "/p?a=1&b&c="
    );
    assert_eq!(
        target("/p q", vec![argument("a b", "\u{e9} ", true, "="), argument("", "x", true, "=")]),
        "/p%20q?a+b=%C3%A9+"
    );
    assert_eq!(
        target("http://127.0.0.1:42461/full?x=y", vec![a()]),
        "/full?x=y",
        "parameters are not added to a whole URL"
    );
}

#[test]
fn requests_that_cannot_be_made() {
    let class_of = |texts: &[(&str, &str)], arguments: Vec<Element>| {
        let failure = request_with(sampler(texts, arguments), &[], &[]).unwrap_err();
        (failure.class, failure.message.unwrap_or_default())
    };
    let post = ("HTTPSampler.method", "POST");
    let table = [
        (
            class_of(&[("HTTPSampler.protocol", "foo")], vec![]),
            "java.net.MalformedURLException",
            "unknown protocol: foo",
        ),
        (
            class_of(&[("HTTPSampler.port", "-5")], vec![]),
            "java.net.MalformedURLException",
            "Invalid port number :-5",
        ),
        (
            class_of(&[("HTTPSampler.path", "/a{b}")], vec![]),
            "java.net.URISyntaxException",
            "Illegal character in path at index 24: http://127.0.0.1:42461/a{b}",
        ),
        (
            class_of(&[("HTTPSampler.domain", "")], vec![]),
            "org.apache.http.client.ClientProtocolException",
            "URI does not specify a valid host name: http://:42461/f",
        ),
        (
            class_of(&[("HTTPSampler.port", "99999")], vec![]),
            "java.lang.IllegalArgumentException",
            "port out of range:99999",
        ),
        (
            class_of(&[post, ("HTTPSampler.contentEncoding", "nope")], vec![]),
            "java.nio.charset.UnsupportedCharsetException",
            "nope",
        ),
        (
            class_of(&[post], vec![argument("a", "%4", false, "=")]),
            "java.lang.IllegalArgumentException",
            "URLDecoder: Incomplete trailing escape (%) pattern",
        ),
        (
            class_of(&[("HTTPSampler.method", "A B")], vec![]),
            "java.lang.IllegalArgumentException",
            "Unexpected method: 'A B'",
        ),
        (
            class_of(&[("HTTPSampler.method", "")], vec![]),
            "java.lang.IllegalArgumentException",
            "Unexpected method: ''",
        ),
    ];
    for ((class, message), wanted_class, wanted) in &table {
        assert_eq!((*class, message.as_str()), (*wanted_class, *wanted));
    }
    let odd_port = sent(sampler(&[("HTTPSampler.port", "abc")], vec![]), &[]);
    assert!(odd_port.contains("Host: 127.0.0.1\r\n"), "an invalid port is the default: {odd_port}");
}

#[test]
fn cookies_and_validators_stand_where_jmeter_puts_them() {
    let lines = manager(&[("X-C", "in"), ("Cookie", "h=1"), ("If-None-Match", "old"), ("X-A", "tg")]);
    let request = request_with(sampler(&[], vec![]), &[lines], &[]).unwrap();
    let validators = Validators { last_modified: Some("date".into()), etag: Some("tag".into()) };
    let mut out = Vec::new();
    request.conditional(&validators).with_cookie_into("out=1", &mut out);
    let wanted = format!(
        "GET /f HTTP/1.1\r\nConnection: keep-alive\r\nX-C: in\r\nCookie: out=1\r\nIf-None-Match: tag\r\nX-A: tg\r\n\
         If-Modified-Since: date\r\nHost: 127.0.0.1:42461\r\n{AGENT}\r\n"
    );
    assert_eq!(String::from_utf8(out).unwrap(), wanted);
    let plain = request_with(sampler(&[("HTTPSampler.method", "POST")], vec![]), &[], &[]).unwrap();
    let mut out = Vec::new();
    plain.with_cookie_into("a=1; b=2", &mut out);
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("Connection: keep-alive\r\nCookie: a=1; b=2\r\nContent-Length: 0\r\n"), "{text}");
}

#[test]
fn redirected_requests_have_no_body() {
    let compile = testing::compile();
    let node = Node::new(sampler(&[("HTTPSampler.method", "POST")], vec![argument("a", "b", true, "=")]));
    let input = SamplerInput { sampler: &node, configs: vec![], needs: Needs::ALL };
    let spec = Spec::new(&input, &compile);
    let mut cx = swell_expr::testing::context();
    let mut evaluated = evaluate(texts(&spec, &mut cx));
    evaluated.texts.keep_alive = false;
    let url = Rc::new(crate::url::Url::parse("https://other/x").unwrap());
    let request = build(&evaluated, &spec.settings, &url, &"GET".into(), (true, None)).unwrap();
    let wanted = format!("GET /x HTTP/1.1\r\nConnection: close\r\nHost: other\r\n{AGENT}\r\n");
    assert_eq!(String::from_utf8_lossy(&request.bytes), wanted);
    assert_eq!((request.target.secure, request.target.port), (true, 443));
}
