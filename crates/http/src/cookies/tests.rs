//! The tables of JMeter's TestHC4CookieManager, and cases derived from its code.

use std::rc::Rc;

use swell_expr::Template;

use super::jar::AddResult;
use super::*;
use crate::testing;
use crate::url::Url;

struct Manager {
    jar: Jar,
    plan: Vec<PlanCookie>,
    policy: Policy,
}

const NOW: i64 = 1_700_000_000_000;

impl Manager {
    fn new(policy: &str) -> Self {
        Self { jar: Jar::default(), plan: Vec::new(), policy: Policy::for_name(policy).unwrap() }
    }

    fn got(&mut self, header: &str, url: &str) -> bool {
        let url = Url::parse(url).unwrap();
        let origin = Origin::new(url.host(), url.path(), url.is_secure());
        let mut cookies = parse(header, &origin, self.policy, NOW);
        cookies.retain(|cookie| cookie.is_allowed(&origin, self.policy));
        let limits = Limits::default();
        let stored =
            cookies.into_iter().map(|each| self.jar.add(each, &self.plan, true, NOW, &limits).stored);
        stored.fold(false, |any, stored| any | stored)
    }

    fn sent(&self, url: &str) -> Option<String> {
        let url = Url::parse(url).unwrap();
        let origin = Origin::new(url.host(), url.path(), url.is_secure());
        self.jar.header(&origin, &self.plan, self.policy, &mut testing::context())
    }
}

/// Cookies set by a URL, and what another URL gets.
#[test]
fn set_here_sent_there() {
    let long = "s=s%3AcafPSGf6UJg%2F; Path=/; Expires=Tue, 07 Feb 2990 09:13:14 GMT; HttpOnly";
    let secure = "s=1; Path=/; Expires=Tue, 07 Feb 2990 09:13:14 GMT; HttpOnly; secure";
    let table: &[(&str, &str, &str, Option<&str>)] = &[
        (
            "http://jakarta.apache.org/",
            "test=1;domain=.jakarta.apache.org",
            "http://jakarta.apache.org/",
            Some("test=1"),
        ),
        (
            "https://subdomain.bt.com/page",
            "S=1; path=/; domain=.bt.com",
            "https://www.bt.com/page",
            Some("S=1"),
        ),
        ("https://subdomain.bt.com/page", "S=1; path=/", "https://subdomain.bt.com/page", Some("S=1")),
        ("https://subdomain.bt.com/page", "S=1; path=/", "https://www.bt.com/page", None),
        (
            "http://remote.com:10008/get/cookie",
            "t=v;Max-age=120;path=/;Version=1",
            "http://remote.com:10001/x",
            Some("t=v"),
        ),
        ("http://jakarta.apache.org/", "test=2;domain=.hc.apache.org", "http://jakarta.apache.org/", None),
        ("http://ache.org/", "test=1", "http://jakarta.apache.org/", None),
        ("http://a.b.c/", "N=SHA=xxxxx", "http://a.b.c/", Some("N=SHA=xxxxx")),
        ("http://a.b.c/", "test=1; expires=Mon, 01-Jan-1990 00:00:00 GMT", "http://a.b.c/", None),
        ("http://a.b.c/", "test=1; expires=Mon, 01-Jan-2990 00:00:00 GMT", "http://a.b.c/", Some("test=1")),
        ("http://a.b.c/", long, "http://a.b.c/", Some("s=s%3AcafPSGf6UJg%2F")),
        ("http://a.b.c/", secure, "http://a.b.c/", None),
        ("http://a.b.c/", secure, "https://a.b.c/", Some("s=1")),
        ("https://a.b.c.d/x", "test1=1;secure, test2=2;secure", "https://a.b.c.d/x", Some("test1=1")),
        ("http://d.e.f/goo.html", "test=moo", "http://d.e.f/", Some("test=moo")),
        ("http://d.e.f/moo.html", "test=moo;path=/", "http://d.e.f/goo.html", Some("test=moo")),
        (
            "http://a.b.c:8080/TopDir/fred.jsp",
            "ID=abcd; Path=/TopDir",
            "http://a.b.c:8080/TopDir",
            Some("ID=abcd"),
        ),
        (
            "http://a.b.c:8080/TopDir/fred.jsp",
            "ID=abcd; Path=/TopDir",
            "http://a.b.c:8080/TopDir/s/x",
            Some("ID=abcd"),
        ),
        ("http://a.b.c:8080/TopDir/fred.jsp", "ID=abcd; Path=/TopDir", "http://a.b.c:8080/other.jsp", None),
        ("http://h/", "a=\"b c\"; Path=/", "http://h/", Some("a=\"b c\"")),
        ("http://h/", "a=\"b\"; Path=/", "http://h/", Some("a=b")),
        ("http://h/", "a=b  c", "http://h/", Some("a=\"b c\"")),
        ("http://h/", "a=x\\\"y", "http://h/", Some("a=\"x\\\\y\"")),
        ("http://h/", "a", "http://h/", None),
        ("http://h/", "=b", "http://h/", None),
        ("http://h/", "a=1; Domain=", "http://h/", None),
        ("http://h/", "a=1; Domain=x.", "http://h/", Some("a=1")),
        ("http://h/", "a=1; Expires=nonsense", "http://h/", None),
        ("http://h/", "a=1; Expires=nonsense; Max-Age=5", "http://h/", Some("a=1")),
        ("http://h/", "a=1; Max-Age=0", "http://h/", Some("a=1")),
        ("http://h/", "a=1; Max-Age=-1", "http://h/", None),
        ("http://h/", "a=1; Max-Age=x", "http://h/", Some("a=1")),
        ("http://h/", "a=1; Path=", "http://h/x/y", Some("a=1")),
    ];
    for (from, header, to, wanted) in table {
        let mut manager = Manager::new("standard");
        manager.got(header, from);
        assert_eq!(manager.sent(to).as_deref(), *wanted, "{header} from {from} to {to}");
    }
}

