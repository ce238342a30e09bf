//! Scripts after a response: the calls that everybody writes, without an engine for JavaScript.
//!
//! ```text
//! statements = (statement [";"])*
//! statement  = client.global.set("name", value) | client.assert(condition [, "text"]) | client.log(…)
//!            | client.test("text", function() { statements })
//! value      = response.status | response.body.a[0]["b"] | response.headers.valueOf("Name")
//! condition  = value ("===" | "==" | "!==" | "!=") literal
//! ```

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
    let mut reader = Reader { script, at: 0, meaning: Meaning::default() };
    if reader.statements(0).is_none() || !reader.is_end() {
        reader.meaning.rest = Some(reader.at);
    }
    reader.meaning
}

struct Reader<'a> {
    script: &'a str,
    at: usize,
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
    fn rest(&self) -> &str {
        &self.script[self.at..]
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let comment = if rest[blank..].starts_with("//") {
                rest[blank..].find('\n').unwrap_or(rest.len() - blank)
            } else if rest[blank..].starts_with("/*") {
                rest[blank..].find("*/").map_or(rest.len() - blank, |end| end + 2)
            } else {
                0
            };
            self.at += blank + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn is_end(&mut self) -> bool {
        self.skip();
        self.rest().is_empty()
    }

    /// Takes a text, if it is next.
    fn take(&mut self, text: &str) -> Option<()> {
        self.skip();
        self.rest().starts_with(text).then(|| self.at += text.len())
    }

    /// Takes the first of some texts that is next.
    fn take_any<'t>(&mut self, texts: &[&'t str]) -> Option<&'t str> {
        texts.iter().find(|text| self.take(text).is_some()).copied()
    }

    /// Statements up to a `}` or the end. None: the next one is not understood, and begins here.
    fn statements(&mut self, depth: usize) -> Option<()> {
        loop {
            while self.take(";").is_some() {}
            if self.is_end() || self.rest().starts_with('}') {
                return Some(());
            }
            let start = self.at;
            if self.statement(depth).is_none() {
                self.at = start;
                return None;
            }
        }
    }

    fn statement(&mut self, depth: usize) -> Option<()> {
        if self.take("client.global.set(").is_some() {
            let name = self.string()?;
            self.take(",")?;
            let value = self.value()?;
            self.take(")")?;
            self.meaning.captures.push(Capture::new(&name, capture_of(value)));
        } else if self.take("client.log(").is_some() {
            // About the editor's window only.
            let end = self.rest().find(['\n', ';']).unwrap_or(self.rest().len());
            self.at += end;
        } else if self.take("client.assert(").is_some() {
            let check = self.condition()?;
            if self.take(",").is_some() {
                self.string()?;
            }
            self.take(")")?;
            self.meaning.checks.push(check);
        } else {
            return self.test(depth);
        }
        Some(())
    }

    /// `client.test("text", function() { … })`.
    fn test(&mut self, depth: usize) -> Option<()> {
        self.take("client.test(")?;
        self.string()?;
        self.take(",")?;
        if self.take("function").is_some() {
            self.take("(")?;
            self.take(")")?;
        } else {
            self.take("(")?;
            self.take(")")?;
            self.take("=>")?;
        }
        self.take("{")?;
        if depth >= MOST_DEPTH {
            return None;
        }
        // What a test has before a statement that is not understood stays.
        let known = self.meaning.checks.len();
        if self.statements(depth + 1).is_none() {
            self.meaning.checks.truncate(known);
            return None;
        }
        self.take("}")?;
        self.take(")")
    }

    fn condition(&mut self) -> Option<Check> {
        let value = self.value()?;
        let operator = self.take_any(&["===", "!==", "==", "!="])?;
        let literal = self.literal()?;
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
        if self.take("response.status").is_some() {
            return Some(Value::Status);
        }
        if self.take("response.headers.valueOf(").is_some() {
            let name = self.string()?;
            self.take(")")?;
            return Some(Value::Header(name));
        }
        self.take("response.body")?;
        let start = self.at;
        let mut path = String::from("$");
        loop {
            if self.rest().starts_with('.') {
                let name: String = self.rest()[1..]
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || "_$".contains(*c))
                    .collect();
                if name.is_empty() {
                    return None;
                }
                self.at += 1 + name.len();
                path.push('.');
                path.push_str(&name);
            } else if self.rest().starts_with('[') {
                self.at += 1;
                path.push_str(&self.index()?);
            } else {
                break;
            }
        }
        // A call, as of `hasOwnProperty`, is no value.
        if self.rest().starts_with('(') {
            return None;
        }
        Some(if self.at == start { Value::Body } else { Value::JsonPath(path) })
    }

    /// `0]` or `"name"]`.
    fn index(&mut self) -> Option<String> {
        let digits: String = self.rest().chars().take_while(char::is_ascii_digit).collect();
        let index = if digits.is_empty() {
            let name = self.string()?;
            if name.contains('\'') {
                return None;
            }
            format!("['{name}']")
        } else {
            self.at += digits.len();
            format!("[{digits}]")
        };
        self.take("]")?;
        Some(index)
    }

    /// A text, number or boolean.
    fn literal(&mut self) -> Option<String> {
        self.skip();
        if self.rest().starts_with(['"', '\'', '`']) {
            return self.string();
        }
        let text: String =
            self.rest().chars().take_while(|c| c.is_alphanumeric() || "-.".contains(*c)).collect();
        let is_known = text == "true" || text == "false" || text.parse::<f64>().is_ok();
        self.at += text.len();
        is_known.then_some(text)
    }

    /// A text in quotes, without expressions in it.
    fn string(&mut self) -> Option<String> {
        self.skip();
        let quote = self.rest().chars().next().filter(|c| ['"', '\'', '`'].contains(c))?;
        let mut text = String::new();
        let mut chars = self.rest()[1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += at + 2;
                    return Some(text);
                }
                '\\' => text.push(match chars.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    c @ ('"' | '\'' | '`' | '\\') => c,
                    _ => return None,
                }),
                '$' | '\n' if quote == '`' || c == '\n' => return None,
                c => text.push(c),
            }
        }
        None
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
