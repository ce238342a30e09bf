//! When samples start: ramps, delays, timers, rates, durations, phases, stops.

use std::collections::BTreeMap;

use swell_engine::RunOutcome;

use super::check::{Seen, Users, Wrong, may_end_early};
use super::expect::node_at;
use super::options::{LoadOfGroup, PlanNode, Rate, RateOf, Think, TrialFault};
use super::plan::PRECISE_WINDOW_S;
use super::samples::{Heard, User};

const MS: i64 = 1_000_000;
const S: i64 = 1_000_000_000;
/// How late what is due may be where nothing holds up the tool: all that is due at that instant.
const TURN_NS: i64 = 1_000_000;
/// What the coordinator and the workers take to end.
const END_NS: i64 = 5 * MS;
/// Turns that may come between, where each takes time.
const SLOW_TURNS: i64 = 300;
/// What a time of a schedule may be rounded by.
const ROUNDED_NS: i64 = 2;

/// How late the tool may be at any time, by the faults of the world.
pub(super) fn lateness_ns(seen: &Seen<'_>) -> i64 {
    let by = seen.options.faults.iter().map(|fault| match *fault {
        TrialFault::ToolStall { for_ms, .. } => i64::from(for_ms) * MS,
        TrialFault::SlowTurns { most_us } => SLOW_TURNS * i64::from(most_us) * 1_000,
        _ => 0,
    });
    TURN_NS + by.sum::<i64>()
}

/// A group with what is known of its times.
struct Timed<'a, 'b> {
    seen: &'b Seen<'a>,
    place: usize,
    /// It does not start before.
    floor_ns: i64,
    late_ns: i64,
    users: BTreeMap<usize, &'b User<'a>>,
}

pub(super) fn check<'a>(seen: &Seen<'a>, outcome: &RunOutcome, users: &Users<'a>, wrong: &mut Wrong) {
    for place in 0..seen.options.groups.len() {
        let of_group = users.iter().filter(|((group, _), _)| *group == place);
        let group = Timed {
            seen,
            place,
            floor_ns: floor_ns(seen, outcome, users, place),
            late_ns: lateness_ns(seen),
            users: of_group.map(|((_, number), user)| (*number, user)).collect(),
        };
        group.check(wrong);
    }
    stops(seen, outcome, users, wrong);
    ends(seen, outcome, users, wrong);
}

/// The run ends with its last sample, or with a stop, and not later: unless users may wait for a
/// time and then make no sample.
fn ends(seen: &Seen<'_>, outcome: &RunOutcome, users: &Users<'_>, wrong: &mut Wrong) {
    let waits = seen.options.groups.iter().any(|group| {
        let makes_nothing = !group.any(|node| matches!(node, PlanNode::Request { .. }));
        let has_end = match group.load {
            LoadOfGroup::Users { duration_s, .. } => duration_s > 0,
            LoadOfGroup::Open { .. } => true,
        };
        makes_nothing || has_end || group.rate.is_some() || group.csv.is_some_and(|csv| !csv.recycles)
    });
    if waits && outcome.stopped_ns.is_none() {
        return;
    }
    let last_ns = users.values().flat_map(|user| user.requests.iter().map(|sample| sample.read_ns)).max();
    let end_ns = last_ns.into_iter().chain(outcome.stopped_ns).chain([outcome.started_ns]).max();
    let late_ns = outcome.ended_ns - end_ns.unwrap_or(outcome.ended_ns);
    wrong.must(late_ns <= lateness_ns(seen) + END_NS, "P5 end", || {
        format!("the run ended {late_ns} ns after its last sample or its stop")
    });
}

/// A group starts after the phases before it, and after the groups before it where these run one
/// after the other.
fn floor_ns(seen: &Seen<'_>, outcome: &RunOutcome, users: &Users<'_>, place: usize) -> i64 {
    let groups = &seen.options.groups;
    let is_before = |other: usize| {
        groups[other].phase < groups[place].phase
            || (seen.options.serialized && groups[other].phase == groups[place].phase && other < place)
    };
    let before = users.iter().filter(|((group, _), _)| is_before(*group));
    let ends = before.flat_map(|(_, user)| user.requests.iter().map(|sample| sample.end_ns));
    ends.max().unwrap_or(i64::MIN).max(outcome.started_ns)
}

impl Timed<'_, '_> {
    fn check(&self, wrong: &mut Wrong) {
        for (number, user) in &self.users {
            let mut free_ns = self.user_floor_ns(*number);
            for sample in &user.requests {
                let Some(think) = self.think(sample) else { continue };
                let wait_ns = sample.start_ns - free_ns;
                let least_ns = i64::from(think.least_ms) * MS;
                wrong.must(wait_ns >= least_ns - ROUNDED_NS, "P2 early", || {
                    format!("{} of user {number} started {} ns early", sample.label, least_ns - wait_ns)
                });
                free_ns = sample.end_ns;
            }
        }
        self.not_late(wrong);
        self.ramp(wrong);
        self.duration(wrong);
        self.rate(wrong);
        self.open(wrong);
        self.threads(wrong);
    }

