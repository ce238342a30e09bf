//! Variables of a virtual user.
//!
//! Names in the plan get a slot when it is compiled, so reading `${token}` uses an index. Names
//! built during the test (`match_1`, `match_2`, …) are in a separate map.

mod journal;
mod names;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use journal::{ChangedVariable, Journal};
use swell_budget::{Account, Room};

pub use journal::Generation;
pub use names::{Names, Slot};

/// Text of a variable. Cheap to clone on its worker.
pub type Value = Rc<str>;

/// The bytes that a variable without a slot needs in addition to its name and value: two text
/// headers, and its place in the map.
const PLACE: usize = 96;

/// One user's variables. A clone is a copy (`JMeterVariables` of a new thread), with a separate
/// history.
#[derive(Debug)]
pub struct Vars {
    names: Rc<Names>,
    slots: Vec<Option<Value>>,
    /// Those without a slot. Copies share them until they change: most users keep what the test
    /// began with.
    others: Rc<NamedVariables>,
    memory: Memory,
    /// What changed, once this is requested.
    journal: Option<Box<Journal>>,
    /// Nothing is set or removed now.
    is_frozen: bool,
}

/// What has no slot.
#[derive(Clone, Debug, Default)]
struct NamedVariables {
    values: BTreeMap<Rc<str>, Value>,
    /// Names that were set to null: to most as if they were not there, but Debug Samplers list
    /// them.
    nulls: BTreeSet<Rc<str>>,
}

impl Clone for Vars {
    fn clone(&self) -> Self {
        Self {
            names: self.names.clone(),
            slots: self.slots.clone(),
            others: self.others.clone(),
            memory: self.memory.clone(),
            journal: self.journal.as_ref().and_then(|journal| journal.of_copy().map(Box::new)),
            is_frozen: false,
        }
    }
}

/// What variables take.
#[derive(Debug, Default)]
struct Memory {
    /// Bytes of all values, and of the names that have no slot.
    used: usize,
    /// Bytes that may be used before [`Self::settle`]: free ones, and those of `room`.
    allowed: usize,
    /// The used part of the memory of all users beyond the free allowance, or a little more.
    /// `None`: not counted.
    room: Option<Room>,
}

impl Memory {
    /// Bytes that every user may use without being counted, beyond what it had at its start.
    const FREE: usize = 16 << 10;
    /// What is taken, or given back, at a time.
    const STEP: usize = 256 << 10;

    fn new(account: Arc<Account>, used: usize) -> Self {
        Self { used, allowed: used + Self::FREE, room: Some(Room::new(account)) }
    }

    #[inline]
    fn change(&mut self, more: usize, less: usize) {
        self.used = (self.used + more).saturating_sub(less);
        if self.used > self.allowed || self.used + 2 * Self::STEP < self.allowed {
            self.settle();
        }
    }

    /// Takes as much room as is used. Nothing is refused: the values are there.
    #[cold]
    fn settle(&mut self) {
        if let Some(room) = &mut self.room {
            let free = self.allowed - room.bytes() as usize;
            let taken = self.used.saturating_sub(free).next_multiple_of(Self::STEP);
            room.set(taken as u64);
            self.allowed = free + taken;
        }
    }
}

impl Clone for Memory {
    /// Copies share the values that are there.
    fn clone(&self) -> Self {
        match &self.room {
            Some(room) => Self::new(room.account().clone(), self.used),
            None => Self { used: self.used, ..Self::default() },
        }
    }
}

impl Vars {
    /// No variables yet, over a table of names.
    pub fn new(names: Rc<Names>) -> Self {
        let slots = Vec::new();
        let others = Rc::default();
        let memory = Memory::default();
        Self { names, slots, others, memory, journal: None, is_frozen: false }
    }

    /// Counts from now on what variables take, beyond those that are there, as a part of what all
    /// users may take.
    pub fn count_in(&mut self, account: Arc<Account>) {
        self.memory = Memory::new(account, self.memory.used);
    }

    /// The slot of a name, which it has from now on. For names that are used again and again: there
    /// is no way to take a slot back.
    pub fn slot(&self, name: &str) -> Slot {
        self.names.slot(name)
    }

    /// The name of a slot.
    pub fn name(&self, slot: Slot) -> Rc<str> {
        self.names.name(slot)
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self.names.find(name) {
            Some(slot) => self.get_slot(slot),
            None => self.others.values.get(name),
        }
    }

