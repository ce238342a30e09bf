//! Scripts of the three families: bindings, variables, results, errors.

use swell_jvm::request::{CallState, Family, Previous, Script, ScriptRole};
use swell_jvm::{
    Argument, Assertion, HttpPart, LogLevel, LogicalAction, Sample, Sampler, Status, ValueChange,
};

use crate::real::{groovy, with_jvm};

fn beanshell(role: ScriptRole, text: &str) -> Script<'_> {
    Script { family: Family::BeanShell, language: "", ..groovy(role, text) }
}

fn sorted<'a>(mut changes: Vec<(&'a str, ValueChange<'a>)>) -> Vec<(&'a str, ValueChange<'a>)> {
    changes.sort_by_key(|(name, _)| *name);
    changes
}

#[test]
fn a_groovy_script_reads_a_variable_and_sets_others() {
    with_jvm(|mut caller| {
        let script = caller.define(&groovy(
            ScriptRole::PreProcessor,
            "vars.put('sum', '' + (vars.get('a') as int) * 2); vars.remove('b'); vars.putObject('list', [1, 2])",
        ));
        let variables = [("a", ValueChange::Text("21")), ("b", ValueChange::Text("x"))];
        let answer = caller.run(script, &CallState { variables: &variables, ..CallState::default() });
        assert_eq!((answer.status, answer.fault), (Status::Ran, None));
        let wanted = [
            ("b", ValueChange::Removed),
            ("list", ValueChange::Object("[1, 2]")),
            ("sum", ValueChange::Text("42")),
        ];
        assert_eq!(sorted(answer.variables), wanted);
    });
}

#[test]
fn an_object_that_changes_inside_crosses_again() {
    with_jvm(|mut caller| {
        let first = caller.define(&groovy(ScriptRole::PreProcessor, "vars.putObject('list', [1])"));
        let second = caller.define(&groovy(ScriptRole::PreProcessor, "vars.getObject('list') << 2"));
        caller.run(first, &CallState::default());
        assert_eq!(
            caller.run(second, &CallState::default()).variables,
            [("list", ValueChange::Object("[1, 2]"))]
        );
    });
}

#[test]
fn users_have_variables_of_their_own() {
    with_jvm(|mut caller| {
        let script = caller
            .define(&groovy(ScriptRole::PreProcessor, "vars.put('n', '' + (vars.get('n') ?: '0') + '1')"));
        let mut another = caller.another();
        caller.run(script, &CallState::default());
        assert_eq!(caller.run(script, &CallState::default()).variables, [("n", ValueChange::Text("011"))]);
        assert_eq!(another.run(script, &CallState::default()).variables, [("n", ValueChange::Text("01"))]);
    });
}

#[test]
fn bindings_have_jmeters_meaning() {
    with_jvm(|mut caller| {
        let text = "vars.put('all', [Label, Parameters, args.length, args[1], ctx.threadNum, ctx.threadGroup.name, vars.iteration, \
                    Thread.currentThread().name, prev.responseCode, sampler.path, props.get('jmeter.version') != null, \
                    FileName.isEmpty(), OUT != null, log.name].join(' '))";
        let script =
            caller.define(&Script { parameters: "one two", ..groovy(ScriptRole::PostProcessor, text) });
        let prev = Sample { code: Some("404"), ..Sample::default() };
        let sampler = Sampler {
            class: "org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy",
            properties: vec![("HTTPSampler.path", "/home")],
            ..Sampler::default()
        };
        let properties = [("jmeter.version", Some("5.6.3"))];
        let state = CallState {
            iteration: 7,
            previous: Previous::Is(&prev),
            sampler: Some((1, &sampler)),
            properties: &properties,
            ..CallState::default()
        };
        let wanted = "my script one two 2 two 2 Group 7 Group 1-3 404 /home true true true \
                      org.apache.jmeter.extractor.JSR223PostProcessor.my script";
        assert_eq!(caller.run(script, &state).variables, [("all", ValueChange::Text(wanted))]);
    });
}

