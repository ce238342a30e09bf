//! Options of `swell hit`. Where hey, oha, ab, wrk, vegeta, siege or curl have a word for the same,
//! it is understood.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use swell_session::{Paths, ReportOptions};

use super::OneRunArgs;
use super::units::{duration, rate, requests, test_time, users};
use super::values::ValueArgs;

const SHORT_EXAMPLES: &str = "\
Examples:
  swell hit localhost:8080 -c 50 -d 30s
  swell hit http://localhost:8080/ -r 5000 -d 1m --threshold 'p(99)<50ms'
All options: swell hit --help";

/// `swell hit`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = SHORT_EXAMPLES, after_long_help = "\
Examples:
  swell hit localhost:8080                              10 users for 10 s
  swell hit http://localhost:8080/ -c 200 -d 30s        200 users for 30 s
  swell hit http://localhost:8080/ -n 100000            100,000 requests
  swell hit http://localhost:8080/ -r 5000 -d 1m        5,000 requests a second, on schedule
  swell hit http://localhost:8080/ -c 500 --shape 'sine(20..2000, period=10m)'    a varying rate
  swell hit localhost:8080/in -b '{\"user\":\"a\"}' -T application/json
  swell hit localhost:8080/up --multipart name=a --multipart file=@photo.jpg
  swell hit --urls urls.txt --random -c 50              URLs from a file, picked at random
  swell hit https://localhost:8443/ --debug             one request and its response, printed
  swell hit https://localhost:8443/ --functions --secret token=@token.txt \\
      -H 'Authorization: Bearer ${__P(token)}'          a secret, masked wherever it is shown
  swell hit localhost:8080 --threshold 'p(99)<50ms'     status 99 if it is slower
  swell hit ws://localhost:8080/ws --send hello -c 100  100 WebSockets, a message and its answer
  swell hit grpc://localhost:8080/swell.Echo/Unary --data '{\"text\":\"hello\"}'    a gRPC method
  swell hit --sse localhost:8080/events                 first event and gaps of server-sent events

A URL without a scheme is http; a time without a unit is in seconds. Several URLs are requested in
turn, shared by all users. Without -X, a request with a body is a POST. Server certificates are not
verified, as in JMeter, unless --cacert or --verify is given.

