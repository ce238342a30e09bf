//! `docs/reference/native-scripts.md` is generated from the table of native operations:
//! `UPDATE_REFERENCE=1 cargo test -p swell-expr --test expr native_scripts`.

use std::fmt::Write as _;

use swell_expr::ScriptLanguage as Language;
use swell_expr::native_scripts::{Form, OperandPlace, Operation, operations};

const HEAD: &str = "# What scripts do natively

Swell runs a script natively only if each of its parts is in this table, with values of these kinds. The kinds are known when the script is read, before the test
starts; all other scripts run in the JVM ([scripts](../scripts.md)). `swell-parity expressions` and `swell-parity statements` compare this table
with the engines of JMeter 5.6.3.

Also native are literals of these kinds, parentheses, `&&`, `||` (in JavaScript between values of one kind), `? :`, and `?:` in Groovy and JEXL. \"Text or
null\" is the result of `vars.get`. A method of null throws, as in the engine; JEXL 3 continues,
so its methods of a value that may be null run in the JVM. Scripts in Groovy and BeanShell may also have several
statements: expressions, declarations of `String`, `int`, `Integer`, `long`, `Long`, `boolean`, `Boolean` and `def` with a value, assignments to these, `if` with blocks,
comments, and `return` at the end.

Without a JVM, a script that needs it only because of its values ends the test with status 107: halves of a letter beyond U+FFFF, `Σ` in lower
case, digits of other scripts in numbers, JEXL numbers of more than 127 bits, and values of `${…}` that change the script.

| what | gives | in | languages |
|---|---|---|---|
";

fn table() -> String {
    let mut text = HEAD.to_owned();
    for row in operations() {
        let languages: Vec<&str> = row.languages.iter().map(|language| name(*language)).collect();
        let what = written(&row);
        let gives = row.gives.join(" or ");
        writeln!(text, "| `{what}` | {gives} | {} | {} |", place(row.place), languages.join(", "))
            .expect("a String takes all");
    }
    text
}

fn name(language: Language) -> &'static str {
    match language {
        Language::Groovy => "Groovy",
        Language::BeanShell => "BeanShell",
        Language::JavaScript => "JavaScript",
        Language::Jexl2 => "JEXL 2",
        Language::Jexl3 => "JEXL 3",
    }
}

fn place(place: OperandPlace) -> String {
    match place {
        OperandPlace::Everywhere => "all scripts".to_owned(),
        OperandPlace::Objects => "functions, elements".to_owned(),
        OperandPlace::Functions => "functions".to_owned(),
        OperandPlace::Elements => "elements".to_owned(),
        OperandPlace::Of(kinds) => {
            let kinds: Vec<String> = kinds.iter().map(|kind| format!("{kind:?}")).collect();
            kinds.join(", ")
        }
    }
}

/// How it is written, with kinds instead of values. A `|` would end the cell.
fn written(row: &Operation) -> String {
    let kinds: Vec<String> = row.takes.iter().map(|kinds| kinds.join(" or ")).collect();
    let of = |at: usize| {
        let kind = &kinds[at];
        if kind.contains(' ') { format!("({kind})") } else { kind.clone() }
    };
    let name = row.name;
    match row.form {
        Form::Between => format!("{} {name} {}", of(0), of(1)),
        Form::Before => format!("{name} {}", of(0)),
        Form::Cast => format!("{} {name}", of(0)),
        Form::Method => format!("{}.{name}({})", of(0), kinds[1..].join(", ")),
        Form::Property => format!("{}.{name}", of(0)),
        Form::Call => format!("{name}({})", kinds.join(", ")),
        Form::Field => name.to_owned(),
    }
}

#[test]
fn the_reference_says_what_scripts_do_natively() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/native-scripts.md");
    let wanted = table();
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(file, &wanted).expect("the reference can be written");
    }
    let found = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        found == wanted,
        "update it: UPDATE_REFERENCE=1 cargo test -p swell-expr --test expr native_scripts"
    );
}

#[test]
fn no_two_rows_take_the_same_values() {
    let rows: Vec<Operation> = operations().collect();
    for (at, row) in rows.iter().enumerate() {
        let same = rows[..at].iter().find(|other| {
            let is_same = other.form == row.form && other.name == row.name && other.takes == row.takes;
            let share = other.languages.iter().any(|language| row.languages.contains(language));
            let is_elsewhere = matches!((other.place, row.place), (OperandPlace::Of(_), OperandPlace::Of(_)));
            is_same && share && !is_elsewhere
        });
        assert_eq!(same, None, "{row:?}");
    }
}
