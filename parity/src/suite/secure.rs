//! Sites behind TLS, and the certificates that are shown to those that ask.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, bean, element, get, loops, request, users, variables};

pub(super) fn drafts() -> Vec<Draft> {
    let stored = |draft: Draft| {
        let store = "-Djavax.net.ssl.keyStore=data/keys.p12 -Djavax.net.ssl.keyStorePassword=secret1";
        draft.rule(&format!("arguments {store}"))
    };
    let all = [("startIndex", "0"), ("endIndex", "")];
    vec![
        Draft::new(
            "https",
            "Requests behind TLS: kept connections, bodies, redirects, new connections.",
            [loops(
                users([
                    secured(get("first", "/a")),
                    secured(request("form", "POST", "/b", &[("a", "1 2")])),
                    secured(get("redirected", "/redirect/1")),
                    secured(get("closed", "/close")),
                    secured(get("not kept", "/c")).flag("HTTPSampler.use_keepalive", false),
                    secured(get("missing", "/status/404")),
                    get("in the open", "/d"),
                ]),
                "2",
            )],
        ),
        stored(Draft::new(
            "keystore_turns",
            "The keys of a store take turns: one for each connection.",
            [users([keystore(&all), visits("one", 6)])],
        )),
        stored(Draft::new(
            "keystore_new_users",
            "A new user shakes hands anew, and the next key is shown.",
            [loops(users([keystore(&all), once("one"), once("one again")]), "6")
                .flag("ThreadGroup.same_user_on_next_iteration", false)],
        )),
        stored(Draft::new(
            "keystore_range",
            "Only some of them.",
            [users([keystore(&[("startIndex", "1"), ("endIndex", "2")]), visits("one of two", 4)])],
        )),
        stored(Draft::new(
            "keystore_first",
            "Without an element the first key is shown.",
            [users([visits("any", 3)])],
        )),
        stored(Draft::new(
            "keystore_alias",
            "A variable names the key.",
            [users([
                keystore(&[("startIndex", "0"), ("endIndex", ""), ("clientCertAliasVarName", "who")]),
                variables(&[
                    ("name_1", "third-3"),
                    ("name_2", "First"),
                    ("name_3", "no such"),
                    ("name_4", "second"),
                ]),
                each_name([once("as ${who}")]),
            ])],
        )),
        stored(Draft::new(
            "keystore_alias_kept",
            "A connection that is kept was made with the key of its time.",
            [users([
                keystore(&[("startIndex", "0"), ("endIndex", ""), ("clientCertAliasVarName", "who")]),
                variables(&[("name_1", "second"), ("name_2", "First")]),
                each_name([secured(get("as ${who}", "/a"))]),
            ])],
        )),
    ]
}

fn each_name(children: impl IntoIterator<Item = Node>) -> Node {
    let texts = [("ForeachController.inputVal", "name"), ("ForeachController.returnVal", "who")];
    element("ForeachController", "ForeachControlPanel", "each", &texts)
        .flag("ForeachController.useSeparator", true)
        .of(children)
}

fn keystore(texts: &[(&str, &str)]) -> Node {
    bean("KeystoreConfig", "keys", texts).text("preload", "true")
}

fn secured(node: Node) -> Node {
    node.text("HTTPSampler.protocol", "https")
        .text("HTTPSampler.domain", "localhost")
        .text("HTTPSampler.port", "${__P(parity.tls)}")
}

fn once(name: &str) -> Node {
    secured(get(name, "/a")).flag("HTTPSampler.use_keepalive", false)
}

fn visits(name: &str, count: usize) -> Node {
    let visits = (0..count).map(|_| once(name));
    super::parts::simple("visits", visits)
}
