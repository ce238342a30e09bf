//! Users over several samples: connections, cookies, the cache, redirects.

use swell_api::{Needs, SampleResult};

use crate::site::{Site, Then, Visitor, answer, ok, on_loop, redirect, shown};
use swell_plan::Element;

fn cookie_manager() -> Element {
    Element::new("CookieManager", "CookiePanel", "cookies")
}

fn cookie_of(request: &str) -> Option<&str> {
    request.lines().find_map(|line| line.strip_prefix("Cookie: "))
}

#[test]
fn a_connection_closed_between_requests_is_an_error_unless_it_is_looked_at() {
    for (validate_ms, code) in [("4900", "org.apache.http.NoHttpResponseException"), ("1", "200")] {
        on_loop(async move {
            let site = Site::start(|target, _| match target {
                "/close" => answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Then::Close),
                _ => ok("x"),
            });
            let props = [("httpclient4.validate_after_inactivity", validate_ms)];
            let mut visitor = Visitor::with(&site, &props, vec![], Needs::ALL);
            assert_eq!(&*visitor.get("/close").await.code, "200");
            // Long enough for the end to arrive and for the shorter limit to pass.
            swell_net::sleep_until(swell_net::now_ns() + 30_000_000).await;
            assert_eq!(shown(&visitor.get("/next").await).0, code);
            assert_eq!(&*visitor.get("/after").await.code, "200");
        });
    }
}

#[test]
fn connections_grow_old() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/brief" => {
                answer("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 0\r\n\r\n", Then::Keep)
            }
            _ => ok(""),
        });
        let props = [("httpclient4.time_to_live", "20")];
        let mut visitor = Visitor::with(&site, &props, vec![], Needs::ALL);
        visitor.get("/1").await;
        visitor.get("/2").await;
        swell_net::sleep_until(swell_net::now_ns() + 25_000_000).await;
        visitor.get("/3").await;
        let connections: Vec<usize> = site.targets().into_iter().map(|(n, _)| n).collect();
        assert_eq!(connections, [1, 1, 2]);
    });
}

#[test]
fn a_user_keeps_one_connection_for_each_target() {
    on_loop(async {
        let a = Site::start(|_, _| ok("a"));
        let b = Site::start(|_, _| ok("b"));
        let mut visitor = Visitor::new(&a);
        let port = b.port.to_string();
        for _ in 0..3 {
            visitor.get("/a").await;
            visitor.get_with("/b", |e| e.with_text("HTTPSampler.port", &port)).await;
        }
        assert!(a.targets().iter().chain(&b.targets()).all(|(connection, _)| *connection == 1));
        assert_eq!((a.targets().len(), b.targets().len()), (3, 3));
    });
}

#[test]
fn without_keep_alive_each_request_has_its_connection() {
    on_loop(async {
        let site = Site::start(|_, _| ok(""));
        let mut visitor = Visitor::new(&site);
        for _ in 0..2 {
            visitor.get_with("/", |e| e.with_flag("HTTPSampler.use_keepalive", false)).await;
        }
        assert_eq!(site.targets().iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 2]);
    });
}

#[test]
fn a_new_user_has_new_connections_and_cookies() {
    on_loop(async {
        let site = Site::start(|_, _| {
            answer("HTTP/1.1 200 OK\r\nSet-Cookie: s=1\r\nContent-Length: 0\r\n\r\n", Then::Keep)
        });
        let manager = cookie_manager().with_flag("CookieManager.controlledByThreadGroup", true);
        let mut visitor = Visitor::with(&site, &[], vec![manager], Needs::ALL);
        visitor.get("/1").await;
        visitor.user.start_iteration(true);
        visitor.get("/2").await;
        visitor.user.start_iteration(false);
        visitor.get("/3").await;
        let seen = site.seen.borrow();
        let facts: Vec<_> = seen.iter().map(|(n, request)| (*n, cookie_of(request))).collect();
        assert_eq!(facts, [(1, None), (1, Some("s=1")), (2, None)]);
    });
}

