//! Text for people whose parts have a role: the head of a table, good news, bad news. A terminal
//! shows roles as colours; files and pipes get the text alone.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The names of a table's columns.
    Head,
    /// What is as it should be.
    Good,
    /// What limits the use of the figures.
    Doubtful,
    /// What failed or got worse.
    Bad,
    /// What says nothing: times of a label whose samples all failed.
    Muted,
}

/// A text with the roles of some of its parts. It is a `str` for everything that needs the text
/// alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Styled {
    text: String,
    /// In the order of the text, without overlap.
    roles: Vec<(Range<usize>, Role)>,
}

impl Styled {
    /// Adds a part that has a role.
    pub fn push(&mut self, role: Role, part: &str) {
        let from = self.text.len();
        self.text.push_str(part);
        self.roles.push((from..self.text.len(), role));
    }

    /// Adds another text with its roles.
    pub fn append(&mut self, other: &Self) {
        let from = self.text.len();
        self.text.push_str(&other.text);
        let moved = |(range, role): &(Range<usize>, Role)| (from + range.start..from + range.end, *role);
        self.roles.extend(other.roles.iter().map(moved));
    }

    /// Rewrites each part, for example without what a terminal would obey.
    #[must_use]
    pub fn map(&self, rewrite: impl Fn(&str) -> Cow<'_, str>) -> Self {
        let mut all = Self::default();
        for (role, part) in self.parts() {
            let part = rewrite(part);
            match role {
                Some(role) => all.push(role, &part),
                None => all.text.push_str(&part),
            }
        }
        all
    }

    /// The parts in order: those with a role, and what is between them.
    pub fn parts(&self) -> Vec<(Option<Role>, &str)> {
        let mut parts = Vec::with_capacity(2 * self.roles.len() + 1);
        let mut end = 0;
        for (range, role) in &self.roles {
            parts.push((None, &self.text[end..range.start]));
            parts.push((Some(*role), &self.text[range.clone()]));
            end = range.end;
        }
        parts.push((None, &self.text[end..]));
        parts.retain(|(_, text)| !text.is_empty());
        parts
    }
}

impl fmt::Write for Styled {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}

impl fmt::Display for Styled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Deref for Styled {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl From<String> for Styled {
    fn from(text: String) -> Self {
        Self { text, roles: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    #[test]
    fn parts_are_the_whole_text_in_order() {
        let mut first = Styled::default();
        first.push(Role::Head, "ms");
        writeln!(first).expect("a Styled takes it");
        let mut all = Styled::from("a\n".to_owned());
        all.append(&first);
        write!(all, "verdict ").expect("a Styled takes it");
        all.push(Role::Bad, "INVALID");
        let wanted =
            [(None, "a\n"), (Some(Role::Head), "ms"), (None, "\nverdict "), (Some(Role::Bad), "INVALID")];
        assert_eq!(all.parts(), wanted);
        assert_eq!(&*all, "a\nms\nverdict INVALID");
        let shorter = all.map(|part| part.replace("verdict ", "").into());
        assert_eq!(shorter.parts()[3], (Some(Role::Bad), "INVALID"));
        assert_eq!(&*shorter, "a\nms\nINVALID");
    }
}
