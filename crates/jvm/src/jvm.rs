//! The one JVM of the process.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::native::{self, Machine};
use crate::{
    ClassPath, HomeError, JMeterHome, Java, JavaError, JvmFault, Transport, answer, archive, bridge, home,
    options, request,
};

/// How it is started.
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

/// Why it could not be started.
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

/// What makes two JVMs different.
#[derive(PartialEq)]
struct Identity {
    libjvm: PathBuf,
    options: Vec<String>,
}

/// The JVM of this process, once there is one. The JVM itself allows no second one and cannot be
/// ended.
static CREATED: Mutex<Option<(Identity, Machine)>> = Mutex::new(None);

type ExitCallback = Box<dyn Fn(i32) + Send>;

/// The callback for Java code that ends the process.
static ON_EXIT: Mutex<Vec<ExitCallback>> = Mutex::new(Vec::new());

/// Called by the JVM, on a separate thread, when Java code calls `System.exit`: all Java threads
/// have stopped by then.
extern "C" fn on_exit(status: i32) {
    native::set_exit_status(status);
    for callback in &*ON_EXIT.lock().unwrap_or_else(PoisonError::into_inner) {
        // Nothing may unwind into the JVM.
        drop(catch_unwind(AssertUnwindSafe(|| callback(status))));
    }
    // If this returned, the process would end here. The callback ends it in order instead.
    loop {
        std::thread::park();
    }
}

/// Told of a crash.
type CrashCallback = Box<dyn Fn() + Send>;

static ON_CRASH: Mutex<Vec<CrashCallback>> = Mutex::new(Vec::new());

/// How long the process lives on after a crash of the JVM, so that the callback can end it in
/// order.
const CRASH_GRACE: Duration = Duration::from_secs(30);

/// Called by the JVM on the thread that has crashed, when its report is written.
extern "C" fn on_crash() {
    native::set_exit_status(CRASHED);
    for callback in &*ON_CRASH.lock().unwrap_or_else(PoisonError::into_inner) {
        // Nothing may unwind into the JVM.
        drop(catch_unwind(AssertUnwindSafe(callback)));
    }
    // When this returns, the process is aborted. Its other threads run on till then.
    std::thread::sleep(CRASH_GRACE);
}

/// The status of a process that its own abort has ended (128 and SIGABRT).
const CRASHED: i32 = 134;

/// The JVM in this process. Copies are the same one.
#[derive(Clone, Copy)]
pub struct Jvm {
    machine: Machine,
}

impl Jvm {
    /// Finds Java and JMeter, creates the JVM if this process has none yet, and starts JMeter's
    /// classes in it. Takes a second or two.
    ///
    /// # Errors
    /// Something is not there or does not start.
    pub fn start(config: &Config) -> Result<Self, StartError> {
        let prepared = JvmInstallation::find(config)?;
        let message = prepared.start_message(config);
        let jvm =
            Self { machine: machine(Identity { libjvm: prepared.java.libjvm, options: prepared.options })? };
        jvm.tell(&message).map_err(StartError::JMeter)?;
        Ok(jvm)
    }

    /// Sends a request whose answer says only whether it was done.
    ///
    /// # Errors
    /// It was not.
    pub fn tell(self, request: &[u8]) -> Result<(), JvmFault> {
        let mut answer = Vec::new();
        self.call(request, &mut answer)?;
        answer::body(&answer).map(drop)
    }

    /// Has `callback` told the status when Java code ends the process (`System.exit`). From then on
    /// the JVM answers no call any more: what waits for one waits for ever, and the process has to
    /// end.
    pub fn on_exit(callback: impl Fn(i32) + Send + 'static) {
        ON_EXIT.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(callback));
    }

    /// Has `callback` told when native code crashes the JVM. It runs on the thread that has crashed
    /// and must not wait for others. The JVM answers no call any more, and the process is aborted
    /// half a minute later if it has not ended by then.
    pub fn on_crash(callback: impl Fn() + Send + 'static) {
        ON_CRASH.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(callback));
    }
}

impl Transport for Jvm {
    fn call(&self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), JvmFault> {
        self.machine.call(request, answer)
    }
}

/// What a JVM needs, found on this machine.
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
        let archive = archive::file(&folder, &java, &class_path);
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
            log_levels: &borrowed(&config.log_levels),
            system_properties: &borrowed(&config.system_properties),
            properties: &properties,
        };
        request::start(&mut message, &start);
        message
    }
}

fn machine(wanted: Identity) -> Result<Machine, StartError> {
    let mut created = CREATED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((identity, machine)) = &*created {
        return if *identity == wanted { Ok(*machine) } else { Err(StartError::OtherRuns) };
    }
    let machine = Machine::create(&wanted.libjvm, &wanted.options, on_exit, on_crash)
        .map_err(|reason| StartError::Create { libjvm: wanted.libjvm.clone(), reason })?;
    *created = Some((wanted, machine));
    Ok(machine)
}
