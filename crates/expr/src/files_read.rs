//! Files that functions read as a whole, with a common limit for all users.

use std::io;
use std::sync::Arc;

use swell_budget::{Account, Room};

/// Property: bytes that all users may hold together, of responses and of files.
const TOTAL: &str = "response.max_bytes_total";

/// The memory reserved for files that a user's functions have read for its next sample, whose text
/// goes into requests and variables.
#[derive(Debug, Default)]
pub struct FilesRead(Option<Box<Held>>);

#[derive(Debug)]
struct Held {
    room: Room,
    /// Bytes that are read; the room may be larger.
    bytes: u64,
}

impl FilesRead {
    /// Gives the room back before the next sample.
    pub fn release(&mut self) {
        self.0 = None;
    }

    /// Takes room for bytes that are read next.
    ///
    /// # Errors
    /// All users together would hold more than the run allows.
    pub(crate) fn take(&mut self, account: &Arc<Account>, more: usize) -> io::Result<()> {
        let held =
            self.0.get_or_insert_with(|| Box::new(Held { room: Room::new(account.clone()), bytes: 0 }));
        held.bytes = held.bytes.saturating_add(more as u64);
        if held.room.grow_to(held.bytes) {
            return Ok(());
        }
        let why = format!("all users together hold too much memory; the property {TOTAL} sets the limit");
        Err(io::Error::new(io::ErrorKind::OutOfMemory, why))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::rc::Rc;

    use swell_budget::Total;

    use super::*;
    use crate::Heavy;
    use crate::testing::{TestHost, context_of};

    #[test]
    fn files_of_all_users_share_the_memory() {
        let host = Arc::new(TestHost::default());
        host.add_file("large", vec![b'x'; 600_000]);
        host.add_file("small", vec![b'x'; 16_000]);
        let account = Arc::new(Account::new(Total::Is(1_000_000)));
        let heavy = Rc::new(Heavy { account: account.clone(), ..Heavy::default() });
        let user = || {
            let mut cx = context_of(Rc::default(), host.clone());
            cx.heavy = heavy.clone();
            cx
        };
        let mut one = user();
        let mut other = user();
        assert_eq!(one.read_shared(Path::new("large")).expect("there is room").len(), 600_000);
        assert!(account.taken() >= 580_000, "{}", account.taken());
        let error = other.read_shared(Path::new("large")).expect_err("one holds too much");
        assert!(error.to_string().contains("response.max_bytes_total"), "{error}");
        other.files_read.release();
        assert_eq!(other.read_shared(Path::new("small")).expect("it is free").len(), 16_000);
        one.files_read.release();
        assert_eq!(account.taken(), 0);
        assert_eq!(other.read_shared(Path::new("large")).expect("there is room again").len(), 600_000);
    }
}
