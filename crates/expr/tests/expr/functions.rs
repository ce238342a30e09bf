//! Functions and their effects, compared with JMeter 5.6.3 on Java 17.

use std::collections::HashMap;
use std::sync::Arc;

use swell_expr::testing::{TestHost, context_for, context_of};
use swell_expr::{Compiler, Context, Shared, Thrown, functions};

use crate::{check, compiler};

fn eval_on(host: &Arc<TestHost>, text: &str) -> String {
    let compiler = compiler();
    let mut cx = context_of(compiler.names.clone(), host.clone());
    for (name, value) in [("a", "A"), ("n", "1"), ("a_1", "first")] {
        cx.vars.put(name, value);
    }
    compiler.template(text).eval(&mut cx).into_owned()
}

fn eval(text: &str) -> String {
    eval_on(&Arc::default(), text)
}

/// A context with templates of one compiler: calls share state.
struct Plan {
    compiler: Compiler,
    host: Arc<TestHost>,
}

impl Plan {
    fn new() -> Self {
        Self { compiler: compiler(), host: Arc::default() }
    }

    fn user(&self) -> Context {
        context_of(self.compiler.names.clone(), self.host.clone())
    }
}

#[test]
fn as_jmeter_gives_them() {
    check(include_str!("tables/functions.tsv"), eval);
    assert_eq!(eval(r#"${__unescape(a\\tb\\u0041\\101\\8\\q\\\\\\"\\')}"#), "a\tbAA8q\\\"'");
}

#[test]
fn facts_of_run_and_user() {
    for (text, expected) in [
        ("${__machineName(m)} ${m}", "test-machine test-machine"),
        ("${__machineIP}", "192.0.2.1"),
        ("${__samplerName(s)} ${s}", "Sampler Sampler"),
        ("${__threadGroupName}", "Users"),
        ("${__TestPlanName}", "plan.jmx"),
        ("${__iterationNum}", "1"),
        ("${__threadNum}", "1"),
    ] {
        assert_eq!(eval(text), expected, "{text}");
    }
}

#[test]
fn functions_of_the_plug_in() {
    let env = HashMap::from([("HOME".to_owned(), "/root".to_owned())]);
    let host = Arc::new(TestHost { env, ..TestHost::default() });
    for (text, expected) in [
        ("${__env(HOME,h)} ${h} ${__env(NOPE)} ${__env(NOPE,,d)}", "/root /root NOPE d"),
        ("${__uppercase(aé,u)} ${u} ${__lowercase(AÉ)}", "AÉ AÉ aé"),
        ("${__base64Encode(héllo?>)} ${__base64Decode(aMOpbGxvPz4=)}", "héllo?> héllo?>"),
        ("${__base64Decode(aGVs bG8_-)} ${__base64Decode(YQ)} ${__base64Decode(Y)}", "hello? a "),
        ("${__MD5(abc,m)} ${m}", "900150983cd24fb0d6963f7d28e17f72 900150983cd24fb0d6963f7d28e17f72"),
        ("${__strLen(añ😀)}", "4"),
        ("${__substring(hello,1,3,s)} ${s} [${__substring(hello,3,9)}]", "el el []"),
        ("${__strReplace(a.b.c,[.],-,r)} ${r}", "a-b-c a-b-c"),
        ("${__if(${a},A,yes,no,i)} ${i} ${__if(${a},B,yes,no)}", "yes yes no"),
        ("${__isDefined(a)}${__isDefined( a )}${__isDefined(zz)}", "110"),
        ("${__doubleSum(1.5,2,x)} ${x} ${__doubleSum(1,2,1e7)}", "3.5 3.5 1.0000003E7"),
        ("${__chooseRandom(p,p,c)}${c}", "pp"),
        (
            "${__caseFormat(one Two-three_four)} ${__caseFormat(one Two,UPPER_CAMEL_CASE)}",
            "oneTwoThreeFour OneTwo",
        ),
        ("${__caseFormat(one Two,snake_case)} ${__caseFormat(one Two,TRAIN_CASE)}", "one_two ONE-TWO"),
        ("${__caseFormat(-one  two-,LOWER_HYPHEN)} ${__caseFormat(a b,NOPE)}", "-one-two a b"),
    ] {
        let expected = expected.replace("héllo?> héllo?>", "aMOpbGxvPz4= héllo?>");
        assert_eq!(eval_on(&host, text), expected, "{text}");
    }
}

#[test]
fn properties_are_seen_when_they_change() {
    let plan = Plan::new();
    let [fixed, named] = ["${__P(p,d)}", "${__property(${n},v)}"].map(|text| plan.compiler.template(text));
    let mut cx = plan.user();
    cx.vars.put("n", "p");
    let mut seen = Vec::new();
    for change in [None, Some("one"), Some(" two "), None] {
        match change {
            Some(value) => cx.props.set("p", value),
            None => cx.props.remove("p"),
        };
        for _ in 0..2 {
            seen.push(format!("{} {}", fixed.eval(&mut cx), named.eval(&mut cx)));
        }
    }
    assert_eq!(seen, ["d p", "d p", "one one", "one one", "two two", "two two", "d p", "d p"]);
    cx.props.set("p", "this run");
    let mut other = plan.user();
    other.props.set("p", "that run");
    let pairs = [&mut cx, &mut other].map(|cx| fixed.eval(cx).into_owned());
    assert_eq!(pairs, ["this run", "that run"]);
    assert_eq!(other.vars.get("v"), None);
}

#[test]
fn random_choices_reach_every_value() {
    let compiler = compiler();
    let mut cx = context_for(&compiler);
    for (name, value) in [("v_matchNr", "2"), ("v_1", "x"), ("v_2", "y"), ("w", "z"), ("bad_matchNr", "many")]
    {
        cx.vars.put(name, value);
    }
    for (text, all) in [
        ("${__RandomFromMultipleVars(v|w,o)}", ["x", "y", "z"]),
        ("${__chooseRandom(x,y,z,o)}", ["x", "y", "z"]),
        ("${__RandomString(1,xyz,o)}", ["x", "y", "z"]),
        ("${__RandomString(1,äöü,o)}", ["ä", "ö", "ü"]),
    ] {
        let template = compiler.template(text);
        let mut seen: Vec<String> = (0..100).map(|_| template.eval(&mut cx).into_owned()).collect();
        assert_eq!(cx.vars.get("o").map(|o| &**o), seen.last().map(String::as_str), "{text}");
        seen.sort();
        seen.dedup();
        assert_eq!(seen, all, "{text}");
    }
    assert_eq!(compiler.template("${__RandomFromMultipleVars(bad)}").eval(&mut cx), "");
    assert!(cx.thrown.take().is_some());
    let any = compiler.template("${__RandomString(40)}").eval(&mut cx).into_owned();
    assert_eq!(any.encode_utf16().count(), 40);
}

#[test]
fn log_lines_and_prints() {
    let host: Arc<TestHost> = Arc::default();
    assert_eq!(
        eval_on(&host, "[${__log(hi)}${__log(hi,warn,boom,C)}${__logn(hi,ERROR)}${__logn(hi,odd)}]"),
        "[hihi]"
    );
    assert_eq!(eval_on(&host, "${__log(o,OUT)}${__log(e,ERR,boom,C)}"), "oe");
    let logged: Vec<String> =
        host.logged.lock().iter().map(|(level, line)| format!("{level:?} {line}")).collect();
    assert_eq!(
        logged,
        [
            "Info Users 1-1  :  hi",
            "Warn Users 1-1 C hi\njava.lang.Throwable: boom",
            "Error Users 1-1  :  hi",
            "Debug Users 1-1  :  hi",
        ]
    );
    let printed = host.printed.lock().clone();
    let expected = [("Log: Users 1-1 : o", false), ("Log: Users 1-1 Ce java.lang.Throwable: boom", true)];
    assert_eq!(printed, expected.map(|(line, to_stderr)| (line.to_owned(), to_stderr)));
}

#[test]
fn failures_are_logged_with_user_and_function() {
    let host: Arc<TestHost> = Arc::default();
    assert_eq!(eval_on(&host, "<${__Random(a,1)}>"), "<>");
    assert_eq!(
        host.log_lines(),
        ["Users 1-1 - __Random: java.lang.NumberFormatException: For input string: \"a\""]
    );
}

#[test]
fn after_an_exception_nothing_is_called_or_set_until_it_is_taken() {
    let compiler = compiler();
    let mut cx = context_for(&compiler);
    let template = compiler
        .template("<${__setProperty(p,${__intSum(x,1)})}${__changeCase(a,UPPER,v)}${__longSum(y,1)}>");
    assert_eq!(template.eval(&mut cx), "<>");
    let thrown = cx.thrown.take().map(|thrown| thrown.to_string());
    assert_eq!(thrown.as_deref(), Some("java.lang.NumberFormatException: For input string: \"x\""));
    assert_eq!((cx.props.get("p"), cx.vars.get("v")), (None, None));
    assert_eq!(compiler.template("${__changeCase(a,UPPER,v)}").eval(&mut cx), "A");
    assert_eq!(cx.vars.get("v").map(|v| &**v), Some("A"));
}

#[test]
fn files_are_read_and_written() {
    let host: Arc<TestHost> = Arc::default();
    host.add_file("latin.txt", &b"\xe9\n"[..]);
    assert_eq!(eval_on(&host, "${__FileToString(latin.txt,ISO-8859-1,v)}${v}"), "é\né\n");
    assert_eq!(eval_on(&host, "${__FileToString(latin.txt)}"), "\u{fffd}\n");
    assert_eq!(eval_on(&host, "${__FileToString(none.txt,,v)}${v}"), "**ERR****ERR**");
    assert_eq!(eval_on(&host, "[${__FileToString(latin.txt,UTF-20)}]"), "[]");
    for (text, expected, content) in [
        ("${__StringToFile(o,test)}", "true", "test"),
        ("${__StringToFile( o ,test,)}", "true", "testtest"),
        (r"${__StringToFile(o,a\\nb,FALSE)}", "true", "a\nb"),
        ("${__StringToFile(o,é,yes,ISO-8859-1)}", "true", "\u{fffd}"),
        ("${__StringToFile(o,x,true,UTF-20)}", "false", "\u{fffd}"),
        ("${__StringToFile(,x)}", "false", "\u{fffd}"),
    ] {
        assert_eq!(eval_on(&host, text), expected, "{text}");
        assert_eq!(host.file_text("o").as_deref(), Some(content), "{text}");
    }
}

#[test]
fn lines_of_a_file_are_handed_out_to_all_users() {
    let plan = Plan::new();
    plan.host.add_file("f", "uno\r\ndos\ntres");
    let template = plan.compiler.template("${__StringFromFile(f)}");
    let named = plan.compiler.template("${__StringFromFile(f, v )}${v}");
    let mut one = plan.user();
    let mut two = plan.user();
    let lines =
        [&mut one, &mut two].map(|cx| [template.eval(cx).into_owned(), template.eval(cx).into_owned()]);
    assert_eq!(lines.concat(), ["uno", "dos", "tres", "uno"]);
    assert_eq!(two.vars.get("StringFromFile_").map(|v| &**v), Some("uno"));
    assert_eq!(named.eval(&mut one), "unouno", "each call has its own cursor");
    assert_eq!(plan.compiler.template("${__StringFromFile(none,,,)}").eval(&mut one), "**ERR**");
    assert_eq!(one.stop, None);
}

#[test]
fn a_sequence_of_files_ends_by_the_exception_that_stops_the_thread() {
    let plan = Plan::new();
    plan.host.add_file("f1.txt", "uno\ndos\n");
    plan.host.add_file("f2.txt", "one\n");
    let template = plan.compiler.template("${__StringFromFile(f#'.'txt,,1,2)}");
    let mut cx = plan.user();
    let lines: Vec<String> = (0..3).map(|_| template.eval(&mut cx).into_owned()).collect();
    assert_eq!(lines, ["uno", "dos", "one"]);
    assert_eq!(cx.thrown, None);
    assert_eq!(template.eval(&mut cx), "");
    assert_eq!(cx.thrown.expect("it ended").class, Thrown::STOP_THREAD);
}

#[test]
fn a_file_with_only_an_end_number_loops_so_often() {
    let plan = Plan::new();
    plan.host.add_file("f", "uno\n");
    let template = plan.compiler.template("${__StringFromFile(f,,,2)}");
    let mut cx = plan.user();
    assert_eq!((0..3).map(|_| template.eval(&mut cx).into_owned()).collect::<Vec<_>>(), ["uno", "uno", ""]);
    assert_eq!(cx.thrown.expect("it ended").class, Thrown::STOP_THREAD);
}

const CSV: &str = "a1,b1,c1,d1\na2,b2,c2,d2\n\nthe empty line before is the end";

#[test]
fn rows_are_handed_out_in_turn_and_kept_until_next() {
    let plan = Plan::new();
    plan.host.add_file("f.csv", CSV);
    let [first, second, next] =
        ["${__CSVRead(f.csv,0)}", "${__CSVRead(f.csv,1)}", "${__CSVRead(f.csv,next)}"]
            .map(|text| plan.compiler.template(text));
    let default = plan.compiler.template("${__CSVRead(,0)}");
    let mut one = plan.user();
    let mut two = plan.user();
    assert_eq!(first.eval(&mut one) + &*second.eval(&mut one), "a1b1");
    assert_eq!(first.eval(&mut two), "a2");
    assert_eq!(next.eval(&mut one) + &*first.eval(&mut one), "a1", "the first row again after the last");
    assert_eq!(default.eval(&mut two), "a2", "the only file needs no name");
    assert_eq!(plan.compiler.template("[${__CSVRead(f.csv,9)}${__CSVRead(f.csv,x)}]").eval(&mut one), "[]");
}

#[test]
fn workers_share_the_rows_of_a_file() {
    let shared = Arc::new(Shared::default());
    let host: Arc<TestHost> = Arc::default();
    host.add_file("f.csv", CSV);
    let rows: Vec<String> = (0..2)
        .map(|_| {
            let compiler = Compiler::new(shared.clone());
            let templates =
                ["${__CSVRead(f.csv,0)}", "${__CSVRead(f.csv,1)}"].map(|text| compiler.template(text));
            let mut cx = context_of(compiler.names.clone(), host.clone());
            templates.iter().map(|template| template.eval(&mut cx).into_owned()).collect()
        })
        .collect();
    assert_eq!(rows, ["a1b1", "a2b2"]);
}

#[test]
fn users_take_what_a_path_finds_in_turn() {
    let plan = Plan::new();
    plan.host.add_file("s.xml", "<s><n>pen</n><n><b/>x</n><n k='1'>book</n></s>");
    let mut one = plan.user();
    let mut two = plan.user();
    let names = plan.compiler.template("${__XPath(s.xml,//n)}");
    assert_eq!([names.eval(&mut one), names.eval(&mut two), names.eval(&mut one)], ["pen", "null", "book"]);
    assert_eq!(names.eval(&mut two), "pen", "the first again after the last");
    for (text, expected) in [
        ("${__XPath(s.xml,//n)}", "null"),
        ("${__XPath(s.xml,//@k)}", "1"),
        ("[${__XPath(s.xml,//z)}]", "[]"),
        ("[${__XPath(s.xml,count(//n))}]", "[]"),
        ("[${__XPath(s.xml,//n[)}]", "[]"),
        ("[${__XPath(none.xml,//n)}]", "[]"),
    ] {
        assert_eq!(plan.compiler.template(text).eval(&mut one), expected, "{text}");
    }
    let lines = plan.host.log_lines().join("\n");
    for reason in
        ["no match for //z in s.xml", "Can not convert #NUMBER", "location path was expected", "is missing"]
    {
        assert!(lines.contains(reason), "{reason} in {lines}");
    }
}

#[test]
fn aliases_have_rows_of_their_own() {
    let plan = Plan::new();
    plan.host.add_file("f.csv", CSV);
    plan.host.add_file("g.csv", CSV);
    let mut cx = plan.user();
    let mut eval = |text: &str| plan.compiler.template(text).eval(&mut cx).into_owned();
    for (text, expected) in [
        ("${__CSVRead(*A,1)}", ""),
        ("${__CSVRead(f.csv,*A)}", ""),
        ("${__CSVRead(*A,1)}", "b1"),
        ("${__CSVRead(g.csv,*B)}", ""),
        ("${__CSVRead(*B,2)}", "c1"),
        ("${__CSVRead(*A,next())}", ""),
        ("${__CSVRead(*A,1)}", "b2"),
        ("${__CSVRead(*B,2)}", "c1"),
        ("${__CSVRead(none.csv,1)}", ""),
        ("${__CSVRead(none.csv,next)}", ""),
    ] {
        assert_eq!(eval(text), expected, "{text}");
    }
}

#[test]
fn the_table_is_in_order_and_documented() {
    let all: Vec<_> = functions().collect();
    for info in &all {
        assert!(info.name.starts_with("__") && info.doc.starts_with('('), "{info:?}");
        assert!(info.max_arguments.is_none_or(|max| max >= info.min_arguments), "{info:?}");
    }
    let mut names: Vec<_> = all.iter().map(|info| info.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len());
    assert_eq!(all.iter().filter(|info| info.native).count(), 64);
}

#[test]
fn feedback_of_a_shaping_timer_goes_through_properties() {
    let plan = Plan::new();
    let mut cx = plan.user();
    let mut ask = |sent: Option<&str>| {
        if let Some(sent) = sent {
            cx.props.set("t_cntSent", sent);
            cx.props.set("t_rps", "10");
        }
        plan.compiler.template("${__tstFeedback(t,4,7,0.2)}").eval(&mut cx).into_owned()
    };
    assert_eq!(ask(None), "4", "the start");
    assert_eq!(ask(Some("5")), "6", "half of the samples are missing");
    assert_eq!(ask(None), "6", "a report counts once");
    assert_eq!(ask(Some("5")), "7", "not more than that");
    assert_eq!(ask(Some("none")), "", "no number");
}
