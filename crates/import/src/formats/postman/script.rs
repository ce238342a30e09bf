//! Scripts of Postman: the statements that its snippets and people's collections have everywhere.
//!
//! ```text
//! statement = pm.test("text", function () { statements })  |  tests["text"] = conditions
//!           | pm.expect(value) chain  |  pm.response.to chain
//!           | pm.environment.set("name", value)  |  let name = value  |  console.log(…)
//!           | pm.sendRequest(value, function (error, response) { statements })
//!           | if (error) { console.log(…) } else { statements }
//! value     = pm.response.json().a[0]  |  pm.response.code  |  pm.response.headers.get("Name")  |  …
//!           | "text" + pm.environment.get("name")  |  `text ${value}`  |  JSON.stringify({ … })
//! ```
//!
//! A statement that is not understood is left out, and those after it are read. What it may have
//! assigned to is not known any more.
//!
//! Variables of a plan are read when a request is sent or a check is made, those of a script where
//! it says so. A statement for which that makes a difference is not understood.

mod chain;
mod conditions;
mod send;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use self::values::Value;
pub(super) use self::values::{compared, reads};
use crate::formats::javascript::Scanner;
use crate::model::{Capture, CaptureFrom, Check, Exchange, ScriptWhen, Text};

/// What a script does.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Meaning {
    /// Variables that it sets before the request.
    pub(super) sets: Vec<(String, Text)>,
    /// Requests that it sends, each with the byte where the script does, in order.
    pub(super) requests: Vec<(usize, Exchange)>,
    /// Values that it keeps.
    pub(super) captures: Vec<Capture>,
    /// What it checks.
    pub(super) checks: Vec<Check>,
    /// Statements that are not understood, as bytes from and to.
    pub(super) left_out: Vec<(usize, usize)>,
    /// What works otherwise: where, and how.
    pub(super) notes: Vec<(usize, &'static str)>,
}

/// Depth of tests in tests.
const MOST_DEPTH: usize = 16;

/// Names that a script gives to values.
const MOST_NAMES: usize = 100;

/// Names of stores of variables; all become variables of the virtual user.
const STORES: [&str; 6] = [
    "pm.environment.set(",
    "pm.collectionVariables.set(",
    "pm.globals.set(",
    "pm.variables.set(",
    "postman.setEnvironmentVariable(",
    "postman.setGlobalVariable(",
];

/// Reads a script. One before a request has no response to check or to take values from.
/// `compared` has the variables that checks of scripts before it read.
pub(super) fn read(script: &str, when: ScriptWhen, compared: BTreeSet<String>) -> Meaning {
    let mut reader = Reader {
        scan: Scanner::new(script),
        meaning: Meaning::default(),
        names: BTreeMap::new(),
        test: None,
        is_after: when == ScriptWhen::After,
        swallows: false,
        response: "pm.response",
        error: None,
        is_error: false,
        compared,
        set_later: BTreeSet::new(),
        depth: 0,
    };
    while !reader.scan.is_end() {
        reader.statements(0);
        // A `}` too many.
        if reader.scan.take("}").is_some() {
            reader.meaning.left_out.push((reader.scan.at - 1, reader.scan.at));
        }
    }
    reader.meaning
}

struct Reader<'a> {
    scan: Scanner<'a>,
    meaning: Meaning,
    /// Names that the script gave to values.
    names: BTreeMap<&'a str, Value>,
    /// The test around the statement, with the number of its checks.
    test: Option<(String, usize)>,
    is_after: bool,
    /// The script catches what fails.
    swallows: bool,
    /// What the script calls the response that its statements are about.
    response: &'a str,
    /// What it calls the error of a request, where there is one.
    error: Option<&'a str>,
    /// The statements run only after an error of the network.
    is_error: bool,
    /// Variables that checks of the response read.
    compared: BTreeSet<String>,
    /// Variables that are set when requests of the script have their responses.
    set_later: BTreeSet<String>,
    /// Depth of values in values.
    depth: usize,
}

/// What a reader knew before a statement.
#[derive(PartialEq)]
struct Mark {
    captures: usize,
    checks: usize,
    left_out: usize,
    sets: usize,
    notes: usize,
    requests: usize,
}

impl<'a> Reader<'a> {
    /// Statements up to a `}` or the end.
    fn statements(&mut self, depth: usize) {
        loop {
            while self.scan.take(";").is_some() {}
            if self.scan.is_end() || self.scan.rest().starts_with('}') {
                return;
            }
            self.next_statement(depth);
        }
    }

    /// A statement, or what is left out in its place.
    fn next_statement(&mut self, depth: usize) {
        let start = self.scan.at;
        if self.is_idle() {
            self.scan.skip_statement();
            return;
        }
        let mark = self.mark();
        if self.statement(depth).is_some() && self.is_whole_statement() {
            return;
        }
        self.back_to(&mark);
        self.scan.at = start;
        self.scan.skip_statement();
        if self.scan.at == start {
            // Nothing that a statement begins with.
            self.scan.at += self.scan.rest().chars().next().map_or(0, char::len_utf8);
        }
        self.meaning.left_out.push((start, self.scan.at));
        self.forget(start);
    }

