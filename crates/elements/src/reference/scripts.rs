//! What is said of script elements.

/// What they do.
pub(super) const RUNS_SCRIPT: &str = "Runs a script of Groovy or BeanShell, without a script engine.";

/// Where they depart from JMeter.
pub(super) const SCRIPT_LIMITS: &[&str] = &[
    "Statements on variables, properties, texts, numbers, lists, dates, random numbers, JSON, the log and the sample are understood. `swell check` names what is not, and a plan with it is refused.",
    "A script in a file is refused.",
    "An exception has a text of Swell's own.",
];
