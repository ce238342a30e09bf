//! The thread groups of `com.blazemeter.jmeter.threads` (`AbstractDynamicThreadGroupModel`).

use swell_plan::Element;

use super::origin::Origin;
use super::reader::{Reader, Reading};
use crate::number;
use crate::prepare::main_context::MainContext;
use crate::schedule::{Arrivals, ArrivalsPlan, Chunk, Concurrency, ConcurrencyPlan, Ramp, Rate};

const TARGET: &str = "TargetLevel";
const SCHEDULE: &str = "Schedule";

pub(super) fn concurrency(reader: &Reader<'_>, origin: Origin) -> Result<Concurrency, String> {
    let shift_s = reader.main.compile.props.number("dynamic_tg.shift_rampup_start", 0);
    let plan = ConcurrencyPlan {
        target: reader.users(TARGET, "1").max(0) as u32,
        ramp_s: seconds(reader, "RampUp", "")?,
        steps: whole(reader, "Steps")?,
        hold_s: seconds(reader, "Hold", "1")?,
        shift_s,
    };
    whole(reader, "Iterations")?;
    Ok(Concurrency::new(plan, origin.start_ns))
}

pub(super) fn arrivals(reader: &Reader<'_>, origin: Origin) -> Result<Arrivals, String> {
    let ramp = Ramp {
        per_second: reader.users(TARGET, "1") as f64 / unit_s(reader),
        ramp_s: seconds(reader, "RampUp", "")? as f64,
        steps: whole(reader, "Steps")? as f64,
        hold_s: seconds(reader, "Hold", "1")? as f64,
        as_plug_in: origin.compat,
    };
    made(reader, Rate::Ramp(ramp), origin)
}

pub(super) fn free_form(reader: &Reader<'_>, origin: Origin) -> Result<Arrivals, String> {
    let unit_s = unit_s(reader);
    let chunk = |(number, cells): (usize, Vec<String>)| {
        let cell = |column| reader.cell(SCHEDULE, number, &cells, column);
        Chunk {
            from_per_second: cell(0) / unit_s,
            to_per_second: cell(1) / unit_s,
            length_s: cell(2) * unit_s,
        }
    };
    let chunks = reader.rows(SCHEDULE).into_iter().enumerate().map(chunk);
    made(reader, Rate::FreeForm(chunks.collect()), origin)
}

fn made(reader: &Reader<'_>, rate: Rate, origin: Origin) -> Result<Arrivals, String> {
    whole(reader, "Iterations")?;
    let positive = |property: &str| {
        let text = reader.text(property, "");
        if !text.is_empty() && text.parse::<i64>().is_err() {
            let message = format!("`{text}` is not a whole number; 0 (no limit) is used");
            reader.warn(property, message, "use digits only");
        }
        u64::try_from(number::long(&text)).ok().filter(|limit| *limit > 0)
    };
    let at_most = positive("ConcurrencyLimit").map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
    let plan = ArrivalsPlan { limit: positive("ArrivalsLimit"), at_most };
    if reader.reading == Reading::Constants {
        // Nothing more can be wrong, and a long schedule need not be gone through.
        return Ok(Arrivals::new(Rate::FreeForm(Vec::new()), plan, origin.start_ns));
    }
    Ok(Arrivals::new(rate, plan, origin.start_ns))
}

/// Seconds of the group's unit of time.
fn unit_s(reader: &Reader<'_>) -> f64 {
    if reader.text("Unit", "") == "M" { 60.0 } else { 1.0 }
}

/// A length of time in whole seconds.
fn seconds(reader: &Reader<'_>, property: &str, default: &str) -> Result<i64, String> {
    let text = reader.text(property, default);
    let text = text.trim();
    if text.is_empty() {
        return Ok(0);
    }
    let number: f64 = text.parse().map_err(|_| format!("`{property}` is `{text}`: expected a number"))?;
    Ok(number::round(number * unit_s(reader)))
}

/// A whole number; nothing is 0.
fn whole(reader: &Reader<'_>, property: &str) -> Result<i64, String> {
    let text = reader.text(property, "");
    let text = text.trim();
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| format!("`{property}` is `{text}`: expected a whole number"))
}

/// Whether the number of users of a Concurrency Thread Group can change while it runs.
pub(crate) fn target_varies(group: &Element) -> bool {
    group.text(TARGET).is_some_and(|text| text.contains("${"))
}

/// The number of users now.
pub(crate) fn target(group: &Element, main: &MainContext) -> u32 {
    number::int(&main.property(group, TARGET, "1")).max(0) as u32
}
