//! Elements of a plan that run on the Java side with JMeter's life cycle.

use swell_jvm::request::{self, CallState, Overrides, Previous, ScriptRole};
use swell_jvm::{JvmFault, Sample, Status, ValueChange};

use crate::real::{groovy, with_jvm};

/// A Java Request with defaults above it, a counter, a timer, an assertion and a pre-processor; all
/// numbered.
const PLAN: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="Plan"><intProp name="swell.id">0</intProp>
  <elementProp name="TestPlan.user_defined_variables" elementType="Arguments"><collectionProp name="Arguments.arguments">
    <elementProp name="of_plan" elementType="Argument"><stringProp name="Argument.name">of_plan</stringProp><stringProp name="Argument.value">yes</stringProp></elementProp>
  </collectionProp></elementProp></TestPlan>
<hashTree>
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="Group"><intProp name="swell.id">1</intProp>
  <stringProp name="ThreadGroup.num_threads">5</stringProp>
  <elementProp name="ThreadGroup.main_controller" elementType="LoopController"><stringProp name="LoopController.loops">1</stringProp></elementProp></ThreadGroup>
<hashTree>
<CounterConfig guiclass="CounterConfigGui" testclass="CounterConfig" testname="counter"><intProp name="swell.id">2</intProp>
  <stringProp name="CounterConfig.start">10</stringProp><stringProp name="CounterConfig.incr">1</stringProp>
  <stringProp name="CounterConfig.name">count</stringProp><boolProp name="CounterConfig.per_user">true</boolProp></CounterConfig><hashTree/>
<JavaConfig guiclass="JavaConfigGui" testclass="JavaConfig" testname="defaults"><intProp name="swell.id">3</intProp>
  <elementProp name="arguments" elementType="Arguments"><collectionProp name="Arguments.arguments">
    <elementProp name="ResultData" elementType="Argument"><stringProp name="Argument.name">ResultData</stringProp><stringProp name="Argument.value">body ${count} ${name} ${of_plan}</stringProp></elementProp>
    <elementProp name="ResponseCode" elementType="Argument"><stringProp name="Argument.name">ResponseCode</stringProp><stringProp name="Argument.value">${__groovy(200 + 1)}</stringProp></elementProp>
  </collectionProp></elementProp></JavaConfig><hashTree/>
<JavaSampler guiclass="JavaTestSamplerGui" testclass="JavaSampler" testname="of ${name}"><intProp name="swell.id">4</intProp>
  <stringProp name="classname">org.apache.jmeter.protocol.java.test.JavaTest</stringProp></JavaSampler>
<hashTree>
<UniformRandomTimer guiclass="UniformRandomTimerGui" testclass="UniformRandomTimer" testname="pause"><intProp name="swell.id">5</intProp>
  <stringProp name="ConstantTimer.delay">120</stringProp><stringProp name="RandomTimer.range">0</stringProp></UniformRandomTimer><hashTree/>
<ResponseAssertion guiclass="AssertionGui" testclass="ResponseAssertion" testname="says"><intProp name="swell.id">6</intProp>
  <collectionProp name="Asserion.test_strings"><stringProp name="1">nothing</stringProp></collectionProp>
  <stringProp name="Assertion.test_field">Assertion.response_data</stringProp><intProp name="Assertion.test_type">16</intProp></ResponseAssertion><hashTree/>
<JSR223PreProcessor guiclass="TestBeanGUI" testclass="JSR223PreProcessor" testname="before"><intProp name="swell.id">7</intProp>
  <stringProp name="scriptLanguage">groovy</stringProp><stringProp name="cacheKey">true</stringProp><stringProp name="parameters"></stringProp>
  <stringProp name="filename"></stringProp><stringProp name="script">vars.put('name', sampler.name + '!')</stringProp></JSR223PreProcessor><hashTree/>
</hashTree></hashTree></hashTree></hashTree></jmeterTestPlan>"#;

