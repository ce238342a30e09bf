//! Variables of a virtual user.
//!
//! Names that stand in the plan get a slot when it is compiled, so reading `${token}` is an index; names that are made
//! while the test runs (`match_1`, `match_2`, …) live in a map beside.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Text of a variable. Cheap to clone on its worker.
pub type Value = Rc<str>;

/// Index of a variable whose name stands in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub u32);

/// The names that have slots: one table for a worker's program, growing while the program is compiled.
#[derive(Debug, Default)]
pub struct Names {
    slots: RefCell<HashMap<Rc<str>, Slot>>,
    names: RefCell<Vec<Rc<str>>>,
}

impl Names {
    /// The slot of a name, made if it has none yet.
    pub fn slot(&self, name: &str) -> Slot {
        if let Some(slot) = self.find(name) {
            return slot;
        }
        let name: Rc<str> = name.into();
        let mut names = self.names.borrow_mut();
        let slot = Slot(names.len() as u32);
        names.push(name.clone());
        self.slots.borrow_mut().insert(name, slot);
        slot
    }

    /// The slot of a name that stands in the plan.
    pub fn find(&self, name: &str) -> Option<Slot> {
        self.slots.borrow().get(name).copied()
    }

    /// The name of a slot.
    pub fn name(&self, slot: Slot) -> Rc<str> {
        self.names.borrow()[slot.0 as usize].clone()
    }
}

/// One user's variables. A clone is a copy (`JMeterVariables` of a new thread).
#[derive(Clone, Debug)]
pub struct Vars {
    names: Rc<Names>,
    slots: Vec<Option<Value>>,
    others: BTreeMap<Rc<str>, Value>,
    /// Names that were set to null: to most as if they were not there, but Debug Samplers list them.
    nulls: BTreeSet<Rc<str>>,
}

impl Vars {
    /// No variables yet, over a table of names.
    pub fn new(names: Rc<Names>) -> Self {
        Self { names, slots: Vec::new(), others: BTreeMap::new(), nulls: BTreeSet::new() }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self.names.find(name) {
            Some(slot) => self.get_slot(slot),
            None => self.others.get(name),
        }
    }

    /// The value at a slot.
    pub fn get_slot(&self, slot: Slot) -> Option<&Value> {
        match self.slots.get(slot.0 as usize) {
            Some(Some(value)) => Some(value),
            _ if self.others.is_empty() => None,
            // Set by name before the name got its slot.
            _ => self.others.get(&self.names.name(slot)),
        }
    }

    /// Sets a variable.
    pub fn put(&mut self, name: &str, value: impl Into<Value>) {
        if let Some(slot) = self.names.find(name) {
            self.put_slot(slot, value);
        } else {
            self.nulls.remove(name);
            self.others.insert(name.into(), value.into());
        }
    }

    /// Sets the variable at a slot.
    pub fn put_slot(&mut self, slot: Slot, value: impl Into<Value>) {
        let index = slot.0 as usize;
        if self.slots.len() <= index {
            self.slots.resize(index + 1, None);
        }
        if self.slots[index].replace(value.into()).is_none() {
            self.forget(slot);
        }
    }

    /// What was kept by the name of a slot that has a value now.
    fn forget(&mut self, slot: Slot) {
        if !self.others.is_empty() {
            self.others.remove(&self.names.name(slot));
        }
        if !self.nulls.is_empty() {
            self.nulls.remove(&self.names.name(slot));
        }
    }

    /// Sets a variable to null: it has no value, but it is there.
    pub fn put_null(&mut self, name: &str) {
        self.remove(name);
        self.nulls.insert(name.into());
    }

    /// Variables that are null, in order of their names.
    pub fn nulls(&self) -> impl Iterator<Item = &Rc<str>> {
        self.nulls.iter()
    }

    /// Removes the variable at a slot.
    pub fn remove_slot(&mut self, slot: Slot) {
        if let Some(value) = self.slots.get_mut(slot.0 as usize) {
            *value = None;
        }
        self.forget(slot);
    }

    /// Removes a variable and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.nulls.remove(name);
        let slot = self.names.find(name);
        let in_slot = slot.and_then(|slot| self.slots.get_mut(slot.0 as usize)?.take());
        in_slot.or_else(|| self.others.remove(name))
    }

    /// Forgets some of the variables that have no slots, at most so many; whether there were more. Who has very many of them takes
    /// time to forget them all.
    pub fn forget_some(&mut self, most: usize) -> bool {
        for _ in 0..most {
            if self.others.pop_first().is_none() {
                return false;
            }
        }
        !self.others.is_empty()
    }

    /// All variables in order of their names.
    pub fn entries(&self) -> Vec<(Rc<str>, Value)> {
        let slots = self.slots.iter().enumerate();
        let mut all: Vec<_> = slots
            .filter_map(|(i, value)| Some((self.names.name(Slot(i as u32)), value.clone()?)))
            .chain(self.others.iter().map(|(name, value)| (name.clone(), value.clone())))
            .collect();
        all.sort();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_there_until_it_gets_a_value_or_goes() {
        let names = Rc::new(Names::default());
        let mut vars = Vars::new(names.clone());
        let slot = names.slot("slot");
        vars.put_slot(slot, "x");
        let nulls = |vars: &Vars| vars.nulls().map(ToString::to_string).collect::<Vec<_>>().join(",");
        for name in ["slot", "a", "b"] {
            vars.put_null(name);
        }
        assert_eq!((vars.get("slot"), vars.get("a"), nulls(&vars).as_str()), (None, None, "a,b,slot"));
        vars.put_slot(slot, "y");
        vars.put("a", "z");
        vars.remove("b");
        assert_eq!(nulls(&vars), "");
    }

    #[test]
    fn a_name_keeps_its_value_when_it_gets_a_slot() {
        let names = Rc::new(Names::default());
        let mut vars = Vars::new(names.clone());
        for name in ["read", "written", "removed"] {
            vars.put(name, "early");
        }
        let slots = ["read", "written", "removed"].map(|name| names.slot(name));
        assert_eq!(vars.get_slot(slots[0]).map(|v| &**v), Some("early"));
        vars.put_slot(slots[1], "late");
        assert_eq!(vars.remove("removed").as_deref(), Some("early"));
        assert_eq!(vars.get("removed"), None);
        let all: Vec<_> = vars.entries().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(all, ["read=early", "written=late"]);
    }
}
