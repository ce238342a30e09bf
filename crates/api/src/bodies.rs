//! Limits for the part of responses that a run keeps in memory, and counts of cut bodies.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use swell_budget::{Account, Room, Total};

use crate::Body;
use crate::spare::SpareBuffers;

/// Property: most bytes of one response that are kept, and most that are decoded; 0: no limit.
pub const MAX_BYTES: &str = "response.max_bytes";

/// Property: most bytes of responses that all users together keep at a time; 0: no limit.
pub const MAX_BYTES_TOTAL: &str = "response.max_bytes_total";

/// Property: most sub-samples for the events of one response.
pub const EVENT_SAMPLES: &str = "swell.http.events.samples";

const DEFAULT_MAX: u64 = 64 << 20;
const DEFAULT_TOTAL: u64 = 256 << 20;
const DEFAULT_TOTAL_PER_USER: u64 = 1 << 20;

/// The limits of a run and the memory in use, shared by all its workers.
#[derive(Debug)]
pub struct Bodies {
    max: u64,
    account: Arc<Account>,
    /// Kept while little of the account is taken.
    spare: Arc<SpareBuffers>,
    /// Responses that were cut because they are too long, and because all together are.
    cut: [AtomicU64; 2],
    /// Cookies that users did not keep.
    cookies: AtomicU64,
    /// Events of responses without a sub-sample.
    events: AtomicU64,
}

/// Why a response is not kept completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It is longer than [`MAX_BYTES`] allows.
    TooLong,
    /// All users together would keep more than [`MAX_BYTES_TOTAL`] allows.
    NoRoom,
}

impl Default for Bodies {
    fn default() -> Self {
        Self::new(None, None)
    }
}

impl Bodies {
    /// What is kept without being counted: of responses up to this size in bytes there may be as
    /// many as there are users.
    pub const FREE: usize = 16 << 10;

    /// With the values of [`MAX_BYTES`] and [`MAX_BYTES_TOTAL`], where they are set.
    pub fn new(max: Option<u64>, total: Option<u64>) -> Self {
        let limit = |bytes: u64| if bytes == 0 { u64::MAX } else { bytes };
        let grows = Total::Grows(DEFAULT_TOTAL, DEFAULT_TOTAL_PER_USER);
        let total = total.map_or(grows, |bytes| Total::Is(limit(bytes)));
        Self {
            max: max.map_or(DEFAULT_MAX, limit),
            account: Arc::new(Account::new(total)),
            spare: Arc::default(),
            cut: Default::default(),
            cookies: AtomicU64::new(0),
            events: AtomicU64::new(0),
        }
    }

