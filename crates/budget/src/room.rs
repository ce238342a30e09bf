//! Shared memory budgets: an account with a limit, and the shares taken from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of bytes that all may take together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// This number, whatever runs.
    Is(u64),
    /// The first number, and the second for each user that runs.
    Grows(u64, u64),
}

/// The bytes that are taken, and their limit. All threads of a run share it.
#[derive(Debug)]
pub struct Account {
    total: Total,
    users: AtomicU64,
    taken: AtomicU64,
}

impl Account {
    /// Nothing is taken yet.
    pub fn new(total: Total) -> Self {
        Self { total, users: AtomicU64::new(0), taken: AtomicU64::new(0) }
    }

    /// The limit as it was set.
    pub fn limit(&self) -> Total {
        self.total
    }

    /// A user has started.
    pub fn user_started(&self) {
        self.users.fetch_add(1, Ordering::Relaxed);
    }

    /// Users have ended.
    pub fn users_ended(&self, users: u32) {
        self.users.fetch_sub(u64::from(users), Ordering::Relaxed);
    }

    /// Bytes that all may take now.
    pub fn total(&self) -> u64 {
        match self.total {
            Total::Is(bytes) => bytes,
            Total::Grows(fixed, each) => fixed + each * self.users.load(Ordering::Relaxed),
        }
    }

    /// Whether more than a quarter is taken: memory that is freed should not wait for being used
    /// again.
    pub fn is_tight(&self) -> bool {
        self.taken() > self.total() / 4
    }

    /// Bytes that are taken now.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}

/// A part of an [`Account`], given back when it is dropped.
#[derive(Debug)]
pub struct Room {
    account: Arc<Account>,
    bytes: u64,
}

impl Room {
    /// What is taken at a time, bytes, so that few ask.
    const STEP: u64 = 256 << 10;

    /// Nothing of it.
    pub fn new(account: Arc<Account>) -> Self {
        Self { account, bytes: 0 }
    }

    /// What it is a part of.
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// How many bytes it is.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes room until it holds at least this many bytes, and tells whether there was room for
    /// them. It never becomes less.
    pub fn grow_to(&mut self, bytes: u64) -> bool {
        if bytes <= self.bytes {
            return true;
        }
        let more = bytes - self.bytes;
        // A step ahead where that fits, else what is needed.
        self.try_take(more.next_multiple_of(Self::STEP)) || self.try_take(more)
    }

    fn try_take(&mut self, more: u64) -> bool {
        let before = self.account.taken.fetch_add(more, Ordering::Relaxed);
        if before.saturating_add(more) > self.account.total() {
            self.account.taken.fetch_sub(more, Ordering::Relaxed);
            return false;
        }
        self.bytes += more;
        true
    }

    /// Makes it this many bytes, whether or not there is room for more: for what is there already.
    pub fn set(&mut self, bytes: u64) {
        if bytes > self.bytes {
            self.account.taken.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            self.account.taken.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.account.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_counted_until_it_is_dropped() {
        let account = Arc::new(Account::new(Total::Is(1 << 20)));
        let mut first = Room::new(account.clone());
        assert!(first.grow_to(600 << 10) && first.grow_to(10));
        assert_eq!((first.bytes(), account.taken()), (768 << 10, 768 << 10));
        let mut second = Room::new(account.clone());
        assert!(!second.grow_to(300 << 10));
        assert_eq!((second.bytes(), account.taken()), (0, 768 << 10), "what is refused is not taken");
        assert!(second.grow_to(200 << 10));
        first.set(5 << 20);
        assert_eq!(account.taken(), (5 << 20) + (256 << 10), "what is there already always counts");
        first.set(1);
        drop((first, second));
        assert_eq!(account.taken(), 0);
    }

    #[test]
    fn the_last_bytes_are_given_without_a_step_ahead() {
        let account = Arc::new(Account::new(Total::Is(100_000)));
        let mut room = Room::new(account);
        assert!(room.grow_to(100_000));
        assert!(!room.grow_to(100_001));
    }

    #[test]
    fn more_users_may_take_more_unless_a_number_is_set() {
        let account = Account::new(Total::Grows(100, 10));
        account.user_started();
        account.user_started();
        account.users_ended(1);
        assert_eq!(account.total(), 110);
        let set = Account::new(Total::Is(5));
        set.user_started();
        assert_eq!(set.total(), 5);
    }
}
