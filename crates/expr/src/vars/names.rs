//! The names of a plan that have slots.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::FixedState;

/// Index of a variable whose name is in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub u32);

/// The names that have slots: one table for a worker's program, growing while the program is
/// compiled.
#[derive(Debug, Default)]
pub struct Names {
    /// Names that servers make are only looked up here, never inserted: a server cannot fill the
    /// table with names of one hash.
    slots: RefCell<HashMap<Rc<str>, Slot, FixedState>>,
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

    /// The slot of a name in the plan.
    pub fn find(&self, name: &str) -> Option<Slot> {
        self.slots.borrow().get(name).copied()
    }

    /// The name of a slot.
    pub fn name(&self, slot: Slot) -> Rc<str> {
        self.names.borrow()[slot.0 as usize].clone()
    }
}
