//! Records which variables changed, and when. Begins with the first request for it.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use super::names::Slot;

/// A moment in the history of one user's variables ([`super::Vars::generation`]). The default is
/// before everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(u64);

/// A variable that was set or removed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ChangedVariable {
    Slot(Slot),
    Name(Rc<str>),
}

/// Changes in order; a variable may occur several times until the journal is compacted.
#[derive(Debug, Default)]
pub(super) struct Journal {
    last: Generation,
    changes: Vec<(Generation, ChangedVariable)>,
    /// Changes that are left to come before it is compacted.
    room: usize,
    /// All changes are recorded, not only those of watched variables.
    is_complete: bool,
    /// Variables that are watched, each with whether it changed since that was asked for.
    watched: Vec<(Slot, Cell<bool>)>,
}

impl Journal {
    /// It is compacted after this many changes at least.
    const LEAST: usize = 64;

    /// One that knows nothing of what was before.
    pub(super) fn new() -> Self {
        Self { last: Generation(1), room: Self::LEAST, ..Self::default() }
    }

    /// Records all changes from now on.
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
    }

    /// Watches these variables from now on.
    pub(super) fn watch(&mut self, slots: impl IntoIterator<Item = Slot>) {
        self.watched = slots.into_iter().map(|slot| (slot, Cell::new(false))).collect();
    }

    /// One for a copy of the variables, which watches the same; none if it has nothing to do.
    pub(super) fn of_copy(&self) -> Option<Self> {
        if self.watched.is_empty() {
            return None;
        }
        let mut copy = Self::new();
        copy.watch(self.watched.iter().map(|(slot, _)| *slot));
        Some(copy)
    }

    /// A watched variable by its number, if it changed since this was asked for last.
    pub(super) fn take_change(&self, number: usize) -> Option<Slot> {
        let (slot, is_changed) = self.watched.get(number)?;
        is_changed.take().then_some(*slot)
    }

    pub(super) fn generation(&self) -> Generation {
        self.last
    }

    pub(super) fn note(&mut self, what: ChangedVariable) {
        if let ChangedVariable::Slot(slot) = &what {
            let changed = self.watched.iter().filter(|(watched, _)| watched == slot);
            changed.for_each(|(_, is_changed)| is_changed.set(true));
        }
        if !self.is_complete {
            return;
        }
        if self.room == 0 {
            self.compact();
        }
        self.room -= 1;
        self.last.0 += 1;
        self.changes.push((self.last, what));
    }

    /// What changed after that moment, in order; none if it is from before the journal.
    pub(super) fn since(
        &self,
        then: Generation,
    ) -> Option<impl DoubleEndedIterator<Item = &ChangedVariable>> {
        let after = self.changes.partition_point(|(at, _)| *at <= then);
        (then != Generation::default()).then(|| self.changes[after..].iter().map(|(_, what)| what))
    }

    /// Forgets what changed up to that moment.
    pub(super) fn forget(&mut self, until: Generation) {
        let count = self.changes.partition_point(|(at, _)| *at <= until);
        self.changes.drain(..count);
        self.room += count;
    }

    /// Leaves the last change of each variable.
    fn compact(&mut self) {
        let mut seen = HashSet::new();
        let mut kept: Vec<_> =
            self.changes.drain(..).rev().filter(|(_, what)| seen.insert(what.clone())).collect();
        kept.reverse();
        self.room = kept.len().max(Self::LEAST);
        self.changes = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_does_not_grow_with_the_number_of_changes() {
        let mut journal = Journal::new();
        journal.complete();
        let start = journal.generation();
        for i in 0..10_000 {
            journal.note(ChangedVariable::Slot(Slot(i % 10)));
        }
        assert!(journal.changes.len() <= 3 * Journal::LEAST, "{}", journal.changes.len());
        let since: HashSet<_> = journal.since(start).expect("the journal was there").collect();
        assert_eq!(since.len(), 10);
        journal.forget(journal.generation());
        assert!(journal.changes.is_empty());
    }
}