    /// The value at a slot.
    #[inline]
    pub fn get_slot(&self, slot: Slot) -> Option<&Value> {
        match self.slots.get(slot.0 as usize) {
            Some(Some(value)) => Some(value),
            _ => self.get_early(slot),
        }
    }

    /// The value that was set by name, before the name got its slot.
    fn get_early(&self, slot: Slot) -> Option<&Value> {
        let values = &self.others.values;
        if values.is_empty() { None } else { values.get(&self.names.name(slot)) }
    }

    /// Whether all variables keep what they have, whatever sets or removes them.
    pub fn freeze(&mut self, is_frozen: bool) {
        self.is_frozen = is_frozen;
    }

    /// Sets a variable.
    pub fn put(&mut self, name: &str, value: impl Into<Value>) {
        if self.is_frozen {
            return;
        }
        if let Some(slot) = self.names.find(name) {
            self.put_slot(slot, value);
        } else {
            let value = value.into();
            let more = value.len() + name.len() + PLACE;
            let name: Rc<str> = name.into();
            if let Some(journal) = &mut self.journal {
                journal.note(ChangedVariable::Name(name.clone()));
            }
            let others = Rc::make_mut(&mut self.others);
            others.nulls.remove(&name);
            let before = others.values.insert(name.clone(), value);
            let less = before.map_or(0, |value| value.len() + name.len() + PLACE);
            self.memory.change(more, less);
        }
    }

    /// Sets the variable at a slot.
    pub fn put_slot(&mut self, slot: Slot, value: impl Into<Value>) {
        if self.is_frozen {
            return;
        }
        if let Some(journal) = &mut self.journal {
            journal.note(ChangedVariable::Slot(slot));
        }
        let index = slot.0 as usize;
        if self.slots.len() <= index {
            self.slots.resize(index + 1, None);
        }
        let value = value.into();
        let more = value.len();
        let before = self.slots[index].replace(value);
        if before.is_none() {
            self.forget(slot);
        }
        let less = before.map_or(0, |value| value.len());
        self.memory.change(more, less);
    }

    /// What was kept by the name of a slot that has a value now.
    fn forget(&mut self, slot: Slot) {
        if !self.others.values.is_empty() {
            self.remove_other(&self.names.name(slot));
        }
        if !self.others.nulls.is_empty() {
            self.remove_null(&self.names.name(slot));
        }
    }

    /// Sets a variable to null: it has no value, but it is there.
    pub fn put_null(&mut self, name: &str) {
        if self.is_frozen {
            return;
        }
        self.remove(name);
        Rc::make_mut(&mut self.others).nulls.insert(name.into());
    }

    /// Variables that are null, in order of their names.
    pub fn nulls(&self) -> impl Iterator<Item = &Rc<str>> {
        self.others.nulls.iter()
    }

    /// Removes the variable at a slot.
    pub fn remove_slot(&mut self, slot: Slot) {
        if self.is_frozen {
            return;
        }
        if let Some(journal) = &mut self.journal {
            journal.note(ChangedVariable::Slot(slot));
        }
        if let Some(value) = self.slots.get_mut(slot.0 as usize) {
            *value = None;
        }
        self.forget(slot);
    }

