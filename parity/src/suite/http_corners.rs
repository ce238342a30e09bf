//! The HTTP Request in corners: forms and files of all shapes, redirects with state, connections.

use swell_plan::{Element, Node, Property, PropertyValue};

use super::draft::Draft;
use super::http::{plain_parameter, with_file};
use super::http_state::{cookie, cookie_manager};
use super::parts::{
    Edit, assertion, debug, defaults, element, get, headers, loop_of, loops, parameter, raw, request, set,
    simple, texts, users, with_parameters,
};

pub(super) fn drafts() -> Vec<Draft> {
    [forms(), urls(), redirects(), connections(), names()].concat()
}

fn multipart(node: Node) -> Node {
    node.flag("HTTPSampler.DO_MULTIPART_POST", true)
}

/// Several files: path, parameter, type.
pub(crate) fn with_files(node: Node, all: &[(&str, &str, &str)]) -> Node {
    let members = all.iter().map(|(path, name, mime)| {
        let file = Element::new("HTTPFileArg", "", "").with_text("File.path", path);
        let file = file.with_text("File.paramname", name).with_text("File.mimetype", mime);
        Property::of_element(path, file)
    });
    let members = PropertyValue::Collection(members.collect());
    let files = Element::new("HTTPFileArgs", "", "").with("HTTPFileArgs.files", members);
    let mut node = node;
    node.element = node.element.with_element("HTTPsampler.Files", files);
    node
}

fn typed(name: &str, value: &str, content_type: &str) -> Element {
    parameter(name, value).with_text("HTTPArgument.content_type", content_type)
}

