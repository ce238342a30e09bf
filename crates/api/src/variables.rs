//! Variables that elements set and read by name, and properties without which an assertion checks
//! nothing: what is known of a kind of element before a run.

use crate::ElementKind;

/// How a property names variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableUse {
    /// It is the name of a variable that the element sets. `name_1`, `name_g0` and `name_matchNr`
    /// may be set with it.
    Sets,
    /// It has the names of several, between which this character is.
    SetsList(char),
    /// The same; if it is empty, the first line of the file that the element reads has them.
    SetsListOrHeader(char),
    /// It is the name of a variable that the element reads; `name_1` and so on may be read with it.
    Reads,
    /// The element may set any variable: it runs code that is not in the plan.
    Anything,
}

/// A property of an element or of an element in it, and the variables that it names.
pub type VariableProperty = (&'static str, VariableUse);

impl ElementKind {
    /// With properties that name variables. The property of [`VariableUse::Anything`] does not
    /// matter.
    #[must_use]
    pub fn variables(self, variables: &'static [VariableProperty]) -> Self {
        Self { variables, ..self }
    }

    /// An assertion that always succeeds if these properties are empty or 0.
    #[must_use]
    pub fn checks(self, checks: &'static [&'static str]) -> Self {
        Self { checks, ..self }
    }
}
