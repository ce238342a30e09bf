//! Options of the live page, and of `swell ctl`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand};
use swell_engine::Ceilings;
use swell_session::LiveOptions;

/// `--live` and its options.
#[derive(Clone, Debug, Args)]
pub(crate) struct LiveArgs {
    /// Serve a live page with load control [default: on a free local port]
    ///
    /// A port alone is also accepted. The address, with its access token, is printed.
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:0", value_parser = address)]
    pub(crate) live: Option<SocketAddr>,
    /// Certificate chain for the live page, a PEM file
    ///
    /// Without it, a page on another address than loopback uses a self-signed certificate.
    #[arg(long, value_name = "FILE", requires = "live_key", requires = "live")]
    pub(crate) live_cert: Option<PathBuf>,
    /// Key of the live page's certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "live_cert")]
    pub(crate) live_key: Option<PathBuf>,
    /// Host name under which the live page may be requested
    ///
    /// Without it only IP addresses and localhost are accepted.
    #[arg(long, value_name = "HOST", requires = "live", value_parser = host)]
    pub(crate) live_name: Option<String>,
    /// Most users that live control may give a thread group
    ///
    /// It limits the live page, `swell ctl` and the keys of the full-screen view. The plan itself
    /// may exceed it.
    #[arg(long, value_name = "N")]
    live_max_users: Option<u32>,
    /// Most arrivals per second that live control may give a thread group
    #[arg(long, value_name = "R", value_parser = rate)]
    live_max_rate: Option<f64>,
}

impl LiveArgs {
    /// The live page.
    pub(crate) fn options(&self) -> Option<LiveOptions> {
        Some(LiveOptions {
            at: self.live?,
            certificate: self.live_cert.clone(),
            key: self.live_key.clone(),
            name: self.live_name.clone(),
        })
    }

    /// Limits on live control.
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
        Err("expected a host name without a port, such as load.example.com".to_owned())
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
    rate.ok_or_else(|| "expected arrivals per second, such as 500".to_owned())
}

pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let port =
        |text: &str| text.parse::<u16>().map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    port(text).or_else(|_| text.parse()).map_err(|_| {
        "expected a port, or an address with a port, such as 8090, 127.0.0.1:8090 or [::1]:8090".to_owned()
    })
}

/// `swell ctl`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell ctl status                       state of the run started last with --live
  swell ctl load --users 200             200 users in the only thread group
  swell ctl load Buyers --users 200      in the group with that name (or index, from 0)
  swell ctl load Visits --rate 50        50 arrivals per second
  swell ctl load --users 200 --over 30s  changed linearly over 30 s
  swell ctl load Buyers --plan           back to the load of the plan
  swell ctl load --factor 1.5            the whole load of the plan, times 1.5
  swell ctl set rate=300                 set a property for later reads
  swell ctl pause
  swell ctl resume
  swell ctl stop                         running samples finish
  swell ctl stop-now                     running samples are aborted
  swell ctl --url 'http://127.0.0.1:8090/#t=SECRET' status

Exit status: 0, or 104 if the change was refused or no run was found.")]
pub(crate) struct CtlArgs {
    /// Address of the run's live page [default: the run started last on this machine]
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) url: Option<String>,
    /// Print one JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: CtlCommand,
}

/// Requests to a run.
#[derive(Debug, Subcommand)]
pub(crate) enum CtlCommand {
    /// Show the state of the run
    Status,
    /// Change the load
    Load(LoadArgs),
    /// Set a property
    Set {
        /// Property and its new value
        #[arg(value_name = "NAME=VALUE")]
        property: String,
    },
    /// Start no new samples until `resume`
    Pause,
    /// Resume after a pause
    Resume,
    /// Stop the test after running samples finish
    Stop,
    /// Stop the test immediately and abort running samples
    StopNow,
}

/// `swell ctl load`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("change").required(true).args(["users", "rate", "plan", "factor"])))]
pub(crate) struct LoadArgs {
    /// Name or index of the thread group; optional if there is only one
    pub(crate) group: Option<String>,
    /// Number of users in the group
    #[arg(long, value_name = "N")]
    pub(crate) users: Option<u32>,
    /// Arrivals per second of the group
    #[arg(long, value_name = "R")]
    pub(crate) rate: Option<f64>,
    /// Return the group to the load of the plan
    #[arg(long)]
    pub(crate) plan: bool,
    /// Multiply the load of the whole plan; 1 is the plan unchanged
    #[arg(long, value_name = "F", conflicts_with = "group")]
    pub(crate) factor: Option<f64>,
    /// Change the load linearly over this time, such as 30s or 5m [default: at once]
    #[arg(long, value_name = "TIME", value_parser = super::units::duration, conflicts_with = "plan")]
    pub(crate) over: Option<Duration>,
}
