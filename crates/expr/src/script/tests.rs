//! Compares scripts with the real engines: `oracle.tsv` has the results of Groovy 3.0.20, JEXL
//! 3.2.1 and 2.1.1, Rhino 1.7.14 and BeanShell 2.0b6: `=` and the text that JMeter makes of the
//! result, `!` for an exception, `?` where Swell may differ (numbers beyond 64 bits, methods of
//! Nashorn that Rhino lacks, strings that Java happens to store only once).

use super::bindings::{BindingScope, Reading};
use super::compiled_script::Script;
use super::language::Language;
use super::token::PLACEHOLDER;
use crate::script_failure::ScriptFailure;
use crate::testing;

/// The columns of the table.
const LANGUAGES: [Language; 5] =
    [Language::Groovy, Language::Jexl3, Language::Jexl2, Language::JavaScript, Language::BeanShell];

fn context() -> crate::Context {
    let mut cx = testing::context();
    let vars = [
        ("a", "abc"),
        ("b", "abc"),
        ("five", "5"),
        ("ten", "10"),
        ("one", "1"),
        ("neg", "-5"),
        ("dec", "2.50"),
        ("sp", " 5 "),
        ("t", "true"),
        ("f", "false"),
        ("e", ""),
        ("x y", "sp"),
    ];
    for (name, value) in vars {
        cx.vars.put(name, value);
    }
    cx.props.set("p", "pv");
    cx.props.set("n", "7");
    cx.user.thread_index = 3;
    cx.iteration = 0;
    cx
}

/// What is wrong with a script for which an engine recorded this: `=` and the text of the value,
/// `!` for an exception. None if Swell says the same, or refuses the script before it runs.
fn departs(script: &str, language: Language, bindings: BindingScope, wanted: &str) -> Verdict {
    let Ok(read) = Script::read(script, language, bindings, &[], Reading::Plan) else {
        return Verdict::Refused;
    };
    let found = read.run(&mut context());
    let right = match (&found, wanted) {
        (_, "?") => return Verdict::Right,
        (Ok(text), wanted) => wanted.strip_prefix('=') == Some(&**text),
        // An exception leaves an empty text, and JEXL 3 gives null where it is silent about one.
        (Err(ScriptFailure::Exception(_)), wanted) => {
            wanted == "!" || wanted == "=" && language == Language::Jexl3
        }
        (Err(ScriptFailure::Unsupported(_)), _) => return Verdict::Ended,
    };
    if right {
        Verdict::Right
    } else {
        Verdict::Wrong(format!("{language:?} {script}: {found:?}, not {wanted}"))
    }
}

enum Verdict {
    Right,
    Refused,
    /// It would end the test.
    Ended,
    Wrong(String),
}

#[test]
fn what_is_understood_gives_what_the_engines_gave() {
    let mut understood = [0; 5];
    let mut wrong = Vec::new();
    for line in include_str!("oracle.tsv").lines().skip(1) {
        let mut cells = line.split('\t');
        let script = cells.next().expect("a script");
        for (at, (language, wanted)) in LANGUAGES.into_iter().zip(cells).enumerate() {
            match departs(script, language, BindingScope::Objects, wanted) {
                Verdict::Refused => {}
                Verdict::Ended => panic!("{script} ends the test"),
                Verdict::Right => understood[at] += 1,
                Verdict::Wrong(why) => wrong.push(why),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {understood:?}\n{}", wrong.len(), wrong.join("\n"));
    // Not by refusing.
    for (language, (count, least)) in
        LANGUAGES.into_iter().zip(understood.into_iter().zip([190, 150, 150, 180, 110]))
    {
        assert!(count >= least, "{language:?}: {count} are understood");
    }
}

/// A line of `lines.tsv`: `\n` and `\t` mean the same as in Java.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match (c, c == '\\') {
            (_, true) => match letters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                other => plain.extend(other),
            },
            (c, _) => plain.push(c),
        }
    }
    plain
}

/// Judges lines of language, script and what the engine made of it; how many are understood.
fn judge(lines: &str) -> Result<(usize, Vec<&str>), String> {
    let mut understood = 0;
    let mut ended = Vec::new();
    let mut wrong = Vec::new();
    for line in lines.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, script, wanted] = cells[..] else { panic!("three cells are expected: {line}") };
        let (language, bindings) = match name {
            "groovy" => (Language::Groovy, BindingScope::Objects),
            "bsh" => (Language::BeanShell, BindingScope::Objects),
            "js" => (Language::JavaScript, BindingScope::Objects),
            "jexl2" => (Language::Jexl2, BindingScope::Objects),
            "jexl3" => (Language::Jexl3, BindingScope::Objects),
            other => panic!("unknown language {other}"),
        };
        match departs(&unescaped(script), language, bindings, &unescaped(wanted)) {
            Verdict::Refused => {}
            Verdict::Ended => ended.push(line),
            Verdict::Right => understood += 1,
            Verdict::Wrong(why) => wrong.push(why),
        }
    }
    if wrong.is_empty() {
        Ok((understood, ended))
    } else {
        Err(format!("{} wrong:\n{}", wrong.len(), wrong.join("\n")))
    }
}

