//! One test for each kind of script element and family.

use swell_plan::Node;

use crate::plans::{jvm, plan, run, run_with, sampler, script};

fn with(sampler: Node, class: &str, text: &str) -> Node {
    sampler.with(Node::new(script(class, text)))
}

#[test]
fn pre_processors_set_variables_that_the_sampler_reads() {
    let Some(_jvm) = jvm() else { return };
    let groovy =
        with(sampler("a"), "JSR223PreProcessor", "vars.put('seen', [1, 2].collect { it * 3 }.toString())");
    let beanshell = with(
        sampler("b"),
        "BeanShellPreProcessor",
        "l = new ArrayList(); l.add(7); vars.put(\"seen\", l.toString());",
    );
    let bsf = with(
        sampler("c"),
        "BSFPreProcessor",
        "var s = ''; for (var i = 0; i < 3; i++) s += i; vars.put('seen', s);",
    );
    let ran = run(&plan(1, vec![groovy, beanshell, bsf]));
    assert_eq!(ran.shown(), ["a 200 [3, 6] [body] true", "b 200 [7] [body] true", "c 200 012 [body] true"]);
}

#[test]
fn variables_cross_in_both_directions_and_objects_stay() {
    let Some(_jvm) = jvm() else { return };
    let text = "def all = vars.getObject('all') ?: []; all << (vars.get('seen') ?: '-'); vars.putObject('all', all); \
                vars.put('seen', all.join(',')); vars.remove('gone')";
    let ran = run(&plan(3, vec![with(sampler("a"), "JSR223PreProcessor", text)]));
    let messages: Vec<_> = ran.samples.iter().map(|sample| sample.message.as_str()).collect();
    assert_eq!(messages, ["-", "-,-", "-,-,-,-"]);
}

#[test]
fn post_processors_read_and_change_the_sample() {
    let Some(_jvm) = jvm() else { return };
    let groovy = with(
        sampler("a"),
        "JSR223PostProcessor",
        "prev.setResponseMessage(prev.getResponseDataAsString().reverse()); prev.setSuccessful(false); prev.setSampleLabel('changed')",
    );
    let beanshell = with(
        sampler("b"),
        "BeanShellPostProcessor",
        "prev.setResponseData(new String(data) + \"!\", \"UTF-8\");",
    );
    let bsf = with(sampler("c"), "BSFPostProcessor", "prev.setResponseCode('201')");
    let ran = run(&plan(1, vec![groovy, beanshell, bsf]));
    let shown = ran.shown();
    assert_eq!(shown[0], "changed 200 ydob [body] false");
    assert!(shown[1].ends_with("[body!] true") && shown[2].starts_with("c 201 "), "{shown:#?}");
}

#[test]
fn assertions_judge_the_sample() {
    let Some(_jvm) = jvm() else { return };
    let groovy = with(
        sampler("a"),
        "JSR223Assertion",
        "if (prev.responseDataAsString.size() == 4) { AssertionResult.failure = true; AssertionResult.failureMessage = 'four' }",
    );
    let beanshell = with(
        sampler("b"),
        "BeanShellAssertion",
        "Failure = ResponseCode.equals(\"200\"); FailureMessage = \"200\";",
    );
    let bsf = with(sampler("c"), "BSFAssertion", "AssertionResult.setFailure(false)");
    let ran = run(&plan(1, vec![groovy, beanshell, bsf]));
    let said: Vec<_> = ran
        .samples
        .iter()
        .map(|sample| (sample.success, sample.assertions[0].message.clone().unwrap_or_default()))
        .collect();
    assert_eq!(said, [(false, "four".to_owned()), (false, "200".to_owned()), (true, String::new())]);
}

#[test]
fn an_assert_that_fails_in_an_assertion_is_a_failure_and_an_error_ends_the_user() {
    let Some(_jvm) = jvm() else { return };
    let failed = with(sampler("a"), "JSR223Assertion", "assert 1 == 2");
    let full = with(sampler("b"), "JSR223Assertion", "throw new OutOfMemoryError('full')");
    let ran = run(&plan(1, vec![failed, full, sampler("c")]));
    let said: Vec<_> = ran.samples.iter().map(|sample| sample.assertions[0].clone()).collect();
    assert_eq!(said.len(), 1, "the user has ended, and its sample was not reported: {said:?}");
    assert_eq!(said[0].name, "Assertion failed! See log file (debug level, only).");
    assert!(said[0].failure && !said[0].error, "{said:?}");
    let message = said[0].message.as_deref().unwrap_or_default();
    assert!(message.starts_with("Assertion failed: \n\nassert 1 == 2\n"), "{message:?}");
    assert!(ran.log.contains("Test failed! java.lang.OutOfMemoryError: full"), "{}", ran.log);
}

