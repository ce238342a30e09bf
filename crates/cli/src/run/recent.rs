//! Response times of the last seconds.

use std::collections::VecDeque;

use swell_stats::{Histogram, LabelStats, Precision};

/// Service times of the last seconds.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    seconds: VecDeque<Histogram>,
    most: usize,
}

impl Recent {
    /// Keeps the last `most` seconds.
    pub(crate) fn of_seconds(most: usize) -> Self {
        Self { seconds: VecDeque::new(), most }
    }

    pub(crate) fn add(&mut self, counted: &LabelStats) {
        if self.seconds.len() >= self.most {
            self.seconds.pop_front();
        }
        self.seconds.push_back(counted.elapsed.clone());
    }

    /// All of them together.
    pub(crate) fn times(&self) -> Histogram {
        let mut all = Histogram::new(Precision::Three);
        self.seconds.iter().for_each(|second| all.merge(second));
        all
    }
}
