//! Weighted Switch Controller (`com.blazemeter.jmeter.control.WeightedSwitchController`): one child on each visit, as often as
//! its weight says.

use rand::Rng;
use swell_expr::Template;

use super::actions::Left;
use super::state::More;
use super::walk::{Turn, Walk};
use super::{Child, ControlId, Halt, Kind, Next};
use crate::number;

/// What a user remembers of it.
#[derive(Default)]
pub(crate) struct Weighted {
    /// The child of this visit is known.
    chosen: bool,
    child: u32,
    /// How often each child was chosen.
    counts: Vec<u64>,
}

impl Weighted {
    /// The child that lags most behind its part of the visits (`getIndex`); none if there is nothing to choose from.
    fn lagging(&mut self, weights: &[f64]) -> Option<u32> {
        self.counts.resize(weights.len(), 0);
        let (sum, total): (f64, u64) = (weights.iter().sum(), self.counts.iter().sum());
        let mut best: Option<(usize, f64)> = None;
        for (child, weight) in weights.iter().enumerate() {
            let share = if total > 0 { self.counts[child] as f64 / total as f64 } else { 0.0 };
            let lag = weight / sum - share;
            if lag > best.map_or(f64::from_bits(1), |(_, lag)| lag) {
                best = Some((child, lag));
            }
        }
        // All have their part exactly: the heaviest begins the next round.
        let heaviest = || {
            let heavier = |best: Option<(usize, f64)>, (child, weight): (usize, &f64)| match best {
                Some((_, most)) if *weight <= most => best,
                _ => (*weight > 0.0).then_some((child, *weight)).or(best),
            };
            weights.iter().enumerate().fold(None, heavier)
        };
        let (child, _) = best.or_else(heaviest)?;
        self.counts[child] += 1;
        Some(child as u32)
    }
}

/// The child at a place between 0 and the sum of all weights (`getRandomIndex`).
fn at_place(weights: &[f64], place: f64) -> u32 {
    let mut left = place;
    for (child, weight) in (0..).zip(weights) {
        left -= weight;
        if left <= 0.0 {
            return child;
        }
    }
    0
}

impl Walk<'_> {
    fn weighted(&mut self, id: ControlId) -> &mut Weighted {
        match &mut self.state(id).more {
            More::Weighted(weighted) => weighted,
            _ => unreachable!("weighted switches have this state"),
        }
    }

    /// `WeightedSwitchController.next`. When the chosen child is through it asks the next one, too, and drops the answer.
    pub(super) fn next_weighted(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        if !self.weighted(id).chosen {
            self.weighted(id).chosen = true;
            self.choose(id);
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

    fn choose(&mut self, id: ControlId) {
        let Kind::Weighted { weights, random } = &self.control(id).kind else { return };
        let evaluated = |weight: &Template| number::long(&weight.eval(self.cx)) as f64;
        let weights: Vec<_> = weights.iter().map(evaluated).collect();
        let child = if *random {
            let sum: f64 = weights.iter().sum();
            let place = self.cx.random.random::<f64>() * sum;
            Some(at_place(&weights, place))
        } else {
            self.weighted(id).lagging(&weights)
        };
        // Beyond all children there is nothing to run.
        let child = child.unwrap_or(u32::MAX);
        self.weighted(id).child = child;
        self.state(id).current = child;
    }

    /// `reset`: those below choose anew, too.
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
            let mut left: Option<Left> = None;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn order(weights: &[f64], visits: usize) -> Vec<u32> {
        let mut weighted = Weighted::default();
        (0..visits).filter_map(|_| weighted.lagging(weights)).collect()
    }

    #[test]
    fn children_take_turns_by_their_weights() {
        assert_eq!(order(&[1.0, 1.0], 4), [0, 1, 0, 1]);
        // As seen with version 0.7 of the plug-in.
        assert_eq!(order(&[3.0, 1.0, 2.0], 12), [0, 2, 1, 0, 2, 0, 0, 2, 1, 0, 2, 0]);
        assert_eq!(order(&[0.0, 5.0], 3), [1, 1, 1]);
        assert_eq!(order(&[0.0, 0.0], 3), [0u32; 0]);
        assert_eq!(order(&[], 3), [0u32; 0]);
        let many = order(&[70.0, 20.0, 10.0], 1000);
        let count = |child| many.iter().filter(|chosen| **chosen == child).count();
        assert_eq!((count(0), count(1), count(2)), (700, 200, 100));
    }

    #[test]
    fn a_place_falls_on_the_child_whose_part_it_is() {
        let places = [0.0, 0.9, 1.0, 1.1, 3.0, 3.1, 6.0, 99.0].map(|place| at_place(&[1.0, 2.0, 3.0], place));
        assert_eq!(places, [0, 0, 0, 1, 1, 2, 2, 0]);
    }
}