fn forms() -> Vec<Draft> {
    let file = "data/upload.txt";
    let named = |name: &str, method: &str| {
        request(name, method, "/f", &[("a", "1 &=+"), ("\u{fc}", "${__threadNum}\u{e9}")])
    };
    vec![
        Draft::new(
            "http_multipart",
            "Parts of several files, of several types, with parameters of all kinds.",
            [users([
                multipart(with_files(
                    named("two files", "POST"),
                    &[(file, "one", "text/plain"), (file, "two", "")],
                )),
                multipart(with_file(
                    with_parameters(
                        request("types", "POST", "/f", &[]),
                        [
                            typed("j", "{\"a\": 1}", "application/json"),
                            typed("x", "<a/>", "text/xml"),
                            parameter("plain", ""),
                            plain_parameter("raw", "%20+"),
                        ],
                    ),
                    file,
                    "file",
                    "application/octet-stream",
                )),
                multipart(named("put", "PUT")),
                multipart(with_file(named("put a file", "PUT"), file, "f", "text/plain")),
                multipart(named("latin", "POST")).text("HTTPSampler.contentEncoding", "ISO-8859-1"),
                multipart(named("utf", "POST")).text("HTTPSampler.contentEncoding", "UTF-8"),
                multipart(with_file(named("browser", "POST"), file, "f\u{fc}", "text/plain"))
                    .flag("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART", true),
                multipart(named("get", "GET")),
                multipart(request("nothing", "POST", "/f", &[])),
                multipart(named("typed by a header", "POST"))
                    .of([headers("h", &[("Content-Type", "multipart/form-data")])]),
            ])],
        )
        .rule("mask sentBytes"),
        Draft::new(
            "http_file_bodies",
            "A file as the body, in each method, with types and headers.",
            [users([
                with_file(request("post", "POST", "/f", &[]), file, "", ""),
                with_file(request("put", "PUT", "/f?x=1", &[]), "data/latin1.csv", "", "text/csv"),
                with_file(request("patch", "PATCH", "/f", &[]), file, "", "text/plain"),
                with_file(request("delete", "DELETE", "/f", &[]), file, "", "text/plain"),
                with_file(request("typed by a header", "POST", "/f", &[]), file, "", "text/plain")
                    .of([headers("h", &[("Content-Type", "application/own")])]),
                with_file(request("parameters, too", "POST", "/f", &[("a", "b")]), file, "", "text/plain"),
                with_file(
                    request("from variables", "POST", "/f", &[]),
                    "data/${file}.txt",
                    "",
                    "text/${kind}",
                ),
                with_file(request("get", "GET", "/f", &[]), file, "", "text/plain"),
                with_file(request("empty", "POST", "/f", &[]), "data/empty.csv", "", "text/plain"),
            ])],
        )
        .variables(&[("file", "upload"), ("kind", "own")])
        .rule("mask sentBytes"),
        Draft::new(
            "http_bodies_more",
            "Bodies with encodings, types, line ends and variables.",
            [users([
                raw("utf", "POST", "/b", "\u{e9}\u{20ac}").text("HTTPSampler.contentEncoding", "UTF-8"),
                raw("utf 16", "POST", "/b", "a\u{20ac}").text("HTTPSampler.contentEncoding", "UTF-16"),
                raw("not in it", "POST", "/b", "a\u{20ac}").text("HTTPSampler.contentEncoding", "US-ASCII"),
                raw("by a variable", "POST", "/b", "\u{e9}")
                    .text("HTTPSampler.contentEncoding", "${charset}"),
                raw("typed with a charset", "POST", "/b", "\u{e9}")
                    .of([headers("h", &[("Content-Type", "text/plain; charset=ISO-8859-1")])]),
                raw("xml", "POST", "/b", "<?xml version=\"1.0\"?>\n<a b=\"${v}\"/>\n")
                    .of([headers("h", &[("Content-Type", "text/xml")])]),
                raw("percent", "POST", "/b", "%41+%20&=#"),
                raw("spaces", "POST", "/b", "  \n "),
                raw("braces", "POST", "/b", "{\"a\":{\"b\":\"${missing}\"},\"c\":\"$\",\"d\":\"\\\\\"}"),
                request("form typed", "POST", "/b", &[("a", "\u{e9}")]).of([headers(
                    "h",
                    &[("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")],
                )]),
                request("form with query", "POST", "/b?q=1", &[("a", "b")]),
                with_parameters(request("one nameless", "POST", "/b", &[]), [plain_parameter("", "a=b&c")]),
                with_parameters(
                    request("nameless and named", "POST", "/b", &[]),
                    [plain_parameter("", "x"), parameter("n", "v")],
                ),
                with_parameters(
                    request("put nameless", "PUT", "/b", &[]),
                    [plain_parameter("", "{\"a\": 1}")],
                ),
                request("delete with parameters", "DELETE", "/b", &[("a", "b c")]),
                request("report", "REPORT", "/b", &[("a", "b")]),
                raw("raw patch", "PATCH", "/b", "[1]")
                    .of([headers("h", &[("Content-Type", "application/json-patch+json")])]),
                raw("raw options", "OPTIONS", "/b", "x"),
                raw("raw head", "HEAD", "/b", "x"),
            ])],
        )
        .variables(&[("charset", "ISO-8859-1"), ("v", "x&y")]),
        Draft::new(
            "http_digests",
            "The body as its MD5 digest, in places where a body counts.",
            [users([
                get("checked", "/ok").flag("HTTPSampler.md5", true).of([assertion(
                    "digest",
                    "response_data",
                    16,
                    &["eff5"],
                )]),
                get("redirected", "/redirect/1").flag("HTTPSampler.md5", true),
                get("failed", "/status/500").flag("HTTPSampler.md5", true),
                get("empty", "/status/204").flag("HTTPSampler.md5", true),
                request("head", "HEAD", "/json", &[]).flag("HTTPSampler.md5", true),
            ])],
        ),
    ]
}

