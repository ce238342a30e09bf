//! Settings for elements on the JVM.

use std::path::PathBuf;

use crate::JvmPlace;

/// Settings for elements on the JVM.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub struct JvmSettings {
    /// Where Java is (`--java-home`); none: `JAVA_HOME`, else `java` on the path.
    pub java_home: Option<PathBuf>,
    /// Where JMeter is (`--jmeter-home`); none: `JMETER_HOME`, else what `swell jvm install`
    /// fetched.
    pub jmeter_home: Option<PathBuf>,
    /// The heap at most, in MB.
    pub heap_mb: Option<u32>,
    /// Levels of the log by category; of the empty category for all others.
    pub log_levels: Vec<(String, String)>,
    /// The run is traced: what elements print is a part of the trace.
    pub is_traced: bool,
    /// Properties of the Java system (`-D`, `-S`).
    pub system_properties: Vec<(String, String)>,
    /// Jars and folders of the plan's own ([`class_path_of_plan`](crate::class_path_of_plan)).
    pub class_path: Vec<PathBuf>,
    /// The whole path of the plan, by which scripts know its name and folder (`FileServer`).
    pub plan: Option<PathBuf>,
    /// JMeter's elements of JSR223 and BeanShell run unchanged: slower, for doubt and for
    /// comparisons.
    pub strict: bool,
    /// Functions with scripts run on the JVM, also those whose scripts Swell understands.
    pub takes_all_scripts: bool,
    /// Where the JVM runs.
    pub place: JvmPlace,
    /// JMeter's own engine runs all thread groups.
    pub runs_all_groups: bool,
    /// The JVM is not started: a plan is only looked at.
    pub only_looks: bool,
}
