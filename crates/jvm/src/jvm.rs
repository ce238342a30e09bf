//! The single JVM of the process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use parking_lot::Mutex;

use crate::installation::{Config, JvmInstallation, StartError};
use crate::native::{self, Machine};
use crate::{JvmFault, Transport, answer};

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
    for callback in &*ON_EXIT.lock() {
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
    for callback in &*ON_CRASH.lock() {
        // Nothing may unwind into the JVM.
        drop(catch_unwind(AssertUnwindSafe(callback)));
    }
    // When this returns, the process is aborted. Its other threads run on till then.
    std::thread::sleep(CRASH_GRACE);
}

/// The status of a process that its own abort has ended (128 and SIGABRT).
const CRASHED: i32 = 134;

/// The JVM in this process. Copies refer to the same JVM.
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
        ON_EXIT.lock().push(Box::new(callback));
    }

    /// Has `callback` told when native code crashes the JVM. It runs on the thread that has crashed
    /// and must not wait for others. The JVM answers no call any more, and the process is aborted
    /// half a minute later if it has not ended by then.
    pub fn on_crash(callback: impl Fn() + Send + 'static) {
        ON_CRASH.lock().push(Box::new(callback));
    }
}

impl Transport for Jvm {
    fn call(&self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), JvmFault> {
        self.machine.call(request, answer)
    }
}

fn machine(wanted: Identity) -> Result<Machine, StartError> {
    let mut created = CREATED.lock();
    if let Some((identity, machine)) = &*created {
        return if *identity == wanted { Ok(*machine) } else { Err(StartError::OtherRuns) };
    }
    let machine = Machine::create(&wanted.libjvm, &wanted.options, on_exit, on_crash)
        .map_err(|reason| StartError::Create { libjvm: wanted.libjvm.clone(), reason })?;
    *created = Some((wanted, machine));
    Ok(machine)
}
