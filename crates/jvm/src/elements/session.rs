//! The JVM of one run, shared by all its elements.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};
use swell_api::Broken;
use swell_expr::{Host, Level, Properties};

use super::groups::{GroupPlan, last_logs};
use super::hosted::HostedPlan;
use super::log;
use super::script::Script;
use crate::child::OnEnd;
use crate::hosted::Classes;
use crate::java_side::JavaSide;
use crate::native;
use crate::{
    Child, Config, JMeterHome, Jvm, JvmFault, JvmPlace, LogLine, Transport as _, ValueChange, request,
};

/// A run of this process uses the JVM: JMeter's classes keep properties and variables of one test.
static IN_USE: Mutex<bool> = Mutex::new(false);
/// It uses the JVM no more.
static RELEASED: Condvar = Condvar::new();
/// How long a run waits for the one before it, which may be at its end.
const RELEASE_LIMIT: Duration = Duration::from_secs(10);

/// How long elements may take for the end of the test, such as a listener that sends what it still
/// has. JMeter waits for ever.
const END_LIMIT: Duration = Duration::from_mins(1);

/// Stack of the threads that start the JVM or end a test; calls need more than threads have by
/// default.
const STACK: usize = 8 << 20;

/// How often a child process is started again in one run: what ends that many ends them all.
const RESTARTS: u32 = 10;

/// A changed property; `None` if it was removed.
pub(super) type PropertyChange = (String, Option<String>);

/// The JVM of a run.
pub(super) struct Session {
    config: Config,
    /// Elements of JSR223 and BeanShell run unchanged.
    pub(super) is_strict: bool,
    pub(super) props: Arc<Properties>,
    place: JvmPlace,
    /// A reference to itself, for the callback at the end of a child.
    me: Weak<Self>,
    /// The Java side; none before it was started.
    serving: RwLock<Option<Result<JavaSide, String>>>,
    /// The number of the Java side that calls are for ([`JavaSide::number`]).
    number: AtomicU32,
    broken: OnceLock<Broken>,
    /// It began to use a JVM, and did not end.
    holds: AtomicBool,
    /// Tells the end of the test, while it is notified to elements, that the JVM has ended.
    ending: Mutex<Option<Sender<Notified>>>,
    /// The run has finished: nothing is started any more.
    is_over: AtomicBool,
    /// Native code has crashed the JVM of this process.
    has_crashed: AtomicBool,
    /// What was said once.
    said: Mutex<HashSet<String>>,
    /// The classes that the JVM will have; `None` without JMeter.
    classes: OnceLock<Option<Classes>>,
    scripts: Mutex<HashMap<String, Arc<Script>>>,
    hosted: OnceLock<HostedPlan>,
    /// How the child process before this one has ended.
    last_end: Mutex<String>,
    synced: Mutex<SyncedProperties>,
    /// What runs in the JVM now, by number.
    running: Mutex<BTreeMap<u64, Running>>,
    calls: AtomicU64,
    /// Thread groups that run whole on JMeter's engine.
    pub(super) groups: GroupPlan,
}

/// What runs in the JVM, and the thread that waits for it.
struct Running {
    place: Arc<str>,
    thread: i32,
}

/// The answer of elements to the end of the test.
type Notified = Result<Vec<u8>, String>;

/// The properties as the JVM knows them.
#[derive(Default)]
struct SyncedProperties {
    version: u64,
    known: HashMap<String, String>,
}

