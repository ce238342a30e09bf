//! Throughput Shaping Timer (`kg.apc.jmeter.timers.VariableThroughputTimer`): one schedule of
//! samples for all users.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use swell_api::Moment;
use swell_expr::{Context, Level, Template};
use swell_plan::{Element, Node, PropertyValue};

use super::delay::Delay;
use crate::compile_context::GroupCompileContext;
use crate::number;
use crate::schedule::{Profile, Span, spans_of_property};

/// Where the run counts starts that its schedules wanted but no user made.
pub(crate) const MISSED_STARTS: &str = "starts that were not made";
const DATA: &str = "load_profile";
const S: i64 = 1_000_000_000;

/// A compiled Throughput Shaping Timer.
pub(crate) struct Shaping {
    name: Template,
    rows: Vec<Vec<Template>>,
    /// One schedule of the element for all thread groups that contain it.
    pace: Arc<Mutex<Option<Pace>>>,
    /// Starts of the run that were not made.
    missed: Arc<AtomicU64>,
}

/// Where the users are in the schedule.
#[derive(Debug)]
struct Pace {
    profile: Profile,
    start_ns: i64,
    /// The sample that is next.
    next: u64,
    /// By what control multiplies the profile.
    factor: f64,
    /// Samples of the profile, and those that were due, when that factor was set.
    origin: (f64, f64),
    /// Samples for which no user was free in their second.
    missed: u64,
    /// The last report: the second, and the samples that were due by then.
    told_s: i64,
    told: u64,
}

/// What other elements read of a timer in properties.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ShapingReport {
    per_second: f64,
    waiting: u64,
    sent: u64,
}

impl Shaping {
    pub(super) fn compile(node: &Node, context: &GroupCompileContext<'_>) -> Self {
        let element = &node.element;
        let key = format!("throughput shaping timer {}", node.id.0);
        Self {
            name: context.compile.text(element, "TestElement.name", element.name()),
            rows: rows(element, context),
            pace: context.compile.expr.shared.get(&key, Mutex::default),
            missed: context.compile.expr.shared.get(MISSED_STARTS, AtomicU64::default),
        }
    }

    pub(super) fn delay(&self, cx: &mut Context, moment: &Moment) -> Delay {
        let mut pace = self.pace.lock();
        let pace = match &mut *pace {
            Some(pace) => pace,
            // The schedule starts with the first sample, and is read then.
            none => {
                let profile = self.profile(cx);
                if cx.thrown.is_some() {
                    return Delay::For(0);
                }
                none.insert(Pace::new(profile, moment.now_ns))
            }
        };
        if let Some(told) = pace.tell(moment.now_ns) {
            self.publish(cx, told, pace.profile.length_s());
        }
        pace.multiply(moment.factor, moment.now_ns);
        pace.resume(moment.resumed_ns);
        let missed = pace.missed;
        let delay = pace.delay(moment.now_ns, moment.end_ns);
        if pace.missed > missed {
            self.missed.fetch_add(pace.missed - missed, Ordering::Relaxed);
        }
        delay
    }

    /// The schedule of the run's properties if there is one, else that of the plan.
    fn profile(&self, cx: &mut Context) -> Profile {
        let own = format!("{}.{DATA}", &*self.name.eval(cx));
        let given = |name: &str| cx.props.get(name).filter(|text| !text.is_empty());
        if let Some(text) = given(&own).or_else(|| given(DATA)) {
            let (spans, wrong) = spans_of_property(&text);
            for part in wrong {
                let message = format!("invalid `{part}` in the property `{DATA}`: it is ignored");
                cx.host.log(Level::Warn, &message);
            }
            return Profile::new(spans);
        }
        let span = |cells: &Vec<Template>| {
            let mut cell =
                |place: usize| cells.get(place).map(|cell| cell.eval(cx).into_owned()).unwrap_or_default();
            let from = cell(0);
            let to = cell(1);
            let length = cell(2);
            let from_per_second = number::double(&from);
            let to_per_second = number::double(&to);
            Span { from_per_second, to_per_second, length_s: i64::from(number::int(&length)) }
        };
        Profile::new(self.rows.iter().map(span).collect::<Vec<_>>())
    }

