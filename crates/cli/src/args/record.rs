//! `swell record`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use swell_fetch::Proxy;
use swell_import::{Pauses, StaticFiles};
use swell_record::HostPatterns;

/// `swell record`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  swell record https://shop.test/ -o shop.jmx          record a browser until it is closed
  swell record https://shop.test/ -o shop.jmx --again  do the same once more: values that change
                                                       become variables
  swell record --proxy 127.0.0.1:8888 -o app.jmx       record any client; prints how to set it up
  swell record https://shop.test/ -o shop.jmx --host 'shop.test,*.api.test'
  swell record https://shop.test/ -o shop.jmx --upstream http://proxy.corp.test:3128
  swell record ca                                      show the recorder's certificate

Press Enter to begin a transaction; type a name first to name it. Without Enter, a page or a
pause of 2 seconds begins one. Close the browser or press Ctrl-C to end.

The browser has a fresh profile and trusts the recorder's certificate only in this session; no
trust store is changed. The raw recording is kept next to the plan as a HAR file. It contains
passwords and cookies.

Exit status: 0 if a plan was written, 104 if it cannot be, 113 if nothing was recorded."
)]
pub(crate) struct RecordArgs {
    /// Page to open in the browser
    #[arg(value_name = "URL", required_unless_present = "proxy", value_parser = web_url)]
    pub(crate) url: Option<String>,
    /// Plan to write
    #[arg(short = 'o', long, value_name = "PLAN", required = true)]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing plan and its recording
    #[arg(short = 'f', long)]
    pub(crate) force: bool,
    /// Record the same flow again, compare, and write the plan with variables
    #[arg(long)]
    pub(crate) again: bool,
    /// Listen here for any client; without a URL no browser starts
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) proxy: Option<SocketAddr>,
    /// Let other machines use the proxy
    #[arg(long, requires = "proxy")]
    pub(crate) allow_remote: bool,
    /// Proxy on the way to servers, http://[USER:PASSWORD@]HOST:PORT [default: as HTTP_PROXY,
    /// HTTPS_PROXY and ALL_PROXY say; NO_PROXY and this machine are reached directly]
    #[arg(long, value_name = "URL", value_parser = upstream)]
    pub(crate) upstream: Option<Proxy>,
    /// Hosts to record, separated by commas; * is any text [default: all; the plan has the host of
    /// the first page]
    #[arg(long, value_name = "HOSTS")]
    pub(crate) host: Option<HostPatterns>,
    /// Images, fonts, scripts and style sheets
    #[arg(long = "static", value_enum, default_value_t, value_name = "WHAT")]
    pub(crate) static_files: StaticFilesArg,
    /// Think times: as recorded, none, or random such as 0.5..2s
    #[arg(long, value_name = "WHAT", default_value = "keep", value_parser = pause)]
    pub(crate) pause: ThinkTimeArg,
    /// What begins a transaction
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub(crate) transactions: TransactionsArg,
    /// Write typed values to a CSV file that the plan reads
    #[arg(long)]
    pub(crate) data: bool,
    /// Keep passwords and tokens in the plan instead of in properties
    #[arg(long)]
    pub(crate) keep_secrets: bool,
    /// Raw recording (HAR) [default: the plan's name with .har]
    #[arg(long, value_name = "FILE")]
    pub(crate) raw: Option<PathBuf>,
    /// Browser to start, of the kind of Chromium [default: the first one in PATH]
    #[arg(long, value_name = "PROGRAM", requires = "url")]
    pub(crate) browser: Option<PathBuf>,
    /// Start the browser without a window
    #[arg(long, requires = "url")]
    pub(crate) headless: bool,
    /// Accept any certificate of a server
    #[arg(short = 'k', long)]
    pub(crate) insecure: bool,
    /// Trust servers whose certificate is signed by one in this file (PEM), and no others
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub(crate) cacert: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Option<RecordSubcommand>,
}

/// Parts of `swell record`.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordSubcommand {
    /// Show the recorder's certificate and how clients trust it, or renew it
    Ca(RecordCaArgs),
}

/// `swell record ca`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell record ca
  swell record ca --renew               a new key and certificate; clients must trust it again