#[test]
fn a_script_changes_the_sample_before() {
    with_jvm(|mut caller| {
        let text = "prev.successful = false; prev.responseMessage = 'too slow'; prev.setStopThread(true); \
                    prev.setTestLogicalAction(org.apache.jmeter.threads.JMeterContext.TestLogicalAction.BREAK_CURRENT_LOOP)";
        let script = caller.define(&groovy(ScriptRole::PostProcessor, text));
        let prev = Sample {
            success: Some(true),
            message: Some("OK"),
            body: Some(b"hello"),
            http: Some(HttpPart { method: "GET", ..HttpPart::default() }),
            ..Sample::default()
        };
        let answer = caller.run(script, &CallState { previous: Previous::Is(&prev), ..CallState::default() });
        let changed = answer.previous.expect("it changed");
        assert_eq!((changed.success, changed.message), (Some(false), Some("too slow")));
        assert!(changed.flags.is_some_and(|flags| flags.stop_thread));
        assert_eq!(changed.action, Some(LogicalAction::BreakLoop));
        assert_eq!((changed.body, changed.http, changed.label), (None, None, None));
    });
}

#[test]
fn a_script_changes_the_request_before_it_is_sent() {
    with_jvm(|mut caller| {
        let text = "sampler.path = '/other'; sampler.addArgument('q', '7'); \
                    sampler.headerManager.add(new org.apache.jmeter.protocol.http.control.Header('A', 'b'))";
        let script = caller.define(&groovy(ScriptRole::PreProcessor, text));
        let sampler = Sampler {
            class: "org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy",
            name: "home",
            properties: vec![("HTTPSampler.method", "GET"), ("HTTPSampler.path", "/home")],
            arguments: vec![Argument { name: "p", value: "1", use_equals: true, ..Argument::default() }],
            headers: Some(vec![("X", "y")]),
            ..Sampler::default()
        };
        let state = CallState { sampler: Some((1, &sampler)), ..CallState::default() };
        let changed = caller.run(script, &state).sampler.expect("it changed").headers.map(|all| all.len());
        assert_eq!(changed, Some(2));
        let answer = caller.run(script, &state);
        let after = answer.sampler.expect("it changed");
        assert!(after.properties.contains(&("HTTPSampler.path", "/other")), "{:?}", after.properties);
        assert_eq!(
            after.arguments.iter().map(|a| (a.name, a.value)).collect::<Vec<_>>(),
            [("p", "1"), ("q", "7")]
        );
        assert_eq!(after.headers, Some(vec![("X", "y"), ("A", "b")]));
    });
}

#[test]
fn a_request_that_no_script_changed_does_not_come_back() {
    with_jvm(|mut caller| {
        let script = caller.define(&groovy(ScriptRole::PreProcessor, "vars.put('p', sampler.path)"));
        let class = "org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy";
        let sampler =
            Sampler { class, properties: vec![("HTTPSampler.path", "/home")], ..Sampler::default() };
        let answer = caller.run(script, &CallState { sampler: Some((1, &sampler)), ..CallState::default() });
        assert_eq!((answer.sampler, answer.variables), (None, vec![("p", ValueChange::Text("/home"))]));
    });
}

#[test]
fn a_sampler_script_gives_a_sample() {
    with_jvm(|mut caller| {
        for strict in [false, true] {
            let script = Script {
                strict,
                ..groovy(ScriptRole::Sampler, "SampleResult.setResponseCode('201'); [a: 1]")
            };
            let script = caller.define(&script);
            let sample = caller.run(script, &CallState::default()).sample.expect("a sample");
            assert_eq!((sample.label, sample.code), (Some("my script"), Some("201")));
            assert_eq!((sample.success, sample.body), (Some(true), Some(&b"{a=1}"[..])));
            assert!(sample.times.is_some_and(|times| times.start_ms > 0 && times.end_ms >= times.start_ms));
        }
    });
}

