//! Options of `swell hit`. Where hey, oha, ab, wrk, vegeta, siege or curl have a word for the same, it is understood.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::kept::{ExportArgs, KeepArgs, ThresholdArgs};
use super::monitor::MonitorArgs;
use super::rotation::RotationArgs;
use super::shape::ShapeArgs;
use super::units::{duration, rate, requests, test_time, users};
use super::{Clock, Grace, IoArg, LiveArgs};

/// `swell hit`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell hit localhost:8080                              10 users for 10 s
  swell hit http://localhost:8080/ -c 200 -d 30s        200 users for 30 s
  swell hit http://localhost:8080/ -n 100000            100,000 requests
  swell hit http://localhost:8080/ -r 5000 -d 1m        5,000 requests a second, on schedule
  swell hit http://localhost:8080/ -c 500 --shape 'sine(20..2000, period=10m)'    a rate over time
  swell hit localhost:8080/in -b '{\"user\":\"a\"}' -T application/json
  swell hit localhost:8080/up --multipart name=a --multipart file=@photo.jpg
  swell hit --urls urls.txt --random -c 50              URLs from a file, drawn at random
  swell hit https://localhost:8443/ --debug             one exchange, shown
  swell hit localhost:8080 --threshold 'p(99)<50ms'     status 99 if it is slower

A URL without a scheme is http; a time without a unit is in seconds. Of several URLs, the users
together take one after the other. Without -X, what has a body is sent by POST. Certificates of
servers are not verified, as in JMeter, unless --cacert or --verify is given.

Exit status: 0 if a request succeeded (status 200 to 399), 98 if not one did, 99 if a threshold was
broken, 105 interrupted, 113 if none could be made; with --strict also 110 and 111 if the verdict is
DEGRADED or INVALID.")]
pub(crate) struct HitArgs {
    /// Where to send requests, http or https: one URL or several
    #[arg(value_name = "URL", required_unless_present = "urls_file")]
    pub(crate) urls: Vec<String>,
    /// Virtual users, each with its own connection
    #[arg(help_heading = "Load", short = 'c', long = "users", visible_alias = "connections", aliases = ["concurrency", "concurrent"], default_value_t = 10,
          value_name = "USERS", value_parser = users)]
    pub(crate) users: u32,
    /// For how long: 30s, 5m, 1h30m, 500ms; 10 is 10 seconds [default: 10s, unless -n is given]
    #[arg(help_heading = "Load", short = 'd', visible_short_alias = 'z', long, visible_alias = "for", alias = "time", value_name = "TIME", value_parser = test_time)]
    pub(crate) duration: Option<Duration>,
    /// How many requests in all
    #[arg(help_heading = "Load", short = 'n', long, value_name = "REQUESTS", value_parser = requests)]
    pub(crate) requests: Option<u64>,
    /// Requests a second over all users, evenly spaced: 5000, 300/m, 20/h [default: as many as the users can]
    #[arg(help_heading = "Load", short = 'r', short_alias = 'R', long, alias = "qps", value_name = "RATE", value_parser = rate)]
    pub(crate) rate: Option<f64>,
    /// End the test when no server was reached for this time. Before that, after 100 failed connections in a row, users wait
    /// before the next, up to 1 s. 0: neither
    #[arg(help_heading = "Load", long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(crate) give_up: Duration,
    /// Abort running requests this long after the end of -d or a signal that ends the test: 30s, or `unlimited` [default: 5s
    /// after -d, 10s after SIGTERM and SIGHUP, unlimited after Ctrl-C]
    #[arg(help_heading = "Load", long, value_name = "TIME")]
    pub(crate) grace: Option<Grace>,
    /// Worker threads [default: one a core]
    #[arg(help_heading = "Load", short = 'w', long, alias = "threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: Option<u16>,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
    /// Read URLs from this file, one a line; empty lines and those after # are left out
    #[arg(long = "urls", value_name = "FILE", help_heading = "URLs", aliases = ["urls-file", "targets", "file"])]
    pub(crate) urls_file: Option<PathBuf>,
    /// Draw each URL at random instead of taking one after the other
    #[arg(long, alias = "internet", help_heading = "URLs")]
    pub(crate) random: bool,
    /// Keep the samples in a JTL file; one that is there already is continued
    #[arg(short = 'l', long = "logfile", value_name = "FILE", help_heading = "Results")]
    pub(crate) jtl: Option<PathBuf>,
    /// Empty a JTL file that is there already, and write over a report, when the test starts
    #[arg(short = 'f', long, help_heading = "Results")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) rotation: RotationArgs,
    /// Write an HTML report into this folder
    #[arg(long, value_name = "DIR", help_heading = "Results")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Results")]
    pub(crate) live: LiveArgs,
    /// Show how the response times are distributed
    #[arg(long, alias = "latency", help_heading = "Results")]
    pub(crate) histogram: bool,
    /// Send one request and show it with its answer
    #[arg(long, conflicts_with_all = ["json", "histogram", "report", "rate", "requests", "duration"], help_heading = "Results")]
    pub(crate) debug: bool,
    /// Summary as JSON on standard output
    #[arg(long, help_heading = "Results")]
    pub(crate) json: bool,
    /// What ends a sample: the kernel's receive stamp, or the time after the read, as in tools without stamps
    #[arg(long, value_enum, default_value_t, help_heading = "Results")]
    pub(crate) clock: Clock,
    /// Interface of the kernel for event loops [default: auto]
    #[arg(long, value_name = "IO", value_enum, help_heading = "Load")]
    pub(crate) io: Option<IoArg>,
    /// Addresses of this machine that connections go out from, in turn: `10.0.0.2-10.0.0.5,10.0.1.7`
    #[arg(long, value_name = "ADDRESSES", help_heading = "Load")]
    pub(crate) source: Option<String>,
    /// Make the verdict the exit status: 110 if it is DEGRADED, 111 if it is INVALID
    #[arg(long, help_heading = "Results")]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) thresholds: ThresholdArgs,
    #[command(flatten)]
    pub(crate) shape: ShapeArgs,
    #[command(flatten)]
    pub(crate) monitor: MonitorArgs,
    #[command(flatten)]
    pub(crate) exports: ExportArgs,
}