/// `lines.tsv` holds what the engines of JMeter 5.6.3 made of each line of script, many of them of
/// what is not understood.
#[test]
fn a_line_of_script_gives_what_the_engine_gave_or_is_refused_before_it_runs() {
    let (understood, ended) = judge(include_str!("lines.tsv")).expect("the engines say the same");
    assert!(ended.is_empty(), "these pass the check and end the test:\n{}", ended.join("\n"));
    // Not by refusing.
    assert!(understood >= 390, "{understood} are understood");
}

#[test]
fn scripts_of_real_plans_are_understood() {
    for (language, script) in [
        (Language::BeanShell, r#""~".equals("true")"#),
        (
            Language::BeanShell,
            "import org.apache.jmeter.services.FileServer; FileServer.getFileServer().getBaseDir();",
        ),
        (Language::BeanShell, "File.separator"),
        (Language::BeanShell, r#" System.getenv("JMETER_API_KEY") "#),
        (Language::BeanShell, "import org.apache.commons.lang3.SystemUtils; !SystemUtils.IS_OS_WINDOWS;"),
        (Language::Groovy, r#"vars.get("legacy_login_form") == 'true'"#),
        (Language::Groovy, "(vars.get('CurrentTime') as long) - (vars.get('EndTime') as long) >= 0"),
        (Language::Groovy, r#"vars.get("s").equals("N") && vars.get("n").toInteger() < 60"#),
        (Language::Groovy, r#""~".equals("true") ? 6000 : 0"#),
        (Language::Groovy, "(ctx.getThreadNum() == 29 && (vars.getIteration() < 3))"),
        (Language::Groovy, "~ < 5 && ~ > 1"),
        (Language::JavaScript, r#"!("~" === "ready" && "~" === "complete") && parseInt("~") < 50"#),
        (Language::JavaScript, "~/~"),
        (Language::JavaScript, "~ % 100 === 0"),
        (Language::Jexl3, r#""~"== "http""#),
        (Language::Jexl3, "!~"),
        (Language::Jexl3, r#"vars.get("a") eq "x" and not empty(vars.get("b"))"#),
    ] {
        let script = script.replace('~', &PLACEHOLDER.to_string());
        assert_eq!(Script::check(&script, language, BindingScope::Objects), Ok(()), "{script}");
    }
}

#[test]
fn what_needs_an_engine_says_why() {
    for (language, script, reason) in [
        (Language::Groovy, "~", "the whole script is a reference"),
        (
            Language::Groovy,
            "e2eEncrypt(60)",
            "`e2eEncrypt` needs a script engine; is it a text without quotes?",
        ),
        (Language::Jexl3, r#"vars.put("a", "b")"#, "`vars.put` needs a script engine"),
        (Language::Groovy, "vars.clear()", "`vars.clear` needs a script engine"),
        (Language::Groovy, r#""a".execute()"#, "`.execute` of text needs a script engine"),
        (Language::Groovy, "def a() { 1 }", "`a` without a value needs a script engine"),
        (Language::Jexl3, "1 == 1; 2 == 2", "`2` is not expected here"),
        (Language::Groovy, r#""$x" == "a""#, "`$` within a text needs a script engine"),
        (Language::Groovy, "a~ == 1", "a reference within a word needs a script engine"),
        (Language::Jexl3, "1 === 1", "`===` of whole number and whole number needs a script engine"),
        (Language::BeanShell, "import a.b.C; C.d()", "`a.b.C` needs a script engine"),
        (
            Language::BeanShell,
            "FileServer.getFileServer().getBaseDir()",
            "`FileServer.getFileServer().getBaseDir` without `import org.apache.jmeter.services.FileServer` needs a script engine",
        ),
        (Language::JavaScript, "// 1", "comments need a script engine"),
    ] {
        let text = script.replace('~', &PLACEHOLDER.to_string());
        let found =
            Script::check(&text, language, BindingScope::Objects).map_err(|failure| failure.to_string());
        assert_eq!(found, Err(reason.to_owned()), "{script}");
    }
}

#[test]
fn long_and_deep_scripts_are_refused() {
    for script in ["1+".repeat(100_000) + "1", "(".repeat(5_000), "!".repeat(100) + "1", "1?".repeat(500)] {
        for language in LANGUAGES {
            assert!(Script::parse(&script, language, BindingScope::Objects).is_err());
        }
    }
    let chain = "1+".repeat(149) + "1";
    let script = Script::parse(&chain, Language::Groovy, BindingScope::Objects).expect("not too long");
    assert_eq!(script.run(&mut context()), Ok("150".into()));
}
