//! Chains of words that say what must hold, as `pm.expect(value).to.eql(1)` and
//! `pm.response.to.have.status(200)`.

use super::Reader;
use super::conditions::check_of;
use super::values::Value;
use crate::formats::json_conditions as json;
use crate::model::{CheckOf, Comparison, Text};

/// Words of a chain that change nothing.
const FILLERS: [&str; 16] = [
    "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same", "but",
    "deep", "does",
];

impl<'a> Reader<'a> {
    /// The next word of a chain, after those that change nothing, and whether it is inverted. What
    /// inverts one inverts all after it.
    fn word(&mut self, is_not: &mut bool) -> Option<&'a str> {
        loop {
            self.scan.take(".")?;
            let word = self.scan.name()?;
            if word == "not" {
                *is_not = true;
            } else if !FILLERS.contains(&word) {
                return Some(word);
            }
        }
    }

    /// What follows `pm.expect(`.
    pub(super) fn expectation(&mut self) -> Option<()> {
        let start = self.scan.at;
        let value = self.value()?;
        let mut is_not = false;
        if let Some(operator) = self.operator() {
            // `pm.expect(value === 1).to.be.true`
            let operand = self.value()?;
            self.end_of_subject()?;
            let is_true = match self.word(&mut is_not)? {
                "true" | "ok" => true,
                "eql" | "equal" | "eq" | "equals" => self.argument()? == Value::Bare(Text::literal("true")),
                _ => false,
            };
            return if is_true && !is_not { self.compare(value, operator, operand) } else { None };
        }
        self.end_of_subject()?;
        let mut subject = value;
        loop {
            let word = self.word(&mut is_not)?;
            subject = self.expected(subject, word, is_not, start)?;
            // `.and.…`
            self.scan.skip();
            if !self.scan.rest().starts_with('.') {
                return Some(());
            }
        }
    }

    /// `)`, or `, "message")`.
    fn end_of_subject(&mut self) -> Option<()> {
        if self.scan.take(",").is_some() {
            self.scan.string()?;
        }
        self.scan.take(")")
    }

    /// `(value)`, or with a message after it.
    fn argument(&mut self) -> Option<Value> {
        self.scan.take("(")?;
        let value = self.value()?;
        self.end_of_subject()?;
        Some(value)
    }

    /// `(text)` of a text, number or boolean.
    fn text_argument(&mut self) -> Option<Text> {
        match self.argument()? {
            Value::Text(text) | Value::Bare(text) => Some(text),
            _ => None,
        }
    }

    /// `(3)`
    fn number_argument(&mut self) -> Option<u32> {
        self.text_argument()?.as_literal()?.parse().ok()
    }

    /// What must hold for a value, and what the next words are about.
    fn expected(&mut self, value: Value, word: &str, is_not: bool, start: usize) -> Option<Value> {
        match word {
            "eql" | "eqls" | "equal" | "equals" | "eq" => {
                let other = self.argument()?;
                self.equal(value.clone(), other, is_not)?;
            }
            "property" | "ownProperty" => return self.property(value, is_not),
            "a" | "an" => {
                let name = self.text_argument()?;
                let Value::Json(path) = &value else { return None };
                let checks = json::is_of_type(path, name.as_literal()?).filter(|_| !is_not)?;
                self.all(checks);
            }
            "length" | "lengthOf" => return self.length(value, is_not),
            "null" | "empty" => {
                let checks = match (&value, word) {
                    (Value::Json(path), "null") => json::is_null(path, is_not),
                    (Value::Json(path), _) => json::is_empty(path, is_not),
                    (Value::Body, "empty") if is_not => vec![CheckOf::Body(Comparison::Exists)],
                    (Value::Body, "empty") => vec![CheckOf::Body(Comparison::Missing)],
                    _ => return None,
                };
                self.all(checks);
            }
            "true" | "false" if matches!(value, Value::HasHeader(_)) => {
                self.equal(value.clone(), Value::Bare(Text::literal(word)), is_not)?;
            }
            "ok" if !is_not => self.truthy(value.clone())?,
            "within" if !is_not => self.within(value.clone())?,
            "status" if value == Value::Response => {
                let code = self.text_argument()?;
                self.check(CheckOf::Status(status(code, is_not)?));
            }
            _ if order(word).is_some() => {
                let other = self.argument()?;
                let operator = order(word).filter(|_| !is_not)?;
                self.compare(value.clone(), operator, other)?;
            }
            _ => {
                let how = self.comparison(&value, word, is_not, start)?;
                self.check(check_of(value.clone(), how)?);
            }
        }
        Some(value)
    }

    fn comparison(&mut self, value: &Value, word: &str, is_not: bool, start: usize) -> Option<Comparison> {
        let positive = |how: Comparison| (!is_not).then_some(how);
        let either = |yes: Comparison, no: Comparison| if is_not { no } else { yes };
        Some(match word {
            "include" | "includes" | "contain" | "contains" | "string" => {
                let text = self.text_argument()?;
                if let Value::Json(_) = value {
                    let how =
                        "a text that contains it is enough; in a list, Postman looks for an equal value";
                    self.meaning.notes.push((start, how));
                }
                either(Comparison::Contains(text.clone()), Comparison::Lacks(text))
            }
            "true" | "false" => positive(Comparison::Equals(Text::literal(word)))?,
            "exist" if matches!(value, Value::Json(_) | Value::Header(_)) => {
                either(Comparison::Exists, Comparison::Missing)
            }
            "undefined" if matches!(value, Value::Json(_)) => either(Comparison::Missing, Comparison::Exists),
            "oneOf" => positive(Comparison::OneOf(self.list()?))?,
            "match" | "matches" => {
                let pattern = Text::literal(self.pattern()?);
                either(Comparison::Matches(pattern.clone()), Comparison::MatchesNot(pattern))
            }
            _ => return None,
        })
    }

    /// `(3)`, or a comparison of the length after it.
    fn length(&mut self, value: Value, is_not: bool) -> Option<Value> {
        let Value::Json(path) = value else { return None };
        self.scan.skip();
        if self.scan.rest().starts_with('.') {
            return Some(Value::Length(path));
        }
        let length = self.number_argument().filter(|_| !is_not)?;
        self.all(json::length(&path, length));
        Some(Value::Json(path))
    }

    /// `(least, most)`
    fn within(&mut self, value: Value) -> Option<()> {
        self.scan.take("(")?;
        let least = self.scan.literal()?;
        self.scan.take(",")?;
        let most = self.scan.literal()?;
        self.scan.take(")")?;
        match value {
            Value::Status => self.status_between(least.parse().ok()?, most.parse::<u32>().ok()? + 1),
            Value::Json(_) => {
                self.compare(value.clone(), ">=", Value::Bare(Text::literal(least)))?;
                self.compare(value, "<=", Value::Bare(Text::literal(most)))
            }
            _ => None,
        }
    }

    /// `("name")` or `("name", value)` of a value of JSON, and that property.
    fn property(&mut self, value: Value, is_not: bool) -> Option<Value> {
        self.scan.take("(")?;
        let name = self.scan.string()?;
        let property = match value {
            Value::Json(path) if !name.contains(['\'', '\\']) => Value::Json(format!("{path}['{name}']")),
            Value::Response if name == "code" => Value::Status,
            _ => return None,
        };
        if self.scan.take(",").is_some() {
            let other = self.value()?;
            self.scan.take(")")?;
            if is_not {
                return None;
            }
            self.equal(property.clone(), other, false)?;
            return Some(property);
        }
        self.scan.take(")")?;
        let how = if is_not { Comparison::Missing } else { Comparison::Exists };
        if let Value::Json(path) = &property {
            self.check(CheckOf::JsonPath(path.clone(), how));
        }
        Some(property)
    }

    /// `([1, 2])`.
    fn list(&mut self) -> Option<Vec<Text>> {
        self.scan.take("(")?;
        self.scan.take("[")?;
        let mut all = Vec::new();
        while self.scan.take("]").is_none() {
            let (Value::Text(text) | Value::Bare(text)) = self.value()? else { return None };
            all.push(text);
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
        let mut is_not = false;
        let word = self.word(&mut is_not)?;
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
            ("status" | "statusCode", _) => {
                let code = self.text_argument()?;
                CheckOf::Status(self::status(code, is_not)?)
            }
            ("header", _) => return self.header(is_not),
            ("body", false) => CheckOf::Body(Comparison::Equals(self.text_argument()?)),
            ("withBody", false) => CheckOf::Body(Comparison::Exists),
            ("json" | "jsonBody", false) => {
                if word == "jsonBody" {
                    self.scan.take("(")?;
                    if self.scan.take(")").is_none() {
                        return self.json_body();
                    }
                }
                CheckOf::JsonPath("$".to_owned(), Comparison::Exists)
            }
            _ => return None,
        };
        self.check(of);
        Some(())
    }

    /// `"a.b")` or `"a.b", value)` of a body of JSON.
    fn json_body(&mut self) -> Option<()> {
        let path = self.scan.string()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
        let value = Value::Json(format!("$.{path}"));
        if !path.chars().all(is_plain) || path.split('.').any(str::is_empty) {
            return None;
        }
        if self.scan.take(",").is_some() {
            let other = self.value()?;
            self.scan.take(")")?;
            return self.equal(value, other, false);
        }
        self.scan.take(")")?;
        self.check(check_of(value, Comparison::Exists)?);
        Some(())
    }

    /// `("name")` or `("name", "value")`.
    fn header(&mut self, is_not: bool) -> Option<()> {
        self.scan.take("(")?;
        let name = self.scan.string()?;
        let how = match (self.scan.take(",").is_some(), is_not) {
            (true, _) => {
                let (Value::Text(text) | Value::Bare(text)) = self.value()? else { return None };
                if is_not { Comparison::Differs(text) } else { Comparison::Equals(text) }
            }
            (false, false) => Comparison::Exists,
            (false, true) => Comparison::Missing,
        };
        self.scan.take(")")?;
        self.check(CheckOf::Header(name, how));
        Some(())
    }
}

/// The status as a number. Its text, as `OK`, is not understood.
fn status(code: Text, is_not: bool) -> Option<Comparison> {
    let is_number = code.as_literal()?.bytes().all(|byte| byte.is_ascii_digit());
    let how = if is_not { Comparison::Differs(code) } else { Comparison::Equals(code) };
    is_number.then_some(how)
}

/// The sign of a word that compares numbers.
fn order(word: &str) -> Option<&'static str> {
    Some(match word {
        "below" | "lessThan" | "lt" => "<",
        "most" | "lte" | "lessThanOrEqual" => "<=",
        "above" | "greaterThan" | "gt" => ">",
        "least" | "gte" | "greaterThanOrEqual" => ">=",
        _ => return None,
    })
}
