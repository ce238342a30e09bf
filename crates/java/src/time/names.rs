//! Fields that are shown as a name instead of a number.

use super::Locale;

/// The length of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Short,
    Full,
    Narrow,
}

/// The field that a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Era,
    Quarter,
    Month,
    DayOfWeek,
    HalfDay,
}

const QUARTERS: [&str; 4] = ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"];
const SHORT_QUARTERS: [&str; 4] = ["Q1", "Q2", "Q3", "Q4"];
const NARROW_QUARTERS: [&str; 4] = ["1", "2", "3", "4"];

/// The names in order: months from January, days from Sunday, eras from the older. Quarters and the
/// long era are English in all languages.
pub(super) fn names(named: NameKind, style: Style, locale: Locale) -> Vec<&'static str> {
    let known = locale.names;
    let narrow = |full: &[&'static str]| full.iter().map(|name| first_letter(name)).collect();
    match (named, style) {
        (NameKind::Month, Style::Full) => known.months.to_vec(),
        (NameKind::Month, Style::Short) => known.short_months.to_vec(),
        (NameKind::Month, Style::Narrow) => narrow(&known.months),
        (NameKind::DayOfWeek, Style::Full) => known.days.to_vec(),
        (NameKind::DayOfWeek, Style::Short) => known.short_days.to_vec(),
        (NameKind::DayOfWeek, Style::Narrow) => narrow(&known.days),
        (NameKind::Era, Style::Full) if locale == Locale::ENGLISH => vec!["Before Christ", "Anno Domini"],
        (NameKind::Era, Style::Narrow) => narrow(&known.eras),
        (NameKind::Era, _) => known.eras.to_vec(),
        (NameKind::HalfDay, _) => known.halves.to_vec(),
        (NameKind::Quarter, Style::Full) => QUARTERS.to_vec(),
        (NameKind::Quarter, Style::Short) => SHORT_QUARTERS.to_vec(),
        (NameKind::Quarter, Style::Narrow) => NARROW_QUARTERS.to_vec(),
    }
}

fn first_letter(name: &'static str) -> &'static str {
    name.char_indices().nth(1).map_or(name, |(at, _)| &name[..at])
}
