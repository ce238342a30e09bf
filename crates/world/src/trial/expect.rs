//! What a user of a group does, by the definitions of JMeter's manual: an oracle for the engine's
//! controllers that shares nothing with them.

use std::collections::BTreeMap;

use super::options::PlanNode;

/// A step of a user. Numbers are those of nodes in the order of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A request.
    Request(usize),
    /// A transaction begins.
    Begin(usize),
    /// It ends.
    End(usize),
    /// The user stops itself, or the test.
    Stop,
}

/// A user of a group.
#[derive(Default)]
pub(super) struct ExpectedUser {
    iteration: u32,
    /// Iterations and executions of Throughput Controllers; how often Interleave Controllers were
    /// entered.
    counts: BTreeMap<usize, (u32, u32)>,
}

impl ExpectedUser {
    /// The steps of the next iteration. Those after a stop are not made.
    pub(super) fn iteration(&mut self, nodes: &[PlanNode]) -> Vec<Step> {
        self.iteration += 1;
        let mut steps = Vec::new();
        self.expand(nodes, 0, self.iteration, &mut steps);
        if let Some(place) = steps.iter().position(|step| *step == Step::Stop) {
            steps.truncate(place + 1);
        }
        steps
    }

    /// `turn`: the iteration of the controller that these are children of, from 1. Gives the number
    /// after the last.
    fn expand(&mut self, nodes: &[PlanNode], first: usize, turn: u32, steps: &mut Vec<Step>) -> usize {
        let mut number = first;
        for node in nodes {
            let own = number;
            let below = own + 1;
            number = below + count(node.below());
            match node {
                PlanNode::Request { .. } => steps.push(Step::Request(own)),
                PlanNode::StopThread {} | PlanNode::StopTest { .. } => steps.push(Step::Stop),
                PlanNode::Simple { below: nodes } | PlanNode::If { holds: true, below: nodes } => {
                    self.expand(nodes, below, turn, steps);
                }
                PlanNode::If { holds: false, .. } => {}
                PlanNode::Loop { turns, below: nodes } => {
                    for turn in 1..=*turns {
                        self.expand(nodes, below, turn, steps);
                    }
                }
                PlanNode::Once { below: nodes } => {
                    if turn == 1 {
                        self.expand(nodes, below, turn, steps);
                    }
                }
                PlanNode::Transaction { below: nodes, .. } => {
                    steps.push(Step::Begin(own));
                    self.expand(nodes, below, turn, steps);
                    steps.push(Step::End(own));
                }
                PlanNode::Throughput { amount, percent, below: nodes } => {
                    if self.executes(own, *amount, *percent) {
                        self.expand(nodes, below, turn, steps);
                    }
                }
                PlanNode::Interleave { below: nodes } => self.interleave(own, nodes, steps),
            }
        }
        number
    }

    /// A number of executions, or the share of the iterations that is nearest to the percentage
    /// (`ThroughputController.decide`).
    fn executes(&mut self, own: usize, amount: u32, percent: bool) -> bool {
        let (iterations, executions) = self.counts.entry(own).or_default();
        *iterations += 1;
        let executes =
            if percent { 100 * *executions + 50 < amount * *iterations } else { *executions < amount };
        *executions += u32::from(executes);
        executes
    }

    /// One child each time it is entered, in turn.
    fn interleave(&mut self, own: usize, nodes: &[PlanNode], steps: &mut Vec<Step>) {
        if nodes.is_empty() {
            return;
        }
        let (entered, _) = self.counts.entry(own).or_default();
        // Its children have no children.
        steps.push(Step::Request(own + 1 + *entered as usize % nodes.len()));
        *entered += 1;
    }
}

fn count(nodes: &[PlanNode]) -> usize {
    nodes.iter().map(|node| 1 + count(node.below())).sum()
}

/// The node of a number.
pub(super) fn node_at(nodes: &[PlanNode], number: usize) -> Option<&PlanNode> {
    let mut left = number;
    for node in nodes {
        if left == 0 {
            return Some(node);
        }
        let below = count(node.below());
        if left <= below {
            return node_at(node.below(), left - 1);
        }
        left -= 1 + below;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::options::{RouteOfRequest, Think};

    fn request() -> PlanNode {
        PlanNode::Request { route: RouteOfRequest::Delay(1), think: Think::default(), asserts: None }
    }

    #[test]
    fn nodes_have_the_numbers_of_the_plan() {
        let nodes = [
            PlanNode::Once { below: vec![request()] },
            PlanNode::Loop { turns: 2, below: vec![request(), PlanNode::Once { below: vec![request()] }] },
            request(),
        ];
        let mut user = ExpectedUser::default();
        let of = |steps: Vec<Step>| -> Vec<usize> {
            steps.iter().map(|step| if let Step::Request(number) = step { *number } else { 99 }).collect()
        };
        assert_eq!(of(user.iteration(&nodes)), [1, 3, 5, 3, 6]);
        assert_eq!(of(user.iteration(&nodes)), [3, 5, 3, 6]);
        assert_eq!(node_at(&nodes, 5), Some(&request()));
        assert_eq!(node_at(&nodes, 4), Some(&PlanNode::Once { below: vec![request()] }));
        assert_eq!(node_at(&nodes, 7), None);
    }

    #[test]
    fn executions_are_those_of_the_percentage_rounded() {
        let mut user = ExpectedUser::default();
        let ran: Vec<bool> = (0..6).map(|_| user.executes(0, 34, true)).collect();
        assert_eq!(ran, [false, true, false, false, true, false], "0.34, 0.68, 1.02, 1.36, 1.70, 2.04");
        let ran: Vec<bool> = (0..3).map(|_| user.executes(1, 2, false)).collect();
        assert_eq!(ran, [true, true, false]);
    }
}
