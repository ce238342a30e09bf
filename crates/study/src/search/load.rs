//! How the load of a plan is set: in the tree of its elements, or by a property.

use swell_api::{ElementLoad, LoadUnit, Registry, StatedLoad};
use swell_plan::{Element, Node, Plan};

/// What is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vary {
    /// Requests or arrivals a second.
    Rate,
    /// Users of all thread groups.
    Users,
    /// A property that the plan reads.
    Property(String),
}

/// How arrivals of a rate are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// By chance, as independent people come (Poisson), drawn from a seed.
    Poisson(u64),
    /// Evenly.
    Even,
}

/// A setting of the plan that is scaled.
#[derive(Clone)]
pub struct LoadSetting {
    /// What was found, and how it is changed: a line for people.
    pub words: String,
    /// Shares of the places in the load, in the order of the tree; they make 1.
    shares: Vec<f64>,
    vary: Vary,
    registry: Registry,
}

/// The load of an element that can be set, and what it is in the plan; 0 if the text is not a
/// number.
fn place(element: &Element, vary: &Vary, registry: &Registry) -> Option<(ElementLoad, f64)> {
    let load = registry.kind(element)?.load.filter(|load| Some(load.unit) == unit_of(vary))?;
    match (load.stated)(element) {
        StatedLoad::Number(number) => Some((load, number)),
        StatedLoad::Unknown => Some((load, 0.0)),
        StatedLoad::EachUser => None,
    }
}

fn unit_of(vary: &Vary) -> Option<LoadUnit> {
    match vary {
        Vary::Rate => Some(LoadUnit::PerSecond),
        Vary::Users => Some(LoadUnit::Users),
        Vary::Property(_) => None,
    }
}

impl LoadSetting {
    /// Looks for what sets the load of a plan.
    ///
    /// # Errors
    /// Nothing does, or it cannot be told what share each place has: with the ways that there are.
    pub fn of(plan: &Plan, vary: &Vary, registry: &Registry) -> Result<Self, String> {
        let mut found: Vec<(String, f64)> = Vec::new();
        let tree = plan.enabled_tree();
        tree.walk(&mut |node: &Node| {
            if let Some((_, load)) = place(&node.element, vary, registry) {
                found.push((node.element.name().to_owned(), load));
            }
        });
        let what = if *vary == Vary::Rate { "rate" } else { "users" };
        if found.is_empty() {
            let kinds = kinds_with_load(vary, registry);
            return Err(format!(
                "the plan has no element that sets the {what} of the test ({kinds}), so --{what} has nothing \
                 to set; {WAYS}"
            ));
        }
        let all: f64 = found.iter().map(|(_, load)| load).sum();
        let shares: Vec<f64> = match found.len() {
            1 => vec![1.0],
            _ if found.iter().all(|(_, load)| *load > 0.0) => {
                found.iter().map(|(_, load)| load / all).collect()
            }
            _ => {
                return Err(format!(
                    "the plan has {} places that set its {what}, and some are not numbers, so their \
                    shares are unknown; {WAYS}",
                    found.len()
                ));
            }
        };
        let of_all = |(name, _): &(String, f64), share: &f64| format!("`{name}` {:.0} %", 100.0 * share);
        let words = if let [(name, _)] = &found[..] {
            format!("--{what} sets `{name}`")
        } else {
            let each: Vec<_> = found.iter().zip(&shares).map(|(place, share)| of_all(place, share)).collect();
            format!("--{what} scales {} places and keeps their shares: {}", found.len(), each.join(", "))
        };
        Ok(Self { words, shares, vary: vary.clone(), registry: registry.clone() })
    }

    /// The plan with this load. Users have no end: the search ends each trial; they start within a
    /// second.
    pub fn apply(&self, plan: &Plan, load: f64, spacing: Spacing) -> Plan {
        let parts: Vec<f64> = match self.vary {
            Vary::Users => shared_out(load.round() as u64, &self.shares).iter().map(|n| *n as f64).collect(),
            _ => self.shares.iter().map(|share| share * load).collect(),
        };
        let mut plan = Plan::new(plan.enabled_tree());
        let mut parts = parts.into_iter();
        self.set(&mut plan.root, &mut parts, spacing);
        plan
    }

    fn set(&self, node: &mut Node, parts: &mut impl Iterator<Item = f64>, spacing: Spacing) {
        if let Some((load, _)) = place(&node.element, &self.vary, &self.registry)
            && let Some(part) = parts.next()
        {
            let seed = match spacing {
                Spacing::Poisson(seed) => Some(seed),
                Spacing::Even => None,
            };
            (load.set)(&mut node.element, part, seed);
        }
        node.children.iter_mut().for_each(|child| self.set(child, parts, spacing));
    }
}

const WAYS: &str = "--vary NAME=A..B sets a property that the plan reads, such as ${__P(users,10)}";

/// Names of the elements whose load can be set.
fn kinds_with_load(vary: &Vary, registry: &Registry) -> String {
    let sets = |load: &ElementLoad| Some(load.unit) == unit_of(vary);
    let kinds = registry.kinds().filter(|kind| kind.load.as_ref().is_some_and(sets));
    kinds.map(|kind| kind.name.to_string()).collect::<Vec<_>>().join(", ")
}

