//! Writes random expressions of a language from the table of native ones, and from slightly beyond
//! it.

use swell_expr::ScriptLanguage;
use swell_expr::native_scripts::{Form, OperandPlace, Operation, operations};

use super::{MISSING, VARIABLES, WRITTEN};
use crate::fuzz::rng::ChoiceRng;

/// Nesting depth of expressions.
const DEPTH: u32 = 3;

const TEXTS: [&str; 30] = [
    "",
    "a",
    "abc",
    "ABC",
    "b",
    " x ",
    "5",
    "-3",
    "007",
    "1.5",
    "1e3",
    "0x1F",
    "true",
    "false",
    "TRUE",
    "y",
    "null",
    "ß",
    "İi",
    "É",
    "😀b",
    "2147483648",
    "-9223372036854775808",
    " 5 ",
    "it's",
    "\\",
    "a\"b",
    "NaN",
    "+5",
    "ας Ω",
];
const INTS: [&str; 9] = ["0", "1", "2", "3", "7", "10", "100", "65536", "2147483647"];
const FRACTIONS: [&str; 9] = ["0.0", "0.5", "1.5", "2.0", "2.5", "3.14159", "0.1", "100.25", "12345678.9"];
const OF_JAVASCRIPT: [&str; 9] =
    ["1e3", "0x10", "1e21", "1e-7", "0.1", ".5", "123456789012", "NaN", "Infinity"];
const KINDS: [&str; 9] =
    ["boolean", "int", "long", "whole number", "number", "text", "text of Java", "null", "nothing"];

/// Names of methods that are not in the table, or of other kinds.
const OUTSIDE: [&str; 12] = [
    "hashCode()",
    "reverse()",
    "charAt(0)",
    "length()",
    "length",
    "trim()",
    "matches(\"a.*\")",
    "size()",
    "toInteger()",
    "compareTo(\"b\")",
    "strip()",
    "isEmpty()",
];

pub(super) struct Writer {
    language: ScriptLanguage,
    rows: Vec<Operation>,
    /// Percentage of places with an expression of another kind than the table accepts there.
    outside: u32,
}

impl Writer {
    /// Creates a writer for functions or for elements.
    pub(super) fn new(language: ScriptLanguage, is_function: bool) -> Self {
        // Names whose values depend on the machine, or that exist in other kinds of scripts.
        const OTHERS: [&str; 6] =
            ["System.currentTimeMillis", "System.getenv", "FileServer", "SystemUtils", "Thread.", "props."];
        let is_here = |row: &Operation| {
            (matches!(row.place, OperandPlace::Everywhere | OperandPlace::Objects)
                || is_function && row.place == OperandPlace::Functions)
                && row.languages.contains(&language)
                && !OTHERS.iter().any(|other| row.name.starts_with(other))
                && !row.name.starts_with("log.")
                && !row.takes.iter().flatten().any(|kind| kind.contains("sample") || kind.contains("result"))
        };
        let outside = if is_function { 4 } else { 1 };
        Self { language, rows: operations().filter(is_here).collect(), outside }
    }

    pub(super) fn write(&self, rng: &mut ChoiceRng) -> String {
        let wanted = [*rng.pick(&KINDS)];
        let text = self.of(&wanted, DEPTH, rng);
        if self.language == ScriptLanguage::BeanShell && rng.chance(40) {
            format!("return {text};")
        } else {
            text
        }
    }

