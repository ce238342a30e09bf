//! Limits for the cost of a query on a document: work, results, and their bytes.
//!
//! Code that evaluates something on server data (a regular expression, a path, a selector) counts
//! its work on a [`Budget`] and ends when the budget is exhausted. A budget of units alone is
//! deterministic and needs no clock. A metered budget also reads a clock of CPU time now and then,
//! and ends when the test stops. Memory that all users share is a [`Room`] of an [`Account`].
//! [`input`] has the limits of file readers.

pub mod input;
mod room;

pub use room::{Account, Room, Total};

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Units between two looks at the clock. A unit of work is about a nanosecond.
const SLICE: u64 = 50_000;

/// Bytes of results that are taken at a time of what all users may take.
const PIECE: u64 = 1 << 20;

/// A budget of at most this number of microseconds is brief.
const BRIEF_US: u64 = 1_000;

/// Limits for the check of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// CPU time, microseconds.
    pub work_us: u64,
    /// Results.
    pub results: u64,
    /// Bytes that results take.
    pub bytes: u64,
}

impl Default for Limits {
    /// 10 s, a million results, 256 MiB.
    fn default() -> Self {
        Self { work_us: 10_000_000, results: 1_000_000, bytes: 256 << 20 }
    }
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// That of work.
    Work,
    /// That of results.
    Results,
    /// That of bytes.
    Bytes,
    /// All users together take too much memory.
    Room,
    /// The test stopped.
    Stopped,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Work => "it takes too much work",
            Self::Results => "it finds too many results",
            Self::Bytes => "its results take too much memory",
            Self::Room => "all users together take too much memory",
            Self::Stopped => "the test stopped",
        })
    }
}

/// Measures CPU time.
#[derive(Clone, Debug)]
pub struct Meter {
    /// CPU time of this thread, nanoseconds.
    pub clock_ns: fn() -> i64,
    /// Set when the test stops at once.
    pub stop: Arc<AtomicBool>,
}

/// The rest of the budget of a query.
#[derive(Debug)]
pub struct Budget {
    units: Cell<u64>,
    results: Cell<u64>,
    /// Bytes that may be held until [`Self::more_room`] is asked.
    bytes: Cell<u64>,
    /// Bytes that may be held after those.
    bytes_left: Cell<u64>,
    /// What is held, as a part of what all users may take; none where that is not limited.
    room: RefCell<Option<Room>>,
    meter: Option<(Meter, i64)>,
    brief: bool,
    exceeded: Cell<Option<Exceeded>>,
}

impl Budget {
    /// Without a limit, for what is known to be small.
    pub fn unlimited() -> Self {
        Self::new(u64::MAX, u64::MAX, u64::MAX, None)
    }

    /// A budget of this many units of work, without a limit of results.
    pub fn of_units(units: u64) -> Self {
        Self::new(units, u64::MAX, u64::MAX, None)
    }

    /// A budget with these limits, for the thread that creates it.
    pub fn metered(limits: Limits, meter: Meter) -> Self {
        let allowed_ns = i64::try_from(limits.work_us.saturating_mul(1_000)).unwrap_or(i64::MAX);
        let end_ns = (meter.clock_ns)().saturating_add(allowed_ns);
        let brief = limits.work_us <= BRIEF_US;
        Self { brief, ..Self::new(SLICE, limits.results, limits.bytes, Some((meter, end_ns))) }
    }

    /// The same, where results count as a part of what all users may take. What is in `room`
    /// already is used for something else.
    #[must_use]
    pub fn within(self, room: Room) -> Self {
        self.bytes_left.set(self.bytes.replace(0));
        Self { room: RefCell::new(Some(room)), ..self }
    }

    /// What is taken of what all users may take, with what it had at first: to be kept as long as
    /// the results are.
    pub fn into_room(self) -> Option<Room> {
        self.room.into_inner()
    }

    fn new(units: u64, results: u64, bytes: u64, meter: Option<(Meter, i64)>) -> Self {
        Self {
            units: Cell::new(units),
            results: Cell::new(results),
            bytes: Cell::new(bytes),
            bytes_left: Cell::new(0),
            room: RefCell::new(None),
            meter,
            brief: false,
            exceeded: Cell::new(None),
        }
    }

    /// Counts work before it is done.
    ///
    /// # Errors
    /// There is none left.
    #[inline]
    pub fn work(&self, units: u64) -> Result<(), Exceeded> {
        match self.units.get().checked_sub(units) {
            Some(left) => {
                self.units.set(left);
                Ok(())
            }
            None => self.look(),
        }
    }

    /// Counts work where exhaustion cannot be reported: the next [`Self::work`] reports it.
    #[inline]
    pub fn charge(&self, units: u64) {
        if self.work(units).is_err() {
            self.units.set(0);
        }
    }

    /// Counts a result of that many bytes.
    ///
    /// # Errors
    /// There are too many, or they are too large.
    #[inline]
    pub fn keep(&self, bytes: usize) -> Result<(), Exceeded> {
        let Some(results) = self.results.get().checked_sub(1) else {
            return Err(self.end(Exceeded::Results));
        };
        self.results.set(results);
        self.hold(bytes)
    }

