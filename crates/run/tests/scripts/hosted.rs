//! Elements that run on JMeter's classes in a native plan.

use swell_api::{ElementKind, Role};
use swell_plan::{Element, Node, Plan};

use crate::plans::{Ran, jvm, plan, run_with, sampler_with_body};

/// Runs a plan whose elements of these classes are JMeter's own, whatever Swell has for them.
fn run_hosting(plan: &Plan, classes: &[(Role, &'static str)]) -> Ran {
    run_with(plan, |settings| {
        let kinds =
            classes.iter().map(|(role, class)| ElementKind::needs_jvm(*role, *class, *class, "a test"));
        settings.elements.extend(kinds);
    })
}

fn xpath2(name: &str, query: &str) -> Node {
    let element = Element::new("XPath2Extractor", "XPath2ExtractorGui", name)
        .with_text("XPathExtractor2.refname", name)
        .with_text("XPathExtractor2.xpathQuery", query)
        .with_text("XPathExtractor2.matchNumber", "1")
        .with_text("XPathExtractor2.default", "none");
    Node::new(element)
}

#[test]
fn hosted_extractors_and_assertions_work_on_native_samples() {
    let Some(_jvm) = jvm() else { return };
    let html = Element::new("HTMLAssertion", "HTMLAssertionGui", "html")
        .with("html_assertion_error_threshold", swell_plan::PropertyValue::Long("0".to_owned()))
        .with_text("html_assertion_doctype", "omit")
        .with("html_assertion_format", swell_plan::PropertyValue::Long("0".to_owned()));
    let page = "<list><item>a</item><item>b</item></list>";
    let first = sampler_with_body("first", page).with(xpath2("found", "string-join(//item, '${with}')"));
    let second = sampler_with_body("${found}", "<x>").with(Node::new(html));
    let mut plan = plan(1, vec![first, second]);
    let with = Element::new("Argument", "", "with")
        .with_text("Argument.name", "with")
        .with_text("Argument.value", "+");
    let variables =
        Element::new("Arguments", "ArgumentsPanel", "").with_elements("Arguments.arguments", [with]);
    plan.root.element = plan.root.element.clone().with_element("TestPlan.user_defined_variables", variables);
    let ran =
        run_hosting(&plan, &[(Role::PostProcessor, "XPath2Extractor"), (Role::Assertion, "HTMLAssertion")]);
    let labels: Vec<_> = ran.samples.iter().map(|sample| (sample.label.as_str(), sample.success)).collect();
    assert_eq!(labels, [("first", true), ("a+b", false)], "{}", ran.log);
    let judged = &ran.samples[1].assertions[0];
    assert_eq!(judged.name, "html");
    assert!(
        judged.failure
            && judged.message.as_deref().is_some_and(|text| text.starts_with("Tidy Parser errors")),
        "{judged:?}"
    );
}

fn arguments<'a>(all: impl IntoIterator<Item = (&'a str, &'a str)>) -> Element {
    let argument = |(name, value)| {
        Element::new("Argument", "", name).with_text("Argument.name", name).with_text("Argument.value", value)
    };
    Element::new("Arguments", "ArgumentsPanel", "")
        .with_elements("Arguments.arguments", all.into_iter().map(argument))
}

#[test]
fn a_hosted_sampler_has_the_configuration_of_its_scope_and_counts_iterations() {
    let Some(_jvm) = jvm() else { return };
    let sampler = Element::new("JavaSampler", "JavaTestSamplerGui", "of ${count}")
        .with_text("classname", "org.apache.jmeter.protocol.java.test.JavaTest");
    let defaults = Element::new("JavaConfig", "JavaConfigGui", "defaults").with_element(
        "arguments",
        arguments([("ResultData", "body ${count}"), ("ResponseCode", "20${count}"), ("Sleep_Time", "0")]),
    );
    let counter = Element::new("CounterConfig", "CounterConfigGui", "counter")
        .with_text("CounterConfig.start", "1")
        .with_text("CounterConfig.incr", "1")
        .with_text("CounterConfig.name", "count")
        .with_flag("CounterConfig.per_user", true);
    let timer = Element::new("UniformRandomTimer", "UniformRandomTimerGui", "pause")
        .with_text("ConstantTimer.delay", "20")
        .with_text("RandomTimer.range", "0");
    let native = crate::plans::sampler("native ${count}");
    let plan =
        plan(2, vec![Node::new(defaults), native, Node::new(sampler), Node::new(counter), Node::new(timer)]);
    let ran = run_hosting(
        &plan,
        &[
            (Role::Sampler, "JavaSampler"),
            (Role::IterationElement, "CounterConfig"),
            (Role::Timer, "UniformRandomTimer"),
        ],
    );
    let shown = ran.shown();
    let wanted = ["of 1 201  [body 1] true", "of 2 202  [body 2] true"];
    assert_eq!([&shown[1], &shown[3]], wanted, "{shown:#?} {}", ran.log);
    let gaps = ran.samples.windows(2).map(|pair| pair[1].timing.start_ns - pair[0].timing.end_ns);
    assert!(gaps.clone().all(|gap| gap >= 20_000_000), "{:?}", gaps.collect::<Vec<_>>());
    assert_eq!(ran.samples[1].thread_name, "users 1-1");
}

/// A counter from 1 that sets a variable.
fn counter(variable: &str) -> Node {
    let element = Element::new("CounterConfig", "CounterConfigGui", variable)
        .with_text("CounterConfig.start", "1")
        .with_text("CounterConfig.incr", "1")
        .with_text("CounterConfig.name", variable)
        .with_flag("CounterConfig.per_user", true);
    Node::new(element)
}

#[test]
fn hosted_counters_count_the_iterations_of_the_innermost_controller_above_them() {
    let Some(_jvm) = jvm() else { return };
    let twice = Element::new("LoopController", "LoopControlPanel", "twice")
        .with_flag("LoopController.continue_forever", true)
        .with_text("LoopController.loops", "2");
    let never = Element::new("IfController", "IfControllerPanel", "never")
        .with_text("IfController.condition", "false")
        .with_flag("IfController.useExpression", true);
    let unmet = Node::new(never).with(counter("unmet")).with(crate::plans::sampler("not run"));
    let inside = crate::plans::sampler_that_says("inside", "${outer} ${inner}");
    let twice = Node::new(twice).with(counter("inner")).with(unmet).with(inside);
    let after = crate::plans::sampler_that_says("after", "${outer} ${inner} ${unmet}");
    let plan = plan(2, vec![counter("outer"), twice, after]);
    let ran = run_hosting(&plan, &[(Role::IterationElement, "CounterConfig")]);
    let messages: Vec<_> = ran.samples.iter().map(|sample| &*sample.message).collect();
    let wanted = ["1 1", "1 2", "1 2 ${unmet}", "2 3", "2 4", "2 4 ${unmet}"];
    assert_eq!(messages, wanted, "{}", ran.log);
}

#[test]
fn hosted_pre_processors_change_the_native_request() {
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
    let page = crate::plans::sampler_with_body("page", "<a href=\"x?sid=17\">on</a>");
    let rewriting = Element::new("URLRewritingModifier", "URLRewritingModifierGui", "session")
        .with_text("argument_name", "sid")
        .with_flag("path_extension", false)
        .with_flag("cache_value", false);
    let second = Node::new(http("second", "/anything/it")).with(Node::new(rewriting));
    let links = Node::new(Element::new("AnchorModifier", "AnchorModifierGui", "links"));
    let fourth = Node::new(http("fourth", "/sta[a-z]+")).with(links);
    let all = vec![page, second, Node::new(http("third", "/")), fourth];
    let classes = ["URLRewritingModifier", "AnchorModifier"].map(|class| (Role::PreProcessor, class));
    let ran = run_hosting(&plan(1, all), &classes);
    let url = |place: usize| ran.samples[place].url.clone().unwrap_or_default();
    assert!(url(1).ends_with("/anything/it?sid=17"), "{} {}", url(1), ran.log);
    assert!(url(3).ends_with("/stats"), "{} {}", url(3), ran.log);
}

#[test]
fn a_hosted_listener_hears_of_samples_and_changes_them() {
    let Some(_jvm) = jvm() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = folder.path().join("saved");
    let listener = Element::new("ResultSaver", "ResultSaverGui", "saver")
        .with_text("FileSaver.filename", &prefix.display().to_string());
    let samplers = ["one", "two"].map(|body| crate::plans::sampler_with_body(body, body));
    let plan = plan(1, samplers.into_iter().chain([Node::new(listener)]).collect());
    let ran = run_hosting(&plan, &[(Role::Listener, "ResultSaver")]);
    let saved: Vec<_> = ran.samples.iter().map(|sample| std::fs::read_to_string(&sample.file)).collect();
    assert!(
        matches!(&saved[..], [Ok(one), Ok(two)] if one == "one" && two == "two"),
        "{saved:?} {}",
        ran.log
    );
}

/// JMeter's own sampler that does nothing for so long.
fn sleeper(name: &str, ms: u32) -> Node {
    let sampler = Element::new("JavaSampler", "JavaTestSamplerGui", name)
        .with_text("classname", "org.apache.jmeter.protocol.java.test.JavaTest")
        .with_element("arguments", arguments([("Sleep_Time", ms.to_string().as_str()), ("Sleep_Mask", "0")]));
    Node::new(sampler)
}

#[test]
fn a_hosted_sampler_that_takes_too_long_fails_and_its_user_goes_on() {
    let Some(_jvm) = jvm() else { return };
    let plan = plan(1, vec![sleeper("long", 600_000), sleeper("short", 0)]);
    let ran = run_with(&plan, |settings| {
        settings.elements.push(ElementKind::needs_jvm(
            Role::Sampler,
            "JavaSampler",
            "Java Request",
            "a test",
        ));
        settings.props.set("swell.script.timeout", "1500");
    });
    let shown: Vec<_> = ran.samples.iter().map(|sample| (&*sample.label, &*sample.code)).collect();
    assert_eq!(shown, [("long", "500"), ("short", "")], "{}", ran.log);
    assert!(ran.samples[0].message.contains("swell.script.timeout"), "{}", ran.samples[0].message);
}

#[test]
fn hosted_elements_run_in_a_child_process() {
    let Some(_jvm) = jvm() else { return };
    let sampler = sampler_with_body("first", "<a>x</a>").with(xpath2("found", "upper-case(/a)"));
    let plan = plan(1, vec![sampler, sampler_with_body("${found}", "")]);
    let ran = run_with(&plan, |settings| {
        let class = "XPath2Extractor";
        settings.elements.push(ElementKind::needs_jvm(Role::PostProcessor, class, class, "a test"));
        settings.jvm.place = swell_jvm::JvmPlace::Child;
    });
    assert_eq!(ran.samples[1].label, "X", "{}", ran.log);
}

#[test]
fn jmeters_client_java_sends_requests_where_the_run_wants_it() {
    let Some(_jvm) = jvm() else { return };
    let target = swell_target::start(swell_target::Options::default()).expect("a free port");
    let at = target.addr();
    let http = |name: &str, client: &str| {
        let element = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", name)
            .with_text("HTTPSampler.domain", &at.ip().to_string())
            .with_text("HTTPSampler.port", &at.port().to_string())
            .with_text("HTTPSampler.path", "/anything")
            .with_text("HTTPSampler.method", "GET")
            .with_text("HTTPSampler.implementation", client);
        Node::new(element)
    };
    let header = Element::new("Header", "", "")
        .with_text("Header.name", "X-Own")
        .with_text("Header.value", "of the plan");
    let headers = Element::new("HeaderManager", "HeaderPanel", "headers")
        .with_elements("HeaderManager.headers", [header]);
    let plan = plan(1, vec![Node::new(headers), http("native", "HttpClient4"), http("java", "Java")]);
    let ran = run_with(&plan, |settings| {
        settings.props.set("swell.http.java.jvm", "true");
    });
    let bodies: Vec<_> = ran.samples.iter().map(|sample| String::from_utf8_lossy(&sample.body)).collect();
    assert!(bodies.iter().all(|body| body.contains("of the plan")), "{bodies:?} {}", ran.log);
    let is_java = |body: &str| body.contains("\"User-Agent\": \"Java/");
    assert_eq!([is_java(&bodies[0]), is_java(&bodies[1])], [false, true], "{bodies:?}");
    assert_eq!(ran.samples[1].code, "200");
}

#[test]
fn requests_whose_scripts_reach_for_authorizations_are_sent_by_jmeter_and_settings_with_variables_are_shown()
{
    let Some(_jvm) = jvm() else { return };
    let target = swell_target::start(swell_target::Options::default()).expect("a free port");
    let at = target.addr();
    let http = |name: &str, script: &str| {
        let element = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", name)
            .with_text("HTTPSampler.domain", &at.ip().to_string())
            .with_text("HTTPSampler.port", &at.port().to_string())
            .with_text("HTTPSampler.path", "/anything")
            .with_text("HTTPSampler.connect_timeout", "${limit}")
            .with_text("HTTPSampler.method", "GET");
        Node::new(element).with(Node::new(crate::plans::script("JSR223PreProcessor", script)))
    };
    let sets = Node::new(crate::plans::script("JSR223Sampler", "vars.put('limit', '700')"));
    let shows = http("shows", "sampler.setName(sampler.connectTimeout + 'ms')");
    let ran = crate::plans::run(&plan(1, vec![sets, shows]));
    assert_eq!(ran.samples[1].label, "700ms", "{}", ran.log);
    let adds = "import org.apache.jmeter.protocol.http.control.*\nsampler.setAuthManager(new AuthManager())\n\
                sampler.authManager.addAuth(new Authorization(sampler.url.toString(), 'me', 'secret', '', '', AuthManager.Mechanism.BASIC))";
    let ran = crate::plans::run(&plan(1, vec![http("adds", adds)]));
    let body = String::from_utf8_lossy(&ran.samples[0].body).into_owned();
    assert!(body.contains("Basic bWU6c2VjcmV0"), "{body} {}", ran.log);
}
