//! Runs JMeter's command line.

use std::path::{Path, PathBuf};
use std::process::Command;

/// An assembled JMeter.
#[derive(Clone, Debug)]
pub struct JMeter {
    home: PathBuf,
    log_config: PathBuf,
}

/// The packages that `bin/jmeter` opens.
const OPENED: [&str; 5] = ["lang", "lang.invoke", "lang.reflect", "util", "text"];

impl JMeter {
    /// Returns the folder where `make parity` installs JMeter.
    pub fn usual_home() -> PathBuf {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
        cache.unwrap_or_default().join("swell/jmeter-5.6.3")
    }

    /// Returns the JMeter in `home`, made by `jmeter/assemble.sh`.
    ///
    /// # Errors
    /// JMeter is missing there; with what to do.
    pub fn find(home: &Path) -> Result<Self, String> {
        if !home.join("bin/ApacheJMeter.jar").is_file() {
            return Err(format!("no JMeter in {} (parity/jmeter/assemble.sh makes one)", home.display()));
        }
        let java = Command::new("java").arg("-version").output();
        if !java.is_ok_and(|output| output.status.success()) {
            return Err("no java that can be started".to_owned());
        }
        let log_config = Path::new(env!("CARGO_MANIFEST_DIR")).join("jmeter/log4j2.xml");
        Ok(Self { home: home.to_owned(), log_config })
    }

    /// Returns a command without GUI, with the release's user.properties and so on, in English, UTC
    /// and UTF-8.
    pub(super) fn command(&self, plan: &str, results: &str, properties: &[(String, String)]) -> Command {
        let mut java = Command::new("java");
        // C1 alone starts fastest, and the runs are too short for C2.
        java.args(["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]);
        let archive = self.home.join("swell.jsa");
        if archive.is_file() {
            java.arg(format!("-XX:SharedArchiveFile={}", archive.display())).arg("-Xlog:disable");
        }
        java.args(OPENED.map(|package| format!("--add-opens=java.base/java.{package}=ALL-UNNAMED")));
        java.args(["-Duser.language=en", "-Duser.region=US", "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8"]);
        java.arg("-jar").arg(self.home.join("bin/ApacheJMeter.jar"));
        java.args(["-n", "-t", plan, "-l", results, "-j", super::LOG]).arg("-i").arg(&self.log_config);
        // The version of Java is part of the User-Agent, and so of every message's size.
        java.arg(format!("-Djava.version={JAVA_VERSION}"));
        java.args(properties.iter().map(|(name, value)| format!("-J{name}={value}")));
        java
    }
}

/// The Java version that JMeter sees: that of the reference files and of Swell's User-Agent.
const JAVA_VERSION: &str = "17.0.15";
