//! The meaning of each name in a load profile.

use crate::call::Call;
use crate::curve::{CurveSource, Load};
use crate::error::{ShapeError, wrong};
use crate::value::{Arguments, level, number, seconds};
use crate::{ShapePart, ShapeUnit};

/// Maximum number of repetitions and parts of a profile.
pub(crate) const MOST_PARTS: usize = 200_000;

/// The meaning of a call.
pub(crate) struct ParsedCall {
    pub(crate) parts: Vec<ShapePart>,
    /// The unit that it states.
    pub(crate) unit: Option<ShapeUnit>,
}

/// The names with an example each.
const WORDS: [(&str, &str); 18] = [
    ("ramp", "ramp(0..500, 5m)"),
    ("hold", "hold(500, 10m)"),
    ("steps", "steps(100..500, 5, 10m)"),
    ("spike", "spike(50..500, at=1m, for=10s, in=5m)"),
    ("sine", "sine(20..2000, period=10m)"),
    ("day", "day(20..2000, in=10m)"),
    ("stages", "stages(30s:20, 1m:20, 30s:0)"),
    ("csv", "csv(load.csv)"),
    ("log", "log(access.log, every=1m)"),
    ("prometheus", "prometheus(\"result.json\")"),
    ("nothingFor", "nothingFor(10s)"),
    ("atOnceUsers", "atOnceUsers(10)"),
    ("rampUsers", "rampUsers(100).during(1m)"),
    ("constantUsersPerSec", "constantUsersPerSec(20).during(1m)"),
    ("rampUsersPerSec", "rampUsersPerSec(10).to(20).during(1m)"),
    ("stressPeakUsers", "stressPeakUsers(1000).during(20s)"),
    ("incrementUsersPerSec", "incrementUsersPerSec(5).times(4).eachLevelLasting(10s).startingFrom(10)"),
    (
        "incrementConcurrentUsers",
        "incrementConcurrentUsers(5).times(4).eachLevelLasting(10s).startingFrom(10)",
    ),
];

/// Names of other tools, with an example each.
const MORE_WORDS: [(&str, &str); 3] = [
    ("heaviside", "heaviside(1000, 20s)"),
    ("constantConcurrentUsers", "constantConcurrentUsers(20).during(1m)"),
    ("rampConcurrentUsers", "rampConcurrentUsers(10).to(20).during(1m)"),
];

/// All names, by examples.
pub(crate) fn usage() -> String {
    WORDS.iter().map(|(_, example)| *example).collect::<Vec<_>>().join(", ")
}

fn example(name: &str) -> &'static str {
    WORDS.iter().chain(&MORE_WORDS).find(|(known, _)| *known == name).map_or("", |(_, example)| example)
}