#[test]
fn cookies_come_back_and_fill_variables() {
    on_loop(async {
        let site = Site::start(|_, _| {
            let head = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie: b=2; Path=/deep\r\nset-cookie: c=3; Domain=other\r\n";
            answer(format!("{head}Content-Length: 0\r\n\r\n"), Then::Keep)
        });
        let props = [("CookieManager.save.cookies", "true")];
        let mut visitor = Visitor::with(&site, &props, vec![cookie_manager()], Needs::ALL);
        let first = visitor.get("/").await;
        assert_eq!(first.http.unwrap().cookies, "");
        let second = visitor.get("/deep/x").await;
        assert_eq!(cookie_of(&site.last()), Some("b=2; a=1"));
        assert_eq!(second.http.as_ref().unwrap().cookies, "b=2; a=1");
        let sent = second.sampler_data.as_deref().unwrap_or_default();
        assert!(sent.contains("\nCookie Data:\nb=2; a=1\n"), "{sent}");
        assert_eq!(second.sent_bytes, site.last().len() as u64);
        let vars = &visitor.user.cx.vars;
        assert_eq!(vars.get("COOKIE_a").map(|v| &**v), Some("1"));
        assert_eq!(vars.get("COOKIE_c"), None, "refused cookies are not saved");
    });
}

fn cache_manager(use_expires: bool) -> Element {
    Element::new("CacheManager", "CacheManagerGui", "cache").with_flag("useExpires", use_expires)
}

#[test]
fn the_cache_makes_requests_conditional() {
    on_loop(async {
        let site = Site::start(|_, _| {
            let head = "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
            answer(format!("{head}Content-Length: 0\r\n\r\n"), Then::Keep)
        });
        let mut visitor = Visitor::with(&site, &[], vec![cache_manager(false)], Needs::ALL);
        visitor.get("/").await;
        assert!(!site.last().contains("If-"));
        let second = visitor.get("/").await;
        let wanted = "Connection: keep-alive\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\nIf-None-Match: \"e\"\r\nHost: ";
        assert!(site.last().contains(wanted), "{}", site.last());
        assert!(second.request_headers.contains("If-None-Match: \"e\"\n"));
        visitor.get("/other").await;
        assert!(!site.last().contains("If-"));
    });
}

#[test]
fn a_fresh_resource_is_no_sample_or_the_one_that_properties_name() {
    type Mode = (&'static [(&'static str, &'static str)], Option<(&'static str, &'static str)>);
    let modes: [Mode; 3] = [
        (&[], None),
        (&[("cache_manager.cached_resource_mode", "RETURN_200_CACHE")], Some(("200", "(ex cache)"))),
        (
            &[
                ("cache_manager.cached_resource_mode", "RETURN_CUSTOM_STATUS"),
                ("RETURN_CUSTOM_STATUS.code", "299"),
                ("RETURN_CUSTOM_STATUS.message", "mine"),
            ],
            Some(("299", "mine")),
        ),
    ];
    for (props, wanted) in modes {
        on_loop(async move {
            let site = Site::start(|_, _| {
                answer(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 0\r\n\r\n",
                    Then::Keep,
                )
            });
            let mut visitor = Visitor::with(&site, props, vec![cache_manager(true)], Needs::ALL);
            visitor.get("/").await;
            let second = visitor.get_with("/", |e| e).await;
            let shown = second.as_ref().map(|s| (&*s.code, &*s.message));
            assert_eq!(shown, wanted);
            assert!(second.is_none_or(|s| s.success && s.bytes == 0));
            assert_eq!(site.targets().len(), 1);
        });
    }
}

#[test]
fn redirects_are_sub_samples() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/a" => answer(
                "HTTP/1.1 301 R\r\nLocation: /b\r\nSet-Cookie: k=v; Path=/\r\nContent-Length: 0\r\n\r\n",
                Then::Keep,
            ),
            "/b" => redirect(302, "c d"),
            _ => answer(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok",
                Then::Keep,
            ),
        });
        let mut visitor = Visitor::with(&site, &[], vec![cookie_manager()], Needs::ALL);
        for warm in [false, true] {
            let sample = visitor.follow("/a").await;
            assert_eq!(sample.timing.connected_ns == 0, warm);
            check_redirected(&sample, if warm { "k=v" } else { "" });
            assert_eq!(cookie_of(&site.last()), Some("k=v"));
        }
    });
}