#[test]
fn a_new_cookie_goes_to_the_end() {
    let mut manager = Manager::new("");
    let url = "http://a.b.c/";
    assert!(manager.got("test=1", url) && manager.got("test2=a", url));
    assert_eq!(manager.sent(url).as_deref(), Some("test=1; test2=a"));
    assert!(manager.got("test=2", url) && manager.got("test3=b", url));
    assert_eq!(manager.sent(url).as_deref(), Some("test2=a; test=2; test3=b"));
    assert!(!manager.got("test=", url), "an empty value deletes");
    assert!(!manager.got("test3=x; Max-Age=-5", url), "so does an expired one");
    assert_eq!((manager.sent(url).as_deref(), manager.jar.len()), (Some("test2=a"), 1));
}

#[test]
fn longer_paths_come_first_but_for_netscape() {
    let url = "http://www.order.now/sub1/moo.html";
    for (policy, wanted) in [
        ("standard", "test2=moo2; test3=x; test1=moo1; test2=moo3"),
        ("netscape", "test1=moo1; test2=moo2; test2=moo3; test3=x"),
    ] {
        let mut manager = Manager::new(policy);
        for header in ["test1=moo1;path=/", "test2=moo2;path=/sub1", "test2=moo3;path=/", "test3=x"] {
            assert!(manager.got(header, url));
        }
        assert_eq!(manager.sent(url).as_deref(), Some(wanted), "{policy}");
    }
}

#[test]
fn netscape_domains_have_enough_parts() {
    let table = [
        ("http://shop.test/", "a=1", false),
        ("http://shop.com/", "a=1", true),
        ("http://www.shop.com/", "a=1; Domain=.shop.com", true),
        ("http://www.shop.test/", "a=1; Domain=.shop.test", false),
        ("http://www.shop.co.uk/", "a=1; Domain=.shop.co.uk", true),
        ("http://www.shop.com/", "a=1; Domain=.com", false),
        ("http://localhost/", "a=1", true),
        ("http://127.0.0.1/", "a=1", true),
    ];
    for (url, header, wanted) in table {
        assert_eq!(Manager::new("netscape").got(header, url), wanted, "{header} from {url}");
    }
}

