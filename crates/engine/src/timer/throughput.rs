//! `ConstantThroughputTimer`: limits the number of samples a minute.

use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::Moment;
use swell_expr::{Context, Template};
use swell_plan::{Element, Severity};

use super::delay::{Delay, MS};
use crate::compile_context::GroupCompileContext;
use crate::number;

/// `ConstantThroughputTimer.Mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    ThisUser,
    AllUsers,
    GroupUsers,
    AllShared,
    GroupShared,
    /// Not JMeter's: one schedule for all users from the start of the test; late slots are made up
    /// for.
    Schedule,
}

/// The slots of several users.
#[derive(Debug)]
struct Slots {
    last_ns: i64,
    /// By what control multiplied the rate when it was given away.
    factor: f64,
}

impl Default for Slots {
    fn default() -> Self {
        Self { last_ns: 0, factor: 1.0 }
    }
}

impl Slots {
    /// Control multiplies the rate, and users who wait move their slots alike ([`multiplied`]); or
    /// it resumed the test.
    #[expect(clippy::float_cmp, reason = "factors are assigned, never computed")]
    fn adjust(&mut self, moment: &Moment) {
        if self.factor != moment.factor {
            self.last_ns = multiplied(self.last_ns, moment.now_ns, self.factor, moment.factor);
            self.factor = moment.factor;
        }
        self.last_ns = self.last_ns.max(moment.resumed_ns);
    }
}

/// A time to come under a rate that control multiplied by one factor, now that it multiplies it by
/// another.
pub(crate) fn multiplied(at_ns: i64, now_ns: i64, before: f64, factor: f64) -> i64 {
    if at_ns <= now_ns {
        return at_ns;
    }
    now_ns.saturating_add(((at_ns - now_ns) as f64 * before / factor) as i64)
}

/// A compiled Constant Throughput Timer.
pub(crate) struct Throughput {
    per_minute: Template,
    mode: Mode,
    /// Place of the user's time.
    time: usize,
    /// Slots that were given away, for the shared modes.
    shared: Option<Arc<Mutex<Slots>>>,
    compat: bool,
}

impl Throughput {
    pub(super) fn compile(
        element: &Element,
        context: &GroupCompileContext<'_>,
        times: &mut usize,
        compat: bool,
    ) -> Self {
        let mode = mode(element.text("calcMode").unwrap_or_default());
        let key = match mode {
            Mode::AllShared => Some("constant throughput of all".to_owned()),
            Mode::Schedule => Some("schedule of all".to_owned()),
            Mode::GroupShared => Some(format!("constant throughput of group {}", context.group)),
            _ => None,
        };
        // One schedule for all timers of a mode, as JMeter's static fields.
        let shared = key.map(|key| context.compile.expr.shared.get::<Mutex<Slots>>(&key, Mutex::default));
        let time = *times;
        *times += 1;
        let per_minute = context.compile.template(element, "throughput", "");
        warn_without_rate(element, mode, context);
        Self { per_minute, mode, time, shared, compat }
    }

    /// The rate is that of several users together. A user's own is left alone when load is
    /// multiplied: its users are.
    pub(super) fn is_shared(&self) -> bool {
        self.mode != Mode::ThisUser
    }

    /// The schedule that its slots are given from in order, where all users of the run share it.
    pub(super) fn schedule_of_all(&self) -> Option<&'static str> {
        match self.mode {
            Mode::AllShared if !self.compat => Some("all shared"),
            Mode::Schedule => Some("schedule"),
            _ => None,
        }
    }

    pub(super) fn delay(&self, cx: &mut Context, moment: &Moment, times: &mut [i64]) -> Delay {
        // Read each time, as it may vary during a test.
        let per_minute = number::double(&self.per_minute.eval(cx));
        if cx.thrown.is_some() {
            return Delay::For(0);
        }
        let users = match self.mode {
            Mode::AllUsers => moment.active,
            Mode::GroupUsers => moment.group_active,
            _ => 1,
        };
        let factor = if self.is_shared() { moment.factor } else { 1.0 };
        let interval_ns = interval_ns(per_minute * factor, users, self.compat);
        let previous = &mut times[self.time];
        match &self.shared {
            Some(slots) if self.mode == Mode::Schedule => {
                let mut slots = slots.lock();
                slots.adjust(moment);
                Delay::Slot(next_slot(&mut slots.last_ns, interval_ns, moment.test_start_ns))
            }
            Some(slots) => {
                let mut slots = slots.lock();
                slots.adjust(moment);
                let slot = shared_slot(&mut slots.last_ns, interval_ns, moment.from_ns);
                drop(slots);
                if self.compat {
                    // JMeter adds the delay to the time of the user's last slot.
                    Delay::At(step(previous, slot - moment.from_ns, moment.from_ns))
                } else {
                    Delay::At(slot)
                }
            }
            None => Delay::At(step(previous, interval_ns, moment.from_ns)),
        }
    }
}

