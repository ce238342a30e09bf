//! The Authorization Manager, compared with JMeter 5.6.3.

use swell_api::Needs;

use crate::site::{Site, Then, Visitor, answer, ok, on_loop, redirect};
use swell_plan::{Element, Severity};

/// A manager of entries: start of the URL, name, password, realm, mechanism.
fn manager(entries: &[(&str, &str, &str, &str, &str)]) -> Element {
    let entries = entries.iter().map(|(url, user, password, realm, mechanism)| {
        Element::new("Authorization", "", "")
            .with_text("Authorization.url", url)
            .with_text("Authorization.username", user)
            .with_text("Authorization.password", password)
            .with_text("Authorization.realm", realm)
            .with_text("Authorization.mechanism", mechanism)
    });
    Element::new("AuthManager", "AuthPanel", "auth").with_elements("AuthManager.auth_list", entries)
}

fn said(request: &str) -> &str {
    request.lines().find_map(|line| line.strip_prefix("Authorization: ")).unwrap_or("nothing")
}

fn visitor(site: &Site, entries: &[(&str, &str, &str, &str, &str)]) -> Visitor {
    Visitor::with(site, &[], vec![manager(entries)], Needs::ALL)
}

#[test]
fn basic_is_sent_unasked_to_urls_that_start_so() {
    on_loop(async {
        let site = Site::start(|_, _| ok(""));
        let base = format!("http://127.0.0.1:{}", site.port);
        let (a, deep) = (format!("{base}/a"), format!("{base}/a/deep?x"));
        let entries = [
            (&*deep, "never", "", "", ""),
            (&*a, "u", "p", "", "BASIC"),
            (&*base, "v", "p", "", "BASIC_DIGEST"),
        ];
        let mut visitor = visitor(&site, &entries);
        for (path, wanted) in [("/abc", "Basic dTpw"), ("/a/deep?x", "Basic dTpw"), ("/b", "Basic djpw")] {
            let sample = visitor.get(path).await;
            assert_eq!(said(&site.last()), wanted, "{path}");
            assert!(sample.request_headers.ends_with(&format!("Authorization: {wanted}\n")));
        }
        let request = site.last();
        assert!(request.ends_with("(Java/17.0.15)\r\nAuthorization: Basic djpw\r\n\r\n"), "{request}");
    });
}

#[test]
fn what_does_not_start_so_gets_nothing() {
    on_loop(async {
        let site = Site::start(|_, _| ok(""));
        let upper = format!("HTTP://127.0.0.1:{}/", site.port);
        visitor(&site, &[(&upper, "u", "p", "", "BASIC")]).get("/").await;
        assert_eq!(said(&site.last()), "nothing");
        let mut odd = visitor(&site, &[("", "u", "p", "", "FOO")]);
        let sample = odd.get("/").await;
        assert!(sample.message.ends_with("AuthManager.Mechanism.FOO"), "{}", sample.message);
    });
}

#[test]
fn a_request_for_kerberos_goes_without_credentials_and_that_is_said_once() {
    on_loop(async {
        let site = Site::start(|_, _| ok(""));
        let mut visitor = visitor(&site, &[("http://", "u", "p", "", "KERBEROS")]);
        assert!(visitor.get("/").await.success);
        assert_eq!(said(&site.last()), "nothing");
        let told = visitor.compile.diagnostics.borrow();
        let told: Vec<_> = told.iter().map(|found| (found.severity, &*found.message)).collect();
        let wanted = "Kerberos is not supported: requests to `http://` are sent without credentials";
        assert_eq!(told, [(Severity::Warning, wanted)]);
    });
}

#[test]
fn digest_answers_a_challenge() {
    let asked = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"R\"\r\nWWW-Authenticate: Digest \
        realm=\"R\", nonce=\"n\", qop=\"auth\"\r\nContent-Length: 4\r\n\r\ndeny";
    on_loop(async move {
        let turns = std::cell::Cell::new(0);
        let site = Site::start(move |target, _| {
            turns.set(turns.get() + 1);
            if target == "/no" || turns.get() % 2 == 1 { answer(asked, Then::Keep) } else { ok("in") }
        });
        let mut visitor = visitor(&site, &[("http://", "u", "p", "", "DIGEST")]);
        let sample = visitor.get("/d?x=1").await;
        assert_eq!((&*sample.code, &*sample.body, sample.sub_results.len()), ("200", &b"in"[..], 0));
        let start = "Digest username=\"u\", realm=\"R\", nonce=\"n\", uri=\"/d?x=1\", response=\"";
        assert!(said(&site.last()).starts_with(start), "{}", site.last());
        let seen: Vec<usize> = site.seen.borrow().iter().map(|(connection, _)| *connection).collect();
        assert_eq!(seen, [1, 1], "both on one connection");
        assert_eq!(sample.sent_bytes, site.last().len() as u64, "only the last request counts");
        let refused = visitor.get("/no").await;
        assert_eq!((&*refused.code, site.seen.borrow().len()), ("401", 4));
    });
}

#[test]
fn basic_that_is_refused_is_not_said_again() {
    on_loop(async {
        let site = Site::start(|_, _| {
            answer(
                "HTTP/1.1 401 U\r\nWWW-Authenticate: Basic realm=\"R\"\r\nContent-Length: 0\r\n\r\n",
                Then::Keep,
            )
        });
        let sample = visitor(&site, &[("http://", "u", "p", "", "BASIC")]).get("/").await;
        assert_eq!((&*sample.code, site.seen.borrow().len()), ("401", 1));
        Visitor::new(&site).get("/").await;
        assert_eq!((said(&site.last()), site.seen.borrow().len()), ("nothing", 2));
    });
}

#[test]
fn redirects_say_it_again() {
    on_loop(async {
        let site = Site::start(|target, _| if target == "/r" { redirect(302, "/y") } else { ok("") });
        let start = format!("http://127.0.0.1:{}/r", site.port);
        let mut visitor = visitor(&site, &[(&start, "u", "p", "", "BASIC")]);
        visitor.follow("/r").await;
        assert_eq!(said(&site.last()), "nothing", "JMeter's own redirects look the URL up");
        visitor.get_with("/r", |e| e.with_flag("HTTPSampler.auto_redirects", true)).await;
        assert_eq!(said(&site.last()), "Basic dTpw", "HttpClient's do not");
    });
}