#[test]
fn assertions_and_timers_answer() {
    with_jvm(|mut caller| {
        let text = "AssertionResult.setFailure(true); AssertionResult.setFailureMessage('not ' + SampleResult.responseCode)";
        let assertion = caller.define(&groovy(ScriptRole::Assertion, text));
        let timer = caller.define(&groovy(ScriptRole::Timer, "return 250"));
        let prev = Sample { code: Some("200"), ..Sample::default() };
        let answer =
            caller.run(assertion, &CallState { previous: Previous::Is(&prev), ..CallState::default() });
        let outcome = answer.assertion.expect("an outcome");
        assert_eq!((outcome.name, outcome.failure, outcome.message), ("my script", true, Some("not 200")));
        assert_eq!(caller.run(timer, &CallState::default()).delay_ms, 250);
    });
}

#[test]
fn a_listener_hears_of_the_sample() {
    with_jvm(|mut caller| {
        let text = "vars.put('heard', sampleResult.sampleLabel + ' ' + sampleEvent.threadGroup)";
        let script = caller.define(&groovy(ScriptRole::Listener, text));
        let prev = Sample { label: Some("home"), ..Sample::default() };
        let answer = caller.run(script, &CallState { previous: Previous::Is(&prev), ..CallState::default() });
        assert_eq!(answer.variables, [("heard", ValueChange::Text("home Group"))]);
    });
}

#[test]
fn beanshell_finds_the_constants_of_samplers_by_identity_but_not_what_http_servers_say() {
    with_jvm(|mut caller| {
        let text = "vars.put(\"same\", \"\" + (prev.getResponseMessage() == \"OK\") + (prev.getResponseCode() == \"200\"));";
        let script = caller.define(&beanshell(ScriptRole::PostProcessor, text));
        for (http, wanted) in [(None, "truetrue"), (Some(HttpPart::default()), "falsefalse")] {
            let prev = Sample { code: Some("200"), message: Some("OK"), http, ..Sample::default() };
            let answer =
                caller.run(script, &CallState { previous: Previous::Is(&prev), ..CallState::default() });
            assert_eq!(answer.variables, [("same", ValueChange::Text(wanted))]);
        }
    });
}

#[test]
fn results_of_assertions_that_are_there_can_be_changed() {
    with_jvm(|mut caller| {
        let text = "sampleResult.assertionResults.each { it.failureMessage += ' of ' + prev.sampleLabel }";
        let script = caller.define(&groovy(ScriptRole::Listener, text));
        let judged = Assertion { name: "says", failure: true, error: false, message: Some("no") };
        let prev = Sample { label: Some("home"), assertions: Some(vec![judged]), ..Sample::default() };
        let answer = caller.run(script, &CallState { previous: Previous::Is(&prev), ..CallState::default() });
        let left = answer.previous.and_then(|sample| sample.assertions).expect("they changed");
        assert_eq!((left[0].name, left[0].message), ("says", Some("no of home")));
    });
}

#[test]
fn loggers_bear_the_name_of_jmeters_class_in_every_language() {
    with_jvm(|mut caller| {
        for language in ["groovy", "java", "beanshell"] {
            let script = Script { language, ..groovy(ScriptRole::PreProcessor, "log.info(\"said\");") };
            let script = caller.define(&script);
            let answer = caller.run(script, &CallState::default());
            let line = answer.logs.iter().find(|line| line.text == "said").expect("it is logged");
            assert_eq!(line.logger, "org.apache.jmeter.modifiers.JSR223PreProcessor.my script", "{language}");
        }
    });
}

#[test]
fn a_script_that_throws_says_where() {
    with_jvm(|mut caller| {
        for strict in [false, true] {
            let script = Script {
                strict,
                ..groovy(ScriptRole::PreProcessor, "int a = 1\n\nthrow new IllegalStateException('no way')")
            };
            let script = caller.define(&script);
            let answer = caller.run(script, &CallState::default());
            let fault = answer.fault.expect("a fault");
            assert_eq!(answer.status, Status::Failed);
            assert_eq!(
                (fault.class, fault.message, fault.line),
                ("java.lang.IllegalStateException", "no way", 3)
            );
            let line = answer.logs.first().expect("JMeter's element logs it");
            assert_eq!((line.level, line.text), (LogLevel::Error, "Problem in JSR223 script, my script"));
        }
    });
}

