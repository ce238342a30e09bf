//! Runs plans in tests: an in-memory environment, and a listener that records what it receives.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use swell_api::{
    CompileContext, ElementKind, Listener, Make, Needs, Registry, Role, SampleEvent, SampleResult, Sampler,
    SamplerFuture, SamplerInput, User,
};
use swell_engine::{Control, Prepared, RootListeners, RunOptions, RunOutcome, Settings, prepare, run};
use swell_expr::testing::TestHost;
use swell_expr::{ForeignFunctions, Properties, RunInfo};

/// What a listener received of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) label: String,
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) thread: String,
    pub(crate) success: bool,
    pub(crate) bytes: u64,
    pub(crate) group_threads: u32,
    pub(crate) all_threads: u32,
    pub(crate) subs: Vec<String>,
    pub(crate) start_ns: i64,
    pub(crate) end_ns: i64,
    pub(crate) intended_ns: i64,
    pub(crate) scheduled: bool,
    pub(crate) ready_ns: i64,
    pub(crate) response_ns: Option<i64>,
    pub(crate) elapsed_ns: i64,
}

struct Scribe {
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Listener for Scribe {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        let sample = event.sample;
        let timing = &sample.timing;
        self.heard.lock().push(Heard {
            label: sample.label.to_string(),
            code: sample.code.to_string(),
            message: sample.message.to_string(),
            thread: sample.thread_name.to_string(),
            success: sample.success,
            bytes: sample.bytes,
            group_threads: sample.group_threads,
            all_threads: sample.all_threads,
            subs: sample.sub_results.iter().map(|sub| sub.label.to_string()).collect(),
            start_ns: timing.start_ns,
            end_ns: timing.end_ns,
            intended_ns: timing.intended_ns,
            scheduled: timing.scheduled,
            ready_ns: timing.ready_ns,
            response_ns: timing.response_ns(),
            elapsed_ns: timing.elapsed_ns(),
        });
    }
}

/// The output of a run.
pub(crate) struct Ran {
    pub(crate) heard: Vec<Heard>,
    pub(crate) outcome: RunOutcome,
    pub(crate) log: Vec<String>,
}

impl Ran {
    /// Labels in the order heard.
    pub(crate) fn labels(&self) -> Vec<&str> {
        self.heard.iter().map(|heard| heard.label.as_str()).collect()
    }
}

/// The elements that there are without other crates.
pub(crate) fn all_kinds() -> Registry {
    let mut registry = Registry::of(swell_elements::kinds());
    registry.extend(swell_engine::kinds());
    registry
}

/// Options of a run.
pub(crate) struct Bench {
    pub(crate) host: Arc<TestHost>,
    pub(crate) props: Properties,
    pub(crate) registry: Registry,
    pub(crate) options: RunOptions,
    pub(crate) control: Control,
    /// Listeners other than the one that records.
    pub(crate) listeners: RootListeners,
}

impl Default for Bench {
    fn default() -> Self {
        let options = RunOptions { workers: 2, seed: Some(1), ..RunOptions::default() };
        let host = Arc::default();
        let props = Properties::default();
        let registry = all_kinds();
        Self { host, props, registry, options, control: Control::new(), listeners: Arc::new(|_| Vec::new()) }
    }
}

impl Bench {
    /// Adds a sampler.
    pub(crate) fn add_sampler(
        &mut self,
        class: &'static str,
        make: impl Fn(&SamplerInput<'_>, &CompileContext) -> Rc<dyn Sampler> + Send + Sync + 'static,
    ) {
        self.registry.add(ElementKind::native(Role::Sampler, class, class, Make::sampler(make)));
    }

    pub(crate) fn workers(mut self, workers: usize) -> Self {
        self.options.workers = workers;
        self
    }

    /// Reads and prepares a plan.
    pub(crate) fn prepare(&mut self, jmx: &[u8]) -> Prepared {
        let plan = swell_plan::read(jmx, None).plan.expect("the plan of the test is well-formed");
        let settings = Settings {
            props: Arc::new(std::mem::take(&mut self.props)),
            host: self.host.clone(),
            run: Arc::new(RunInfo::default()),
            functions: ForeignFunctions::default(),
            edit: None,
            trace: None,
        };
        prepare(&plan, &self.registry, settings).expect("the plan of the test can run")
    }

    /// Runs a plan to its end.
    pub(crate) fn run(mut self, jmx: &[u8]) -> Ran {
        let prepared = Arc::new(self.prepare(jmx));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let for_scribe = heard.clone();
        let others = self.listeners.clone();
        self.options.root_listeners = Arc::new(move |compile| {
            let mut all: Vec<Rc<dyn Listener>> = vec![Rc::new(Scribe { heard: for_scribe.clone() })];
            all.extend(others(compile));
            all
        });
        let outcome = run(&prepared, self.registry, self.options, &self.control);
        let heard = heard.lock().clone();
        Ran { heard, outcome, log: self.host.log_lines() }
    }
}

/// Runs a plan whose outcome follows the real clock, and again if the machine stalled: then nothing
/// can be said. None, and the reason is printed, if it never was calm.
pub(crate) fn calmly(run: impl Fn() -> Ran) -> Option<Ran> {
    const CALM: Duration = Duration::from_millis(10);
    let mut stalls = Vec::new();
    while stalls.len() < 5 {
        let (ran, stall) = with_stall(&run);
        if stall < CALM {
            return Some(ran);
        }
        stalls.push(stall);
    }
    println!("the machine stalled in every run, the longest times were {stalls:?}: nothing tested");
    None
}

/// What it gives, and how late a thread that sleeps for a millisecond was at most meanwhile.
fn with_stall<T>(run: impl Fn() -> T) -> (T, Duration) {
    let tick = Duration::from_millis(1);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            while !done.load(Ordering::Relaxed) {
                let before = std::time::Instant::now();
                std::thread::sleep(tick);
                longest = longest.max(before.elapsed().saturating_sub(tick));
            }
            longest
        });
        let given = run();
        done.store(true, Ordering::Relaxed);
        (given, watch.join().expect("it only sleeps"))
    })
}

