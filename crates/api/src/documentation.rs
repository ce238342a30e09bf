//! The documentation of a kind of element, from TOML text in the crate that provides it.
//!
//! ```toml
//! ["Constant Timer"]                          # the name in the table of elements
//! does = "Waits before each sample in its scope."
//! properties = [                              # name, values, default, meaning
//!     ["ConstantTimer.delay", "whole number, ms", "0", ""],
//! ]
//! differs = ["…"]                             # from JMeter 5.6.3, each a sentence
//! like = "…"                                  # another element of the file, for what is not said here
//! ```

use std::collections::HashMap;

use serde::Deserialize;

use crate::ElementKind;

/// The documentation of an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documentation {
    /// What it does, in a sentence or two.
    pub does: String,
    /// What it reads.
    pub properties: Vec<Property>,
    /// Where it departs from JMeter 5.6.3, each a sentence.
    pub differs: Vec<String>,
}

/// A property that an element reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name in the plan.
    pub name: String,
    /// The allowed values. `${...}` is also allowed wherever JMeter allows it.
    pub values: Values,
    /// What a run takes where it is missing; empty for an empty text.
    pub default: String,
    /// What it means; empty where the name says it.
    pub meaning: String,
}

/// Values of a property.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Values {
    /// A kind of value: `flag` (`true` or `false`), `text`, `whole number, ms`.
    Kind(String),
    /// One of these values.
    Choice(Vec<String>),
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    like: Option<String>,
    does: Option<String>,
    properties: Option<Vec<(String, Values, String, String)>>,
    differs: Option<Vec<String>>,
}

impl Documentation {
    /// What is said of a kind.
    ///
    /// # Errors
    /// The text is not of this form, or holds nothing under the name of the kind.
    pub fn of(kind: &ElementKind) -> Result<Self, String> {
        let sections: HashMap<String, Section> =
            toml::from_str(kind.documentation).map_err(|error| error.to_string())?;
        let section =
            |name: &str| sections.get(name).cloned().ok_or_else(|| format!("no documentation for `{name}`"));
        let own = section(&kind.name)?;
        let like = own.like.as_deref().map_or_else(|| Ok(Section::default()), section)?;
        let properties = own.properties.or(like.properties).unwrap_or_default().into_iter();
        Ok(Self {
            does: own.does.or(like.does).unwrap_or_default(),
            properties: properties
                .map(|(name, values, default, meaning)| Property { name, values, default, meaning })
                .collect(),
            differs: own.differs.or(like.differs).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Make, Role};

    const TEXT: &str = r#"
        ["A Timer"]
        does = "Waits."
        properties = [["delay", "whole number, ms", "0", "How long."], ["mode", ["a", "b"], "a", ""]]
        differs = ["It does not."]

        ["B Timer"]
        like = "A Timer"
        does = "Waits longer."
    "#;

    fn kind(name: &'static str, documentation: &'static str) -> ElementKind {
        ElementKind { documentation, ..ElementKind::native(Role::Timer, name, name, Make::Nothing) }
    }

    #[test]
    fn what_an_element_does_not_say_is_taken_from_the_one_that_it_is_like() {
        let a = Documentation::of(&kind("A Timer", TEXT)).unwrap();
        assert_eq!((a.does.as_str(), a.differs.len()), ("Waits.", 1));
        assert_eq!(a.properties[0].meaning, "How long.");
        assert_eq!(a.properties[1].values, Values::Choice(vec!["a".into(), "b".into()]));
        let b = Documentation::of(&kind("B Timer", TEXT)).unwrap();
        assert_eq!(b, Documentation { does: "Waits longer.".into(), ..a });
    }

    #[test]
    fn a_missing_section_and_a_misspelt_key_are_errors() {
        assert!(Documentation::of(&kind("C Timer", TEXT)).unwrap_err().contains("`C Timer`"));
        let wrong = Documentation::of(&kind("A Timer", "[\"A Timer\"]\ndose = \"x\"")).unwrap_err();
        assert!(wrong.contains("dose"), "{wrong}");
    }
}