#[test]
fn a_fault_in_a_method_without_lines_is_one_of_the_line_that_calls_it() {
    with_jvm(|mut caller| {
        let script = "enum Colour { RED }\n\nColour.valueOf('BLUE')";
        let script = caller.define(&groovy(ScriptRole::PreProcessor, script));
        let fault = caller.run(script, &CallState::default()).fault.expect("a fault");
        assert_eq!((fault.class, fault.line), ("java.lang.IllegalArgumentException", 3));
    });
}

#[test]
fn a_missing_method_is_one_of_the_script_where_that_has_the_name_and_else_one_of_the_engine() {
    const ENGINE: &str = "org.codehaus.groovy.jsr223.GroovyScriptEngineImpl";
    with_jvm(|mut caller| {
        for (text, wanted) in [
            ("nope(1)", ENGINE),
            ("def f(int a) { a }\nf('x')", "Script"),
            ("static f(int a) { a }\nf('x')", "Script"),
            ("println(1, 2, 3)", "Script"),
            ("try { nope() } catch (MissingMethodException e) { throw new Exception(e.message) }", ENGINE),
        ] {
            let script = caller.define(&groovy(ScriptRole::PreProcessor, text));
            let fault = caller.run(script, &CallState::default()).fault.expect("it throws");
            let (_, at) = fault.message.split_once("No signature of method: ").expect("what is missing");
            let at = at.strip_prefix("static ").unwrap_or(at);
            assert!(at.starts_with(wanted), "{text}: {at}");
        }
    });
}

#[test]
fn a_script_that_does_not_compile_says_where() {
    with_jvm(|mut caller| {
        let script = caller.define(&groovy(ScriptRole::PreProcessor, "int a = 1\nint b = )"));
        let fault = caller.run(script, &CallState::default()).fault.expect("a fault");
        assert_eq!(fault.line, 2);
        assert!(fault.class.ends_with("MultipleCompilationErrorsException"), "{fault:?}");
    });
}

#[test]
fn a_failed_assert_and_endless_recursion_come_out_of_the_element() {
    with_jvm(|mut caller| {
        let failed = caller.define(&groovy(ScriptRole::PreProcessor, "assert 1 == 2"));
        let answer = caller.run(failed, &CallState::default());
        assert_eq!(answer.status, Status::Threw);
        assert!(answer.fault.is_some_and(|fault| fault.class.ends_with("PowerAssertionError")));
        let endless = caller.define(&groovy(ScriptRole::PreProcessor, "def f; f = { f() }; f()"));
        let answer = caller.run(endless, &CallState::default());
        assert_eq!(answer.fault.map(|fault| fault.class), Some("java.lang.StackOverflowError"));
        let after = caller.define(&groovy(ScriptRole::Timer, "5"));
        assert_eq!(caller.run(after, &CallState::default()).delay_ms, 5);
    });
}

#[test]
fn wishes_of_scripts_cross() {
    with_jvm(|mut caller| {
        let thread = caller.define(&groovy(ScriptRole::PreProcessor, "ctx.thread.stop()"));
        let next = "ctx.setTestLogicalAction(org.apache.jmeter.threads.JMeterContext.TestLogicalAction.START_NEXT_ITERATION_OF_THREAD)";
        let next = caller.define(&groovy(ScriptRole::PreProcessor, next));
        let nothing = caller.define(&groovy(ScriptRole::PreProcessor, "1"));
        assert!(caller.run(thread, &CallState::default()).wishes.stop_thread);
        assert_eq!(caller.run(next, &CallState::default()).wishes.action, LogicalAction::NextThreadLoop);
        assert_eq!(caller.run(nothing, &CallState::default()).wishes.action, LogicalAction::Continue);
    });
}

