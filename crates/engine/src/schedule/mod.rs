//! Schedules: pure tables of the times at which virtual users start and end. Each kind of thread
//! group has a kind of schedule.

mod arrivals;
mod concurrency;
mod foreign;
mod open_model;
mod profile;
mod shaped;
mod share;
mod short_time;
mod stepping;
mod table;
mod thread_group;
mod ultimate;

pub(crate) use arrivals::{Arrivals, ArrivalsPlan, Chunk, Ramp, Rate};
pub(crate) use concurrency::{Concurrency, ConcurrencyPlan};
pub(crate) use foreign::Foreign;
pub(crate) use open_model::OpenModel;
pub(crate) use profile::{Profile, Span, spans_of_property};
pub(crate) use shaped::{ShapedArrivals, ShapedUsers};
pub(crate) use share::SHARE;
pub use share::{Share, Takeover};
pub(crate) use short_time::short_seconds;
pub(crate) use stepping::SteppingFields;
pub(crate) use swell_api::Start;
pub(crate) use table::Table;
pub(crate) use thread_group::{Fields, ThreadGroupSchedule};
pub(crate) use ultimate::{Row, rows_of_property, ultimate};

/// Nanoseconds of a second.
const S: i64 = 1_000_000_000;
/// Nanoseconds of a millisecond.
const MS: i64 = 1_000_000;

/// The times at which users of a thread group start and end. All workers query the same schedule,
/// each for its users.
pub(crate) trait Schedule: Send + Sync {
    /// All starts in order of their times.
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_>;
    /// How many users there are, as far as is known.
    fn users(&self) -> u32;
    /// The latest end, if the schedule defines one; running samples not counted.
    fn end_ns(&self) -> Option<i64>;
    /// Whether a user whose turn comes only after its end does not start at all. Else it takes one
    /// sample, as in JMeter.
    fn starts_by_end(&self) -> bool {
        false
    }
    /// How many users there should be at a time, where each start is a user that stays until its
    /// end.
    fn users_at(&self, at_ns: i64) -> u32 {
        let started = self.starts().take_while(|start| start.start_ns <= at_ns);
        started.filter(|start| at_ns < start.end_ns).count() as u32
    }
    /// How many starts a second there should be at a time, where starts are arrivals.
    fn per_second_at(&self, _at_ns: i64) -> Option<f64> {
        None
    }
    /// What the starts mean, and what comes after the last.
    fn mode(&self) -> ScheduleMode<'_> {
        ScheduleMode::Users
    }
}

/// The meaning of a schedule's starts.
#[derive(Clone, Copy)]
pub(crate) enum ScheduleMode<'a> {
    /// Each start is a user that ends by itself.
    Users,
    /// Each start is a user for one iteration; those that run at the end are cut.
    OneShot,
    /// Each start is an iteration: of a user that has nothing to do, or of a new one as long as
    /// there are fewer than that. At the end users stop before their next sample.
    Iterations { at_most: Option<u32> },
    /// As many users as [`Schedule::users_at`] says are kept running: a user that ends early is
    /// replaced.
    Level,
    /// This number of users is kept running: a user that ends early is replaced.
    ConstantConcurrency(&'a ConcurrencyPlan),
}

/// The users of one worker: every `step`-th from `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) first: u32,
    pub(crate) step: u32,
}

impl Slice {
    /// One of `all` slices. Start k of a group is in slice (k + offset) mod all, where the offset
    /// counts the users of the groups before, so that slices are even over groups too.
    pub(crate) fn of(slice: u32, all: u32, offset: u32) -> Self {
        Self { first: (slice + all - offset % all) % all, step: all }
    }

    /// Its part of what comes in order.
    pub(crate) fn cut<T>(self, all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        all.skip(self.first as usize).step_by(self.step as usize)
    }

    /// How many of the first `total` are its own.
    pub(crate) fn share(self, total: u32) -> u32 {
        total.saturating_sub(self.first).div_ceil(self.step)
    }

    /// The place in the whole order of its member at that place.
    pub(crate) fn place(self, member: u32) -> u32 {
        self.first.saturating_add(member.saturating_mul(self.step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_even_over_groups() {
        let sizes = [1, 5, 2, 7, 1];
        for workers in [1, 2, 3, 8] {
            let mut counts = vec![0; workers];
            let mut offset = 0;
            for size in sizes {
                let mut seen = Vec::new();
                for (worker, count) in counts.iter_mut().enumerate() {
                    let slice = Slice::of(worker as u32, workers as u32, offset);
                    let users: Vec<_> = slice.cut(0..size).collect();
                    assert_eq!(slice.share(size) as usize, users.len());
                    for (member, user) in (0..).zip(&users) {
                        assert_eq!(slice.place(member), *user);
                    }
                    *count += users.len();
                    seen.extend(users);
                }
                seen.sort_unstable();
                assert_eq!(seen, (0..size).collect::<Vec<_>>());
                offset += size;
            }
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
        }
    }
}
