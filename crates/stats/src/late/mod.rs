//! Samples that the tool started late, and their effect on the figures.
//!
//! A late start need not change anything. 200 users whose responses arrive together start one after
//! another, and a server that is the bottleneck has not done less work because of that. So the
//! times of late samples are kept separately. The truth without the tool is between two bounds.
//! Either all of the lateness was waiting after others that were late as well (the time would have
//! been shorter), or all of it was waiting for a server that was still busy (it would have been
//! longer). In addition, the samples that were not late show the times without lateness. If nearly
//! all were late, the comparison is between less and more late ones. A figure is off only by as
//! much as both methods agree on.

use serde::{Deserialize, Serialize};

use crate::{Histogram, Precision};

mod judged;

/// A start that is later than this is late: a quarter of what any figure may be off by.
pub(crate) const LATE_NS: u64 = 50_000;
/// Late samples of a label, worker and second whose times are all kept; of more, every sixteenth,
/// which counts for sixteen.
const KEPT: u64 = 1024;
const EACH: u64 = 16;

/// The effect of the tool's late starts on the figure that they changed most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Changed {
    /// The quantile (0..1); none: the mean.
    pub quantile: Option<f64>,
    /// Whether it is a figure of response times; else of service times.
    pub of_responses: bool,
    /// The figure as it was measured, in nanoseconds.
    pub measured_ns: u64,
    /// How far it is off, in nanoseconds.
    pub by_ns: u64,
}

impl Changed {
    /// What it may be off by: 0.75 % of the figure or 0.2 ms, whichever is more; in nanoseconds.
    /// With what late sends may do, that is 1 %.
    pub fn allowed_ns(&self) -> u64 {
        (self.measured_ns * 3 / 400).max(200_000)
    }

    pub(crate) fn part_of_allowed(&self) -> f64 {
        self.by_ns as f64 / self.allowed_ns() as f64
    }
}

/// Times of late samples, as they were and by the bounds.
#[derive(Clone, Debug, PartialEq)]
struct Times {
    seen: Histogram,
    /// Without the lateness.
    shorter: Histogram,
    /// With it.
    longer: Histogram,
    sum_ns: u128,
}

impl Times {
    const fn new() -> Self {
        const NONE: Histogram = Histogram::new(Precision::Three);
        Self { seen: NONE, shorter: NONE, longer: NONE, sum_ns: 0 }
    }

    fn merge(&mut self, other: &Self) {
        self.seen.merge(&other.seen);
        self.shorter.merge(&other.shorter);
        self.longer.merge(&other.longer);
        self.sum_ns += other.sum_ns;
    }
}

/// Late samples, with sums over them.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    samples: u64,
    sum_late_ns: u128,
    sum_late_squares_ns2: u128,
    /// The sum of lateness times time.
    sum_products_ns2: u128,
    times: Times,
}

/// Data about the late samples of a label.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Late {
    /// By service time: those on a connection that was there, and those that made one, which take
    /// longer and start in a crowd.
    service: [Option<Box<Group>>; 2],
    /// By response time, where they have one.
    response: Option<Box<Group>>,
    /// All samples that made a connection, late or not.
    connected: Histogram,
    sum_connected_ns: u128,
    sum_connected_squares_ns2: u128,
}

/// [`Late`] if there is any data. It stays where it was counted, is not encoded, and is ignored by
/// comparisons.
#[derive(Clone, Debug, Default)]
pub(crate) struct LateSamples(Option<Box<Late>>);

impl LateSamples {
    pub(crate) fn get(&self) -> Option<&Late> {
        self.0.as_deref()
    }

    pub(crate) fn known(&mut self) -> &mut Late {
        self.0.get_or_insert_with(|| Box::new(Late::new()))
    }
}

impl PartialEq for LateSamples {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// No late samples.
static NONE: Group = Group::new();

/// Adds to a group that is made for the first sample.
fn group_of(place: &mut Option<Box<Group>>) -> &mut Group {
    place.get_or_insert_with(|| Box::new(Group::new()))
}

impl Group {
    const fn new() -> Self {
        let times = Times::new();
        Self { samples: 0, sum_late_ns: 0, sum_late_squares_ns2: 0, sum_products_ns2: 0, times }
    }

    /// A late sample; `longer_ns`: how long it would have taken if a server that is the bottleneck
    /// had kept it waiting.
    fn record(&mut self, late_ns: u64, time_ns: u64, longer_ns: u64) {
        self.samples += 1;
        self.sum_late_ns += u128::from(late_ns);
        self.sum_late_squares_ns2 += u128::from(late_ns) * u128::from(late_ns);
        self.sum_products_ns2 += u128::from(late_ns) * u128::from(time_ns);
        self.times.sum_ns += u128::from(time_ns);
        let times = match self.samples {
            few if few <= KEPT => 1,
            many if many.is_multiple_of(EACH) => EACH,
            _ => return,
        };
        self.times.seen.record_many(time_ns, times);
        self.times.shorter.record_many(time_ns.saturating_sub(late_ns), times);
        self.times.longer.record_many(longer_ns, times);
    }

    fn merge(&mut self, other: &Self) {
        self.samples += other.samples;
        self.sum_late_ns += other.sum_late_ns;
        self.sum_late_squares_ns2 += other.sum_late_squares_ns2;
        self.sum_products_ns2 += other.sum_products_ns2;
        self.times.merge(&other.times);
    }
}

impl Late {
    pub(crate) fn new() -> Self {
        Self {
            service: [None, None],
            response: None,
            connected: Histogram::new(Precision::Three),
            sum_connected_ns: 0,
            sum_connected_squares_ns2: 0,
        }
    }

    #[inline(never)]
    pub(crate) fn record(
        &mut self,
        late_ns: u64,
        elapsed_ns: u64,
        response_ns: Option<u64>,
        connected: bool,
    ) {
        group_of(&mut self.service[usize::from(connected)]).record(late_ns, elapsed_ns, elapsed_ns + late_ns);
        if let Some(response_ns) = response_ns {
            // The lateness is part of it.
            group_of(&mut self.response).record(late_ns, response_ns, response_ns);
        }
    }

    /// A sample that made a connection.
    #[inline(never)]
    pub(crate) fn record_connected(&mut self, elapsed_ns: u64) {
        self.connected.record(elapsed_ns);
        self.sum_connected_ns += u128::from(elapsed_ns);
        self.sum_connected_squares_ns2 += u128::from(elapsed_ns) * u128::from(elapsed_ns);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        let groups = self.service.iter_mut().chain([&mut self.response]);
        for (mine, theirs) in groups.zip(other.service.iter().chain([&other.response])) {
            if let Some(theirs) = theirs {
                group_of(mine).merge(theirs);
            }
        }
        self.connected.merge(&other.connected);
        self.sum_connected_ns += other.sum_connected_ns;
        self.sum_connected_squares_ns2 += other.sum_connected_squares_ns2;
    }
}

#[cfg(test)]
mod tests;
