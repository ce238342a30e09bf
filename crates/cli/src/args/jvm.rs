//! Options of the JVM that runs scripts.

use std::path::PathBuf;

use super::properties::SettingArgs;
use crate::settings;
use clap::{Args, ValueEnum};
use swell_expr::Properties;
use swell_jvm::SCRIPT_TIMEOUT;
use swell_run::{JvmPlace, JvmSettings, ScriptMode};

/// Options of scripts and the JVM.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Scripts and the JVM")]
pub(crate) struct JvmArgs {
    /// Engine that runs the plan
    ///
    /// JMeter's own engine runs in the JVM, for plans that Swell runs differently and for
    /// comparisons. Its times are measured by JMeter.
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,
    /// Where scripts run
    ///
    /// `auto` runs simple scripts natively and all others in an embedded JVM, which needs Java 11
    /// or newer and JMeter's classes.
    #[arg(long, value_enum, default_value_t)]
    scripts: Scripts,
    /// How the JVM runs JSR223 and BeanShell elements
    ///
    /// `fast` compiles or parses a script once; `strict` is JMeter's own way.
    #[arg(long, value_enum, default_value_t)]
    jsr223: Jsr223,
    /// Java installation to use [default: JAVA_HOME, else `java` on the PATH]
    #[arg(long, value_name = "DIR")]
    java_home: Option<PathBuf>,
    /// Apache JMeter 5.6.3 installation whose classes and plug-ins the JVM uses
    ///
    /// The default is -d, else JMETER_HOME, else swell/jmeter-5.6.3 in the user's cache.
    #[arg(long, value_name = "DIR")]
    jmeter_home: Option<PathBuf>,
    /// Where the JVM runs
    ///
    /// In a `child` process, a crash or exit of the JVM does not end Swell.
    #[arg(long, value_enum, default_value_t)]
    jvm: Place,
    /// Maximum JVM heap in MB [default: 512]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(32..))]
    jvm_heap: Option<u32>,
    /// End the test if a script or JVM element runs longer than this [default: no limit]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    script_timeout: Option<u64>,
}

/// `--engine`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Swell's engine; thread groups of unknown plug-ins run in the JVM
    #[default]
    Swell,
    /// JMeter's engine for all thread groups
    #[value(name = "jmeter")]
    JMeter,
}

/// `--scripts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Scripts {
    /// Native where Swell understands the script, else the JVM
    #[default]
    Auto,
    /// Native only; a plan with other scripts is refused
    Native,
    /// JVM only
    Jvm,
}

/// `--jsr223`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Jsr223 {
    /// Compiled or parsed once
    #[default]
    Fast,
    /// JMeter's own elements, unchanged
    Strict,
}

/// `--jvm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Place {
    /// In Swell's process: the fastest calls
    #[default]
    #[value(name = "inprocess")]
    InProcess,
    /// In a separate process that is restarted if it ends
    Child,
}

impl JvmArgs {
    /// Properties of the run that options stand for.
    pub(crate) fn set_properties(&self, props: &Properties) {
        if let Some(ms) = self.script_timeout {
            props.set(SCRIPT_TIMEOUT, &ms.to_string());
        }
    }

    /// Where scripts run.
    pub(crate) fn mode(&self) -> ScriptMode {
        match self.scripts {
            Scripts::Auto => ScriptMode::Auto,
            Scripts::Native => ScriptMode::Native,
            Scripts::Jvm => ScriptMode::Jvm,
        }
    }

    /// The same as words of a command line, for a process that is to run scripts alike.
    pub(crate) fn words(&self) -> Vec<std::ffi::OsString> {
        let name =
            |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
        let chosen = [
            ("--engine", name(self.engine.to_possible_value())),
            ("--scripts", name(self.scripts.to_possible_value())),
            ("--jsr223", name(self.jsr223.to_possible_value())),
            ("--jvm", name(self.jvm.to_possible_value())),
            ("--jvm-heap", self.jvm_heap.map(|mb| mb.to_string())),
        ];
        let folders = [("--java-home", &self.java_home), ("--jmeter-home", &self.jmeter_home)];
        let texts = chosen.into_iter().filter_map(|(option, text)| Some([option.into(), text?.into()]));
        let paths =
            folders.into_iter().filter_map(|(option, path)| Some([option.into(), path.clone()?.into()]));
        texts.chain(paths).flatten().collect()
    }

    /// With which JVM. `levels` are those of `-L`, `[CATEGORY=]LEVEL`.
    pub(crate) fn settings(&self, args: &SettingArgs, levels: &[String]) -> JvmSettings {
        let homedir = args.homedir.as_ref();
        JvmSettings {
            log_levels: levels.iter().map(|text| log_level(text)).collect(),
            system_properties: settings::system_properties(args),
            java_home: self.java_home.clone(),
            jmeter_home: self.jmeter_home.as_ref().or(homedir).cloned(),
            heap_mb: self.jvm_heap,
            place: match self.jvm {
                Place::InProcess => JvmPlace::InProcess,
                Place::Child => JvmPlace::Child,
            },
            runs_all_groups: self.engine == Engine::JMeter,
            strict: self.jsr223 == Jsr223::Strict,
            ..JvmSettings::default()
        }
    }
}

/// A category with its level. JMeter adds the prefix `org.apache.` to names of its packages.
fn log_level(text: &str) -> (String, String) {
    let (category, level) = text.rsplit_once('=').unwrap_or(("", text));
    let is_short = category.starts_with("jmeter") || category.starts_with("jorphan");
    let package = if is_short { "org.apache." } else { "" };
    (format!("{package}{category}"), level.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_categories_are_those_of_java_packages() {
        let level = |text| log_level(text);
        assert_eq!(level("debug"), (String::new(), "DEBUG".to_owned()));
        assert_eq!(level("jmeter.engine=DEBUG"), ("org.apache.jmeter.engine".to_owned(), "DEBUG".to_owned()));
        assert_eq!(level("com.example=warn"), ("com.example".to_owned(), "WARN".to_owned()));
    }
}