impl Session {
    pub(super) fn new(config: Config, place: JvmPlace, is_strict: bool, props: Arc<Properties>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            config,
            is_strict,
            props,
            place,
            me: me.clone(),
            serving: RwLock::default(),
            number: AtomicU32::new(1),
            broken: OnceLock::new(),
            holds: AtomicBool::new(false),
            ending: Mutex::default(),
            is_over: AtomicBool::new(false),
            has_crashed: AtomicBool::new(false),
            said: Mutex::default(),
            classes: OnceLock::new(),
            scripts: Mutex::default(),
            hosted: OnceLock::new(),
            last_end: Mutex::default(),
            synced: Mutex::default(),
            running: Mutex::default(),
            calls: AtomicU64::new(0),
            groups: GroupPlan::default(),
        })
    }

    /// Has `broken` called when a script ends the process, of which this run is a part.
    pub(super) fn watch(self: &Arc<Self>, broken: Broken) {
        // A run has one that listens.
        let _ = self.broken.set(broken);
        if self.place == JvmPlace::InProcess {
            let session = self.me.clone();
            let crashed = self.me.clone();
            Jvm::on_exit(move |status| session.upgrade().iter().for_each(|session| session.exited(status)));
            Jvm::on_crash(move || crashed.upgrade().iter().for_each(|session| session.crashed()));
        }
    }

    /// The status with which Java code has ended the JVM of this process; none if it has not.
    pub(super) fn exit_status(&self) -> Option<i32> {
        native::exit_status().filter(|_| self.place == JvmPlace::InProcess)
    }

    /// A script has called `System.exit`.
    fn exited(&self, status: i32) {
        self.end_run(&format!(
            "a script called System.exit({status}); the test stops at once{}",
            self.whereabouts()
        ));
        self.give_up_ending("a script called System.exit");
    }

    /// Native code has crashed the JVM of this process, which answers no call any more. Called on
    /// the thread that has crashed.
    fn crashed(&self) {
        self.has_crashed.store(true, Ordering::SeqCst);
        let thread = native::thread_number();
        let running = self.running.lock();
        let place =
            running.values().find(|running| running.thread == thread).map(|found| found.place.clone());
        drop(running);
        let (background, place) = match place {
            Some(place) => ("", format!(" [{place}]")),
            None => (" in a background thread", String::new()),
        };
        self.end_run(&format!(
            "native code crashed the JVM{background} (its report is hs_err_pid{}.log); the test stops at once{place}\n  \
             hint: with `--jvm=child` the JVM runs in a separate process, and the test continues",
            std::process::id(),
        ));
        self.give_up_ending("native code crashed the JVM");
    }

    /// Nothing waits any longer for elements that are notified of the end.
    fn give_up_ending(&self, why: &str) {
        if let Some(ending) = &*self.ending() {
            // They may have answered.
            let _ = ending.send(Err(why.to_owned()));
        }
    }

    /// What runs in the JVM now, as the end of a message.
    fn whereabouts(&self) -> String {
        const SHOWN: usize = 3;
        let running = self.running.lock();
        let places: BTreeSet<&str> = running.values().map(|running| &*running.place).collect();
        let shown = places.iter().take(SHOWN).copied().collect::<Vec<_>>().join(" or ");
        match places.len() {
            0 => String::new(),
            count @ 1..=SHOWN => format!(" [{shown}{}]", if count == 1 { "" } else { ", which ran" }),
            count => format!(" [{shown} or {} others, which ran]", count - SHOWN),
        }
    }

    /// Notes that this thread runs something in the JVM, until what comes back is dropped.
    pub(super) fn runs(&self, place: Arc<str>) -> Runs<'_> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let running = Running { place, thread: native::thread_number() };
        self.running.lock().insert(number, running);
        Runs { session: self, number }
    }

    /// Stops the test at once; why.
    pub(super) fn end_run(&self, reason: &str) {
        // At the end, the second begins before the first ends.
        let is_used = || self.holds.load(Ordering::SeqCst) || self.ending().is_some();
        if let Some(broken) = self.broken.get().filter(|_| is_used()) {
            broken(reason);
        }
    }

    /// Starts the JVM, and does not wait for it.
    pub(super) fn start_in_background(self: &Arc<Self>) {
        let session = self.clone();
        let thread = std::thread::Builder::new().name("jvm-start".to_owned());
        // Where no thread is to be had, the first who needs the JVM starts it.
        let _ = thread.spawn(move || {
            // A child process takes after this thread.
            swell_net::machine::give_way();
            session.jvm().map(drop)
        });
    }

    /// The number of the Java side that a call is for that is made now.
    pub(super) fn side_number(&self) -> u32 {
        self.number.load(Ordering::SeqCst)
    }

    /// How the child process that ended last has done so.
    pub(super) fn last_end(&self) -> String {
        self.last_end.lock().clone()
    }

    /// The Java side, started if it was not, or if the child process has ended; waits for it.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn jvm(&self) -> Result<JavaSide, String> {
        let serves = |side: &Result<JavaSide, String>| !matches!(side, Ok(side) if side.has_ended());
        let serving = self.serving.read();
        if let Some(side) = serving.as_ref().filter(|side| serves(side)) {
            return side.clone();
        }
        drop(serving);
        let mut serving = self.serving.write();
        if let Some(side) = serving.as_ref().filter(|side| serves(side)) {
            return side.clone();
        }
        if self.is_over.load(Ordering::SeqCst) {
            return Err("the test has ended".to_owned());
        }
        let side = match self.place {
            JvmPlace::InProcess => self.start_in_process(),
            JvmPlace::Child => self.start_child(),
        };
        serving.insert(side).clone()
    }

    /// The Java side if it serves now.
    pub(super) fn serving(&self) -> Option<JavaSide> {
        let serving = self.serving.read();
        let side = serving.as_ref()?.as_ref().ok()?;
        (!side.has_ended()).then(|| side.clone())
    }

    fn start_in_process(&self) -> Result<JavaSide, String> {
        let mut in_use = in_use();
        let wait = RELEASED.wait_while_for(&mut in_use, |in_use| *in_use, RELEASE_LIMIT);
        if wait.timed_out() {
            return Err("another test of this process uses the JVM: run them one after the other, or each \
                        with its own JVM (`--jvm=child`)"
                .to_owned());
        }
        *in_use = true;
        drop(in_use);
        self.holds.store(true, Ordering::SeqCst);
        let config = self.config_now();
        let started = on_large_stack(|| Jvm::start(&config).map_err(|error| error.to_string()));
        started.map(JavaSide::in_process)
    }

    fn start_child(&self) -> Result<JavaSide, String> {
        let number = self.side_number();
        if number > RESTARTS {
            let reason = format!("the JVM process ended {RESTARTS} times; it is not restarted");
            self.end_run(&format!("{reason}: the test stops at once"));
            return Err(reason);
        }
        self.holds.store(true, Ordering::SeqCst);
        let is_up = Arc::new(AtomicBool::new(false));
        let started = Child::start_watched(&self.config_now(), self.on_end(number, is_up.clone()));
        let child = started.map_err(|error| error.to_string())?;
        is_up.store(true, Ordering::SeqCst);
        Ok(JavaSide::child(number, child))
    }

    /// What is done when the child of that number has ended: calls from now on are for the next.
    /// One that did not come up tells so itself.
    fn on_end(&self, number: u32, is_up: Arc<AtomicBool>) -> OnEnd {
        let session = self.me.clone();
        Box::new(move |status, how| {
            let Some(session) = session.upgrade() else { return };
            how.clone_into(&mut session.last_end.lock());
            session.number.fetch_max(number + 1, Ordering::SeqCst);
            if let Some(status) = status.filter(|_| is_up.load(Ordering::SeqCst)) {
                session.exited(status);
            }
        })
    }

    /// The configuration with the properties as they are now, which the JVM then knows.
    fn config_now(&self) -> Config {
        let entries = self.props.entries();
        let config = Config { properties: entries.clone(), ..self.config.clone() };
        *self.synced() =
            SyncedProperties { version: self.props.version(), known: entries.into_iter().collect() };
        config
    }

    /// Takes what of the plan JMeter's own elements run.
    pub(super) fn host(&self, plan: HostedPlan) {
        // A run has one plan.
        let _ = self.hosted.set(plan);
    }

    /// Whether the thread group of that number has a part in the hosted plan.
    pub(super) fn hosts_group(&self, group: u32) -> bool {
        self.hosted.get().is_some_and(|plan| plan.has_group(group))
    }

    /// Gives the hosted plan to the JVM, if there is one and it was not given; on a thread that may
    /// call it.
    pub(super) fn define_plan(&self, jvm: &JavaSide) -> Result<(), JvmFault> {
        self.hosted.get().map_or(Ok(()), |plan| plan.define(jvm))
    }

    /// Waits until elements can run.
    ///
    /// # Errors
    /// Why they cannot.
    pub(super) fn ready(&self) -> Result<(), String> {
        let jvm = self.jvm().map_err(|error| format!("the JVM cannot be used: {error}"))?;
        let start = || {
            let _running = self.runs("the start of JMeter's elements".into());
            self.define_plan(&jvm).map_err(|fault| fault.to_string())
        };
        on_large_stack(start).map_err(|why| format!("JMeter cannot start its elements: {why}"))
    }

    /// The script known by a key, made on first use.
    pub(super) fn script(&self, key: String, make: impl FnOnce(u32) -> Script) -> Arc<Script> {
        static NUMBERS: AtomicU32 = AtomicU32::new(1);
        let mut scripts = self.scripts.lock();
        let make = || Arc::new(make(NUMBERS.fetch_add(1, Ordering::Relaxed)));
        scripts.entry(key).or_insert_with(make).clone()
    }

    /// Writes lines of Java's log to that of the run. `place` is that of the element that they are
    /// of.
    pub(super) fn log_lines(&self, lines: &[LogLine<'_>], host: &dyn Host, place: Option<&str>) {
        log::log_lines(&|text| self.is_first(text), lines, host, place);
    }

    /// Says what would bring the class that a message misses, once for each.
    pub(super) fn tell_of_absent(&self, message: &str, host: &dyn Host) {
        log::tell_of_absent(&|text| self.is_first(text), message, host);
    }

    /// Whether a text was not said yet in this run.
    fn is_first(&self, text: &str) -> bool {
        self.said.lock().insert(text.to_owned())
    }

    /// Whether no jar or folder of the class path has a class, by its full name or the short one of
    /// plans. False without JMeter.
    pub(super) fn lacks(&self, class: &str) -> bool {
        self.classes().is_some_and(|classes| !classes.has(class))
    }

    /// The classes on the class path that the JVM will have; `None` without JMeter.
    pub(super) fn classes(&self) -> Option<&Classes> {
        let find = || {
            let home = JMeterHome::find(self.config.jmeter_home.as_deref()).ok()?;
            Some(Classes::of(&self.config_with_properties().class_path(&home)))
        };
        self.classes.get_or_init(find).as_ref()
    }

    fn config_with_properties(&self) -> Config {
        Config { properties: self.props.entries(), ..self.config.clone() }
    }

    /// A number that no other user of the process has.
    pub(super) fn user_number() -> u64 {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        NUMBERS.fetch_add(1, Ordering::Relaxed)
    }

    /// Properties that changed since the last message to the JVM.
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
    pub(super) fn property_changed(&self, name: &str, change: ValueChange<'_>) {
        let mut synced = self.synced();
        match change {
            ValueChange::Text(value) => {
                self.props.set_foreign(name, value);
                synced.known.insert(name.to_owned(), value.to_owned());
                return;
            }
            ValueChange::Object(_) => self.props.set_object(name),
            ValueChange::Removed | ValueChange::Null => drop(self.props.remove(name)),
        }
        synced.known.remove(name);
    }

    fn synced(&self) -> MutexGuard<'_, SyncedProperties> {
        self.synced.lock()
    }

    /// The run has finished: another may use the JVM. A script that has not ended by now continues
    /// without a receiver. What elements log of that goes to the host, if there is one that takes
    /// it.
    pub(super) fn end(&self, host: Option<&dyn Host>) {
        self.is_over.store(true, Ordering::SeqCst);
        let (sender, receiver) = mpsc::channel();
        *self.ending() = Some(sender.clone());
        if !self.holds.swap(false, Ordering::SeqCst) {
            *self.ending() = None;
            return;
        }
        let serving = self.serving.write().take();
        if let Some(Ok(jvm)) = serving {
            let told = self.notify_end(jvm, sender, &receiver);
            // What it kept of this test is forgotten with the next at the latest.
            if let Some(host) = host {
                self.log_end(&told, host);
            }
        }
        *self.ending() = None;
        if self.place == JvmPlace::InProcess {
            *in_use() = false;
            RELEASED.notify_one();
        }
    }
}

