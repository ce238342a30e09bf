//! `--compat`: which JMeter a run follows, and what `check` says of that.

use swell_plan::{Element, Node};

use crate::support::{Answer, Folder, Request, Server, plan};

/// A POST of parts with a parameter that is disabled, and an extractor whose last default value is
/// empty.
fn post(at: std::net::SocketAddr) -> Node {
    let argument = |name: &str, enabled: bool| {
        Element::new("HTTPArgument", "", name)
            .with_flag("TestElement.enabled", enabled)
            .with_text("Argument.name", name)
            .with_text("Argument.value", "v")
    };
    let arguments = Element::new("Arguments", "HTTPArgumentsPanel", "")
        .with_elements("Arguments.arguments", [argument("on", true), argument("off", false)]);
    let mut sampler = plan::get(at, "/post");
    sampler.element.set_text("HTTPSampler.method", "POST");
    sampler.element = sampler
        .element
        .with_flag("HTTPSampler.DO_MULTIPART_POST", true)
        .with_element("HTTPsampler.Arguments", arguments);
    let extractor = Element::new("JSONPostProcessor", "JSONPostProcessorGui", "two")
        .with_text("JSONPostProcessor.referenceNames", "a;b")
        .with_text("JSONPostProcessor.jsonPathExprs", "$.a;$.b")
        .with_text("JSONPostProcessor.match_numbers", "1;1")
        .with_text("JSONPostProcessor.defaultValues", "none;");
    sampler.with(Node::new(extractor))
}

fn requests(arguments: &[&str]) -> (Vec<Request>, crate::support::Ended) {
    let server = Server::start(|_| Answer::ok("{}"));
    let folder = Folder::with_plan([plan::group(1, 1)
        .with(post(server.addr))
        .with(plan::get(server.addr, "/after${b}"))]);
    let ended = folder.swell(&[&["run", "plan.jmx"], arguments].concat());
    (server.requests(), ended)
}

#[test]
fn a_run_follows_jmeter_5_6_3_unless_it_is_told_to_follow_6_0() {
    let seen = |arguments: &[&str]| {
        let (requests, ended) = requests(arguments);
        assert!(!requests.is_empty(), "{ended}");
        let names_charset = requests[0].header("Content-Type").is_some_and(|kind| kind.contains("charset="));
        let sends_disabled = String::from_utf8_lossy(&requests[0].body).contains("name=\"off\"");
        // The extractor of 5.6.3 throws, so the variable is not set and the second request cannot
        // be made.
        (names_charset, sends_disabled, requests.get(1).map(|request| request.path().to_owned()))
    };
    let fixed = (false, false, Some("/after".to_owned()));
    let as_released = (true, true, None);
    for arguments in [["--compat=6.0"], ["-Jswell.compat=6.0"]] {
        assert_eq!(seen(&arguments), fixed, "{arguments:?}");
    }
    for arguments in [&[][..], &["--compat=5.6.3"], &["--compat"]] {
        assert_eq!(seen(arguments), as_released, "{arguments:?}");
    }
}

#[test]
fn a_redirect_with_307_or_308_keeps_its_method_and_body_as_in_6_0() {
    let seen = |arguments: &[&str]| {
        let server = Server::start(|request| match request.path() {
            "/first" => {
                Answer::Keep(b"HTTP/1.1 308 To\r\nLocation: /second\r\nContent-Length: 0\r\n\r\n".to_vec())
            }
            "/second" => {
                Answer::Keep(b"HTTP/1.1 307 To\r\nLocation: /last\r\nContent-Length: 0\r\n\r\n".to_vec())
            }
            _ => Answer::ok("{}"),
        });
        let mut node = post(server.addr);
        node.element.set_text("HTTPSampler.path", "/first");
        let folder = Folder::with_plan([plan::group(1, 1).with(node)]);
        let ended = folder.swell(&[&["run", "plan.jmx"], arguments].concat());
        let line = |request: &Request| {
            let method = request.head.split(' ').next().unwrap_or_default().to_owned();
            (method, request.path().to_owned(), !request.body.is_empty())
        };
        (server.requests().iter().map(line).collect::<Vec<_>>(), ended)
    };
    let as_text = |found: &[(String, String, bool)]| {
        found
            .iter()
            .map(|(method, path, body)| format!("{method} {path} {body}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (requests, ended) = seen(&["--compat=6.0"]);
    assert_eq!(as_text(&requests), "POST /first true, POST /second true, POST /last true", "{ended}");
    let (requests, ended) = seen(&[]);
    assert_eq!(as_text(&requests), "POST /first true, GET /second false, GET /last false", "{ended}");
}

#[test]
fn a_version_that_is_not_known_is_refused() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0))]);
    folder
        .swell(&["run", "plan.jmx", "-Jswell.compat=7"])
        .refused(&["invalid swell.compat `7`: use 5.6.3 or 6.0"]);
    folder.swell(&["run", "plan.jmx", "--compat=7"]).refused(&["5.6.3", "6.0"]);
}

#[test]
fn check_says_which_bugs_a_plan_may_meet() {
    let server = Server::start(|_| Answer::ok("{}"));
    let folder = Folder::with_plan([plan::group(1, 1).with(post(server.addr))]);
    let ended = folder.swell(&["check", "plan.jmx"]);
    for issue in ["6080", "6250", "6448", "5466"] {
        assert!(ended.out.contains(&format!("its issue {issue}")), "{issue}: {ended}");
    }
    assert!(ended.out.contains("--compat=6.0") && !ended.out.contains("5891"), "{ended}");
    let ended = folder.swell(&["check", "plan.jmx", "-Jswell.compat=6.0"]);
    assert!(!ended.out.contains("its issue"), "{ended}");
}

#[test]
fn a_coding_that_is_not_decoded_is_named() {
    let server = Server::start(|_| {
        Answer::Keep(
            b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: 4\r\n\r\n(\xb5/\xfd".to_vec(),
        )
    });
    let line = Element::new("Header", "", "")
        .with_text("Header.name", "Accept-Encoding")
        .with_text("Header.value", "gzip, zstd");
    let headers =
        Element::new("HeaderManager", "HeaderPanel", "asks").with_elements("HeaderManager.headers", [line]);
    let group = plan::group(2, 2).with(Node::new(headers)).with(plan::get(server.addr, "/coded"));
    let folder = Folder::with_plan([group]);
    let ended = folder.swell(&["check", "plan.jmx"]);
    assert!(ended.out.contains("Accept-Encoding asks for zstd, which is not decoded"), "{ended}");
    let ended = folder.swell(&["run", "plan.jmx"]);
    assert_eq!(ended.code, Some(0), "{ended}");
    let log = std::fs::read_to_string(folder.at("jmeter.log")).expect("a log");
    assert_eq!(log.matches("/coded: Content-Encoding zstd is not decoded").count(), 1, "once: {log}");
}
