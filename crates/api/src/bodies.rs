//! How much of responses a run keeps in memory, and how often that was not all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Property: most bytes of one response that are kept, and most that are decoded; 0: no limit.
pub const MAX_BYTES: &str = "response.max_bytes";

/// Property: most bytes of responses that all users together keep at a time; 0: no limit.
pub const MAX_BYTES_TOTAL: &str = "response.max_bytes_total";

const DEFAULT_MAX: u64 = 64 << 20;
const DEFAULT_TOTAL: u64 = 256 << 20;
const DEFAULT_TOTAL_PER_USER: u64 = 1 << 20;

/// The limits of a run and its account, shared by all its workers.
#[derive(Debug)]
pub struct Bodies {
    max: u64,
    total: Total,
    users: AtomicU64,
    held: AtomicU64,
    /// Responses that were cut because they are too long, and because all together are.
    cut: [AtomicU64; 2],
}

/// How much all users may keep.
#[derive(Clone, Copy, Debug)]
enum Total {
    Is(u64),
    /// As much, and as much more for each user that runs.
    Grows(u64, u64),
}

/// Why a response is not kept whole.
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
    /// What is kept without being counted: of responses up to this size in bytes there may be as many as there are users.
    pub const FREE: usize = 16 << 10;

    /// With the values of [`MAX_BYTES`] and [`MAX_BYTES_TOTAL`], where they are set.
    pub fn new(max: Option<u64>, total: Option<u64>) -> Self {
        let limit = |bytes: u64| if bytes == 0 { u64::MAX } else { bytes };
        let grows = Total::Grows(DEFAULT_TOTAL, DEFAULT_TOTAL_PER_USER);
        Self {
            max: max.map_or(DEFAULT_MAX, limit),
            total: total.map_or(grows, |bytes| Total::Is(limit(bytes))),
            users: AtomicU64::new(0),
            held: AtomicU64::new(0),
            cut: Default::default(),
        }
    }

    /// Most bytes of one response.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// A user has started: one more may keep something.
    pub fn user_started(&self) {
        self.users.fetch_add(1, Ordering::Relaxed);
    }

    /// So many users have ended.
    pub fn users_ended(&self, users: u32) {
        self.users.fetch_sub(u64::from(users), Ordering::Relaxed);
    }

    /// Counts a response that is not kept, or not decoded, to its end.
    fn count_cut(&self, why: Cut) {
        self.cut[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How many responses were cut for that reason.
    pub fn cut(&self, why: Cut) -> u64 {
        self.cut[why as usize].load(Ordering::Relaxed)
    }

    /// One sentence on what was cut; none if nothing was.
    pub fn told(&self) -> Option<String> {
        let counts = [Cut::TooLong, Cut::NoRoom].map(|why| self.cut(why));
        let reasons = [
            format!("longer than {} bytes (`{MAX_BYTES}`)", self.max),
            format!(
                "beyond {} that all users may keep together (`{MAX_BYTES_TOTAL}`)",
                self.total_in_words()
            ),
        ];
        let cut = counts.iter().zip(reasons).filter(|(count, _)| **count > 0);
        let parts: Vec<String> = cut.map(|(count, reason)| format!("{count} {reason}")).collect();
        (!parts.is_empty()).then(|| format!("response bodies were cut: {}", parts.join(", ")))
    }

    fn total_in_words(&self) -> String {
        match self.total {
            Total::Is(bytes) => format!("the {bytes} bytes"),
            Total::Grows(fixed, each) => format!("the {fixed} bytes and {each} for each user"),
        }
    }

    fn total(&self) -> u64 {
        match self.total {
            Total::Is(bytes) => bytes,
            Total::Grows(fixed, each) => fixed + each * self.users.load(Ordering::Relaxed),
        }
    }
}

/// What a response takes of [`MAX_BYTES_TOTAL`]; given back when it is dropped. A copy takes as much again, and always gets
/// it: it is made of what is there.
#[derive(Debug)]
pub struct Hold {
    bodies: Arc<Bodies>,
    bytes: u64,
}

impl Hold {
    /// Asks for so many bytes in all; false if there is no room for them.
    fn grow_to(&mut self, bytes: usize) -> bool {
        /// What is taken at a time, so that few pieces of a response ask.
        const STEP: u64 = 256 << 10;
        let bytes = bytes as u64;
        if bytes <= self.bytes.max(Bodies::FREE as u64) {
            return true;
        }
        let more = (bytes - self.bytes).next_multiple_of(STEP);
        let before = self.bodies.held.fetch_add(more, Ordering::Relaxed);
        if before + more > self.bodies.total() {
            self.bodies.held.fetch_sub(more, Ordering::Relaxed);
            return false;
        }
        self.bytes += more;
        true
    }
}

impl Clone for Hold {
    fn clone(&self) -> Self {
        self.bodies.held.fetch_add(self.bytes, Ordering::Relaxed);
        Self { bodies: self.bodies.clone(), bytes: self.bytes }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.bodies.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Keeps the beginning of a body, as much as the limits allow.
#[derive(Debug)]
pub struct Keeper {
    hold: Hold,
    /// No more is kept.
    full: bool,
    counted: bool,
}

impl Keeper {
    /// Nothing is kept yet.
    pub fn new(bodies: Arc<Bodies>) -> Self {
        Self { hold: Hold { bodies, bytes: 0 }, full: false, counted: false }
    }

    /// Appends of a piece what may be kept, where `most` is as much as anybody wants of the body; the rest of the piece.
    pub fn keep<'b>(&mut self, body: &mut Vec<u8>, piece: &'b [u8], most: usize) -> &'b [u8] {
        let length = body.len();
        let room = if self.full { 0 } else { self.room(length, (length + piece.len()).min(most)) - length };
        let (fits, rest) = piece.split_at(room);
        body.extend_from_slice(fits);
        self.full |= !rest.is_empty();
        rest
    }

    /// How long a body may become that is so long, and wants to be so long.
    fn room(&mut self, length: usize, wanted: usize) -> usize {
        let max = usize::try_from(self.hold.bodies.max).unwrap_or(usize::MAX);
        if wanted > max {
            self.count(Cut::TooLong);
        }
        let allowed = wanted.min(max);
        if self.has_room(allowed) {
            return allowed;
        }
        self.count(Cut::NoRoom);
        allowed.min(length.max(Bodies::FREE))
    }

    /// Whether there may be so many bytes in all; from then on they are taken from all users' room.
    pub fn has_room(&mut self, bytes: usize) -> bool {
        self.hold.grow_to(bytes)
    }

    /// Counts that the body was cut, once.
    pub fn count(&mut self, why: Cut) {
        if !std::mem::replace(&mut self.counted, true) {
            self.hold.bodies.count_cut(why);
        }
    }

    /// What the body takes of the room, for as long as it is kept.
    pub fn into_hold(self) -> Hold {
        self.hold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(bodies: &Arc<Bodies>) -> Hold {
        Hold { bodies: bodies.clone(), bytes: 0 }
    }

    fn held(bodies: &Bodies) -> u64 {
        bodies.held.load(Ordering::Relaxed)
    }

    #[test]
    fn what_is_held_is_counted_until_it_is_dropped() {
        let bodies = Arc::new(Bodies::new(None, Some(1 << 20)));
        let mut first = hold(&bodies);
        assert!(first.grow_to(Bodies::FREE));
        assert_eq!(held(&bodies), 0, "small ones are free");
        assert!(first.grow_to(600 << 10));
        let mut second = hold(&bodies);
        assert!(second.grow_to(100 << 10), "there is room for 256 KiB");
        assert!(!second.grow_to(300 << 10));
        assert_eq!(held(&bodies), 1 << 20);
        let copy = first.clone();
        drop((first, second));
        assert_eq!(held(&bodies), 768 << 10);
        drop(copy);
        assert_eq!(held(&bodies), 0);
    }

    #[test]
    fn of_a_body_the_beginning_is_kept_and_a_cut_is_counted_once() {
        let bodies = Arc::new(Bodies::new(Some(100), None));
        let (mut keeper, mut body) = (Keeper::new(bodies.clone()), Vec::new());
        assert_eq!(keeper.keep(&mut body, &[1; 60], usize::MAX), []);
        assert_eq!(keeper.keep(&mut body, &[2; 60], usize::MAX), [2; 20]);
        assert_eq!(keeper.keep(&mut body, &[3; 5], usize::MAX), [3; 5]);
        assert_eq!((body.len(), bodies.cut(Cut::TooLong)), (100, 1));
        let (mut asked, mut body) = (Keeper::new(bodies.clone()), Vec::new());
        assert_eq!(asked.keep(&mut body, &[1; 60], 50), [1; 10]);
        assert_eq!((body.len(), bodies.cut(Cut::TooLong)), (50, 1), "nobody wanted more");
        let full = Arc::new(Bodies::new(None, Some(10)));
        let (mut late, mut body) = (Keeper::new(full.clone()), Vec::new());
        assert_eq!(late.keep(&mut body, &vec![1; 20_000], usize::MAX).len(), 20_000 - Bodies::FREE);
        assert_eq!(full.cut(Cut::NoRoom), 1);
    }

    #[test]
    fn more_users_may_keep_more_unless_a_number_is_set() {
        let bodies = Bodies::default();
        assert_eq!((bodies.max(), bodies.total()), (64 << 20, 256 << 20));
        bodies.user_started();
        bodies.user_started();
        bodies.users_ended(1);
        assert_eq!(bodies.total(), 257 << 20);
        let set = Bodies::new(Some(0), Some(5));
        set.user_started();
        assert_eq!((set.max(), set.total()), (u64::MAX, 5));
    }

    #[test]
    fn what_was_cut_is_told_with_the_property_that_says_so() {
        let bodies = Bodies::new(Some(10), Some(20));
        assert_eq!(bodies.told(), None);
        bodies.count_cut(Cut::TooLong);
        bodies.count_cut(Cut::TooLong);
        bodies.count_cut(Cut::NoRoom);
        let told = bodies.told().unwrap();
        let wanted = "response bodies were cut: 2 longer than 10 bytes (`response.max_bytes`), 1 beyond the 20 bytes that \
                      all users may keep together (`response.max_bytes_total`)";
        assert_eq!(told, wanted);
        let grows = Bodies::default();
        grows.count_cut(Cut::NoRoom);
        let told = grows.told().unwrap();
        assert!(told.contains("beyond the 268435456 bytes and 1048576 for each user that all"), "{told}");
    }
}