    fn publish(&self, cx: &mut Context, told: ShapingReport, length_s: i64) {
        let name = self.name.eval(cx).into_owned();
        let set = |what: &str, value: &str| cx.props.set(&format!("{name}_{what}"), value);
        set("totalDuration", &length_s.to_string());
        set("cntDelayed", &told.waiting.to_string());
        set("cntSent", &told.sent.to_string());
        set("rps", &told.per_second.to_string());
    }
}

fn rows(element: &Element, context: &GroupCompileContext<'_>) -> Vec<Vec<Template>> {
    let cell = |text: &str| context.compile.text(element, DATA, text);
    let row = |value: &PropertyValue| match value {
        PropertyValue::Collection(cells) => {
            cells.iter().filter_map(|property| property.value.as_text()).map(cell).collect()
        }
        _ => Vec::new(),
    };
    element.collection(DATA).iter().map(|property| row(&property.value)).collect()
}

impl Pace {
    fn new(profile: Profile, start_ns: i64) -> Self {
        let factor = 1.0;
        let origin = (0.0, 0.0);
        Self { profile, start_ns, next: 0, factor, origin, missed: 0, told_s: -1, told: 0 }
    }

    /// Control multiplies the profile from now on.
    #[expect(clippy::float_cmp, reason = "factors are assigned, never computed")]
    fn multiply(&mut self, factor: f64, now_ns: i64) {
        if factor != self.factor {
            let elapsed_s = self.elapsed_s(now_ns);
            self.origin = (self.profile.samples_by(elapsed_s), self.due_by(elapsed_s));
            self.factor = factor;
        }
    }

    /// Control resumed the test then: samples that were due before are neither made up for nor
    /// missed.
    fn resume(&mut self, resumed_ns: i64) {
        if resumed_ns > self.start_ns {
            self.next = self.next.max(self.due_by(self.elapsed_s(resumed_ns)).ceil() as u64);
        }
    }

    /// How many samples are due by a time.
    fn due_by(&self, at_s: f64) -> f64 {
        let (profiled, due) = self.origin;
        due + (self.profile.samples_by(at_s) - profiled) * self.factor
    }

    /// When a sample is due.
    fn time_of(&self, sample: u64) -> Option<f64> {
        let (profiled, due) = self.origin;
        self.profile.time_of(profiled + (sample as f64 - due) / self.factor)
    }

    fn elapsed_s(&self, now_ns: i64) -> f64 {
        (now_ns - self.start_ns).max(0) as f64 / S as f64
    }

    /// The next sample's time. Samples of past seconds are not made up for, as in the plug-in.
    fn delay(&mut self, now_ns: i64, user_ends_ns: i64) -> Delay {
        let over = self.due_by(self.elapsed_s(now_ns).floor()).ceil() as u64;
        self.missed += over.saturating_sub(self.next);
        self.next = self.next.max(over);
        let Some(at_s) = self.time_of(self.next) else {
            return Delay::StopGroup(self.start_ns.saturating_add(self.profile.length_s().saturating_mul(S)));
        };
        let at_ns = self.start_ns.saturating_add((at_s * S as f64).round() as i64);
        if at_ns > user_ends_ns {
            // It is left for a user that will be there.
            return Delay::Stop;
        }
        self.next += 1;
        Delay::Slot(at_ns)
    }

