//! Families of random plans, made by the rules in `parity/fuzz/`.

use swell_plan::Node;

use super::Setting;
use super::grammar::GRAMMAR;
use super::rng::ChoiceRng;

/// A kind of random groups. `whole` families make a complete test from one group, such as one that
/// may stop the test.
///
/// For the name `csv`, the rules are `Csv`, a thread group and what it needs at the level of groups
/// (fragments); `Csv_plan`, the plan around the groups; and `csv_properties`, lines of JMeter
/// properties. Names of thread groups and files, and paths that must differ between groups, contain
/// [`NAME`](super::NAME).
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Name of the family and of its file.
    pub name: &'static str,
    pub(super) is_whole: bool,
}

/// All families.
pub const FAMILIES: [Family; 7] = {
    const fn of(name: &'static str) -> Family {
        Family { name, is_whole: false }
    }
    let phases = Family { is_whole: true, ..of("phases") };
    [of("structure"), phases, of("http"), of("extract"), of("assert"), of("functions"), of("csv")]
};

impl Family {
    /// Returns what the groups of a plan share.
    pub(super) fn setting(&self, rng: &mut ChoiceRng) -> Setting {
        let properties = GRAMMAR.text(&format!("{}_properties", self.name), rng);
        let pairs = properties.lines().filter_map(|line| line.split_once('='));
        let properties = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut plan = GRAMMAR.nodes(&self.rule("_plan"), rng);
        Setting { properties, root: plan.remove(0) }
    }

    /// Returns a thread group, followed by what it needs at the level of groups.
    pub(super) fn group(&self, rng: &mut ChoiceRng) -> Vec<Node> {
        GRAMMAR.nodes(&self.rule(""), rng)
    }

    fn rule(&self, end: &str) -> String {
        let (first, rest) = self.name.split_at(1);
        format!("{}{rest}{end}", first.to_uppercase())
    }
}
