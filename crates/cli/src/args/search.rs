//! Options of `swell search`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use swell_study::search::Slo;

use super::ObserveArgs;
use super::SetArgs;
use super::fleet::StudyFleetArgs;
use super::jvm::JvmArgs;
use super::properties::{SettingArgs, proxy_host_without_short};
use super::safety::SafetyArgs;
use super::server::ServerArgs;
use super::units::{duration, rate};

/// `swell search`.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Debug, Args)]
#[command(mut_arg("proxy_host", proxy_host_without_short))]
#[command(after_help = "\
Examples:
  swell search http://localhost:8080/ --rate 50..5000 --slo 'p(99)<100ms' --slo 'errors<1%'
  swell search http://localhost:8080/ --users 1..500 --slo 'mean<30ms' -o out
  swell search plan.jmx --vary threads=10..1000 --slo 'label(\"Login\"): p(95)<1s'
  swell search http://localhost:8080/ --rate 50..5000 --expect '>=1000' --json

The search tries loads and judges each by the --slo rules. The answer is an interval, the cause of
the limit, and the evidence for it. --rate is open load: requests arrive at random (Poisson), do not
wait for earlier responses, and are timed from when they were due. --users is closed load: each
user waits for its response. --vary sets a plan property, read by ${__P(threads)}. Failed requests
count as late ones. With -o, search.json and index.html are rewritten after each trial.

Only loopback and private networks are tested unless --i-may-load names other hosts.

Each trial is a run: --run-dir has a folder trial-N for each, --live has one page for all, and
exported metrics have the labels `trial` and `load`. Thresholds judge the trial at the highest load
that holds.

Exit status: 0 an answer was found, 98 no request of the lowest load succeeded or the server exited,
99 even the lowest load fails or --expect is not met, 104 bad arguments, 105 interrupted (the answer
up to then is printed), 111 the tool or its machine was the limit, 112 the output folder cannot be
written.")]
pub(crate) struct SearchArgs {
    /// Plan or URL to test
    #[arg(value_name = "PLAN|URL")]
    pub(crate) subject: String,
    #[command(flatten)]
    pub(crate) set: SetArgs,
    /// Range of request rates per second, lowest first: 50..5000
    #[arg(long, value_name = "A..B", conflicts_with_all = ["users_range", "vary"], required_unless_present_any = ["users_range", "vary"])]
    pub(crate) rate: Option<RateRange>,
    /// Range of user counts: 1..500
    ///
    /// Several thread groups keep their proportions.
    #[arg(long = "users", id = "users_range", value_name = "A..B", conflicts_with = "vary")]
    pub(crate) users: Option<NumberRange>,
    /// Range of a plan property: threads=10..1000
    #[arg(long, value_name = "NAME=A..B")]
    pub(crate) vary: Option<VaryRange>,
    /// Service-level objective the server must meet; repeatable [default: p(99)<1s and errors<1%]
    ///
    /// The syntax is that of thresholds.
    #[arg(long = "slo", id = "slo", value_name = "RULE", value_parser = Slo::parse)]
    pub(crate) rules: Vec<Slo>,
    /// Exclude failed requests from percentile rules instead of counting them as late
    #[arg(long)]
    pub(crate) errors_apart: bool,
    /// Width of the answer's interval, as a share of the breaking point
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub(crate) width: Percent,
    /// Length of a deciding trial; exploratory trials take half of it
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub(crate) trial: Duration,
    /// Warm-up to discard at the start of each trial
    ///
    /// In the first trial of a server it is two and a half times as long.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2s")]
    pub(crate) warm_up: Duration,
    /// Longest recovery after an overload
    ///
    /// The server has recovered when it answers a light load as it did at first.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub(crate) recovery: Duration,
    /// Time after which no trial begins
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "15m")]
    pub(crate) budget: Duration,
    /// Exit with status 99 unless the server can handle this load: '>=1000'
    #[arg(long, value_name = "LOAD")]
    pub(crate) expect: Option<AtLeast>,
    /// Random seed of the arrivals
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Space requests evenly, not randomly (this flatters a server)
    #[arg(long, requires = "rate")]
    pub(crate) even: bool,
    /// Repeat the search N times, restarting the server each time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) repeats: u16,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// When to restart the server; one that has exited is always restarted
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = RestartArg::Void, requires = "server", help_heading = "Server")]
    pub(crate) restart: RestartArg,
    #[command(flatten)]
    pub(crate) safety: SafetyArgs,
    /// Write search.json and index.html to this folder
    #[arg(short = 'o', long = "output", value_name = "DIR", help_heading = "Results")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an earlier search in the output folder
    #[arg(short = 'f', long, help_heading = "Results")]
    pub(crate) force: bool,
    /// Print search.json to standard output instead of a table
    #[arg(long, help_heading = "Results")]
    pub(crate) json: bool,
    /// HTTP method [default: GET, or POST if there is a body]
    #[arg(long, value_name = "METHOD", help_heading = "Request")]
    pub(crate) method: Option<String>,
    /// Request header, `Name: value`; repeatable
    #[arg(short = 'H', long = "header", value_name = "HEADER", help_heading = "Request")]
    pub(crate) headers: Vec<String>,
    /// Request body; @FILE sends the contents of a file
    #[arg(long, value_name = "TEXT", help_heading = "Request")]
    pub(crate) body: Option<String>,
    /// Text to send over a WebSocket (ws:// or wss://); each user waits for the answer
    #[arg(long, value_name = "TEXT", help_heading = "Request")]
    pub(crate) send: Option<String>,
    /// Response timeout
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Request")]
    pub(crate) timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) observe: ObserveArgs,
    #[command(flatten)]
    pub(crate) fleet: StudyFleetArgs,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    #[command(flatten)]
    pub(crate) properties: SettingArgs,
}

/// When the server is restarted.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum RestartArg {
    /// Before each trial
    Each,
    /// After an inconclusive trial
    Void,
    /// Only if it has exited
    Never,
}

fn range<T>(
    text: &str,
    read: impl Fn(&str) -> Result<f64, String>,
    make: impl Fn(f64, f64) -> T,
) -> Result<T, String> {
    let (low, high) =
        text.split_once("..").ok_or_else(|| format!("invalid range `{text}`; write 50..5000"))?;
    let low = read(low)?;
    let high = read(high)?;
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
    value.ok_or_else(|| format!("invalid number `{text}`: must be above 0"))
}

/// Range of request rates.
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
            if value.fract() == 0.0 {
                Ok(value)
            } else {
                Err(format!("invalid number `{text}`: must be whole"))
            }
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
        let right = || format!("invalid property range `{text}`; write threads=10..1000");
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
        value
            .map(|value| Self(value / 100.0))
            .ok_or_else(|| format!("invalid width `{text}`; write 1% to 50%"))
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
        number.map(Self).ok_or_else(|| format!("invalid load `{text}`; write '>=1000'"))
    }
}
