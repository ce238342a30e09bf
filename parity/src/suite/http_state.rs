//! What a user of a site remembers: cookies, cached pages, credentials.

use swell_plan::{Element, Node, Property, PropertyValue};

use super::draft::Draft;
use super::parts::{Edit, debug, element, get, headers, loops, replaced, request, set, simple, users};

pub(super) fn drafts() -> Vec<Draft> {
    [cookies(), caches(), credentials()].concat()
}

/// A Cookie Manager with cookies of its own: name, value, domain, path.
pub(super) fn cookie_manager(own: &[(&str, &str, &str, &str)], clear: bool) -> Node {
    let members = own.iter().map(|(name, value, domain, path)| {
        let cookie = Element::new("Cookie", "", name)
            .with_text("Cookie.value", value)
            .with_text("Cookie.domain", domain)
            .with_text("Cookie.path", path)
            .with_flag("Cookie.secure", false)
            .with("Cookie.expires", PropertyValue::Long("0".to_owned()))
            .with_flag("Cookie.path_specified", true)
            .with_flag("Cookie.domain_specified", true);
        Property::of_element(name, cookie)
    });
    let members = PropertyValue::Collection(members.collect());
    let node = element("CookieManager", "CookiePanel", "Cookies", &[]);
    let node = set(node, "CookieManager.cookies", members).flag("CookieManager.clearEachIteration", clear);
    node.flag("CookieManager.controlledByThreadGroup", false)
}

/// A request whose answer sets a cookie.
pub(super) fn cookie(name: &str, set_cookie: &str) -> Node {
    let encoded = set_cookie.replace('%', "%25").replace(' ', "%20").replace('=', "%3D").replace(';', "%3B");
    get(name, &format!("/cookie?set={encoded}"))
}