#[test]
fn a_script_sampler_is_the_current_one_and_its_sample_can_stop_its_user() {
    let Some(_jvm) = jvm() else { return };
    let first = Node::new(script("JSR223Sampler", "ctx.currentSampler.name + sampler.name"));
    let second = "SampleResult.stopThread = true; ctx.previousSampler.name + ctx.currentSampler.threadName";
    let ran = run(&plan(2, vec![first, Node::new(script("JSR223Sampler", second)), sampler("not run")]));
    let shown = ran.shown();
    let wanted = [
        "JSR223Sampler 200 OK [JSR223SamplerJSR223Sampler] true",
        "JSR223Sampler 200 OK [JSR223Samplerusers 1-1] true",
    ];
    assert_eq!(shown, wanted, "{}", ran.log);
}

#[test]
fn scripts_know_the_sampler_before_theirs_also_one_that_no_script_saw() {
    let Some(_jvm) = jvm() else { return };
    let asks = "vars.put('seen', ctx.previousSampler.name + ' ' + ctx.currentSampler.name)";
    let second = with(sampler("b"), "JSR223PreProcessor", asks);
    let scripted = Node::new(script("JSR223Sampler", "ctx.previousSampler.name + ' ' + sampler.name"));
    let asks_shell =
        "s = ctx.getPreviousSampler(); vars.put(\"seen\", s.getName() + s.getClassname().length());";
    let fourth = with(sampler("d"), "BeanShellPreProcessor", asks_shell);
    let fifth = with(sampler("e"), "JSR223PostProcessor", asks);
    let ran = run(&plan(1, vec![sampler("a"), second, scripted, sampler("c"), fourth, fifth, sampler("f")]));
    let shown: Vec<_> =
        ran.samples.iter().map(|sample| format!("{} {}", sample.label, sample.message)).collect();
    assert_eq!(
        shown,
        ["a ${seen}", "b a b", "JSR223Sampler OK", "c a b", "d c45", "e c45", "f d e"],
        "{}",
        ran.log
    );
    assert_eq!(ran.shown()[2], "JSR223Sampler 200 OK [b JSR223Sampler] true");
}

#[test]
fn what_scripts_keep_for_a_sampler_is_gone_with_it_and_samplers_are_of_jmeters_class() {
    let Some(_jvm) = jvm() else { return };
    let keeps = with(
        with(sampler("a"), "JSR223PreProcessor", "ctx.samplerContext.put('k', 'v')"),
        "JSR223PostProcessor",
        "vars.put('seen', ctx.samplerContext.toString() + vars.isSameUserOnNextIteration())",
    );
    let asks = "vars.get('seen') + ctx.samplerContext + sampler.class.simpleName";
    let ran = run(&plan(1, vec![keeps, Node::new(script("JSR223Sampler", asks))]));
    assert_eq!(ran.shown()[1], "JSR223Sampler 200 OK [{k=v}true[:]JSR223Sampler] true", "{}", ran.log);
}

#[test]
fn a_sample_that_a_listener_hides_is_in_the_results_and_one_whose_post_processor_ends_the_user_is_not() {
    let Some(_jvm) = jvm() else { return };
    let hidden = with(sampler("hidden"), "JSR223Listener", "prev.setIgnore()");
    let stop = "throw new org.apache.jorphan.util.JMeterStopThreadException('enough')";
    let lost = with(sampler("lost"), "JSR223PostProcessor", stop);
    let ran = run(&plan(2, vec![hidden, lost, sampler("not run")]));
    assert_eq!(ran.shown(), ["hidden 200 ${seen} [body] true"], "{}", ran.log);
    assert!(ran.log.contains("Stopping Thread: org.apache.jorphan.util.JMeterStopThreadException: enough"));
}