The certificate lasts a year and is renewed by itself when it ends. Key and certificate are in
~/.local/share/swell/record, readable by their owner only. The key lets its holder read the
traffic of clients that trust the certificate: remove it from their trust stores after recording.")]
pub(crate) struct RecordCaArgs {
    /// Make a new key and certificate
    #[arg(long)]
    pub(crate) renew: bool,
}

/// What happens to static files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum StaticFilesArg {
    /// They are not requested.
    #[default]
    Drop,
    /// The sampler of a page downloads what the page names.
    Embed,
    /// Each is a sampler.
    Keep,
}

/// What begins a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TransactionsArg {
    /// A page, a pause of 2 seconds, or Enter; only Enter once it was pressed.
    #[default]
    Auto,
    /// Enter.
    Enter,
    /// Nothing.
    None,
}

/// Think times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ThinkTimeArg {
    /// As recorded.
    Keep,
    /// None.
    None,
    /// Between these seconds.
    Between(f64, f64),
}

/// `keep`, `none`, `0.5..2s`.
pub(super) fn pause(text: &str) -> Result<ThinkTimeArg, String> {
    let wrong = || format!("invalid think time `{text}`: use keep, none, or two times such as 0.5..2s");
    match text {
        "keep" => return Ok(ThinkTimeArg::Keep),
        "none" => return Ok(ThinkTimeArg::None),
        _ => {}
    }
    let (least, most) = text.strip_suffix('s').unwrap_or(text).split_once("..").ok_or_else(wrong)?;
    let seconds = |text: &str| {
        let text = text.strip_suffix('s').unwrap_or(text);
        text.parse::<f64>().ok().filter(|seconds| (0.0..=86_400.0).contains(seconds)).ok_or_else(wrong)
    };
    let least = seconds(least)?;
    let most = seconds(most)?;
    if least > most { Err(wrong()) } else { Ok(ThinkTimeArg::Between(least, most)) }
}

impl From<StaticFilesArg> for StaticFiles {
    fn from(arg: StaticFilesArg) -> Self {
        match arg {
            StaticFilesArg::Drop => Self::Drop,
            StaticFilesArg::Embed => Self::Embed,
            StaticFilesArg::Keep => Self::Keep,
        }
    }
}

impl From<ThinkTimeArg> for Pauses {
    fn from(arg: ThinkTimeArg) -> Self {
        match arg {
            ThinkTimeArg::Keep => Self::Keep,
            ThinkTimeArg::None => Self::Drop,
            ThinkTimeArg::Between(least, most) => Self::Between(least, most),
        }
    }
}

/// An error does not repeat the text, which may hold a password.
fn upstream(text: &str) -> Result<Proxy, String> {
    Proxy::parse(text).map_err(|why| format!("{why}; use http://HOST:PORT or http://USER:PASSWORD@HOST:PORT"))
}

fn web_url(text: &str) -> Result<String, String> {
    let wrong = || format!("invalid URL `{text}`: use one such as https://shop.test/");
    let url = url::Url::parse(text).map_err(|_| wrong())?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    if is_web { Ok(url.to_string()) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn think_times_are_read() {
        for (text, wanted) in [
            ("keep", Some(ThinkTimeArg::Keep)),
            ("none", Some(ThinkTimeArg::None)),
            ("0.5..2s", Some(ThinkTimeArg::Between(0.5, 2.0))),
            ("1s..3s", Some(ThinkTimeArg::Between(1.0, 3.0))),
            ("1..1", Some(ThinkTimeArg::Between(1.0, 1.0))),
            ("2..1s", None),
            ("-1..1s", None),
            ("1s", None),
            ("", None),
        ] {
            assert_eq!(pause(text).ok(), wanted, "{text}");
        }
    }

    #[test]
    fn only_web_addresses_are_opened() {
        assert_eq!(web_url("https://shop.test").as_deref(), Ok("https://shop.test/"));
        for wrong in ["shop.test", "ftp://a/", "--flag", "file:///etc/passwd", "localhost:8080"] {
            assert!(web_url(wrong).is_err_and(|why| why.contains("https://shop.test/")), "{wrong}");
        }
    }
}