fn cookies() -> Vec<Draft> {
    let rules = [
        ("plain", "a=1"),
        ("path", "b=2; Path=/deep"),
        ("own host", "c=3; Domain=127.0.0.1"),
        ("other host", "d=4; Domain=example.test"),
        ("gone at once", "a=; Max-Age=0"),
        ("old", "e=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
        ("later", "f=6; Expires=Thu, 01 Jan 2099 00:00:00 GMT; HttpOnly"),
        ("secure", "g=7; Secure"),
        ("quoted", "h=\"8 9\""),
        ("empty", "i="),
        ("again", "a=new"),
        ("same site", "j=10; SameSite=Lax; Max-Age=100"),
    ];
    let policies = ["standard", "standard-strict", "netscape", "ignoreCookies"];
    let old_policies = ["default", "rfc2109", "rfc2965", "best-match", "compatibility"];
    let by_policy = |policy: &&'static str| {
        let manager =
            cookie_manager(&[("own", "x", "127.0.0.1", "/")], false).text("CookieManager.policy", policy);
        simple(
            policy,
            [manager, cookie("sets", "a=1; Path=/; Max-Age=100"), cookie("sets b", "b=2"), get("sends", "/")],
        )
    };
    vec![
        Draft::new(
            "cookies",
            "What is kept, and where it is sent.",
            [users([cookie_manager(&[], false)].into_iter().chain(rules.iter().flat_map(|(name, text)| {
                [
                    cookie(name, text),
                    get("at /", "/"),
                    get("at /deep", "/deep/x"),
                    get("at /cookie", "/cookie/y"),
                ]
            })))],
        ),
        Draft::new(
            "cookies_own",
            "Cookies of the plan, and a Cookie header.",
            [loops(
                users([
                    cookie_manager(
                        &[
                            ("a", "plan", "127.0.0.1", "/"),
                            ("b", "${__threadNum}", "127.0.0.1", "/b"),
                            ("c", "x", "other.test", "/"),
                        ],
                        true,
                    ),
                    get("plan's", "/"),
                    get("of /b", "/b"),
                    cookie("changes", "a=server; Path=/"),
                    get("changed", "/"),
                    get("with a header", "/").of([headers("h", &[("Cookie", "own=1")])]),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "cookies_without_manager",
            "Nothing is kept; a header is sent as it is.",
            [users([
                cookie("sets", "a=1"),
                get("sends none", "/"),
                get("with a header", "/").of([headers("h", &[("Cookie", "own=1; two=2")])]),
            ])],
        ),
        Draft::new(
            "cookies_cleared",
            "Kept over loops, cleared, or as the group says.",
            [
                loops(
                    users([cookie_manager(&[], false), get("kept", "/k"), cookie("sets", "a=1; Path=/")]),
                    "2",
                ),
                loops(
                    super::parts::group(
                        "ThreadGroup",
                        "ThreadGroupGui",
                        "Clearing",
                        [cookie_manager(&[], true), get("cleared", "/k"), cookie("sets", "a=1; Path=/")],
                    ),
                    "2",
                ),
                loops(
                    super::parts::group(
                        "ThreadGroup",
                        "ThreadGroupGui",
                        "By group",
                        [
                            cookie_manager(&[], false).flag("CookieManager.controlledByThreadGroup", true),
                            get("new user", "/k"),
                            cookie("sets", "a=1; Path=/"),
                        ],
                    )
                    .flag("ThreadGroup.same_user_on_next_iteration", false),
                    "2",
                ),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new("cookies_policies", "Each policy.", [users(policies.iter().map(by_policy))]),
        Draft::new(
            "cookies_policies_old",
            "Policies of older standards.",
            [users(old_policies.iter().map(by_policy))],
        ),
        Draft::new(
            "cookies_redirects",
            "Set on the way.",
            [users([
                cookie_manager(&[], false),
                get("followed", "/redirect-to?url=/landing&set=way%3D1%3BPath%3D/"),
                get("after", "/after"),
            ])],
        ),
        Draft::new(
            "cookies_as_variables",
            "Saved as variables.",
            [users([
                cookie_manager(&[], false),
                cookie("sets", "a=1; Path=/"),
                get("${COOKIE_a}", "/v"),
                debug("all"),
            ])],
        )
        .rule("property CookieManager.save.cookies=true")
        .rule("mask bytes"),
    ]
}

fn caches() -> Vec<Draft> {
    let kinds = ["etag", "modified", "maxage", "expires", "nostore", "plain"];
    let manager = |expires: bool, clear: bool| {
        let node = element("CacheManager", "CacheManagerGui", "Cache", &[]).flag("clearEachIteration", clear);
        node.flag("useExpires", expires).flag("CacheManager.controlledByThread", false).int("maxSize", 5000)
    };
    let pages = || kinds.map(|kind| get(kind, &format!("/cache/{kind}")));
    let draft = |name, about, expires, clear| {
        let body = [manager(expires, clear)].into_iter().chain(pages()).chain([request(
            "post",
            "POST",
            "/cache/etag",
            &[("a", "b")],
        )]);
        Draft::new(name, about, [loops(users(body), "2")])
    };
    vec![
        draft("cache", "Conditional requests only.", false, false),
        draft("cache_expires", "What is fresh is not asked for.", true, false),
        draft("cache_cleared", "Nothing is kept over loops.", true, true),
        draft("cache_expires_200", "A sample for what is fresh.", true, false)
            .rule("property cache_manager.cached_resource_mode=RETURN_200_CACHE"),
        draft("cache_expires_custom", "A sample with a code of one's own.", true, false)
            .rule("property cache_manager.cached_resource_mode=RETURN_CUSTOM_STATUS")
            .rule("property RETURN_CUSTOM_STATUS.code=299")
            .rule("property RETURN_CUSTOM_STATUS.message=cached"),
        Draft::new(
            "cache_vary",
            "Kept by the headers that the server names.",
            [loops(
                users([
                    manager(true, false),
                    get("one", "/cache/vary").of([headers("h", &[("X-Kind", "1")])]),
                    get("two", "/cache/vary").of([headers("h", &[("X-Kind", "2")])]),
                ]),
                "2",
            )],
        ),
    ]
}

fn authorization(url: &str, user: &str, mechanism: &str) -> Property {
    let entry = Element::new("Authorization", "", "")
        .with_text("Authorization.url", url)
        .with_text("Authorization.username", user)
        .with_text("Authorization.password", "pass word")
        .with_text("Authorization.domain", "")
        .with_text("Authorization.realm", "");
    let entry =
        if mechanism.is_empty() { entry } else { entry.with_text("Authorization.mechanism", mechanism) };
    Property::of_element("", entry)
}

fn manager_of(entries: Vec<Property>) -> Node {
    let node = element("AuthManager", "AuthPanel", "Credentials", &[]);
    let node = set(node, "AuthManager.auth_list", PropertyValue::Collection(entries));
    node.flag("AuthManager.controlledByThreadGroup", false)
}

/// An Authorization Manager with entries: URL, user, mechanism.
pub(super) fn authorizations(entries: &[(&str, &str, &str)]) -> Node {
    manager_of(entries.iter().map(|(url, user, mechanism)| authorization(url, user, mechanism)).collect())
}

fn credentials() -> Vec<Draft> {
    let with_realm = |entry: Property, realm: &str| match entry.value {
        PropertyValue::Element(element) => Property::of_element(
            "",
            replaced(*element, "Authorization.realm", PropertyValue::Text(realm.to_owned())),
        ),
        value => Property::new("", value),
    };
    let manager = manager_of;
    let here = "http://127.0.0.1:${__P(parity.port)}";
    let at = |path: &str| format!("{here}{path}");
    vec![
        Draft::new(
            "auth_basic",
            "Sent at once, where the URL fits.",
            [users([
                manager(vec![authorization(&at("/auth"), "ann", ""), authorization(&at("/x"), "", "")]),
                get("fits", "/auth/basic"),
                get("again", "/auth/basic"),
                get("does not fit", "/other"),
                get("with a header", "/auth/basic").of([headers("h", &[("Authorization", "Bearer t")])]),
            ])],
        ),
        Draft::new(
            "auth_not_before",
            "Not sent before a site asks, by realm, whatever the path.",
            [loops(
                users([
                    manager(vec![
                        with_realm(authorization(&at("/nowhere"), "ann", ""), "parity"),
                        with_realm(authorization(&at("/auth"), "bob", ""), "parity"),
                        with_realm(authorization(&at("/"), "eve", ""), ""),
                    ]),
                    get("basic", "/auth/basic"),
                    get("digest", "/auth/digest"),
                    get("nobody asks", "/other"),
                    get("elsewhere", "/auth/basic").text("HTTPSampler.domain", "localhost"),
                ]),
                "2",
            )],
        )
        .rule("property httpclient4.auth.preemptive=false"),
        Draft::new(
            "auth_none",
            "Without credentials.",
            [users([get("basic", "/auth/basic"), get("digest", "/auth/digest")])],
        ),
        Draft::new(
            "auth_digest",
            "Sent when asked for.",
            [users([
                manager(vec![authorization(&at("/"), "ann", "DIGEST")]),
                get("asked", "/auth/digest"),
                get("again", "/auth/digest"),
            ])],
        ),
    ]
}