fn urls() -> Vec<Draft> {
    let fields = |name: &str, all: &[(&str, &str)]| {
        all.iter().fold(get(name, "/v"), |node, (key, value)| node.text(&format!("HTTPSampler.{key}"), value))
    };
    vec![
        Draft::new(
            "http_variables",
            "A variable in every field.",
            [users([
                fields(
                    "all ${v}",
                    &[
                        ("domain", "${host}"),
                        ("port", "${port}"),
                        ("protocol", "${scheme}"),
                        ("path", "/${v}?${v}=${v}"),
                        ("method", "${method}"),
                    ],
                ),
                fields("capitals", &[("protocol", "HTTP"), ("domain", "LOCALHOST")]),
                fields("blanks", &[("domain", " 127.0.0.1 "), ("port", " ${port} ")]),
                fields("lower case", &[("method", "get")]),
                fields("own method", &[("method", "FETCH")]),
                fields("no protocol", &[("protocol", "")]),
                fields("path with a reference to nothing", &[("path", "/${nothing}/x")]),
                fields("function", &[("path", "/${__changeCase(${v},UPPER)}/${__intSum(1,2)}")]),
                request("parameters", "GET", "/v", &[("${v}", "${__threadNum}"), ("${nothing}", "${v}${v}")]),
                get("timeouts", "/v")
                    .text("HTTPSampler.connect_timeout", "${ms}")
                    .text("HTTPSampler.response_timeout", "${ms}"),
                get("timeouts that are none", "/v")
                    .text("HTTPSampler.connect_timeout", "x")
                    .text("HTTPSampler.response_timeout", ""),
                get("zero", "/v")
                    .text("HTTPSampler.connect_timeout", "0")
                    .text("HTTPSampler.response_timeout", "0"),
            ])],
        )
        .variables(&[
            ("host", "127.0.0.1"),
            ("port", "${__P(parity.port)}"),
            ("scheme", "http"),
            ("v", "val"),
            ("method", "PUT"),
            ("ms", "5000"),
        ]),
        Draft::new(
            "http_queries",
            "Paths and parameters that meet.",
            [users([
                request("question mark alone", "GET", "/q?", &[("a", "b")]),
                request("ampersand at the end", "GET", "/q?x=1&", &[("a", "b")]),
                request(
                    "path with spaces in values",
                    "GET",
                    "/q",
                    &[("a b", "c d"), ("plus", "1+1"), ("tab", "a\tb"), ("percent", "100%")],
                ),
                request("twice the same", "GET", "/q", &[("a", "1"), ("a", "2")]),
                request("unicode", "GET", "/q/\u{fc}", &[("\u{4e2d}", "\u{6587}"), ("emoji", "\u{1f600}")]),
                request("brackets", "GET", "/q", &[("a[]", "1"), ("b[c]", "{\"d\": 1}")]),
                request("url as value", "GET", "/q", &[("u", "http://a.b/c?d=e&f#g")]),
                request("quotes", "GET", "/q", &[("a", "'\"<>\\^`|")]),
                with_parameters(
                    get("raw and encoded", "/q"),
                    [plain_parameter("a", "x y"), parameter("b", "x y"), plain_parameter("c", "%C3%BC")],
                ),
                with_parameters(
                    request("post raw and encoded", "POST", "/q", &[]),
                    [plain_parameter("a", "x y"), parameter("b", "x y")],
                ),
                get("long", &format!("/q?a={}", "x".repeat(3000))),
                get("dots and slashes", "/./a//b/../c/"),
                get("colon", "/a:b@c"),
                get("star", "/*"),
                get("double question", "/a?b?c=d"),
                get("empty parts", "/?&=&a=&=b"),
            ])],
        ),
    ]
}

