//! `swell debug`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use swell_elements::Question;

use super::SetArgs;
use super::jvm::JvmArgs;
use super::properties::SettingArgs;

/// `swell debug`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell debug plan.jmx                          every step of one iteration
  swell debug plan.jmx --iterations 3 --group Users
  swell debug plan.jmx --until 'POST /login'    stop after this sample
  swell debug plan.jmx --test '$.order.id' --at 4
                                                what an extractor would find at step 4
  swell debug plan.jmx --test '$.order.id' --at 4 --write order_id
                                                and add that extractor to the plan
  swell debug plan.jmx -o trace.html            a page with all steps; --open shows it in a browser
  swell debug plan.jmx --json > trace.ndjson    one JSON object a line, for tools

Steps that passed take one line; failures show the request as it was sent, the response, variables
and checks. Timers are skipped, and listeners do not run, so no results file is written.

Exit status: 0 if a sample succeeded, 98 if none did, 105 if interrupted, 113 if nothing ran.")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct DebugArgs {
    /// The plan
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    #[command(flatten)]
    pub(crate) set: SetArgs,
    /// Iterations of each thread group
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iterations: u32,
    /// Virtual users of each thread group
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) users: u32,
    /// Run only this thread group, besides those of set-up and tear-down
    #[arg(long, value_name = "NAME")]
    pub(crate) group: Option<String>,
    /// Stop after the first sample with this label
    #[arg(long, value_name = "LABEL")]
    pub(crate) until: Option<String>,
    /// Skip the delays of timers, or keep them
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub(crate) timers: TimersArg,
    /// Bytes of each body that are kept, or `all` [default: 1048576]
    #[arg(long, value_name = "BYTES", value_parser = body_bytes)]
    pub(crate) bodies: Option<usize>,
    /// Show passed steps with all details, too
    #[arg(long)]
    pub(crate) all: bool,
    /// Ask the response body of a step: $.path, //xpath, css:, re: or bound:LEFT|RIGHT; repeatable
    ///
    /// For jmes:PATH it shows the element, as JMESPath runs on the JVM only.
    #[arg(long = "test", value_name = "EXPR", value_parser = question, conflicts_with = "json")]
    pub(crate) tests: Vec<Question>,
    /// Step to ask [default: the last one with a sample]
    #[arg(long, value_name = "STEP", requires = "tests")]
    pub(crate) at: Option<u32>,
    /// Add the tested extractor to the plan, below the step's sampler, with this variable name
    #[arg(long, value_name = "NAME", requires = "tests", conflicts_with = "sets")]
    pub(crate) write: Option<String>,
    /// Write a page with all steps, which needs no network
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing page
    #[arg(short = 'f', long, requires = "output")]
    pub(crate) force: bool,
    /// Open the page in a browser and answer its expressions until Ctrl-C
    #[arg(long)]
    pub(crate) open: bool,
    /// Print one JSON object per event
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep passwords, tokens and cookies in JSON and in pages
    #[arg(long = "secrets")]
    pub(crate) shows_secrets: bool,
    /// Allow more than one virtual user, or 1,000 iterations or more
    #[arg(long)]
    pub(crate) yes: bool,
    /// Start the built-in website and set the properties host and port to its address
    #[arg(long)]
    pub(crate) with_target: bool,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

fn body_bytes(text: &str) -> Result<usize, String> {
    if text == "all" {
        return Ok(usize::MAX);
    }
    text.parse().map_err(|_| format!("invalid number of bytes `{text}`: expected a whole number, or `all`"))
}

pub(super) fn question(text: &str) -> Result<Question, String> {
    Question::parse(text).map_err(|error| error.to_string())
}

/// What happens to the delays of timers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimersArg {
    /// No sample waits.
    #[default]
    Skip,
    /// Samples wait as the plan says.
    Keep,
}
