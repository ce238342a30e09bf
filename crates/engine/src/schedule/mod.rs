//! When virtual users start and end: pure tables of times. A kind of thread group is a kind of schedule.

mod thread_group;

pub(crate) use thread_group::{Fields, ThreadGroupSchedule};

/// Life of one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// When it starts.
    pub(crate) start_ns: i64,
    /// When its schedule ends; `i64::MAX` if it does not.
    pub(crate) end_ns: i64,
}

/// When the users of a thread group live. All workers ask the same schedule, each for its own users.
pub(crate) trait Schedule: Send + Sync {
    /// The life of the user of that number, from 0; none if there is no such user. Starts do not fall with the number.
    fn span(&self, user: u32) -> Option<Span>;
    /// How many users there are, as far as is known.
    fn users(&self) -> u32;
    /// When all is over at the latest, if the schedule says so; running samples not counted.
    fn end_ns(&self) -> Option<i64>;
}

/// The users of one worker: every `step`-th from `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) first: u32,
    pub(crate) step: u32,
}

impl Slice {
    /// The slice of a worker. User k of a group is on worker (k + offset) mod workers, where the offset counts the users
    /// of the groups before, so that workers are even over groups too.
    pub(crate) fn of(worker: usize, workers: usize, offset: u32) -> Self {
        let step = workers as u32;
        Self { first: (worker as u32 + step - offset % step) % step, step }
    }

    /// The users in it, without end.
    pub(crate) fn users(self) -> impl Iterator<Item = u32> {
        (self.first..=u32::MAX).step_by(self.step as usize)
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
                    let users: Vec<_> =
                        Slice::of(worker, workers, offset).users().take_while(|k| *k < size).collect();
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