fn redirects() -> Vec<Draft> {
    let to = |name: &str, url: &str| get(name, &format!("/redirect-to?url={url}"));
    let automatic = |node: Node| {
        node.flag("HTTPSampler.follow_redirects", false).flag("HTTPSampler.auto_redirects", true)
    };
    let chain = "/redirect-to?url=%2Fredirect-to%3Furl%3D%2Fend%26set%3Dtwo%253D2&set=one%3D1%3B%20Path%3D/";
    vec![
        Draft::new(
            "redirects_cookies",
            "Cookies that are set, changed and taken away on the way, followed in both ways.",
            [users([
                cookie_manager(&[("own", "o", "127.0.0.1", "/")], false),
                get("chain", chain),
                get("after", "/after"),
                to("changed", "/end&set=one%3Dchanged%3B%20Path%3D/"),
                get("after the change", "/after"),
                to("gone", "/end&set=one%3D%3B%20Max-Age%3D0%3B%20Path%3D/"),
                get("after it is gone", "/after"),
                automatic(get("automatic", chain)),
                get("after automatic", "/after"),
                get("not followed", chain).flag("HTTPSampler.follow_redirects", false),
                get("after not followed", "/after"),
            ])],
        ),
        Draft::new(
            "redirects_methods",
            "Bodies, methods and headers of the requests that follow.",
            [users([
                raw("json by 302", "POST", "/redirect/1", "{\"a\": 1}")
                    .of([headers("h", &[("Content-Type", "application/json"), ("X", "y")])]),
                raw("json by 307", "POST", "/redirect/1?code=307", "{\"a\": 1}")
                    .of([headers("h", &[("Content-Type", "application/json")])]),
                raw("json by 308", "PUT", "/redirect/1?code=308", "{}"),
                request("delete", "DELETE", "/redirect/1", &[("a", "b")]),
                request("put by 303", "PUT", "/redirect/1?code=303", &[("a", "b")]),
                request("patch by 301", "PATCH", "/redirect/1?code=301", &[("a", "b")]),
                request("options", "OPTIONS", "/redirect/1", &[]),
                automatic(raw("automatic json by 307", "POST", "/redirect/1?code=307", "{}")),
                automatic(request("automatic delete", "DELETE", "/redirect/1", &[])),
                automatic(request("automatic head", "HEAD", "/redirect/2", &[])),
                get("both ways", "/redirect/2").flag("HTTPSampler.auto_redirects", true),
                get("with parameters", "/redirect/1?a=b"),
                automatic(get("automatic with a fragment", "/a?q=1#part")),
                automatic(get("automatic with a fragment only", "/a#part")),
                automatic(get("automatic with empty segments", "/a//b///?c//d")),
                automatic(get("automatic with dots", "/a/./b/../c")),
                automatic(get("automatic with dots and empty segments", "/a/./b//../c%20d;e")),
                automatic(get("automatic without a path", "?q=1")),
                automatic(get("automatic beyond ASCII", "/\u{e9}/\u{20ac}?\u{fc}")),
                automatic(get("automatic beyond ASCII with empty segments", "/\u{e9}//a")),
                get("with a fragment", "/a?q=1#part"),
            ])],
        ),
        Draft::new(
            "redirects_checked",
            "What assertions and extractors see of a redirect.",
            [users([
                get("two steps", "/redirect/2").of([
                    assertion("the last", "response_data", 16, &["arrived"]),
                    assertion("its code", "response_code", 8, &["200"]),
                    assertion("parts moved", "response_data", 16, &["moved"])
                        .text("Assertion.scope", "children"),
                    assertion("all", "response_code", 1, &["200|302"]).text("Assertion.scope", "all"),
                    assertion("url", "sample_label", 16, &["/redirect/0"]),
                    assertion("headers of all", "response_headers", 16, &["Location"])
                        .text("Assertion.scope", "all"),
                ]),
                to("to an error", "/status/404").of([assertion(
                    "good all the same",
                    "response_code",
                    8,
                    &["404"],
                )
                .flag("Assertion.assume_success", true)]),
                to("to nothing", "http%3A%2F%2F127.0.0.1%3A1%2F"),
                to("to itself with a fragment", "%23top"),
                automatic(to("automatic to nothing", "http%3A%2F%2F127.0.0.1%3A1%2F")),
            ])],
        )
        .rule("property httpsampler.max_redirects=3"),
        Draft::new(
            "redirects_default_limit",
            "Twenty steps are followed.",
            [users([
                get("20", "/redirect/20"),
                get("21", "/redirect/21"),
                automatic(get("50", "/redirect/50")),
            ])],
        ),
    ]
}

