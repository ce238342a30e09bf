//! Resources of pages.

use swell_plan::{Element, Node, PropertyValue};

use super::draft::Draft;
use super::parts::{Edit, get, headers, loops, raw, request, set, users};

pub(super) fn drafts() -> Vec<Draft> {
    [embedded(), pages(), local()].concat()
}

/// Files of this machine.
fn local() -> Vec<Draft> {
    let file = |name: &str, path: &str| request(name, "GET", path, &[]).text("HTTPSampler.protocol", "file");
    let page = |name: &str, path: &str| file(name, path).flag("HTTPSampler.image_parser", true);
    let at = |name: &str, path: &str| file(name, &format!("http://127.0.0.1:${{__P(parity.port)}}{path}"));
    vec![
        Draft::new(
            "http_file",
            "Files as samples: what is there, what is not, how much is kept of one, a folder.",
            [users([
                file("text", "data/lines.txt"),
                file("port and host", "data/lines.txt").text("HTTPSampler.port", "81"),
                request("query", "GET", "data/lines.txt", &[("a", "b")]).text("HTTPSampler.protocol", "file"),
                request("post", "POST", "data/lines.txt", &[("a", "b")]).text("HTTPSampler.protocol", "file"),
                file("not there", "data/none.txt"),
                file("escaped", "data/l%69nes.txt"),
                file("no escape", "data/%zz"),
                file("folder", "data/folder/.."),
                file("charset", "data/latin1.csv").text("HTTPSampler.contentEncoding", "iso-8859-1"),
                file("digest", "data/lines.txt").flag("HTTPSampler.md5", true),
                file("upper case", "data/lines.txt").text("HTTPSampler.protocol", "FILE"),
            ])],
        ),
        Draft::new(
            "http_file_limit",
            "Of a file only so much is kept.",
            [users([file("text", "data/lines.txt")])],
        )
        .rule("property httpsampler.max_bytes_to_store_per_request=4"),
        Draft::new(
            "http_file_pages",
            "What a local page holds.",
            [users([
                page("all", "data/page.html"),
                page("some", "data/page.html").text("HTTPSampler.embedded_url_re", ".*png"),
                page("no page", "data/lines.txt"),
            ])],
        )
        .rule("mask bytes"),
        Draft::new(
            "http_file_site",
            "A sampler of files that is given a URL of a site asks it as Java does.",
            [users([
                at("page", "/plain"),
                at("moved", "/redirect-to?url=/plain"),
                at("gone", "/status/404"),
                at("broken", "/status/500"),
            ])],
        ),
    ]
}

fn pages() -> Vec<Draft> {
    let page = |path: &str| get(path, path).flag("HTTPSampler.image_parser", true);
    let pool = |path: &str| page(path).flag("HTTPSampler.concurrentDwn", true);
    let broken = || [users([page("/broken"), page("/lost")])];
    let cache = || Node::new(Element::new("CacheManager", "CacheManagerGui", "cache"));
    let cookies = || Node::new(Element::new("CookieManager", "CookiePanel", "cookies"));
    let explorer = headers("h", &[("User-Agent", "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)")]);
    vec![
        Draft::new(
            "embedded_tags",
            "Which references of a page are fetched.",
            [users([page("/tags"), page("/tags").of([explorer]), page("/importing")])],
        ),
        Draft::new("embedded_failing", "A page fails with what it holds.", broken()),
        Draft::new("embedded_failing_ignored", "A page does not fail with what it holds.", broken())
            .rule("property httpsampler.ignore_failed_embedded_resources=true"),
        Draft::new("embedded_frames", "A page that holds itself.", [users([page("/self")])])
            .rule("property httpsampler.max_frame_depth=2"),
        Draft::new(
            "embedded_no_container",
            "The page is no sub-sample of its own.",
            [users([page("/page"), page("/broken")])],
        )
        .rule("property httpsampler.separate.container=false"),
        Draft::new(
            "embedded_state",
            "Cookies and cache of what a page holds.",
            [loops(
                users([cookies(), cache(), page("/cookied"), page("/cacheable"), get("after", "/after")]),
                "2",
            )],
        ),
        Draft::new(
            "embedded_state_pool",
            "The same from several connections.",
            [loops(
                users([cookies(), cache(), pool("/cookied"), pool("/cacheable"), get("after", "/after")]),
                "2",
            )],
        )
        .rule("order none")
        .rule("mask label threadName")
        .rule("mask bodies"),
        Draft::new(
            "embedded_raw",
            "The body of a request goes out with what its page holds, too.",
            [users([raw("raw", "POST", "/frame", "body").flag("HTTPSampler.image_parser", true)])],
        ),
        Draft::new(
            "embedded_digests",
            "What is fetched at once is kept as its digest.",
            [users([pool("/page")])],
        )
        .rule("property httpsampler.embedded_resources_use_md5=true")
        .rule("order none")
        .rule("mask label threadName"),
    ]
}

fn embedded() -> Vec<Draft> {
    let page = |name: &str| get(name, "/page").flag("HTTPSampler.image_parser", true);
    vec![
        Draft::new(
            "http_embedded",
            "What a page holds is fetched, too.",
            [users([
                page("all"),
                page("some").text("HTTPSampler.embedded_url_re", ".*\\.png"),
                page("not all").text("HTTPSampler.embedded_url_exclude_re", ".*\\.png"),
                page("digest").flag("HTTPSampler.md5", true),
                get("no page", "/json").flag("HTTPSampler.image_parser", true),
                get("through a redirect", "/redirect-to?url=/page").flag("HTTPSampler.image_parser", true),
            ])],
        ),
        Draft::new(
            "http_embedded_pool",
            "The same with several connections.",
            [users([set(
                page("all").flag("HTTPSampler.concurrentDwn", true),
                "HTTPSampler.concurrentPool",
                PropertyValue::Text("4".to_owned()),
            )])],
        )
        .rule("order none")
        .rule("mask label threadName")
        .rule("mask bodies"),
    ]
}
