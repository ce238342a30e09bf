//! Client certificates, compared with what JMeter 5.6.3 sends to a server that requests one.

use swell_api::Needs;

use crate::site::{Site, Visitor, on_loop, shown};
use swell_plan::Element;

const PASSWORD: (&str, &str) = ("javax.net.ssl.keyStorePassword", "secret1");

fn secure(element: Element) -> Element {
    element.with_text("HTTPSampler.protocol", "https").with_text("HTTPSampler.domain", "localhost")
}

fn config(texts: &[(&str, &str)]) -> Vec<Element> {
    // Where it is missing, JMeter takes `endIndex` for 0.
    let element = Element::new("KeystoreConfig", "TestBeanGUI", "keys");
    let ends = texts.iter().any(|(name, _)| *name == "endIndex");
    let element = if ends { element } else { element.with_text("endIndex", "") };
    vec![texts.iter().fold(element, |element, (name, value)| element.with_text(name, value))]
}

/// The client of each of N new connections.
async fn visitors(visitor: &mut Visitor, site: &Site, times: usize) -> Vec<String> {
    let mut seen = Vec::new();
    for _ in 0..times {
        let edit = |e| secure(e).with_flag("HTTPSampler.use_keepalive", false);
        let sample = visitor.get_with("/", edit).await.expect("a sample");
        assert_eq!(&*sample.code, "200", "{}", sample.message);
        let known = ["First", "second", "third-3", "user4", "rsa1"];
        let last = site.last();
        seen.push(known.iter().find(|name| last.contains(**name)).unwrap_or(&"no-one").to_string());
        visitor.user.start_iteration(false);
    }
    seen
}

#[test]
fn keys_take_turns_in_javas_order() {
    let all = config(&[]);
    let some = config(&[("startIndex", "1"), ("endIndex", "2")]);
    let table: [(&str, Vec<Element>, &[&str]); 5] = [
        ("ec.jks", all.clone(), &["second", "user4", "third-3", "First", "second"]),
        ("ec.p12", all, &["First", "second", "third-3", "user4"]),
        ("ec.p12", some, &["second", "third-3", "second"]),
        ("rsa.jks", vec![], &["rsa1", "rsa1"]),
        ("", vec![], &["no-one"]),
    ];
    for (store, configs, wanted) in table {
        on_loop(async move {
            let site = Site::start_asking(false);
            let props = [("javax.net.ssl.keyStore", store), PASSWORD];
            let mut visitor = Visitor::with(&site, &props, configs, Needs::ALL);
            assert_eq!(visitors(&mut visitor, &site, wanted.len()).await, wanted, "{store}");
        });
    }
}

#[test]
fn a_variable_names_the_key() {
    on_loop(async {
        let site = Site::start_asking(true);
        let props = [("javax.net.ssl.keyStore", "ec.p12"), PASSWORD];
        let configs = config(&[("clientCertAliasVarName", "who")]);
        let mut visitor = Visitor::with(&site, &props, configs, Needs::ALL);
        for (alias, message) in
            [("", "No var called 'who' found"), ("no-one", "No PrivateKey found for alias:'no-one'")]
        {
            visitor.user.cx.vars.put("who", alias);
            let sample = visitor.get_with("/", secure).await.expect("a sample");
            assert_eq!(shown(&sample), ("javax.net.ssl.SSLException".into(), message.into()));
        }
        for (alias, name) in [("third-3", "third-3"), ("first", "First")] {
            visitor.user.cx.vars.put("who", alias);
            assert_eq!(visitors(&mut visitor, &site, 1).await, [name]);
        }
    });
}

#[test]
fn a_store_that_cannot_be_read_is_told() {
    on_loop(async {
        let site = Site::start_asking(false);
        for (store, password, part) in [
            ("none.jks", "secret1", "cannot read the key store `none.jks`"),
            ("ec.jks", "wrong", "the password is wrong"),
            ("ec.p12", "wrong", "cannot read the key store `ec.p12`"),
        ] {
            let props = [("javax.net.ssl.keyStore", store), ("javax.net.ssl.keyStorePassword", password)];
            let visitor = Visitor::with(&site, &props, config(&[]), Needs::ALL);
            visitor.sampler("/", secure);
            visitor.sampler("/again", secure);
            let told = visitor.compile.diagnostics.borrow();
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(told[0].message.contains(part), "{}", told[0].message);
        }
    });
}
