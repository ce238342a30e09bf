//! Loads of thread groups and timers, as studies read and set them.

use swell_api::{ElementLoad, LoadUnit, StatedLoad};
use swell_plan::Element;

use crate::timer::is_of_each_user;

const USERS: &str = "ThreadGroup.num_threads";
const TARGET: &str = "TargetLevel";
const SCHEDULE: &str = "OpenModelThreadGroup.schedule";
const THROUGHPUT: &str = "throughput";
const PERIOD: &str = "throughputPeriod";

/// Thread Group: its users, who start within a second.
pub(super) const THREAD_GROUP: ElementLoad = ElementLoad {
    property: USERS,
    unit: LoadUnit::Users,
    stated: |element| StatedLoad::of_text(element.text_or_empty(USERS)),
    set: set_users,
};

/// Concurrency Thread Group: the users that it keeps.
pub(super) const CONCURRENCY: ElementLoad = ElementLoad {
    property: TARGET,
    unit: LoadUnit::Users,
    stated: |element| StatedLoad::of_text(element.text_or_empty(TARGET)),
    set: set_target,
};

/// Arrivals Thread Group: its arrivals a second.
pub(super) const ARRIVALS: ElementLoad = ElementLoad { unit: LoadUnit::PerSecond, ..CONCURRENCY };

/// Open Model Thread Group: a schedule of one level.
pub(super) const OPEN_MODEL: ElementLoad = ElementLoad {
    property: SCHEDULE,
    unit: LoadUnit::PerSecond,
    stated: |_| StatedLoad::Unknown,
    set: set_schedule,
};

/// Constant Throughput Timer: samples a minute of all users together.
pub(super) const CONSTANT_THROUGHPUT: ElementLoad = ElementLoad {
    property: THROUGHPUT,
    unit: LoadUnit::PerSecond,
    stated: |timer| {
        if is_of_each_user(timer) {
            return StatedLoad::EachUser;
        }
        match StatedLoad::of_text(timer.text_or_empty(THROUGHPUT)) {
            StatedLoad::Number(per_minute) => StatedLoad::Number(per_minute / 60.0),
            other => other,
        }
    },
    set: |timer, per_s, _| timer.set_text(THROUGHPUT, &format!("{}", per_s * 60.0)),
};

/// Precise Throughput Timer: samples in a period.
pub(super) const PRECISE_THROUGHPUT: ElementLoad = ElementLoad {
    property: THROUGHPUT,
    unit: LoadUnit::PerSecond,
    stated: stated_in_period,
    set: |timer, per_s, _| {
        timer.set_text(THROUGHPUT, &format!("{per_s}"));
        timer.set_text(PERIOD, "1");
    },
};

fn set_users(group: &mut Element, users: f64, _random: Option<u64>) {
    group.set_text(USERS, &format!("{users}"));
    group.set_text("ThreadGroup.ramp_time", if users > 50.0 { "1" } else { "0" });
    group.set_text("ThreadGroup.scheduler", "false");
    let endless = Element::new("LoopController", "LoopControlPanel", "Loop Controller")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", "-1");
    *group = group.clone().with_element("ThreadGroup.main_controller", endless);
}

fn set_target(group: &mut Element, level: f64, _random: Option<u64>) {
    group.set_text(TARGET, &format!("{level}"));
    for (property, value) in [("RampUp", "0"), ("Steps", "0"), ("Hold", "86400"), ("Unit", "S")] {
        group.set_text(property, value);
    }
}

fn set_schedule(group: &mut Element, per_s: f64, random: Option<u64>) {
    let arrivals = if random.is_some() { "random_arrivals" } else { "even_arrivals" };
    group.set_text(SCHEDULE, &format!("rate({per_s}/s) {arrivals}(24 h) rate({per_s}/s)"));
    group.set_text("OpenModelThreadGroup.random_seed", &random.unwrap_or(1).to_string());
}

fn stated_in_period(timer: &Element) -> StatedLoad {
    let [number, period] =
        [THROUGHPUT, PERIOD].map(|property| StatedLoad::of_text(timer.text_or_empty(property)));
    match (number, period) {
        (StatedLoad::Number(number), StatedLoad::Number(period_s)) => StatedLoad::Number(number / period_s),
        _ => StatedLoad::Unknown,
    }
}
