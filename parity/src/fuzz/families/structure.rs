//! Controllers of all kinds within each other, with failures, conditions and actions in them.

use swell_plan::Node;

use crate::fuzz::plan::users;
use crate::fuzz::{Dice, Family};
use crate::suite::parts::{get, loop_of, loops, simple};

/// See the module.
#[derive(Debug)]
pub(super) struct Structure;

impl Family for Structure {
    fn name(&self) -> &'static str {
        "structure"
    }

    fn group(&self, dice: &mut Dice) -> Vec<Node> {
        let children = block(dice, 3);
        vec![loops(users(children), ["1", "2", "3"][dice.below(3)])]
    }
}

fn block(dice: &mut Dice, depth: u32) -> Vec<Node> {
    (0..dice.range(1, 4)).map(|_| step(dice, depth)).collect()
}

fn step(dice: &mut Dice, depth: u32) -> Node {
    let number = dice.number();
    let kind = if depth == 0 { 0 } else { dice.below(3) };
    match kind {
        0 => get(&format!("s{number}"), &format!("/@group@/s{number}")),
        1 => simple(&format!("c{number}"), block(dice, depth - 1)),
        _ => loop_of(&format!("l{number}"), &dice.range(0, 2).to_string(), block(dice, depth - 1)),
    }
}
