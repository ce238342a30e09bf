//! Load shapes: options of `run` and `hit`, and `swell shape`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use swell_budget::input::{LOG_LINE, SHAPE};
use swell_run::{RunShape, Shape, ShapeCurve, ShapeOf, ShapeSource, ShapeUnit, Spacing};

use crate::exit::Failure;

/// `--shape`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ShapeArgs {
    /// Load profile that replaces the plan's own, such as 'ramp(0..500, 5m)'
    ///
    /// Other examples: 'ramp(0..500, 5m) hold(500, 10m)', 'sine(20..2000, period=10m)',
    /// 'stages(30s:20, 1m:20)', 'csv(load.csv)'. `swell shape --help` lists all functions.
    #[arg(long, value_name = "SHAPE", help_heading = "Load")]
    pub(crate) shape: Option<String>,
    /// Arrival spacing of the load profile
    #[arg(long, value_enum, default_value_t, value_name = "HOW", help_heading = "Load", requires = "shape")]
    pub(crate) arrivals: Arrivals,
    /// Random seed, to repeat the same arrivals
    #[arg(long, value_name = "NUMBER", help_heading = "Load", requires = "shape")]
    pub(crate) seed: Option<u64>,
}

/// Arrival spacing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Arrivals {
    /// Even spacing
    #[default]
    Even,
    /// Random spacing (Poisson), like independent users
    Poisson,
}

/// `swell shape`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell shape show 'ramp(0..500, 5m) hold(500, 10m)'
  swell shape show 'steps(100..500, 5, 10m)'            five levels, two minutes each
  swell shape show 'spike(50..500, at=1m, for=10s, in=5m)'
  swell shape show 'sine(20..2000, period=10m, start=trough, for=1h)'
  swell shape show 'day(20..2000, in=10m)'              a day from midnight, within ten minutes
  swell shape show 'stages(30s:20, 1m30s:10, 20s:0)'    as in k6
  swell shape show 'rampUsersPerSec(10).to(20).during(10.minutes)'    as in Gatling
  swell shape show 'incrementUsersPerSec(5).times(4).eachLevelLasting(1m).startingFrom(10)'
  swell shape show 'stressPeakUsers(1000).during(20s)'

A load profile is one function or several in sequence. Levels are users or arrivals per second
(300/m, 20/h), depending on the plan; the prefix 'users:' or 'rate:' decides. Times are 30s, 5m,
1h30m. After a function, .scaled(0.5) multiplies its levels, .within(10m) changes its length, and
.repeat(3) repeats it. Other functions: nothingFor, atOnceUsers, rampUsers, constantUsersPerSec,
constantConcurrentUsers, rampConcurrentUsers, incrementConcurrentUsers, heaviside; measured curves:
csv(FILE) of times and levels, csv(FILE, steps), log(ACCESS.LOG, every=1m),
prometheus(\"RESULT.JSON\")
or prometheus(\"http://HOST:9090/api/v1/query_range?query=...&start=...&end=...&step=15\").")]
pub(crate) struct ShapeCommandArgs {
    #[command(subcommand)]
    pub(crate) command: ShapeCommand,
}

/// Commands on load profiles.
#[derive(Debug, Subcommand)]
pub(crate) enum ShapeCommand {
    /// Draw a load profile and print its figures
    Show {
        /// Load profile
        shape: String,
        /// Print one JSON object with 100 points of the profile
        #[arg(long)]
        json: bool,
    },
}

impl ShapeArgs {
    /// Load profile
    pub(crate) fn read(&self) -> Result<Option<RunShape>, Failure> {
        let Some(text) = &self.shape else { return Ok(None) };
        let shape = Arc::new(read(text)?);
        let seed = self.seed.unwrap_or_else(|| swell_net::now_ns().unsigned_abs());
        let spacing = match self.arrivals {
            Arrivals::Even => Spacing::Even,
            Arrivals::Poisson => Spacing::Poisson { seed },
        };
        Ok(Some(RunShape { shape, spacing }))
    }
}

/// Reads a shape with the files that it names.
///
/// # Errors
/// It is not understood, or a file that it names cannot be read.
pub(crate) fn read(text: &str) -> Result<Shape, Failure> {
    Shape::parse(text, &mut load).map_err(|error| {
        Failure::settings(format!("the load shape is not understood: {error}"))
            .hint("`swell shape show SHAPE` draws it; `swell shape --help` has all words")
    })
}

fn load(source: ShapeSource, name: &str) -> Result<ShapeCurve, String> {
    let told = |why: String| format!("`{name}`: {why}");
    let open = || std::fs::File::open(Path::new(name)).map_err(|error| error.to_string());
    let text = || {
        let bytes = SHAPE.read_whole(open()?).map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let curve = match source {
        ShapeSource::Csv => text().and_then(|text| ShapeCurve::of_csv(&text)),
        ShapeSource::AccessLog { every_s } => {
            open().and_then(|file| of_access_log(&mut BufReader::new(file), every_s))
        }
        ShapeSource::Prometheus if name.starts_with("http://") || name.starts_with("https://") => {
            swell_run::fetch(name).and_then(|text| ShapeCurve::of_prometheus(&text))
        }
        ShapeSource::Prometheus => text().and_then(|text| ShapeCurve::of_prometheus(&text)),
    };
    curve.map_err(told)
}

/// Counts the requests of a log of any size, line by line.
fn of_access_log(log: &mut impl BufRead, every_s: Option<f64>) -> Result<ShapeCurve, String> {
    let mut line = Vec::new();
    let mut failure = None;
    let lines = std::iter::from_fn(|| match LOG_LINE.read_line(log, &mut line) {
        Ok(is_line) => is_line.then(|| String::from_utf8_lossy(&line).into_owned()),
        Err(error) => {
            failure = Some(error.to_string());
            None
        }
    });
    let curve = ShapeCurve::of_access_log(lines, every_s);
    failure.map_or(curve, Err)
}

/// What a shape takes the place of, in words.
pub(crate) fn in_words(of: ShapeOf) -> (&'static str, ShapeUnit) {
    match of {
        ShapeOf::Users => ("users", ShapeUnit::Users),
        ShapeOf::Arrivals => ("arrivals a second", ShapeUnit::Rate),
        ShapeOf::Timers => ("samples a second of the throughput timers together", ShapeUnit::Rate),
    }
}