    /// Whether a statement begins that does nothing for a plan.
    fn is_idle(&mut self) -> bool {
        // About Postman's console only, or a test that is not made.
        self.scan.take_any(&["console.", "pm.test.skip("]).is_some()
            || self.is_error && self.scan.take_any(&["return", "throw"]).is_some()
    }

    fn mark(&self) -> Mark {
        Mark {
            captures: self.meaning.captures.len(),
            checks: self.meaning.checks.len(),
            left_out: self.meaning.left_out.len(),
            sets: self.meaning.sets.len(),
            notes: self.meaning.notes.len(),
            requests: self.meaning.requests.len(),
        }
    }

    fn back_to(&mut self, mark: &Mark) {
        self.meaning.captures.truncate(mark.captures);
        self.meaning.checks.truncate(mark.checks);
        self.meaning.left_out.truncate(mark.left_out);
        self.meaning.notes.truncate(mark.notes);
        let requests = self.meaning.requests.drain(mark.requests..);
        let sets: Vec<_> = requests.flat_map(|(_, exchange)| exchange.sets).collect();
        self.meaning.sets.splice(0..0, sets);
        self.meaning.sets.truncate(mark.sets);
    }

    /// Whether nothing follows a statement but another.
    fn is_whole_statement(&mut self) -> bool {
        // Looking for what a statement may have next has skipped white space already.
        let before = self.scan.between(0, self.scan.at).trim_end().len();
        self.scan.skip();
        let gap = self.scan.between(before, self.scan.at);
        let rest = self.scan.rest();
        let is_next = rest.is_empty() || rest.starts_with([';', '}']) || gap.contains('\n');
        is_next && !rest.starts_with(['.', '+', '-', '*', '/', '?', '|', '&', '(', '[', ',', '=', '<', '>'])
    }

    /// Forgets names that a skipped statement may have changed.
    fn forget(&mut self, start: usize) {
        let skipped = self.scan.between(start, self.scan.at);
        self.names.retain(|name, _| !skipped.contains(*name));
    }

    fn statement(&mut self, depth: usize) -> Option<()> {
        if self.scan.take("pm.test(").is_some() {
            return self.test(depth);
        }
        if self.scan.take_any(&["const ", "let ", "var "]).is_some() {
            return self.declaration();
        }
        if self.scan.take_word("try").is_some() {
            return self.attempt(depth);
        }
        if self.scan.take_word("if").is_some() {
            return self.branch(depth);
        }
        if self.scan.take("pm.sendRequest(").is_some() {
            return self.send(depth);
        }
        if self.scan.take_any(&STORES).is_some() {
            return self.store();
        }
        // The rest needs a response.
        if !self.is_after {
            return None;
        }
        if self.scan.take("tests[").is_some() {
            let name = self.scan.string()?;
            self.scan.take("]")?;
            self.scan.take("=")?;
            return self.in_test(name, Reader::conditions);
        }
        let is_test = self.test.is_some() || !self.swallows;
        if is_test && self.scan.take("pm.expect(").is_some() {
            return self.expectation();
        }
        let is_outer = self.response == "pm.response";
        if is_test && is_outer && self.scan.take("pm.response.to").is_some() {
            return self.response_chain();
        }
        let name = self.scan.name()?;
        self.assign(name)
    }

    /// `"name", value)` after the name of a store.
    fn store(&mut self) -> Option<()> {
        let variable = self.scan.string()?;
        self.scan.take(",")?;
        let start = self.scan.at;
        let name = self.scan.name().filter(|name| self.names.contains_key(name));
        self.scan.at = start;
        let value = self.value()?;
        let is_name = name.is_some_and(|name| self.scan.between(start, self.scan.at).trim() == name);
        self.scan.take(")")?;
        if !self.may_set(&variable) {
            return None;
        }
        let made = name.filter(|_| is_name && value.is_made());
        match value {
            Value::Text(text) | Value::Bare(text) if !self.is_after => {
                self.meaning.sets.push((variable.clone(), text));
            }
            value => self.meaning.captures.push(Capture::new(&variable, capture_of(value)?)),
        }
        self.forget_reading(&variable);
        if let Some(name) = made {
            // A value that would be made again is that of the variable from here on.
            self.name(name, Value::Text(Text::variable(&variable)));
        }
        Some(())
    }

    /// Whether a variable can be set here in a plan with what the script means by it: extractors
    /// run before checks, and both before the next request.
    fn may_set(&self, variable: &str) -> bool {
        let is_sent = |exchange: &Exchange| values::reads(exchange).contains(variable);
        let is_sent = self.is_after && self.meaning.requests.iter().any(|(_, one)| is_sent(one));
        !self.compared.contains(variable) && !self.set_later.contains(variable) && !is_sent
    }

    /// Forgets names of texts with the old value of a variable.
    fn forget_reading(&mut self, variable: &str) {
        self.names.retain(|_, value| !value.reads(variable));
    }

