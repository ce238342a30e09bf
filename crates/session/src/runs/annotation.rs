//! What a user writes on a run: tags and a note.

use std::collections::BTreeMap;

use serde::Serialize;

use super::is_part_of_name;

/// Tags of a run, at most.
const MOST_TAGS: usize = 20;
/// Characters of the name of a tag, at most.
const MOST_NAME: usize = 50;
/// Characters of the value of a tag, at most.
const MOST_VALUE: usize = 200;
/// Characters of a note, at most.
const MOST_NOTE: usize = 2000;

/// The tag that names the version of the system under test.
pub const VERSION_TAG: &str = "version";

/// Tags and a note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Annotation {
    /// Values of tags by their names.
    pub tags: BTreeMap<String, String>,
    /// A note; empty if there is none.
    pub note: String,
}

impl Annotation {
    /// Parses `NAME=VALUE`.
    ///
    /// # Errors
    /// The name or the value is invalid; the text says what is expected.
    pub fn parse_tag(text: &str) -> Result<(String, String), String> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("invalid tag `{text}`: use NAME=VALUE, such as version=1.4.2"))?;
        check_tag(name, value)?;
        Ok((name.to_owned(), value.to_owned()))
    }

    /// Accepts a note.
    ///
    /// # Errors
    /// The note is too long, or has control characters.
    pub fn parse_note(text: &str) -> Result<String, String> {
        let text = text.trim();
        if text.chars().count() > MOST_NOTE {
            return Err(format!("the note is too long: use at most {MOST_NOTE} characters"));
        }
        if text.chars().any(|c| c.is_control() && c != '\n') {
            return Err("the note has control characters: use plain text".to_owned());
        }
        Ok(text.to_owned())
    }

    /// Checks all tags and the note.
    ///
    /// # Errors
    /// The first of them that is invalid.
    pub fn check(&self) -> Result<(), String> {
        if self.tags.len() > MOST_TAGS {
            return Err(format!("{} tags are too many: use at most {MOST_TAGS}", self.tags.len()));
        }
        self.tags.iter().try_for_each(|(name, value)| check_tag(name, value))?;
        Self::parse_note(&self.note).map(drop)
    }

    /// Tags and note as facts of a page: names with their values.
    pub fn facts(&self) -> Vec<(String, String)> {
        let version = self.tags.get(VERSION_TAG).map(|version| ("Version".to_owned(), version.clone()));
        let others = self.tags.iter().filter(|(name, _)| *name != VERSION_TAG);
        let others: Vec<_> = others.map(|(name, value)| format!("{name}={value}")).collect();
        let tags = (!others.is_empty()).then(|| ("Tags".to_owned(), others.join(", ")));
        let note = (!self.note.is_empty()).then(|| ("Note".to_owned(), self.note.clone()));
        version.into_iter().chain(tags).chain(note).collect()
    }
}

fn check_tag(name: &str, value: &str) -> Result<(), String> {
    if name.is_empty() || name.chars().count() > MOST_NAME || !name.chars().all(is_part_of_name) {
        return Err(format!(
            "invalid tag name `{name}`: use up to {MOST_NAME} letters, digits, `-`, `_` and `.`"
        ));
    }
    if value.is_empty() || value.chars().count() > MOST_VALUE || value.chars().any(char::is_control) {
        return Err(format!(
            "invalid value of tag `{name}`: use 1 to {MOST_VALUE} characters without line ends"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_a_name_and_a_value() {
        let tag = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(Annotation::parse_tag("version=1.4=x"), tag("version", "1.4=x"));
        assert_eq!(Annotation::parse_tag("a.b-c_d=<b>"), tag("a.b-c_d", "<b>"));
        for text in ["version", "=1", "a b=1", "a=", "a=x\ny", &format!("a={}", "x".repeat(201))] {
            Annotation::parse_tag(text).expect_err(text);
        }
    }

    #[test]
    fn notes_have_lines_and_an_end() {
        assert_eq!(Annotation::parse_note(" two\nlines \n").as_deref(), Ok("two\nlines"));
        Annotation::parse_note("\u{1b}[31m").expect_err("an escape sequence");
        Annotation::parse_note(&"ä".repeat(2001)).expect_err("too long");
        Annotation::parse_note(&"ä".repeat(2000)).expect("long enough");
    }

    #[test]
    fn the_number_of_tags_is_limited() {
        let tags = |count: usize| (0..count).map(|number| (format!("t{number}"), "x".to_owned())).collect();
        Annotation { tags: tags(20), note: String::new() }.check().expect("twenty are accepted");
        let error = Annotation { tags: tags(21), note: String::new() }.check().expect_err("one too many");
        assert!(error.contains("at most 20"), "{error}");
    }

    #[test]
    fn the_version_is_the_first_fact() {
        let tags = [("branch", "main"), ("version", "1.4"), ("env", "stage")];
        let tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let annotation = Annotation { tags, note: "after the\nmigration".to_owned() };
        let facts = annotation.facts();
        let facts: Vec<_> = facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let wanted =
            [("Version", "1.4"), ("Tags", "branch=main, env=stage"), ("Note", "after the\nmigration")];
        assert_eq!(facts, wanted);
        assert!(Annotation::default().facts().is_empty());
    }
}
