//! The table of elements: what each is called in a plan, how it is treated, which properties it reads.
//!
//! `swell check` and `docs/reference/elements.md` are made from it. **An element that is not in it is not native**, so whoever
//! adds an element adds its entry to the file of its kind, and then runs
//! `UPDATE_REFERENCE=1 cargo test -p swell-elements --test reference`, which writes the page anew. An entry:
//!
//! ```text
//! Entry::native(Timer, "ConstantTimer", "Constant Timer", "Waits before each sample in its scope.")
//!     .properties(&[whole("ConstantTimer.delay", "ms", "0", "How long.")])
//!     .differs(&["…"]),
//! ```

mod assertions;
mod configs;
mod controllers;
mod entry;
pub mod functions;
mod listeners;
mod markdown;
mod others;
mod plugin_load;
mod plugins;
mod post_processors;
mod pre_processors;
mod property;
mod samplers;
mod scripts;
mod thread_groups;
mod timers;

use std::collections::HashMap;
use std::sync::LazyLock;

use swell_plan::Element;

pub use entry::{Departure, Entry, Kind, Treatment};
pub use markdown::markdown;
pub use property::{Property, Values};

/// All entries by kind, as the page shows them.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().copied()
}

/// The entry of an element; none if nothing is known of its class.
pub fn entry(element: &Element) -> Option<&'static Entry> {
    let of_class = BY_CLASS.get(element.class.as_str())?;
    of_class.iter().find(|entry| entry.is_of(element)).copied()
}

/// The first entry of a class; none if nothing is known of it.
pub fn entry_of_class(class: &str) -> Option<&'static Entry> {
    BY_CLASS.get(class).and_then(|of_class| of_class.first()).copied()
}

static ALL: LazyLock<Vec<&'static Entry>> = LazyLock::new(|| {
    let files: [&[Entry]; 12] = [
        others::ENTRIES,
        thread_groups::ENTRIES,
        controllers::ENTRIES,
        samplers::ENTRIES,
        configs::ENTRIES,
        timers::ENTRIES,
        pre_processors::ENTRIES,
        post_processors::ENTRIES,
        assertions::ENTRIES,
        listeners::ENTRIES,
        plugin_load::ENTRIES,
        plugins::ENTRIES,
    ];
    let mut all: Vec<_> = files.into_iter().flatten().collect();
    // Stable: within a kind, entries stay as they were written, JMeter's own before those of plug-ins.
    all.sort_by_key(|entry| entry.kind);
    all
});

static BY_CLASS: LazyLock<HashMap<&'static str, Vec<&'static Entry>>> = LazyLock::new(|| {
    let mut by_class: HashMap<_, Vec<_>> = HashMap::new();
    for entry in entries() {
        for class in entry.classes() {
            by_class.entry(class).or_default().push(entry);
        }
    }
    by_class
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    fn named(class: &str, gui: &str) -> Option<&'static str> {
        entry(&Element::new(class, gui, "x")).map(|entry| entry.name)
    }

    #[test]
    fn elements_are_found_by_class_and_where_it_matters_by_gui() {
        assert_eq!(named("ConstantTimer", "AnyGui"), Some("Constant Timer"));
        assert_eq!(named("ConfigTestElement", "HttpDefaultsGui"), Some("HTTP Request Defaults"));
        assert_ne!(named("ConfigTestElement", "FtpConfigGui"), named("ConfigTestElement", "HttpDefaultsGui"));
        assert_eq!(named("com.example.Unheard", "Gui"), None);
    }

    #[test]
    fn no_element_has_two_entries_and_texts_are_sentences() {
        let mut seen = std::collections::HashSet::new();
        for entry in entries() {
            for class in entry.classes() {
                let guis = if entry.guis.is_empty() { &["any"] } else { entry.guis };
                for gui in guis {
                    assert!(seen.insert((class, *gui, entry.when)), "{class} {gui} stands twice");
                }
            }
            let notes = entry.properties.iter().map(|property| property.note);
            let texts = notes.chain(entry.differs.iter().copied()).chain([entry.does]);
            for text in texts.filter(|text| !text.is_empty()) {
                assert!(text.ends_with('.') && !text.contains('\n'), "{}: `{text}`", entry.class);
            }
        }
    }

    #[test]
    fn what_is_made_here_has_an_entry_of_its_kind() {
        let kinds = [
            (catalog::ASSERTIONS.iter().map(|(class, _)| *class).collect::<Vec<_>>(), Kind::Assertion),
            (catalog::POST_PROCESSORS.iter().map(|(class, _)| *class).collect(), Kind::PostProcessor),
            (catalog::PRE_PROCESSORS.iter().map(|(class, _)| *class).collect(), Kind::PreProcessor),
        ];
        for (classes, kind) in kinds {
            for class in classes {
                let entry = entry(&Element::new(class, "", "x"));
                let found = entry.map(|entry| (entry.kind, entry.treatment));
                assert_eq!(found, Some((kind, Treatment::Native)), "{class}: add its entry in reference/");
            }
        }
        for (class, _) in catalog::ITERATION_ELEMENTS {
            let found = entry(&Element::new(class, "", "x")).map(|entry| entry.treatment);
            assert_eq!(found, Some(Treatment::Native), "{class}: add its entry in reference/");
        }
    }
}
