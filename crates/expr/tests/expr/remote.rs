//! Functions evaluated elsewhere, whose results come later.

use std::sync::Arc;

use parking_lot::Mutex;
use swell_expr::testing::context_for;
use swell_expr::{
    Compiler, Context, ForeignFunctions, RemoteCall, RemoteFault, RemoteFunctions, RemoteMode, ScriptPlace,
    Shared, Thrown,
};

/// Has `__upper`, and takes scripts that are not understood.
#[derive(Default)]
struct Elsewhere(Mutex<Vec<String>>);

impl RemoteFunctions for Elsewhere {
    fn missing(&self) -> Option<String> {
        None
    }

    fn takes_all_scripts(&self) -> bool {
        false
    }

    fn knows(&self, name: &str) -> bool {
        name == "__upper"
    }

    fn define(&self, name: &str, arguments: usize, _place: &ScriptPlace) -> Result<u32, String> {
        if arguments > 1 {
            return Err("one argument is enough".to_owned());
        }
        let mut places = self.0.lock();
        places.push(name.to_owned());
        Ok(places.len() as u32)
    }

    fn expect(&self) {}

    fn call_and_wait(&self, call: &RemoteCall, _cx: &mut Context) -> Result<String, RemoteFault> {
        Ok(call.arguments.concat().to_uppercase())
    }
}

fn compiler() -> Compiler {
    let functions = ForeignFunctions::default().with_remote(Arc::new(Elsewhere::default()));
    Compiler::new(Arc::new(Shared::with_functions(functions)))
}

/// Evaluates a text as the engine does; the arguments of the calls that were asked for.
fn evaluate(
    text: &str,
    answer: impl Fn(&str) -> Result<String, RemoteFault>,
) -> (String, Vec<String>, Context) {
    let compiler = compiler();
    let template = compiler.template(text);
    assert_eq!(*compiler.problems.borrow(), []);
    let mut cx = context_for(&compiler);
    cx.remote = RemoteMode::replays();
    cx.vars.put("v", "old");
    let mut asked = Vec::new();
    cx.begin_evaluation();
    loop {
        let value = template.eval(&mut cx).into_owned();
        let Some(call) = cx.asked() else { return (value, asked, cx) };
        assert!(
            cx.is_suspended() && cx.thrown.as_ref().is_some_and(|thrown| thrown.class == Thrown::SUSPENDED)
        );
        cx.vars.put("lost", "nothing is set while an answer is missing");
        asked.push(call.arguments.concat());
        cx.resume();
        cx.vars.put("v", "new");
        cx.answer(answer(&call.arguments.concat()));
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it is one of several answers")]
fn upper(text: &str) -> Result<String, RemoteFault> {
    Ok(text.to_uppercase())
}

#[test]
fn each_call_is_asked_for_once_and_the_others_act_once() {
    let (value, asked, cx) = evaluate(
        "${v} ${__counter(TRUE,n)} ${__upper(a${__counter(TRUE)})} ${v} ${__upper(${__upper(b)})} ${__counter(TRUE)}",
        upper,
    );
    assert_eq!(value, "old 1 A1 new B 1");
    assert_eq!(asked, ["a1", "b", "B"]);
    assert_eq!((cx.vars.get("n").map(|n| &**n), cx.vars.get("lost")), (Some("1"), None));
}

#[test]
fn a_script_that_is_not_understood_is_asked_for_and_its_value_goes_to_its_variable() {
    let (value, asked, cx) = evaluate("${__groovy([1\\, 2].collect { it },list)}!", upper);
    assert_eq!((value.as_str(), asked), ("[1, 2].COLLECT { IT }!", vec!["[1, 2].collect { it }".to_owned()]));
    assert_eq!(cx.vars.get("list").map(|list| &**list), Some("[1, 2].COLLECT { IT }"));
    let (value, asked, _) = evaluate("${__groovy(1 + 1)}", upper);
    assert_eq!((value.as_str(), asked.len()), ("2", 0), "this one is understood");
}

#[test]
fn a_call_without_a_result_is_empty_or_throws() {
    let empty = |_: &str| Err(RemoteFault::Empty("no".to_owned()));
    let (value, _, cx) = evaluate("[${__upper(a)}]", empty);
    assert_eq!((value.as_str(), cx.thrown), ("[]", None));
    let thrown = Thrown { class: "java.lang.Exception", message: "odd".to_owned() };
    let throws = |_: &str| Err(RemoteFault::Thrown(thrown.clone()));
    let (_, asked, cx) = evaluate("${__upper(a)}${__upper(b)}", throws);
    assert_eq!(
        (asked.len(), cx.thrown.as_deref()),
        (1, Some(&thrown)),
        "nothing is called after an exception"
    );
    let (_, _, cx) = evaluate("${__upper(a)}", |_| Err(RemoteFault::Lost("gone".to_owned())));
    assert_eq!(cx.stop, Some(swell_expr::StopRequest::Test));
}

#[test]
fn before_the_test_the_thread_waits() {
    let compiler = compiler();
    let template = compiler.template("${__upper(a)}");
    let mut cx = context_for(&compiler);
    cx.remote = RemoteMode::Waits;
    assert_eq!(template.eval(&mut cx), "A");
    cx.remote = RemoteMode::Never;
    assert_eq!((&*template.eval(&mut cx), cx.is_suspended()), ("", false));
}

#[test]
fn a_function_that_nobody_knows_stays_text_and_a_wrong_call_refuses_the_plan() {
    let compiler = compiler();
    let template = compiler.template("${__lower(a)}");
    assert_eq!(template.eval(&mut context_for(&compiler)), "${__lower(a)}");
    compiler.problems.borrow_mut().clear();
    compiler.template("${__upper(a,b)}");
    let problems = compiler.problems.borrow();
    assert!(
        problems[0].message.contains("invalid call of `__upper`: one argument is enough"),
        "{problems:?}"
    );
}