impl Session {
    /// Whether the JVM still accepts messages: not after the exit of its process has begun.
    pub(super) fn can_be_told(&self) -> bool {
        self.exit_status().is_none() && !self.has_crashed.load(Ordering::SeqCst)
    }

    fn ending(&self) -> MutexGuard<'_, Option<Sender<Notified>>> {
        self.ending.lock()
    }

    /// Tells the Java side that the test has ended; its answer. It does not come where the JVM ends
    /// before it.
    fn notify_end(&self, jvm: JavaSide, sender: Sender<Notified>, receiver: &Receiver<Notified>) -> Notified {
        if jvm.has_ended() {
            return Err(format!("the JVM process ended ({})", self.last_end()));
        }
        // The session may be on its way out, and then nothing looks at what runs.
        let session = self.me.clone();
        let tell = move || {
            let session = session.upgrade();
            let _running =
                session.as_ref().map(|session| session.runs("the end of JMeter's elements".into()));
            let mut message = Vec::new();
            let mut answer = Vec::new();
            request::test_ended(&mut message);
            let told = jvm.call(&message, &mut answer).map_err(|fault| fault.to_string());
            // It is no longer awaited if it took too long.
            let _ = sender.send(told.map(|()| answer));
        };
        let thread = std::thread::Builder::new().name("jvm-call".to_owned()).stack_size(STACK);
        thread.spawn(tell).map_err(|error| format!("cannot start a thread: {error}"))?;
        let late = |_| Err(format!("they take longer than {} s", END_LIMIT.as_secs()));
        receiver.recv_timeout(END_LIMIT).unwrap_or_else(late)
    }

    fn log_end(&self, told: &Notified, host: &dyn Host) {
        let logs = told.as_ref().map_err(Clone::clone);
        match logs.and_then(|answer| last_logs(answer).map_err(|fault| fault.to_string())) {
            Ok(logs) => self.log_lines(&logs, host, None),
            Err(fault) => {
                let message = format!("cannot notify JMeter's elements of the end of the test: {fault}");
                host.log(Level::Error, &message);
            }
        }
    }
}

/// Marks that something is running in the JVM until this is dropped.
pub(super) struct Runs<'a> {
    session: &'a Session,
    number: u64,
}

impl Drop for Runs<'_> {
    fn drop(&mut self) {
        self.session.running.lock().remove(&self.number);
    }
}

impl Drop for Session {
    /// The JVM may have come up after the run was given up.
    fn drop(&mut self) {
        self.end(None);
    }
}

fn in_use() -> MutexGuard<'static, bool> {
    IN_USE.lock()
}

pub(super) fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("jvm-call".to_owned()).stack_size(STACK);
        let running = thread.spawn_scoped(scope, work).map_err(|error| {
            format!(
                "cannot start a thread: \
            {error}"
            )
        })?;
        running.join().unwrap_or_else(|_| Err("internal error: the call panicked".to_owned()))
    })
}
