//! Whole tests: set-up and tear-down groups, and failures and actions that end the user, the loop or the test.

use swell_plan::Node;

use super::controllers::Builder;
use crate::fuzz::{Dice, Family, NAME, Setting};
use crate::suite::parts::{Edit, group, loops};

/// See the module.
#[derive(Debug)]
pub(super) struct Phases;

impl Family for Phases {
    fn name(&self) -> &'static str {
        "phases"
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn setting(&self, dice: &mut Dice) -> Setting {
        let flags = [
            ("TestPlan.tearDown_on_shutdown", dice.chance(50)),
            ("TestPlan.functional_mode", dice.chance(10)),
        ];
        Setting {
            variables: vec![("yes".to_owned(), "true".to_owned()), ("no".to_owned(), "false".to_owned())],
            flags: flags.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            ..Setting::default()
        }
    }

    fn group(&self, dice: &mut Dice) -> Vec<Node> {
        let kinds = [
            ("SetupThreadGroup", "SetupThreadGroupGui", dice.range(0, 2)),
            ("ThreadGroup", "ThreadGroupGui", dice.range(1, 3)),
            ("PostThreadGroup", "PostThreadGroupGui", dice.range(0, 2)),
        ];
        let mut nodes = Vec::new();
        for (class, gui, count) in kinds {
            for _ in 0..count {
                nodes.push(one(dice, class, gui));
            }
        }
        if dice.chance(30) {
            let at = dice.below(nodes.len());
            let node = nodes.remove(at);
            let to = dice.below(nodes.len() + 1);
            nodes.insert(to, node);
        }
        nodes
    }
}

fn one(dice: &mut Dice, class: &str, gui: &str) -> Node {
    let mut builder = Builder::new(dice, false).that_stops_tests();
    let children = builder.children(2);
    let errors = ["continue", "continue", "startnextloop", "stopthread", "stoptest", "stoptestnow"];
    let number = dice.number();
    let node = group(class, gui, &format!("{NAME} {number}"), children);
    let node = loops(node, dice.word(&["1", "2"])).text("ThreadGroup.on_sample_error", dice.word(&errors));
    if dice.chance(5) { node.off() } else { node }
}