/// What is sent.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(next_help_heading = "Request")]
pub(crate) struct RequestArgs {
    /// HTTP method [default: GET, or POST if there is something to send]
    #[arg(short = 'X', visible_short_alias = 'm', long, alias = "request")]
    pub(crate) method: Option<String>,
    /// Request header, `Name: value`; may be repeated
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub(crate) headers: Vec<String>,
    /// Content-Type of the body
    #[arg(short = 'T', long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// Request body; @FILE sends the bytes of a file
    #[arg(short = 'b', long, visible_alias = "data", aliases = ["data-raw", "data-binary"], value_name = "TEXT",
          conflicts_with_all = ["form", "multipart"])]
    pub(crate) body: Option<String>,
    /// Field of a form, URL-encoded; may be repeated
    #[arg(long, value_name = "NAME=VALUE", aliases = ["data-urlencode", "form-string"], conflicts_with = "multipart")]
    pub(crate) form: Vec<String>,
    /// Part of a multipart body, NAME=VALUE or NAME=@FILE[;type=TYPE]; may be repeated
    #[arg(short = 'F', long, value_name = "NAME=VALUE")]
    pub(crate) multipart: Vec<String>,
    /// Basic authentication
    #[arg(short = 'u', visible_short_alias = 'a', long, value_name = "USER:PASSWORD", aliases = ["basic-auth", "auth"])]
    pub(crate) user: Option<String>,
    /// Follow redirects, 20 at most; each is part of the sample. 307 and 308 keep method and body, and credentials are sent to no
    /// other origin
    #[arg(short = 'L', long, visible_alias = "location", overrides_with = "no_follow")]
    pub(crate) follow: bool,
    /// Take a redirect as the answer; the default
    #[arg(long, aliases = ["disable-redirects", "no-location"], overrides_with = "follow")]
    pub(crate) no_follow: bool,
    /// Close the connection after each request
    #[arg(long, alias = "disable-keepalive")]
    pub(crate) no_keepalive: bool,
    /// Give up connecting, or waiting for the next byte of a response, after this time: 500ms, 5s; 1 is one second, 0 is never
    /// [default: 30s]. If it is given, a response that does not end fails after twice the time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Replace variables and functions such as ${__UUID} and ${__Random(1,9)} in URLs, headers and body, separately for each request
    #[arg(long)]
    pub(crate) functions: bool,
}

/// The way to the server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct ReachArgs {
    /// Send requests through this HTTP proxy
    #[arg(short = 'x', long, value_name = "[USER:PASSWORD@]HOST:PORT")]
    pub(crate) proxy: Option<String>,
    /// Take any certificate of a server; the default
    #[arg(short = 'k', long, conflicts_with_all = ["cacert", "verify"])]
    pub(crate) insecure: bool,
    /// Trust servers only whose certificates one in this PEM file has signed, for the name in the URL
    #[arg(long, value_name = "FILE", alias = "root-certs", conflicts_with = "verify")]
    pub(crate) cacert: Option<PathBuf>,
    /// Trust servers only as this machine does
    #[arg(long)]
    pub(crate) verify: bool,
    /// Certificate to show to servers that ask, a PEM file; it may hold the key, too
    #[arg(short = 'E', long, value_name = "FILE")]
    pub(crate) cert: Option<PathBuf>,
    /// Key of the certificate, a PEM file without a password
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// Connect to this socket in the file system, whatever the URL says
    #[arg(long, value_name = "SOCKET", alias = "unix-socket", conflicts_with_all = ["connect_to", "proxy"])]
    pub(crate) unix: Option<PathBuf>,
    /// Connect to the second host and port where the URL has the first; an empty part is any, or the same; may be repeated
    #[arg(long, value_name = "HOST:PORT:HOST:PORT")]
    pub(crate) connect_to: Vec<String>,
}
