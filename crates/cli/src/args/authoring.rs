//! Options of the commands that look at a plan as text: show, set, diff, lint, fmt; and `--set`.

use std::path::PathBuf;

use clap::Args;
use swell_elements::Question;

use super::debug::question;

use super::TextPlanArgs;

/// Changes of the plan by the command line.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SetArgs {
    /// Set a property of the plan's elements, such as Users/num_threads=50; repeatable
    ///
    /// A path has names or classes of elements, with `*`, `?` and `**`, and a property at its end:
    /// '/**/HTTPSampler.domain=127.0.0.1'. Names with a slash are in double quotes. The file does
    /// not change; `swell set` writes it. `--set list` prints all paths and values.
    #[arg(long = "set", value_name = "PATH=VALUE", help_heading = "Properties and proxy")]
    pub(crate) sets: Vec<String>,
    #[command(flatten)]
    pub(crate) text: TextPlanArgs,
}

/// `swell show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell show plan.jmx
  swell show plan.jmx --json
  swell show plan.jmx --html > plan.html
  git config diff.jmx.textconv 'swell show --stable'    with `*.jmx diff=jmx` in .gitattributes

One line for each element: number, kind, name, variables that it sets (->), settings that are not
the default. Then each variable with the elements that set and read it.

Exit status: 0, or 104 if the plan cannot be read.")]
pub(crate) struct ShowArgs {
    /// Plan to show
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// Print one JSON object
    #[arg(long, conflicts_with_all = ["stable", "html"])]
    pub(crate) json: bool,
    /// Print all properties without line numbers, for `git diff`
    #[arg(long, conflicts_with = "html")]
    pub(crate) stable: bool,
    /// Print an HTML page
    #[arg(long)]
    pub(crate) html: bool,
    #[command(flatten)]
    pub(crate) set: SetArgs,
}

/// `swell set`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell set plan.jmx list                                      all paths and their values
  swell set plan.jmx Users/num_threads=50                      show what would change
  swell set plan.jmx Users/num_threads=50 -i
  swell set plan.jmx '/**/HTTPSampler.domain=127.0.0.1' -o local.jmx
  swell set plan.jmx 'Users/\"POST /login\"/arguments[user]=ada' -i
  swell set plan.jmx '/**/View Results Tree/enabled=false' -i
  swell set plan.jmx --below 'Users/\"POST /order\"' --extract 'order_id=$.order.id' -i
  swell set plan.jmx --below 'Users/\"GET /order\"' --assert '$.order.status' --equals open -i

Names or classes lead to an element, a property of it comes last, whole or without what is before
its last dot. `*` and `?` stand for text, `**` for any number of levels, [2] for the second of its
siblings. A path that starts with / starts below the Test Plan. Without wildcards it has to match
one element. Every byte that is not part of a value stays. --below names a sampler: extractors and
assertions are added as its last elements, in JMeter's layout.

Exit status: 0, or 104 if a path matches nothing, is ambiguous, a value is invalid or a name taken.")]
pub(crate) struct SetCommandArgs {
    /// Plan to change
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// Paths and values, or `list`
    #[arg(value_name = "PATH=VALUE", required_unless_present = "below")]
    pub(crate) sets: Vec<String>,
    /// Path of the sampler that extractors and assertions are added to
    #[arg(long, value_name = "PATH")]
    pub(crate) below: Option<String>,
    /// Add an extractor of the first match into a variable; repeatable
    ///
    /// The expression is $.path, //xpath, css:SELECTOR, css:SELECTOR@ATTRIBUTE, re:PATTERN,
    /// bound:LEFT|RIGHT or jmes:PATH, as in `swell debug --test`.
    #[arg(long = "extract", value_name = "NAME=EXPR", requires = "below")]
    pub(crate) extracts: Vec<String>,
    /// Add an assertion that the response body has it: $.path, //xpath, re:PATTERN or jmes:PATH
    #[arg(long = "assert", value_name = "EXPR", requires = "below", value_parser = question)]
    pub(crate) asserts: Vec<Question>,
    /// Let the assertion compare the JSON value with this text
    #[arg(long, value_name = "VALUE", requires = "asserts")]
    pub(crate) equals: Option<String>,
    /// Write the changes to the plan itself
    #[arg(short = 'i', long, conflicts_with = "output")]
    pub(crate) in_place: bool,
    /// Write the changed plan to this file; - is standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing output file
    #[arg(short = 'f', long, requires = "output")]
    pub(crate) force: bool,
}

/// `swell diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell diff old.jmx new.jmx
  swell diff old.jmx new.jmx --json

Elements are matched by place and name. Ignored: classes of JMeter's editor, names that are hashes,
the order of attributes and properties, the layout, and the version that saved the file.

Exit status: 0 if the plans are the same, 1 if they differ, 104 if one cannot be read.")]
pub(crate) struct DiffArgs {
    /// First plan
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// Second plan
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `swell lint`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell lint plan.jmx
  swell lint plans/ --skip no-timer --skip hard-coded-host
  swell lint plan.jmx --fix                   make the changes that are safe
  swell lint plans/ --sarif > lint.sarif      for code review
  swell lint --rules                          all rules

Exit status: 0 without warnings, 1 with warnings (with --strict also with notes), 104 if a plan
cannot be read.")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct LintArgs {
    /// Plans, or folders that contain plans
    #[arg(value_name = "PLAN", required_unless_present = "rules")]
    pub(crate) plans: Vec<PathBuf>,
    /// Make the changes that are safe
    #[arg(long)]
    pub(crate) fix: bool,
    /// Leave out a rule; repeatable
    #[arg(long, value_name = "RULE", value_parser = rule())]
    pub(crate) skip: Vec<String>,
    /// Exit with status 1 also if there are only notes
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print one JSON object per plan
    #[arg(long, conflicts_with = "sarif")]
    pub(crate) json: bool,
    /// Print a SARIF 2.1.0 log of all plans
    #[arg(long)]
    pub(crate) sarif: bool,
    /// Print all rules
    #[arg(long)]
    pub(crate) rules: bool,
}

fn rule() -> clap::builder::PossibleValuesParser {
    swell_author::RULES.iter().map(|rule| rule.name).into()
}

/// `swell fmt`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell fmt plan.jmx                  rewrite it in JMeter's layout
  swell fmt plans/ --check            only say which plans have another layout

Only blanks, line ends, escapes, quotes and the form of empty elements change. Names, values, their
order and comments stay.

Exit status: 0, with --check 1 if a plan has another layout, 104 if a plan cannot be read.")]
pub(crate) struct FmtArgs {
    /// Plans, or folders that contain plans
    #[arg(value_name = "PLAN", required = true)]
    pub(crate) plans: Vec<PathBuf>,
    /// Change nothing; name the plans that have another layout
    #[arg(long)]
    pub(crate) check: bool,
}
