//! Corners of what a user remembers: cookies, cached pages, credentials, headers.

use swell_plan::{Element, Node, Property, PropertyValue};

use super::draft::Draft;
use super::http_state::{cookie, cookie_manager};
use super::parts::{
    Edit, counter, element, get, group, headers, loop_of, loops, request, set, simple, users, variables,
};

pub(super) fn drafts() -> Vec<Draft> {
    [cookies(), caches(), credentials(), header_managers()].concat()
}

fn cookies() -> Vec<Draft> {
    let paths = ["/", "/deep", "/deeper", "/deep/", "/deep/x", "/DEEP"];
    let sent = |name: &str| paths.map(|path| get(&format!("{name} {path}"), path));
    let odd = [
        ("no value", "flag"),
        ("equals in the value", "eq=a=b=c"),
        ("blanks", "  sp  =  a b  "),
        ("comma", "co=a,b"),
        ("no name", "=x"),
        ("bad date", "bd=1; Expires=soon"),
        ("old form of date", "od=1; Expires=Thursday, 01-Jan-99 00:00:00 GMT"),
        ("asctime", "as=1; Expires=Thu Jan  1 00:00:00 2099"),
        ("negative age", "na=1; Max-Age=-1"),
        ("age no number", "nn=1; Max-Age=x"),
        ("age over date", "ad=1; Max-Age=100; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
        ("capitals", "ca=1; PATH=/; MAX-AGE=100; HTTPONLY"),
        ("empty attributes", "ea=1; Path=; Domain=; Expires="),
        ("relative path", "rp=1; Path=deep"),
        ("version", "ve=1; Version=1; Comment=\"x; y\""),
        (
            "long",
            "lo=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ),
    ];
    vec![
        Draft::new(
            "cookies_paths",
            "Which paths a cookie is for, and the order in which several go out.",
            [users(
                [
                    cookie_manager(&[], false),
                    cookie("root", "r=1; Path=/"),
                    cookie("deep", "d=2; Path=/deep"),
                ]
                .into_iter()
                .chain([cookie("slash", "s=3; Path=/deep/"), cookie("same name", "r=4; Path=/deep")])
                .chain(sent("sends"))
                .chain([cookie("root gone", "r=; Path=/; Max-Age=0")])
                .chain(sent("then")),
            )],
        ),
        Draft::new(
            "cookies_odd",
            "Cookies as servers should not write them.",
            [users([cookie_manager(&[], false)].into_iter().chain(
                odd.iter().flat_map(|(name, text)| {
                    [cookie(name, text), get(&format!("after {name}"), "/cookie/x")]
                }),
            ))],
        ),
        Draft::new(
            "cookies_managers",
            "The innermost manager counts; each keeps its own.",
            [loops(
                users([
                    cookie_manager(&[("outer", "o", "127.0.0.1", "/")], false),
                    cookie("sets", "a=1; Path=/"),
                    simple(
                        "block",
                        [
                            cookie_manager(&[("inner", "i", "127.0.0.1", "/")], false),
                            get("inside", "/in"),
                            cookie("sets inside", "b=2; Path=/"),
                            get("inside again", "/in"),
                        ],
                    ),
                    get("outside", "/out"),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "cookies_variables",
            "Cookies of the plan from variables, and a loop that clears.",
            [loops(
                users([
                    counter("n", "n"),
                    variables(&[("domain", "127.0.0.1"), ("value", "v w")]),
                    cookie_manager(
                        &[
                            ("${value}", "n${n}", "${domain}", "/"),
                            ("q", "\"quoted\"", "127.0.0.1", ""),
                            ("none", "", "127.0.0.1", "/"),
                        ],
                        true,
                    ),
                    get("first", "/a"),
                    cookie("sets", "s=${n}; Path=/"),
                    loop_of("twice", "2", [get("in a loop", "/b")]),
                ]),
                "3",
            )],
        ),
    ]
}

fn cache_manager(texts: &[(&str, bool)], size: i32) -> Node {
    let node = element("CacheManager", "CacheManagerGui", "Cache", &[]);
    let flags = ["clearEachIteration", "useExpires", "CacheManager.controlledByThread"];
    let node = flags.iter().fold(node, |node, flag| node.flag(flag, texts.contains(&(*flag, true))));
    node.int("maxSize", size)
}

fn caches() -> Vec<Draft> {
    let with = |name: &str, query: &str| get(name, &format!("/headers?{query}"));
    let pages = || {
        [
            with("no-cache", "Cache-Control=no-cache&ETag=%22a%22"),
            with("private", "Cache-Control=private,max-age%3D60"),
            with("zero", "Cache-Control=max-age%3D0&Last-Modified=Wed,%2001%20Jan%202020%2000:00:00%20GMT"),
            with("must-revalidate", "Cache-Control=must-revalidate,max-age%3D60"),
            with("expires now", "Expires=0&ETag=%22e%22"),
            with("both", "ETag=%22b%22&Last-Modified=Wed,%2001%20Jan%202020%2000:00:00%20GMT"),
            with("weak", "ETag=W/%22w%22"),
            with(
                "modified only, dated",
                "Last-Modified=Wed,%2001%20Jan%202020%2000:00:00%20GMT&Date=Thu,%2001%20Jan%202026%2000:00:00%20GMT",
            ),
            with("vary all", "Vary=*&Cache-Control=max-age%3D60"),
            with(
                "expires later, dated",
                "Expires=Thu,%2001%20Jan%202099%2000:00:00%20GMT&Date=Thu,%2001%20Jan%202026%2000:00:00%20GMT",
            ),
            get("redirect", "/redirect/1"),
            get("error", "/status/404"),
            get("with a query", "/cache/maxage?x=${__threadNum}"),
            request("head", "HEAD", "/cache/etag", &[]),
            request("put", "PUT", "/cache/etag", &[("a", "b")]),
        ]
    };
    let draft = |name, about, flags: &[(&str, bool)], size| {
        Draft::new(name, about, [loops(users([cache_manager(flags, size)].into_iter().chain(pages())), "2")])
    };
    vec![
        draft("cache_headers", "What each header means, where nothing is taken as fresh.", &[], 5000),
        draft(
            "cache_headers_expires",
            "The same, where what is fresh is not asked for.",
            &[("useExpires", true)],
            5000,
        ),
        Draft::new(
            "cache_small",
            "A cache that holds one page.",
            [loops(
                users([
                    cache_manager(&[("useExpires", true)], 1),
                    get("a", "/cache/maxage?a"),
                    get("b", "/cache/maxage?b"),
                    get("a again", "/cache/maxage?a"),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "cache_by_group",
            "Cleared as the group says.",
            [
                loops(
                    users([
                        cache_manager(&[("useExpires", true), ("CacheManager.controlledByThread", true)], 10),
                        get("kept", "/cache/maxage"),
                    ]),
                    "2",
                ),
                loops(
                    group(
                        "ThreadGroup",
                        "ThreadGroupGui",
                        "New",
                        [
                            cache_manager(
                                &[("useExpires", true), ("CacheManager.controlledByThread", true)],
                                10,
                            ),
                            get("new", "/cache/maxage"),
                        ],
                    )
                    .flag("ThreadGroup.same_user_on_next_iteration", false),
                    "2",
                ),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true),
    ]
}

fn credentials() -> Vec<Draft> {
    let entry = |url: &str, user: &str, password: &str, realm: &str, mechanism: &str| {
        let entry = Element::new("Authorization", "", "")
            .with_text("Authorization.url", url)
            .with_text("Authorization.username", user)
            .with_text("Authorization.password", password)
            .with_text("Authorization.domain", "")
            .with_text("Authorization.realm", realm);
        Property::of_element(
            "",
            if mechanism.is_empty() { entry } else { entry.with_text("Authorization.mechanism", mechanism) },
        )
    };
    let manager = |entries: Vec<Property>, clear: bool| {
        let node = element("AuthManager", "AuthPanel", "Credentials", &[]);
        let node = set(node, "AuthManager.auth_list", PropertyValue::Collection(entries));
        node.flag("AuthManager.controlledByThreadGroup", false).flag("AuthManager.clearEachIteration", clear)
    };
    let at = |path: &str| format!("http://127.0.0.1:${{__P(parity.port)}}{path}");
    vec![
        Draft::new(
            "auth_entries",
            "Which of several entries counts, with variables in them.",
            [loops(
                users([
                    manager(
                        vec![
                            entry(&at("/auth/basic"), "${user}", "${secret}", "", "BASIC"),
                            entry(&at("/auth"), "outer", "o", "", "BASIC_DIGEST"),
                            entry(&at("/realm"), "r", "r", "parity", ""),
                            entry("http://other.test/", "never", "n", "", ""),
                            entry(&at("/empty"), "", "", "", ""),
                        ],
                        false,
                    ),
                    get("inner", "/auth/basic"),
                    get("digest by the outer", "/auth/digest"),
                    get("realm", "/realm/x"),
                    get("empty", "/empty"),
                    get("none", "/none"),
                    get("redirected in", "/redirect-to?url=/auth/basic"),
                    request("posted", "POST", "/auth/basic", &[("a", "b")]),
                    request("posted, digest", "POST", "/auth/digest", &[("a", "b")]),
                    get("own header wins", "/auth/basic")
                        .of([headers("h", &[("Authorization", "Basic b3duOm93bg==")])]),
                ]),
                "2",
            )],
        )
        .variables(&[("user", "\u{e4}nn"), ("secret", "p:w d")]),
        Draft::new(
            "auth_cleared",
            "Cleared on each loop, and managers within each other.",
            [loops(
                users([
                    manager(vec![entry(&at("/auth"), "outer", "o", "", "BASIC")], true),
                    get("outer", "/auth/basic"),
                    simple(
                        "block",
                        [
                            manager(vec![entry(&at("/auth/basic"), "inner", "i", "", "BASIC")], false),
                            get("inner", "/auth/basic"),
                        ],
                    ),
                    get("outer again", "/auth/basic"),
                ]),
                "2",
            )],
        ),
    ]
}

fn header_managers() -> Vec<Draft> {
    vec![Draft::new(
        "headers_changing",
        "Headers that change from loop to loop, go away, or come twice.",
        [loops(
            users([
                counter("n", "n"),
                headers("group", &[("X-N", "${n}"), ("X-Keep", "k"), ("Accept", "text/html")]),
                get("group's", "/h${n}"),
                get("emptied", "/h").of([headers("own", &[("X-Keep", ""), ("Accept", "*/*")])]),
                get("named by a variable", "/h")
                    .of([headers("own", &[("X-${n}", "v${n}"), ("x-keep", "lower")])]),
                get("long", "/h").of([headers("own", &[("X-Long", &"v".repeat(500))])]),
                get("signs", "/h").of([headers(
                    "own",
                    &[("X-Signs", "a=b; c=\"d, e\"; f='g'"), ("X-Unicode", "\u{20ac}")],
                )]),
                get("line ends", "/h").of([headers("own", &[("X-Lines", "a\nb"), ("X-After", "c")])]),
                request("form", "POST", "/h", &[("a", "b")])
                    .of([headers("own", &[("content-type", "text/own"), ("CONTENT-LENGTH", "1")])]),
                get("two managers", "/h").of([
                    headers("one", &[("A", "1"), ("B", "1")]),
                    headers("two", &[("a", "2"), ("C", "2")]),
                ]),
            ]),
            "2",
        )],
    )]
}
