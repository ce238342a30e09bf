//! Takes starts and responses in one wake, where it does not matter when a response is read.
//!
//! The kernel stamps responses, so a loop that reads them late measures the same. A late read only
//! delays what its user does next. Where each user's next step is a slot of one schedule, and slots
//! are given in order, nothing is delayed until the last slot that was given: a user that comes free
//! gets a later one. Until then the loop can sleep to its next timer, and takes what has arrived
//! meanwhile with it: one wake of the processor for each request instead of two.
//!
//! A late read may find two segments of a response as one, and a large one would have filled the
//! receive buffer. So responses are only left alone where those before them were small and came at
//! once, and that is looked at again and again.

use std::cell::Cell;

use super::with_core;

/// Longest sleep without a look at sockets. What reaches a loop in another way, such as a command,
/// waits as long.
const LONGEST_NS: i64 = 2_000_000;

/// The largest response, with its head, that is sure to fit into the receive buffer of a connection:
/// a server that has to wait for the reader would be measured with the tool's delay.
const SMALL: u64 = 16 << 10;

/// Small responses in sequence after which the next ones are expected to be small, too.
const ENOUGH: i32 = 200;

/// Responses that are left alone before that is looked at again.
const LEFT_ALONE: i32 = 5_000;

/// The count after a response of another kind: a plan that has one now and then waits for none.
const SET_BACK: i32 = -10_000;

/// Whether a loop may sleep to its next timer without a look at its sockets.
#[derive(Default)]
pub(super) struct Gathering {
    /// The last slot that was given to a user of this loop.
    until_ns: Cell<i64>,
    /// Exchanges whose next step depends on what arrives.
    prompt: Cell<u32>,
    /// Small responses in sequence since this was last looked at.
    small: Cell<i32>,
}

impl Gathering {
    /// Whether nothing is lost by a sleep to the next timer. `next_ns`: its time.
    pub(super) fn may_sleep(&self, now_ns: i64, next_ns: i64) -> bool {
        next_ns <= self.until_ns.get()
            && next_ns - now_ns <= LONGEST_NS
            && self.prompt.get() == 0
            && self.small.get() >= ENOUGH
    }

    fn note(&self, bytes: u64, at_once: bool) {
        self.small.set(match self.small.get() {
            _ if bytes > SMALL || !at_once => SET_BACK,
            count if count >= ENOUGH + LEFT_ALONE => 0,
            count => count + 1,
        });
    }
}

/// All users of this loop follow one schedule, whose slots are given in order, and this is the last
/// that one of them got: until then no response needs to be read.
///
/// # Panics
/// Outside an event loop.
pub fn reads_may_wait_until(slot_ns: i64) {
    with_core(|core| {
        // Without the kernel's program a late read loses when the first byte arrived.
        if core.source.uses_kernel_program() && !core.source.ends_at_read() {
            core.gathering.until_ns.set(slot_ns.max(core.gathering.until_ns.get()));
        }
    });
}

/// When a start that is due then is made: at once, or with others of the same time slice where the
/// run has a slack.
///
/// # Panics
/// Outside an event loop.
pub fn start_with_others_ns(due_ns: i64) -> i64 {
    with_core(|core| end_of_slice(due_ns, core.context.slack_ns()))
}

/// The end of the time slice that a time is in; a slice of no length ends at once.
fn end_of_slice(at_ns: i64, length_ns: i64) -> i64 {
    let inside_ns = at_ns.checked_rem_euclid(length_ns).unwrap_or(0);
    if inside_ns == 0 { at_ns } else { at_ns.saturating_add(length_ns - inside_ns) }
}

/// A response of this size, with its head, came over an open connection; whether its first byte came
/// with its last.
///
/// # Panics
/// Outside an event loop.
#[inline]
pub fn note_exchange(bytes: u64, at_once: bool) {
    with_core(|core| core.gathering.note(bytes, at_once));
}

/// What arrives is needed at once as long as this exists: a connection is made, or something follows
/// from a response.
pub struct PromptReads(());

impl PromptReads {
    /// From now on.
    ///
    /// # Panics
    /// Outside an event loop.
    pub fn begin() -> Self {
        with_core(|core| core.gathering.prompt.set(core.gathering.prompt.get() + 1));
        Self(())
    }

    /// The same, where it was not known before the response was read.
    ///
    /// # Panics
    /// Outside an event loop.
    pub fn follow() -> Self {
        with_core(|core| core.gathering.small.set(SET_BACK));
        Self::begin()
    }
}

impl Drop for PromptReads {
    fn drop(&mut self) {
        super::try_core(|core| core.gathering.prompt.set(core.gathering.prompt.get() - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000_000_000;

    fn calm() -> Gathering {
        let gathering = Gathering::default();
        gathering.until_ns.set(NOW + 1_000_000);
        (0..ENOUGH).for_each(|_| gathering.note(200, true));
        gathering
    }

    #[test]
    fn starts_of_a_slice_are_made_at_its_end() {
        let ends = [0, 1, 999, 1_000, 1_001].map(|at_ns| end_of_slice(at_ns, 1_000));
        assert_eq!(ends, [0, 1_000, 1_000, 1_000, 2_000]);
        assert_eq!(end_of_slice(123, 0), 123);
        assert_eq!(end_of_slice(i64::MAX - 1, 1_000), i64::MAX);
    }

    #[test]
    fn it_sleeps_to_a_slot_that_was_given_and_not_longer() {
        let gathering = calm();
        assert!(gathering.may_sleep(NOW, NOW + 1_000_000));
        assert!(!gathering.may_sleep(NOW, NOW + 1_000_001), "a slot in between could be due");
        gathering.until_ns.set(i64::MAX);
        assert!(!gathering.may_sleep(NOW, NOW + 100 * LONGEST_NS), "a command would wait");
        assert!(!gathering.may_sleep(NOW, i64::MAX));
    }

    #[test]
    fn it_does_not_sleep_where_a_response_may_not_wait() {
        let gathering = calm();
        gathering.prompt.set(1);
        assert!(!gathering.may_sleep(NOW, NOW + 1));
        gathering.prompt.set(0);
        for (bytes, at_once) in [(SMALL + 1, true), (SMALL, false)] {
            gathering.note(bytes, at_once);
            assert!(!gathering.may_sleep(NOW, NOW + 1));
            (0..-SET_BACK).for_each(|_| gathering.note(SMALL, true));
            assert!(!gathering.may_sleep(NOW, NOW + 1));
            (0..ENOUGH).for_each(|_| gathering.note(SMALL, true));
            assert!(gathering.may_sleep(NOW, NOW + 1));
        }
    }

    #[test]
    fn it_looks_again_after_a_while() {
        let gathering = calm();
        let sleeps = (0..2 * LEFT_ALONE).filter(|_| {
            gathering.note(200, true);
            gathering.may_sleep(NOW, NOW + 1)
        });
        assert!((LEFT_ALONE..=2 * LEFT_ALONE - ENOUGH).contains(&(sleeps.count() as i32)));
    }
}
