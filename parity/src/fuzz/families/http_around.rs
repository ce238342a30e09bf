//! What stands around HTTP Requests.

use swell_plan::{Element, Node, Property, PropertyValue};

use super::http::{lines, long};
use crate::fuzz::Dice;
use crate::suite::http::plain_parameter;
use crate::suite::parts::{Edit, defaults, element, parameter, set, with_parameters};

/// Some of: headers, cookies, a cache, credentials, defaults.
pub(super) fn around(dice: &mut Dice, count: i32) -> Vec<Node> {
    (0..count).map(|_| one(dice)).collect()
}

fn one(dice: &mut Dice) -> Node {
    let node = match dice.below(10) {
        0..=2 => lines(dice),
        3..=5 => cookies(dice),
        6 => cache(dice),
        7 => credentials(dice),
        _ => some_defaults(dice),
    };
    if dice.chance(6) { node.off() } else { node }
}

fn cookies(dice: &mut Dice) -> Node {
    let all = [
        ("own", "127.0.0.1", "/"),
        ("sub", "127.0.0.1", "/sub"),
        ("other", "other.test", "/"),
        ("a", "127.0.0.1", ""),
        ("b", "", "/"),
    ];
    let count = *dice.weighted(&[(60, 0), (25, 1), (15, 2)]);
    let members = (0..count).map(|_| {
        let (name, domain, path) = *dice.pick(&all);
        let cookie = Element::new("Cookie", "", name)
            .with_text("Cookie.value", dice.word(&["1", "${v}", "", "a b", "\"q\""]))
            .with_text("Cookie.domain", domain)
            .with_text("Cookie.path", path)
            .with_flag("Cookie.secure", dice.chance(10))
            .with("Cookie.expires", long(dice.word(&["0", "0", "1", "4102444800"])))
            .with_flag("Cookie.path_specified", dice.chance(80))
            .with_flag("Cookie.domain_specified", dice.chance(80));
        Property::of_element(name, cookie)
    });
    let members: Vec<Property> = members.collect();
    let node = element("CookieManager", "CookiePanel", &format!("k{}", dice.number()), &[]);
    let node = set(node, "CookieManager.cookies", PropertyValue::Collection(members));
    let node = node.flag("CookieManager.clearEachIteration", dice.chance(30));
    let node = node.flag("CookieManager.controlledByThreadGroup", dice.chance(30));
    // Policies of old plans read lists and versions as no policy of today does; Swell does not.
    let policies = ["standard", "standard", "standard-strict", "netscape", "ignoreCookies"];
    if dice.chance(60) { node.text("CookieManager.policy", dice.word(&policies)) } else { node }
}

fn cache(dice: &mut Dice) -> Node {
    let node = element("CacheManager", "CacheManagerGui", &format!("k{}", dice.number()), &[]);
    let node = node.flag("clearEachIteration", dice.chance(30)).flag("useExpires", dice.chance(60));
    node.flag("CacheManager.controlledByThread", dice.chance(30)).int("maxSize", *dice.pick(&[5000, 5000, 1]))
}

fn credentials(dice: &mut Dice) -> Node {
    let urls = [
        "http://127.0.0.1:${__P(parity.port)}/auth",
        "http://127.0.0.1:${__P(parity.port)}",
        "http://127.0.0.1:${__P(parity.port)}/auth/basic",
        "/auth",
        "",
    ];
    let mechanisms = ["", "BASIC", "DIGEST", "BASIC_DIGEST"];
    let entry = Element::new("Authorization", "", "")
        .with_text("Authorization.url", dice.word(&urls))
        .with_text("Authorization.username", dice.word(&["ann", "", "\u{e9}"]))
        .with_text("Authorization.password", "pass:word")
        .with_text("Authorization.domain", "")
        .with_text("Authorization.realm", dice.word(&["", "parity"]));
    let entry = match dice.word(&mechanisms) {
        "" => entry,
        mechanism => entry.with_text("Authorization.mechanism", mechanism),
    };
    let node = element("AuthManager", "AuthPanel", &format!("k{}", dice.number()), &[]);
    let node =
        set(node, "AuthManager.auth_list", PropertyValue::Collection(vec![Property::of_element("", entry)]));
    let node = node.flag("AuthManager.clearEachIteration", dice.chance(30));
    node.flag("AuthManager.controlledByThreadGroup", dice.chance(30))
}

fn some_defaults(dice: &mut Dice) -> Node {
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
    let count = dice.range(1, 4);
    let texts: Vec<(&str, &str)> = (0..count).map(|_| *dice.pick(&all)).collect();
    let mut node = defaults(&texts);
    if dice.chance(25) {
        let all = [parameter("d", "1 &"), plain_parameter("d2", "${v}"), plain_parameter("", "body")];
        node = with_parameters(node, [dice.pick(&all).clone()]);
    }
    for name in ["image_parser", "md5", "use_keepalive", "follow_redirects"] {
        if dice.chance(8) {
            node = node.flag(&format!("HTTPSampler.{name}"), true);
        }
    }
    node
}