#[test]
fn samplers_give_what_their_scripts_say() {
    let Some(_jvm) = jvm() else { return };
    let groovy =
        Node::new(script("JSR223Sampler", "SampleResult.responseCode = '201'; [1, 2].sum().toString()"));
    let beanshell = Node::new(script("BeanShellSampler", "ResponseMessage = \"fine\"; return \"text\";"));
    let bsf = Node::new(script("BSFSampler", "SampleResult.setResponseMessage('bsf'); 'v'"));
    let ran = run(&plan(1, vec![groovy, beanshell, bsf]));
    let shown = ran.shown();
    assert_eq!(shown[..2], ["JSR223Sampler 201 OK [3] true", "BeanShellSampler 200 fine [text] true"]);
    assert!(shown[2].starts_with("BSFSampler 200 bsf"), "{shown:#?}");
    let timing = ran.samples[0].timing;
    assert!(timing.start_ns > 0 && timing.end_ns > timing.start_ns, "{timing:?}");
}

#[test]
fn timers_say_how_long_to_wait() {
    let Some(_jvm) = jvm() else { return };
    let timers = ["JSR223Timer", "BeanShellTimer"];
    let samplers =
        timers.map(|class| with(sampler(class), class, "vars.put(\"seen\", \"asked\"); return 30;"));
    let ran = run(&plan(1, samplers.to_vec()));
    let [first, second] = [&ran.samples[0], &ran.samples[1]];
    assert_eq!((&*first.message, &*second.message), ("asked", "asked"));
    assert!(second.timing.start_ns - first.timing.end_ns >= 30_000_000, "{:?}", second.timing);
}

#[test]
fn listeners_hear_of_each_sample() {
    let Some(_jvm) = jvm() else { return };
    let listeners = [
        (
            "JSR223Listener",
            "props.put('a', (props.get('a') ?: '') + sampleResult.sampleLabel + sampleEvent.result.responseCode)",
        ),
        ("BeanShellListener", "props.put(\"b\", sampleResult.getSampleLabel());"),
        ("BSFListener", "props.put('c', sampleResult.getSampleLabel())"),
    ];
    let listeners = listeners.map(|(class, text)| Node::new(script(class, text)));
    let last =
        Node::new(script("JSR223Sampler", "props.get('a') + ' ' + props.get('b') + ' ' + props.get('c')"));
    let mut all = vec![sampler("s"), last];
    all.extend(listeners);
    let ran = run(&plan(1, all));
    assert_eq!(&*ran.samples[1].body, b"s200 s s");
}

#[test]
fn a_pre_processor_changes_the_request_that_is_sent() {
    let Some(_jvm) = jvm() else { return };
    let target = swell_target::start(swell_target::Options::default()).expect("a free port");
    let at = target.addr();
    let http = swell_plan::Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "h")
        .with_text("HTTPSampler.domain", &at.ip().to_string())
        .with_text("HTTPSampler.port", &at.port().to_string())
        .with_text("HTTPSampler.path", "/anything/${id}")
        .with_text("HTTPSampler.method", "GET");
    let text = "vars.put('id', '7'); sampler.addArgument('q', 'a b'); \
                sampler.headerManager.add(new org.apache.jmeter.protocol.http.control.Header('X-Signed', 'yes'))";
    // Without a Header Manager there would be none to add a line to, as in JMeter.
    let manager = Node::new(swell_plan::Element::new("HeaderManager", "HeaderPanel", "m"));
    let ran = run(&plan(1, vec![with(Node::new(http).with(manager), "JSR223PreProcessor", text)]));
    let sample = &ran.samples[0];
    let url = sample.url.clone().unwrap_or_default();
    assert!(url.ends_with("/anything/7?q=a+b"), "{url}");
    let body = String::from_utf8_lossy(&sample.body).to_lowercase();
    assert!(body.contains("x-signed") && body.contains("yes"), "{body}");
}

#[test]
fn jmeters_unchanged_elements_give_the_same() {
    let Some(_jvm) = jvm() else { return };
    let all = || {
        vec![with(sampler("a"), "JSR223PreProcessor", "vars.put('seen', \"${vars.threadName}\".toString())")]
    };
    let strict = run_with(&plan(1, all()), |settings| settings.jvm.strict = true);
    assert_eq!(strict.shown(), run(&plan(1, all())).shown());
    assert_eq!(strict.samples[0].message, "users 1-1");
}