/// The meaning of a call with its options.
pub(crate) fn parts(chain: &[Call<'_>], load: Load<'_>) -> Result<ParsedCall, ShapeError> {
    let (first, behind) = chain.split_first().expect("a chain has a first call");
    let mut settings = Settings(behind.iter().collect());
    let name = first.name;
    let mut arguments = Arguments::new(first, example(name));
    let (parts, unit) = match name {
        "ramp" | "line" => (vec![ramp(&mut arguments)?], None),
        "hold" | "constant" => (vec![hold(&mut arguments)?], None),
        "steps" => (steps(&mut arguments)?, None),
        "spike" => (spike(&mut arguments)?, None),
        "sine" => (vec![sine(&mut arguments)?], None),
        "day" => (vec![day(&mut arguments)?], None),
        "stages" => (stages(&mut arguments)?, None),
        "heaviside" => (
            vec![ShapePart::Rise {
                count: arguments.level("a number of arrivals")?,
                length_s: arguments.time("a time")?,
            }],
            Some(ShapeUnit::Rate),
        ),
        "csv" => (curve(CurveSource::Csv, &mut arguments, load)?, None),
        "log" => {
            (curve(CurveSource::AccessLog { every_s: None }, &mut arguments, load)?, Some(ShapeUnit::Rate))
        }
        "prometheus" => (curve(CurveSource::Prometheus, &mut arguments, load)?, None),
        _ => gatling(name, &mut arguments, &mut settings)?,
    };
    arguments.end()?;
    Ok(ParsedCall { parts: changed(name, parts, &settings)?, unit })
}

/// Options of every call.
fn changed(
    name: &str,
    mut parts: Vec<ShapePart>,
    settings: &Settings<'_, '_>,
) -> Result<Vec<ShapePart>, ShapeError> {
    for call in &settings.0 {
        let [value] = call.arguments[..] else {
            return wrong(format!("`.{}(...)` requires one value", call.name));
        };
        match call.name {
            "scaled" => {
                let by = level(value)?;
                parts = parts.into_iter().map(|part| part.scaled(by)).collect();
            }
            "within" => {
                let whole: f64 = parts.iter().map(ShapePart::length_s).sum();
                let by = if whole > 0.0 { seconds(value)? / whole } else { 1.0 };
                parts = parts.into_iter().map(|part| part.stretched(by)).collect();
            }
            "repeat" => {
                let times = number(value)? as usize;
                if times.saturating_mul(parts.len()) > MOST_PARTS {
                    return wrong(format!("the load profile has more than {MOST_PARTS} parts"));
                }
                parts = parts.repeat(times);
            }
            other => {
                return wrong(format!(
                    "`{name}` has no option `{other}`: {}, and every profile has .scaled(0.5), \
                    .within(10m), .repeat(3)",
                    example(name)
                ));
            }
        }
    }
    Ok(parts)
}

fn line(from: f64, to: f64, length_s: f64) -> ShapePart {
    ShapePart::Line { from, to, length_s }
}

fn ramp(arguments: &mut Arguments<'_, '_>) -> Result<ShapePart, ShapeError> {
    let (from, to) = arguments.range()?;
    Ok(line(from, to, arguments.time("a time")?))
}

fn hold(arguments: &mut Arguments<'_, '_>) -> Result<ShapePart, ShapeError> {
    let level = arguments.level("a level")?;
    Ok(line(level, level, arguments.time("a time")?))
}

fn steps(arguments: &mut Arguments<'_, '_>) -> Result<Vec<ShapePart>, ShapeError> {
    let (from, to) = arguments.range()?;
    let count = arguments.level("a number of steps")?.round();
    let length_s = arguments.time("a time")?;
    if !(1.0..=10_000.0).contains(&count) {
        return wrong("invalid number of steps: expected 1 to 10000");
    }
    let rise = if count > 1.0 { (to - from) / (count - 1.0) } else { 0.0 };
    let level = |step: u32| from + rise * f64::from(step);
    Ok((0..count as u32).map(|step| line(level(step), level(step), length_s / count)).collect())
}

fn spike(arguments: &mut Arguments<'_, '_>) -> Result<Vec<ShapePart>, ShapeError> {
    let (base, peak) = arguments.range()?;
    let at_s = arguments.named_time("at")?;
    let for_s = arguments.named_time("for")?;
    let in_s = arguments.named_time("in")?;
    if at_s + for_s > in_s {
        return wrong("the spike ends after the profile does: `in` is the duration of the whole profile");
    }
    Ok(vec![line(base, base, at_s), line(peak, peak, for_s), line(base, base, in_s - at_s - for_s)])
}

fn sine(arguments: &mut Arguments<'_, '_>) -> Result<ShapePart, ShapeError> {
    let (mean, amplitude) =
        match (arguments.named("mean"), arguments.named("amplitude").or(arguments.named("amp"))) {
            (Some(mean), Some(amplitude)) => (level(mean)?, level(amplitude)?),
            (None, None) => {
                let (low, high) = arguments.range()?;
                (f64::midpoint(low, high), (high - low) / 2.0)
            }
            _ => {
                return wrong(
                    "a sine requires a range, as in sine(20..2000, period=10m), or mean=... and \
                    amplitude=...",
                );
            }
        };
    if amplitude.abs() > mean {
        return wrong("the sine goes below 0: its amplitude is larger than its mean");
    }
    let period_s = arguments.named_time("period")?;
    let phase = match (arguments.named("start"), arguments.named("phase")) {
        (Some(start), None) => start_of(start)?,
        (None, Some(phase)) => phase.parse::<f64>().ok().filter(|phase| phase.abs() <= 1e6).map_or_else(
            || {
                wrong(format!(
                    "invalid phase `{phase}`: expected a number from 0 to 1, \
                such as 0.25"
                ))
            },
            Ok,
        )?,
        (None, None) => 0.0,
        _ => return wrong("a sine has either start=... or phase=..., not both"),
    };
    let length_s = arguments.named("for").map(seconds).transpose()?.unwrap_or(period_s);
    if period_s <= 0.0 {
        return wrong("the period of a sine must be longer than 0, as in period=10m");
    }
    Ok(ShapePart::Sine { mean, amplitude, period_s, phase, length_s })
}

/// Vegeta's names for the start of a wave.
fn start_of(text: &str) -> Result<f64, ShapeError> {
    match text.to_ascii_lowercase().as_str() {
        "meanup" => Ok(0.0),
        "peak" => Ok(0.25),
        "meandown" => Ok(0.5),
        "trough" => Ok(0.75),
        _ => wrong(format!("invalid start `{text}`: use meanup, peak, meandown or trough")),
    }
}

/// A day from midnight, with the lowest level at `low` and the highest twelve hours later.
fn day(arguments: &mut Arguments<'_, '_>) -> Result<ShapePart, ShapeError> {
    const DAY_S: f64 = 86_400.0;
    let (low, high) = arguments.range()?;
    let low_s = arguments.named("low").map(seconds).transpose()?.unwrap_or(4.0 * 3600.0);
    let length_s = arguments.named("in").map(seconds).transpose()?.unwrap_or(DAY_S);
    if length_s <= 0.0 {
        return wrong("the duration of a day must be longer than 0, as in in=10m");
    }
    let phase = 0.75 - low_s / DAY_S;
    let mean = f64::midpoint(low, high);
    let amplitude = (high - low).abs() / 2.0;
    Ok(ShapePart::Sine { mean, amplitude, period_s: length_s, phase, length_s })
}

/// k6's stages: a line to each target.
fn stages(arguments: &mut Arguments<'_, '_>) -> Result<Vec<ShapePart>, ShapeError> {
    let mut from = arguments.named("start").map(level).transpose()?.unwrap_or(0.0);
    let mut parts = Vec::new();
    while let Some(stage) = arguments.next() {
        let Some((time, target)) = stage.split_once(':') else {
            return wrong(format!("invalid stage `{stage}`: expected a value such as 30s:20"));
        };
        let to = level(target)?;
        parts.push(line(from, to, seconds(time)?));
        from = to;
    }
    Ok(parts)
}

fn curve(
    source: CurveSource,
    arguments: &mut Arguments<'_, '_>,
    load: Load<'_>,
) -> Result<Vec<ShapePart>, ShapeError> {
    let every_s = arguments.named("every").map(seconds).transpose()?;
    let source = match source {
        CurveSource::AccessLog { .. } => CurveSource::AccessLog { every_s },
        other if every_s.is_none() => other,
        _ => return wrong("`every` applies only to access logs, as in log(access.log, every=1m)"),
    };
    let Some(name) = arguments.next() else { return arguments.wants("a file") };
    let with_steps = matches!(arguments.peek(), Some("steps")) && arguments.next().is_some();
    let curve = load(source, name.trim_matches('"')).map_err(|why| ShapeError { why })?;
    Ok(curve.parts(with_steps))
}

/// The options after the points.
struct Settings<'c, 't>(Vec<&'c Call<'t>>);

impl<'t> Settings<'_, 't> {
    /// The value of the option of that name.
    fn take(&mut self, name: &str) -> Result<Option<&'t str>, ShapeError> {
        let Some(at) = self.0.iter().position(|call| call.name == name) else { return Ok(None) };
        match self.0.remove(at).arguments[..] {
            [one] => Ok(Some(one)),
            _ => wrong(format!("`.{name}(...)` requires one value")),
        }
    }
}

