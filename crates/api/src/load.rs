//! The load that an element makes, for studies that vary it.

use swell_plan::Element;

use crate::ElementKind;

/// What the number of a load counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadUnit {
    /// Users at a time.
    Users,
    /// Samples or arrivals a second.
    PerSecond,
}

/// The load that an element states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatedLoad {
    /// This number, above 0.
    Number(f64),
    /// One that the plan does not have as a number: an expression, a schedule.
    Unknown,
    /// None of the test: as it is set, it limits each user.
    EachUser,
}

/// The property of an element that is its load.
#[derive(Clone, Copy)]
pub struct ElementLoad {
    /// The property.
    pub property: &'static str,
    /// What its number counts.
    pub unit: LoadUnit,
    /// The load that an element states.
    pub stated: fn(&Element) -> StatedLoad,
    /// Has an element make this load, without an end. Arrivals are spaced evenly, or at random
    /// from a seed.
    pub set: fn(&mut Element, f64, Option<u64>),
}

impl StatedLoad {
    /// The number in a text, if it is above 0.
    pub fn of_text(text: &str) -> Self {
        match text.trim().parse() {
            Ok(number) if number > 0.0 => Self::Number(number),
            _ => Self::Unknown,
        }
    }
}

impl ElementKind {
    /// With a property that is its load.
    #[must_use]
    pub fn load(self, load: ElementLoad) -> Self {
        Self { load: Some(load), ..self }
    }
}
