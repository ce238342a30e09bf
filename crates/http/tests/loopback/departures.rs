//! Differences from JMeter that `swell hit` uses: requests as given, redirects of RFC 9110.

use swell_api::Needs;
use swell_plan::Element;

use crate::site::{Site, Visitor, answer, ok, on_loop, redirect};

const HIT: [(&str, &str); 2] = [("swell.http.requests", "as_given"), ("swell.http.redirects", "rfc9110")];

fn headers(lines: &[(&str, &str)]) -> Element {
    let header = |(name, value): &(&str, &str)| {
        Element::new("Header", "", "").with_text("Header.name", name).with_text("Header.value", value)
    };
    Element::new("HeaderManager", "HeaderPanel", "Headers")
        .with_elements("HeaderManager.headers", lines.iter().map(header))
}

fn post(element: Element) -> Element {
    let argument = Element::new("HTTPArgument", "HTTPArgument", "")
        .with_flag("HTTPArgument.always_encode", false)
        .with_text("Argument.value", "p=v")
        .with_text("Argument.metadata", "=");
    let arguments =
        Element::new("Arguments", "HTTPArgumentsPanel", "").with_elements("Arguments.arguments", [argument]);
    element
        .with_text("HTTPSampler.method", "POST")
        .with_flag("HTTPSampler.follow_redirects", true)
        .with_flag("HTTPSampler.postBodyRaw", true)
        .with_element("HTTPsampler.Arguments", arguments)
}

/// What was asked for: methods with targets and bodies.
fn asked(site: &Site) -> Vec<String> {
    let seen = site.seen.borrow();
    let line = |request: &str| {
        let first = request.lines().next().unwrap_or_default().replace(" HTTP/1.1", "");
        format!("{first} {}", request.split("\r\n\r\n").nth(1).unwrap_or_default())
    };
    seen.iter().map(|(_, request)| line(request)).collect()
}

#[test]
fn a_host_header_and_empty_segments_go_out_as_given() {
    for (props, wanted) in [(&HIT[..], ["//a//b/?q=//", "Host: x\r\n"]), (&[], ["/a/b/?q=//", "Host: x:"])] {
        on_loop(async move {
            let site = Site::start(|_, _| ok(""));
            let mut visitor = Visitor::with(&site, props, vec![headers(&[("Host", "x")])], Needs::ALL);
            assert!(visitor.get("//a//b/?q=//").await.success);
            assert_eq!(site.targets()[0].1, wanted[0]);
            assert!(site.last().contains(wanted[1]), "{}", site.last());
        });
    }
}

#[test]
fn redirects_307_and_308_keep_method_and_body() {
    for status in [307, 308] {
        on_loop(async move {
            let site = Site::start(move |target, _| match target {
                "/a" => redirect(status, "/b//c"),
                "/b//c" => redirect(302, "/d"),
                "/d" => redirect(307, "/e"),
                _ => ok("end"),
            });
            let mut visitor = Visitor::with(&site, &HIT, vec![], Needs::ALL);
            let sample = visitor.get_with("/a", post).await.expect("a sample");
            assert_eq!(&*sample.body, b"end");
            // After a 302 the request has no body.
            assert_eq!(asked(&site), ["POST /a p=v", "POST /b//c p=v", "GET /d ", "GET /e "]);
        });
    }
}

#[test]
fn jmeter_takes_a_307_to_a_post_as_the_answer() {
    on_loop(async {
        let site = Site::start(|_, _| redirect(307, "/b"));
        let sample = Visitor::new(&site).get_with("/a", post).await.expect("a sample");
        assert_eq!((&*sample.code, asked(&site).len()), ("307", 1));
    });
}

#[test]
fn credentials_do_not_follow_to_another_origin() {
    on_loop(async {
        let other = Site::start(|_, _| ok(""));
        let port = other.port;
        let site = Site::start(move |target, _| match target {
            "/a" => redirect(307, "/b"),
            "/b" => redirect(308, &format!("http://127.0.0.1:{port}/c")),
            _ => answer("", crate::site::Then::Close),
        });
        let lines =
            [("Authorization", "Basic eDp5"), ("Cookie", "s=1"), ("Host", "given"), ("X-Mine", "stays")];
        let mut visitor = Visitor::with(&site, &HIT, vec![headers(&lines)], Needs::ALL);
        assert!(visitor.get_with("/a", post).await.expect("a sample").success);
        let at_home = site.last();
        assert!(at_home.contains("Authorization: Basic eDp5\r\n") && at_home.contains("Cookie: s=1\r\n"));
        let away = other.last();
        for line in ["Authorization", "Cookie", "Host: given"] {
            assert!(!away.contains(line), "{away}");
        }
        assert!(away.contains(&format!("Host: 127.0.0.1:{port}\r\n")) && away.contains("X-Mine: stays\r\n"));
        assert!(away.ends_with("\r\n\r\np=v"), "{away}");
    });
}
