//! Variables that elements set and read by name, and properties without which an assertion checks
//! nothing: what is known of a kind of element before a run.

use swell_plan::Element;

use crate::{ElementKind, Registry};

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

impl VariableUse {
    /// The names of variables that a text of such a property sets, as they are written.
    pub fn names_set(self, text: &str) -> impl Iterator<Item = &str> {
        let separator = match self {
            Self::SetsList(separator) | Self::SetsListOrHeader(separator) => Some(separator),
            Self::Sets | Self::Reads | Self::Anything => None,
        };
        let sets = !matches!(self, Self::Reads | Self::Anything);
        let names = text.split(move |c| Some(c) == separator).map(str::trim);
        names.filter(move |name| sets && !name.is_empty())
    }
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

impl Registry {
    /// The names of variables that an element sets, as far as a kind of its class knows them and
    /// they are in its properties.
    pub fn variables_set(&self, element: &Element) -> Vec<String> {
        let of_class = self.of_class(&element.class).iter().map(|kind| kind.variables);
        let named = of_class.into_iter().find(|named| !named.is_empty()).unwrap_or_default();
        let mut names: Vec<String> = Vec::new();
        for (property, usage) in named {
            let texts = element.texts_of(property).into_iter();
            let set = texts.flat_map(|text| usage.names_set(text)).filter(|name| !name.contains("${"));
            names.extend(set.map(str::to_owned));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use swell_plan::{Element, Property, PropertyValue};

    use super::*;
    use crate::{Make, Role};

    #[test]
    fn elements_set_the_variables_that_the_table_says() {
        const OF_LIST: &[VariableProperty] = &[("names", VariableUse::SetsList(';'))];
        const OF_ARGUMENTS: &[VariableProperty] = &[("Argument.name", VariableUse::Sets)];
        let kind = |class, variables| {
            ElementKind::native(Role::Config, class, "", Make::Config).variables(variables)
        };
        let registry = Registry::of([
            kind("List", OF_LIST),
            kind("Arguments", OF_ARGUMENTS),
            kind("Reader", &[("names", VariableUse::Reads)]),
            kind("Request", &[]),
        ]);
        let list = |class: &str| Element::new(class, "", "e").with_text("names", "a; b;${c};");
        let argument = Element::new("Argument", "", "x").with_text("Argument.name", "x");
        let members = PropertyValue::Collection(vec![Property::of_element("x", argument)]);
        let arguments = |class: &str| Element::new(class, "", "e").with("arguments", members.clone());
        assert_eq!(registry.variables_set(&list("List")), ["a", "b"]);
        assert_eq!(registry.variables_set(&arguments("Arguments")), ["x"]);
        for other in [list("Reader"), arguments("Request"), list("Unknown")] {
            assert_eq!(registry.variables_set(&other), [""; 0]);
        }
    }
}