Exit status: 0 if a request succeeded (status 200 to 399), 98 if none did, 99 if a threshold was
crossed, 105 interrupted, 113 if no request finished; with --strict also 110 and 111 if the verdict
is DEGRADED or INVALID.")]
pub(crate) struct HitArgs {
    /// URLs to test: http or https, or one WebSocket (ws, wss) or gRPC method (grpc, grpcs)
    #[arg(value_name = "URL", required_unless_present = "urls_file")]
    pub(crate) urls: Vec<String>,
    /// Virtual users, each with its own connection
    #[arg(help_heading = "Load", short = 'c', long = "users", visible_alias = "connections", aliases = ["concurrency", "concurrent"], default_value_t = 10,
          value_name = "USERS", value_parser = users)]
    pub(crate) users: u32,
    /// Test duration: 30s, 5m, 1h30m, 500ms; a bare number is seconds [default: 10s]
    ///
    /// There is no default duration if the number of requests is given.
    #[arg(help_heading = "Load", short = 'd', visible_short_alias = 'z', long, visible_alias = "for", alias = "time", value_name = "TIME", value_parser = test_time)]
    pub(crate) duration: Option<Duration>,
    /// Total number of requests
    #[arg(help_heading = "Load", short = 'n', long, value_name = "REQUESTS", value_parser = requests)]
    pub(crate) requests: Option<u64>,
    /// Requests per second over all users: 5000, 300/m, 20/h [default: unlimited]
    #[arg(help_heading = "Load", short = 'r', short_alias = 'R', long, alias = "qps", value_name = "RATE", value_parser = rate)]
    pub(crate) rate: Option<f64>,
    /// Requests in flight on each connection, with HTTP/2; there are USERS connections
    #[arg(help_heading = "Load", long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) streams: u32,
    /// End the test if no server is reachable for this long; 0 never gives up
    ///
    /// Until then, after 100 failed connections in a row, users wait up to 1 s before the next
    /// attempt; with 0 they do not wait.
    #[arg(help_heading = "Load", long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(crate) give_up: Duration,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    #[command(flatten, next_help_heading = "Request")]
    pub(crate) values: ValueArgs,
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
    /// Read URLs from this file, one per line; `#` starts a comment line
    #[arg(long = "urls", value_name = "FILE", help_heading = "URLs", aliases = ["urls-file", "targets", "file"])]
    pub(crate) urls_file: Option<PathBuf>,
    /// Pick URLs at random instead of in order
    #[arg(long, alias = "internet", help_heading = "URLs")]
    pub(crate) random: bool,
    /// Write samples to this results file (JTL); an existing file is appended to
    #[arg(short = 'l', long = "logfile", value_name = "FILE", help_heading = "Results")]
    pub(crate) jtl: Option<PathBuf>,
    /// Overwrite existing results files and reports when the test starts
    #[arg(short = 'f', long, help_heading = "Results")]
    pub(crate) force: bool,
    /// Generate an HTML report in this folder
    #[arg(long, value_name = "DIR", help_heading = "Results")]
    pub(crate) report: Option<PathBuf>,
    /// Print all figures, rows and reasons
    #[arg(short = 'v', long, help_heading = "Results")]
    pub(crate) verbose: bool,
    /// Print the distribution of response times
    #[arg(long, alias = "latency", help_heading = "Results")]
    pub(crate) histogram: bool,
    /// Send one request and print it with its response
    #[arg(long, conflicts_with_all = ["json", "histogram", "report", "rate", "requests", "duration"], help_heading = "Results")]
    pub(crate) debug: bool,
    /// Write the test as a JMeter plan to this file, and send nothing
    ///
    /// The plan has only elements of JMeter and follows its rules. Passwords and tokens become
    /// properties; the command that runs the plan is printed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["debug", "json", "histogram", "report"], help_heading = "Results")]
    pub(crate) save_plan: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) one: OneRunArgs,
}

impl HitArgs {
    /// The report that is written at the end.
    pub(crate) fn report(&self) -> Option<ReportOptions> {
        let folder = self.report.as_ref()?;
        Some(ReportOptions { page: folder.join("index.html"), with_statistics: false })
    }

    /// Virtual users: one for each request in flight.
    pub(crate) fn all_users(&self) -> u64 {
        u64::from(self.users) * u64::from(self.streams)
    }

    /// The files that the run reads and writes.
    pub(crate) fn paths(&self) -> Paths {
        let inputs = Paths::default().reads(self.urls_file.clone(), "the file of URLs");
        let values = self.values.secret_files().chain(&self.values.env_files);
        let inputs = values.fold(inputs, |paths, path| paths.reads(path.clone(), "a file of values"));
        let proto = self.request.proto.clone().filter(|path| !path.is_dir());
        let inputs = inputs.reads(proto, "a .proto file");
        let outputs = inputs.results(self.jtl.clone());
        self.one.observe.paths(outputs.report(self.report().map(|report| report.page)))
    }
}

