//! Options of `swell search`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use swell_study::search::Slo;
use swell_study::server::Ready;

use super::fleet::StudyFleetArgs;
use super::jvm::JvmArgs;
use super::monitor::MonitorArgs;
use super::properties::SettingArgs;
use super::safety::SafetyArgs;
use super::units::{duration, rate};

/// `swell search`.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell search http://localhost:8080/ --rate 50..5000 --slo 'p(99)<100ms' --slo 'errors<1%'
  swell search http://localhost:8080/ --users 1..500 --slo 'mean<30ms' -o out
  swell search plan.jmx --vary threads=10..1000 --slo 'label(\"Login\"): p(95)<1s'
  swell search http://localhost:8080/ --rate 50..5000 --expect '>=1000' --json

Steps of load, each judged by the rules of --slo; the answer is an interval, whose limit it is, and
what speaks for that. --rate is open load: requests come by chance (Poisson), whether earlier ones
are answered or not, and times count from when each was due. --users waits for answers. --vary sets
a property of a plan, ${__P(threads)} in it. Failed requests count as late ones. With -o the folder
has search.json and the page index.html, written anew after each trial.

Only machines of your own (loopback, private networks) are loaded, unless --i-may-load names others.

Exit status: 0 an answer was found, 98 not one request of the least load succeeded, or the server
went away, 99 even the least load fails, or --expect is not met, 104 bad arguments, 105 interrupted
(the answer so far is printed), 111 the tool or its machine was the limit, 112 the folder cannot be
written.")]
pub(crate) struct SearchArgs {
    /// A plan, or a URL
    #[arg(value_name = "PLAN|URL")]
    pub(crate) subject: String,
    /// Requests a second, from the first that is tried to the most: 50..5000
    #[arg(long, value_name = "A..B", conflicts_with_all = ["users_range", "vary"], required_unless_present_any = ["users_range", "vary"])]
    pub(crate) rate: Option<RateRange>,
    /// Users: 1..500; those of several thread groups keep their shares
    #[arg(long = "users", id = "users_range", value_name = "A..B", conflicts_with = "vary")]
    pub(crate) users: Option<NumberRange>,
    /// A property of the plan: threads=10..1000
    #[arg(long, value_name = "NAME=A..B")]
    pub(crate) vary: Option<VaryRange>,
    /// What the server has to keep, as in thresholds; may be repeated [default: p(99)<1s and errors<1%]
    #[arg(long = "slo", value_name = "RULE", value_parser = Slo::parse)]
    pub(crate) rules: Vec<Slo>,
    /// Failed requests do not count as late ones in rules of percentiles
    #[arg(long)]
    pub(crate) errors_apart: bool,
    /// How close the limit is wanted
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub(crate) width: Percent,
    /// Time of a trial that settles something; those that only show the way take half of it
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub(crate) trial: Duration,
    /// What to leave out at the beginning of each trial; of the first one of a server two and a half times as long
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2s")]
    pub(crate) warm_up: Duration,
    /// How long a server may take after an overload to answer a light load as it did at first
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub(crate) recovery: Duration,
    /// No trial begins after this time
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "15m")]
    pub(crate) budget: Duration,
    /// Fail unless the server bears this load: '>=1000'
    #[arg(long, value_name = "LOAD")]
    pub(crate) expect: Option<AtLeast>,
    /// Where arrivals are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Requests come evenly and not by chance, which flatters a server
    #[arg(long, requires = "rate")]
    pub(crate) even: bool,
    /// Search so often, with a server started anew each time: servers differ from start to start
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) repeats: u16,
    /// Command that starts the server, for the shell; {port} is a free port
    #[arg(long, value_name = "CMD", requires = "ready", help_heading = "Server")]
    pub(crate) server: Option<String>,
    /// When it is ready: `line:PATTERN` of its output (a group is its port), http://HOST:PORT/PATH or tcp:HOST:PORT
    #[arg(long, value_name = "SIGN", requires = "server", help_heading = "Server")]
    pub(crate) ready: Option<Ready>,
    /// How long that may take
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s", help_heading = "Server")]
    pub(crate) ready_within: Duration,
    /// When it is started anew, besides when it is gone: before each trial, after a void one, never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = RestartArg::Void, requires = "server", help_heading = "Server")]
    pub(crate) restart: RestartArg,
    #[command(flatten)]
    pub(crate) safety: SafetyArgs,
    #[command(flatten)]
    pub(crate) monitor: MonitorArgs,
    /// Folder for search.json and index.html
    #[arg(short = 'o', long = "output", value_name = "DIR", help_heading = "Results")]
    pub(crate) output: Option<PathBuf>,
    /// Write over a search that is in the folder already
    #[arg(short = 'f', long, help_heading = "Results")]
    pub(crate) force: bool,
    /// search.json on standard output, instead of a table
    #[arg(long, help_heading = "Results")]
    pub(crate) json: bool,
    /// HTTP method for a URL [default: GET, or POST with a body]
    #[arg(long, value_name = "METHOD", help_heading = "Request")]
    pub(crate) method: Option<String>,
    /// Request header for a URL, `Name: value`; may be repeated
    #[arg(long = "header", value_name = "HEADER", help_heading = "Request")]
    pub(crate) headers: Vec<String>,
    /// Request body for a URL; @FILE reads it from a file
    #[arg(long, value_name = "TEXT", help_heading = "Request")]
    pub(crate) body: Option<String>,
    /// Give up on a response after this time
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Request")]
    pub(crate) timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) fleet: StudyFleetArgs,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    #[command(flatten)]
    pub(crate) properties: SettingArgs,
}

