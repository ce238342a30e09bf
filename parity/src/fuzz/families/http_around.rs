//! What stands around HTTP Requests.

use swell_plan::{Element, Node, Property, PropertyValue};

use super::http::{lines, long};
use crate::fuzz::ChoiceRng;
use crate::fuzz::elements::plain_parameter;
use crate::fuzz::elements::{Edit, defaults, element, parameter, set, with_parameters};

/// Some of: headers, cookies, a cache, credentials, defaults.
pub(super) fn around(rng: &mut ChoiceRng, count: i32) -> Vec<Node> {
    (0..count).map(|_| one(rng)).collect()
}

fn one(rng: &mut ChoiceRng) -> Node {
    let node = match rng.below(10) {
        0..=2 => lines(rng),
        3..=5 => cookies(rng),
        6 => cache(rng),
        7 => credentials(rng),
        _ => some_defaults(rng),
    };
    if rng.chance(6) { node.off() } else { node }
}

fn cookies(rng: &mut ChoiceRng) -> Node {
    let all = [
        ("own", "127.0.0.1", "/"),
        ("sub", "127.0.0.1", "/sub"),
        ("other", "other.test", "/"),
        ("a", "127.0.0.1", ""),
        ("b", "", "/"),
    ];
    let count = *rng.weighted(&[(60, 0), (25, 1), (15, 2)]);
    let members = (0..count).map(|_| {
        let (name, domain, path) = *rng.pick(&all);
        let cookie = Element::new("Cookie", "", name)
            .with_text("Cookie.value", rng.word(&["1", "${v}", "", "a b", "\"q\""]))
            .with_text("Cookie.domain", domain)
            .with_text("Cookie.path", path)
            .with_flag("Cookie.secure", rng.chance(10))
            .with("Cookie.expires", long(rng.word(&["0", "0", "1", "4102444800"])))
            .with_flag("Cookie.path_specified", rng.chance(80))
            .with_flag("Cookie.domain_specified", rng.chance(80));
        Property::of_element(name, cookie)
    });
    let members: Vec<Property> = members.collect();
    let node = element("CookieManager", "CookiePanel", &format!("k{}", rng.number()), &[]);
    let node = set(node, "CookieManager.cookies", PropertyValue::Collection(members));
    let node = node.flag("CookieManager.clearEachIteration", rng.chance(30));
    let node = node.flag("CookieManager.controlledByThreadGroup", rng.chance(30));
    // Policies of old plans read lists and versions as no policy of today does; Swell does not.
    let policies = ["standard", "standard", "standard-strict", "netscape", "ignoreCookies"];
    if rng.chance(60) { node.text("CookieManager.policy", rng.word(&policies)) } else { node }
}

fn cache(rng: &mut ChoiceRng) -> Node {
    let node = element("CacheManager", "CacheManagerGui", &format!("k{}", rng.number()), &[]);
    let node = node.flag("clearEachIteration", rng.chance(30)).flag("useExpires", rng.chance(60));
    node.flag("CacheManager.controlledByThread", rng.chance(30)).int("maxSize", *rng.pick(&[5000, 5000, 1]))
}

fn credentials(rng: &mut ChoiceRng) -> Node {
    let urls = [
        "http://127.0.0.1:${__P(parity.port)}/auth",
        "http://127.0.0.1:${__P(parity.port)}",
        "http://127.0.0.1:${__P(parity.port)}/auth/basic",
        "/auth",
        "",
    ];
    let mechanisms = ["", "BASIC", "DIGEST", "BASIC_DIGEST"];
    let entry = Element::new("Authorization", "", "")
        .with_text("Authorization.url", rng.word(&urls))
        .with_text("Authorization.username", rng.word(&["ann", "", "\u{e9}"]))
        .with_text("Authorization.password", "pass:word")
        .with_text("Authorization.domain", "")
        .with_text("Authorization.realm", rng.word(&["", "parity"]));
    let entry = match rng.word(&mechanisms) {
        "" => entry,
        mechanism => entry.with_text("Authorization.mechanism", mechanism),
    };
    let node = element("AuthManager", "AuthPanel", &format!("k{}", rng.number()), &[]);
    let node =
        set(node, "AuthManager.auth_list", PropertyValue::Collection(vec![Property::of_element("", entry)]));
    let node = node.flag("AuthManager.clearEachIteration", rng.chance(30));
    node.flag("AuthManager.controlledByThreadGroup", rng.chance(30))
}

fn some_defaults(rng: &mut ChoiceRng) -> Node {
    let all = [
        ("domain", "127.0.0.1"),
        ("port", "${__P(parity.port)}"),
        ("protocol", "http"),
        ("path", "/default"),
        ("contentEncoding", "UTF-8"),
        ("contentEncoding", "ISO-8859-1"),
        ("implementation", "HttpClient4"),
        ("response_timeout", "5000"),
        ("embedded_url_re", ".*png"),
        ("embedded_url_exclude_re", ".*css"),
    ];
    let count = rng.range(1, 4);
    let texts: Vec<(&str, &str)> = (0..count).map(|_| *rng.pick(&all)).collect();
    let mut node = defaults(&texts);
    if rng.chance(25) {
        let all = [parameter("d", "1 &"), plain_parameter("d2", "${v}"), plain_parameter("", "body")];
        node = with_parameters(node, [rng.pick(&all).clone()]);
    }
    for name in ["image_parser", "md5", "use_keepalive", "follow_redirects"] {
        if rng.chance(8) {
            node = node.flag(&format!("HTTPSampler.{name}"), true);
        }
    }
    node
}
