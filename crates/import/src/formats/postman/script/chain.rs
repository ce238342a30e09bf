//! Chains of words that say what must hold, as `pm.expect(value).to.eql(1)` and
//! `pm.response.to.have.status(200)`.

use super::{Reader, Value, check_of};
use crate::model::{CheckOf, Comparison, Text};

/// Words of a chain that change nothing.
const FILLERS: [&str; 16] = [
    "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same", "but",
    "deep", "does",
];

impl<'a> Reader<'a> {
    /// The next word of a chain, after those that change nothing, and whether it is inverted.
    fn word(&mut self) -> Option<(&'a str, bool)> {
        let mut is_not = false;
        loop {
            self.scan.take(".")?;
            let word = self.scan.name()?;
            if word == "not" {
                is_not = !is_not;
            } else if !FILLERS.contains(&word) {
                return Some((word, is_not));
            }
        }
    }

    /// What follows `pm.expect(`.
    pub(super) fn expectation(&mut self) -> Option<()> {
        let start = self.scan.at;
        let value = self.value()?;
        if let Some(operator) = self.scan.take_any(&["===", "!==", "==", "!=", "<=", "<"]) {
            // `pm.expect(value === 1).to.be.true`
            let literal = self.scan.literal()?;
            self.end_of_subject()?;
            let (word, is_not) = self.word()?;
            let is_true = match word {
                "true" | "ok" => true,
                "eql" | "equal" | "eq" | "equals" => self.argument()? == "true",
                _ => false,
            };
            return if is_true && !is_not { self.compared(value, operator, literal) } else { None };
        }
        self.end_of_subject()?;
        let (word, is_not) = self.word()?;
        self.expected(value, word, is_not, start)
    }

    /// `)`, or `, "message")`.
    fn end_of_subject(&mut self) -> Option<()> {
        if self.scan.take(",").is_some() {
            self.scan.string()?;
        }
        self.scan.take(")")
    }

    /// `(literal)`, or with a message after it.
    fn argument(&mut self) -> Option<String> {
        self.scan.take("(")?;
        let literal = self.scan.literal()?;
        self.end_of_subject()?;
        Some(literal)
    }

    fn expected(&mut self, value: Value, word: &str, is_not: bool, start: usize) -> Option<()> {
        let positive = |how: Comparison| (!is_not).then_some(how);
        let how = match word {
            "eql" | "eqls" | "equal" | "equals" | "eq" => {
                let text = Text::literal(self.argument()?);
                if is_not { Comparison::Differs(text) } else { Comparison::Equals(text) }
            }
            "include" | "includes" | "contain" | "contains" | "string" => {
                let text = Text::literal(self.argument()?);
                if let Value::Json(_) = value {
                    let how =
                        "a text that contains it is enough; in a list, Postman looks for an equal value";
                    self.meaning.notes.push((start, how));
                }
                if is_not { Comparison::Lacks(text) } else { Comparison::Contains(text) }
            }
            "true" | "false" => positive(Comparison::Equals(Text::literal(word)))?,
            "exist" if matches!(value, Value::Json(_) | Value::Header(_)) => {
                if is_not {
                    Comparison::Missing
                } else {
                    Comparison::Exists
                }
            }
            "undefined" if matches!(value, Value::Json(_)) => {
                if is_not {
                    Comparison::Exists
                } else {
                    Comparison::Missing
                }
            }
            "oneOf" => positive(Comparison::OneOf(self.list()?))?,
            "match" | "matches" => {
                let pattern = Text::literal(self.pattern()?);
                if is_not { Comparison::MatchesNot(pattern) } else { Comparison::Matches(pattern) }
            }
            "property" | "ownProperty" => return self.property(value, is_not),
            "below" | "lessThan" | "lt" | "most" | "lte" => {
                let operator = if matches!(word, "most" | "lte") { "<=" } else { "<" };
                let literal = self.argument()?;
                return if is_not { None } else { self.compared(value, operator, literal) };
            }
            _ => return None,
        };
        self.check(check_of(value, how)?);
        Some(())
    }

