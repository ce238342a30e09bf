//! Options of `swell history` and `swell open`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use swell_session::runs::{Annotation, check_name};

/// `swell history`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  swell history                         the last 20 kept runs
  swell history --limit 100 --json
  swell history --tag branch=main       those with this tag
  swell history tag last version=1.4.2  add a tag
  swell history note last 'new index on orders'
  swell history baseline nightly        the run that later ones of its plan compare to
  swell history import results.jtl --plan shop.jmx

Runs are kept in ~/.local/share/swell/runs, or in the folder set by SWELL_RUNS."
)]
pub(crate) struct HistoryArgs {
    /// Number of runs to show, latest first
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// Show only runs with this tag; repeatable
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = Annotation::parse_tag)]
    pub(crate) tags: Vec<(String, String)>,
    /// Show only runs whose plan contains this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) plan: Option<String>,
    /// Print a JSON list
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<HistorySubcommand>,
}

/// Changes of kept runs.
#[derive(Debug, Subcommand)]
pub(crate) enum HistorySubcommand {
    /// Add tags to a run, or remove them
    Tag(TagArgs),
    /// Replace the note of a run
    Note(NoteArgs),
    /// Make a run the baseline of its plan
    Baseline(BaselineArgs),
    /// Add results files (JTL) of any tool to the kept runs
    Import(ImportArgs),
}

/// `swell history tag`.
#[derive(Debug, Args)]
pub(crate) struct TagArgs {
    /// Name of a kept run, or `last`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Tags to add; a value replaces the earlier one of its name
    #[arg(value_name = "NAME=VALUE", value_parser = Annotation::parse_tag, required_unless_present = "remove")]
    pub(crate) tags: Vec<(String, String)>,
    /// Name of a tag to remove; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) remove: Vec<String>,
}

/// `swell history note`.
#[derive(Debug, Args)]
pub(crate) struct NoteArgs {
    /// Name of a kept run, or `last`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The note; an empty text removes it
    #[arg(value_name = "TEXT", value_parser = Annotation::parse_note)]
    pub(crate) note: String,
}

/// `swell history baseline`.
#[derive(Debug, Args)]
pub(crate) struct BaselineArgs {
    /// Name of a kept run, or `last`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The plan of this run has no baseline any more
    #[arg(long)]
    pub(crate) remove: bool,
}

/// `swell history import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Results files: CSV or XML, also compressed with gzip
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Name of the kept run [default: from the file and its first sample]
    ///
    /// A number is appended if the name is taken.
    #[arg(long, value_name = "NAME", value_parser = check_name)]
    pub(crate) name: Option<String>,
    /// Plan that was run, for trends and baselines [default: the file name]
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: Option<String>,
    /// Tag of the run, such as version=1.4.2; repeatable
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = Annotation::parse_tag)]
    pub(crate) tags: Vec<(String, String)>,
    /// Note on the run
    #[arg(long, value_name = "TEXT", value_parser = Annotation::parse_note)]
    pub(crate) note: Option<String>,
}

/// `swell open`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell open last                       the report of the last run, in a browser
  swell open nightly --print            the path of the report")]
pub(crate) struct OpenArgs {
    /// Name of a kept run, `last`, or a run folder
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Print the report's path instead of opening it
    #[arg(long)]
    pub(crate) print: bool,
}
