//! What is shown by a name rather than a number.

use super::Locale;

/// How long a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Short,
    Full,
    Narrow,
}

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Era,
    Quarter,
    Month,
    DayOfWeek,
    HalfDay,
}

const QUARTERS: [&str; 4] = ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"];
const SHORT_QUARTERS: [&str; 4] = ["Q1", "Q2", "Q3", "Q4"];
const NARROW_QUARTERS: [&str; 4] = ["1", "2", "3", "4"];

/// The names in order: months from January, days from Sunday, eras from the older. Quarters and the long era are English
/// in all languages.
pub(super) fn names(named: Named, style: Style, locale: Locale) -> Vec<&'static str> {
    let known = locale.names;
    let narrow = |full: &[&'static str]| full.iter().map(|name| first_letter(name)).collect();
    match (named, style) {
        (Named::Month, Style::Full) => known.months.to_vec(),
        (Named::Month, Style::Short) => known.short_months.to_vec(),
        (Named::Month, Style::Narrow) => narrow(&known.months),
        (Named::DayOfWeek, Style::Full) => known.days.to_vec(),
        (Named::DayOfWeek, Style::Short) => known.short_days.to_vec(),
        (Named::DayOfWeek, Style::Narrow) => narrow(&known.days),
        (Named::Era, Style::Full) if locale == Locale::ENGLISH => vec!["Before Christ", "Anno Domini"],
        (Named::Era, Style::Narrow) => narrow(&known.eras),
        (Named::Era, _) => known.eras.to_vec(),
        (Named::HalfDay, _) => known.halves.to_vec(),
        (Named::Quarter, Style::Full) => QUARTERS.to_vec(),
        (Named::Quarter, Style::Short) => SHORT_QUARTERS.to_vec(),
        (Named::Quarter, Style::Narrow) => NARROW_QUARTERS.to_vec(),
    }
}

fn first_letter(name: &'static str) -> &'static str {
    name.char_indices().nth(1).map_or(name, |(at, _)| &name[..at])
}
