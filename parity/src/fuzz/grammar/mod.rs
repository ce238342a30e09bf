//! Makes random texts and elements by rules in files (`parity/fuzz/`).
//!
//! ```text
//! # A comment.
//! name = a form ¦ 3× a form that is chosen three times as often
//!   more forms, on any number of lines ¦ ∅
//! name 2 other = a rule that uses `other` instead when nested twice in itself
//! name :
//!   one form
//!   on all its lines
//! ```
//!
//! | in a form | meaning |
//! |---|---|
//! | `«rule»`, `«rule 0-3»`, `«rule 1-3,»` | the text of the rule, repeated a random number of times in that range, separated by the comma |
//! | `«%rule»` | the same, with characters that have a meaning in URLs as `%` and two digits; references stay |
//! | `«name=rule»`, `«name:rule»` | the same; `«name»` repeats it up to the end of the form; with `:` it is not shown here |
//! | `«name~rule»` | nothing; up to the end of the form, `«name»` is this rule |
//! | `«1..3»`, `«30%»`, `«#»`, `«#+1»` | a number; `true` or `false`; an unused number; the next unused number |
//! | `‹text›`, `‹30% text›` | the text or nothing |
//! | `∅ ␣ ⏎ ␍ ⇥` | nothing, a space (at the start or end), line feed, carriage return, tab |
//!
//! | `«name:'text'»` | nothing; `«name»` is this text |
//!
//! Rules whose names begin with a capital letter make elements. The text of other rules is escaped
//! in them.

mod form;
mod writer;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use swell_plan::Node;

use super::rng::ChoiceRng;
use form::Part;
use writer::Writer;

/// The rules of all families.
pub(super) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let files = [
        include_str!("../../../fuzz/elements.txt"),
        include_str!("../../../fuzz/documents.txt"),
        include_str!("../../../fuzz/paths.txt"),
        include_str!("../../../fuzz/structure.txt"),
        include_str!("../../../fuzz/http.txt"),
        include_str!("../../../fuzz/extract.txt"),
        include_str!("../../../fuzz/assert.txt"),
        include_str!("../../../fuzz/functions.txt"),
        include_str!("../../../fuzz/csv.txt"),
    ];
    Grammar::read(&files.concat(), &[])
});

/// Writes the text of a name that no rule of a grammar defines.
pub(crate) type Outside<'a> = &'a dyn Fn(&str, &mut ChoiceRng) -> String;

/// Rules by their names.
#[derive(Debug, Default)]
pub(crate) struct Grammar {
    rules: BTreeMap<String, Rule>,
}

#[derive(Debug, Default)]
struct Rule {
    /// How many times the rule may be nested in itself, and the rule used instead beyond that.
    limit: Option<(usize, String)>,
    /// Forms with their weights.
    forms: Vec<(u32, Vec<Part>)>,
}

impl Rule {
    /// Parses a rule and its name from its lines.
    fn read<'a>(lines: &[&'a str]) -> (&'a str, Self) {
        let (first, more) = lines.split_first().expect("a line");
        let words: Vec<&str> = first.splitn(5, ' ').collect();
        let (head, mark, rest) = match words.as_slice() {
            [_, mark @ ("=" | ":"), rest @ ..] => (1, mark, rest),
            [_, _, _, mark @ ("=" | ":"), rest @ ..] => (3, mark, rest),
            _ => panic!("a rule begins with its name and `=` or `:`, not with {first}"),
        };
        let limit = (head == 3).then(|| (words[1].parse().expect("a number of times"), words[2].to_owned()));
        let first = rest.join(" ");
        let body = std::iter::once(first.as_str()).chain(more.iter().copied()).map(str::trim);
        let body: Vec<&str> = body.filter(|line| !line.is_empty()).collect();
        let forms = match *mark {
            ":" => vec![(1, form::read(&body.concat()))],
            _ => body.iter().flat_map(|line| line.split(" ¦ ")).map(weighted).collect(),
        };
        (words[0], Self { limit, forms })
    }
}

/// Whether a rule of this name makes elements.
fn is_of_elements(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

impl Grammar {
    /// Parses the rules of a text. `outside` has the names that are defined elsewhere.
    ///
    /// # Panics
    /// The text has a syntax error or uses an unknown rule: a mistake in the files of this crate.
    pub(crate) fn read(text: &str, outside: &[&str]) -> Self {
        let mut grammar = Self::default();
        let lines: Vec<&str> =
            text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).collect();
        for rule in lines.chunk_by(|_, line| line.starts_with(' ')) {
            let (name, rule) = Rule::read(rule);
            let before = grammar.rules.insert(name.to_owned(), rule);
            assert!(before.is_none(), "the rule {name} stands twice");
        }
        grammar.expect_all(outside);
        grammar
    }

    /// Checks that every rule in use is defined, or is bound in a form.
    fn expect_all(&self, outside: &[&str]) {
        let mut bound = outside.to_vec();
        let mut named = Vec::new();
        for rule in self.rules.values() {
            named.extend(rule.limit.iter().map(|(_, other)| other.as_str()));
            rule.forms.iter().for_each(|(_, parts)| form::names(parts, &mut bound, &mut named));
        }
        let lacks = |name: &&&str| !self.rules.contains_key(**name) && !bound.contains(*name);
        let missing: Vec<&&str> = named.iter().filter(lacks).collect();
        assert!(missing.is_empty(), "no such rules: {missing:?}");
    }

    /// Makes the text of a rule.
    pub(super) fn text(&self, rule: &str, rng: &mut ChoiceRng) -> String {
        let outside = |name: &str, _: &mut ChoiceRng| -> String { panic!("{name} has no meaning here") };
        self.text_with(rule, rng, &outside)
    }

    /// The same, with some names defined elsewhere.
    pub(crate) fn text_with(&self, rule: &str, rng: &mut ChoiceRng, outside: Outside<'_>) -> String {
        Writer::new(self, rng, outside).rule(rule)
    }

    /// Makes the elements of a rule.
    pub(super) fn nodes(&self, rule: &str, rng: &mut ChoiceRng) -> Vec<Node> {
        elements(&self.text(rule, rng))
    }
}

fn weighted(text: &str) -> (u32, Vec<Part>) {
    let text = text.trim();
    match text.split_once('×').and_then(|(weight, text)| Some((weight.parse().ok()?, text))) {
        Some((weight, text)) => (weight, form::read(text.trim_start())),
        None => (1, form::read(text)),
    }
}

/// Parses elements in the form of a plan.
///
/// # Panics
/// The text is not XML: a mistake in the files of this crate.
pub(crate) fn elements(text: &str) -> Vec<Node> {
    let root = "<TestPlan guiclass=\"TestPlanGui\" testname=\"\"/>";
    let plan = format!(
        "<jmeterTestPlan version=\"1.2\"><hashTree>{root}<hashTree>{text}</hashTree></hashTree></jmeterTestPlan>"
    );
    let reading = swell_plan::read(plan.as_bytes(), None);
    let plan = reading.plan.unwrap_or_else(|| panic!("{:?}: {text}", reading.diagnostics));
    plan.root.children
}

#[cfg(test)]
mod tests;
