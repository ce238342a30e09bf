//! Variables that a script declares or gets from its element.

use super::kind::Kind;

/// The visible variables, block by block.
pub(super) struct Locals {
    blocks: Vec<Vec<Local>>,
    slots: usize,
}

struct Local {
    name: String,
    slot: usize,
    kind: Kind,
}

impl Locals {
    /// Those that are there before the script starts.
    pub(super) fn new(given: &[&str]) -> Self {
        let mut locals = Self { blocks: vec![Vec::new()], slots: 0 };
        for name in given {
            let is_flag = matches!(*name, "IsSuccess" | "Successful" | "Failure");
            locals.declare(name, if is_flag { Kind::BOOLEAN } else { Kind::TEXT });
        }
        locals
    }

    /// How many variables there are.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }

    pub(super) fn enter(&mut self) {
        self.blocks.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        self.blocks.pop();
    }

    /// The slot and the kind of the variable of that name.
    pub(super) fn find(&self, name: &str) -> Option<(usize, Kind)> {
        let found = self.blocks.iter().flatten().find(|local| local.name == name)?;
        Some((found.slot, found.kind))
    }

    /// A variable of the innermost block.
    pub(super) fn declare(&mut self, name: &str, kind: Kind) -> usize {
        let slot = self.slots;
        self.slots += 1;
        let block = self.blocks.last_mut().expect("a script is a block");
        block.push(Local { name: name.to_owned(), slot, kind });
        slot
    }
}
