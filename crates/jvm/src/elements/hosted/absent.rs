//! Classes that are in no jar.

use crate::install::{artifact_of_class, project_of_class};

/// What is to be done about a class that no jar has.
pub(in super::super) fn no_jar_has(class: &str) -> String {
    const ABSENT: &str = "no jar on JMeter's class path has its class";
    let class = swell_plan::class_of(class);
    match (artifact_of_class(class), project_of_class(class)) {
        (Some(artifact), _) => format!("{ABSENT}; `swell jvm install {artifact}` fetches it"),
        (_, Some(project)) => format!(
            "{ABSENT}; `swell jvm install` does not have its plug-in: put the jar of {project} into \
             JMeter's `lib/ext`"
        ),
        _ if is_jmeters(class) => format!(
            "{ABSENT}, which is part of JMeter: `swell jvm install` fetches missing jars; another JMeter \
             needs its `ApacheJMeter_….jar` in `lib/ext`"
        ),
        _ => format!("{ABSENT}; put the plug-in's jar into JMeter's `lib/ext`"),
    }
}

/// Whether a class, by its short or its full name, is JMeter's own.
pub(in super::super) fn is_jmeters(class: &str) -> bool {
    swell_plan::class_of(class).starts_with("org.apache.jmeter.")
}
