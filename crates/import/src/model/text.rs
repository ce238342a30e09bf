//! Texts of a plan: data, variables and functions, kept apart until they are written.

use std::fmt;

/// A text of a plan.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Text {
    parts: Vec<TextPart>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TextPart {
    /// Data: sent as it is, whatever it contains.
    Literal(String),
    /// The value of a variable.
    Variable(String),
    /// A function in JMeter's spelling, `${__UUID}`. Readers build these; text of a source never
    /// gets here.
    Function(String),
}

/// A name of a source as the name of a variable: JMeter would take `${__name}` for a function, and
/// some characters for the end of a reference. Everything that sets or reads a variable uses this.
pub fn safe_name(name: &str) -> String {
    let letters = name.trim().chars();
    let letters: String = letters
        .map(|c| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ') { c } else { '_' })
        .collect();
    match letters.strip_prefix("__") {
        Some(rest) => format!("_{}", rest.trim_start_matches('_')),
        None if letters.is_empty() => "_".to_owned(),
        None => letters,
    }
}

/// A name that is not taken: the wanted one, or that with the first number from 2 on.
pub(crate) fn free_name(wanted: &str, mut is_taken: impl FnMut(&str) -> bool) -> String {
    let mut name = wanted.to_owned();
    let mut number = 1;
    while is_taken(&name) {
        number += 1;
        name = format!("{wanted}_{number}");
    }
    name
}

impl From<&TextPart> for Text {
    fn from(part: &TextPart) -> Self {
        Self { parts: vec![part.clone()] }
    }
}

impl Text {
    /// Data.
    pub fn literal(text: impl Into<String>) -> Self {
        let mut new = Self::default();
        new.push_literal(&text.into());
        new
    }

    /// The value of a variable; its name is made a [`safe_name`].
    pub fn variable(name: impl AsRef<str>) -> Self {
        Self { parts: vec![TextPart::Variable(safe_name(name.as_ref()))] }
    }

    /// A function in JMeter's spelling, as `${__time(/1000,)}`.
    pub fn function(call: impl Into<String>) -> Self {
        Self { parts: vec![TextPart::Function(call.into())] }
    }

    /// A property with a default, `${__P(name,default)}`. A default that a function cannot take as
    /// it is gets escapes.
    pub fn property(name: &str, default: &str) -> Self {
        let mut escaped = String::with_capacity(default.len());
        for c in default.chars() {
            if matches!(c, '\\' | ',' | '$') {
                escaped.push('\\');
            }
            escaped.push(c);
        }
        Self::function(format!("${{__P({name},{escaped})}}"))
    }

    /// A text with `{{name}}`; `value` gives what a name means, none leaves the braces as data.
    pub fn with_braces(text: &str, value: &mut dyn FnMut(&str) -> Option<Self>) -> Self {
        let mut out = Self::default();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start + 2..].find("}}") else { break };
            let end = start + 2 + length;
            let found = value(rest[start + 2..end].trim());
            if let Some(found) = found {
                out.push_literal(&rest[..start]);
                out.push(found);
                rest = &rest[end + 2..];
            } else {
                out.push_literal(&rest[..start + 2]);
                rest = &rest[start + 2..];
            }
        }
        out.push_literal(rest);
        out
    }

    /// Adds data at the end.
    pub fn push_literal(&mut self, text: &str) {
        match self.parts.last_mut() {
            _ if text.is_empty() => {}
            Some(TextPart::Literal(last)) => last.push_str(text),
            _ => self.parts.push(TextPart::Literal(text.to_owned())),
        }
    }

    /// Adds a text at the end.
    pub fn push(&mut self, other: Self) {
        for part in other.parts {
            match part {
                TextPart::Literal(text) => self.push_literal(&text),
                part => self.parts.push(part),
            }
        }
    }

    /// Its parts; no two neighbours are data.
    pub fn parts(&self) -> &[TextPart] {
        &self.parts
    }

    /// The text, if it is data only.
    pub fn as_literal(&self) -> Option<&str> {
        match &*self.parts {
            [] => Some(""),
            [TextPart::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The data at its beginning; empty if it begins with a variable.
    pub fn leading(&self) -> &str {
        match self.parts.first() {
            Some(TextPart::Literal(text)) => text,
            _ => "",
        }
    }

    /// Names of the variables in it.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TextPart::Variable(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The same with each piece of data changed.
    #[must_use]
    pub fn map_literals(&self, change: &mut dyn FnMut(&str) -> String) -> Self {
        let mut out = Self::default();
        for part in &self.parts {
            match part {
                TextPart::Literal(text) => out.push_literal(&change(text)),
                part => out.parts.push(part.clone()),
            }
        }
        out
    }

    /// The same with another text instead of each occurrence of a piece of data.
    #[must_use]
    pub fn replaced(&self, data: &str, by: &Self) -> Self {
        let mut out = Self::default();
        for part in &self.parts {
            match part {
                TextPart::Literal(text) if !data.is_empty() => {
                    for (index, piece) in text.split(data).enumerate() {
                        if index > 0 {
                            out.push(by.clone());
                        }
                        out.push_literal(piece);
                    }
                }
                TextPart::Literal(text) => out.push_literal(text),
                part => out.parts.push(part.clone()),
            }
        }
        out
    }

    /// The text in two at a byte of its data at the beginning, which [`Text::leading`] has.
    pub fn split_leading(&self, at: usize) -> (Self, Self) {
        let mut rest = Self::default();
        rest.push_literal(&self.leading()[at..]);
        let tail = self.parts.get(1..).unwrap_or_default();
        let parts = if self.leading().is_empty() { &self.parts[..] } else { tail };
        rest.parts.extend_from_slice(parts);
        (Self::literal(&self.leading()[..at]), rest)
    }

    /// The pieces between a character of its data.
    pub fn split(&self, separator: char) -> Vec<Self> {
        let mut pieces = vec![Self::default()];
        for part in &self.parts {
            let TextPart::Literal(text) = part else {
                pieces.iter_mut().last().into_iter().for_each(|last| last.parts.push(part.clone()));
                continue;
            };
            for (index, piece) in text.split(separator).enumerate() {
                if index > 0 {
                    pieces.push(Self::default());
                }
                pieces.iter_mut().last().into_iter().for_each(|last| last.push_literal(piece));
            }
        }
        pieces
    }

    /// What is before and after the first such character of its data.
    pub fn split_once(&self, separator: char) -> Option<(Self, Self)> {
        let mut before = Self::default();
        for (index, part) in self.parts.iter().enumerate() {
            if let TextPart::Literal(text) = part
                && let Some((start, rest)) = text.split_once(separator)
            {
                before.push_literal(start);
                let mut after = Self::literal(rest);
                after.parts.extend(self.parts[index + 1..].iter().cloned());
                return Some((before, after));
            }
            before.parts.push(part.clone());
        }
        None
    }

    /// As it is written in a plan. JMeter leaves a text without `${` untouched, its backslashes
    /// too; in one with `${` it takes a backslash before `\`, `$` and `,` away.
    pub fn to_plan(&self) -> String {
        let has_call = self.parts.iter().any(|part| match part {
            TextPart::Literal(text) => text.contains("${"),
            TextPart::Variable(_) | TextPart::Function(_) => true,
        });
        let mut out = String::new();
        for part in &self.parts {
            match part {
                TextPart::Literal(text) if has_call => {
                    out.push_str(&text.replace('\\', "\\\\").replace("${", "${__char(36)}{"));
                }
                TextPart::Literal(text) => out.push_str(text),
                TextPart::Variable(name) => out.extend(["${", name, "}"]),
                TextPart::Function(call) => out.push_str(call),
            }
        }
        out
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::literal(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::literal(text)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_plan(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(parts: &[TextPart]) -> Text {
        let mut all = Text::default();
        for part in parts {
            all.push(Text { parts: vec![part.clone()] });
        }
        all
    }

    #[test]
    fn data_stays_data() {
        let literal = |text: &str| TextPart::Literal(text.to_owned());
        let variable = TextPart::Variable("v".to_owned());
        for (parts, wanted) in [
            (vec![literal(r"C:\\tmp $ {x}")], r"C:\\tmp $ {x}"),
            (vec![literal(r"C:\tmp"), variable.clone()], r"C:\\tmp${v}"),
            (vec![literal("a${x}\\")], r"a${__char(36)}{x}\\"),
            (vec![literal("$"), variable.clone(), literal("$")], "$${v}$"),
            (vec![], ""),
        ] {
            assert_eq!(text(&parts).to_plan(), wanted);
        }
        assert_eq!(Text::property("p", r"a,b\$c").to_plan(), r"${__P(p,a\,b\\\$c)}");
    }

    #[test]
    fn no_name_is_a_function() {
        for (name, wanted) in [
            ("__exec(id)", "_exec_id_"),
            ("a}b", "a_b"),
            (" user-id.x ", "user-id.x"),
            ("", "_"),
            ("___", "_"),
        ] {
            assert_eq!(safe_name(name), wanted, "{name}");
        }
        assert_eq!(Text::variable("__UUID").to_plan(), "${_UUID}");
    }

    #[test]
    fn names_in_braces_become_what_they_mean() {
        let mut value = |name: &str| (name != "no").then(|| Text::variable(name));
        for (text, wanted) in [
            ("a{{ x }}b{{y}}", "a${x}b${y}"),
            ("{{no}}{{x", "{{no}}{{x"),
            ("{\"a\":{{x}}}", "{\"a\":${x}}"),
            ("\\{{x}}", "\\\\${x}"),
        ] {
            assert_eq!(Text::with_braces(text, &mut value).to_plan(), wanted, "{text}");
        }
    }

    #[test]
    fn parts_are_found_and_replaced() {
        let body = Text::literal("t=abc&u=abc").replaced("abc", &Text::variable("t"));
        assert_eq!(body.to_plan(), "t=${t}&u=${t}");
        assert_eq!(body.replaced("", &Text::variable("x")), body);
        assert_eq!(body.variables().collect::<Vec<_>>(), ["t", "t"]);
        let (start, rest) = body.split_leading(1);
        assert_eq!((start.to_plan(), rest.to_plan()), ("t".to_owned(), "=${t}&u=${t}".to_owned()));
        let (start, rest) = Text::variable("a").split_leading(0);
        assert_eq!((start.is_empty(), rest.to_plan()), (true, "${a}".to_owned()));
        assert_eq!((body.as_literal(), body.leading()), (None, "t="));
    }
}