/// Whole numbers with these shares and that sum: largest remainders first, and no group loses all
/// of its users.
fn shared_out(total: u64, shares: &[f64]) -> Vec<u64> {
    let exact: Vec<f64> = shares.iter().map(|share| share * total as f64).collect();
    let mut whole: Vec<u64> = exact.iter().map(|part| part.floor() as u64).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    let missing = total - whole.iter().sum::<u64>().min(total);
    order.iter().cycle().take(missing as usize).for_each(|at| whole[*at] += 1);
    whole
}

/// Adds a schedule of all users to the thread groups of a plan made for a URL.
pub fn with_rate(mut plan: Plan, spacing: Spacing) -> Plan {
    let timer = match spacing {
        Spacing::Even => Element::new("ConstantThroughputTimer", "TestBeanGUI", "rate")
            .with_text("throughput", "60")
            .with_text("calcMode", "swell.schedule"),
        Spacing::Poisson(seed) => Element::new("PreciseThroughputTimer", "TestBeanGUI", "rate")
            .with_text("throughput", "1")
            .with_text("throughputPeriod", "1")
            // This many seconds have exactly their number of arrivals: trials of one load are
            // alike.
            .with_text("duration", "5")
            .with_text("batchSize", "1")
            // 0 would be another seed each time.
            .with_text("randomSeed", &(seed % 1_000_000 + 1).to_string()),
    };
    for group in &mut plan.root.children {
        // What a user repeats on its WebSocket has the rate, and not what opens it.
        let at = group.children.iter().position(|node| node.element.text("LoopController.loops").is_some());
        let repeated = match at {
            Some(at) => &mut group.children[at],
            None => group,
        };
        repeated.children.push(Node::new(timer.clone()));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: &str = "ThreadGroup.num_threads";

    fn setting(plan: &Plan, vary: &Vary) -> Result<LoadSetting, String> {
        LoadSetting::of(plan, vary, &swell_run::table_of_elements())
    }

    fn group(name: &str, users: &str) -> Node {
        Node::new(Element::new("ThreadGroup", "ThreadGroupGui", name).with_text(USERS, users))
    }

    fn plan(groups: &[Node]) -> Plan {
        let root = Node::new(Element::new("TestPlan", "TestPlanGui", "plan"));
        Plan::new(groups.iter().cloned().fold(root, Node::with))
    }

    fn users(plan: &Plan) -> Vec<String> {
        plan.root.children.iter().map(|node| node.element.text_or_empty(USERS).to_owned()).collect()
    }

    #[test]
    fn users_keep_their_shares() {
        let plan = plan(&[group("a", "30"), group("b", "10")]);
        let scaled = setting(&plan, &Vary::Users).expect("numbers");
        assert!(scaled.words.contains("`a` 75 %, `b` 25 %"), "{}", scaled.words);
        assert_eq!(users(&scaled.apply(&plan, 7.0, Spacing::Even)), ["5", "2"]);
        assert_eq!(shared_out(10, &[1.0 / 3.0; 3]).iter().sum::<u64>(), 10);
    }

    #[test]
    fn one_place_may_be_an_expression_and_several_may_not() {
        let one = plan(&[group("a", "${__P(users)}")]);
        let scaled = setting(&one, &Vary::Users).expect("one place");
        assert_eq!(users(&scaled.apply(&one, 7.0, Spacing::Even)), ["7"]);
        let two = plan(&[group("a", "${__P(users)}"), group("b", "5")]);
        let why = setting(&two, &Vary::Users).err().expect("shares are not known");
        assert!(why.contains("2 places") && why.contains("--vary NAME=A..B"), "{why}");
    }

    #[test]
    fn rates_a_minute_and_a_second_keep_their_shares() {
        let timer = |class: &str, rate: &str| {
            let gui = if class == "ConstantThroughputTimer" { "TestBeanGUI" } else { "" };
            Node::new(
                Element::new(class, gui, class)
                    .with_text("throughput", rate)
                    .with_text("throughputPeriod", "1")
                    .with_text("calcMode", "1"),
            )
        };
        let mut plan = plan(&[group("a", "5"), group("b", "5")]);
        plan.root.children[0].children.push(timer("ConstantThroughputTimer", "60"));
        plan.root.children[1].children.push(timer("PreciseThroughputTimer", "1"));
        let scaled = setting(&plan, &Vary::Rate).expect("numbers");
        assert!(scaled.words.contains("`ConstantThroughputTimer` 50 %"), "{}", scaled.words);
        let each =
            Element::new("ConstantThroughputTimer", "TestBeanGUI", "each").with_text("throughput", "60");
        plan.root.children[0].children = vec![Node::new(each.with_text("calcMode", " calcMode.1 "))];
        let left = setting(&plan, &Vary::Rate).expect("the other timer").words;
        assert!(left.contains("`PreciseThroughputTimer`") && !left.contains("`each`"), "{left}");
    }

    #[test]
    fn a_plan_without_a_rate_is_told_the_ways() {
        let users = plan(&[group("a", "5")]);
        let why = setting(&users, &Vary::Rate).err().expect("no rate");
        assert!(why.contains("--rate has nothing to set") && why.contains("--vary"), "{why}");
        let with = with_rate(users, Spacing::Poisson(7));
        let scaled = setting(&with, &Vary::Rate).expect("a timer");
        let made = scaled.apply(&with, 120.0, Spacing::Poisson(7));
        assert_eq!(made.root.children[0].children[0].element.text_or_empty("throughput"), "120");
    }
}
