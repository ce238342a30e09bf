//! Whether this process gets its memory in huge pages of 2 MB.
//!
//! The first touch of a huge page clears all of it, which can take 7 ms in a virtual machine: too
//! long for a thread that keeps a schedule. With tens of thousands of connections, huge pages save
//! a fifth of the CPU time per request. So a process that runs tests uses them only once a test has
//! many users. Measurements: `docs/decisions/2026-11-22-descriptor-table-and-huge-pages.md`.

use parking_lot::{Mutex, MutexGuard};

use crate::sys;

/// What this process wants of the kernel.
struct HugePageSetting {
    /// Disables huge pages while no [`HugePages`] is held.
    avoids: bool,
    holders: usize,
}

static WISH: Mutex<HugePageSetting> = Mutex::new(HugePageSetting { avoids: false, holders: 0 });

fn wish() -> MutexGuard<'static, HugePageSetting> {
    WISH.lock()
}

/// While a value of this type exists, the process gets new memory in huge pages, if the system has
/// them.
#[derive(Debug)]
pub struct HugePages(());

impl HugePages {
    /// Where [`avoid_huge_pages`] was not called, this changes nothing.
    pub fn hold() -> Self {
        let mut wish = wish();
        wish.holders += 1;
        if wish.avoids && wish.holders == 1 {
            sys::disable_huge_pages(false);
        }
        Self(())
    }
}

impl Drop for HugePages {
    fn drop(&mut self) {
        let mut wish = wish();
        wish.holders -= 1;
        if wish.avoids && wish.holders == 0 {
            sys::disable_huge_pages(true);
        }
    }
}

/// From now on memory of this process comes in small pages, except while a [`HugePages`] is held.
/// What the process starts inherits the setting (`PR_SET_THP_DISABLE`). If huge pages are already
/// off (`MIMALLOC_ALLOW_THP=0`), they stay off.
pub fn avoid_huge_pages() {
    let mut wish = wish();
    if !wish.avoids && !sys::huge_pages_are_disabled() {
        wish.avoids = true;
        if wish.holders == 0 {
            sys::disable_huge_pages(true);
        }
    }
}