    /// Counts bytes that are held on the way to a result.
    ///
    /// # Errors
    /// There are too many.
    #[inline]
    pub fn hold(&self, bytes: usize) -> Result<(), Exceeded> {
        match self.bytes.get().checked_sub(bytes as u64) {
            Some(left) => {
                self.bytes.set(left);
                Ok(())
            }
            None => self.more_room(bytes as u64),
        }
    }

    /// The bytes are used up: takes more of what all users may take, and holds that.
    #[cold]
    fn more_room(&self, bytes: u64) -> Result<(), Exceeded> {
        let missing = bytes - self.bytes.get();
        let piece = missing.max(PIECE).min(self.bytes_left.get());
        if piece < missing {
            return Err(self.end(Exceeded::Bytes));
        }
        let mut room = self.room.borrow_mut();
        if let Some(room) = &mut *room
            && !room.grow_to(room.bytes() + piece)
        {
            return Err(self.end(Exceeded::Room));
        }
        self.bytes_left.set(self.bytes_left.get() - piece);
        self.bytes.set(piece - missing);
        Ok(())
    }

    /// Exhausts it: something exceeded a separate limit.
    pub fn give_up(&self) -> Exceeded {
        self.end(Exceeded::Work)
    }

    /// Exhausts it: there is not enough memory for the work itself.
    pub fn refuse(&self) {
        self.end(Exceeded::Room);
        self.bytes.set(0);
        self.results.set(0);
    }

    /// Whether it is a millisecond or so: what may take longer in one piece is not begun.
    pub fn is_brief(&self) -> bool {
        self.brief
    }

    /// The limit that ended it, if one did.
    pub fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded.get()
    }

    /// The units are used up: looks whether there may be more.
    #[cold]
    fn look(&self) -> Result<(), Exceeded> {
        let Some((meter, end_ns)) = self.meter.as_ref().filter(|_| self.exceeded.get().is_none()) else {
            return Err(self.end(Exceeded::Work));
        };
        if meter.stop.load(Ordering::Relaxed) {
            return Err(self.end(Exceeded::Stopped));
        }
        if (meter.clock_ns)() >= *end_ns {
            return Err(self.end(Exceeded::Work));
        }
        self.units.set(SLICE);
        Ok(())
    }

    /// Notes the first limit that was reached; nothing is left then.
    fn end(&self, why: Exceeded) -> Exceeded {
        let why = self.exceeded.get().unwrap_or(why);
        self.exceeded.set(Some(why));
        self.units.set(0);
        why
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicI64;

    use super::*;

    #[test]
    fn units_results_and_bytes_are_counted_down() {
        let budget = Budget::new(10, 2, 100, None);
        assert_eq!((budget.work(10), budget.exceeded()), (Ok(()), None));
        assert_eq!((budget.work(1), budget.exceeded()), (Err(Exceeded::Work), Some(Exceeded::Work)));
        let budget = Budget::new(10, 2, 100, None);
        assert_eq!(
            [budget.keep(1), budget.keep(1), budget.keep(1)],
            [Ok(()), Ok(()), Err(Exceeded::Results)]
        );
        assert_eq!(budget.work(1), Err(Exceeded::Results), "nothing continues after a limit");
        assert_eq!(Budget::new(10, 2, 100, None).keep(101), Err(Exceeded::Bytes));
        let budget = Budget::new(10, 2, 100, None);
        budget.charge(11);
        assert_eq!((budget.work(1), budget.exceeded()), (Err(Exceeded::Work), Some(Exceeded::Work)));
    }

    #[test]
    fn results_are_a_part_of_what_all_users_may_take() {
        let account = Arc::new(Account::new(Total::Is(5 << 20)));
        let within = |bytes| Budget::new(u64::MAX, u64::MAX, bytes, None).within(Room::new(account.clone()));
        let first = within(10 << 20);
        assert_eq!((first.hold(100), first.hold(3 << 20)), (Ok(()), Ok(())));
        assert!((3 << 20..=4 << 20).contains(&account.taken()), "{}", account.taken());
        assert_eq!(first.hold(3 << 20), Err(Exceeded::Room));
        let small = within(100);
        assert_eq!((small.hold(60), small.keep(60)), (Ok(()), Err(Exceeded::Bytes)));
        let room = first.into_room();
        assert!(account.taken() >= 3 << 20, "the results are still there");
        drop((room, small));
        assert_eq!(account.taken(), 0);
    }

    static NOW_NS: AtomicI64 = AtomicI64::new(5);

    #[test]
    fn a_metered_budget_lasts_until_its_time_is_used_or_the_test_stops() {
        let stop = Arc::new(AtomicBool::new(false));
        let meter = || Meter { clock_ns: || NOW_NS.load(Ordering::Relaxed), stop: stop.clone() };
        let limits = Limits { work_us: 1_000, ..Limits::default() };
        let timed = Budget::metered(limits, meter());
        let stopped = Budget::metered(limits, meter());
        for _ in 0..10 {
            assert_eq!(timed.work(SLICE), Ok(()), "no time has passed");
        }
        stop.store(true, Ordering::Relaxed);
        assert_eq!((stopped.work(SLICE), stopped.work(SLICE)), (Ok(()), Err(Exceeded::Stopped)));
        stop.store(false, Ordering::Relaxed);
        NOW_NS.store(5 + 1_000_000, Ordering::Relaxed);
        assert_eq!((timed.work(SLICE), timed.work(SLICE)), (Ok(()), Err(Exceeded::Work)));
    }
}
