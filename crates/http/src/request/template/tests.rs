//! A template makes the same request as the way without it.

use swell_api::{Needs, SamplerInput};
use swell_expr::Context;
use swell_plan::{Element, Node};

use super::super::tests::{argument, manager, sampler};
use super::super::{build, evaluate, texts};
use super::*;
use crate::cookies::Origin;
use crate::testing;

/// Values that pass through everywhere.
const PLAIN: [&str; 4] = ["user17", "A-b_c.d*e", "0", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"];

/// Values that do not, or only at some places.
const HOSTILE: [&str; 34] = [
    "",
    " ",
    "a b",
    "x/y",
    "/",
    "//",
    "?",
    "#",
    "%41",
    "%",
    "%4",
    "1",
    "\u{e9}",
    "a&b=c",
    "+",
    "\"",
    "a\r\nX: y",
    "\u{1}",
    "{",
    "[",
    "]",
    ".",
    "..",
    ":",
    "@",
    "${token}",
    "swellhole00elohllews",
    ";",
    "~",
    "!'()",
    "\u{1F600}",
    "a\tb",
    "http://h/",
    "\u{7f}",
];

fn spec(sampler: Element, lines: &[(&str, &str)]) -> (Spec, Context) {
    let compile = testing::compile_with(&[("prefix", "/shop")]);
    let node = Node::new(sampler);
    let headers = manager(lines);
    let input = SamplerInput { sampler: &node, configs: vec![&headers], needs: Needs::default() };
    let spec = Spec::new(&input, &compile);
    let cx = testing::context_for(&compile);
    (spec, cx)
}

fn whole(spec: &Spec, texts: Texts) -> Option<Request> {
    let evaluated = evaluate(texts);
    let url = evaluated.url.clone().ok()?;
    url.check().ok()?;
    build(&evaluated, &spec.settings, &url, &evaluated.texts.method.clone(), (false, None)).ok()
}

fn template(spec: &Spec, cx: &mut Context) -> Option<Rc<RequestTemplate>> {
    RequestTemplate::new(spec, cx, |texts| whole(spec, texts).map(Rc::new)).map(Rc::new)
}

/// Compares both for values of `v` and `w`; whether the values fit.
fn is_same(template: &Rc<RequestTemplate>, spec: &Spec, cx: &mut Context, values: [&str; 2]) -> bool {
    cx.vars.put("v", values[0]);
    cx.vars.put("w", values[1]);
    let templated = TemplatedRequest::new(template.clone(), cx);
    let wanted = texts(spec, cx);
    assert_eq!(templated.texts(spec, cx), wanted, "{values:?}");
    if !templated.fits(cx) {
        return false;
    }
    let request = whole(spec, wanted).unwrap_or_else(|| panic!("{values:?} make no request"));
    for cookie in [None, Some("c=d")] {
        let mut bytes = Vec::new();
        let mut with_cookie = Vec::new();
        templated.write(cx, cookie, &mut bytes);
        match cookie {
            None => with_cookie.clone_from(&request.bytes),
            Some(cookie) => request.with_cookie_into(cookie, &mut with_cookie),
        }
        let shown = [&bytes, &with_cookie].map(|bytes| String::from_utf8_lossy(bytes));
        assert_eq!(shown[0], shown[1], "{values:?}");
    }
    assert_eq!(&*templated.url(cx, &mut String::new()), request.url.as_str(), "{values:?}");
    assert_eq!(templated.body_text(cx), *request.body_text, "{values:?}");
    assert_eq!((&template.method, &template.target), (&request.method, &request.target));
    assert_eq!((template.closes, &template.own_cookies), (request.closes, &request.own_cookies()));
    templated.with_origin(cx, |origin, _| {
        let wanted = Origin::new(request.url.host(), request.url.path(), request.url.is_secure());
        assert_eq!((&origin.host, origin.path, origin.secure), (&wanted.host, wanted.path, wanted.secure));
    });
    true
}

fn samplers() -> Vec<Element> {
    let path = |path| sampler(&[("HTTPSampler.path", path)], vec![]);
    let mut all: Vec<Element> = [
        "/a/${v}/b?x=${w}&y=${v}",
        "${v}",
        "${v}${w}",
        "/p;q=${v}#frag",
        "/a//${v}",
        "/%41${v}",
        "p?${v}",
        "/\u{e9}/${v}?\u{fc}=${w}",
        "/a b/${v}?${w} c",
        "${__P(prefix)}/${v}",
        "http://h:81/${v}?${w}",
        "/a/${__V(v)}/b?x=${w}&y=${__V(v)}",
        "${__V(v)}",
    ]
    .map(path)
    .into();
    let arguments = |encode| vec![argument("a", "${v}", encode, "="), argument("b", "d${w}e", encode, "=")];
    all.push(sampler(&[], arguments(true)));
    all.push(sampler(&[("HTTPSampler.path", "/x?y=${v}")], arguments(false)));
    let closed = ("HTTPSampler.use_keepalive", "false");
    all.push(sampler(&[("HTTPSampler.method", "DELETE"), ("HTTPSampler.path", "/${v}"), closed], vec![]));
    all.push(sampler(&[("HTTPSampler.method", "HEAD"), ("HTTPSampler.path", "/${v}")], vec![]));
    all.extend(samplers_with_bodies());
    all
}

fn samplers_with_bodies() -> Vec<Element> {
    let with = |method, more: &[(&str, &str)], arguments| {
        sampler(&[&[("HTTPSampler.method", method)], more].concat(), arguments)
    };
    let json = |text| vec![argument("", text, false, "=")];
    let raw = ("HTTPSampler.postBodyRaw", "true");
    let in_path = ("HTTPSampler.path", "/${w}?x=${v}");
    vec![
        with("POST", &[raw], json("{\"a\": \"${v}\",\r\n \"\u{e9}\": ${w}, \"again\": [${v}]}")),
        with("PUT", &[], json("${v}")),
        with("PUT", &[in_path], json("{\"a\": \"${__V(v)}\", \"b\": ${w}}")),
        with("PATCH", &[raw, in_path], json("<a>${v}</a>")),
        with("POST", &[raw, in_path], json("a constant body")),
        with("POST", &[raw], vec![argument("", "${v}", true, "="), argument("", "${w}", false, "=")]),
        with("POST", &[in_path], vec![argument("a", "${v}", true, "="), argument("b", "x ${w}", true, "=")]),
        with("POST", &[], vec![argument("a", "${v}", false, "="), argument("b", "${w}%20", false, "=")]),
        with(
            "POST",
            &[("HTTPSampler.contentEncoding", "utf-8")],
            vec![argument("\u{e9}", "${v}", true, "=")],
        ),
    ]
}

#[test]
fn any_value_fits_into_a_raw_body() {
    let (spec, mut cx) = spec(samplers_with_bodies().swap_remove(0), &[]);
    let template = template(&spec, &mut cx).expect("a template");
    for value in HOSTILE {
        assert!(is_same(&template, &spec, &mut cx, [value, value]), "{value:?}");
    }
}

#[test]
fn any_value_fits_into_parameters_that_are_encoded() {
    let arguments = || vec![argument("a", "x ${v}", true, "="), argument("b", "${w}", true, "=")];
    let post = [("HTTPSampler.method", "POST")];
    let utf8 = [post[0], ("HTTPSampler.contentEncoding", "utf-8")];
    for properties in [&[][..], &post, &utf8] {
        let (spec, mut cx) = spec(sampler(properties, arguments()), &[]);
        let template = template(&spec, &mut cx).expect("a template");
        for v in HOSTILE {
            for w in HOSTILE.into_iter().chain(PLAIN) {
                assert!(is_same(&template, &spec, &mut cx, [v, w]), "{v:?} and {w:?}");
            }
        }
    }
}

#[test]
fn requests_are_the_same_as_those_made_as_a_whole() {
    let lines = [("X-Token", "t ${w}"), ("Accept", "*/*"), ("Cookie", "own=1"), ("x-empty", "${w}")];
    for (number, sampler) in samplers().into_iter().enumerate() {
        for lines in [&lines[..], &lines[..2]] {
            let (spec, mut cx) = spec(sampler.clone(), lines);
            let template =
                template(&spec, &mut cx).unwrap_or_else(|| panic!("sampler {number} has no template"));
            for v in PLAIN {
                for w in PLAIN {
                    assert!(
                        is_same(&template, &spec, &mut cx, [v, w]),
                        "{v} and {w} fit into sampler {number}"
                    );
                }
            }
            for v in HOSTILE.into_iter().chain(PLAIN) {
                for w in HOSTILE.into_iter().chain(PLAIN) {
                    is_same(&template, &spec, &mut cx, [v, w]);
                }
            }
        }
    }
}

#[test]
fn what_is_more_than_values_has_no_template() {
    let path = |path| sampler(&[("HTTPSampler.path", path)], vec![]);
    let none = |sampler, lines: &[(&str, &str)]| {
        let (spec, mut cx) = spec(sampler, lines);
        template(&spec, &mut cx).is_none()
    };
    assert!(none(path("/constant"), &[]));
    assert!(none(path("http://${v}/"), &[]), "a host");
    assert!(none(path("http://h:${v}/"), &[]), "a port");
    assert!(none(path("http://${__V(v)}/"), &[]), "a function in a host");
    assert!(none(path("/%4${v}"), &[]), "half an escape");
    assert!(none(path("/a#${v}"), &[]), "a fragment is not sent");
    assert!(none(path("/swellhole00elohllews/${v}"), &[]), "a mark in the plan");
    assert!(none(sampler(&[("HTTPSampler.domain", "${v}")], vec![]), &[]));
    assert!(none(sampler(&[("HTTPSampler.method", "${v}")], vec![]), &[]));
    assert!(none(
        sampler(&[("HTTPSampler.method", "${__V(v)}"), ("HTTPSampler.path", "/${v}")], vec![]),
        &[]
    ));
    let post = |more, header| {
        let method = [("HTTPSampler.method", "POST"), more];
        none(sampler(&method, vec![argument("", "${v}", false, "=")]), &[header])
    };
    let plain = ("HTTPSampler.path", "/");
    let accept = ("Accept", "*/*");
    assert!(!post(plain, accept));
    assert!(post(("HTTPSampler.contentEncoding", "ISO-8859-1"), accept), "values are other bytes");
    assert!(post(("HTTPSampler.contentEncoding", "UTF-16"), accept), "values are other bytes");
    assert!(post(plain, ("Transfer-Encoding", "chunked")), "which HttpClient refuses");
    let delete = [("HTTPSampler.method", "DELETE"), ("HTTPSampler.postBodyRaw", "true")];
    assert!(none(sampler(&delete, vec![argument("", "${v}", false, "=")]), &[]), "not in the query");
    for name in ["Host", "CONNECTION", "cookie", "Content-Length"] {
        assert!(none(path("/"), &[(name, "${v}")]), "{name}");
    }
}

#[test]
fn a_path_that_values_make_a_whole_url_has_no_template() {
    for path in ["${v}://h:81/${w}", "${v}//h/x", "ht${v}${w}//h/x", "${__V(v)}://h/"] {
        let (spec, mut cx) = spec(sampler(&[("HTTPSampler.path", path)], vec![]), &[]);
        // At first it is invalid: the variable does not exist yet.
        assert!(template(&spec, &mut cx).is_none(), "{path}");
        cx.vars.put("v", "http");
        assert!(template(&spec, &mut cx).is_none(), "{path}");
    }
    let (spec, mut cx) = spec(sampler(&[("HTTPSampler.path", "${v}/a//${w}")], vec![]), &[]);
    assert!(template(&spec, &mut cx).is_some(), "always the path of a URL");
}

#[test]
fn functions_are_called_once_a_request_and_in_the_order_of_the_plan() {
    let parameter = argument("n", "${__counter(TRUE)}", true, "=");
    let path = ("HTTPSampler.path", "/${v}/${__Random(5,5,v)}/${v}");
    let (spec, mut cx) = spec(sampler(&[path], vec![parameter]), &[("X-Count", "${__counter(TRUE)}-${v}")]);
    let template = template(&spec, &mut cx).expect("a template");
    for round in 1..4 {
        cx.vars.put("v", "1");
        let templated = TemplatedRequest::new(template.clone(), &mut cx);
        assert!(templated.fits(&cx));
        let mut bytes = Vec::new();
        templated.write(&cx, None, &mut bytes);
        let bytes = String::from_utf8(bytes).expect("a request");
        let line = format!("GET /1/5/5?n={round} HTTP/1.1\r\n");
        assert!(bytes.starts_with(&line), "{bytes}");
        assert!(bytes.contains(&format!("\r\nX-Count: {round}-5\r\n")), "{bytes}");
        let request = whole(&spec, templated.texts(&spec, &mut cx)).expect("a request");
        assert_eq!(String::from_utf8_lossy(&request.bytes), bytes, "and none to make it as a whole");
    }
}

#[test]
fn a_property_that_is_set_by_a_function_is_read_anew() {
    let path = [("HTTPSampler.path", "/${__setProperty(p,${v})}${__P(p)}")];
    let (spec, mut cx) = spec(sampler(&path, vec![]), &[]);
    cx.vars.put("v", "old");
    spec.path.eval(&mut cx);
    let template = template(&spec, &mut cx).expect("a template");
    cx.vars.put("v", "new");
    let templated = TemplatedRequest::new(template, &mut cx);
    assert!(!templated.fits(&cx));
    assert_eq!(templated.texts(&spec, &mut cx), texts(&spec, &mut cx));
}

#[test]
fn a_function_that_throws_makes_no_request_and_says_whether_there_is_a_url() {
    let throws = "${__V(v)}${__time(no pattern)}";
    for (path, parameter, header) in [(throws, "", ""), ("/", throws, ""), ("/", "", throws)] {
        let sampler = sampler(&[("HTTPSampler.path", path)], vec![argument("p", parameter, true, "=")]);
        let (spec, mut cx) = spec(sampler, &[("X-Header", header)]);
        cx.vars.put("v", "value");
        let template = template(&spec, &mut cx).expect("a template");
        let templated = TemplatedRequest::new(template, &mut cx);
        assert!(!templated.fits(&cx));
        let made = templated.texts(&spec, &mut cx);
        let thrown = cx.thrown.take().expect("it threw");
        assert_eq!(made, texts(&spec, &mut cx));
        assert_eq!(cx.thrown.take().map(|thrown| thrown.to_string()), Some(thrown.to_string()));
    }
}

#[test]
fn no_function_is_called_to_see_whether_there_is_a_template() {
    let (spec, mut cx) = spec(sampler(&[("HTTPSampler.path", "/${v}/${__counter(TRUE)}")], vec![]), &[]);
    assert!(template(&spec, &mut cx).is_some());
    assert!(spec.path.eval(&mut cx).ends_with("/1"), "the counter counts from here");
}