    /// When a user of a number (from 1) starts, after its group.
    fn offset_ns(&self, number: usize) -> i64 {
        match self.seen.options.groups[self.place].load {
            LoadOfGroup::Users { users, ramp_s, delay_s, .. } => {
                let ramp_ns = i64::from(ramp_s) * S * (number as i64 - 1) / i64::from(users);
                i64::from(delay_s) * S + ramp_ns
            }
            LoadOfGroup::Open { .. } => 0,
        }
    }

    /// A user makes nothing before.
    fn user_floor_ns(&self, number: usize) -> i64 {
        self.floor_ns + self.offset_ns(number)
    }

    fn think(&self, sample: &Heard) -> Option<Think> {
        let (_, number) = sample.label.split_once('n')?;
        match node_at(&self.seen.options.groups[self.place].nodes, number.parse().ok()?)? {
            PlanNode::Request { think, .. } => Some(*think),
            _ => None,
        }
    }

    /// What a user waits at least and at most before a sample.
    fn think_ns(&self, sample: &Heard) -> (i64, i64) {
        let Think { least_ms, range_ms } = self.think(sample).unwrap_or_default();
        (i64::from(least_ms) * MS, i64::from(least_ms + range_ms) * MS)
    }

    /// Users wait no longer than their timers say.
    fn not_late(&self, wrong: &mut Wrong) {
        let rate = self.seen.options.groups[self.place].rate;
        for (number, user) in &self.users {
            for pair in user.requests.windows(2) {
                let (_, most_ns) = self.think_ns(pair[1]);
                let slot_ns = match rate {
                    None => i64::MIN,
                    Some(rate) if rate.of == RateOf::User => pair[0].start_ns + interval_ns(rate),
                    // Each of the others may have a slot before.
                    Some(rate) if rate.of == RateOf::Group => {
                        let users = self.seen.options.users_of(self.place) as i64;
                        pair[0].start_ns.max(pair[0].read_ns) + users * interval_ns(rate)
                    }
                    Some(_) => continue,
                };
                let late_ns = pair[1].start_ns - pair[0].read_ns.max(slot_ns) - most_ns;
                wrong.must(late_ns <= self.late_ns, "P2 late", || {
                    format!("{} of user {number} started {late_ns} ns late", pair[1].label)
                });
            }
        }
    }

    /// The start of the group as a user's first sample shows it: least and most.
    fn begin_ns(&self, number: usize, user: &User<'_>) -> Option<(i64, i64)> {
        let first = user.requests.first()?;
        let (least_ns, most_ns) = self.think_ns(first);
        let start_ns = first.start_ns - self.offset_ns(number);
        Some((start_ns - most_ns - self.late_ns, start_ns - least_ns))
    }

    /// Users start evenly over the ramp.
    fn ramp(&self, wrong: &mut Wrong) {
        let options = &self.seen.options.groups[self.place];
        let LoadOfGroup::Users { .. } = options.load else { return };
        if options.rate.is_some() {
            return;
        }
        let begins: Vec<_> =
            self.users.iter().filter_map(|(number, user)| self.begin_ns(*number, user)).collect();
        let least_ns = begins.iter().map(|(least_ns, _)| *least_ns).max();
        let most_ns = begins.iter().map(|(_, most_ns)| *most_ns).min();
        if let (Some(least_ns), Some(most_ns)) = (least_ns, most_ns) {
            wrong.must(least_ns <= most_ns + ROUNDED_NS, "P2 ramp", || {
                format!("users of group {} do not follow the ramp, by {} ns", self.place, least_ns - most_ns)
            });
            let is_first =
                self.floor_ns == self.seen.outcome.as_ref().map_or(0, |outcome| outcome.started_ns);
            // Groups of a phase start one after the other.
            wrong.must(!is_first || least_ns <= self.floor_ns + self.late_ns, "P2 ramp", || {
                format!("group {} started {} ns late", self.place, least_ns - self.floor_ns)
            });
        }
    }

