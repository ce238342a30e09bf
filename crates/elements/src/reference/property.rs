//! What is said of a property.

/// Values of a property. Wherever JMeter allows it, `${...}` may stand for them.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// Any text.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number of that unit; an empty unit counts things.
    Whole(&'static str),
    /// A number with a fraction, of that unit.
    Number(&'static str),
    /// One of these.
    Choice(&'static [&'static str]),
    /// A collection of such things.
    List(&'static str),
}

/// A property that an element reads.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// Its name in the plan.
    pub name: &'static str,
    /// What it may be.
    pub values: Values,
    /// What a run takes where it is missing; empty for an empty text.
    pub default: &'static str,
    /// What it means; empty where the name says it.
    pub note: &'static str,
}

/// A text.
pub(super) const fn text(name: &'static str, default: &'static str, note: &'static str) -> Property {
    Property { name, values: Values::Text, default, note }
}

/// A flag.
pub(super) const fn flag(name: &'static str, default: bool, note: &'static str) -> Property {
    let default = if default { "true" } else { "false" };
    Property { name, values: Values::Flag, default, note }
}

/// A whole number.
pub(super) const fn whole(
    name: &'static str,
    unit: &'static str,
    default: &'static str,
    note: &'static str,
) -> Property {
    Property { name, values: Values::Whole(unit), default, note }
}

/// A number with a fraction.
pub(super) const fn number(
    name: &'static str,
    unit: &'static str,
    default: &'static str,
    note: &'static str,
) -> Property {
    Property { name, values: Values::Number(unit), default, note }
}

/// One of several.
pub(super) const fn choice(
    name: &'static str,
    of: &'static [&'static str],
    default: &'static str,
    note: &'static str,
) -> Property {
    Property { name, values: Values::Choice(of), default, note }
}

/// A collection.
pub(super) const fn list(name: &'static str, of: &'static str, note: &'static str) -> Property {
    Property { name, values: Values::List(of), default: "", note }
}