#[test]
fn other_policies() {
    let mut ignore = Manager::new("ignoreCookies");
    ignore.got("a=1", "http://h/");
    assert_eq!(ignore.sent("http://h/"), None);
    let mut strict = Manager::new("standard-strict");
    assert!(!strict.got("a=1; Max-Age=-1", "http://h/"));
    assert!(!strict.got("a=1; Expires=1994 6 november 8:49:37", "http://h/"));
    assert!(strict.got("a=1; Expires=Sun, 06 Nov 2994 08:49:37 GMT", "http://h/"));
    let mut netscape = Manager::new("compatibility");
    assert!(netscape.got("a=\"b c\"", "http://h/"));
    assert_eq!(netscape.sent("http://h/").as_deref(), Some("a=\"b c\""));
    assert_eq!(Policy::for_name("fancy"), None);
    let mut default = Manager::new("default");
    assert!(!default.got("a=1; Expires=Sun, 06 Nov 2994 08:49:37 GMT", "http://h/"), "dates need dashes");
    assert!(!default.got("a=1; Expires=Sun, 06-Nov-94 08:49:37 GMT; Path=/", "http://h/"), "expired");
    assert!(!default.got("a=1; Expires=\"Sun, 06-Nov-44 08:49:37 GMT\"", "http://h/"), "in quotes");
    assert!(default.got("b=x y; Max-Age=0", "http://h/"), "no Max-Age there");
    assert_eq!(default.sent("http://h/").as_deref(), Some("b=x y"));
    assert!(netscape.got("c=1; Path=/; Path=/y", "http://h/"), "the first path counts");
    assert!(netscape.sent("http://h/").is_some_and(|sent| sent.ends_with("c=1")));
    let mut old = Manager::new("rfc2109");
    assert!(old.got("a=1; Path=/", "http://h/") && old.got("b=2; Path=/x", "http://h/x/"));
    assert_eq!(old.sent("http://h/x/").as_deref(), Some("$Version=0; b=2; $Path=/x; a=1; $Path=/"));
}

#[test]
fn cookies_of_responses_may_have_a_version() {
    let header = "a=\"1, 2\"; Version=1; Path=\"/\", b=3; Version=2; Domain=.site.example";
    let a = "a=\"1, 2\"; $Path=\"/\"";
    for (policy, wanted) in [
        ("rfc2109", format!("$Version=1; b=\"3\"; $Domain=\".site.example\"; {a}")),
        ("default", format!("$Version=2; b=\"3\"; $Domain=\".site.example\"$Version=1; {a}")),
    ] {
        let mut manager = Manager::new(policy);
        assert!(manager.got(header, "http://www.site.example/x/y"));
        assert_eq!(manager.sent("http://www.site.example/x/z"), Some(wanted), "{policy}");
        assert!(manager.got("c=4; Path=/", "http://www.site.example/x/y"));
        let sent = manager.sent("http://www.site.example/x/z").expect("all three");
        let starts = if policy == "default" { "a=1, 2; b=3; c=4" } else { "$Version=0; b=3; $Domain=" };
        assert!(sent.starts_with(starts), "{policy}: {sent}");
    }
    let mut mixed = Manager::new("default");
    assert!(mixed.got("a=1; Version=-1; Path=/, b=2; Version=1; Path=/", "http://h/"));
    assert_eq!(mixed.sent("http://h/").as_deref(), Some("a=1; b=2"), "the lowest version counts");
    let mut lax = Manager::new("standard");
    assert!(lax.got("a=1; Version=1", "http://h/"));
    assert_eq!(lax.sent("http://h/").as_deref(), Some("a=1"), "RFC 6265 has no versions");
}

#[test]
fn cookies_of_the_plan_have_a_version() {
    let compile = testing::compile();
    let template = |text: &str| compile.expr.template(text);
    let cookie = |name: &str, value: &str, domain: &str| PlanCookie {
        name: template(name),
        value: template(value),
        domain: template(domain),
        path: template("/"),
        secure: false,
        domain_given: true,
        path_given: true,
        key: [name, domain, "/"].map(Into::into),
    };
    let one = "$Version=1; plan=\"p v\"; $Path=\"/\"; $Domain=\"127.0.0.1\"";
    let two = "plan2=\"q\"; $Path=\"/\"; $Domain=\".0.0.1\"";
    for (policy, wanted) in [
        ("default", format!("{one}$Version=1; {two}")),
        ("rfc2109", format!("{one}; {two}")),
        ("netscape", "plan=p v; plan2=q".to_owned()),
        ("standard", "plan=\"p v\"".to_owned()),
    ] {
        let plan = vec![cookie("plan", "p v", "127.0.0.1"), cookie("plan2", "q", ".0.0.1")];
        let mut manager = Manager { jar: Jar::new(&plan), plan, policy: Policy::for_name(policy).unwrap() };
        assert_eq!(manager.sent("http://127.0.0.1/"), Some(wanted));
        if policy == "default" {
            manager.got("a=1", "http://127.0.0.1/");
            assert_eq!(manager.sent("http://127.0.0.1/").as_deref(), Some("plan=p v; plan2=q; a=1"));
        }
    }
}

