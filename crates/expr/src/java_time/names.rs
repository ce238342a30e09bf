//! Names of months, days, halves of the day and eras.

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

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const QUARTERS: [&str; 4] = ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"];
const SHORT_QUARTERS: [&str; 4] = ["Q1", "Q2", "Q3", "Q4"];
const NARROW_QUARTERS: [&str; 4] = ["1", "2", "3", "4"];

/// The names in order: eras from the older, days from Sunday.
pub(super) fn names(named: Named, style: Style) -> Vec<&'static str> {
    let cut = |names: &[&'static str], short: usize| match style {
        Style::Full => names.to_vec(),
        Style::Short => names.iter().map(|name| &name[..short]).collect(),
        Style::Narrow => names.iter().map(|name| &name[..1]).collect(),
    };
    match (named, style) {
        (Named::Month, _) => cut(&MONTHS, 3),
        (Named::DayOfWeek, _) => cut(&DAYS, 3),
        (Named::Era, Style::Full) => vec!["Before Christ", "Anno Domini"],
        (Named::Era, _) => cut(&["BC", "AD"], 2),
        (Named::HalfDay, Style::Narrow) => vec!["a", "p"],
        (Named::HalfDay, _) => vec!["AM", "PM"],
        (Named::Quarter, Style::Full) => QUARTERS.to_vec(),
        (Named::Quarter, Style::Short) => SHORT_QUARTERS.to_vec(),
        (Named::Quarter, Style::Narrow) => NARROW_QUARTERS.to_vec(),
    }
}
