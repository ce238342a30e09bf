//! Spans of equal width one after another, merged in pairs when there are too many. Borders are
//! multiples of the width since the epoch, so that what comes late, or from before the first span,
//! finds its place.

use std::collections::VecDeque;

/// Width of a span before any are merged, in milliseconds.
pub(super) const FIRST_WIDTH_MS: i64 = 1000;

/// What a span holds.
pub(super) trait Span: Clone + Default {
    /// Adds the span that follows.
    fn merge(&mut self, next: &Self);
}

/// At most `limit` spans.
#[derive(Clone, Debug)]
pub(super) struct Grid<T> {
    width_ms: i64,
    first: i64,
    limit: usize,
    spans: VecDeque<T>,
}

impl<T: Span> Grid<T> {
    /// No span yet; keeps at most `limit`, at least 2.
    pub(super) fn new(limit: usize) -> Self {
        Self { width_ms: FIRST_WIDTH_MS, first: 0, limit: limit.max(2), spans: VecDeque::new() }
    }

    /// The span of a moment, made if it is not there.
    pub(super) fn at(&mut self, at_ms: i64) -> &mut T {
        if self.spans.is_empty() {
            self.first = at_ms.div_euclid(self.width_ms);
            self.spans.push_back(T::default());
        }
        while self.needed(at_ms) > self.limit as i64 {
            self.double();
        }
        let place = at_ms.div_euclid(self.width_ms);
        while place < self.first {
            self.spans.push_front(T::default());
            self.first -= 1;
        }
        let place = (place - self.first) as usize;
        if place >= self.spans.len() {
            self.spans.resize(place + 1, T::default());
        }
        &mut self.spans[place]
    }

    /// How many spans there would be with that moment among them.
    fn needed(&self, at_ms: i64) -> i64 {
        let place = at_ms.div_euclid(self.width_ms);
        let last = self.first + self.spans.len() as i64 - 1;
        place.max(last) - place.min(self.first) + 1
    }

    fn double(&mut self) {
        let first = self.first.div_euclid(2);
        let mut wide: VecDeque<T> = VecDeque::with_capacity(self.spans.len() / 2 + 1);
        for (number, span) in (self.first..).zip(&self.spans) {
            let place = (number.div_euclid(2) - first) as usize;
            match wide.get_mut(place) {
                Some(before) => before.merge(span),
                None => wide.push_back(span.clone()),
            }
        }
        (self.first, self.spans, self.width_ms) = (first, wide, self.width_ms * 2);
    }

    pub(super) fn width_ms(&self) -> i64 {
        self.width_ms
    }

    /// When the first span begins, in milliseconds since the epoch.
    pub(super) fn start_ms(&self) -> i64 {
        self.first * self.width_ms
    }

    pub(super) fn last(&self) -> Option<&T> {
        self.spans.back()
    }

    pub(super) fn spans_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.spans.iter_mut()
    }

    pub(super) fn spans(&self) -> impl ExactSizeIterator<Item = &T> {
        self.spans.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Span for u64 {
        fn merge(&mut self, next: &Self) {
            *self += next;
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost_in_any_order_and_spans_hold_what_is_theirs(times in proptest::collection::vec(-50_000_i64..2_000_000, 1..200), limit in 2_usize..40) {
            let mut grid: Grid<u64> = Grid::new(limit);
            for at_ms in &times {
                *grid.at(*at_ms) += 1;
            }
            prop_assert!(grid.spans().len() <= limit);
            for (place, count) in grid.spans().enumerate() {
                let from = grid.start_ms() + place as i64 * grid.width_ms();
                let inside = times.iter().filter(|at_ms| (from..from + grid.width_ms()).contains(at_ms));
                prop_assert_eq!(*count, inside.count() as u64);
            }
        }
    }

    #[test]
    fn times_centuries_apart_neither_hang_nor_take_memory() {
        let mut grid: Grid<u64> = Grid::new(100);
        for at_ms in [0, 1_700_000_000_000, i64::MAX / 4, i64::MIN / 4] {
            *grid.at(at_ms) += 1;
        }
        assert_eq!(grid.spans().sum::<u64>(), 4);
        assert!(grid.spans().len() <= 100);
    }
}