    /// `name = value`, `name` alone, or `{a, b} = value`.
    fn declaration(&mut self) -> Option<()> {
        if self.scan.take("{").is_none() {
            let name = self.scan.name()?;
            self.names.remove(name);
            self.scan.skip();
            return if self.scan.rest().starts_with(';') { Some(()) } else { self.assign(name) };
        }
        let mut names = Vec::new();
        while self.scan.take("}").is_none() {
            names.push(self.scan.name()?);
            let _ = self.scan.take(",");
        }
        self.scan.take("=")?;
        let Value::Json(path) = self.value()? else { return None };
        for name in names {
            self.name(name, Value::Json(format!("{path}.{name}")));
        }
        Some(())
    }

    /// `try { … } catch (e) { … }`. What fails in it is no failed test, but for tests in it.
    fn attempt(&mut self, depth: usize) -> Option<()> {
        self.scan.take("{")?;
        if depth >= MOST_DEPTH {
            return None;
        }
        let outer = std::mem::replace(&mut self.swallows, self.test.is_none());
        self.statements(depth + 1);
        self.swallows = outer;
        self.scan.take("}")?;
        self.scan.take_word("catch")?;
        self.scan.skip_statement();
        Some(())
    }

    /// `if (…) { … } else { … }` that only looks for an error of the network, or whose statements
    /// do nothing for a plan.
    fn branch(&mut self, depth: usize) -> Option<()> {
        if depth >= MOST_DEPTH {
            return None;
        }
        let start = self.scan.at;
        self.scan.take("(")?;
        let is_not = self.scan.take("!").is_some();
        let is_error = self.error.is_some_and(|error| self.scan.take_word(error).is_some());
        let is_error = is_error && {
            let _ = self.scan.take_any(&["!== null", "!= null"]);
            self.scan.take(")").is_some()
        };
        if !is_error {
            self.scan.at = start;
            self.scan.skip_brackets()?;
        }
        // Without a known condition, neither block may do anything.
        self.block(depth, !is_error || !is_not, is_error && !is_not)?;
        if self.scan.take_word("else").is_some() {
            self.block(depth, !is_error || is_not, is_error && is_not)?;
        }
        Some(())
    }

    /// `{ statements }`, or one without brackets. One that is idle does nothing for a plan.
    fn block(&mut self, depth: usize, is_idle: bool, is_error: bool) -> Option<()> {
        let mark = self.mark();
        let names = is_idle.then(|| self.names.clone());
        let outer = self.is_error;
        self.is_error |= is_error;
        let is_block = self.scan.take("{").is_some();
        if is_block {
            self.statements(depth + 1);
        } else {
            self.next_statement(depth + 1);
        }
        self.is_error = outer;
        if is_block {
            self.scan.take("}")?;
        }
        // Notes do nothing.
        let has_done = self.mark() != Mark { notes: self.meaning.notes.len(), ..mark };
        let has_named = names.is_some_and(|names| names != self.names);
        (!is_idle || !has_done && !has_named).then_some(())
    }

    /// Gives a name to a value.
    fn name(&mut self, name: &'a str, value: Value) {
        if self.names.len() < MOST_NAMES {
            self.names.insert(name, value);
        }
    }

    /// `= value` after a name.
    fn assign(&mut self, name: &'a str) -> Option<()> {
        self.scan.take("=")?;
        if self.scan.rest().starts_with(['=', '>']) {
            return None;
        }
        let value = self.value()?;
        self.name(name, value);
        Some(())
    }

    /// `"text", function () { … })` of `pm.test(`.
    fn test(&mut self, depth: usize) -> Option<()> {
        let name = self.scan.string()?;
        if self.scan.take(")").is_some() {
            // A test that is still to be written.
            return Some(());
        }
        self.scan.take(",")?;
        let _ = self.scan.take_word("async");
        if self.scan.take_word("function").is_some() {
            let _ = self.scan.name();
            self.scan.take("(")?;
            self.scan.take(")")?;
        } else {
            self.scan.take("(")?;
            self.scan.take(")")?;
            self.scan.take("=>")?;
        }
        if depth >= MOST_DEPTH {
            return None;
        }
        if self.scan.take("{").is_none() {
            self.in_test(name, |reader| reader.statement(MOST_DEPTH))?;
            return self.scan.take(")");
        }
        self.in_test(name, |reader| {
            reader.statements(depth + 1);
            reader.scan.take("}")
        })?;
        self.scan.take(")")
    }

    fn in_test(&mut self, name: String, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let outer = self.test.replace((name, 0));
        let done = read(self);
        self.test = outer;
        done
    }
}

fn capture_of(value: Value) -> Option<CaptureFrom> {
    Some(match value {
        Value::Status => CaptureFrom::Status,
        Value::Body => CaptureFrom::Body,
        Value::Json(path) => CaptureFrom::JsonPath(path),
        Value::Header(name) => CaptureFrom::Header(name),
        Value::Text(text) | Value::Bare(text) => {
            CaptureFrom::Constant(text.as_literal().filter(|text| !text.contains('$'))?.to_owned())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