    /// Removes a variable and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        if self.is_frozen {
            return None;
        }
        if let Some(slot) = self.names.find(name) {
            return self.take_slot(slot);
        }
        self.remove_null(name);
        if let Some(journal) = &mut self.journal {
            journal.note(ChangedVariable::Name(name.into()));
        }
        self.remove_other(name)
    }

    /// Removes the variable at a slot and returns its value.
    pub fn take_slot(&mut self, slot: Slot) -> Option<Value> {
        if self.is_frozen {
            return None;
        }
        if let Some(journal) = &mut self.journal {
            journal.note(ChangedVariable::Slot(slot));
        }
        if !self.others.nulls.is_empty() {
            self.remove_null(&self.names.name(slot));
        }
        let taken = self.slots.get_mut(slot.0 as usize).and_then(Option::take);
        if let Some(value) = &taken {
            self.memory.change(0, value.len());
        } else if !self.others.values.is_empty() {
            return self.remove_other(&self.names.name(slot));
        }
        taken
    }

    fn remove_other(&mut self, name: &str) -> Option<Value> {
        // Looked up first: what is shared is not copied for a name that is not in it.
        if !self.others.values.contains_key(name) {
            return None;
        }
        let value = Rc::make_mut(&mut self.others).values.remove(name)?;
        self.memory.change(0, value.len() + name.len() + PLACE);
        Some(value)
    }

    fn remove_null(&mut self, name: &str) {
        if self.others.nulls.contains(name) {
            Rc::make_mut(&mut self.others).nulls.remove(name);
        }
    }

    /// Forgets some of the variables that have no slots, at most that number; whether there were
    /// more. Who has very many of them takes time to forget them all.
    pub fn forget_some(&mut self, most: usize) -> bool {
        let Some(others) = Rc::get_mut(&mut self.others) else { return self.forget_shared() };
        for _ in 0..most {
            let Some((name, value)) = others.values.pop_first() else { return false };
            if let Some(journal) = &mut self.journal {
                journal.note(ChangedVariable::Name(name.clone()));
            }
            self.memory.change(0, name.len() + value.len() + PLACE);
        }
        !others.values.is_empty()
    }

    /// Forgets all that has no slot and that others have, too, so that there is nothing to free.
    fn forget_shared(&mut self) -> bool {
        let others = std::mem::take(&mut self.others);
        for (name, value) in &others.values {
            if let Some(journal) = &mut self.journal {
                journal.note(ChangedVariable::Name(name.clone()));
            }
            self.memory.change(0, name.len() + value.len() + PLACE);
        }
        false
    }

    /// The moment of the last change. From the first call on changes are noted; without one setting
    /// a variable costs as much as if it could not be requested.
    pub fn generation(&mut self) -> Generation {
        let journal = self.journal.get_or_insert_with(|| Box::new(Journal::new()));
        journal.complete();
        journal.generation()
    }

    /// Watches variables from now on, and in copies: [`Vars::take_change`] says whether one
    /// changed. Without it, setting a variable costs as much as if it could not be requested.
    pub fn watch<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        let slots: Vec<_> = names.into_iter().map(|name| self.names.slot(name)).collect();
        if !slots.is_empty() {
            self.journal.get_or_insert_with(|| Box::new(Journal::new())).watch(slots);
        }
    }

    /// The value of a watched variable, by its place in [`Vars::watch`], if it was set since this
    /// was asked for last.
    pub fn take_change(&self, number: usize) -> Option<&Value> {
        self.get_slot(self.journal.as_ref()?.take_change(number)?)
    }

    /// Each variable that was set or removed after that moment, with its value now; none: it has no
    /// value any more. All variables that there are, if nothing was noted then.
    pub fn changed_since(&self, then: Generation) -> Vec<(Rc<str>, Option<Value>)> {
        let Some(changes) = self.journal.as_ref().and_then(|journal| journal.since(then)) else {
            return self.entries().into_iter().map(|(name, value)| (name, Some(value))).collect();
        };
        let mut seen = HashSet::new();
        let mut each = Vec::new();
        for what in changes.rev() {
            let name = match what {
                ChangedVariable::Slot(slot) => self.names.name(*slot),
                ChangedVariable::Name(name) => name.clone(),
            };
            if seen.insert(name.clone()) {
                let value = self.get(&name).cloned();
                each.push((name, value));
            }
        }
        each.reverse();
        each
    }

    /// Forgets what changed up to that moment, which must be known to all who will ask again.
    pub fn forget_changes(&mut self, until: Generation) {
        if let Some(journal) = &mut self.journal {
            journal.forget(until);
        }
    }

    /// All variables in order of their names.
    pub fn entries(&self) -> Vec<(Rc<str>, Value)> {
        let slots = self.slots.iter().enumerate();
        let mut all: Vec<_> = slots
            .filter_map(|(i, value)| Some((self.names.name(Slot(i as u32)), value.clone()?)))
            .chain(self.others.values.iter().map(|(name, value)| (name.clone(), value.clone())))
            .collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_count_as_a_part_of_what_all_users_may_take() {
        let account = Arc::new(Account::new(swell_budget::Total::Is(1 << 20)));
        let names = Rc::new(Names::default());
        let slot = names.slot("slot");
        let mut vars = Vars::new(names);
        vars.put("of the plan", "x".repeat(1 << 20));
        vars.count_in(account.clone());
        vars.put("small", "x".repeat(10_000));
        assert_eq!(account.taken(), 0, "what the plan says, and little things, are free");
        vars.put_slot(slot, "x".repeat(3 << 20));
        assert!((3 << 20..4 << 20).contains(&account.taken()), "{}", account.taken());
        let copy = vars.clone();
        assert!(account.taken() < 4 << 20, "a copy shares the values");
        for i in 0..20_000 {
            vars.put(&format!("match_{i}"), "a");
        }
        assert!(account.taken() > 5 << 20, "many small ones take room: {}", account.taken());
        vars.put_slot(slot, "");
        assert!(account.taken() < 3 << 20, "{}", account.taken());
        while vars.forget_some(1_000) {}
        assert!(account.taken() < 1 << 20, "{}", account.taken());
        drop((vars, copy));
        assert_eq!(account.taken(), 0);
    }

    #[test]
    fn a_watched_variable_says_whether_it_was_set_since() {
        let mut first = Vars::new(Rc::default());
        first.put("total", "1");
        first.watch(["total", "depth", "total"]);
        assert_eq!(first.take_change(0), None, "what was there before is not a change");
        let mut user = first.clone();
        user.put("total", "1");
        user.put("other", "2");
        let taken = |vars: &Vars| [0, 1, 2].map(|number| vars.take_change(number).map(ToString::to_string));
        let one = Some("1".to_owned());
        assert_eq!(taken(&user), [one.clone(), None, one], "the same value is a change, too");
        assert_eq!((taken(&user), taken(&first)), ([None, None, None], [None, None, None]));
        user.put("depth", "7");
        user.remove("depth");
        assert_eq!(taken(&user), [None, None, None], "it has no value");
        // What the JVM asks for is independent of it.
        let then = user.generation();
        user.put("total", "3");
        assert_eq!(user.changed_since(then).len(), 1);
        assert_eq!(taken(&user.clone())[0], None);
        assert_eq!(taken(&user)[0].as_deref(), Some("3"));
    }

    #[test]
    fn copies_share_what_has_no_slot_until_they_change_it() {
        let account = Arc::new(Account::new(swell_budget::Total::Is(1 << 20)));
        let mut first = Vars::new(Rc::default());
        first.put("a", "1");
        first.put_null("gone");
        let mut second = first.clone();
        second.count_in(account);
        let shared = |one: &Vars, other: &Vars| Rc::ptr_eq(&one.others, &other.others);
        assert_eq!((second.remove("b"), shared(&first, &second)), (None, true));
        second.put("b", "2");
        second.put("gone", "3");
        second.remove("a");
        assert!(!shared(&first, &second));
        let shown = |vars: &Vars| {
            vars.entries().iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
        };
        assert_eq!((shown(&first), first.nulls().count()), (vec!["a=1".to_owned()], 1));
        assert_eq!(
            (shown(&second), second.nulls().count()),
            (vec!["b=2".to_owned(), "gone=3".to_owned()], 0)
        );
        let third = first.clone();
        assert!(!first.forget_some(1));
        assert_eq!((first.entries().len(), shown(&third)), (0, vec!["a=1".to_owned()]));
    }

    #[test]
    fn changes_since_a_moment_are_told_each_once_with_removed_ones() {
        let names = Rc::new(Names::default());
        let slot = names.slot("slot");
        let mut vars = Vars::new(names.clone());
        vars.put("early", "1");
        let show = |vars: &Vars, then| {
            let all = vars.changed_since(then).into_iter();
            let each = all.map(|(name, value)| format!("{name}={}", value.as_deref().unwrap_or("-")));
            each.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(show(&vars, Generation::default()), "early=1", "all that there is");
        let first = vars.generation();
        assert_eq!(show(&vars, first), "");
        vars.put_slot(slot, "a");
        vars.put("match_1", "m");
        vars.put_slot(slot, "b");
        assert_eq!(show(&vars, first), "match_1=m slot=b");
        let second = vars.generation();
        vars.remove("early");
        vars.remove_slot(slot);
        vars.put_null("match_1");
        assert_eq!(show(&vars, second), "early=- slot=- match_1=-");
        vars.forget_changes(second);
        assert_eq!(show(&vars, second), "early=- slot=- match_1=-");
        let copy = vars.clone();
        assert_eq!(show(&copy, second), "", "a copy has no history: all that there is counts as changed");
        vars.put("late", "before its slot");
        names.slot("late");
        vars.put("late", "x");
        assert_eq!(show(&vars, second), "early=- slot=- match_1=- late=x");
    }

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
