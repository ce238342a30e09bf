//! A number of users that control has set or multiplied. The launcher then stops following the
//! starts of the schedule, and keeps the requested number of users running.

use std::sync::atomic::Ordering;

use super::{LOOK_NS, Launcher, Replaces};
use crate::schedule::ScheduleMode;

impl Launcher {
    /// Control has something to say about the number of users.
    pub(super) fn is_adjusted(&self) -> bool {
        let factor = self.group.worker.live.changes.factor_ramp();
        self.group.live().changes.users().is_some() || !factor.stays(1.0, swell_net::now_ns())
    }

    /// Keeps as many users as are wanted, to the end of the schedule or, without one, until the
    /// last has ended by itself.
    pub(super) async fn hold(&mut self, replaces: Replaces) {
        let schedule = self.group.schedule.clone();
        let end_ns = schedule.end_ns().unwrap_or(i64::MAX);
        // Users of a plan have the first numbers.
        if !matches!(schedule.mode(), ScheduleMode::Level) {
            self.group.live().numbers.fetch_max(schedule.users(), Ordering::Relaxed);
        }
        self.group.hold();
        let mut last = None;
        while self.runs() && !self.group.live().launchers.are_over() {
            // Changes up to now are looked at below.
            let _ = self.group.sees_change();
            let now_ns = swell_net::now_ns();
            if now_ns >= end_ns {
                return;
            }
            let all = self.group.live().wanted_users(&self.group.worker.live.changes, now_ns).unwrap_or(0);
            let mine = self.slice.share(all);
            if last.replace(mine) != Some(mine) || replaces == Replaces::Always {
                self.group.forget_ended();
            }
            let wanted = mine.saturating_sub(self.group.ended());
            if self.group.want(wanted) {
                self.group.worker.handles.wake_all();
            }
            if self.group.refill_ns() <= now_ns {
                while self.group.users() < wanted && self.runs() {
                    self.spawn_next(now_ns, end_ns).await;
                }
            }
            // With a target of no users, control may raise it again.
            if self.group_is_over(all > 0 && wanted == 0 && self.group.users() == 0) {
                return;
            }
            self.group.pause(end_ns.min(now_ns.saturating_add(LOOK_NS))).await;
        }
    }
}
