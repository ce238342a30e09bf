//! Weighted Switch Controller (`com.blazemeter.jmeter.control.WeightedSwitchController`): runs one
//! child per visit, in proportion to the weights.

use rand::Rng;
use swell_expr::Template;
use swell_trace::Verdict;

use super::{Turn, Walk};
use crate::control::state::More;
use crate::control::transaction::AbandonedTransaction;
use crate::control::weighted::{Weighted, at_place};
use crate::control::{Child, ControlId, Halt, Kind, Next};
use crate::number;

impl Walk<'_> {
    fn weighted(&mut self, id: ControlId) -> &mut Weighted {
        match &mut self.state(id).more {
            More::Weighted(weighted) => weighted,
            _ => unreachable!("weighted switches have this state"),
        }
    }

    /// `WeightedSwitchController.next`. When the chosen child is through it asks the next one, too,
    /// and drops the answer.
    pub(super) fn next_weighted(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        if !self.weighted(id).chosen {
            self.choose(id)?;
            self.weighted(id).chosen = true;
            return self.weighted_turn(id);
        }
        let found = self.weighted_turn(id)?;
        let chosen = self.weighted(id).child;
        if found.is_some() && self.state(id).current == chosen {
            return Ok(found);
        }
        self.forget_choice(id);
        self.reset_below(id);
        Ok(None)
    }

    fn weighted_turn(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        match self.turn(id)? {
            Turn::Found(next) => Ok(Some(next)),
            Turn::End => Ok(None),
            Turn::Again => self.next_weighted(id),
        }
    }

    fn choose(&mut self, id: ControlId) -> Result<(), Halt> {
        let Kind::Weighted { weights, random } = &self.control(id).kind else { return Ok(()) };
        let before = self.cx.evaluated();
        let evaluated = |weight: &Template| number::long(&weight.eval(self.cx)) as f64;
        let weights: Vec<_> = weights.iter().map(evaluated).collect();
        self.decided(before)?;
        let child = if *random {
            let sum: f64 = weights.iter().sum();
            let place = self.cx.random.random::<f64>() * sum;
            Some(at_place(&weights, place))
        } else {
            self.weighted(id).lagging(&weights)
        };
        // Beyond all children there is nothing to run.
        let child = child.unwrap_or(u32::MAX);
        if self.is_traced(id) && child != u32::MAX {
            let name = self.child_name(id, self.state_of(id).original(child));
            self.note(id, Verdict::Entered, None, format!("chose `{name}`"));
        }
        self.weighted(id).child = child;
        self.state(id).current = child;
        Ok(())
    }

    /// `reset`: the controllers below choose again, too.
    fn forget_choice(&mut self, id: ControlId) {
        self.weighted(id).chosen = false;
        for below in self.controllers_below(id) {
            if let Kind::Weighted { .. } = self.control(below).kind {
                self.forget_choice(below);
            }
        }
    }

    /// `resetController` of all children: the one that was asked too much forgets it.
    fn reset_below(&mut self, id: ControlId) {
        for below in self.controllers_below(id) {
            match self.control(below).kind {
                Kind::Transaction { parent: true, .. } => {
                    self.re_initialize(below);
                    continue;
                }
                Kind::Transaction { parent: false, .. } => self.state(below).more = More::Additional(None),
                _ => self.reset_below(below),
            }
            let mut left: Option<AbandonedTransaction> = None;
            self.trigger_end_of_loop(below, &mut left);
        }
    }

    fn controllers_below(&mut self, id: ControlId) -> Vec<ControlId> {
        let control = self.control(id);
        let left = self.state(id).left(control).into_iter();
        let controls = left.filter_map(|child| match control.children[child as usize] {
            Child::Control(below) => Some(below),
            Child::Sampler(_) => None,
        });
        controls.collect()
    }
}
