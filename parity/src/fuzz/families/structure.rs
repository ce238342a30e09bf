//! Controllers of all kinds within each other, with failures, conditions and actions in them.

use swell_plan::Node;

use super::controllers::Builder;
use crate::fuzz::elements::{Edit, debug, loops};
use crate::fuzz::plan::users;
use crate::fuzz::{ChoiceRng, Family, NAME, Setting};

/// See the module.
#[derive(Debug)]
pub(super) struct Structure;

impl Family for Structure {
    fn name(&self) -> &'static str {
        "structure"
    }

    fn setting(&self, _rng: &mut ChoiceRng) -> Setting {
        let variables = [
            ("yes", "true"),
            ("no", "false"),
            ("one", "1"),
            ("empty", ""),
            ("v_1", "a"),
            ("v_2", "b"),
            ("v_3", "c"),
            ("v1", "x"),
            ("input", "w"),
            ("w_1", "z"),
        ];
        Setting {
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            ..Setting::default()
        }
    }

    fn group(&self, rng: &mut ChoiceRng) -> Vec<Node> {
        let count = *rng.weighted(&[(85, 1), (10, 2), (5, 3)]);
        let mut builder = Builder::new(rng, count > 1);
        let fragments = builder.fragments();
        let mut children = builder.children(3);
        if rng.chance(20) {
            children.push(debug("variables"));
        }
        let error = *rng.weighted(&[(60, "continue"), (25, "startnextloop"), (15, "stopthread")]);
        let node = loops(users(children), rng.word(&["1", "2", "2", "3", "${__intSum(1,1)}"]));
        let node = node
            .text("ThreadGroup.on_sample_error", error)
            .text("ThreadGroup.num_threads", &count.to_string())
            .flag("ThreadGroup.same_user_on_next_iteration", rng.chance(60));
        debug_assert_eq!(node.element.name(), NAME);
        [vec![node], fragments].concat()
    }
}
