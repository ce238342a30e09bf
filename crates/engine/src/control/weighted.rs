//! A user's state of a Weighted Switch Controller, and the choice of a child by weight.

/// A user's state of the controller.
#[derive(Default)]
pub(crate) struct Weighted {
    /// The child of this visit is known.
    pub(super) chosen: bool,
    pub(super) child: u32,
    /// How often each child was chosen.
    counts: Vec<u64>,
}

impl Weighted {
    /// The child furthest below its share of the visits (`getIndex`); `None` if there are no
    /// children.
    pub(super) fn lagging(&mut self, weights: &[f64]) -> Option<u32> {
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
pub(super) fn at_place(weights: &[f64], place: f64) -> u32 {
    let mut left = place;
    for (child, weight) in (0..).zip(weights) {
        left -= weight;
        if left <= 0.0 {
            return child;
        }
    }
    0
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