/// Reports a rate in the plan that lets users wait forever; JMeter does so silently.
fn warn_without_rate(element: &Element, mode: Mode, context: &GroupCompileContext<'_>) {
    let text = element.text_or_empty("throughput");
    if text.contains("${") || number::double(text) != 0.0 {
        return;
    }
    let who = match mode {
        Mode::AllShared | Mode::GroupShared => "the first user waits forever, and the others do not wait",
        _ => "its users wait forever",
    };
    let message = format!("`{text}` is not a rate above 0: {who}");
    let hint = Some("use samples per minute, such as 60");
    context.compile.note(Severity::Warning, element, Some("throughput"), message, hint);
}

/// The next time of a user: an interval after the last, or now if that has passed. The first is
/// now.
fn step(previous_ns: &mut i64, interval_ns: i64, now_ns: i64) -> i64 {
    *previous_ns = previous_ns.saturating_add(interval_ns).max(now_ns);
    *previous_ns
}

/// The next time of all users. At rate 0 the first user waits for ever; then the sum overflows, as
/// in JMeter, and the others continue at once (`ConstantThroughputTimer.calculateSharedDelay`).
fn shared_slot(last_ns: &mut i64, interval_ns: i64, now_ns: i64) -> i64 {
    *last_ns = last_ns.wrapping_add(interval_ns).max(now_ns);
    *last_ns
}

/// The next slot of a schedule, over or not. The first is its start.
fn next_slot(last_ns: &mut i64, interval_ns: i64, start_ns: i64) -> i64 {
    *last_ns = if *last_ns == 0 { start_ns } else { last_ns.saturating_add(interval_ns) };
    *last_ns
}

/// Nanoseconds between samples. As in JMeter, whole milliseconds: above 60,000 a minute that is
/// coarse.
fn interval_ns(per_minute: f64, users: u32, compat: bool) -> i64 {
    let ms = 60_000.0 / per_minute * f64::from(users);
    if compat { number::round(ms).saturating_mul(MS) } else { number::round(ms * MS as f64) }
}

/// Whether a Constant Throughput Timer gives each user a rate ("this thread only").
pub(crate) fn is_of_each_user(timer: &Element) -> bool {
    mode(timer.text_or_empty("calcMode")) == Mode::ThisUser
}

