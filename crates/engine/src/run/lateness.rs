//! Decides whether the tool or the server made a busy user late.
//!
//! A user that starts a sample late also ends it late, and is busy when its next slot comes. If the
//! tool caused the first delay, it also caused that one, and all that follow until the user waits
//! for a slot again. So next to the user's real timeline, a second one is kept, which the user
//! would have had with a tool that is never late (Lindley's recursion for a queue's waiting time).
//! In it, a sample starts at its slot or when the user is free, and takes as long as the real one.

/// Turns of a busy user take less, and are not summed up: Little's law is there for those.
const LEAST_NS: i64 = 1_000_000;
/// What is less than this part of all the lateness of a sample changes nothing, and is not summed
/// up either: after a stall of the server many answers come at once.
const LEAST_PART: i64 = 100;

/// The tool's share of the time for which a busy user is late.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lateness {
    ns: i64,
}

impl Lateness {
    /// A sample was wanted at `intended_ns`, a slot of a schedule if `scheduled`; its user could
    /// take it from `ready_ns` on, and began with it at `start_ns`. Gives when the user could have
    /// taken it but for the tool.
    pub(crate) fn started(&mut self, intended_ns: i64, ready_ns: i64, scheduled: bool, start_ns: i64) -> i64 {
        let least_ns = if scheduled { LEAST_NS.max((start_ns - intended_ns) / LEAST_PART) } else { LEAST_NS };
        let own_ns = Some(start_ns - ready_ns).filter(|own_ns| *own_ns > least_ns).unwrap_or(0);
        if !scheduled {
            // It was wanted after what the user did before, whenever that was.
            self.ns += own_ns;
            return ready_ns;
        }
        let could_ns = intended_ns.max(ready_ns - self.ns);
        self.ns = ready_ns - could_ns + own_ns;
        could_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;
    const TAKES: i64 = 10 * MS;

    #[derive(Clone, Copy)]
    struct User {
        free_ns: i64,
        lateness: Lateness,
    }

    /// A simulated clock: the next user that is free takes the next of 1,000 slots a second, of
    /// which each takes 10 ms.
    struct World {
        users: Vec<User>,
        slot_ns: i64,
    }

    impl World {
        fn of(users: usize) -> Self {
            Self { users: vec![User { free_ns: 0, lateness: Lateness::default() }; users], slot_ns: 0 }
        }

        /// The next sample: how late it is, and how much of that is charged to the tool. `start`
        /// and `end` report stalls.
        fn sample(&mut self, start: impl Fn(i64) -> i64, end: impl Fn(i64) -> i64) -> (i64, i64) {
            let user = self.users.iter_mut().min_by_key(|user| user.free_ns).expect("there are users");
            let ready_ns = self.slot_ns.max(user.free_ns);
            let start_ns = start(ready_ns);
            let could_ns = user.lateness.started(self.slot_ns, ready_ns, true, start_ns);
            user.free_ns = end(start_ns + TAKES);
            let seen = (start_ns - self.slot_ns, start_ns - could_ns);
            self.slot_ns += MS;
            seen
        }

        fn samples(mut self, start: impl Fn(i64) -> i64, end: impl Fn(i64) -> i64) -> Vec<(i64, i64)> {
            (0..20_000).map(|_| self.sample(&start, &end)).collect()
        }
    }

    /// What falls into the stall happens at its end.
    fn stall(from_ms: i64, to_ms: i64) -> impl Fn(i64) -> i64 {
        move |at_ns| if (from_ms * MS..to_ms * MS).contains(&at_ns) { to_ms * MS } else { at_ns }
    }

    fn calm(at_ns: i64) -> i64 {
        at_ns
    }

    #[test]
    fn all_that_a_stall_of_the_tool_makes_late_is_charged_to_it() {
        // With 2,000 users each slot of the stall has one who waits for it; with 20 it takes as
        // long again to catch up.
        for users in [15, 20, 100, 2000] {
            let seen = World::of(users).samples(stall(5_000, 6_400), calm);
            assert!(seen.iter().filter(|(late, _)| *late > 10 * MS).count() >= 1_390, "{users} users");
            // Those who are free at once after it need not take their slots in the order in which
            // they would have come.
            let order_ns = if users == 15 { TAKES / 2 } else { 0 };
            assert!(
                seen.iter().all(|(late, charged)| (0..=order_ns).contains(&(late - charged))),
                "{users} users"
            );
            assert_eq!(seen[19_999], (0, 0), "{users} users have caught up");
        }
    }

    #[test]
    fn what_a_stall_of_the_server_makes_late_is_not() {
        for users in [15, 20, 100] {
            let seen = World::of(users).samples(calm, stall(5_000, 6_400));
            assert!(seen.iter().filter(|(late, _)| *late > 10 * MS).count() >= 1_200, "{users} users");
            assert!(seen.iter().all(|(_, charged)| *charged == 0), "{users} users");
        }
    }

    #[test]
    fn that_many_answers_come_at_once_after_a_stall_of_the_server_is_not_handed_on() {
        // All 20 users are free then, and the last of them is 4 ms late.
        let turns = std::cell::Cell::new(0);
        let in_turn = |ready_ns: i64| {
            let turn = (ready_ns == 6_400 * MS).then(|| turns.replace(turns.get() + 1));
            ready_ns + turn.map_or(0, |turn: i64| turn * MS / 5)
        };
        let seen = World::of(20).samples(in_turn, stall(5_000, 6_400));
        assert!(seen.iter().filter(|(late, _)| *late > 100 * MS).count() > 2_000);
        let charged = seen.iter().filter(|(_, charged)| *charged > 0).count();
        assert_eq!((charged, turns.get()), (19, 20), "each once");
    }

    #[test]
    fn of_two_stalls_each_is_charged_with_its_own() {
        // The server's first: its 400 ms stay its own in what the tool makes later by 500.
        let seen = World::of(20).samples(stall(5_600, 6_100), stall(5_000, 5_400));
        let at = |ms: usize| (seen[ms].0 / MS, seen[ms].1 / MS);
        assert_eq!(at(5_300).1, 0);
        assert!(seen.iter().all(|(late, charged)| charged <= late && *charged <= 500 * MS));
        let both = seen.iter().filter(|(late, charged)| *charged == 500 * MS && late > charged).count();
        assert!(both > 100, "{both}");
        assert_eq!(seen[19_999], (0, 0));
    }

    #[test]
    fn an_overloaded_server_is_not_charged_to_the_short_turns_of_the_tool() {
        // 5 users do 500 a second of 1,000, and the tool takes a tenth of a millisecond for each.
        let seen = World::of(5).samples(|ready_ns| ready_ns + MS / 10, calm);
        assert!(seen[19_999].0 > 10_000 * MS);
        assert!(seen.iter().all(|(_, charged)| *charged == MS / 10));
    }

    #[test]
    fn samples_without_a_slot_hand_on_what_came_before_them() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.started(0, 0, true, 50 * MS), 0);
        // Until 60 ms it was busy with that, and until 70 ms with what follows, which was not due
        // sooner.
        assert_eq!(lateness.started(60 * MS, 60 * MS, false, 60 * MS), 60 * MS);
        assert_eq!(
            lateness.started(10 * MS, 70 * MS, true, 70 * MS),
            20 * MS,
            "it would have been free then"
        );
    }
}
