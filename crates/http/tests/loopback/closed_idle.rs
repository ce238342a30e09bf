//! Kept connections that the server closes: with `swell.http.idle_connections` as `swell hit` sets
//! it, and as in JMeter.

use swell_api::{Needs, SampleResult};

use crate::site::{Answer, Site, Then, Visitor, answer, ok, on_loop, shown};

const CHECKED: [(&str, &str); 1] = [("swell.http.idle_connections", "checked")];

/// The first connection answers one request and is then ended that way, at the next request.
fn site(tls: bool, end: Then) -> Site {
    let rule = move |target: &str, number: usize| -> Answer {
        if number == 1 && target != "/warm" { answer("", end) } else { ok("here") }
    };
    if tls { Site::start_tls(rule) } else { Site::start(rule) }
}

async fn visit(site: &Site, props: &[(&str, &str)], method: &str, tls: bool) -> SampleResult {
    let mut visitor = Visitor::with(site, props, vec![], Needs::ALL);
    let scheme = if tls { "https" } else { "http" };
    let warm = visitor.get_with("/warm", |it| it.with_text("HTTPSampler.protocol", scheme)).await;
    assert!(warm.expect("a sample").success);
    let sample = visitor.get_with("/x", |it| {
        it.with_text("HTTPSampler.protocol", scheme).with_text("HTTPSampler.method", method)
    });
    sample.await.expect("a sample")
}

#[test]
fn a_request_without_an_answer_on_a_kept_connection_is_repeated_once() {
    for (end, tls) in [(Then::Close, false), (Then::Reset, false), (Then::Close, true)] {
        on_loop(async move {
            let site = site(tls, end);
            let sample = visit(&site, &CHECKED, "GET", tls).await;
            assert_eq!((&*sample.code, &*sample.body), ("200", &b"here"[..]));
            let timing = sample.timing;
            assert!(timing.start_ns < timing.connected_ns && timing.connected_ns < timing.end_ns);
            let paths = site.targets();
            assert_eq!(paths[1..], [(1, "/x".to_owned()), (2, "/x".to_owned())]);
        });
    }
}

#[test]
fn what_the_server_may_have_processed_is_not_repeated() {
    on_loop(async {
        let site = site(false, Then::Close);
        let sample = visit(&site, &CHECKED, "POST", false).await;
        assert_eq!(shown(&sample).0, "org.apache.http.NoHttpResponseException");
        assert_eq!(site.targets().len(), 2);
    });
}

#[test]
fn a_new_connection_that_is_closed_is_no_reason_to_repeat() {
    on_loop(async {
        let site = Site::start(|_, _| answer("", Then::Close));
        let mut visitor = Visitor::with(&site, &CHECKED, vec![], Needs::ALL);
        let sample = visitor.get("/x").await;
        assert_eq!(shown(&sample).0, "org.apache.http.NoHttpResponseException");
        assert_eq!(site.targets().len(), 1);
    });
}

#[test]
fn jmeter_repeats_nothing_unless_a_property_says_so() {
    for (props, ends_well) in [(&[][..], false), (&[("httpclient4.retrycount", "1")], true)] {
        on_loop(async move {
            let site = site(false, Then::Close);
            assert_eq!(visit(&site, props, "GET", false).await.success, ends_well);
        });
    }
}

#[test]
fn a_connection_whose_end_has_arrived_is_not_used() {
    for tls in [false, true] {
        on_loop(async move {
            let closing =
                move |_: &str, _: usize| answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Then::Close);
            let site = if tls { Site::start_tls(closing) } else { Site::start(closing) };
            let other = Site::start(|_, _| ok(""));
            let mut visitor = Visitor::with(&site, &CHECKED, vec![], Needs::ALL);
            let scheme = if tls { "https" } else { "http" };
            for _ in 0..3 {
                // A POST is not repeated, so it only succeeds on a connection that is open.
                let post = visitor.get_with("/x", |it| {
                    it.with_text("HTTPSampler.protocol", scheme).with_text("HTTPSampler.method", "POST")
                });
                assert!(post.await.expect("a sample").success);
                // The end arrives meanwhile: on a busy machine the kernel may hand on what another
                // processor sent a little later.
                for _ in 0..20 {
                    Visitor::new(&other).get("/").await;
                }
            }
            assert_eq!(site.targets().iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2, 3]);
        });
    }
}