    /// What all users have taken, and may take.
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// Most bytes of one response.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Counts a response that is not kept, or not decoded, to its end.
    fn count_cut(&self, why: Cut) {
        self.cut[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How many responses were cut for that reason.
    pub fn cut(&self, why: Cut) -> u64 {
        self.cut[why as usize].load(Ordering::Relaxed)
    }

    /// Counts cookies that a limit keeps out of a user's jar.
    pub fn count_left_out_cookies(&self, count: u64) {
        if count > 0 {
            self.cookies.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// One sentence on cookies that were not kept; none if all were.
    pub fn cookies_told(&self) -> Option<String> {
        let count = self.cookies.load(Ordering::Relaxed);
        (count > 0).then(|| {
            format!(
                "{count} cookies were dropped: they exceed the limits per user (`cookies.max_bytes` of each, \
                 `cookies.max_per_domain`, `cookies.max_count`, and `{MAX_BYTES_TOTAL}` of all users)"
            )
        })
    }

    /// Counts events of a response that have no sub-sample because there are too many.
    pub fn count_left_out_events(&self, count: u64) {
        if count > 0 {
            self.events.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// One sentence on events without a sub-sample; none if all have one.
    pub fn events_told(&self) -> Option<String> {
        let count = self.events.load(Ordering::Relaxed);
        (count > 0).then(|| {
            format!("{count} events have no sub-sample: a response has more than `{EVENT_SAMPLES}` allows")
        })
    }

    /// One sentence on what was cut; none if nothing was.
    pub fn told(&self) -> Option<String> {
        let counts = [Cut::TooLong, Cut::NoRoom].map(|why| self.cut(why));
        let reasons = [
            format!("longer than {} bytes (`{MAX_BYTES}`)", self.max),
            format!(
                "beyond {}, the limit of all users together (`{MAX_BYTES_TOTAL}`)",
                self.total_in_words()
            ),
        ];
        let cut = counts.iter().zip(reasons).filter(|(count, _)| **count > 0);
        let parts: Vec<String> = cut.map(|(count, reason)| format!("{count} {reason}")).collect();
        (!parts.is_empty()).then(|| format!("response bodies were cut: {}", parts.join(", ")))
    }

    fn total_in_words(&self) -> String {
        match self.account.limit() {
            Total::Is(bytes) => format!("the {bytes} bytes"),
            Total::Grows(fixed, each) => format!("the {fixed} bytes and {each} for each user"),
        }
    }
}

/// Keeps the beginning of a body, as much as the limits allow. It counts the size of the buffer,
/// and not that of its contents, against the limit of all users.
#[derive(Debug)]
pub struct Keeper {
    bodies: Arc<Bodies>,
    room: Room,
    /// What else than the body takes room, bytes.
    beside: usize,
    /// How long the body will be, as far as that is known.
    expected: usize,
    /// No more is kept.
    full: bool,
    counted: bool,
}

impl Keeper {
    /// Nothing is kept yet.
    pub fn new(bodies: Arc<Bodies>) -> Self {
        let room = Room::new(bodies.account.clone());
        Self { bodies, room, beside: 0, expected: 0, full: false, counted: false }
    }

    /// The body is said to be so long: its buffer is made for that, if there is room.
    pub fn expect(&mut self, bytes: usize) {
        self.expected = bytes;
    }

    /// Appends of a piece what may be kept, where `most` is as much as anybody wants of the body;
    /// the rest of the piece.
    pub fn keep<'b>(&mut self, body: &mut Vec<u8>, piece: &'b [u8], most: usize) -> &'b [u8] {
        let length = body.len();
        let end = if self.full { length } else { self.room_for(body, length + piece.len(), most) };
        let (fits, rest) = piece.split_at(end - length);
        body.extend_from_slice(fits);
        self.full |= !rest.is_empty();
        rest
    }

    /// How long a body may become that wants to be so long. Its buffer has room for that then.
    fn room_for(&mut self, body: &mut Vec<u8>, wanted: usize, most: usize) -> usize {
        let max = usize::try_from(self.bodies.max).unwrap_or(usize::MAX);
        if wanted.min(most) > max {
            self.count(Cut::TooLong);
        }
        let top = most.min(max);
        let allowed = wanted.min(top);
        if allowed <= body.capacity().max(Bodies::FREE) || self.grow(body, allowed, top) {
            return allowed;
        }
        self.count(Cut::NoRoom);
        body.capacity().max(Bodies::FREE)
    }

    /// Makes the buffer large enough for `needed` bytes, at most for `top`. False: there is not
    /// enough memory. While it moves, the old one takes room as well.
    fn grow(&mut self, body: &mut Vec<u8>, needed: usize, top: usize) -> bool {
        let now = body.capacity();
        // In steps of its size, or a small body would be copied for each read; smaller ones if
        // memory is short.
        let sizes = [now + now / 2, now + now / 8].map(|step| needed.max(step).max(self.expected).min(top));
        let taken = |size: usize| (self.beside + now).saturating_add(size) as u64;
        let Some(size) = sizes.into_iter().find(|size| self.room.grow_to(taken(*size))) else { return false };
        self.move_to(body, size);
        self.room.set((self.beside + body.capacity()) as u64);
        true
    }

    /// Makes the buffer of that size, or takes one that was used before.
    fn move_to(&mut self, body: &mut Vec<u8>, size: usize) {
        if self.bodies.account.is_tight() {
            self.bodies.spare.clear();
        }
        let Some(mut spare) = self.bodies.spare.take(size) else {
            return body.reserve_exact(size - body.len());
        };
        if self.room.grow_to((self.beside + body.capacity() + spare.capacity()) as u64) {
            spare.extend_from_slice(body);
            std::mem::swap(body, &mut spare);
        } else {
            body.reserve_exact(size - body.len());
        }
        self.bodies.spare.give(spare);
    }

    /// Whether `bytes` may be held in addition to the body, now and until it is dropped.
    pub fn has_room_beside(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.beside) as u64;
        let fits = self.room.grow_to(self.room.bytes().saturating_add(more));
        if fits {
            self.beside = self.beside.max(bytes);
        }
        fits
    }

    /// To be called before copies are made of the body that take `times` its length: if there is
    /// not enough memory for them, only its free beginning stays.
    pub fn before_copies(&mut self, body: &mut Vec<u8>, times: usize) {
        if body.len() > Bodies::FREE && !self.has_room_beside(body.len().saturating_mul(times)) {
            self.count(Cut::NoRoom);
            body.truncate(Bodies::FREE);
        }
    }

    /// Counts that the body was cut, once.
    pub fn count(&mut self, why: Cut) {
        if !std::mem::replace(&mut self.counted, true) {
            self.bodies.count_cut(why);
        }
    }

    /// The body, with what it takes of the room.
    pub fn finish(self, body: Vec<u8>) -> Body {
        let room = Some(self.room).filter(|room| room.bytes() > 0);
        if self.bodies.account.is_tight() {
            return Body::with_room(body, room);
        }
        Body::of_keeper(body, room, self.bodies.spare.clone())
    }

    /// Memory held in addition to a body that is not kept.
    pub fn into_room(self) -> Room {
        self.room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps pieces of 64 KiB until no more is kept, or `bytes` are; with the most that the account
    /// had meanwhile.
    fn fill(bodies: &Arc<Bodies>, bytes: usize) -> (Keeper, Vec<u8>, u64) {
        let mut keeper = Keeper::new(bodies.clone());
        let mut body = Vec::new();
        let mut most = 0;
        let piece = vec![7; 64 << 10];
        while body.len() < bytes && keeper.keep(&mut body, &piece, usize::MAX).is_empty() {
            most = most.max(bodies.account.taken());
        }
        (keeper, body, most)
    }

    #[test]
    fn a_buffer_counts_and_not_only_what_is_in_it() {
        let bodies = Arc::new(Bodies::new(None, Some(8 << 20)));
        let (keeper, body, most) = fill(&bodies, 1 << 20);
        assert!(bodies.account.taken() >= body.capacity() as u64, "{bodies:?}");
        assert!(most <= 8 << 20);
        let body = keeper.finish(body);
        let copy = body.clone();
        drop(body);
        assert!(bodies.account.taken() >= 1 << 20, "a copy is the same memory");
        drop(copy);
        assert_eq!(bodies.account.taken(), 0);
    }

    #[test]
    fn buffers_of_many_stay_below_the_limit_also_while_they_grow() {
        let bodies = Arc::new(Bodies::new(None, Some(8 << 20)));
        let all: Vec<_> = (0..20).map(|_| fill(&bodies, usize::MAX)).collect();
        let buffers: usize = all.iter().map(|(_, body, _)| body.capacity()).sum();
        assert!(buffers <= (8 << 20) + 20 * Bodies::FREE, "{buffers}");
        assert!(all[0].1.len() > 3 << 20, "the first had room to grow: {}", all[0].1.len());
        assert!(all.iter().all(|(_, body, _)| body.len() >= Bodies::FREE), "the beginning is free");
        assert_eq!(bodies.cut(Cut::NoRoom), 20);
    }

    #[test]
    fn the_buffer_of_a_body_that_is_gone_is_used_again_while_there_is_memory() {
        let bodies = Arc::new(Bodies::new(None, Some(16 << 20)));
        let (keeper, body, _) = fill(&bodies, 1 << 20);
        let first = body.as_ptr();
        let body = keeper.finish(body);
        let copy = body.clone();
        drop(body);
        let (_held, other, _) = fill(&bodies, 1 << 20);
        assert_ne!(other.as_ptr(), first, "a copy is the same memory");
        drop((copy, other));
        let (keeper, again, most) = fill(&bodies, 1 << 20);
        assert_eq!(again.as_ptr(), first);
        assert!(most >= again.capacity() as u64, "it counts as any other");
        drop(keeper.finish(again));
        let (_tight, large, _) = fill(&bodies, 8 << 20);
        assert_eq!(bodies.spare.take(SpareBuffers::SMALLEST), None, "memory is scarce: {}", large.len());
    }

    #[test]
    fn what_is_held_beside_a_body_leaves_less_room_for_others() {
        let bodies = Arc::new(Bodies::new(None, Some(1 << 20)));
        let mut keeper = Keeper::new(bodies.clone());
        assert!(keeper.has_room_beside(600 << 10) && keeper.has_room_beside(300 << 10));
        assert!(!keeper.has_room_beside(2 << 20));
        assert!(fill(&bodies, 1 << 20).1.len() < 512 << 10);
        drop(keeper.into_room());
        assert_eq!(bodies.account.taken(), 0);
    }

    #[test]
    fn of_a_body_the_beginning_is_kept_and_a_cut_is_counted_once() {
        let bodies = Arc::new(Bodies::new(Some(100), None));
        let mut keeper = Keeper::new(bodies.clone());
        let mut body = Vec::new();
        assert_eq!(keeper.keep(&mut body, &[1; 60], usize::MAX), []);
        assert_eq!(keeper.keep(&mut body, &[2; 60], usize::MAX), [2; 20]);
        assert_eq!(keeper.keep(&mut body, &[3; 5], usize::MAX), [3; 5]);
        assert_eq!((body.len(), bodies.cut(Cut::TooLong)), (100, 1));
        let mut asked = Keeper::new(bodies.clone());
        let mut body = Vec::new();
        assert_eq!(asked.keep(&mut body, &[1; 60], 50), [1; 10]);
        assert_eq!((body.len(), bodies.cut(Cut::TooLong)), (50, 1), "no more was requested");
        let full = Arc::new(Bodies::new(None, Some(10)));
        let mut late = Keeper::new(full.clone());
        let mut body = Vec::new();
        assert_eq!(late.keep(&mut body, &vec![1; 20_000], usize::MAX).len(), 20_000 - Bodies::FREE);
        assert_eq!(full.cut(Cut::NoRoom), 1);
    }

    #[test]
    fn limits_have_defaults_and_zero_is_none() {
        let bodies = Bodies::default();
        assert_eq!((bodies.max(), bodies.account.limit()), (64 << 20, Total::Grows(256 << 20, 1 << 20)));
        let set = Bodies::new(Some(0), Some(5));
        assert_eq!((set.max(), set.account.total()), (u64::MAX, 5));
    }

    #[test]
    fn what_was_cut_is_told_with_the_property_that_says_so() {
        let bodies = Bodies::new(Some(10), Some(20));
        assert_eq!(bodies.told(), None);
        bodies.count_cut(Cut::TooLong);
        bodies.count_cut(Cut::TooLong);
        bodies.count_cut(Cut::NoRoom);
        let told = bodies.told().unwrap();
        let wanted = "response bodies were cut: 2 longer than 10 bytes (`response.max_bytes`), 1 beyond the 20 bytes, \
                      the limit of all users together (`response.max_bytes_total`)";
        assert_eq!(told, wanted);
        let grows = Bodies::default();
        grows.count_cut(Cut::NoRoom);
        let told = grows.told().unwrap();
        assert!(
            told.contains("beyond the 268435456 bytes and 1048576 for each user, the limit of all users"),
            "{told}"
        );
    }
}
