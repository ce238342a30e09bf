//! Which Java and which classes of JMeter a plan would run on.

use swell_jvm::{JMeterHome, Java};

/// One line for `--version`: what a plan on the JVM would run on.
pub(crate) fn in_short() -> String {
    let java = Java::find(None).map_or_else(
        |_| "no Java".to_owned(),
        |java| format!("Java {} in {}", java.version, java.home.display()),
    );
    let home = JMeterHome::find(None).map_or_else(
        |_| "no classes of JMeter".to_owned(),
        |home| format!("JMeter {} in {}", home.version().unwrap_or_default(), home.folder().display()),
    );
    format!("scripts and plug-ins run on: {java}, {home} (`swell jvm status`)")
}
