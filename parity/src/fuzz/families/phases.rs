//! Whole tests: set-up and tear-down groups, and failures and actions that end the user, the loop or the test.

use swell_plan::Node;

use super::controllers::Builder;
use crate::fuzz::elements::{Edit, group, loops};
use crate::fuzz::{ChoiceRng, Family, NAME, Setting};

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

    fn setting(&self, rng: &mut ChoiceRng) -> Setting {
        let flags =
            [("TestPlan.tearDown_on_shutdown", rng.chance(50)), ("TestPlan.functional_mode", rng.chance(10))];
        Setting {
            variables: vec![("yes".to_owned(), "true".to_owned()), ("no".to_owned(), "false".to_owned())],
            flags: flags.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            ..Setting::default()
        }
    }

    fn group(&self, rng: &mut ChoiceRng) -> Vec<Node> {
        let kinds = [
            ("SetupThreadGroup", "SetupThreadGroupGui", rng.range(0, 2)),
            ("ThreadGroup", "ThreadGroupGui", rng.range(1, 3)),
            ("PostThreadGroup", "PostThreadGroupGui", rng.range(0, 2)),
        ];
        let mut nodes = Vec::new();
        for (class, gui, count) in kinds {
            for _ in 0..count {
                nodes.push(one(rng, class, gui));
            }
        }
        if rng.chance(30) {
            let at = rng.below(nodes.len());
            let node = nodes.remove(at);
            let to = rng.below(nodes.len() + 1);
            nodes.insert(to, node);
        }
        nodes
    }
}

fn one(rng: &mut ChoiceRng, class: &str, gui: &str) -> Node {
    let mut builder = Builder::new(rng, false).that_stops_tests();
    let children = builder.children(2);
    let errors = ["continue", "continue", "startnextloop", "stopthread", "stoptest", "stoptestnow"];
    let number = rng.number();
    let node = group(class, gui, &format!("{NAME} {number}"), children);
    let node = loops(node, rng.word(&["1", "2"])).text("ThreadGroup.on_sample_error", rng.word(&errors));
    if rng.chance(5) { node.off() } else { node }
}
