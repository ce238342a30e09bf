//! The rules.

use std::fmt::Write;

use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It may be meant.
    Note,
    /// It is hardly meant.
    Warning,
}

impl Severity {
    /// Its name in all forms of the findings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
        }
    }
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// How bad its findings are.
    pub level: Severity,
    /// What it finds.
    pub finds: &'static str,
    /// Why that matters.
    pub why: &'static str,
}

const fn warning(name: &'static str, finds: &'static str, why: &'static str) -> Rule {
    Rule { name, level: Severity::Warning, finds, why }
}

const fn note(name: &'static str, finds: &'static str, why: &'static str) -> Rule {
    Rule { name, level: Severity::Note, finds, why }
}

pub(super) const NEVER_SET: Rule = warning(
    "variable-never-set",
    "a variable that is read and that nothing sets",
    "JMeter sends the text ${name} itself",
);
pub(super) const MISSPELT: Rule = warning(
    "variable-misspelt",
    "a variable that nothing sets, with nearly the name of one that is set",
    "JMeter sends the text ${name} itself",
);
pub(super) const OTHER_GROUP: Rule = warning(
    "variable-of-other-group",
    "a variable that only elements of another thread group set",
    "each virtual user has separate variables; a property (__setProperty, __P) is shared",
);
pub(super) const NEVER_READ: Rule = note(
    "variable-never-read",
    "a variable that is set and that nothing in the plan reads",
    "the work to set it is wasted, or the place that reads it has another name",
);
pub(super) const NO_SAMPLER: Rule = warning(
    "no-sampler-in-scope",
    "an extractor, assertion, timer or pre-processor that no sampler is in the scope of",
    "it never runs: it applies to samplers below the element that it is in",
);
pub(super) const NO_COOKIES: Rule = note(
    "no-cookie-manager",
    "a thread group with HTTP requests and without an HTTP Cookie Manager",
    "cookies of responses are dropped, so each request is of a new session",
);
pub(super) const NO_TIMER: Rule = note(
    "no-timer",
    "a thread group that loops without a timer or another pause",
    "its users send as fast as the server responds, so a slower server gets less load",
);
pub(super) const ABSOLUTE_PATH: Rule = warning(
    "absolute-path",
    "a file with an absolute path",
    "the plan does not run on another machine or from another folder",
);
pub(super) const SECRET: Rule = warning(
    "secret-in-plan",
    "a password, a token or a key as text",
    "all who can read the plan or its history have it",
);
pub(super) const HOST: Rule = note(
    "hard-coded-host",
    "a host name as text in samplers",
    "the plan cannot be run against another environment without an edit",
);
pub(super) const RESULTS_TREE: Rule = warning(
    "view-results-tree",
    "an enabled View Results Tree that writes a file",
    "it is for debugging: with response data it writes each body to the disk during the load",
);
pub(super) const CHECKS_NOTHING: Rule =
    warning("assertion-checks-nothing", "an assertion without anything to check", "it always succeeds");

/// All rules.
pub const RULES: &[Rule] = &[
    NEVER_SET,
    MISSPELT,
    OTHER_GROUP,
    NEVER_READ,
    NO_SAMPLER,
    NO_COOKIES,
    NO_TIMER,
    ABSOLUTE_PATH,
    SECRET,
    HOST,
    RESULTS_TREE,
    CHECKS_NOTHING,
];

/// What `--fix` does, by rule.
const FIXES: &[(Rule, &str)] = &[
    (MISSPELT, "Write the name of the variable that is set, if there is exactly one near it."),
    (ABSOLUTE_PATH, "Write the relative name of a file in the plan's folder."),
    (CHECKS_NOTHING, "Disable the assertion."),
];

/// The reference page of the rules.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Rules of `swell lint`\n\n\
         This page is made from the rules in the program. `swell lint --rules` prints the same list. `--skip RULE` leaves one out.\n\n\
         | rule | level | finds | why it matters |\n|---|---|---|---|\n",
    );
    for Rule { name, level, finds, why } in RULES {
        let level = level.name();
        // Writing to a String cannot fail.
        _ = writeln!(page, "| `{name}` | {level} | {finds} | {} |", why.replace("${name}", "`${name}`"));
    }
    page.push_str(
        "\nA warning is hardly meant; a note may be. Exit status: 0 without warnings, 1 with warnings (with `--strict` also with \
         notes), 104 if a plan cannot be read.\n\n\
         ## What `--fix` changes\n\n| rule | change |\n|---|---|\n",
    );
    for (rule, does) in FIXES {
        _ = writeln!(page, "| `{}` | {does} |", rule.name);
    }
    page.push_str(
        "\n## What counts as set\n\n\
         A variable counts as set if an enabled element may set it where it is read: User Defined Variables, data sets (also by the first \
         line of the file), counters, extractors, JDBC columns, loops over variables, functions with a variable as argument, and scripts. \
         Elements and functions of unknown plug-ins may set every name in their texts. Code that is not in the plan (Java classes, included \
         files, scripts that hand `vars` on) may set any variable, so nothing is reported where it runs.\n",
    );
    page
}
