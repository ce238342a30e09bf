//! A whole load profile: parts one after the other.

use serde::{Deserialize, Serialize};

use crate::ShapePart;

/// Unit of the levels of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShapeUnit {
    /// Running users.
    Users,
    /// Arrivals, or samples, per second.
    Rate,
}

/// Load over time. Times are seconds since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "EncodedShape", into = "EncodedShape")]
pub struct Shape {
    parts: Vec<PlacedPart>,
    length_s: f64,
    total: f64,
    unit: Option<ShapeUnit>,
}

/// A profile as it is sent to other machines, which derive the rest from its parts.
#[derive(Serialize, Deserialize)]
struct EncodedShape {
    parts: Vec<ShapePart>,
    unit: Option<ShapeUnit>,
}

impl From<Shape> for EncodedShape {
    fn from(shape: Shape) -> Self {
        Self { parts: shape.parts().copied().collect(), unit: shape.unit }
    }
}

impl From<EncodedShape> for Shape {
    fn from(written: EncodedShape) -> Self {
        Self::new(written.parts, written.unit)
    }
}

/// A part with its start and the sum before it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PlacedPart {
    at_s: f64,
    before: f64,
    part: ShapePart,
}

impl Shape {
    /// Parts in order; `unit`: the unit that their text states, if any.
    pub fn new(parts: impl IntoIterator<Item = ShapePart>, unit: Option<ShapeUnit>) -> Self {
        let mut placed = Vec::new();
        let mut length_s = 0.0;
        let mut total = 0.0;
        for part in parts {
            placed.push(PlacedPart { at_s: length_s, before: total, part });
            length_s += part.length_s();
            total += part.total();
        }
        Self { parts: placed, length_s, total, unit }
    }

    /// Its length in seconds.
    pub fn length_s(&self) -> f64 {
        self.length_s
    }

    /// The sum of all levels over time: arrivals, if they are a rate.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The unit that its text states; none if the plan decides.
    pub fn unit(&self) -> Option<ShapeUnit> {
        self.unit
    }

    /// Its parts.
    pub fn parts(&self) -> impl Iterator<Item = &ShapePart> {
        self.parts.iter().map(|placed| &placed.part)
    }

    /// Whether it counts arrivals at a moment or over a time, which has no meaning for a number of
    /// users.
    pub fn counts_arrivals(&self) -> bool {
        self.parts().any(|part| matches!(part, ShapePart::Rise { .. } | ShapePart::Burst { .. }))
    }

    /// The part at a time: the later one at a border.
    fn part_at(&self, at_s: f64) -> Option<&PlacedPart> {
        let after = self.parts.partition_point(|placed| placed.at_s <= at_s);
        self.parts.get(after.checked_sub(1)?)
    }

    /// The level at a time; 0 before the start and after the end.
    pub fn level(&self, at_s: f64) -> f64 {
        let inside = (0.0..self.length_s).contains(&at_s);
        self.part_at(at_s).filter(|_| inside).map_or(0.0, |placed| placed.part.level(at_s - placed.at_s))
    }

    /// The sum of levels from the start to a time.
    pub fn sum(&self, at_s: f64) -> f64 {
        let at_s = at_s.min(self.length_s);
        let part = self.part_at(at_s).filter(|_| at_s >= 0.0);
        part.map_or(0.0, |placed| {
            placed.before + placed.part.sum((at_s - placed.at_s).min(placed.part.length_s()))
        })
    }

    /// The first time at which the sum exceeds that much; none if it never does.
    pub fn time_of(&self, sum: f64) -> Option<f64> {
        if sum >= self.total {
            return None;
        }
        let after = self.parts.partition_point(|placed| placed.before <= sum);
        let placed = self.parts.get(after.checked_sub(1)?)?;
        Some(placed.at_s + placed.part.time_of(sum - placed.before))
    }

    /// Its lowest and highest level.
    pub fn range(&self) -> (f64, f64) {
        let ranges = self.parts().filter(|part| part.length_s() > 0.0).map(ShapePart::range);
        ranges.reduce(|all, next| (all.0.min(next.0), all.1.max(next.1))).unwrap_or((0.0, 0.0))
    }

    /// The mean level.
    pub fn mean(&self) -> f64 {
        if self.length_s > 0.0 { self.total / self.length_s } else { 0.0 }
    }

    /// With levels multiplied by a factor.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        Self::new(self.parts().map(|part| part.scaled(by)), self.unit)
    }

    /// With the same levels over another length.
    #[must_use]
    pub fn within(&self, length_s: f64) -> Self {
        let by = if self.length_s > 0.0 { length_s / self.length_s } else { 1.0 };
        Self::new(self.parts().map(|part| part.stretched(by)), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(from: f64, to: f64, length_s: f64) -> ShapePart {
        ShapePart::Line { from, to, length_s }
    }

    #[test]
    fn a_shape_is_the_same_on_other_machines() {
        let parts = [line(0.0, 1.0 / 3.0, 10.1), ShapePart::Burst { count: 7.0 }, line(1.0, 1.0, 3.0)];
        let shape = Shape::new(parts, Some(ShapeUnit::Rate));
        let text = serde_json::to_string(&shape).expect("it can be written");
        assert_eq!(serde_json::from_str::<Shape>(&text).expect("it can be read"), shape);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "sums of whole numbers are exact")]
    fn parts_come_one_after_the_other() {
        let shape = Shape::new(
            [
                line(0.0, 10.0, 10.0),
                line(4.0, 4.0, 5.0),
                ShapePart::Burst { count: 7.0 },
                line(0.0, 0.0, 2.0),
                line(1.0, 1.0, 3.0),
            ],
            None,
        );
        assert_eq!((shape.length_s(), shape.total(), shape.range()), (20.0, 80.0, (0.0, 10.0)));
        assert_eq!(
            [-1.0, 5.0, 10.0, 16.0, 19.0, 20.0].map(|at_s| shape.level(at_s)),
            [0.0, 5.0, 4.0, 0.0, 1.0, 0.0]
        );
        assert_eq!([0.0, 10.0, 15.0, 16.9, 99.0].map(|at_s| shape.sum(at_s)), [0.0, 50.0, 77.0, 77.0, 80.0]);
        let times = [0.0, 50.0, 70.0, 76.5, 77.0, 78.5, 80.0].map(|sum| shape.time_of(sum));
        assert_eq!(times, [Some(0.0), Some(10.0), Some(15.0), Some(15.0), Some(17.0), Some(18.5), None]);
        assert_eq!(shape.scaled(2.0).total(), 160.0);
        let short = shape.within(10.0);
        assert_eq!((short.length_s(), short.level(2.5)), (10.0, 5.0));
    }

    #[test]
    fn one_without_parts_is_nothing() {
        let empty = Shape::new([], None);
        assert_eq!(
            (empty.level(0.0), empty.sum(5.0), empty.time_of(0.0), empty.mean()),
            (0.0, 0.0, None, 0.0)
        );
    }
}