    /// `("name")` or `("name", value)` of a value of JSON.
    fn property(&mut self, value: Value, is_not: bool) -> Option<()> {
        let Value::Json(path) = value else { return None };
        self.scan.take("(")?;
        let name = self.scan.string()?;
        if name.contains(['\'', '\\']) {
            return None;
        }
        let how = match (self.scan.take(",").is_some(), is_not) {
            (true, false) => Comparison::Equals(Text::literal(self.scan.literal()?)),
            (true, true) => return None,
            (false, false) => Comparison::Exists,
            (false, true) => Comparison::Missing,
        };
        self.scan.take(")")?;
        self.check(CheckOf::JsonPath(format!("{path}['{name}']"), how));
        Some(())
    }

    /// `([1, 2])`.
    fn list(&mut self) -> Option<Vec<Text>> {
        self.scan.take("(")?;
        self.scan.take("[")?;
        let mut all = Vec::new();
        while self.scan.take("]").is_none() {
            all.push(Text::literal(self.scan.literal()?));
            let _ = self.scan.take(",");
        }
        self.scan.take(")")?;
        (!all.is_empty()).then_some(all)
    }

    /// `(/pattern/)`. Forms that the expressions of JMeter do not have are not understood.
    fn pattern(&mut self) -> Option<String> {
        self.scan.take("(")?;
        self.scan.take("/")?;
        let (source, flags) = self.scan.regex_source()?;
        self.scan.take(")")?;
        if source.contains("(?<")
            || source.contains("\\u")
            || source.contains("\\p")
            || source.contains("\\k")
        {
            return None;
        }
        let source = source.replace("\\/", "/");
        match flags {
            "" | "g" => Some(source),
            "i" | "gi" | "ig" => Some(format!("(?i){source}")),
            _ => None,
        }
    }

    /// What follows `pm.response.to`.
    pub(super) fn response_chain(&mut self) -> Option<()> {
        let (word, is_not) = self.word()?;
        let status = match word {
            "ok" => "200",
            "accepted" => "202",
            "badRequest" => "400",
            "unauthorized" => "401",
            "forbidden" => "403",
            "notFound" => "404",
            "rateLimited" => "429",
            "success" => r"2\d\d",
            "redirection" => r"3\d\d",
            "clientError" => r"4\d\d",
            "serverError" => r"5\d\d",
            "error" => r"[45]\d\d",
            _ => "",
        };
        if !status.is_empty() {
            let is_pattern = status.contains('\\');
            let text = Text::literal(status);
            let how = match (is_pattern, is_not) {
                (true, false) => Comparison::IsMatch(text),
                (true, true) => Comparison::MatchesNot(text),
                (false, false) => Comparison::Equals(text),
                (false, true) => Comparison::Differs(text),
            };
            self.check(CheckOf::Status(how));
            return Some(());
        }
        let of = match (word, is_not) {
            ("status", _) => {
                let code = self.argument().filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()))?;
                let text = Text::literal(code);
                CheckOf::Status(if is_not { Comparison::Differs(text) } else { Comparison::Equals(text) })
            }
            ("header", _) => return self.header(is_not),
            ("body", false) => CheckOf::Body(Comparison::Equals(Text::literal(self.argument()?))),
            ("withBody", false) => CheckOf::Body(Comparison::Exists),
            ("json" | "jsonBody", false) => {
                if word == "jsonBody" {
                    self.scan.take("(")?;
                    self.scan.take(")")?;
                }
                CheckOf::JsonPath("$".to_owned(), Comparison::Exists)
            }
            _ => return None,
        };
        self.check(of);
        Some(())
    }

    /// `("name")` or `("name", "value")`.
    fn header(&mut self, is_not: bool) -> Option<()> {
        self.scan.take("(")?;
        let name = self.scan.string()?;
        let how = match (self.scan.take(",").is_some(), is_not) {
            (true, false) => Comparison::Equals(Text::literal(self.scan.literal()?)),
            (true, true) => Comparison::Differs(Text::literal(self.scan.literal()?)),
            (false, false) => Comparison::Exists,
            (false, true) => Comparison::Missing,
        };
        self.scan.take(")")?;
        self.check(CheckOf::Header(name, how));
        Some(())
    }
}
