//! Combinations in which random plans found Swell and JMeter apart.

use swell_plan::{Node, PropertyValue};

use super::draft::Draft;
use super::http_corners::with_files;
use super::http_state::authorizations;
use super::parts::{
    Edit, action, assertion, element, get, group, headers, loop_of, loops, raw, set, transaction, users,
};

/// An assertion that only samples of transactions fail.
fn unhappy() -> Node {
    assertion("no summary", "response_message", 20, &["Number of samples"])
}

/// A Result Status Action Handler.
fn handler(action: &str) -> Node {
    let node = element("ResultAction", "ResultActionGui", "handler", &[]);
    set(node, "OnError.action", PropertyValue::Int(action.to_owned()))
}

pub(super) fn drafts() -> Vec<Draft> {
    [flow(), requests(), redirects()].concat()
}

fn automatic(node: Node) -> Node {
    node.flag("HTTPSampler.follow_redirects", false).flag("HTTPSampler.auto_redirects", true)
}

fn requests() -> Vec<Draft> {
    let digest = |name: &str, path: &str| get(name, path).flag("HTTPSampler.md5", true);
    let at = |user: &str, path: &str| format!("http://{user}127.0.0.1:${{__P(parity.port)}}{path}");
    vec![
        Draft::new(
            "http_digests_whole",
            "A digest is that of the whole body, however little of others is kept; where nothing came there is none.",
            [users([
                digest("long", "/json"),
                digest("packed", "/gzip"),
                digest("in chunks", "/chunked"),
                digest("nothing", "/bytes/0"),
                digest("page", "/frame").flag("HTTPSampler.image_parser", true),
                get("cut", "/json"),
                get("cut and packed", "/gzip"),
                get("nothing to cut", "/bytes/0"),
            ])],
        )
        .rule("property httpsampler.max_bytes_to_store_per_request=20"),
        Draft::new(
            "url_users",
            "A URL with a user: what is shown, and which credentials fit.",
            [users([
                authorizations(&[(&at("", ""), "ann", "")]),
                get("user", &at("user:pw@", "/auth/basic")),
                get("no user", &at("", "/auth/basic")),
                automatic(get("shown without", &at("user:pw@", "/a"))),
                get("shown with", &at("user:pw@", "/a")),
            ])],
        ),
        Draft::new(
            "url_users_asked",
            "A URL with a user, and a server that asks for one.",
            [users([
                get("basic", &at("user:pw@", "/auth/basic")),
                get("again", &at("user:pw@", "/auth/basic")),
                get("digest", &at("user:pw@", "/auth/digest")),
                get("other path", &at("user:pw@", "/a")),
                get("no user", &at("", "/auth/basic")),
            ])],
        ),
        Draft::new(
            "cookies_unsent",
            "Cookies of the plan are shown where a request cannot be made.",
            [users([
                headers("h", &[("Cookie", "own=1")]),
                with_files(
                    raw("type that is none", "POST", "/f", "x"),
                    &[("data/other.txt", "f", "text/plain"), ("data/upload.txt", "f", "")],
                ),
            ])],
        ),
    ]
}

fn redirects() -> Vec<Draft> {
    vec![
        Draft::new(
            "redirects_without_host",
            "A Location with the protocol and a path.",
            [users([
                get("followed", "/redirect-to?url=http%3A/one"),
                automatic(get("automatic", "/redirect-to?url=http%3A/one")),
                get("other protocol", "/redirect-to?url=https%3A/one"),
                get("capitals", "/redirect-to?url=HTTP%3A/one%3Fa%3Db"),
                get("relative", "/redirect-to?url=http%3Aone"),
            ])],
        ),
        Draft::new(
            "redirects_of_empty_forms",
            "A form without fields is no body any more where HttpClient sends it again.",
            [users(["POST", "PUT", "DELETE"].map(|method| {
                automatic(get(method, "/redirect-to?url=/end&code=307").text("HTTPSampler.method", method))
            }))],
        ),
        Draft::new(
            "redirects_names",
            "A sample that HttpClient redirects is called as it was asked for.",
            [users([get("page", "/broken")
                .flag("HTTPSampler.image_parser", true)
                .flag("HTTPSampler.follow_redirects", false)
                .flag("HTTPSampler.auto_redirects", true)])],
        )
        .rule("property subresults.disable_renaming=true"),
    ]
}

fn flow() -> Vec<Draft> {
    vec![
        Draft::new(
            "transaction_reported_once",
            "A transaction is left by its inside, or ends its user, and is over later: files have it once.",
            [
                loops(
                    users([transaction(
                        "broken inside",
                        true,
                        false,
                        [loop_of("l", "2", [get("a", "/a"), action("break", 5, 0)]), get("b", "/b")],
                    )]),
                    "2",
                ),
                users([transaction("ends", true, false, [
                    get("c", "/status/500").of([handler("1")]),
                    get("never", "/never"),
                ])])
                .text("ThreadGroup.on_sample_error", "startnextloop"),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "functional_names",
            "Sub-samples keep their names in functional mode.",
            [users([
                get("redirected", "/redirect/1"),
                get("automatic", "/redirect/1")
                    .flag("HTTPSampler.follow_redirects", false)
                    .flag("HTTPSampler.auto_redirects", true),
                get("page", "/frame").flag("HTTPSampler.image_parser", true),
                transaction("T", true, false, [get("a", "/a"), get("b", "/redirect/1")]),
            ])],
        )
        .flag("TestPlan.functional_mode", true),
        Draft::new(
            "transaction_fails_alone",
            "A transaction fails by its own assertion, and a loop is to be left: the exception ends the user.",
            ["continue", "startnextloop", "stopthread"].map(|error| {
                let fails = transaction("T", true, false, [get("a", "/a")]).of([unhappy()]);
                let group = group("ThreadGroup", "ThreadGroupGui", error, [fails, get("b", "/b")]);
                loops(group, "3").text("ThreadGroup.on_sample_error", error)
            })
            .into_iter()
            .chain([loops(
                group(
                    "ThreadGroup",
                    "ThreadGroupGui",
                    "handler",
                    [transaction("outer", true, false, [
                        transaction("inner", true, false, [get("c", "/c")]).of([unhappy(), handler("5")]),
                        get("d", "/d"),
                    ])],
                ),
                "2",
            )]),
        )
        .flag("TestPlan.serialize_threadgroups", true),
    ]
}
