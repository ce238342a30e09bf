//! Which variables a user has, and what set them.

use std::collections::BTreeMap;

use crate::step::{ReadVariable, VariableChange};

/// Variables that the engine and controllers keep for themselves.
const INTERNAL: [&str; 2] = ["JMeterThread.", "__jm__"];

/// The variables of a user as they were last seen.
#[derive(Clone, Debug, Default)]
pub struct KnownVariables(BTreeMap<String, KnownVariable>);

#[derive(Clone, Debug, Default)]
struct KnownVariable {
    value: String,
    step: Option<u32>,
    element: Option<String>,
    is_default: bool,
}

impl KnownVariables {
    /// Takes in variables that are there at the start of the user.
    pub fn begin<'v>(&mut self, entries: impl IntoIterator<Item = (&'v str, &'v str)>) {
        for (name, value) in entries {
            let known = KnownVariable { value: value.to_owned(), ..KnownVariable::default() };
            self.0.insert(name.to_owned(), known);
        }
    }

    /// Takes in what an element set or removed, and gives what is different now; what was set to
    /// the value that it had is among it if `all`.
    pub fn change<'v>(
        &mut self,
        changes: impl IntoIterator<Item = (&'v str, Option<&'v str>)>,
        step: Option<u32>,
        element: &str,
        all: bool,
    ) -> Vec<VariableChange> {
        let mut changed = Vec::new();
        for (name, after) in changes {
            let before = self.0.get(name).map(|known| known.value.clone());
            match after {
                Some(value) => {
                    let element = Some(element.to_owned());
                    let known = KnownVariable { value: value.to_owned(), step, element, is_default: false };
                    self.0.insert(name.to_owned(), known);
                }
                None => drop(self.0.remove(name)),
            }
            let is_same = before.as_deref() == after;
            let is_internal = INTERNAL.iter().any(|internal| name.starts_with(internal));
            if !is_internal && (!is_same || all && after.is_some()) {
                let after = after.map(str::to_owned);
                changed.push(VariableChange { name: name.to_owned(), before, after });
            }
        }
        changed.sort_by(|a, b| a.name.cmp(&b.name));
        changed
    }

    /// Notes that a variable has the default value of an extractor that found nothing.
    pub fn has_default(&mut self, name: &str) {
        if let Some(known) = self.0.get_mut(name) {
            known.is_default = true;
        }
    }

    /// A variable that is read now.
    pub fn read(&self, name: &str, value: Option<&str>) -> ReadVariable {
        // What set it is known only if it still has that value.
        let known = self.0.get(name).filter(|known| Some(&*known.value) == value);
        ReadVariable {
            name: name.to_owned(),
            value: value.map(str::to_owned),
            set_by_step: known.and_then(|known| known.step),
            set_by: known.and_then(|known| known.element.clone()),
            is_default: known.is_some_and(|known| known.is_default),
        }
    }

    /// All of them, in order of their names.
    pub fn entries(&self) -> Vec<(String, String)> {
        let shown = self.0.iter().filter(|(name, _)| !INTERNAL.iter().any(|own| name.starts_with(own)));
        shown.map(|(name, known)| (name.clone(), known.value.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_say_what_was_before_and_reads_what_set_a_variable() {
        let mut known = KnownVariables::default();
        known.begin([("a", "1"), ("b", "2")]);
        let changes = [("c", Some("3")), ("a", Some("1")), ("b", None), ("JMeterThread.last", Some("x"))];
        let changed = known.change(changes, Some(4), "order_id", false);
        let seen: Vec<_> = changed
            .iter()
            .map(|change| (&*change.name, change.before.as_deref(), change.after.as_deref()))
            .collect();
        assert_eq!(seen, [("b", Some("2"), None), ("c", None, Some("3"))]);
        known.has_default("c");
        let read = known.read("c", Some("3"));
        assert_eq!(
            (read.set_by_step, read.set_by.as_deref(), read.is_default),
            (Some(4), Some("order_id"), true)
        );
        assert_eq!(known.read("c", Some("4")).set_by_step, None);
        assert_eq!(known.read("x", None).value, None);
        assert_eq!(known.entries(), [("a".to_owned(), "1".to_owned()), ("c".to_owned(), "3".to_owned())]);
        let again = known.change([("a", Some("1"))], Some(5), "e", true);
        assert_eq!(again.len(), 1);
    }
}
