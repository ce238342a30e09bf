//! Regular expressions of plans, searched in responses.

use swell_budget::Budget;
use swell_regex::{Dialect, Found, GroupTemplate, Reach, Regex};

use super::parts;

/// Units of work that a search may take.
const WORK: u64 = 100_000_000;

/// An expression, a template of groups, and a text.
pub(super) fn regex(input: &[u8]) {
    let [pattern, template, text] = parts::<3>(input);
    for dialect in [Dialect::Oro, Dialect::Java] {
        let Ok(anywhere) = Regex::new(&pattern, dialect, Reach::Anywhere) else { continue };
        check(&anywhere, &template, &text);
        if let Ok(whole) = Regex::new(&pattern, dialect, Reach::Whole) {
            let part = anywhere.is_match(&text);
            let all = whole.is_match(&text);
            assert!(all != Ok(true) || part != Ok(false), "what matches all of a text matches in it");
        }
    }
}

fn check(regex: &Regex, template: &str, text: &str) {
    if let Ok(Some(groups)) = regex.groups(text) {
        assert_eq!(groups.len(), regex.group_count() + 1);
        assert!(
            groups.iter().flatten().all(|group| text.contains(group.as_str())),
            "groups are parts of the text"
        );
    }
    let mut found = Found::default();
    let budget = Budget::of_units(WORK);
    if found.search(regex, text, -1, &budget).is_ok() {
        assert!(found.count <= text.chars().count() + 1, "a match takes a sign, or stands between two");
        let template = GroupTemplate::new(template);
        found.iter().for_each(|groups| drop(std::hint::black_box(template.fill(groups))));
        if found.count == 0 {
            assert_eq!(regex.replace_all_within(text, "x", &Budget::unlimited()).as_deref(), Ok(text));
        }
    }
    std::hint::black_box(regex.replace_all_as_java(text, template, &budget)).ok();
}
