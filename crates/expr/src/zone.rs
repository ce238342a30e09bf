//! The machine's time zone.

use std::cell::OnceCell;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::context::Context;
use crate::level::Level;

/// The zone, looked up once per run.
#[derive(Default)]
pub(crate) struct Cached(OnceCell<TimeZone>);

impl Cached {
    pub(crate) fn get(&self, cx: &Context) -> TimeZone {
        self.0.get_or_init(|| of_machine(cx)).clone()
    }
}

fn of_machine(cx: &Context) -> TimeZone {
    let name = cx.host.time_zone();
    TimeZone::get(&name).unwrap_or_else(|reason| {
        cx.host.log(Level::Warn, &format!("unknown time zone `{name}`, UTC is used: {reason}"));
        TimeZone::UTC
    })
}

/// The moment in a zone.
pub(crate) fn at(now_ns: i64, zone: TimeZone) -> Zoned {
    Timestamp::from_nanosecond(i128::from(now_ns))
        .expect("64 bits of nanoseconds are within jiff's range")
        .to_zoned(zone)
}
