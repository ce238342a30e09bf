//! What is said of script elements.

/// What they do.
pub(super) const RUNS_SCRIPT: &str = "Runs a script of Groovy or BeanShell, without a script engine.";

/// Where they depart from JMeter.
pub(super) const SCRIPT_LIMITS: &[&str] = &[
    "Statements on variables, properties, texts, numbers, random numbers, the log and the sample are understood, where the type of each value is known before the script runs: no lists, maps, closures, dates, JSON or library classes. `swell check` names what is not understood, and a plan with it is refused.",
    "Where only the run shows that a script is not understood (its text comes from a variable), the test ends with exit status 107 and the verdict is INVALID.",
    "BeanShell in a JSR223 element is refused; in BeanShell elements it runs.",
    "A script in a file is refused.",
    "An exception has a text of Swell's own.",
];