    /// Once a second, what the timer tells.
    fn tell(&mut self, now_ns: i64) -> Option<ShapingReport> {
        let elapsed_s = self.elapsed_s(now_ns);
        let second = elapsed_s as i64;
        if second <= self.told_s {
            return None;
        }
        self.told_s = second;
        let due = self.due_by(elapsed_s).floor() as u64 + 1;
        let passed = self.next.min(due).saturating_sub(self.missed);
        let sent = passed.saturating_sub(self.told);
        self.told = passed;
        let per_second = self.profile.per_second(second as f64)? * self.factor;
        Some(ShapingReport { per_second, waiting: self.next.saturating_sub(due), sent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn pace(spans: &[(f64, f64, i64)]) -> Pace {
        let span =
            |&(from_per_second, to_per_second, length_s)| Span { from_per_second, to_per_second, length_s };
        Pace::new(Profile::new(spans.iter().map(span)), 1_000 * S)
    }

    /// When a user that comes at that time goes, in milliseconds from the start; none if it stops.
    fn goes(pace: &mut Pace, at_ms: i64) -> Option<i64> {
        match pace.delay(1_000 * S + at_ms * MS, i64::MAX) {
            Delay::Slot(at_ns) => Some((at_ns - 1_000 * S) / MS),
            _ => None,
        }
    }

    #[test]
    fn users_go_evenly_however_they_come() {
        let mut pace = pace(&[(10.0, 10.0, 1), (20.0, 20.0, 1)]);
        let seen: Vec<_> = (0..30).map(|_| goes(&mut pace, 0).unwrap()).collect();
        let wanted: Vec<_> = (0..10).map(|n| n * 100).chain((0..20).map(|n| 1000 + n * 50)).collect();
        assert_eq!(seen, wanted);
        let Delay::StopGroup(at_ns) = pace.delay(1_000 * S, i64::MAX) else {
            panic!("the schedule has finished")
        };
        assert_eq!(at_ns, 1_002 * S, "at its end, not with its last sample");
    }

    #[test]
    fn what_was_missed_is_made_up_for_within_its_second_only() {
        let mut pace = pace(&[(10.0, 10.0, 60)]);
        assert_eq!([0, 550, 560, 570].map(|at_ms| goes(&mut pace, at_ms)), [0, 100, 200, 300].map(Some));
        assert_eq!(goes(&mut pace, 1_950), Some(1_000), "those of the second before are lost");
        assert_eq!(pace.missed, 6);
    }

    #[test]
    fn a_sample_after_the_users_end_is_left_to_others() {
        let mut pace = pace(&[(1.0, 1.0, 60)]);
        assert_eq!(goes(&mut pace, 0), Some(0));
        assert!(matches!(pace.delay(1_000 * S, 1_000 * S + 500 * MS), Delay::Stop));
        assert_eq!(goes(&mut pace, 0), Some(1_000));
    }

    #[test]
    fn a_factor_of_control_counts_from_when_it_is_set() {
        let mut pace = pace(&[(10.0, 10.0, 60)]);
        assert_eq!([0, 100, 200].map(|at_ms| goes(&mut pace, at_ms)), [0, 100, 200].map(Some));
        pace.multiply(2.0, 1_000 * S + 300 * MS);
        assert_eq!([300, 350, 400].map(|at_ms| goes(&mut pace, at_ms)), [300, 350, 400].map(Some));
        pace.multiply(0.5, 1_000 * S + 450 * MS);
        assert_eq!([450, 650, 850].map(|at_ms| goes(&mut pace, at_ms)), [450, 650, 850].map(Some));
        assert_eq!(pace.missed, 0);
    }

    #[test]
    fn what_was_due_in_a_pause_of_control_is_neither_made_up_for_nor_missed() {
        let mut pace = pace(&[(10.0, 10.0, 60)]);
        assert_eq!(goes(&mut pace, 0), Some(0));
        pace.resume(1_000 * S + 5_050 * MS);
        assert_eq!([5_050, 5_060].map(|at_ms| goes(&mut pace, at_ms)), [5_100, 5_200].map(Some));
        assert_eq!(pace.missed, 0);
    }

    #[test]
    fn it_tells_once_a_second_how_it_goes() {
        let mut pace = pace(&[(10.0, 20.0, 10)]);
        let at = |ms: i64| 1_000 * S + ms * MS;
        assert_eq!(pace.tell(at(0)), Some(ShapingReport { per_second: 10.0, waiting: 0, sent: 0 }));
        for _ in 0..14 {
            goes(&mut pace, 0);
        }
        assert_eq!(pace.tell(at(900)), None);
        // By 1 s 10.5 are due: 11 have gone, 3 wait.
        assert_eq!(pace.tell(at(1_000)), Some(ShapingReport { per_second: 11.0, waiting: 3, sent: 11 }));
        // No user comes for a while: of the next two seconds only waiting users have gone.
        assert_eq!(pace.tell(at(3_000)), Some(ShapingReport { per_second: 13.0, waiting: 0, sent: 3 }));
        assert_eq!(pace.tell(at(11_000)), None, "over");
    }
}