fn connections() -> Vec<Draft> {
    let failing = || {
        [users([
            get("first", "/c"),
            get("dropped", "/drop"),
            request("dropped post", "POST", "/drop", &[("a", "b")]),
            request("dropped put", "PUT", "/drop", &[("a", "b")]),
            get("cut", "/truncated"),
            get("late", "/delay/600").text("HTTPSampler.response_timeout", "150"),
            get("refused", "/c").text("HTTPSampler.port", "1"),
            get("after", "/c"),
        ])]
    };
    let packed = || {
        [users([get("gzip", "/cut/gzip"), get("deflate", "/cut/deflate"), get("no gzip", "/broken-gzip")])]
    };
    vec![
        Draft::new("http_retries", "What goes out again.", failing())
            .rule("property httpclient4.retrycount=2"),
        Draft::new("http_retries_sent", "The same, what was sent included.", failing())
            .rule("property httpclient4.retrycount=1")
            .rule("property httpclient4.request_sent_retry_enabled=true"),
        Draft::new("http_packed_cut", "Bodies that end too early.", packed()),
        Draft::new("http_packed_relaxed", "The same, taken as they are.", packed())
            .rule("property httpclient4.gzip_relax_mode=true")
            .rule("property httpclient4.deflate_relax_mode=true"),
        Draft::new(
            "cookies_as_written",
            "Cookies of the plan without expressions.",
            [users([
                cookie_manager(
                    &[("a${x}", "${x}", "127.0.0.1", "/"), ("b", "${__threadNum}", "", "")],
                    false,
                ),
                get("one", "/c"),
            ])],
        )
        .variables(&[("x", "1")])
        .rule("property CookieManager.allow_variable_cookies=false"),
        Draft::new(
            "http_connections",
            "Which connection a request takes after each kind of end.",
            [loops(
                users([
                    get("first", "/c"),
                    get("404", "/status/404"),
                    get("after 404", "/c"),
                    get("500", "/status/500"),
                    get("after 500", "/c"),
                    get("nothing", "/status/204"),
                    get("after nothing", "/c"),
                    request("head", "HEAD", "/json", &[]),
                    get("after head", "/c"),
                    get("chunked", "/chunked"),
                    get("after chunked", "/c"),
                    get("until the end", "/nolength"),
                    get("after the end", "/c"),
                    get("cut", "/truncated"),
                    get("after the cut", "/c"),
                    get("late", "/delay/600").text("HTTPSampler.response_timeout", "150"),
                    get("after late", "/c"),
                    get("header close", "/c").of([headers("h", &[("Connection", "close")])]),
                    get("after header close", "/c"),
                    get("localhost", "/c").text("HTTPSampler.domain", "localhost"),
                    get("address again", "/c"),
                ]),
                "2",
            )
            .flag("ThreadGroup.same_user_on_next_iteration", true)],
        ),
        Draft::new(
            "http_late",
            "Silence that is shorter and longer than it may be.",
            [users([
                get("in time", "/delay/50").text("HTTPSampler.response_timeout", "3000"),
                get("too late", "/delay/800").text("HTTPSampler.response_timeout", "200"),
                request("too late, posted", "POST", "/delay/800", &[("a", "b")])
                    .text("HTTPSampler.response_timeout", "200"),
                get("from defaults", "/delay/800").of([defaults(&[("response_timeout", "200")])]),
                simple(
                    "block",
                    [
                        defaults(&[("response_timeout", "200"), ("connect_timeout", "3000")]),
                        get("too late by defaults", "/delay/800"),
                    ],
                ),
            ])],
        ),
    ]
}

