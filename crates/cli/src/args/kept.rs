//! Options on what is kept of a run, and by which thresholds it is judged.

use std::path::PathBuf;

use clap::Args;
use swell_results::export::Destination;

/// What is kept of a run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct KeepArgs {
    /// Keep the run in this folder, which must be new or empty [default of `run`: a folder of its own in the folder of runs; of `hit`:
    /// nothing is kept]
    #[arg(long, value_name = "DIR", help_heading = "Kept runs", conflicts_with = "no_run_dir")]
    pub(crate) run_dir: Option<PathBuf>,
    /// Keep nothing of the run
    #[arg(long, help_heading = "Kept runs")]
    pub(crate) no_run_dir: bool,
    /// Keep the run under this name; where there is one of that name already, -2 is put behind it
    #[arg(long = "name", value_name = "NAME", help_heading = "Kept runs", conflicts_with = "no_run_dir", value_parser = run_name)]
    pub(crate) run_name: Option<String>,
}

/// Rules that a run must keep.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ThresholdArgs {
    /// A rule that the run must keep, such as 'p(95)<500ms', 'errors<1%', 'label("Login"): p(99)<800ms for 10s abort'; may be repeated
    #[arg(long = "threshold", value_name = "RULE", help_heading = "Thresholds")]
    pub(crate) rules: Vec<String>,
    /// A file of rules, one a line; empty lines and those after # are left out
    #[arg(long = "thresholds", value_name = "FILE", help_heading = "Thresholds")]
    pub(crate) rules_file: Option<PathBuf>,
    /// The run that rules with `baseline` compare to: a name of `swell history`, or a folder of a run
    #[arg(long, value_name = "RUN", help_heading = "Thresholds")]
    pub(crate) baseline: Option<String>,
    /// Write what became of the rules as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Thresholds")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the figures for GitLab's load-performance report
    #[arg(long, value_name = "FILE", help_heading = "Thresholds")]
    pub(crate) gitlab: Option<PathBuf>,
}

/// Where the figures of the run go while it goes on.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ExportArgs {
    /// Give the figures of the run to another system while it goes on: prometheus=ADDRESS:PORT serves them for a Prometheus server to
    /// fetch, remote-write=URL and otlp=URL send them; may be repeated
    #[arg(long, value_name = "KIND=WHERE", help_heading = "Exports")]
    pub(crate) export: Vec<Destination>,
}

/// A name is a file name, too.
fn run_name(text: &str) -> Result<String, String> {
    let is_fine = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if text.is_empty() || text.starts_with('.') || text.len() > 100 || !text.chars().all(is_fine) {
        return Err("a name has letters, digits, `-`, `_` and `.`, does not begin with a point, and has at most 100 bytes".to_owned());
    }
    if text == "last" {
        return Err("`last` is the run that began last, whatever its name".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_file_names() {
        for name in ["nightly-1.2", "Größe_3"] {
            assert_eq!(run_name(name).as_deref(), Ok(name));
        }
        for name in ["", "a/b", "..", "last", ".hidden", "a b", "a\n", &"x".repeat(101)] {
            run_name(name).expect_err(name);
        }
    }
}
