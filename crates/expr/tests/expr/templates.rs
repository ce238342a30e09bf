//! The grammar of `${...}` as JMeter 5.6.3 reads it.

use std::sync::Arc;

use proptest::prelude::*;
use swell_expr::testing::context_for;
use swell_expr::{Compiler, Context, Shared};

use crate::{check, compiler, fixed_seed};

fn eval_with(compiler: &Compiler, cx: &mut Context, text: &str) -> String {
    compiler.template(text).eval(cx).into_owned()
}

/// Evaluates with `server`, `a`, `n`, `a_1` and `b_1` defined.
fn eval(text: &str) -> String {
    let compiler = compiler();
    let mut cx = context_for(&compiler);
    for (name, value) in
        [("server", "jakarta.apache.org"), ("a", "A"), ("n", "1"), ("a_1", "first"), ("b 1", "spaced")]
    {
        cx.vars.put(name, value);
    }
    cx.props.set("users", "7");
    eval_with(&compiler, &mut cx, text)
}

fn problems(text: &str) -> Vec<String> {
    let compiler = compiler();
    drop(compiler.template(text));
    let found = compiler.problems.take().into_iter();
    found.map(|p| format!("{:?}: {}; {}", p.level, p.message, p.hint.unwrap_or_default())).collect()
}

#[test]
fn texts_and_calls() {
    check(include_str!("tables/texts.tsv"), eval);
}

