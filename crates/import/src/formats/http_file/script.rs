//! Scripts after a response: the calls that everybody writes, without an engine for JavaScript.
//!
//! ```text
//! statements = (statement [";"])*
//! statement  = client.global.set("name", value) | client.assert(condition [, "text"]) | client.log(…)
//!            | client.test("text", function() { statements })
//! value      = response.status | response.body.a[0]["b"] | response.headers.valueOf("Name")
//! condition  = value ("===" | "==" | "!==" | "!=") literal
//! ```

use crate::formats::javascript::Scanner;
use crate::model::{Capture, CaptureFrom, Check, CheckOf, Comparison, Text};

/// What a script does.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Meaning {
    /// Values that it keeps.
    pub(super) captures: Vec<Capture>,
    /// What it checks.
    pub(super) checks: Vec<Check>,
    /// Where the part begins that is not understood, in bytes.
    pub(super) rest: Option<usize>,
}

/// Depth of tests in tests.
const MOST_DEPTH: usize = 16;

/// Reads a script up to its end, or to what is not understood.
pub(super) fn read(script: &str) -> Meaning {
    let mut reader = Reader { scan: Scanner::new(script), meaning: Meaning::default() };
    if reader.statements(0).is_none() || !reader.scan.is_end() {
        reader.meaning.rest = Some(reader.scan.at);
    }
    reader.meaning
}

struct Reader<'a> {
    scan: Scanner<'a>,
    meaning: Meaning,
}

/// A value of the response.
enum Value {
    Status,
    Body,
    JsonPath(String),
    Header(String),
}

impl Reader<'_> {
    /// Statements up to a `}` or the end. None: the next one is not understood, and begins here.
    fn statements(&mut self, depth: usize) -> Option<()> {
        loop {
            while self.scan.take(";").is_some() {}
            if self.scan.is_end() || self.scan.rest().starts_with('}') {
                return Some(());
            }
            let start = self.scan.at;
            if self.statement(depth).is_none() {
                self.scan.at = start;
                return None;
            }
        }
    }

    fn statement(&mut self, depth: usize) -> Option<()> {
        if self.scan.take("client.global.set(").is_some() {
            let name = self.scan.string()?;
            self.scan.take(",")?;
            let value = self.value()?;
            self.scan.take(")")?;
            self.meaning.captures.push(Capture::new(&name, capture_of(value)));
        } else if self.scan.take("client.log(").is_some() {
            // About the editor's window only.
            let end = self.scan.rest().find(['\n', ';']).unwrap_or(self.scan.rest().len());
            self.scan.at += end;
        } else if self.scan.take("client.assert(").is_some() {
            let check = self.condition()?;
            if self.scan.take(",").is_some() {
                self.scan.string()?;
            }
            self.scan.take(")")?;
            self.meaning.checks.push(check);
        } else {
            return self.test(depth);
        }
        Some(())
    }

    /// `client.test("text", function() { … })`.
    fn test(&mut self, depth: usize) -> Option<()> {
        self.scan.take("client.test(")?;
        self.scan.string()?;
        self.scan.take(",")?;
        if self.scan.take("function").is_some() {
            self.scan.take("(")?;
            self.scan.take(")")?;
        } else {
            self.scan.take("(")?;
            self.scan.take(")")?;
            self.scan.take("=>")?;
        }
        self.scan.take("{")?;
        if depth >= MOST_DEPTH {
            return None;
        }
        // What a test has before a statement that is not understood stays.
        let known = self.meaning.checks.len();
        if self.statements(depth + 1).is_none() {
            self.meaning.checks.truncate(known);
            return None;
        }
        self.scan.take("}")?;
        self.scan.take(")")
    }

    fn condition(&mut self) -> Option<Check> {
        let value = self.value()?;
        let operator = self.scan.take_any(&["===", "!==", "==", "!="])?;
        let literal = self.scan.literal()?;
        let text = Text::literal(literal);
        let comparison =
            if operator.starts_with('=') { Comparison::Equals(text) } else { Comparison::Differs(text) };
        Some(Check::new(match value {
            Value::Status => CheckOf::Status(comparison),
            Value::Body => CheckOf::Body(comparison),
            Value::JsonPath(path) => CheckOf::JsonPath(path, comparison),
            Value::Header(name) => CheckOf::Header(name, comparison),
        }))
    }

    fn value(&mut self) -> Option<Value> {
        if self.scan.take("response.status").is_some() {
            return Some(Value::Status);
        }
        if self.scan.take("response.headers.valueOf(").is_some() {
            let name = self.scan.string()?;
            self.scan.take(")")?;
            return Some(Value::Header(name));
        }
        self.scan.take("response.body")?;
        let path = self.scan.path()?;
        Some(if path.is_empty() { Value::Body } else { Value::JsonPath(format!("${path}")) })
    }
}

fn capture_of(value: Value) -> CaptureFrom {
    match value {
        Value::Status => CaptureFrom::Status,
        Value::Body => CaptureFrom::Body,
        Value::JsonPath(path) => CaptureFrom::JsonPath(path),
        Value::Header(name) => CaptureFrom::Header(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(script: &str) -> (Vec<String>, bool) {
        let meaning = read(script);
        let captures = meaning.captures.iter().map(|one| format!("{} = {:?}", one.variable, one.from));
        let checks = meaning.checks.iter().map(|one| format!("{:?}", one.of));
        (captures.chain(checks).collect(), meaning.rest.is_some())
    }

    #[test]
    fn usual_scripts_are_read_and_others_begin_where_they_do() {
        for (script, wanted, rest) in [
            ("", &[][..], false),
            (
                r#" client.global.set("t", response.body.a["b c"][0].d); client.log(response.body);"#,
                &[r#"t = JsonPath("$.a['b c'][0].d")"#][..],
                false,
            ),
            (
                "client.test('ok', function() {\n // remark\n client.assert(response.status === 200, \"no\");\n});",
                &[r#"Status(Equals("200"))"#],
                false,
            ),
            (
                "client.test(`a`, () => { client.assert(response.body.x != \"y\") })\nclient.global.set('h', response.headers.valueOf('X'))",
                &[r#"h = Header("X")"#, r#"JsonPath("$.x", Differs("y"))"#],
                false,
            ),
            ("client.global.set('s', response.status); var x = 1;", &["s = Status"], true),
            ("client.global.set('s', response.body.f())", &[], true),
            ("client.test('x', function() { client.assert(response.status === 200); f() })", &[], true),
            ("client.global.set('s", &[], true),
        ] {
            let (found, has_rest) = shown(script);
            assert_eq!(
                (found, has_rest),
                (wanted.iter().map(|text| (*text).to_owned()).collect(), rest),
                "{script}"
            );
        }
    }

    #[test]
    fn tests_in_tests_have_a_limit() {
        let script = "client.test('x', function() {".repeat(10_000);
        assert!(read(&script).rest.is_some());
    }
}