/// Gatling's injection profiles.
fn gatling<'t>(
    name: &str,
    arguments: &mut Arguments<'_, 't>,
    settings: &mut Settings<'_, 't>,
) -> Result<(Vec<ShapePart>, Option<ShapeUnit>), ShapeError> {
    let needed = |found: Option<&'t str>, what: &str| {
        found.map_or_else(|| wrong(format!("`{name}` requires .{what}: {}", example(name))), Ok)
    };
    let is_concurrent = name.contains("Concurrent");
    let unit = Some(if is_concurrent { ShapeUnit::Users } else { ShapeUnit::Rate });
    let parts = match name {
        "nothingFor" => return Ok((vec![line(0.0, 0.0, arguments.time("a time")?)], None)),
        "atOnceUsers" => vec![ShapePart::Burst { count: arguments.level("a number of users")? }],
        "rampUsers" => {
            let count = arguments.level("a number of users")?;
            let length_s = seconds(needed(settings.take("during")?, "during(TIME)")?)?;
            let per_second = if length_s > 0.0 { count / length_s } else { 0.0 };
            vec![line(per_second, per_second, length_s)]
        }
        "constantUsersPerSec" | "constantConcurrentUsers" => {
            let level = arguments.level("a number of users")?;
            vec![line(level, level, seconds(needed(settings.take("during")?, "during(TIME)")?)?)]
        }
        "rampUsersPerSec" | "rampConcurrentUsers" => {
            let from = arguments.level("a number of users")?;
            let to = level(needed(settings.take("to")?, "to(LEVEL)")?)?;
            vec![line(from, to, seconds(needed(settings.take("during")?, "during(TIME)")?)?)]
        }
        "stressPeakUsers" | "heavisideUsers" => {
            let count = arguments.level("a number of users")?;
            vec![ShapePart::Rise {
                count,
                length_s: seconds(needed(settings.take("during")?, "during(TIME)")?)?,
            }]
        }
        "incrementUsersPerSec" | "incrementConcurrentUsers" => {
            let rise = arguments.level("a number of users")?;
            let times = number(needed(settings.take("times")?, "times(N)")?)?.round();
            let lasting_s = seconds(needed(settings.take("eachLevelLasting")?, "eachLevelLasting(TIME)")?)?;
            let ramp_s = settings.take("separatedByRampsLasting")?.map(seconds).transpose()?.unwrap_or(0.0);
            let start = settings.take("startingFrom")?.map(level).transpose()?.unwrap_or(0.0);
            if times > 10_000.0 {
                return wrong("invalid level: expected 1 to 10000");
            }
            increments(start, rise, times as u32, lasting_s, ramp_s)
        }
        _ => {
            let all = || WORDS.iter().chain(&MORE_WORDS).map(|(name, _)| *name);
            let near = all().find(|known| is_near(known, name));
            return match near {
                Some(near) => {
                    wrong(format!("unknown load profile `{name}`; did you mean `{near}`? {}", example(near)))
                }
                None => wrong(format!("unknown load profile `{name}`; profiles: {}", usage())),
            };
        }
    };
    Ok((parts, unit))
}

fn increments(start: f64, rise: f64, times: u32, lasting_s: f64, ramp_s: f64) -> Vec<ShapePart> {
    let mut parts = Vec::new();
    for step in 0..times {
        let level = start + rise * f64::from(step);
        if step > 0 && ramp_s > 0.0 {
            parts.push(line(level - rise, level, ramp_s));
        }
        parts.push(line(level, level, lasting_s));
    }
    parts
}

/// The same letters in another order, or one letter more or less.
fn is_near(known: &str, name: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.to_ascii_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let a = sorted(known);
    let b = sorted(name);
    a == b
        || known.to_ascii_lowercase().starts_with(&name.to_ascii_lowercase())
        || name.to_ascii_lowercase().starts_with(known)
}
