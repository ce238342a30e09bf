//! Expressions against jmespath-java 0.6.0 on Jackson 2.16.1: `oracle.tsv` holds what it said of `oracle.json`: `=` and JSON,
//! `!` and the message of its exception, or `?` where the expression does not compile.

use super::JmesPath;
use swell_query::json::parse_strictly;

#[test]
fn expressions_find_what_jmeters_library_finds() {
    let document = parse_strictly(include_str!("oracle.json")).expect("JSON");
    let mut wrong = Vec::new();
    for line in include_str!("oracle.tsv").lines() {
        let (expression, wanted) = line.split_once('\t').expect("two columns");
        let found = match JmesPath::compile(expression) {
            Err(_) => "?".to_owned(),
            Ok(path) => match path.search(&document) {
                Ok(value) => format!("={}", value.jackson_text()),
                Err(message) => format!("!{message}"),
            },
        };
        if found != wanted {
            wrong.push(format!("{expression}\n  JMeter {wanted}\n  Swell  {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn long_and_deep_expressions_are_refused_and_deep_documents_searched() {
    for expression in
        ["a.".repeat(10_000) + "a", "(".repeat(300), "[?".repeat(150), "!".repeat(300), "a[".repeat(150)]
    {
        assert!(JmesPath::compile(&expression).is_err());
    }
    let deep = "[".repeat(1_000) + &"]".repeat(1_000);
    let document = parse_strictly(&deep).expect("not too deep");
    let path = JmesPath::compile("[0][]").expect("compiles");
    assert_eq!(path.search(&document).map(|found| found.jackson_text().len()), Ok(1_996));
    let chain = "a.".repeat(150) + "a";
    let path = JmesPath::compile(&chain).expect("not too long");
    assert_eq!(path.search(&document).map(|found| found.jackson_text()), Ok("null".to_owned()));
}