/// What comes of two redirects. `cookies`: those of the first request.
fn check_redirected(sample: &SampleResult, cookies: &str) {
    let labels: Vec<&str> = sample.sub_results.iter().map(|s| &*s.label).collect();
    assert_eq!((&*sample.label, labels), ("name", vec!["name-0", "name-1", "name-2"]));
    let codes: Vec<&str> = sample.sub_results.iter().map(|s| &*s.code).collect();
    assert_eq!((&*sample.code, codes), ("200", vec!["301", "302", "200"]));
    assert_eq!(sample.body, b"ok");
    assert!(sample.url.as_deref().expect("all is needed").ends_with("/c%20d"));
    let sum = |f: fn(&SampleResult) -> u64| sample.sub_results.iter().map(f).sum::<u64>();
    assert_eq!((sample.bytes, sample.sent_bytes), (sum(|s| s.bytes), sum(|s| s.sent_bytes)));
    assert_eq!(sample.timing.start_ns, sample.sub_results[0].timing.start_ns);
    assert_eq!(sample.timing.first_byte_ns, sample.sub_results[0].timing.first_byte_ns);
    assert_eq!(sample.timing.end_ns, sample.sub_results[2].timing.end_ns);
    let http = sample.http.as_ref().expect("all is needed");
    assert_eq!((http.redirect_location.as_deref(), http.cookies.as_str()), (Some("/b"), cookies));
}

#[test]
fn the_method_becomes_get() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/308" => redirect(308, "/end"),
            "/307" => redirect(307, "/end"),
            _ => ok(""),
        });
        let mut visitor = Visitor::new(&site);
        let post = |e: Element| {
            e.with_text("HTTPSampler.method", "POST").with_flag("HTTPSampler.follow_redirects", true)
        };
        let moved = visitor.get_with("/308", post).await.unwrap();
        assert_eq!((&*moved.code, &*moved.http.unwrap().method), ("200", "GET"));
        assert!(site.last().starts_with("GET /end ") && !site.last().contains("Content-Length"));
        let kept = visitor.get_with("/307", post).await.unwrap();
        assert_eq!((&*kept.code, kept.sub_results.len()), ("307", 0), "307 does not redirect a POST");
    });
}

#[test]
fn redirects_can_fail() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/bad" => redirect(302, "foo:bar"),
            "/none" => answer("HTTP/1.1 302 F\r\nContent-Length: 0\r\n\r\n", Then::Keep),
            "/gone" => redirect(302, "http://127.0.0.1:1/x"),
            _ => redirect(302, "/loop"),
        });
        let mut visitor = Visitor::new(&site);
        let bad = visitor.follow("/bad").await;
        assert_eq!(shown(&bad), ("java.net.MalformedURLException".into(), "unknown protocol: foo".into()));
        assert_eq!((bad.sub_results.len(), &bad.sub_results[0].code), (1, &bad.code));
        assert_eq!(bad.bytes, 59, "sizes of the redirect stay");
        let none = visitor.follow("/none").await;
        assert_eq!(shown(&none).0, "java.lang.IllegalArgumentException");
        assert!(shown(&none).1.starts_with("Missing location header in redirect for GET http://127.0.0.1:"));
        let gone = visitor.follow("/gone").await;
        assert_eq!(shown(&gone).0, "org.apache.http.conn.HttpHostConnectException");
        assert_eq!(gone.sub_results.len(), 2);
        let endless = visitor.follow("/loop").await;
        assert_eq!(
            shown(&endless),
            ("java.io.IOException".into(), "Exceeded maximum number of redirects: 20".into())
        );
        assert_eq!((endless.sub_results.len(), endless.bytes), (22, 22 * 57));
    });
}

