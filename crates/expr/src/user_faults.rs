//! Users that an error ended.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// The maximum number of distinct causes.
const MOST: usize = 20;

/// Longest text of a cause, in bytes.
const LONGEST: usize = 200;

/// The name for causes beyond those.
const OTHERS: &str = "other errors";

/// Users ended by an error, as a Java Error ends a thread: counts by cause, over all workers of a
/// run.
#[derive(Debug, Default)]
pub struct UserFaults(Mutex<BTreeMap<String, u64>>);

impl Clone for UserFaults {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().clone()))
    }
}

impl UserFaults {
    /// An error with this text has ended a user.
    pub fn note(&self, error: &str) {
        let line = error.lines().next().unwrap_or_default().trim();
        let cause = &line[..line.floor_char_boundary(LONGEST)];
        let mut all = self.0.lock();
        let cause = if all.len() < MOST || all.contains_key(cause) { cause } else { OTHERS };
        *all.entry(cause.to_owned()).or_default() += 1;
    }

    /// Causes with their users, those of most users first.
    pub fn all(&self) -> Vec<(String, u64)> {
        let mut all: Vec<_> = self.0.lock().iter().map(|(cause, users)| (cause.clone(), *users)).collect();
        all.sort_by_key(|(_, users)| std::cmp::Reverse(*users));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_counted_and_bounded() {
        let faults = UserFaults::default();
        faults.note("b");
        (0..2).for_each(|_| faults.note("java.lang.OutOfMemoryError: Java heap space\n\tat A.b"));
        let wanted = [("java.lang.OutOfMemoryError: Java heap space".to_owned(), 2), ("b".to_owned(), 1)];
        assert_eq!(faults.all(), wanted);
        (0..100).for_each(|number| faults.note(&number.to_string()));
        assert_eq!((faults.all().len(), faults.all()[0].clone()), (MOST + 1, (OTHERS.to_owned(), 82)));
        faults.note(&"ä".repeat(200));
    }
}
