//! `kg.apc.jmeter.threads.SteppingThreadGroup`.

use super::reader::Reader;
use crate::schedule::SteppingFields;

pub(super) fn read(reader: &Reader<'_>) -> SteppingFields {
    let whole = |property: &str| reader.whole(property, "");
    SteppingFields {
        users: reader.users("ThreadGroup.num_threads", ""),
        delay_s: whole("Threads initial delay"),
        burst: whole("Start users count burst"),
        step: whole("Start users count"),
        period_s: whole("Start users period"),
        ramp_s: whole("rampUp"),
        hold_s: whole("flighttime"),
        stop: whole("Stop users count"),
        stop_period_s: whole("Stop users period"),
    }
}
