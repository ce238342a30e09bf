//! A load profile that replaces the load of a thread group.

use std::sync::Arc;

use swell_shape::{Pacer, Shape, Spacing};

use super::{S, Schedule, ScheduleMode, Start};

/// A number of users that follows a profile; users that end are replaced.
pub(crate) struct ShapedUsers {
    shape: Shape,
    start_ns: i64,
}

/// Arrivals that follow a profile.
pub(crate) struct ShapedArrivals {
    shape: Arc<Shape>,
    spacing: Spacing,
    start_ns: i64,
    /// What an arrival is in the plan's own schedule: an iteration, or a user.
    is_iteration: bool,
    /// The plan's limit of users for iterations.
    at_most: Option<u32>,
}

fn seconds(from_ns: i64, to_ns: i64) -> f64 {
    (to_ns - from_ns) as f64 / S as f64
}

fn after(start_ns: i64, seconds: f64) -> i64 {
    start_ns.saturating_add((seconds * S as f64).round() as i64)
}

impl ShapedUsers {
    /// The group's part of a shape that begins then.
    pub(crate) fn new(shape: &Shape, part: f64, start_ns: i64) -> Self {
        Self { shape: shape.scaled(part), start_ns }
    }
}

impl Schedule for ShapedUsers {
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_> {
        Box::new(std::iter::empty())
    }

    fn users(&self) -> u32 {
        self.shape.range().1.round() as u32
    }

    fn end_ns(&self) -> Option<i64> {
        Some(after(self.start_ns, self.shape.length_s()))
    }

    fn users_at(&self, at_ns: i64) -> u32 {
        self.shape.level(seconds(self.start_ns, at_ns)).round() as u32
    }

    fn mode(&self) -> ScheduleMode<'_> {
        ScheduleMode::Level
    }
}

impl ShapedArrivals {
    /// The group's part of a shape that begins then, with arrivals of the plan's kind. Random
    /// arrivals of groups are independent: `group` makes their seeds differ.
    pub(crate) fn new(
        shape: &Shape,
        part: f64,
        spacing: Spacing,
        group: u64,
        start_ns: i64,
        plan: ScheduleMode<'_>,
    ) -> Self {
        let spacing = match spacing {
            Spacing::Even => Spacing::Even,
            Spacing::Poisson { seed } => {
                Spacing::Poisson { seed: seed ^ group.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
            }
        };
        let (is_iteration, at_most) = match plan {
            ScheduleMode::Iterations { at_most } => (true, at_most),
            _ => (false, None),
        };
        Self { shape: Arc::new(shape.scaled(part)), spacing, start_ns, is_iteration, at_most }
    }
}

impl Schedule for ShapedArrivals {
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_> {
        let times = Pacer::new(self.shape.clone(), self.spacing);
        let start = |(user, at_s)| Start { user, start_ns: after(self.start_ns, at_s), end_ns: i64::MAX };
        Box::new((0..).zip(times).map(start))
    }

    fn users(&self) -> u32 {
        0
    }

    fn end_ns(&self) -> Option<i64> {
        Some(after(self.start_ns, self.shape.length_s()))
    }

    fn per_second_at(&self, at_ns: i64) -> Option<f64> {
        Some(self.shape.level(seconds(self.start_ns, at_ns)))
    }

    fn mode(&self) -> ScheduleMode<'_> {
        let at_most = self.at_most;
        if self.is_iteration { ScheduleMode::Iterations { at_most } } else { ScheduleMode::OneShot }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_shape::ShapePart;

    fn ramp() -> Shape {
        Shape::new([ShapePart::Line { from: 0.0, to: 100.0, length_s: 10.0 }], None)
    }

    #[test]
    fn users_follow_their_part_of_the_shape() {
        let schedule = ShapedUsers::new(&ramp(), 0.5, 5 * S);
        let at = [0, 5, 7, 14, 15].map(|at_s| schedule.users_at(at_s * S));
        assert_eq!((at, schedule.users(), schedule.end_ns()), ([0, 0, 10, 45, 0], 50, Some(15 * S)));
        assert!(schedule.starts().next().is_none() && matches!(schedule.mode(), ScheduleMode::Level));
    }

    #[test]
    fn arrivals_follow_their_part_of_the_shape_and_are_of_the_plans_kind() {
        let plan = ScheduleMode::Iterations { at_most: Some(7) };
        let schedule = ShapedArrivals::new(&ramp(), 0.5, Spacing::Even, 0, 5 * S, plan);
        let starts: Vec<_> = schedule.starts().collect();
        assert_eq!((starts.len(), starts[0].start_ns, starts[1].user), (250, 5 * S, 1));
        assert!(starts.iter().all(|start| (5 * S..15 * S).contains(&start.start_ns)));
        assert_eq!(schedule.per_second_at(10 * S), Some(25.0));
        assert!(matches!(schedule.mode(), ScheduleMode::Iterations { at_most: Some(7) }));
        let random = |group| {
            let spacing = Spacing::Poisson { seed: 3 };
            ShapedArrivals::new(&ramp(), 1.0, spacing, group, 0, ScheduleMode::OneShot)
                .starts()
                .map(|start| start.start_ns)
                .collect::<Vec<_>>()
        };
        assert_ne!(random(0), random(1));
        assert_eq!(random(1), random(1));
    }
}