fn names() -> Vec<Draft> {
    let hosts = |pairs: &[(&str, &str)], custom: bool| {
        let members = pairs.iter().map(|(name, address)| {
            let host = Element::new("StaticHost", "", "").with_text("StaticHost.Name", name);
            Property::of_element(name, host.with_text("StaticHost.Address", address))
        });
        let node = element("DNSCacheManager", "DNSCachePanel", "names", &[]);
        let node = set(node, "DNSCacheManager.hosts", PropertyValue::Collection(members.collect()));
        let node = set(node, "DNSCacheManager.servers", PropertyValue::Collection(Vec::new()));
        node.flag("DNSCacheManager.isCustomResolver", custom)
            .flag("DNSCacheManager.clearEachIteration", false)
    };
    let asking = |node: Node, servers: &[&str]| set(node, "DNSCacheManager.servers", texts(servers));
    let at = |host: &str, path: &str| get(host, path).text("HTTPSampler.domain", host);
    vec![
        Draft::new(
            "dns_static_hosts",
            "Names that the plan gives addresses.",
            [loops(
                users([
                    hosts(
                        &[("shop.test", "127.0.0.1"), ("${name}", "127.0.0.1"), ("other.test", "localhost")],
                        true,
                    ),
                    cookie_manager(&[], false),
                    at("shop.test", "/cookie?set=a%3D1"),
                    at("shop.test", "/a"),
                    at("own.test", "/b"),
                    at("other.test", "/c"),
                    at("127.0.0.1", "/d"),
                    loop_of("again", "2", [at("shop.test", "/e")]),
                ]),
                "2",
            )],
        )
        .variables(&[("name", "own.test")]),
        Draft::new(
            "dns_servers",
            "Servers for names: one that nobody knows, one that nobody is; then only a table helps.",
            [
                users([
                    asking(hosts(&[("own.test", "127.0.0.1, none.invalid")], true), &["none.invalid"]),
                    at("own.test", "/a"),
                    at("other.test", "/b"),
                    at("127.0.0.1", "/c"),
                ]),
                users([
                    asking(hosts(&[("own.test", "localhost")], true), &["127.0.0.9", "127.0.0.8"]),
                    at("own.test", "/d"),
                    at("other.test", "/e"),
                    at("127.0.0.1", "/f"),
                    at("a..b", "/g"),
                ]),
                users([
                    asking(hosts(&[], false), &["127.0.0.9"]),
                    at("localhost", "/h"),
                    at("127.0.0.1", "/i"),
                ]),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "cookies_hosts",
            "Cookies of hosts and of domains.",
            [users([
                hosts(
                    &[
                        ("www.shop.test", "127.0.0.1"),
                        ("api.shop.test", "127.0.0.1"),
                        ("shop.test", "127.0.0.1"),
                    ],
                    true,
                ),
                cookie_manager(
                    &[("plan", "p", ".shop.test", "/"), ("www", "w", "www.shop.test", "/sub")],
                    false,
                ),
                at("www.shop.test", "/cookie?set=host%3D1%3B%20Path%3D/"),
                at("www.shop.test", "/cookie?set=domain%3D2%3B%20Domain%3Dshop.test%3B%20Path%3D/"),
                at("www.shop.test", "/cookie?set=dotted%3D3%3B%20Domain%3D.shop.test%3B%20Path%3D/"),
                at("www.shop.test", "/cookie?set=other%3D4%3B%20Domain%3Dother.test%3B%20Path%3D/"),
                at("www.shop.test", "/cookie?set=sibling%3D5%3B%20Domain%3Dapi.shop.test%3B%20Path%3D/"),
                at("www.shop.test", "/sub/x"),
                at("api.shop.test", "/sub/x"),
                at("shop.test", "/sub"),
                at("127.0.0.1", "/sub"),
                cookie("of the address", "addr=6; Path=/"),
                at("localhost", "/sub"),
                debug("variables"),
            ])],
        )
        .rule("property CookieManager.save.cookies=true")
        .rule("mask bytes"),
    ]
}
