//! Functions of JMeter.

use swell_jvm::request::{self, CallState};
use swell_jvm::{JvmFault, ValueChange};

use crate::real::with_jvm;

#[test]
fn functions_are_evaluated_with_jmeters_classes() {
    with_jvm(|mut caller| {
        let variables = [("n", ValueChange::Text("4"))];
        for (name, parameters, value) in [
            ("__groovy", &["vars.get('n').toInteger() + 1", "x"][..], "5"),
            ("__BeanShell", &["vars.get(\"n\") + threadName"], "4Group 1-3"),
            ("__javaScript", &["1 + 2"], "3"),
            ("__jexl3", &["vars.get(\"n\") + 1"], "41"),
            ("__jexl2", &["vars.get(\"n\") + 1"], "5"),
            ("__changeCase", &["abc", "UPPER"], "ABC"),
        ] {
            let call = caller.define_call(name, parameters.len()).expect("a function");
            let state = CallState { variables: &variables, ..CallState::default() };
            let answer = caller.evaluate(call, parameters, &state);
            assert_eq!((answer.value, answer.fault), (Some(value), None), "{name}");
        }
    });
}

#[test]
fn a_function_sets_its_variable() {
    with_jvm(|mut caller| {
        let call = caller.define_call("__groovy", 2).expect("a function");
        let answer = caller.evaluate(call, &["6 * 7", "answer"], &CallState::default());
        assert_eq!(answer.variables, [("answer", ValueChange::Text("42"))]);
    });
}

#[test]
fn a_counter_of_its_user_counts_for_each_user_whatever_thread_serves_it() {
    with_jvm(|mut caller| {
        let call = caller.define_call("__counter", 1).expect("a function");
        let mut others: Vec<_> = (0..8).map(|_| caller.another()).collect();
        for round in ["1", "2", "3"] {
            for user in &mut others {
                assert_eq!(user.evaluate(call, &["TRUE"], &CallState::default()).value, Some(round));
            }
        }
    });
}

#[test]
fn an_unknown_function_is_refused() {
    with_jvm(|mut caller| {
        let fault = caller.define_call("__noSuchThing", 0).expect_err("there is none");
        assert!(
            matches!(&fault, JvmFault::Refused { message, .. } if message.contains("no function __noSuchThing")),
            "{fault}"
        );
    });
}

#[test]
fn a_function_whose_script_fails_says_so() {
    with_jvm(|mut caller| {
        let call = caller.define_call("__groovy", 1).expect("a function");
        let answer = caller.evaluate(call, &["1 / 0"], &CallState::default());
        assert_eq!(
            (answer.value, answer.fault.map(|fault| fault.class)),
            (Some(""), Some("java.lang.ArithmeticException"))
        );
    });
}

#[test]
fn a_script_that_does_not_compile_is_what_jmeter_leaves_empty() {
    with_jvm(|mut caller| {
        let call = caller.define_call("__javaScript", 1).expect("a function");
        let fault = caller.evaluate(call, &["** > 2"], &CallState::default()).fault.expect("no script");
        assert_eq!(fault.class, "org.apache.jmeter.functions.InvalidVariableException");
        assert!(fault.message.contains("syntax error"), "{}", fault.message);
    });
}

#[test]
fn conditions_of_if_controllers_know_no_variables_and_their_faults_mean_false() {
    with_jvm(|mut caller| {
        let variables = [("n", ValueChange::Text("4"))];
        for (condition, holds, fails) in [
            ("/^4$/.test('4') && [1, 2].length == 2", "true", false),
            ("[1].length > 1", "false", false),
            ("vars.get('n') == 4", "false", true),
            ("**ERR** > 2", "false", true),
            ("'neither'", "false", true),
        ] {
            let call = caller.define_call(swell_expr::condition::FUNCTION, 2).expect("it is known");
            let state = CallState { variables: &variables, ..CallState::default() };
            let answer = caller.evaluate(call, &[condition, "If"], &state);
            assert_eq!((answer.value, answer.fault), (Some(holds), None), "{condition}");
            let logged = answer.logs.iter().any(|line| line.text.starts_with("If: error while processing ["));
            assert_eq!(logged, fails, "{condition}");
        }
    });
}

#[test]
fn what_is_no_message_is_refused() {
    with_jvm(|caller| {
        for message in [&[99][..], &[], &[5, 1], &[5, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]] {
            assert!(matches!(caller.jvm.tell(message), Err(JvmFault::Refused { .. })), "{message:?}");
        }
        let mut message = Vec::new();
        request::user_ended(&mut message, u64::MAX);
        assert_eq!(caller.jvm.tell(&message), Ok(()), "a user that is not there has ended");
    });
}
