//! Controllers within controllers, with samplers in them.

use swell_plan::{Node, PropertyValue};

use super::checks::anything;
use super::conditions::{choice, condition, count, ending};
use crate::fuzz::elements::{
    Edit, action, element, get, if_of, loop_of, request, set, simple, texts, transaction, while_of,
};
use crate::fuzz::elements::{foreach, once};
use crate::fuzz::{ChoiceRng, NAME, PLAN};

/// Makes the inside of one thread group.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    rng: &'a mut ChoiceRng,
    /// Several users run it at the same time: nothing may depend on their order.
    shared: bool,
    /// Actions that end the test are possible.
    stops: bool,
    /// Loop Controllers around the current place.
    loops: Vec<String>,
    /// How many Test Fragments there are.
    fragments: usize,
    /// Around the current place is something that an action would make endless.
    still: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(rng: &'a mut ChoiceRng, shared: bool) -> Self {
        Self { rng, shared, stops: false, loops: Vec::new(), fragments: 0, still: false }
    }

    pub(super) fn that_stops_tests(self) -> Self {
        Self { stops: true, ..self }
    }

    /// Test Fragments for Module Controllers.
    pub(super) fn fragments(&mut self) -> Vec<Node> {
        let count = *self.rng.weighted(&[(70, 0), (20, 1), (10, 2)]);
        (0..count)
            .map(|_| {
                let inside = vec![simple("m", self.children(1))];
                let name = format!("{NAME}f{}", self.fragments);
                self.fragments += 1;
                element("TestFragmentController", "TestFragmentControllerGui", &name, &[]).of(inside)
            })
            .collect()
    }

    /// What stands in a controller: steps, and around them what holds for all of them.
    pub(super) fn children(&mut self, depth: u32) -> Vec<Node> {
        let mut nodes: Vec<Node> = (0..self.rng.range(1, 4)).map(|_| self.step(depth)).collect();
        while self.rng.chance(25) {
            let at = self.rng.below(nodes.len() + 1);
            nodes.insert(at, anything(self.rng, self.stops));
        }
        nodes
    }

    fn step(&mut self, depth: u32) -> Node {
        let node = if depth > 0 && self.rng.chance(60) { self.controller(depth - 1) } else { self.sampler() };
        if self.rng.chance(5) { node.off() } else { node }
    }

    fn sampler(&mut self) -> Node {
        if !self.still && self.rng.chance(12) {
            return self.action();
        }
        let number = self.rng.number();
        let user = if self.shared { "-${__threadNum}" } else { "" };
        let place = format!("@group@s{number}{user}");
        let path = match self.rng.below(12) {
            0 | 1 => "/status/500".to_owned(),
            2 => format!("/flaky/{place}"),
            3 | 4 => format!("/count/{place}"),
            5 => "/redirect/1".to_owned(),
            _ => format!("/{place}"),
        };
        let name = match (self.rng.below(5), self.loops.last()) {
            (0, _) => format!("s{number} ${{c}}"),
            (1, Some(name)) => format!("s{number} ${{__jm__{name}__idx}}"),
            _ => format!("s{number}"),
        };
        let shown = [("v", "${c} ${n} ${item} ${r}")];
        let mut node = request(&name, "GET", &path, if self.rng.chance(15) { &shown } else { &[] });
        while self.rng.chance(20) {
            node = node.of([anything(self.rng, self.stops)]);
        }
        node
    }

    /// A Flow Control Action, mostly in a condition.
    fn action(&mut self) -> Node {
        let name = format!("a{}", self.rng.number());
        let kinds: &[(i32, i32)] = if self.stops {
            &[(0, 0), (0, 2), (2, 2), (2, 0), (3, 0), (4, 0), (5, 0), (1, 0)]
        } else {
            &[(0, 0), (2, 0), (3, 0), (4, 0), (5, 0), (1, 0), (4, 0), (5, 0)]
        };
        let (kind, target) = *self.rng.pick(kinds);
        let node =
            action(&name, kind, target).text("ActionProcessor.duration", self.rng.word(&["0", "1", "", "x"]));
        if self.rng.chance(30) {
            return node;
        }
        let (text, expression) = condition(self.rng, &self.loops);
        let steps = if self.rng.chance(30) { vec![self.sampler_only(), node] } else { vec![node] };
        if_of(&format!("{name}if"), &text, steps).flag("IfController.useExpression", expression)
    }

    fn sampler_only(&mut self) -> Node {
        let number = self.rng.number();
        get(&format!("s{number}"), &format!("/{NAME}s{number}"))
    }

    fn controller(&mut self, depth: u32) -> Node {
        let name = format!("c{}", self.rng.number());
        let kind = *self.rng.weighted(&[
            (10, Kind::Loop),
            (12, Kind::If),
            (6, Kind::While),
            (2, Kind::WhileLast),
            (7, Kind::ForEach),
            (9, Kind::Switch),
            (9, Kind::Interleave),
            (3, Kind::One),
            (8, Kind::Once),
            (5, Kind::Simple),
            (12, Kind::Transaction),
            (4, Kind::Module),
            (7, Kind::Throughput),
            (3, Kind::Critical),
            (1, Kind::Include),
        ]);
        self.of_kind(kind, &name, depth)
    }

    fn of_kind(&mut self, kind: Kind, name: &str, depth: u32) -> Node {
        match kind {
            Kind::Loop => {
                let count = count(self.rng);
                self.loops.push(name.to_owned());
                let children = self.children(depth);
                self.loops.pop();
                loop_of(name, &count, children).flag("LoopController.continue_forever", self.rng.chance(50))
            }
            Kind::If => {
                let (text, expression) = condition(self.rng, &self.loops);
                let node =
                    if_of(name, &text, self.children(depth)).flag("IfController.useExpression", expression);
                node.flag("IfController.evaluateAll", self.rng.chance(25))
            }
            Kind::While => while_of(name, &ending(self.rng), self.children(depth)),
            Kind::WhileLast => self.while_last(name, depth),
            Kind::ForEach => self.foreach(name, depth),
            Kind::Switch => {
                let children = self.children(depth);
                let names: Vec<String> =
                    children.iter().map(|child| child.element.name().to_owned()).collect();
                let value = choice(self.rng, &names);
                element(
                    "SwitchController",
                    "SwitchControllerGui",
                    name,
                    &[("SwitchController.value", &value)],
                )
                .of(children)
            }
            Kind::Interleave => {
                let across = !self.shared && self.rng.chance(20);
                let mut children = self.children(depth);
                // An empty one across users is the end of a user in JMeter.
                children.push(self.sampler_only());
                element("InterleaveControl", "InterleaveControlGui", name, &[])
                    .int("InterleaveControl.style", self.rng.range(0, 1))
                    .flag("InterleaveControl.accrossThreads", across)
                    .of(children)
            }
            Kind::One => self.one(name, depth),
            Kind::Once => once(self.children(depth)),
            Kind::Simple => simple(name, self.children(depth)),
            Kind::Transaction => {
                let (parent, timers) = (self.rng.chance(50), self.rng.chance(50));
                transaction(name, parent, timers, self.children(depth))
            }
            Kind::Module => self.module(name, depth),
            Kind::Throughput => self.throughput(name, depth),
            Kind::Critical => {
                let lock = self.rng.word(&["lock", "", "${c}"]);
                element(
                    "CriticalSectionController",
                    "CriticalSectionControllerGui",
                    name,
                    &[("CriticalSectionController.lockName", lock)],
                )
                .of(self.children(depth))
            }
            Kind::Include => element(
                "IncludeController",
                "IncludeControllerGui",
                name,
                &[("IncludeController.includepath", "data/fragment.jmx")],
            ),
        }
    }

    /// Ends when the last sample failed, which it does every other time; so nothing inside may keep it from being reached.
    fn while_last(&mut self, name: &str, depth: u32) -> Node {
        let before = std::mem::replace(&mut self.still, true);
        let mut children =
            vec![simple(&format!("{name}s"), (0..depth).map(|_| self.sampler_only()).collect::<Vec<_>>())];
        self.still = before;
        let number = self.rng.number();
        children.push(get(&format!("s{number}"), &format!("/flaky/{NAME}s{number}-${{__threadNum}}")));
        while_of(name, self.rng.word(&["", "LAST", "last"]), children)
    }

    fn foreach(&mut self, name: &str, depth: u32) -> Node {
        let (input, output) = *self.rng.pick(&[
            ("v", "item"),
            ("v", "item"),
            ("w", "item"),
            ("r", "item"),
            ("v", "c"),
            ("${input}", "item"),
        ]);
        let children = self.children(depth);
        let separator = self.rng.chance(80);
        let mut node =
            foreach(name, input, output, children).flag("ForeachController.useSeparator", separator);
        if self.rng.chance(30) {
            node = node.text("ForeachController.startIndex", self.rng.word(&["0", "1", "2", "", "x"]));
            node = node.text("ForeachController.endIndex", self.rng.word(&["1", "2", "9", "", "x"]));
        }
        node
    }

    /// Controllers that draw lots, with one child to choose.
    fn one(&mut self, name: &str, depth: u32) -> Node {
        let child = if depth > 0 { self.controller(depth - 1) } else { self.sampler_only() };
        if self.rng.chance(50) {
            return element("RandomOrderController", "RandomOrderControllerGui", name, &[]).of([child]);
        }
        let style = self.rng.range(0, 1);
        element("RandomController", "RandomControlGui", name, &[])
            .int("InterleaveControl.style", style)
            .of([child])
    }

    fn module(&mut self, name: &str, depth: u32) -> Node {
        if self.fragments == 0 {
            return simple(name, self.children(depth));
        }
        let fragment = format!("{NAME}f{}", self.rng.below(self.fragments));
        let node = element("ModuleController", "ModuleControllerGui", name, &[]);
        let path = if self.rng.chance(70) {
            vec!["Test Plan", PLAN, &fragment, "m"]
        } else {
            vec!["Test Plan", PLAN, &fragment]
        };
        set(node, "ModuleController.node_path", texts(&path))
    }

    fn throughput(&mut self, name: &str, depth: u32) -> Node {
        let each = self.shared || self.rng.chance(50);
        let (style, max) = (self.rng.range(0, 1), self.rng.word(&["1", "2", "0", "${one}", "x", "5"]));
        let percent = self.rng.word(&["50", "33.3", "100", "0", "10.0", "${one}", "70.5"]);
        let node = element("ThroughputController", "ThroughputControllerGui", name, &[]);
        let node = node.int("ThroughputController.style", style).flag("ThroughputController.perThread", each);
        let node = node.text("ThroughputController.maxThroughput", max);
        set(node, "ThroughputController.percentThroughput", PropertyValue::Text(percent.to_owned()))
            .of(self.children(depth))
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Loop,
    If,
    While,
    WhileLast,
    ForEach,
    Switch,
    Interleave,
    One,
    Once,
    Simple,
    Transaction,
    Module,
    Throughput,
    Critical,
    Include,
}