    /// No sample starts after the end of a duration, and users make samples until then.
    fn duration(&self, wrong: &mut Wrong) {
        let options = &self.seen.options.groups[self.place];
        let LoadOfGroup::Users { duration_s, delay_s, loops, .. } = options.load else { return };
        if duration_s == 0 {
            return;
        }
        let begins: Vec<_> =
            self.users.iter().filter_map(|(number, user)| self.begin_ns(*number, user)).collect();
        let lasts_ns = i64::from(delay_s + duration_s) * S;
        let Some(begin_ns) = begins.iter().map(|(_, most_ns)| *most_ns).min() else { return };
        let end_ns = begin_ns + lasts_ns;
        for (number, user) in &self.users {
            for (place, sample) in user.requests.iter().enumerate() {
                // A user that starts after the end makes one sample.
                let is_exempt = place == 0 && begin_ns + self.offset_ns(*number) >= end_ns - self.late_ns;
                wrong.must(is_exempt || sample.start_ns <= end_ns + self.late_ns, "P2 duration", || {
                    format!(
                        "{} of user {number} started {} ns after the end",
                        sample.label,
                        sample.start_ns - end_ns
                    )
                });
            }
        }
        let ends = self.seen.options.may_stop()
            || options.csv.is_some_and(|csv| !csv.recycles)
            || options.any(|node| matches!(node, PlanNode::StopThread {}));
        if loops > 0 || ends || options.rate.is_some() {
            return;
        }
        let begin_ns = begins.iter().map(|(least_ns, _)| *least_ns).max().unwrap_or(begin_ns);
        let wait_ns = 400 * MS;
        for (number, user) in &self.users {
            let Some(last) = user.requests.last() else { continue };
            let left_ns = begin_ns + lasts_ns - last.read_ns;
            wrong.must(left_ns <= wait_ns + self.late_ns, "P2 duration", || {
                format!("user {number} of group {} ended {left_ns} ns before the end", self.place)
            });
        }
    }

    /// No more samples than a throughput timer lets through.
    fn rate(&self, wrong: &mut Wrong) {
        let Some(rate) = self.seen.options.groups[self.place].rate else { return };
        match rate.of {
            RateOf::User => {
                for (number, user) in &self.users {
                    let starts = user.requests.iter().map(|sample| sample.start_ns);
                    self.at_most(rate, self.user_floor_ns(*number), starts.collect(), wrong);
                }
            }
            RateOf::Group | RateOf::Precise => {
                let all =
                    self.users.values().flat_map(|user| user.requests.iter().map(|sample| sample.start_ns));
                let mut starts: Vec<_> = all.collect();
                starts.sort_unstable();
                if rate.of == RateOf::Group {
                    // JMeter lets the first sample of each user start at once, and adds later delays
                    // to the user's last slot, so its users together make more at times
                    // (`ConstantThroughputTimer.delay`).
                    if !self.seen.options.compat {
                        self.at_most(rate, self.floor_ns, starts, wrong);
                    }
                    return;
                }
                self.windows(rate, &starts, wrong);
            }
        }
    }

    fn at_most(&self, rate: Rate, from_ns: i64, starts: Vec<i64>, wrong: &mut Wrong) {
        for (place, start_ns) in starts.into_iter().enumerate() {
            let slot_ns = from_ns + place as i64 * interval_ns(rate);
            wrong.must(start_ns >= slot_ns - ROUNDED_NS * place as i64, "P2 rate", || {
                format!(
                    "sample {place} of group {} started {} ns before its slot",
                    self.place,
                    slot_ns - start_ns
                )
            });
        }
    }

    /// A Precise Throughput Timer has an exact number of events in each of its windows, which begin
    /// with the test.
    fn windows(&self, rate: Rate, starts: &[i64], wrong: &mut Wrong) {
        let Some(outcome) = &self.seen.outcome else { return };
        let window_ns = i64::from(PRECISE_WINDOW_S) * S;
        let of_window = (f64::from(rate.per_minute) / 60.0 * f64::from(PRECISE_WINDOW_S)).ceil() as usize;
        for (place, start_ns) in starts.iter().enumerate() {
            let windows = (start_ns - outcome.started_ns).div_euclid(window_ns) as usize + 1;
            wrong.must(place < windows * of_window, "P2 rate", || {
                format!("group {} has {} samples in {windows} windows of {of_window}", self.place, place + 1)
            });
        }
    }

