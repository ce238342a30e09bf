//! Ultimate Thread Group (`kg.apc.jmeter.threads.UltimateThreadGroup`): rows of users, each with
//! separate times.

use super::{MS, Start, Table, short_seconds};

/// A row of the schedule. Times are whole seconds, as in the plug-in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) users: i64,
    pub(crate) delay_s: i64,
    pub(crate) ramp_s: i64,
    pub(crate) hold_s: i64,
    pub(crate) shutdown_s: i64,
}

/// The lives of all users. The last number of a row starts first and ends first, as in the plug-in.
pub(crate) fn ultimate(rows: &[Row], now_ns: i64) -> Table {
    let users = rows.iter().map(|row| row.users).sum::<i64>().clamp(0, i64::from(u32::MAX));
    let mut rows = rows.iter();
    let mut row = Row::default();
    let mut left = 0;
    let mut starts = Vec::new();
    for user in 0..users {
        if left < 1 {
            let Some(next) = rows.next() else { break };
            (row, left) = (*next, next.users);
        }
        // A row without users takes one all the same, and the last row lacks it. So the plug-in
        // counts.
        starts.push(row.start(user as u32, left, now_ns));
        left -= 1;
    }
    Table::new(starts)
}

impl Row {
    /// `left`: how many of the row are left to start, this one included.
    fn start(&self, user: u32, left: i64, now_ns: i64) -> Start {
        let share_ms = |seconds: i64| {
            let share = 1000.0 * seconds as f64 * left as f64 / self.users as f64;
            share.floor() as i64
        };
        let at = |ms: i64| now_ns.saturating_add(ms.saturating_mul(MS));
        let delay_ms = self.delay_s.saturating_mul(1000);
        let up_ms = delay_ms.saturating_add(self.ramp_s.saturating_add(self.hold_s).saturating_mul(1000));
        Start {
            user,
            start_ns: at(delay_ms.saturating_add(share_ms(self.ramp_s))),
            end_ns: at(up_ms.saturating_add(share_ms(self.shutdown_s))),
        }
    }
}

/// The rows of the property `threads_schedule`, `spawn(users, delay, ramp, hold, shutdown) ...`
/// with times such as `1m30s`, and the parts that are none.
pub(crate) fn rows_of_property(text: &str) -> (Vec<Row>, Vec<String>) {
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for chunk in text.split(')').filter(|chunk| !chunk.trim().is_empty()) {
        match row(chunk) {
            Some(row) => rows.push(row),
            None => wrong.push(format!("{})", chunk.trim())),
        }
    }
    (rows, wrong)
}

fn row(chunk: &str) -> Option<Row> {
    let (name, fields) = chunk.split_once('(')?;
    let fields: Vec<_> = fields.split(',').map(str::trim).collect();
    let [users, times @ ..] = &fields[..] else { return None };
    let times = times.iter().map(|time| short_seconds(time)).collect::<Option<Vec<_>>>()?;
    let [delay_s, ramp_s, hold_s, shutdown_s, ..] = times[..] else { return None };
    if !name.trim().eq_ignore_ascii_case("spawn") {
        return None;
    }
    Some(Row { users: users.parse().ok()?, delay_s, ramp_s, hold_s, shutdown_s })
}

#[cfg(test)]
mod tests {
    use super::super::Schedule;
    use super::*;

    fn lives(rows: &[Row]) -> Vec<(u32, i64, i64)> {
        let ms = |ns: i64| ns / MS;
        ultimate(rows, 0).starts().map(|s| (s.user, ms(s.start_ns), ms(s.end_ns))).collect()
    }

    #[test]
    fn a_row_starts_over_its_ramp_and_ends_over_its_shutdown() {
        let row = Row { users: 4, delay_s: 10, ramp_s: 8, hold_s: 20, shutdown_s: 4 };
        // The last number first, one share of the ramp after the delay.
        let wanted = [(3, 12_000, 39_000), (2, 14_000, 40_000), (1, 16_000, 41_000), (0, 18_000, 42_000)];
        assert_eq!(lives(&[row]), wanted);
        assert_eq!(ultimate(&[row], 0).end_ns(), Some(42_000 * MS));
    }

    #[test]
    fn rows_follow_each_other_in_numbers_and_mix_in_time() {
        let first = Row { users: 2, delay_s: 5, ramp_s: 0, hold_s: 5, shutdown_s: 0 };
        let second = Row { users: 1, delay_s: 1, ramp_s: 0, hold_s: 2, shutdown_s: 0 };
        assert_eq!(lives(&[first, second]), [(2, 1_000, 3_000), (0, 5_000, 10_000), (1, 5_000, 10_000)]);
    }

    #[test]
    fn a_row_of_nobody_takes_a_user_from_the_last() {
        let nobody = Row { users: 0, delay_s: 1, ramp_s: 9, hold_s: 1, shutdown_s: 9 };
        let row = Row { users: 2, delay_s: 5, hold_s: 5, ..Row::default() };
        let lives = lives(&[nobody, row]);
        assert_eq!(lives, [(0, 1_000, 11_000), (1, 5_000, 10_000)]);
    }

    #[test]
    fn thirds_are_cut_to_milliseconds() {
        let row = Row { users: 3, ramp_s: 1, ..Row::default() };
        assert_eq!(lives(&[row]).iter().map(|life| life.1).collect::<Vec<_>>(), [333, 666, 1000]);
        assert_eq!(lives(&[]), []);
    }

    #[test]
    fn rows_of_a_property_replace_those_of_the_plan() {
        let (rows, wrong) =
            rows_of_property("spawn(1,1s,1s,1s,1s) Spawn( 2 , 1m30s, 3s,1h,0) step(1) spawn(x,1,1,1,1)");
        let second = Row { users: 2, delay_s: 90, ramp_s: 3, hold_s: 3600, shutdown_s: 0 };
        assert_eq!(rows, [Row { users: 1, delay_s: 1, ramp_s: 1, hold_s: 1, shutdown_s: 1 }, second]);
        assert_eq!(wrong, ["step(1)", "spawn(x,1,1,1,1)"]);
    }
}
