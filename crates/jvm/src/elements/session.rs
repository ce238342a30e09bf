//! The JVM of one run, which all of its elements share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use swell_api::Broken;
use swell_expr::Properties;

use super::script::Script;
use crate::{Config, Jvm, request};

/// A run of this process uses the JVM: JMeter's classes keep properties and variables of one test.
static IN_USE: Mutex<bool> = Mutex::new(false);
/// It uses the JVM no more.
static RELEASED: Condvar = Condvar::new();
/// How long a run waits for the one before it, which may be at its end.
const RELEASE_LIMIT: Duration = Duration::from_secs(10);

/// Stack of the threads that start the JVM or end a test; calls need more than threads have by default.
const STACK: usize = 8 << 20;

/// A property that changed; none: it is gone.
pub(super) type PropertyChange = (String, Option<String>);

/// The JVM of a run.
pub(super) struct Session {
    config: Config,
    /// Elements of JSR223 and BeanShell run unchanged.
    pub(super) is_strict: bool,
    props: Arc<Properties>,
    started: OnceLock<Result<Jvm, String>>,
    holds: AtomicBool,
    scripts: Mutex<HashMap<String, Arc<Script>>>,
    synced: Mutex<Synced>,
}

/// The properties as the JVM knows them.
#[derive(Default)]
struct Synced {
    version: u64,
    known: HashMap<String, String>,
}

impl Session {
    pub(super) fn new(config: Config, is_strict: bool, props: Arc<Properties>) -> Self {
        Self {
            config,
            is_strict,
            props,
            started: OnceLock::new(),
            holds: AtomicBool::new(false),
            scripts: Mutex::default(),
            synced: Mutex::default(),
        }
    }

    /// Has `broken` called when a script ends the process, of which this run is a part.
    pub(super) fn watch(self: &Arc<Self>, broken: Broken) {
        let session = Arc::downgrade(self);
        Jvm::on_exit(move |status| {
            let session = session.upgrade().filter(|session| session.holds.load(Ordering::SeqCst));
            if session.is_some() {
                broken(&format!("a script called System.exit({status}); the test stops at once"));
            }
        });
    }

    /// Starts the JVM, and does not wait for it.
    pub(super) fn start_in_background(self: &Arc<Self>) {
        let session = self.clone();
        let thread = std::thread::Builder::new().name("jvm-start".to_owned());
        // Where no thread is to be had, the first who needs the JVM starts it.
        let _ = thread.spawn(move || session.jvm().map(drop));
    }

    /// The JVM, started if it was not; waits for it.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn jvm(&self) -> Result<Jvm, String> {
        self.started.get_or_init(|| self.start()).clone()
    }

    fn start(&self) -> Result<Jvm, String> {
        let in_use = in_use();
        let waited = RELEASED.wait_timeout_while(in_use, RELEASE_LIMIT, |in_use| *in_use);
        let (mut in_use, wait) = waited.unwrap_or_else(PoisonError::into_inner);
        if wait.timed_out() {
            return Err("another test of this process uses the JVM; run one after the other".to_owned());
        }
        *in_use = true;
        drop(in_use);
        self.holds.store(true, Ordering::SeqCst);
        let entries = self.props.entries();
        let config = Config { properties: entries.clone(), ..self.config.clone() };
        *self.synced() = Synced { version: self.props.version(), known: entries.into_iter().collect() };
        on_large_stack(|| Jvm::start(&config).map_err(|error| error.to_string()))
    }

    /// The script known by a key, made on first use.
    pub(super) fn script(&self, key: String, make: impl FnOnce(u32) -> Script) -> Arc<Script> {
        static NUMBERS: AtomicU32 = AtomicU32::new(1);
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(make(NUMBERS.fetch_add(1, Ordering::Relaxed)));
        scripts.entry(key).or_insert_with(make).clone()
    }

    /// A number that no other user of the process has.
    pub(super) fn user_number() -> u64 {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        NUMBERS.fetch_add(1, Ordering::Relaxed)
    }

    /// Properties that changed since the JVM was told last.
    pub(super) fn property_changes(&self) -> Vec<PropertyChange> {
        let mut synced = self.synced();
        let version = self.props.version();
        if synced.version == version {
            return Vec::new();
        }
        synced.version = version;
        let now: HashMap<_, _> = self.props.entries().into_iter().collect();
        let gone = synced.known.keys().filter(|name| !now.contains_key(*name));
        let mut changes: Vec<PropertyChange> = gone.map(|name| (name.clone(), None)).collect();
        let set = now.iter().filter(|(name, value)| synced.known.get(*name) != Some(value));
        changes.extend(set.map(|(name, value)| (name.clone(), Some(value.clone()))));
        synced.known = now;
        changes
    }

    /// A script changed a property.
    pub(super) fn property_changed(&self, name: &str, value: Option<&str>) {
        let mut synced = self.synced();
        if let Some(value) = value {
            self.props.set_foreign(name, value);
            synced.known.insert(name.to_owned(), value.to_owned());
        } else {
            self.props.remove(name);
            synced.known.remove(name);
        }
    }

    fn synced(&self) -> MutexGuard<'_, Synced> {
        self.synced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run is over: another may use the JVM. A script that has not ended by now goes on for nobody.
    pub(super) fn end(&self) {
        if !self.holds.swap(false, Ordering::SeqCst) {
            return;
        }
        if let Some(Ok(jvm)) = self.started.get() {
            let mut message = Vec::new();
            request::test_ended(&mut message);
            // What it kept of this test is forgotten with the next at the latest.
            let _ = on_large_stack(|| jvm.tell(&message).map_err(|fault| fault.to_string()));
        }
        *in_use() = false;
        RELEASED.notify_one();
    }
}

impl Drop for Session {
    /// The JVM may have come up after the run was given up.
    fn drop(&mut self) {
        self.end();
    }
}

fn in_use() -> MutexGuard<'static, bool> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("jvm-call".to_owned()).stack_size(STACK);
        let running = thread.spawn_scoped(scope, work).map_err(|error| format!("no thread: {error}"))?;
        running.join().unwrap_or_else(|_| Err("internal error: the call panicked".to_owned()))
    })
}
