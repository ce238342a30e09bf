//! Lines of scripts with the results of the engines of JMeter 5.6.3, recorded in JMeter. Swell runs
//! some natively; the embedded JVM runs all of them and must return the same results.

use std::collections::HashMap;

use swell_jvm::ValueChange;
use swell_jvm::request::CallState;

use crate::real::{Caller, with_jvm};

const LINES: &str = include_str!("../../../expr/src/script/lines.tsv");

const VARIABLES: [(&str, &str); 12] = [
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

/// What the machine, the clock, or the user of the recording decides.
const ELSEWHERE: [&str; 9] =
    ["ctx.", "threadName", "props", "Random", "Date", "UUID", "vars.getIteration", "log.", "1..3"];

/// `\n` and `\t` mean the same as in Java.
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

fn evaluated(caller: &mut Caller, call: u32, script: &str) -> Option<String> {
    let variables: Vec<_> = VARIABLES.iter().map(|(name, value)| (*name, ValueChange::Text(value))).collect();
    let state = CallState { variables: &variables, ..CallState::default() };
    let answer = caller.evaluate(call, &[script], &state);
    answer.fault.is_none().then(|| answer.value.unwrap_or_default().to_owned())
}

#[test]
fn recorded_lines_give_in_the_embedded_jvm_what_they_gave_in_jmeter() {
    const FUNCTIONS: [(&str, &str); 5] = [
        ("groovy", "__groovy"),
        ("bsh", "__BeanShell"),
        ("js", "__javaScript"),
        ("jexl2", "__jexl2"),
        ("jexl3", "__jexl3"),
    ];
    with_jvm(|mut caller| {
        let functions = HashMap::from(FUNCTIONS);
        let mut wrong = Vec::new();
        for line in LINES.lines().filter(|line| !ELSEWHERE.iter().any(|word| line.contains(word))) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [language, script, wanted] = cells[..] else { panic!("three cells are expected: {line}") };
            // A separate call: BeanShell keeps the variables of one for its next script.
            let call = caller.define_call(functions[language], 1).expect("a function");
            let found = evaluated(&mut caller, call, &unescaped(script));
            let is_right = match unescaped(wanted).strip_prefix('=') {
                Some(value) => found.as_deref() == Some(value),
                // Some functions catch the exception, and their text is empty.
                None => found.is_none_or(|text| text.is_empty()),
            };
            if !is_right {
                wrong.push(line);
            }
        }
        assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
    });
}