    /// Arrivals of an open model: all of them, in its time, evenly where they are even.
    fn open(&self, wrong: &mut Wrong) {
        let LoadOfGroup::Open { per_s, for_s, random } = self.seen.options.groups[self.place].load else {
            return;
        };
        let begins: BTreeMap<usize, (i64, i64)> = self
            .users
            .iter()
            .filter_map(|(number, user)| Some((*number, self.begin_ns(*number, user)?)))
            .collect();
        for (number, (least_ns, most_ns)) in &begins {
            let until_ns = self.floor_ns + i64::from(for_s) * S;
            let is_first =
                self.floor_ns == self.seen.outcome.as_ref().map_or(0, |outcome| outcome.started_ns);
            wrong.must(!is_first || *least_ns <= until_ns + self.late_ns, "P2 arrivals", || {
                format!("user {number} of group {} arrived after the end", self.place)
            });
            let next = begins.get(&(number + 1)).filter(|_| !random);
            if let Some((next_least_ns, next_most_ns)) = next {
                let gap_ns = S / i64::from(per_s);
                let fits = next_least_ns - most_ns <= gap_ns + ROUNDED_NS
                    && next_most_ns - least_ns >= gap_ns - ROUNDED_NS;
                wrong.must(fits, "P2 arrivals", || {
                    format!(
                        "user {number} of group {} and the next do not arrive {gap_ns} ns apart",
                        self.place
                    )
                });
            }
        }
    }

    /// Numbers of threads in samples: at least those with samples before and after, at most all.
    fn threads(&self, wrong: &mut Wrong) {
        let lives: Vec<_> = self
            .users
            .values()
            .filter_map(|user| Some((user.requests.first()?.start_ns, user.requests.last()?.end_ns)))
            .collect();
        let all = self.seen.options.users_of(self.place);
        for sample in self.users.values().flat_map(|user| &user.requests) {
            let at_ns = sample.end_ns;
            // The number is read with the response, and so after others may have ended.
            let is_alive =
                |(from_ns, until_ns): &&(i64, i64)| *from_ns < at_ns && at_ns + self.late_ns < *until_ns;
            let least = lives.iter().filter(is_alive).count();
            let told = sample.group_threads as usize;
            wrong.must(told >= least.max(1) && told <= all, "P1 threads", || {
                format!("{} has {told} threads of its group, not {least} to {all}", sample.label)
            });
            wrong.must(sample.all_threads >= sample.group_threads, "P1 threads", || {
                format!("{}: {} threads of {}", sample.label, sample.group_threads, sample.all_threads)
            });
        }
        let ran = self.users.len();
        wrong.must(
            ran <= all && (may_end_early(self.seen, self.place) || ran == all || ran == 0),
            "P1 users",
            || format!("{ran} users of group {}, not {all}", self.place),
        );
    }
}

/// Nanoseconds between the slots of a rate; those of JMeter's are whole milliseconds, and may be
/// rounded down.
fn interval_ns(rate: Rate) -> i64 {
    (60e9 / f64::from(rate.per_minute)) as i64
}

/// After a stop nothing starts, and with one that cuts samples nothing ends.
fn stops(seen: &Seen<'_>, outcome: &RunOutcome, users: &Users<'_>, wrong: &mut Wrong) {
    let Some(stop_ns) = stop_ns(seen, outcome, users) else { return };
    let late_ns = lateness_ns(seen);
    let at_once = outcome.stopped == Some(swell_engine::Stopped::Immediate);
    for ((group, number), user) in users {
        for sample in &user.requests {
            let after_ns = sample.start_ns - stop_ns;
            wrong.must(after_ns <= late_ns, "P5 stop", || {
                format!(
                    "{} of user {number} of group {group} started {after_ns} ns after the stop",
                    sample.label
                )
            });
            let after_ns = sample.end_ns - stop_ns;
            wrong.must(!at_once || after_ns <= late_ns, "P5 stop", || {
                format!(
                    "{} of user {number} of group {group} ended {after_ns} ns after the stop",
                    sample.label
                )
            });
        }
    }
    wrong.must(outcome.stopped.is_some() || outcome.ended_ns <= stop_ns + late_ns, "P5 stop", || {
        "nothing stopped the run".to_owned()
    });
}

/// The latest time at which the test was stopped, if it was.
fn stop_ns(seen: &Seen<'_>, outcome: &RunOutcome, users: &Users<'_>) -> Option<i64> {
    let by_plan = users.iter().filter_map(|((group, _), user)| {
        let options = &seen.options.groups[*group];
        let stop = options.nodes.iter().position(|node| matches!(node, PlanNode::StopTest { .. }))?;
        // Requests up to the stop, of a plan that gets there in its first iteration.
        let is_first = !options.nodes[..stop].iter().any(|node| matches!(node, PlanNode::StopThread {}));
        let steps = super::expect::ExpectedUser::default().iteration(&options.nodes);
        let before = steps.iter().filter(|step| matches!(step, super::expect::Step::Request(_))).count();
        let last = user.requests.get(before.checked_sub(1)?)?;
        (is_first && options.rate.is_none()).then_some(last.read_ns)
    });
    let by_plan = by_plan.min();
    let from_outside = outcome.stopped_ns.filter(|_| seen.options.stop.is_some() || by_plan.is_some());
    by_plan.into_iter().chain(from_outside).min()
}
