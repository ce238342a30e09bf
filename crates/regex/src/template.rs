//! The template of a Regular Expression Extractor: text with `$1$` for groups
//! (`RegexExtractor.initTemplate`).

use crate::Groups;

/// A parsed template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupTemplate {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Group(usize),
}

impl GroupTemplate {
    /// Reads a template.
    pub fn new(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        let mut plain = String::new();
        while let Some(dollar) = rest.find('$') {
            let behind = &rest[dollar + 1..];
            let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if digits > 0 && behind[digits..].starts_with('$') {
                plain.push_str(&rest[..dollar]);
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Group(behind[..digits].parse().unwrap_or(usize::MAX)));
                rest = &behind[digits + 1..];
            } else {
                plain.push_str(&rest[..=dollar]);
                rest = behind;
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Self { pieces }
    }

    /// The text for a match. A group that took no part, or that the expression does not have, is
    /// `null`, as Java appends it.
    pub fn fill(&self, groups: Groups<'_>) -> std::rc::Rc<str> {
        if let [Piece::Group(group)] = self.pieces[..] {
            return groups.get(group).unwrap_or("null").into();
        }
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Group(group) => groups.get(*group).unwrap_or("null"),
        });
        pieces.collect::<String>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Found, Reach, Regex};
    use swell_budget::Budget;

    #[test]
    fn groups_and_text_are_put_together() {
        let regex = Regex::new("(?=.*(one))all(x)?", Dialect::Oro, Reach::Anywhere).expect("it is right");
        let mut found = Found::default();
        found.search(&regex, "all one", -1, &Budget::unlimited()).expect("it is small");
        let groups = found.get(0).expect("there is a match");
        for (template, wanted) in [
            ("", ""),
            ("ABC", "ABC"),
            ("$1$", "one"),
            ("$0$", "all"),
            ("PRE$1$", "PREone"),
            ("$1$POST", "onePOST"),
            ("$1$$0$", "oneall"),
            ("$1$$", "one$"),
            ("$$1$", "$one"),
            ("$1", "$1"),
            ("$x$", "$x$"),
            ("$2$", "null"),
            ("$9$", "null"),
            ("$99999999999999999999$", "null"),
            ("a$1$b$2$c", "aonebnullc"),
        ] {
            assert_eq!(&*GroupTemplate::new(template).fill(groups), wanted, "{template}");
        }
    }
}
