//! Elements that read documents with a Java library: which elements of a class run natively, which
//! on the JVM, and the message if there is no JVM.

use swell_api::Treatment;
use swell_plan::{Element, Node};
use swell_results::FileOptions;
use swell_run::{ScriptMode, Trial, TrialSettings};

use crate::plans::{jvm, plan, run, run_with, sampler, sampler_with_body};

fn xpath(tolerant: &str) -> Element {
    Element::new("XPathExtractor", "XPathExtractorGui", "xpath")
        .with_text("XPathExtractor.refname", "seen")
        .with_text("XPathExtractor.xpathQuery", "//li[2]")
        .with_text("XPathExtractor.matchNumber", "1")
        .with_text("XPathExtractor.default", "none")
        .with_text("XPathExtractor.tolerant", tolerant)
}

fn css(library: &str) -> Element {
    Element::new("HtmlExtractor", "HtmlExtractorGui", "css")
        .with_text("HtmlExtractor.refname", "seen")
        .with_text("HtmlExtractor.expr", "li:last")
        .with_text("HtmlExtractor.match_number", "1")
        .with_text("HtmlExtractor.default", "none")
        .with_text("HtmlExtractor.extractor_impl", library)
}

#[test]
fn settings_choose_between_a_native_reader_and_that_of_java() {
    let folder = std::env::temp_dir();
    let sinks = swell_run::Sinks::new(FileOptions { dry_run: true, ..FileOptions::new(&folder) });
    let registry = swell_run::registry(&sinks, &[]);
    let assertion = |tolerant| {
        Element::new("XPathAssertion", "XPathAssertionGui", "xpath").with_flag("XPath.tolerant", tolerant)
    };
    for (element, is_native) in [
        (xpath(""), true),
        (xpath("false"), true),
        (xpath("true"), false),
        (xpath("${__P(tolerant)}"), false),
        (assertion(false), true),
        (assertion(true), false),
        (css(""), true),
        (css("JSOUP"), true),
        (css("JODD"), false),
        (css("${library}"), false),
    ] {
        let treatment = registry.kind(&element).expect("a known class").treatment.clone();
        assert_eq!(treatment == Treatment::Native, is_native, "{element:?}: {treatment:?}");
        assert_eq!(matches!(treatment, Treatment::NeedsJvm(_)), !is_native, "{element:?}: {treatment:?}");
    }
}

#[test]
fn a_tolerant_extractor_runs_in_the_jvm_beside_a_native_one_of_its_class() {
    let Some(_jvm) = jvm() else { return };
    let page = |name, element| sampler_with_body(name, "<ul><li>a<li>b</ul>").with(Node::new(element));
    let plan = plan(
        1,
        vec![
            page("plain", xpath("false")),
            sampler("1"),
            page("tolerant", xpath("true")),
            sampler("2"),
            page("jodd", css("JODD")),
            sampler("3"),
        ],
    );
    let ran = run(&plan);
    let seen: Vec<_> = ran.samples.iter().map(|sample| sample.message.as_str()).collect();
    assert_eq!([seen[1], seen[3], seen[5]], ["none", "b", "b"], "{}", ran.log);
    assert!(!ran.samples[0].assertions.is_empty(), "the page is no XML");
}

#[test]
fn a_link_parser_in_the_jvm_leads_a_native_request() {
    let Some(_jvm) = jvm() else { return };
    let target = swell_target::start(swell_target::Options::default()).expect("a free port");
    let at = target.addr();
    let http = |name: &str, path: &str| {
        Element::new("HTTPSamplerProxy", "HttpTestSampleGui", name)
            .with_text("HTTPSampler.domain", &at.ip().to_string())
            .with_text("HTTPSampler.port", &at.port().to_string())
            .with_text("HTTPSampler.path", path)
            .with_text("HTTPSampler.method", "GET")
    };
    let body = "<p><a href='/anything/17?a=b'>on</a>";
    let rewrite =
        crate::plans::script("JSR223PostProcessor", &format!("prev.setResponseData(\"{body}\", 'UTF-8')"));
    let first = Node::new(http("first", "/anything/first")).with(Node::new(rewrite));
    let parser = Element::new("AnchorModifier", "AnchorModifierGui", "links");
    let second = Node::new(http("second", "/anything/.*")).with(Node::new(parser));
    let ran = run(&plan(1, vec![first, second]));
    let url = ran.samples[1].url.clone().unwrap_or_default();
    assert!(url.ends_with("/anything/17?a=b"), "{url} {}", ran.log);
}

#[test]
fn plans_with_elements_for_the_jvm_are_refused_where_there_is_no_java() {
    let class = |class: &str| Element::new(class, "", "it");
    for (element, wanted) in [
        (class("XPath2Extractor"), "XPath2"),
        (class("XPath2Assertion"), "XPath2"),
        (class("JMESPathExtractor"), "JMESPath"),
        (class("JMESPathAssertion"), "JMESPath"),
        (class("XMLSchemaAssertion"), "XMLSchema"),
        (class("HTMLAssertion"), "HTMLAssertion"),
        (class("AnchorModifier"), "AnchorModifier"),
        (xpath("true"), "XPathExtractor"),
        (css("JODD"), "HtmlExtractor"),
    ] {
        let plan = plan(1, vec![sampler("a").with(Node::new(element))]);
        let mut settings = TrialSettings::new(".");
        settings.jvm.java_home = Some("/nowhere".into());
        let refused = Trial::prepare(&plan, settings).err().expect("there is no Java").to_string();
        for wanted in [wanted, "/nowhere", "--java-home"] {
            assert!(refused.contains(wanted), "{wanted} is not in: {refused}");
        }
    }
}

#[test]
fn native_forms_need_no_java() {
    let page = sampler_with_body("page", "<ul><li>a</li><li>b</li></ul>").with(Node::new(xpath("false")));
    let ran = run_with(&plan(1, vec![page, sampler("then")]), |settings| {
        settings.scripts = ScriptMode::Auto;
        settings.jvm.java_home = Some("/nowhere".into());
    });
    assert_eq!(ran.samples[1].message, "b");
}