    /// Writes an expression of one of these kinds.
    pub(super) fn of(&self, kinds: &[&'static str], depth: u32, rng: &mut ChoiceRng) -> String {
        let outside;
        let kinds = if rng.chance(self.outside) {
            outside = [*rng.pick(&KINDS)];
            &outside[..]
        } else {
            kinds
        };
        if depth == 0 || rng.chance(15) {
            return self.leaf(kinds, rng);
        }
        if rng.chance(2) {
            return format!("{}.{}", self.of(&["text"], depth - 1, rng), rng.word(&OUTSIDE));
        }
        if rng.chance(12) {
            return self.branch(kinds, depth - 1, rng);
        }
        let fits = |row: &&Operation| row.gives.iter().all(|kind| kinds.contains(kind));
        let rows: Vec<&Operation> = self.rows.iter().filter(fits).collect();
        if rows.is_empty() {
            self.leaf(kinds, rng)
        } else {
            self.row(rng.pick::<&Operation>(&rows), depth - 1, rng)
        }
    }

    fn row(&self, row: &Operation, depth: u32, rng: &mut ChoiceRng) -> String {
        let mut parts: Vec<String> = row.takes.iter().map(|kinds| self.of(kinds, depth, rng)).collect();
        let name = row.name;
        if name == "vars.put" {
            parts[0] = format!("\"{}\"", rng.word(&WRITTEN));
        }
        match row.form {
            Form::Between => {
                let name = self.word_of(name, rng);
                let space = if rng.chance(80) || name.starts_with(char::is_alphabetic) { " " } else { "" };
                grouped(format!("{}{space}{name}{space}{}", parts[0], parts[1]), rng)
            }
            Form::Before => format!("{name}{}", grouped(parts.remove(0), rng)),
            Form::Cast => format!("({} {name})", parts[0]),
            Form::Property => format!("{}.{name}", parts[0]),
            Form::Method => format!("{}.{name}({})", parts.remove(0), parts.join(", ")),
            Form::Call => format!("{name}({})", parts.join(", ")),
            Form::Field => name.to_owned(),
        }
    }

    /// Returns an operator or, in JEXL, possibly its name.
    fn word_of(&self, mark: &'static str, rng: &mut ChoiceRng) -> &'static str {
        let is_jexl = matches!(self.language, ScriptLanguage::Jexl2 | ScriptLanguage::Jexl3);
        match mark {
            _ if !is_jexl || rng.chance(80) => mark,
            "==" => "eq",
            "!=" => "ne",
            "<" => "lt",
            ">" => "gt",
            "<=" => "le",
            ">=" => "ge",
            other => other,
        }
    }

    fn branch(&self, kinds: &[&'static str], depth: u32, rng: &mut ChoiceRng) -> String {
        const TRUTHS: [&str; 3] = ["boolean", "boolean", "text"];
        let condition = [*rng.pick(&TRUTHS)];
        let condition = self.of(&condition, depth, rng);
        match rng.below(4) {
            0 => format!("({condition} ? {} : {})", self.of(kinds, depth, rng), self.of(kinds, depth, rng)),
            1 => format!("({} ?: {})", self.of(kinds, depth, rng), self.of(kinds, depth, rng)),
            2 => grouped(format!("{condition} && {}", self.of(&["boolean"], depth, rng)), rng),
            _ => grouped(format!("{condition} || {}", self.of(&["boolean"], depth, rng)), rng),
        }
    }

    fn leaf(&self, kinds: &[&'static str], rng: &mut ChoiceRng) -> String {
        let is_javascript = self.language == ScriptLanguage::JavaScript;
        match *rng.pick(kinds) {
            "boolean" => rng.word(&["true", "false"]).to_owned(),
            "int" | "whole number" => rng.word(&INTS).to_owned(),
            "long" => format!("{}L", rng.word(&INTS)),
            "number" if is_javascript && rng.chance(30) => rng.word(&OF_JAVASCRIPT).to_owned(),
            "number" if is_javascript && rng.chance(50) => rng.word(&INTS).to_owned(),
            "number" => rng.word(&FRACTIONS).to_owned(),
            "text" if kinds.contains(&"null") && rng.chance(60) => variable(rng),
            "text" => self.literal(rng),
            "text of Java" => variable(rng),
            "undefined" => "undefined".to_owned(),
            _ if rng.chance(50) => variable(rng),
            _ => "null".to_owned(),
        }
    }

    fn literal(&self, rng: &mut ChoiceRng) -> String {
        let text = rng.word(&TEXTS).replace('\\', "\\\\");
        let single = self.language != ScriptLanguage::BeanShell && rng.chance(40);
        let quote = if single { '\'' } else { '"' };
        format!("{quote}{}{quote}", text.replace(quote, &format!("\\{quote}")))
    }
}

fn variable(rng: &mut ChoiceRng) -> String {
    let name = if rng.chance(15) { MISSING } else { rng.pick(&VARIABLES).0 };
    format!("vars.get(\"{name}\")")
}

/// Adds parentheses in most cases; otherwise precedence decides.
fn grouped(text: String, rng: &mut ChoiceRng) -> String {
    if rng.chance(80) { format!("({text})") } else { text }
}