#[test]
fn hosted_elements_run_with_their_scope_for_each_user() {
    with_jvm(|mut caller| {
        let mut message = Vec::new();
        request::plan(&mut message, PLAN.as_bytes(), "/tmp/plan.jmx");
        caller.jvm.tell(&message).expect("the plan is taken");
        let mut other = caller.another();
        let variables = [("name", ValueChange::Text("Ann")), ("of_plan", ValueChange::Text("yes"))];
        let first = CallState { variables: &variables, ..CallState::default() };
        for user in [&mut caller, &mut other] {
            let entered = user.call(|out, id| request::enter_group(out, id, 1, &first));
            assert_eq!((entered.status, entered.fault), (Status::Ran, None));
        }
        let begins = request::Iterations { of_group: true, of_elements: &[(2, 1)] };
        for (round, count) in [(1, "10"), (2, "11")] {
            let state = CallState { iteration: round, ..CallState::default() };
            let begun = caller.call(|out, id| request::start_iteration(out, id, &begins, &state)).variables;
            assert_eq!(begun, [("count", ValueChange::Text(count))]);
            let sample = caller
                .call(|out, id| request::run_element(out, id, 4, Some((4, u64::from(round))), &state))
                .sample
                .expect("one");
            assert_eq!((sample.label, sample.code), (Some("of Ann"), Some("201")));
            assert_eq!(sample.body, Some(format!("body {count} Ann yes").as_bytes()));
            assert_eq!(sample.thread.map(|thread| thread.name), Some("Group 1-3"));
        }
        let state = CallState { iteration: 1, ..CallState::default() };
        let begun = other.call(|out, id| request::start_iteration(out, id, &begins, &state)).variables;
        assert_eq!(begun, [("count", ValueChange::Text("10"))], "each user has a separate counter");
        assert_eq!(
            other.call(|out, id| request::run_element(out, id, 5, Some((4, 1)), &state)).delay_ms,
            120
        );
        let before = other.call(|out, id| request::run_element(out, id, 7, Some((4, 1)), &state)).variables;
        assert_eq!(before, [("name", ValueChange::Text("of Ann!"))]);
        let sample =
            other.call(|out, id| request::run_element(out, id, 4, Some((4, 1)), &state)).sample.expect("one");
        assert_eq!(sample.label, Some("of of Ann!"));
        let answer = Sample { body: Some(b"something"), ..Sample::default() };
        let state = CallState { previous: Previous::Is(&answer), ..state };
        let judged = other.call(|out, id| request::run_element(out, id, 6, None, &state)).previous;
        let outcomes = judged.and_then(|sample| sample.assertions).expect("the sample has them");
        assert_eq!((outcomes[0].name, outcomes[0].failure), ("says", true));
        request::user_ended(&mut message, other.user);
        other.jvm.tell(&message).expect("the user ends");
    });
}

#[test]
fn the_factor_of_timers_holds_for_hosted_ones() {
    with_jvm(|mut caller| {
        let mut message = Vec::new();
        request::plan(&mut message, PLAN.as_bytes(), "/tmp/plan.jmx");
        caller.jvm.tell(&message).expect("the plan is taken");
        caller.call(|out, id| request::enter_group(out, id, 1, &CallState::default()));
        for (factor, delay_ms) in [(Some("2.5"), 300), (None, 120)] {
            let properties = [("timer.factor", factor)];
            let state = CallState { properties: &properties, ..CallState::default() };
            let answer = caller.call(|out, id| request::run_element(out, id, 5, Some((4, 1)), &state));
            assert_eq!(answer.delay_ms, delay_ms, "{factor:?}");
        }
    });
}

#[test]
fn variables_of_the_plan_that_were_removed_do_not_come_back_when_the_user_enters() {
    with_jvm(|mut caller| {
        let mut message = Vec::new();
        request::plan(&mut message, PLAN.as_bytes(), "/tmp/plan.jmx");
        caller.jvm.tell(&message).expect("the plan is taken");
        let state = CallState::default();
        let entered = caller.call(|out, id| request::enter_group(out, id, 1, &state));
        assert_eq!((entered.status, entered.fault), (Status::Ran, None));
        assert!(!entered.variables.iter().any(|(name, _)| *name == "of_plan"), "{:?}", entered.variables);
    });
}

#[test]
fn a_script_in_the_package_of_a_hosted_sampler_sees_and_changes_it() {
    with_jvm(|mut caller| {
        let mut message = Vec::new();
        request::plan(&mut message, PLAN.as_bytes(), "/tmp/plan.jmx");
        caller.jvm.tell(&message).expect("the plan is taken");
        let state = CallState::default();
        caller.call(|out, id| request::enter_group(out, id, 1, &state));
        let text = "vars.put('saw', sampler.name + ' ' + sampler.getClassname()); sampler.name = 'another'";
        let script = caller.define(&groovy(ScriptRole::PreProcessor, text));
        for round in [1, 2] {
            let package = Overrides { package: Some((4, round)), ..Overrides::default() };
            let answer = caller.run_with(script, &package, &state);
            assert_eq!((answer.status, answer.fault), (Status::Ran, None));
            let saw = "of ${name} org.apache.jmeter.protocol.java.test.JavaTest";
            assert!(
                answer.variables.iter().all(|change| *change == ("saw", ValueChange::Text(saw))),
                "{answer:?}"
            );
            let run = |out: &mut Vec<u8>, id| request::run_element(out, id, 4, Some((4, round)), &state);
            let sample = caller.call(run).sample.expect("one");
            assert_eq!(sample.label, Some("another"), "and the package after it begins with its own name");
        }
    });
}

#[test]
fn a_plan_with_an_unknown_class_is_refused_with_its_name() {
    with_jvm(|caller| {
        let plan = PLAN.replace("UniformRandomTimer", "com.example.OddTimer");
        let mut message = Vec::new();
        request::plan(&mut message, plan.as_bytes(), "/tmp/plan.jmx");
        let fault = caller.jvm.tell(&message).expect_err("it has an unknown class");
        assert!(
            matches!(&fault, JvmFault::Refused { message, .. } if message.contains("com.example.OddTimer")),
            "{fault}"
        );
    });
}
