//! Users that only wait. When the test stops, waking a million of them one by one would take
//! seconds. So they are counted as ended and never polled again. Their memory is freed with the
//! worker's loop, or with the process.

use super::group_run::GroupRun;
use super::idle_sum::Idle;

impl GroupRun {
    /// A user begins or ceases to only wait.
    pub(super) fn idles(&self, place: usize, (started_ns, accounted_ns): (i64, i64), idle: bool) {
        self.worker.handles.set_idle(place, idle);
        let Idle { users, started_ns: starts_ns, accounted_ns: accounts_ns } = self.idle.get();
        let sign = if idle { 1 } else { -1 };
        self.idle.set(Idle {
            users: users.wrapping_add_signed(sign),
            started_ns: starts_ns + i128::from(sign) * i128::from(started_ns),
            accounted_ns: accounts_ns + i128::from(sign) * i128::from(accounted_ns),
        });
    }

    pub(super) fn has_left_idle(&self) -> bool {
        self.has_left_idle.get()
    }

    /// The test stops: users who only wait have ended. How many these are.
    pub(super) fn leave_idle(&self) -> u32 {
        let idle = if self.has_left_idle.replace(true) { Idle::default() } else { self.idle.get() };
        let Idle { users, started_ns, accounted_ns } = idle;
        self.worker.live.users_ended(self.place, users);
        let ends_ns = i128::from(users) * i128::from(swell_net::now_ns());
        self.worker.time_accounting.lived_all(ends_ns - started_ns);
        self.worker.time_accounting.waits_longer(ends_ns - accounted_ns);
        self.users.set(self.users.get() - users);
        self.end_if_over();
        users
    }
}