/// JMeter's own test plans, if they are there.
pub(crate) fn suite(file: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = here.join("../../../shared/jmeter-suite/bin/testfiles").join(file);
    if !path.exists() {
        println!("{} is not there: nothing tested", path.display());
        return None;
    }
    Some(path)
}

/// A sampler that ends immediately, and fails if configured to.
pub(crate) struct Instant {
    pub(crate) success: bool,
    pub(crate) body: &'static str,
    pub(crate) code: &'static str,
    pub(crate) message: &'static str,
}

impl Sampler for Instant {
    fn sample<'a>(&'a self, _user: &'a mut User) -> SamplerFuture<'a> {
        let now_ns = swell_net::now_ns();
        let mut sample = SampleResult { success: self.success, ..SampleResult::default() };
        sample.code = self.code.into();
        sample.message = self.message.into();
        sample.bytes = self.body.len() as u64;
        sample.timing.start_ns = now_ns;
        sample.timing.end_ns = now_ns;
        Box::pin(std::future::ready(Some(Box::new(sample))))
    }
}

/// A plan of one Test Plan with its children.
pub(crate) fn plan(below: &str) -> Vec<u8> {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="P" enabled="true"></TestPlan><hashTree>{below}</hashTree>
</hashTree></jmeterTestPlan>"#
    )
    .into_bytes()
}

/// A thread group.
pub(crate) fn group(name: &str, users: u32, loops: i32, more: &str, below: &str) -> String {
    group_of("ThreadGroup", name, users, loops, more, below)
}

/// A thread group of a class.
pub(crate) fn group_of(class: &str, name: &str, users: u32, loops: i32, more: &str, below: &str) -> String {
    element(
        class,
        name,
        &format!(
            r#"<intProp name="ThreadGroup.num_threads">{users}</intProp>
<elementProp name="ThreadGroup.main_controller" elementType="LoopController" guiclass="LoopControlPanel" testclass="LoopController">
<boolProp name="LoopController.continue_forever">false</boolProp><stringProp name="LoopController.loops">{loops}</stringProp></elementProp>{more}"#
        ),
        below,
    )
}

/// An element with its children.
pub(crate) fn element(class: &str, name: &str, properties: &str, below: &str) -> String {
    format!(
        r#"<{class} guiclass="G" testclass="{class}" testname="{name}" enabled="true">{properties}</{class}><hashTree>{below}</hashTree>"#
    )
}

/// A property.
pub(crate) fn text(name: &str, value: &str) -> String {
    format!(r#"<stringProp name="{name}">{value}</stringProp>"#)
}

/// A Java Request with `JavaTest` that does not sleep.
pub(crate) fn sampler(name: &str) -> String {
    java(name, "OK", 0)
}

/// A Java Request with `JavaTest`.
pub(crate) fn java(name: &str, status: &str, sleep_ms: u32) -> String {
    let argument = |name: &str, value: &str| {
        format!(
            r#"<elementProp name="{name}" elementType="Argument"><stringProp name="Argument.name">{name}</stringProp><stringProp name="Argument.value">{value}</stringProp></elementProp>"#
        )
    };
    let arguments = [
        argument("Sleep_Time", &sleep_ms.to_string()),
        argument("Sleep_Mask", "0"),
        argument("Status", status),
    ];
    element(
        "JavaSampler",
        name,
        &format!(
            r#"<elementProp name="arguments" elementType="Arguments"><collectionProp name="Arguments.arguments">{}</collectionProp></elementProp><stringProp name="classname">org.apache.jmeter.protocol.java.test.JavaTest</stringProp>"#,
            arguments.concat()
        ),
        "",
    )
}

/// A plan whose thread groups run one after the other.
pub(crate) fn serialized(jmx: &[u8]) -> Vec<u8> {
    let flag =
        r#"enabled="true"><boolProp name="TestPlan.serialize_threadgroups">true</boolProp></TestPlan>"#;
    String::from_utf8(jmx.to_vec()).unwrap().replacen(r#"enabled="true"></TestPlan>"#, flag, 1).into_bytes()
}