/// The mode as an ordinal, a name, or a resource key.
fn mode(text: &str) -> Mode {
    match text.trim() {
        "1" | "AllActiveThreads" | "calcMode.2" => Mode::AllUsers,
        "2" | "AllActiveThreadsInCurrentThreadGroup" | "calcMode.3" => Mode::GroupUsers,
        "3" | "AllActiveThreads_Shared" | "calcMode.4" => Mode::AllShared,
        "swell.schedule" => Mode::Schedule,
        "4" | "AllActiveThreadsInCurrentThreadGroup_Shared" | "calcMode.5" => Mode::GroupShared,
        _ => Mode::ThisUser,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_gives_every_slot_however_late() {
        let mut last = 0;
        let slots: Vec<_> = (0..3).map(|_| next_slot(&mut last, 10, 1000)).collect();
        assert_eq!(slots, [1000, 1010, 1020]);
        assert_eq!(mode("swell.schedule"), Mode::Schedule);
    }

    #[test]
    fn slots_move_when_control_multiplies_the_rate_and_start_anew_when_it_resumes() {
        assert_eq!(multiplied(1_000, 400, 1.0, 2.0), 700);
        assert_eq!(multiplied(1_000, 400, 2.0, 1.0), 1_600);
        assert_eq!(multiplied(300, 400, 1.0, 2.0), 300, "it has finished");
        let moment = |factor, resumed_ns| Moment {
            now_ns: 400,
            from_ns: 400,
            factor,
            resumed_ns,
            end_ns: i64::MAX,
            test_start_ns: 0,
            active: 1,
            group_active: 1,
            group_users: 1,
        };
        let mut slots = Slots { last_ns: 1_000, factor: 1.0 };
        slots.adjust(&moment(2.0, i64::MIN));
        assert_eq!(slots.last_ns, 700);
        slots.adjust(&moment(2.0, 5_000));
        assert_eq!(slots.last_ns, 5_000);
    }

    #[test]
    fn without_a_rate_a_shared_timer_holds_the_first_user_only() {
        let mut last = 0;
        let interval = interval_ns(number::double("no number"), 1, false);
        let slots = [1000, 1010, 1020, 1030].map(|now| shared_slot(&mut last, interval, now));
        // JMeter 5.6.3 with three users: the first takes no sample, the others as many as they can.
        assert_eq!(slots, [i64::MAX, 1010, 1020, 1030]);
        let mut last = 0;
        let interval = interval_ns(60.0, 1, false);
        let slots = [1000, 1010, 1020].map(|now| shared_slot(&mut last, interval, now));
        assert_eq!(slots, [interval, 2 * interval, 3 * interval]);
    }

    #[test]
    fn fifty_thousand_a_second_are_one_each_twenty_microseconds() {
        let interval = interval_ns(50_000.0 * 60.0, 1, false);
        let mut last = 0;
        let start = 1_700_000_000_123_456_789;
        let slots: Vec<_> = (0..50_000).map(|_| next_slot(&mut last, interval, start)).collect();
        assert!(
            slots.windows(2).all(|pair| pair[1] - pair[0] == 20_000),
            "not one interval of all is another"
        );
        assert_eq!((slots[0], slots[49_999]), (start, start + 1_000_000_000 - 20_000));
    }

    #[test]
    fn intervals_follow_rate_and_users() {
        // per minute, users, exact, JMeter's
        let table = [
            (60.0, 1, 1_000_000_000, 1_000 * MS),
            (60_000.0, 1, MS, MS),
            (600.0, 10, 1_000_000_000, 1_000 * MS),
            (40_000.0, 1, 1_500_000, 2 * MS),
            (1_000_000.0, 1, 60_000, 0),
            (0.0, 1, i64::MAX, i64::MAX),
            (-60.0, 1, -1_000_000_000, -1_000 * MS),
        ];
        for (per_minute, users, exact, rounded) in table {
            assert_eq!(interval_ns(per_minute, users, false), exact, "{per_minute}");
            assert_eq!(interval_ns(per_minute, users, true), rounded, "{per_minute}");
        }
    }

    #[test]
    fn a_user_keeps_its_rate_and_does_not_catch_up() {
        let mut previous = 0;
        let mut seen = Vec::new();
        // It comes at these times; interval 100.
        for now in [1000, 1010, 1150, 1200, 1500, 1510] {
            seen.push(step(&mut previous, 100, now));
        }
        assert_eq!(seen, [1000, 1100, 1200, 1300, 1500, 1600]);
    }

    #[test]
    fn modes_are_read_in_all_their_spellings() {
        let table = [
            ("", Mode::ThisUser),
            ("0", Mode::ThisUser),
            ("1", Mode::AllUsers),
            ("2", Mode::GroupUsers),
            ("3", Mode::AllShared),
            ("AllActiveThreadsInCurrentThreadGroup_Shared", Mode::GroupShared),
        ];
        for (text, expected) in table {
            assert_eq!(mode(text), expected, "{text}");
        }
    }
}
