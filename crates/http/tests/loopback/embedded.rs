//! Resources of pages, compared with JMeter 5.6.3.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use swell_api::{Needs, SampleResult};

use crate::site::{Answer, Site, Then, Visitor, answer, ok, on_loop, redirect, shown};
use swell_plan::Element;

fn typed(kind: &str, more: &str, body: &str) -> Answer {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{more}Content-Length: {}\r\n\r\n", body.len());
    answer(head + body, Then::Keep)
}

fn page(body: &str) -> Answer {
    typed("text/html", "", body)
}

fn with_resources(element: Element) -> Element {
    element.with_flag("HTTPSampler.image_parser", true).with_flag("HTTPSampler.follow_redirects", true)
}

fn in_parallel(element: Element) -> Element {
    let element = with_resources(element).with_flag("HTTPSampler.concurrentDwn", true);
    element.with_text("HTTPSampler.concurrentPool", "2")
}

/// Label, last part of the URL, code of a sample and those below it.
fn tree(sample: &SampleResult) -> String {
    let url = sample.url.as_deref().unwrap_or_default();
    let below: Vec<String> = sample.sub_results.iter().map(tree).collect();
    let below = if below.is_empty() { String::new() } else { format!(" [{}]", below.join(", ")) };
    format!("{} {} {}{below}", sample.label, url.rsplit('/').next().unwrap_or_default(), shown(sample).0)
}

#[test]
fn pages_styles_and_frames() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/p" => {
                page("<link rel=stylesheet href=s.css><img src=/a/../i.png><img src=i.png><iframe src=f>")
            }
            "/s.css" => typed("text/css", "", "@import 'x.css';"),
            "/f" => page("<img src=j.png>"),
            _ => ok("x"),
        });
        let mut visitor = Visitor::new(&site);
        visitor.user.cx.user.thread_name = "Users 1-1".into();
        let sample = visitor.get_with("/p", with_resources).await.expect("a sample");
        let wanted = "name p 200 [name-0 p 200, name-1 s.css 200 [name-0 s.css 200, name-1 x.css 200], \
                      name-2 i.png 200, name-3 i.png 200, name-4 f 200 [name-0 f 200, name-1 j.png 200]]";
        assert_eq!(tree(&sample), wanted);
        assert!(site.targets().iter().all(|(connection, _)| *connection == 1), "one after the other");
        let sum = |part: fn(&SampleResult) -> u64| sample.sub_results.iter().map(part).sum::<u64>();
        assert_eq!(sample.bytes, sum(|s| s.bytes));
        assert_eq!(sample.sent_bytes, sum(|s| s.sent_bytes));
        assert_eq!(sample.timing.end_ns, sample.sub_results[4].timing.end_ns);
        let frame = &sample.sub_results[4].sub_results;
        assert_eq!((&*frame[0].thread_name, &*frame[1].thread_name), ("", "Users 1-1"));
        let plain = visitor.get("/p").await;
        assert!(plain.sub_results.is_empty());
    });
}

#[test]
fn a_page_fails_with_its_resources() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/p" => page("<img src=gone><img src=i.png><img src=gone2>"),
            "/gone" | "/gone2" => answer("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", Then::Keep),
            _ => ok("x"),
        });
        let mut visitor = Visitor::with(&site, &[], vec![], Needs::default());
        let sample = visitor.get_with("/p", with_resources).await.expect("a sample");
        let wanted = format!(
            "Embedded resource download error:http://127.0.0.1:{0}/gone code:404 message:Not Found, \
             http://127.0.0.1:{0}/gone2 code:404 message:Not Found, ",
            site.port
        );
        assert_eq!((&*sample.code, &*sample.message, sample.success), ("200", &*wanted, false));
        assert!(sample.body.is_empty() && sample.sub_results[0].body.is_empty(), "it is not read");
        let props = [("httpsampler.ignore_failed_embedded_resources", "true")];
        let mut visitor = Visitor::with(&site, &props, vec![], Needs::ALL);
        let sample = visitor.get_with("/p", with_resources).await.expect("a sample");
        assert_eq!((&*sample.message, sample.success), ("OK", true));
    });
}

#[test]
fn redirects_and_expressions() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/r" => redirect(302, "/p"),
            "/p" => page("<img src=a.png><img src=b.gif><img src=r2.png>"),
            "/r2.png" => redirect(302, "/c.png"),
            _ => ok("x"),
        });
        let mut visitor = Visitor::new(&site);
        let edit = |e| with_resources(e).with_text("HTTPSampler.embedded_url_re", ".*[.]png");
        let sample = visitor.get_with("/r", edit).await.expect("a sample");
        let wanted = "name p 200 [name-0 r 302, name-1 p 200, name-2 a.png 200, \
                      name-3 c.png 200 [name-0 r2.png 302, name-1 c.png 200]]";
        assert_eq!(tree(&sample), wanted);
        let edit =
            |e| with_resources(e).with_text("HTTPSampler.embedded_url_exclude_re", ".*/[ab][.].*|.*r2.*");
        // A page is its own first sub-sample even if the expressions leave nothing to fetch.
        assert_eq!(tree(&visitor.get_with("/p", edit).await.expect("a sample")), "name p 200 [name-0 p 200]");
    });
}

