//! Scripts of Postman: the statements that its snippets and people's collections have everywhere.
//!
//! ```text
//! statement = pm.test("text", function () { statements })  |  tests["text"] = conditions
//!           | pm.expect(value) chain  |  pm.response.to chain
//!           | pm.environment.set("name", value)  |  let name = value  |  console.log(…)
//! value     = pm.response.json().a[0]  |  pm.response.code  |  pm.response.headers.get("Name")  |  …
//! ```
//!
//! A statement that is not understood is left out, and those after it are read. What it may have
//! assigned to is not known any more.

mod chain;

use std::collections::BTreeMap;

use crate::formats::javascript::Scanner;
use crate::model::{Capture, CaptureFrom, Check, CheckOf, Comparison, ScriptWhen, Text};

/// What a script does.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Meaning {
    /// Variables that it sets before the request.
    pub(super) sets: Vec<(String, String)>,
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
pub(super) fn read(script: &str, when: ScriptWhen) -> Meaning {
    let is_after = when == ScriptWhen::After;
    let mut reader = Reader {
        scan: Scanner::new(script),
        meaning: Meaning::default(),
        names: BTreeMap::new(),
        test: None,
        is_after,
        swallows: false,
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

/// A value of the response, or a constant.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Status,
    Time,
    Body,
    Json(String),
    Header(String),
    Constant(String),
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
}

impl<'a> Reader<'a> {
    /// Statements up to a `}` or the end.
    fn statements(&mut self, depth: usize) {
        loop {
            while self.scan.take(";").is_some() {}
            if self.scan.is_end() || self.scan.rest().starts_with('}') {
                return;
            }
            let start = self.scan.at;
            if self.scan.take("console.").is_some() {
                // About Postman's console only.
                self.scan.skip_statement();
                continue;
            }
            let before =
                (self.meaning.captures.len(), self.meaning.checks.len(), self.meaning.left_out.len());
            let sets = self.meaning.sets.len();
            let notes = self.meaning.notes.len();
            if self.statement(depth).is_some() && self.is_whole_statement() {
                continue;
            }
            self.meaning.sets.truncate(sets);
            self.meaning.captures.truncate(before.0);
            self.meaning.checks.truncate(before.1);
            self.meaning.left_out.truncate(before.2);
            self.meaning.notes.truncate(notes);
            self.scan.at = start;
            self.scan.skip_statement();
            if self.scan.at == start {
                // Nothing that a statement begins with.
                self.scan.at += self.scan.rest().chars().next().map_or(0, char::len_utf8);
            }
            self.meaning.left_out.push((start, self.scan.at));
            self.forget(start);
        }
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
        if is_test && self.scan.take("pm.response.to").is_some() {
            return self.response_chain();
        }
        let name = self.scan.name()?;
        self.assign(name)
    }

    /// `"name", value)` after the name of a store.
    fn store(&mut self) -> Option<()> {
        let name = self.scan.string()?;
        self.scan.take(",")?;
        let value = self.value()?;
        self.scan.take(")")?;
        match value {
            Value::Constant(text) if !self.is_after => self.meaning.sets.push((name, text)),
            value => self.meaning.captures.push(Capture::new(&name, capture_of(value)?)),
        }
        Some(())
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

    /// Adds a check under the name of the test around it.
    fn check(&mut self, of: CheckOf) {
        let mut check = Check::new(of);
        if let Some((name, number)) = &mut self.test {
            *number += 1;
            check.name = if *number == 1 { name.clone() } else { format!("{name} ({number})") };
        }
        self.meaning.checks.push(check);
    }

    /// Conditions with `&&` between them.
    fn conditions(&mut self) -> Option<()> {
        loop {
            self.condition()?;
            if self.scan.take("&&").is_none() {
                return Some(());
            }
        }
    }

    /// A condition, or several in brackets.
    fn condition(&mut self) -> Option<()> {
        if self.scan.rest().trim_start().starts_with('!') {
            self.scan.take("!")?;
            self.scan.take("(")?;
            let name = self.scan.string()?;
            self.member(&name, Comparison::Missing)?;
            return self.scan.take(")");
        }
        if self.scan.take("(").is_none() {
            return self.bare_condition();
        }
        self.bare_condition()?;
        while self.scan.take("&&").is_some() {
            self.bare_condition()?;
        }
        self.scan.take(")")
    }

    /// `in value` after a name.
    fn member(&mut self, name: &str, how: Comparison) -> Option<()> {
        self.scan.take_word("in")?;
        let Value::Json(path) = self.value()? else { return None };
        if name.contains(['\'', '\\']) {
            return None;
        }
        self.check(CheckOf::JsonPath(format!("{path}['{name}']"), how));
        Some(())
    }

    fn bare_condition(&mut self) -> Option<()> {
        let start = self.scan.at;
        if let Some(name) = self.scan.string() {
            return self.member(&name, Comparison::Exists);
        }
        self.scan.at = start;
        if self.scan.take("responseBody.has(").is_some() {
            let text = self.scan.string()?;
            self.scan.take(")")?;
            self.check(CheckOf::Body(Comparison::Contains(Text::literal(text))));
            return Some(());
        }
        if self.scan.take_word("true").is_some() {
            return Some(());
        }
        let value = self.value()?;
        let Some(operator) = self.scan.take_any(&["===", "!==", "==", "!=", "<=", "<"]) else {
            match value {
                // A header that is there is true.
                Value::Header(name) => self.check(CheckOf::Header(name, Comparison::Exists)),
                Value::Json(path) => {
                    let how = "any value is enough; Postman also wants it to be neither false, 0 nor empty";
                    self.meaning.notes.push((start, how));
                    self.check(CheckOf::JsonPath(path, Comparison::Exists));
                }
                _ => return None,
            }
            return Some(());
        };
        let literal = self.scan.literal()?;
        self.compared(value, operator, literal)
    }

    fn compared(&mut self, value: Value, operator: &str, literal: String) -> Option<()> {
        if let Value::Time = value {
            let limit: u64 = literal.parse().ok()?;
            let most = match operator {
                "<" => limit.checked_sub(1)?,
                "<=" => limit,
                _ => return None,
            };
            self.check(CheckOf::AtMostMs(most));
            return Some(());
        }
        let text = Text::literal(literal);
        let comparison = match operator {
            "===" | "==" => Comparison::Equals(text),
            "!==" | "!=" => Comparison::Differs(text),
            _ => return None,
        };
        self.check(check_of(value, comparison)?);
        Some(())
    }

    fn value(&mut self) -> Option<Value> {
        let _ = self.scan.take_word("await");
        let value = self.bare_value()?;
        // A number as text is the same text.
        let _ = self.scan.take(".toString()");
        let rest = self.scan.rest().trim_start();
        let is_operand = rest.starts_with(['.', '+', '-', '*', '/', '?', '[', '(']) || rest.starts_with("||");
        (!is_operand).then_some(value)
    }

    fn bare_value(&mut self) -> Option<Value> {
        for (call, value) in [
            ("pm.response.responseTime", Value::Time),
            ("pm.response.code", Value::Status),
            ("pm.response.text()", Value::Body),
            ("responseCode.code", Value::Status),
        ] {
            if self.scan.take_word(call.trim_end_matches("()")).is_some() {
                if call.ends_with("()") {
                    self.scan.take("()")?;
                }
                return self.response(value);
            }
        }
        if self.scan.take("pm.response.json()").is_some()
            || self.scan.take("JSON.parse(responseBody)").is_some()
            || self.scan.take("JSON.parse(pm.response.text())").is_some()
        {
            let path = self.scan.path()?;
            return self.response(Value::Json(format!("${path}")));
        }
        if self.scan.take_any(&["pm.response.headers.get(", "postman.getResponseHeader("]).is_some() {
            let name = self.scan.string()?;
            self.scan.take(")")?;
            return self.response(Value::Header(name));
        }
        if self.scan.take("responseHeaders[").is_some() {
            let name = self.scan.string()?;
            self.scan.take("]")?;
            return self.response(Value::Header(name));
        }
        for (name, value) in [("responseTime", Value::Time), ("responseBody", Value::Body)] {
            if self.scan.take_word(name).is_some() {
                return self.response(value);
            }
        }
        let start = self.scan.at;
        if let Some(literal) = self.scan.literal() {
            return Some(Value::Constant(literal));
        }
        self.scan.at = start;
        let known = self.scan.name().and_then(|name| self.names.get(name).cloned())?;
        match known {
            Value::Json(path) => Some(Value::Json(format!("{path}{}", self.scan.path()?))),
            other => Some(other),
        }
    }

    fn response(&self, value: Value) -> Option<Value> {
        self.is_after.then_some(value)
    }
}

fn check_of(value: Value, how: Comparison) -> Option<CheckOf> {
    Some(match value {
        Value::Status => CheckOf::Status(how),
        Value::Body => CheckOf::Body(how),
        Value::Json(path) => CheckOf::JsonPath(path, how),
        Value::Header(name) => CheckOf::Header(name, how),
        Value::Time | Value::Constant(_) => return None,
    })
}

fn capture_of(value: Value) -> Option<CaptureFrom> {
    Some(match value {
        Value::Status => CaptureFrom::Status,
        Value::Body => CaptureFrom::Body,
        Value::Json(path) => CaptureFrom::JsonPath(path),
        Value::Header(name) => CaptureFrom::Header(name),
        Value::Constant(text) if !text.contains('$') => CaptureFrom::Constant(text),
        Value::Time | Value::Constant(_) => return None,
    })
}

#[cfg(test)]
mod tests;
