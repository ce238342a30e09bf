//! Users of a slice that another machine began.

use crate::schedule::Start;

/// What is left to start at `now_ns`: users that are to run already, spread over a ramp, then those
/// to come. The first `ended` had ended where the slice was begun, and users whose time has passed
/// are not started again.
pub(super) fn left(starts: impl Iterator<Item = Start>, now_ns: i64, ended: u32, ramp_ns: i64) -> Vec<Start> {
    let mut left: Vec<_> = starts.skip(ended as usize).filter(|start| start.end_ns > now_ns).collect();
    let late = left.iter().take_while(|start| start.start_ns <= now_ns).count();
    for (place, start) in left.iter_mut().take(late).enumerate() {
        let share = i128::from(ramp_ns) * place as i128 / late as i128;
        start.start_ns = now_ns.saturating_add(share as i64);
    }
    left.sort_by_key(|start| start.start_ns);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_that_are_to_run_start_over_a_ramp_and_those_that_ended_do_not() {
        let start = |(user, start_ns, end_ns)| Start { user, start_ns, end_ns };
        let all = [(0, 0, 500), (3, 10, 90), (6, 20, 500), (9, 30, 500), (12, 115, 500), (15, 200, 500)];
        let seen: Vec<_> = left(all.into_iter().map(start), 100, 1, 20)
            .into_iter()
            .map(|start| (start.user, start.start_ns))
            .collect();
        assert_eq!(seen, [(6, 100), (9, 110), (12, 115), (15, 200)]);
        assert!(left(all.into_iter().map(start), 600, 0, 20).is_empty(), "all have ended");
    }
}