#[test]
fn properties_cross_both_ways() {
    with_jvm(|mut caller| {
        let text = "props.put('of.script', props.get('of.plan') + '!'); props.remove('of.plan')";
        let script = caller.define(&groovy(ScriptRole::PreProcessor, text));
        let properties = [("of.plan", Some("yes"))];
        caller.run(script, &CallState { properties: &properties, ..CallState::default() });
        // Other tests run in parallel, and changes arrive with the next answer of any of them.
        let check = caller.define(&groovy(ScriptRole::PreProcessor, "vars.put('p', props.get('of.script'))"));
        assert_eq!(caller.run(check, &CallState::default()).variables, [("p", ValueChange::Text("yes!"))]);
    });
}

#[test]
fn beanshell_keeps_its_interpreter_for_a_user() {
    with_jvm(|mut caller| {
        for strict in [false, true] {
            let text = "if (n == void) n = 0; n++; vars.put(\"n\", \"\" + n + bsh.args.length + Parameters);";
            let script = Script { strict, parameters: "a b", ..beanshell(ScriptRole::PreProcessor, text) };
            let script = caller.define(&script);
            let mut another = caller.another();
            caller.run(script, &CallState::default());
            assert_eq!(
                caller.run(script, &CallState::default()).variables,
                [("n", ValueChange::Text("22a b"))]
            );
            assert_eq!(
                another.run(script, &CallState::default()).variables,
                [("n", ValueChange::Text("12a b"))]
            );
        }
    });
}

#[test]
fn what_beanshell_is_told_to_be_strict_about_holds_for_one_run() {
    with_jvm(|mut caller| {
        for strict in [false, true] {
            // Strict Java has no variables without a type.
            let text = "x = 5; unset(\"x\"); setStrictJava(true); String n = vars.get(\"n\"); vars.put(\"n\", n + \"1\");";
            let script = caller.define(&Script { strict, ..beanshell(ScriptRole::PreProcessor, text) });
            for _ in 0..2 {
                let state = CallState { variables: &[("n", ValueChange::Text("1"))], ..CallState::default() };
                assert_eq!(caller.run(script, &state).variables, [("n", ValueChange::Text("11"))]);
            }
        }
    });
}

#[test]
fn beanshell_resets_its_interpreter_when_asked() {
    with_jvm(|mut caller| {
        let text = "if (n == void) n = 0; n++; vars.put(\"n\", \"\" + n);";
        let script =
            caller.define(&Script { reset_interpreter: true, ..beanshell(ScriptRole::PreProcessor, text) });
        assert_eq!(caller.run(script, &CallState::default()).variables.len(), 1);
        assert_eq!(caller.run(script, &CallState::default()).variables, []);
    });
}

#[test]
fn beanshell_faults_are_the_same_parsed_once_and_strict() {
    with_jvm(|mut caller| {
        for text in [
            "int a = 1;\nint b = a.foo();",
            "int a = 1;\nvars.put(\"x\", null.toString());",
            "int a = ;",
            "throw new Exception(\"e\");",
        ] {
            let mut faults = Vec::new();
            for strict in [false, true] {
                let script = caller.define(&Script { strict, ..beanshell(ScriptRole::Sampler, text) });
                let answer = caller.run(script, &CallState::default());
                let sample = answer.sample.expect("a sample");
                assert_eq!((answer.status, sample.code), (Status::Failed, Some("500")));
                let fault = answer.fault.expect("a fault");
                faults.push((
                    fault.message.to_owned(),
                    fault.line,
                    sample.message.unwrap_or_default().to_owned(),
                ));
            }
            assert_eq!(faults[0], faults[1], "{text}");
        }
    });
}

#[test]
fn bsf_runs_javascript() {
    with_jvm(|mut caller| {
        let text = "vars.put('n', String(1 + 1)); 'done ' + Label";
        let script =
            Script { family: Family::Bsf, language: "javascript", ..groovy(ScriptRole::Sampler, text) };
        let script = caller.define(&script);
        let answer = caller.run(script, &CallState::default());
        assert_eq!(answer.variables, [("n", ValueChange::Text("2"))]);
        assert_eq!(answer.sample.and_then(|sample| sample.body), Some(&b"done my script"[..]));
    });
}