#[test]
fn frames_in_themselves_end() {
    on_loop(async {
        let site = Site::start(|_, _| page("<iframe src=p>"));
        let mut visitor = Visitor::with(&site, &[("httpsampler.max_frame_depth", "1")], vec![], Needs::ALL);
        let sample = visitor.get_with("/p", with_resources).await.expect("a sample");
        let wanted = "name p 200 [name-0 p 200, name-1 p 200 [name-0 p 200, name-1 p 200 [name-0 p java.lang.Exception]]]";
        assert_eq!(tree(&sample), wanted);
        assert!(sample.success);
        let deepest = &sample.sub_results[1].sub_results[1].sub_results[0];
        assert_eq!(shown(deepest).1, "Maximum frame/iframe nesting depth exceeded.");
    });
}

#[test]
fn a_style_sheet_that_imports_itself_many_times_ends() {
    on_loop(async {
        for edit in [with_resources, in_parallel] {
            let sheet = "@import url(s);".repeat(100);
            let site = Site::start(move |_, _| typed("text/css", "", &sheet));
            let mut visitor = Visitor::with(&site, &[("http.max_resources", "250")], vec![], Needs::ALL);
            for _ in 0..2 {
                let before = site.targets().len();
                let sample = visitor.get_with("/s", edit).await.expect("a sample");
                assert_eq!(site.targets().len() - before, 251, "the page and its resources, for each sample");
                assert!(!sample.success, "{}", sample.message);
                let why = "More than 250 embedded resources in one sample (http.max_resources)";
                assert!(sample.message.contains(why), "{}", &sample.message[..200]);
            }
        }
    });
}

#[test]
fn a_pool_has_connections_and_cookies_of_its_own() {
    on_loop(async {
        let site = Site::start(|target, _| match target {
            "/p" => page("<img src=1><img src=2><img src=3><img src=4>"),
            "/2" => typed("image/png", "Set-Cookie: a=2\r\n", "x"),
            "/3" => typed("image/png", "Set-Cookie: b=3\r\n", "x"),
            _ => ok("x"),
        });
        let cookies = vec![Element::new("CookieManager", "CookiePanel", "cookies")];
        let mut visitor = Visitor::with(&site, &[], cookies, Needs::ALL);
        let sample = visitor.get_with("/p", in_parallel).await.expect("a sample");
        assert_eq!(
            tree(&sample),
            "name p 200 [name-0 p 200, name-1 1 200, name-2 2 200, name-3 3 200, name-4 4 200]"
        );
        let mut connections: Vec<usize> = site.targets().into_iter().map(|(n, _)| n).collect();
        connections.sort_unstable();
        connections.dedup();
        assert_eq!(connections, [1, 2, 3], "the page's and two for the pool");
        assert!(
            !site.seen.borrow().iter().any(|(_, request)| request.contains("Cookie: ")),
            "copies at the start"
        );
        visitor.get_with("/p", in_parallel).await;
        assert!(site.targets().iter().all(|(n, _)| *n <= 3), "connections are used again");
        let last = site.seen.borrow()[5].1.clone();
        assert!(last.starts_with("GET /p ") && last.contains("Cookie: a=2; b=3\r\n"), "{last}");
    });
}

#[test]
fn digests_hide_pages() {
    on_loop(async {
        let site = Site::start(
            |target, _| if target == "/p" { page("<iframe src=f>") } else { page("<img src=i>") },
        );
        let mut visitor =
            Visitor::with(&site, &[("httpsampler.embedded_resources_use_md5", "true")], vec![], Needs::ALL);
        let sample = visitor.get_with("/p", in_parallel).await.expect("a sample");
        assert_eq!(tree(&sample), "name p 200 [name-0 p 200, name-1 f 200]");
        assert_eq!(sample.sub_results[1].body.len(), 32);
        let sample = visitor.get_with("/p", |e| with_resources(e).with_flag("HTTPSampler.md5", true)).await;
        assert_eq!(tree(&sample.expect("a sample")), "name p 200");
    });
}

/// Counts the jobs for helper threads of a visitor.
fn count_jobs(visitor: &mut Visitor) -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let aside = move |job: swell_expr::Job| -> std::pin::Pin<Box<dyn Future<Output = ()>>> {
        counted.fetch_add(1, Ordering::Relaxed);
        job();
        Box::pin(std::future::ready(()))
    };
    let heavy = swell_expr::Heavy { aside: Arc::new(aside), ..swell_expr::Heavy::default() };
    visitor.user.cx.heavy = Rc::new(heavy);
    count
}

#[test]
fn a_large_page_is_searched_off_the_loop_and_so_are_very_many_urls() {
    on_loop(async {
        let text_of = |images: usize, length: usize| {
            let images = (0..images).map(|i| format!("<img src='/i/{i}'>")).collect::<Vec<_>>().concat();
            format!("{images}{}", " ".repeat(length - images.len()))
        };
        // Images, bytes of the page, jobs for helpers: to search it, and to compare URLs.
        for (images, length, jobs) in [(3, 9_000, 0), (3, 30_000, 1), (300, 9_000, 1), (300, 30_000, 2)] {
            let text = text_of(images, length);
            let site = Site::start(move |target, _| if target == "/" { page(&text) } else { ok("") });
            let mut visitor = Visitor::new(&site);
            let count = count_jobs(&mut visitor);
            let second = |e: Element| with_resources(e).with_text("HTTPSampler.embedded_url_re", ".*/2");
            let sample = visitor.get_with("/", second).await.unwrap();
            assert_eq!(
                (sample.sub_results.len(), count.load(Ordering::Relaxed)),
                (2, jobs),
                "{images}, {length}"
            );
        }
    });
}