/// When the server is started anew.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum RestartArg {
    /// Before each trial
    Each,
    /// After a trial that says nothing
    Void,
    /// Only where it is gone
    Never,
}

fn range<T>(
    text: &str,
    read: impl Fn(&str) -> Result<f64, String>,
    make: impl Fn(f64, f64) -> T,
) -> Result<T, String> {
    let (low, high) = text.split_once("..").ok_or_else(|| format!("`{text}` is no range; write 50..5000"))?;
    let (low, high) = (read(low)?, read(high)?);
    if low > high {
        return Err(format!(
            "the range `{text}` is the wrong way round; the lesser end comes first: {high}..{low}"
        ));
    }
    if high - low < 1e-9 {
        return Err(format!("the range `{text}` has only one load; write 50..5000"));
    }
    Ok(make(low, high))
}

fn number(text: &str) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| format!("`{text}` is no number above 0"))
}

/// Requests a second from and to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateRange(pub(crate) f64, pub(crate) f64);

impl FromStr for RateRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        range(text, rate, Self)
    }
}

/// Whole numbers from and to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberRange(pub(crate) f64, pub(crate) f64);

impl FromStr for NumberRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let whole = |text: &str| {
            let value = number(text)?;
            if value.fract() == 0.0 { Ok(value) } else { Err(format!("`{text}` is no whole number")) }
        };
        range(text, whole, Self)
    }
}

/// A property with its values from and to; `whole` where both are whole numbers.
#[derive(Clone, Debug)]
pub(crate) struct VaryRange {
    pub(crate) name: String,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) whole: bool,
}

impl FromStr for VaryRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let right = || format!("`{text}` is no property with a range; write threads=10..1000");
        let (name, values) = text.split_once('=').ok_or_else(right)?;
        if name.trim().is_empty() {
            return Err(right());
        }
        range(values, number, |low, high| Self {
            name: name.trim().to_owned(),
            low,
            high,
            whole: low.fract() == 0.0 && high.fract() == 0.0,
        })
    }
}

/// A share in percent: `5%` or `5`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Percent(pub(crate) f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let value = text.trim().trim_end_matches('%').trim().parse::<f64>().ok();
        let value = value.filter(|value| (1.0..=50.0).contains(value));
        value.map(|value| Self(value / 100.0)).ok_or_else(|| format!("`{text}` is no width; write 1% to 50%"))
    }
}

/// A load that is expected: `>=1000`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtLeast(pub(crate) f64);

impl FromStr for AtLeast {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim().strip_prefix(">=").or_else(|| text.trim().strip_prefix('>'));
        let number = number.and_then(|number| rate(number).ok());
        number.map(Self).ok_or_else(|| format!("`{text}` is no expectation; write '>=1000'"))
    }
}
