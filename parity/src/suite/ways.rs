//! Ways to a site: proxies and source addresses.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, get, loops, users};

pub(super) fn drafts() -> Vec<Draft> {
    vec![run_proxy(), asking_proxy(), asking_sampler_proxy(), failing_proxy(), sources(), local_address()]
}

/// A request to another host, which only a proxy knows.
fn elsewhere(name: &str, host: &str, path: &str) -> Node {
    get(name, path).text("HTTPSampler.domain", host).text("HTTPSampler.port", "")
}

fn through(node: Node, user: &str, password: &str) -> Node {
    let node =
        node.text("HTTPSampler.proxyHost", "127.0.0.1").text("HTTPSampler.proxyPort", "${__P(parity.port)}");
    node.text("HTTPSampler.proxyUser", user).text("HTTPSampler.proxyPass", password)
}

fn run_proxy() -> Draft {
    Draft::new(
        "proxy_of_run",
        "The proxy of the command line, and hosts that are reached without it.",
        [users([
            elsewhere("by proxy", "site.test", "/a?b=c"),
            get("direct", "/direct"),
            elsewhere("redirected", "site.test", "/redirect-to?url=http://other.test/x"),
            elsewhere("back", "site.test", "/redirect-to?url=http://127.0.0.1:${__P(parity.port)}/x"),
            through(elsewhere("own proxy", "127.0.0.1", "/own"), "", ""),
        ])],
    )
    .rule("arguments -H 127.0.0.1 -P {port} -N 127.*|*.0.0.1|none.test")
}

fn asking_proxy() -> Draft {
    Draft::new(
        "proxy_of_run_asks",
        "The proxy of the command line wants a name.",
        [loops(
            users([
                elsewhere("first", "site.test", "/open"),
                elsewhere("asked", "site.test", "/proxyauth/a"),
                elsewhere("unasked", "other.test", "/proxyauth/b"),
                elsewhere("site asks, too", "site.test", "/auth/basic"),
            ]),
            "2",
        )],
    )
    .rule("arguments -H 127.0.0.1 -P {port} -u me -a secret")
}

fn asking_sampler_proxy() -> Draft {
    Draft::new(
        "proxy_of_sampler_asks",
        "The proxy of a sampler wants a name.",
        [users([
            through(elsewhere("none given", "site.test", "/proxyauth/a"), "", ""),
            through(elsewhere("given", "site.test", "/proxyauth/a"), "${__P(nothing,me)}", "pass:word"),
            through(elsewhere("again", "site.test", "/proxyauth/b"), "me", "pass:word"),
            through(elsewhere("other", "site.test", "/proxyauth/b"), "you", "word"),
        ])],
    )
}

fn failing_proxy() -> Draft {
    Draft::new("proxy_of_run_gone", "There is no proxy.", [users([elsewhere("gone", "site.test", "/a")])])
        .rule("arguments -H 127.0.0.1 -P 1")
}

fn sources() -> Draft {
    let from = |name: &str, source: &str, kind: i32| {
        get(name, "/s").text("HTTPSampler.ipSource", source).int("HTTPSampler.ipSourceType", kind)
    };
    Draft::new(
        "source_addresses",
        "Where requests go out from.",
        [users([
            from("address", "127.0.0.1", 0),
            from("host", "localhost", 0),
            from("unknown host", "no.such.host.invalid", 0),
            from("device, IPv4", "lo", 2),
            from("no device", "nowhere0", 1),
            from("no IPv4", "nowhere0", 2),
        ])],
    )
}

fn local_address() -> Draft {
    Draft::new("source_of_run", "Where all requests go out from.", [users([get("local", "/s")])])
        .rule("property httpclient.localaddress=127.0.0.1")
}