#[test]
fn httpclients_own_redirects_show_the_last_exchange_only() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/a" => answer(
                "HTTP/1.1 302 R\r\nLocation: /b\r\nSet-Cookie: lost=1; Path=/\r\nContent-Length: 0\r\n\r\n",
                Then::Keep,
            ),
            "/b" => redirect(307, "/end"),
            "/loop" => redirect(302, "/loop"),
            _ => ok("end"),
        });
        let mut visitor = Visitor::with(&site, &[], vec![cookie_manager()], Needs::ALL);
        let auto = |e: Element| e.with_flag("HTTPSampler.auto_redirects", true);
        let sample = visitor.get_with("/a", auto).await.unwrap();
        assert_eq!((&*sample.code, sample.sub_results.len()), ("200", 0));
        assert!(sample.url.as_deref().expect("all is needed").ends_with("/end"));
        assert_eq!((sample.bytes, sample.sent_bytes), (41, site.last().len() as u64));
        visitor.get("/x").await;
        assert_eq!(cookie_of(&site.last()), None, "cookies on the way are lost");
        let endless = visitor.get_with("/loop", auto).await.unwrap();
        assert_eq!(shown(&endless).0, "org.apache.http.client.ClientProtocolException");
        let post = |e: Element| auto(e).with_text("HTTPSampler.method", "POST");
        let posted = visitor.get_with("/b", post).await.unwrap();
        assert_eq!(&*posted.http.unwrap().method, "POST");
        assert!(site.last().starts_with("POST /end "), "307 keeps the method: {}", site.last());
    });
}

#[test]
fn requests_vary_with_variables() {
    on_loop(async {
        let site = Site::start(|_, _| ok(""));
        let mut visitor = Visitor::new(&site);
        let sampler = visitor.sampler("/item?id=${id}", |e| e);
        for id in ["1", "2"] {
            visitor.user.cx.vars.put("id", id);
            assert!(sampler.sample(&mut visitor.user).await.unwrap().success);
        }
        let targets: Vec<String> = site.targets().into_iter().map(|(_, t)| t).collect();
        assert_eq!(targets, ["/item?id=1", "/item?id=2"]);
    });
}

#[test]
fn a_site_that_sets_cookies_without_end_is_sent_the_last_of_them_and_the_run_says_so() {
    on_loop(async {
        let site = Site::start(|target, _| {
            let many = (0..500).map(|i| format!("Set-Cookie: c{i}=x\r\n")).collect::<Vec<_>>().concat();
            let set = if target == "/set" { many.as_str() } else { "" };
            answer(format!("HTTP/1.1 200 OK\r\n{set}Content-Length: 0\r\n\r\n"), Then::Keep)
        });
        let props = [("cookies.max_per_domain", "50"), ("cookies.max_bytes", "0")];
        let mut visitor = Visitor::with(&site, &props, vec![cookie_manager()], Needs::ALL);
        visitor.get("/set").await;
        visitor.get("/next").await;
        let seen = site.seen.borrow();
        let sent: Vec<_> = cookie_of(&seen[1].1).expect("cookies").split("; ").collect();
        assert_eq!((sent.len(), sent[0], sent[49]), (50, "c450=x", "c499=x"));
        let told = visitor.compile.bodies().cookies_told().expect("told");
        assert!(told.starts_with("450 cookies were dropped: they exceed the limits per user"), "{told}");
        assert_eq!(visitor.compile.diagnostics.borrow().len(), 0);
    });
}
