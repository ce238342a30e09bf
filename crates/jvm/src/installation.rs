//! The requirements of a JVM, and which of them this machine meets.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fmt, fs};

use crate::{ClassPath, HomeError, JMeterHome, Java, JavaError, JvmFault, bridge, home, options, request};

/// Start options of the JVM.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// `--java-home`.
    pub java_home: Option<PathBuf>,
    /// `--jmeter-home`.
    pub jmeter_home: Option<PathBuf>,
    /// The heap at most, in MB; none: [`Config::HEAP_MB`].
    pub heap_mb: Option<u32>,
    /// Jars and folders of the plan's own (`TestPlan.user_define_classpath`).
    pub class_path: Vec<PathBuf>,
    /// The whole path of the plan, by which scripts know its name and folder (`FileServer`).
    pub plan: Option<PathBuf>,
    /// Levels of the log by category; of the empty category for all others.
    pub log_levels: Vec<(String, String)>,
    /// What elements print is a part of the answers, as the run is traced; otherwise it goes to
    /// standard error.
    pub is_traced: bool,
    /// System properties (`-D`).
    pub system_properties: Vec<(String, String)>,
    /// JMeter's properties beyond its files.
    pub properties: Vec<(String, String)>,
}

impl Config {
    /// The heap where nothing else is said, in MB.
    pub const HEAP_MB: u32 = 512;

    /// The class path on that JMeter, without the jar of Swell.
    pub fn class_path(&self, home: &JMeterHome) -> ClassPath {
        let mut path = ClassPath::of(home);
        self.add_class_path(&mut path);
        path
    }

    /// Adds what properties and the plan name.
    fn add_class_path(&self, path: &mut ClassPath) {
        path.add_properties(|name| {
            self.properties.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        });
        for entry in &self.class_path {
            path.add(entry);
        }
    }
}

/// Why the JVM could not be started.
#[derive(Clone, Debug)]
pub enum StartError {
    /// Java was not found.
    Java(JavaError),
    /// JMeter was not found.
    Home(HomeError),
    /// The Java side of Swell could not be written into the cache.
    Unpack(PathBuf, String),
    /// The JVM could not be created.
    Create {
        /// Its library.
        libjvm: PathBuf,
        /// Why.
        reason: String,
    },
    /// It runs already, with another class path or another Java.
    OtherRuns,
    /// JMeter's classes did not start.
    JMeter(JvmFault),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Java(error) => error.fmt(f),
            Self::Home(error) => error.fmt(f),
            Self::Unpack(folder, reason) => write!(f, "cannot write into {}: {reason}", folder.display()),
            Self::Create { libjvm, reason } => {
                write!(f, "cannot create the JVM of {}: {reason}; its own message is above", libjvm.display())
            }
            Self::OtherRuns => f.write_str(
                "this process already has a JVM with another class path or Java; \
                                            there can be only one",
            ),
            Self::JMeter(fault) => write!(f, "JMeter's classes did not start: {fault}"),
        }
    }
}

impl std::error::Error for StartError {}

/// The requirements of a JVM, found on this machine.
pub(crate) struct JvmInstallation {
    pub(crate) java: Java,
    home: JMeterHome,
    pub(crate) options: Vec<String>,
    /// Where its class-data archive is or would be.
    pub(crate) archive: PathBuf,
}

impl JvmInstallation {
    pub(crate) fn find(config: &Config) -> Result<Self, StartError> {
        let java = Java::find(config.java_home.as_deref()).map_err(StartError::Java)?;
        let home = JMeterHome::find(config.jmeter_home.as_deref()).map_err(StartError::Home)?;
        let folder = home::cache().join("jvm");
        let jar = bridge::unpack(&folder).map_err(|e| StartError::Unpack(folder.clone(), e.to_string()))?;
        let mut class_path = ClassPath::of(&home);
        class_path.put_first(jar);
        // What a plan adds comes last: an archive is good for every class path that begins as its
        // own.
        let archive = archive_of(&folder, &java, &class_path);
        config.add_class_path(&mut class_path);
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let heap_mb = config.heap_mb.unwrap_or(Config::HEAP_MB);
        let options =
            options::options(&class_path, heap_mb, processors, Some(&archive).filter(|file| file.is_file()));
        Ok(Self { java, home, options, archive })
    }

    /// The first message to the Java side.
    pub(crate) fn start_message(&self, config: &Config) -> Vec<u8> {
        fn borrowed(list: &[(String, String)]) -> Vec<(&str, &str)> {
            list.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
        }
        let properties: Vec<_> =
            config.properties.iter().map(|(name, value)| (name.as_str(), Some(value.as_str()))).collect();
        let mut message = Vec::new();
        let start = request::Start {
            home: &self.home.folder().to_string_lossy(),
            plan: &config.plan.as_ref().map(|plan| plan.to_string_lossy()).unwrap_or_default(),
            is_traced: config.is_traced,
            log_levels: &borrowed(&config.log_levels),
            system_properties: &borrowed(&config.system_properties),
            properties: &properties,
        };
        request::start(&mut message, &start);
        message
    }
}

/// Where the class-data archive is for this Java and this class path; it is of no use for others.
/// The file need not be there.
fn archive_of(folder: &Path, java: &Java, class_path: &ClassPath) -> PathBuf {
    let mut key = vec![format!("{} {}", java.version, java.home.display())];
    for entry in class_path.entries() {
        let meta = fs::metadata(entry).ok();
        let changed = meta.as_ref().and_then(|meta| meta.modified().ok());
        let changed =
            changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_nanos());
        key.push(format!("{} {} {changed}", entry.display(), meta.map_or(0, |meta| meta.len())));
    }
    folder.join(format!("classes-{:016x}.jsa", bridge::digest(key.join("\n").as_bytes())))
}
