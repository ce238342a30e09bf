//! Options of `swell import`.

use std::path::PathBuf;

use clap::Args;

use super::record::{StaticFilesArg, ThinkTimeArg, pause};

/// `swell import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell import shop.har -o shop.jmx
  swell import shop.har again.har -o shop.jmx     two recordings of the same steps: what differs
                                                  becomes variables
  swell import requests.sh -o requests.jmx        curl commands
  swell import shop.postman_collection.json staging.postman_environment.json -o shop.jmx
  swell import openapi.yaml --base http://127.0.0.1:8080 -o api.jmx
  swell import access.log --base http://127.0.0.1:8080 --speed 2x -o replay.jmx
  pbpaste | swell import - -o request.jmx

The plan has stock elements of JMeter only, and its host, port, users and loops are properties:
swell run shop.jmx -Jhost=127.0.0.1 -Jport=8080 -Jprotocol=http -Jusers=50 -Jloops=100

Exit status: 0, 1 if the plan lacks a part of the files (--lossy: 0), or 104 if a file cannot be
read or the plan exists.")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct ImportPlanArgs {
    /// Files to import: HAR, Postman, OpenAPI, curl, Hurl, …, found by content; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write the plan to this file; - is standard output
    #[arg(short = 'o', long, value_name = "PLAN")]
    pub(crate) output: PathBuf,
    /// Overwrite existing files
    #[arg(short = 'f', long)]
    pub(crate) force: bool,
    /// Exit with status 0 also if the plan lacks a part of the files
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Format of the files, instead of finding it by content
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    pub(crate) from: Option<String>,
    /// Images, scripts and style sheets of a recording: drop, embed (the page loads them) or keep
    #[arg(long = "static", value_enum, default_value_t, value_name = "HOW")]
    pub(crate) static_files: StaticFilesArg,
    /// Host to take from a recording or a log, such as '*.shop.test'; repeatable [default: the main
    /// one]
    #[arg(long = "host", value_name = "HOST", value_delimiter = ',')]
    pub(crate) hosts: Vec<String>,
    /// Think times of a recording: keep, none, or a range such as 0.5s..2s
    #[arg(long, value_name = "TIME", default_value = "keep", value_parser = pause)]
    pub(crate) pause: ThinkTimeArg,
    /// Write values that were typed in a recording to a CSV file that the plan reads
    #[arg(long)]
    pub(crate) data: bool,
    /// Leave passwords and tokens in the plan; otherwise they become properties
    #[arg(long)]
    pub(crate) keep_secrets: bool,
    /// Send requests to this URL instead of the host that most requests have
    #[arg(long, value_name = "URL")]
    pub(crate) base: Option<String>,
    /// Value of a variable of the files; repeatable
    #[arg(long = "variable", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) variables: Vec<(String, String)>,
    /// Take only operations of an OpenAPI document that have this tag; repeatable
    #[arg(long = "tag", value_name = "TAG", value_delimiter = ',')]
    pub(crate) tags: Vec<String>,
    /// Replay an access log faster or slower: a factor such as 2x or 0.5
    #[arg(long, value_name = "FACTOR")]
    pub(crate) speed: Option<String>,
    /// Name of the plan [default: from the files]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

fn format() -> clap::builder::PossibleValuesParser {
    swell_import::FORMATS.iter().map(|format| format.name).into()
}

pub(super) fn variable(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or_else(|| format!("invalid variable `{text}`: write NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}