/// What is sent.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(next_help_heading = "Request")]
pub(crate) struct RequestArgs {
    /// HTTP method [default: GET, or POST if there is a body]
    #[arg(short = 'X', visible_short_alias = 'm', long, alias = "request")]
    pub(crate) method: Option<String>,
    /// Request header, `Name: value`, or metadata of a gRPC call; repeatable
    #[arg(short = 'H', long = "header", alias = "metadata", value_name = "HEADER")]
    pub(crate) headers: Vec<String>,
    /// Content-Type of the request body
    #[arg(short = 'T', long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// Request body; @FILE sends the contents of a file
    #[arg(short = 'b', long, visible_alias = "data", aliases = ["data-raw", "data-binary"], value_name = "TEXT",
          conflicts_with_all = ["form", "multipart"])]
    pub(crate) body: Option<String>,
    /// URL-encoded form field; repeatable
    #[arg(long, value_name = "NAME=VALUE", aliases = ["data-urlencode", "form-string"], conflicts_with = "multipart")]
    pub(crate) form: Vec<String>,
    /// Multipart field, NAME=VALUE or NAME=@FILE[;type=TYPE]; repeatable
    #[arg(short = 'F', long, value_name = "NAME=VALUE")]
    pub(crate) multipart: Vec<String>,
    /// Text to send over a WebSocket (ws:// or wss://); each user waits for the answer
    #[arg(long, value_name = "TEXT")]
    pub(crate) send: Option<String>,
    /// gRPC: a .proto file, a folder of them, or a descriptor set (.pb, .bin, .protoset)
    ///
    /// Several messages for a method whose client streams are a JSON array, or one document after
    /// the other. -H sets metadata; `-H 'grpc-encoding: gzip'` compresses messages. --timeout is the
    /// deadline of a call.
    #[arg(long, value_name = "PATH", conflicts_with = "reflect")]
    pub(crate) proto: Option<PathBuf>,
    /// gRPC: look up imports of .proto files in this folder; repeatable
    #[arg(long = "import-path", value_name = "DIR", requires = "proto", alias = "import-paths")]
    pub(crate) import_paths: Vec<PathBuf>,
    /// gRPC: ask the server for its descriptors, the default where no file is given
    #[arg(long)]
    pub(crate) reflect: bool,
    /// Measure server-sent events: first event, gaps, tokens of a language model
    ///
    /// A body without -T is JSON. The figures are custom figures: --threshold
    /// 'figure(first_event_ms).p(95)<500' checks one.
    #[arg(long)]
    pub(crate) sse: bool,
    /// User name and password for basic authentication
    #[arg(short = 'u', visible_short_alias = 'a', long, value_name = "USER:PASSWORD", aliases = ["basic-auth", "auth"])]
    pub(crate) user: Option<String>,
    /// Follow up to 20 redirects
    ///
    /// Each redirect is part of the sample. 307 and 308 keep method and body. Credentials are not
    /// sent to another origin.
    #[arg(short = 'L', long, visible_alias = "location", overrides_with = "no_follow")]
    pub(crate) follow: bool,
    /// Do not follow redirects (the default)
    #[arg(long, aliases = ["disable-redirects", "no-location"], overrides_with = "follow")]
    pub(crate) no_follow: bool,
    /// Close the connection after each request
    #[arg(long, alias = "disable-keepalive")]
    pub(crate) no_keepalive: bool,
    /// Timeout for connecting and for each wait for data: 500ms, 5s; 0 is none [default: 30s]
    ///
    /// A bare number is seconds. If the option is given, a response that takes longer than twice
    /// this time in total fails as well.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Decompress responses, and count those that are damaged as errors
    ///
    /// Without it, compressed bodies are counted as received.
    #[arg(long)]
    pub(crate) decode: bool,
    /// Evaluate ${__UUID}, ${__Random(1,9)} and the like in each request
    ///
    /// Variables and functions are replaced in URLs, headers and body, separately for each request.
    /// ${__P(NAME)} is a secret of --secret, ${__env(NAME)} a variable of --env-file.
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
    /// Accept any server certificate (the default)
    #[arg(short = 'k', long, conflicts_with_all = ["cacert", "verify"])]
    pub(crate) insecure: bool,
    /// Verify server certificates and host names against the authority in this PEM file
    #[arg(long, value_name = "FILE", alias = "root-certs", conflicts_with = "verify")]
    pub(crate) cacert: Option<PathBuf>,
    /// Verify server certificates against this machine's trust store
    #[arg(long)]
    pub(crate) verify: bool,
    /// Client certificate, a PEM file that may also hold the key
    #[arg(short = 'E', long, value_name = "FILE")]
    pub(crate) cert: Option<PathBuf>,
    /// Key of the client certificate, a PEM file without a password
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// Connect to this Unix domain socket whatever the URL says
    #[arg(long, value_name = "SOCKET", alias = "unix-socket", conflicts_with_all = ["connect_to", "proxy"])]
    pub(crate) unix: Option<PathBuf>,
    /// Connect to another host and port than the URL's; repeatable
    ///
    /// The first HOST:PORT is matched against the URL, the second is connected to. An empty part
    /// matches anything, or is left unchanged.
    #[arg(long, value_name = "HOST:PORT:HOST:PORT")]
    pub(crate) connect_to: Vec<String>,
}
