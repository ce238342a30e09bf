use swell_api::{Needs, SamplerInput};

use super::*;
use crate::compile::Flag;
use crate::testing::{self, collection, element};
use swell_plan::{Element, Node, Property, PropertyValue};

fn spec(sampler: Element, configs: Vec<Element>) -> (Spec, usize) {
    let compile = testing::compile();
    let node = Node::new(sampler);
    let configs: Vec<Node> = configs.into_iter().map(Node::new).collect();
    let input = SamplerInput { sampler: &node, configs: configs.iter().collect(), needs: Needs::default() };
    let spec = Spec::new(&input, &compile);
    let notes = compile.diagnostics.borrow().len();
    (spec, notes)
}

fn arguments(names: &[&str]) -> Property {
    let members = names.iter().map(|name| element("HTTPArgument", "", &[("Argument.name", name)])).collect();
    collection("HTTPsampler.Arguments", "Arguments.arguments", "Arguments", members)
}

#[test]
fn defaults_fill_gaps_and_append_parameters() {
    let mut sampler =
        element("HTTPSamplerProxy", "", &[("HTTPSampler.domain", ""), ("HTTPSampler.path", "/own")]);
    sampler.properties.push(arguments(&["own"]));
    let follow = testing::property("HTTPSampler.follow_redirects", PropertyValue::Bool("false".into()));
    sampler.properties.push(follow);
    let mut inner = element(
        "ConfigTestElement",
        "HttpDefaultsGui",
        &[
            ("HTTPSampler.domain", "inner"),
            ("HTTPSampler.path", "/default"),
            ("HTTPSampler.port", ""),
            ("HTTPSampler.follow_redirects", "true"),
        ],
    );
    inner.properties.push(arguments(&["inner"]));
    let mut outer = element(
        "ConfigTestElement",
        "HttpDefaultsGui",
        &[("HTTPSampler.domain", "outer"), ("HTTPSampler.port", "81")],
    );
    outer.properties.push(arguments(&["outer"]));
    let foreign = element("ConfigTestElement", "FtpConfigGui", &[("HTTPSampler.method", "PUT")]);
    let (spec, _) = spec(sampler, vec![foreign, inner, outer]);
    let constant = |t: &swell_expr::Template| t.constant().unwrap().to_owned();
    assert_eq!((constant(&spec.domain), constant(&spec.port)), ("inner".into(), "81".into()));
    assert_eq!((constant(&spec.path), constant(&spec.method)), ("/own".into(), "GET".into()));
    let names: Vec<String> = spec.arguments.iter().map(|a| constant(&a.name)).collect();
    assert_eq!(names, ["own", "inner", "outer"]);
    assert!(matches!(spec.follow, Flag::Is(false)), "a check box that is there is not filled");
}

#[test]
fn the_outermost_cookie_manager_counts() {
    let manager = |policy| element("CookieManager", "CookiePanel", &[("CookieManager.policy", policy)]);
    let sampler = element("HTTPSamplerProxy", "", &[]);
    let (spec, notes) = spec(sampler, vec![manager("ignoreCookies"), manager("netscape")]);
    assert_eq!(spec.cookies.unwrap().policy, crate::cookies::Policy::Netscape);
    assert_eq!(notes, 0);
}

#[test]
fn what_is_not_done_is_said() {
    let sampler = element(
        "HTTPSamplerProxy",
        "",
        &[
            ("HTTPSampler.proxyHost", "proxy"),
            ("HTTPSampler.proxyPort", "1"),
            ("HTTPSampler.proxyScheme", "https"),
        ],
    );
    let policy = element("CookieManager", "CookiePanel", &[("CookieManager.policy", "fancy")]);
    let (_, notes) = spec(sampler, vec![element("KeystoreConfig", "TestBeanGUI", &[]), policy]);
    assert_eq!(notes, 3);
}

#[test]
fn variables_make_a_request_vary_and_properties_do_not() {
    let of =
        |path| spec(element("HTTPSamplerProxy", "", &[("HTTPSampler.path", path)]), vec![]).0.is_settled();
    for settled in ["/a", "/${__P(b)}", "/${__P(b)}/${__P(c)}", "${__property(b,,/c)}"] {
        assert!(of(settled), "{settled}");
    }
    for varying in ["/${b}", "/${__P(${b})}", "${__property(b,kept)}", "/${__time()}"] {
        assert!(!of(varying), "{varying}");
    }
}