#[test]
fn backslashes_go_only_where_there_is_a_reference() {
    // The two texts of JMeter's TestValueReplacer.
    let escaped = r"\${server} \ \\ \\\ \, ";
    assert_eq!(eval(escaped), escaped);
    assert_eq!(eval(r"${server} \ \\ \\\ \, "), r"jakarta.apache.org \ \ \\ , ");
    for (text, expected) in [
        (r"\${a}", r"\${a}"),
        (r"\${a}${a}", r"${a}A"),
        (r"\d+\.${a}", r"\d+\.A"),
        (r"${a}\", r"A\"),
        (r"a\,b${n}", "a,b1"),
        (r"${a\}b}", "${a}b}"),
    ] {
        assert_eq!(eval(text), expected, "{text}");
    }
}

#[test]
fn wrong_calls_are_errors_as_in_jmeter_which_does_not_start_then() {
    for text in [
        r"a\,${a} ${__P()} b",
        r"${__Random(1)}",
        r"${__Random(1,2,3,4)}",
        r"${__P(users)x}",
        r"${__P(users)",
        "${__P(users)\t}",
        r"${__UUID(1)}",
        r"${__V(${__P()})}",
    ] {
        assert_eq!(eval(text), text);
        let found = problems(text);
        assert!(found.len() == 1 && found[0].starts_with("Error: "), "{text}: {found:?}");
    }
}

#[test]
fn unclosed_references() {
    // Alone it is one plain text, which JMeter leaves unchanged; next to other text it loses its
    // `${`.
    assert_eq!(eval("${abc"), "${abc");
    assert_eq!(eval("x${abc"), "xabc");
    assert_eq!(
        problems("x${abc"),
        [
            r"Warn: `${abc` has no closing `}` and is used as text; close it, or write `\${` if no reference is meant"
        ]
    );
}

#[test]
fn scripts_stay_in_the_text_and_say_why() {
    let text = r#"id=${__groovy(vars.get("a").tr("x"\,"y"))} ${a}"#;
    assert_eq!(eval(text), r#"id=${__groovy(vars.get("a").tr("x"\,"y"))} A"#);
    let found = problems(text);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("Error: `__groovy` needs a script engine, which is not available"),
        "{found:?}"
    );
}

#[test]
fn unknown_functions_are_noted_with_the_nearest_name() {
    let taken = "it is read as a variable, and left unchanged if there is no such variable";
    let said = [format!("Warn: unknown function `__Radnom`: {taken}; did you mean `__Random`?")];
    assert_eq!(problems("${__Radnom(1,2)}"), said);
    assert_eq!(
        problems("${__GetSecret(a)}"),
        [format!(
            "Warn: unknown function `__GetSecret`: {taken}; Swell does not support functions of other plug-ins"
        )]
    );
    assert_eq!(problems("${token} ${__jm__Users__idx}"), [""; 0]);
    let counts = problems("${__P(a,b,c)}");
    assert!(counts[0].contains("`__P` called with wrong number of parameters: 3"), "{counts:?}");
    assert!(counts[0].contains("it takes 1 to 2 arguments"), "{counts:?}");
}

#[test]
fn constants_and_variables_are_not_copied() {
    let compiler = compiler();
    let constant = compiler.template("a\\,b");
    let variable = compiler.template("${v}");
    let mut cx = context_for(&compiler);
    cx.vars.put("v", "value");
    assert_eq!(constant.constant(), Some("a\\,b"));
    assert!(std::rc::Rc::ptr_eq(&constant.eval_value(&mut cx), &constant.eval_value(&mut cx)));
    let value = cx.vars.get("v").expect("just put").clone();
    assert!(std::rc::Rc::ptr_eq(&variable.eval_value(&mut cx), &value));
    assert_eq!(variable.constant(), None);
}

#[test]
fn numbers_are_read_as_java_reads_them() {
    let compiler = compiler();
    let mut cx = context_for(&compiler);
    for (text, expected) in
        [("5", Some(5)), ("-1", Some(-1)), ("+5", Some(5)), (" 5", None), ("", None), ("${n}", None)]
    {
        assert_eq!(compiler.template(text).eval_i64(&mut cx).ok(), expected, "{text}");
    }
}

#[test]
fn counters_count_each_occurrence_for_each_user_or_for_all() {
    let shared = Arc::new(Shared::default());
    let workers = [Compiler::new(shared.clone()), Compiler::new(shared)];
    let templates: Vec<_> = workers
        .iter()
        .map(|worker| [worker.template("${__counter(TRUE,t)}-${t}"), worker.template("${__counter(FALSE,)}")])
        .collect();
    let mut users = [context_for(&workers[0]), context_for(&workers[0]), context_for(&workers[1])];
    let mut seen = Vec::new();
    for round in 0..2 {
        for (user, worker) in [(0, 0), (1, 0), (2, 1)] {
            let [each, all] = &templates[worker];
            seen.push(format!("{round} {} {}", each.eval(&mut users[user]), all.eval(&mut users[user])));
        }
    }
    assert_eq!(seen, ["0 1-1 1", "0 1-1 2", "0 1-1 3", "1 2-2 4", "1 2-2 5", "1 2-2 6"]);
}

#[test]
fn evaluated_texts_get_no_slots_and_no_state() {
    let compiler = compiler();
    let template = compiler.template("${__eval(${text})}");
    let mut cx = context_for(&compiler);
    cx.vars.put("text", "${fresh} ${__counter(FALSE,)} ${__counter(TRUE,)} ${__P()}");
    assert_eq!(template.eval(&mut cx), "", "an invalid text evaluates to nothing");
    cx.vars.put("text", "${fresh} ${__counter(FALSE,)} ${__counter(TRUE,)}");
    cx.vars.put("fresh", "F");
    assert_eq!(template.eval(&mut cx), "F 1 1");
    assert_eq!(template.eval(&mut cx), "F 1 1");
    assert!(compiler.names.find("fresh").is_none());
    assert!(cx.function_states.is_empty());
}

#[test]
fn a_text_that_evaluates_itself_ends() {
    let compiler = compiler();
    let template = compiler.template("<${__evalVar(loop)}>");
    let mut cx = context_for(&compiler);
    cx.vars.put("loop", "${__evalVar(loop)}");
    assert_eq!(template.eval(&mut cx), "<>");
}

#[test]
fn deep_nesting_is_refused() {
    let text = format!("{}x{}", "${__V(".repeat(5000), ")}".repeat(5000));
    assert_eq!(eval(&text), text);
    assert_eq!(problems(&text).len(), 1);
}

#[test]
fn random_numbers_stay_within_their_bounds() {
    let compiler = compiler();
    let template = compiler.template("${__Random(-2, 3 ,r)}");
    let mut cx = context_for(&compiler);
    let mut seen: Vec<i64> = (0..500).map(|_| template.eval_i64(&mut cx).expect("a number")).collect();
    assert_eq!(cx.vars.get("r").and_then(|r| r.parse().ok()), seen.last().copied());
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, [-2, -1, 0, 1, 2, 3]);
    assert_eq!(eval("${__Random(0,9223372036854775807)}").parse::<i64>().map(|n| n >= 0), Ok(true));
    assert_eq!(eval("[${__Random(2,1)}][${__Random(a,1)}]"), "[][]");
}

#[test]
fn uuids_are_random_and_of_version_four() {
    let text = eval("${__UUID}${__UUID()}");
    let (one, two) = text.split_at(36);
    assert_ne!(one, two);
    for id in [one, two] {
        assert_eq!(uuid::Uuid::parse_str(id).map(|id| id.get_version_num()), Ok(4), "{id}");
    }
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn a_text_without_references_is_constant_and_itself(text in "[^$]*") {
        let compiler = compiler();
        let template = compiler.template(&text);
        prop_assert_eq!(template.constant(), Some(text.as_str()));
        prop_assert!(compiler.problems.borrow().is_empty());
    }

    #[test]
    fn any_text_parses_and_evaluates(text in any::<String>()) {
        eval(&text);
    }

    #[test]
    fn any_heap_of_tokens_parses_and_evaluates(tokens in prop::collection::vec(token(), 0..40)) {
        eval(&tokens.concat());
    }
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "${",
        "}",
        "(",
        ")",
        ",",
        "\\",
        "$",
        "{",
        "a",
        " ",
        "é",
        "__P",
        "__V",
        "__time",
        "__counter",
        "__eval",
        "__evalVar",
        "__Random",
        "__groovy",
        "__longSum",
        "${a}",
        "${__P(",
        "${__V(",
        "${__eval(",
        "${__time(",
        "1",
        "'",
    ])
}
