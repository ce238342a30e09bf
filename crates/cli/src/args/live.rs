//! Options of the live page, and of `swell ctl`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand};
use swell_engine::Ceilings;

/// `--live` and `--tui`.
#[derive(Clone, Debug, Args)]
pub(crate) struct LiveArgs {
    /// Serve the page of the run while it goes on, with control of its load: at a free port of this machine, or at a port or
    /// ADDRESS:PORT. The address with its secret is printed
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:0", value_parser = address)]
    pub(crate) live: Option<SocketAddr>,
    /// Encrypt the live page with this certificate, PEM, with those that signed it behind it. Other addresses than loopback are
    /// encrypted with a certificate of their own without it
    #[arg(long, value_name = "FILE", requires = "live_key", requires = "live")]
    pub(crate) live_cert: Option<PathBuf>,
    /// The key of --live-cert, PEM
    #[arg(long, value_name = "FILE", requires = "live_cert")]
    pub(crate) live_key: Option<PathBuf>,
    /// A name by which readers reach the live page; without it only addresses and localhost are served
    #[arg(long, value_name = "HOST", requires = "live", value_parser = host)]
    pub(crate) live_name: Option<String>,
    /// The most users that control may give one thread group: the page, swell ctl and the keys of --tui. The plan itself may have
    /// more
    #[arg(long, value_name = "N")]
    live_max_users: Option<u32>,
    /// The most arrivals a second that control may give one thread group
    #[arg(long, value_name = "R", value_parser = rate)]
    live_max_rate: Option<f64>,
    /// Show the run on the whole terminal while it goes on, with keys that change its load
    #[arg(long)]
    pub(crate) tui: bool,
}

impl LiveArgs {
    /// How much load control may ask for.
    pub(crate) fn ceilings(&self) -> Ceilings {
        Ceilings { users: self.live_max_users, per_second: self.live_max_rate }
    }
}

fn host(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'));
    if is_name {
        Ok(text.to_owned())
    } else {
        Err("a name without a port is wanted, such as load.example.com".to_owned())
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
    rate.ok_or_else(|| "a number of arrivals a second is wanted, such as 500".to_owned())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let port =
        |text: &str| text.parse::<u16>().map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    port(text).or_else(|_| text.parse()).map_err(|_| {
        "a port or an address with a port is wanted, such as 8090, 127.0.0.1:8090 or [::1]:8090".to_owned()
    })
}

/// `swell ctl`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell ctl status                       how the run goes that was started last with --live
  swell ctl load --users 200             200 users in the only thread group
  swell ctl load Buyers --users 200      in the group of that name, or of that place from 0
  swell ctl load Visits --rate 50        50 arrivals a second
  swell ctl load --users 200 --over 30s  by a straight line from what is now
  swell ctl load Buyers --plan           as many as the plan says, again
  swell ctl load --factor 1.5            all load of the plan, times 1.5
  swell ctl set rate=300                 a property; what reads it later follows
  swell ctl pause
  swell ctl resume
  swell ctl stop                         running samples finish
  swell ctl stop-now                     running samples are aborted
  swell ctl --url 'http://127.0.0.1:8090/#t=SECRET' status

Exit status: 0, or 104 if the change was refused or there is no run.")]
pub(crate) struct CtlArgs {
    /// The run, by the address that --live printed [default: the one that was started last on this machine]
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) url: Option<String>,
    /// One JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: CtlCommand,
}

/// What is asked of a run.
#[derive(Debug, Subcommand)]
pub(crate) enum CtlCommand {
    /// Say how the run goes
    Status,
    /// Change the load
    Load(LoadArgs),
    /// Set a property
    Set {
        /// The property with its value
        #[arg(value_name = "NAME=VALUE")]
        property: String,
    },
    /// Start no new samples until resume
    Pause,
    /// Go on after a pause
    Resume,
    /// Stop; running samples finish
    Stop,
    /// Stop at once; running samples are aborted
    StopNow,
}

/// `swell ctl load`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("change").required(true).args(["users", "rate", "plan", "factor"])))]
pub(crate) struct LoadArgs {
    /// Name or place of the thread group; may be left out if there is one
    pub(crate) group: Option<String>,
    /// Users that the group has
    #[arg(long, value_name = "N")]
    pub(crate) users: Option<u32>,
    /// Arrivals a second of the group
    #[arg(long, value_name = "R")]
    pub(crate) rate: Option<f64>,
    /// Leave the load of the group to the plan again
    #[arg(long)]
    pub(crate) plan: bool,
    /// Multiply the load of the whole plan; 1 is the plan
    #[arg(long, value_name = "F", conflicts_with = "group")]
    pub(crate) factor: Option<f64>,
    /// Lead the load there by a straight line that takes this time, such as 30s or 5m; at once without it
    #[arg(long, value_name = "TIME", value_parser = super::units::duration, conflicts_with = "plan")]
    pub(crate) over: Option<Duration>,
}