#[test]
fn cookies_of_the_plan_are_read_at_each_request_and_can_be_replaced() {
    let compile = testing::compile();
    let template = |text: &str| compile.expr.template(text);
    let key = |domain: &str| ["id", domain, "/"].map(Into::into);
    let cookie = |value, domain: &str| PlanCookie {
        name: template("id"),
        value: template(value),
        domain: template(domain),
        path: template("/"),
        secure: false,
        domain_given: true,
        path_given: true,
        key: key(domain),
    };
    let plan = vec![cookie("${v}", "h"), cookie("2", ".apache.org")];
    let mut manager = Manager { jar: Jar::new(&plan), plan, policy: Policy::Lax };
    let url = Url::parse("http://h/").unwrap();
    let origin = Origin::new(url.host(), url.path(), false);
    let mut cx = testing::context_for(&compile);
    for value in ["first", "second"] {
        cx.vars.put("v", Rc::<str>::from(value));
        let sent = manager.jar.header(&origin, &manager.plan, Policy::Lax, &mut cx);
        assert_eq!(sent, Some(format!("id={value}")));
    }
    assert_eq!(manager.sent("http://jakarta.apache.org/index.html").as_deref(), Some("id=2"));
    assert!(manager.got("id=3; path=/; domain=h", "http://h/"));
    assert_eq!((manager.sent("http://h/").as_deref(), manager.jar.len()), (Some("id=3"), 2));
}

/// Adds a cookie of a host; returns the result.
fn set(jar: &mut Jar, host: &str, name: &str, value: &str, limits: &Limits) -> AddResult {
    let origin = Origin::new(host, "/", false);
    let cookie = parse(&format!("{name}={value}"), &origin, Policy::Lax, NOW).pop().expect("a cookie");
    jar.add(cookie, &[], true, NOW, limits)
}

#[test]
fn a_site_that_sets_cookies_without_end_fills_the_jar_up_to_its_limits() {
    let mut jar = Jar::default();
    let limits = Limits::default();
    let mut left_out = 0;
    for i in 0..1_000 {
        left_out += set(&mut jar, "a.example", &format!("c{i}"), "x", &limits).left_out;
    }
    assert_eq!((jar.len(), left_out), (180, 820));
    let mut cx = testing::context();
    let sent = jar.header(&Origin::new("a.example", "/", false), &[], Policy::Lax, &mut cx).unwrap();
    assert!(!sent.contains("c819=") && sent.contains("c820=") && sent.contains("c999="), "the oldest went");
    for i in 0..100_000 {
        set(&mut jar, &format!("h{}.example", i % 50), &format!("c{i}"), "x", &limits);
    }
    assert_eq!(jar.len(), 3_300);
    let long = "x".repeat(16_384);
    assert_eq!(set(&mut jar, "b.example", "long", &long, &limits), AddResult { stored: false, left_out: 1 });
    assert!(set(&mut jar, "b.example", "long", &long[..16_000], &limits).stored);
}

#[test]
fn cookies_of_the_plan_never_go() {
    let constant = Template::constant_text;
    let plan = [PlanCookie {
        name: constant("id"),
        value: constant("1"),
        domain: constant("h"),
        path: constant("/"),
        secure: false,
        domain_given: true,
        path_given: true,
        key: ["id", "h", "/"].map(Into::into),
    }];
    let mut jar = Jar::new(&plan);
    let limits = Limits { bytes: 100, per_domain: 1, count: 2 };
    let add = |jar: &mut Jar, i: usize| {
        let cookie = parse(&format!("c{i}=x"), &Origin::new("h", "/", false), Policy::Lax, NOW).remove(0);
        jar.add(cookie, &plan, true, NOW, &limits)
    };
    let added: Vec<_> = (0..3).map(|i| add(&mut jar, i).left_out).collect();
    assert_eq!((jar.len(), added), (2, vec![0, 1, 1]));
}

#[test]
fn many_cookies_count_as_memory_of_all_users() {
    use swell_api::Bodies;
    let bodies = Bodies::new(None, Some(300_000));
    let mut jar = Jar::default();
    let limits = Limits::default();
    for i in 0..40 {
        set(&mut jar, "h", &format!("c{i}"), &"x".repeat(4_000), &limits);
    }
    assert_eq!(jar.settle(bodies.account()), 0);
    assert!(bodies.account().taken() > 140_000);
    for i in 40..100 {
        set(&mut jar, "h", &format!("c{i}"), &"x".repeat(4_000), &limits);
    }
    let left_out = jar.settle(bodies.account());
    assert!(left_out > 20 && jar.len() + left_out as usize == 100, "{left_out}");
    assert!(bodies.account().taken() <= 300_000);
    drop(jar);
    assert_eq!(bodies.account().taken(), 0);
}
