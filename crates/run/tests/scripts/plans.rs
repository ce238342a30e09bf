//! Plans with scripts, and the single JVM that all tests share.

use parking_lot::{Mutex, MutexGuard};
use swell_api::SampleEvent;
use swell_api::{ElementKind, Listener, Make, Needs, OwnedSample, Role};
use swell_plan::{Element, Node, Plan};
use swell_run::{JvmSettings, ScriptMode, Trial, TrialReport, TrialSettings};

/// One run of a process uses the JVM at a time.
static JVM: Mutex<()> = Mutex::new(());

/// The JVM for one test; none, with the reason printed, where Java or JMeter is not installed.
pub(crate) fn jvm() -> Option<MutexGuard<'static, ()>> {
    let java = swell_jvm::Java::find(None).map_err(|error| error.to_string());
    let home = swell_jvm::JMeterHome::find(None).map_err(|error| error.to_string());
    if let Some(missing) = java.err().or(home.err()) {
        println!("skipped: {missing}");
        return None;
    }
    Some(JVM.lock())
}

/// A script element.
pub(crate) fn script(class: &str, text: &str) -> Element {
    let element = Element::new(class, "TestBeanGUI", class).with_text("script", text);
    match class {
        "BeanShellSampler" | "BeanShellAssertion" => element.with_text(&format!("{class}.query"), text),
        _ if class.starts_with("BSF") => element.with_text("scriptLanguage", "javascript"),
        _ => element.with_text("scriptLanguage", "groovy"),
    }
}

/// A sampler that JMeter has no doubt about: its message is `${seen}`.
pub(crate) fn sampler(name: &str) -> Node {
    sampler_with_body(name, "body")
}

/// The same with another body.
pub(crate) fn sampler_with_body(name: &str, body: &str) -> Node {
    sampler_with(name, "${seen}", body)
}

/// The same with another message.
pub(crate) fn sampler_that_says(name: &str, message: &str) -> Node {
    sampler_with(name, message, "body")
}

fn sampler_with(name: &str, message: &str, body: &str) -> Node {
    Node::new(
        Element::new("JavaSampler", "JavaTestSamplerGui", name)
            .with_text("classname", "org.apache.jmeter.protocol.java.test.JavaTest")
            .with_element(
                "arguments",
                Element::new("Arguments", "ArgumentsPanel", "").with_elements(
                    "Arguments.arguments",
                    vec![
                        argument("Sleep_Time", "0"),
                        argument("Sleep_Mask", "0x0"),
                        argument("ResponseCode", "200"),
                        argument("ResponseMessage", message),
                        argument("ResultData", body),
                        argument("Status", "OK"),
                    ],
                ),
            ),
    )
}

pub(crate) fn argument(name: &str, value: &str) -> Element {
    Element::new("Argument", "", name).with_text("Argument.name", name).with_text("Argument.value", value)
}

/// A plan of one user that runs through these once, or the given number of times.
pub(crate) fn plan(loops: u32, children: Vec<Node>) -> Plan {
    let main = Element::new("LoopController", "LoopControlPanel", "loop")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", &loops.to_string());
    let group = Element::new("ThreadGroup", "ThreadGroupGui", "users")
        .with_element("ThreadGroup.main_controller", main)
        .with_text("ThreadGroup.num_threads", "1")
        .with_text("ThreadGroup.on_sample_error", "continue");
    let listener = Node::new(Element::new(KEEP, "", "keep"));
    let group = children.into_iter().fold(Node::new(group).with(listener), Node::with);
    Plan::new(Node::new(Element::new("TestPlan", "TestPlanGui", "plan")).with(group))
}

/// A plan with the listener that keeps all samples.
pub(crate) fn with_listener(mut plan: Plan) -> Plan {
    plan.root.children.push(Node::new(Element::new(KEEP, "", "keep")));
    Plan::new(plan.root)
}

const KEEP: &str = "com.example.KeepListener";

/// Keeps all samples.
struct Keep(std::sync::Arc<Mutex<Vec<OwnedSample>>>);

impl Listener for Keep {
    fn needs(&self) -> Needs {
        Needs::ALL
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        self.0.lock().push(OwnedSample::from(event.sample));
    }
}

/// A finished run.
pub(crate) struct Ran {
    pub(crate) samples: Vec<OwnedSample>,
    pub(crate) report: TrialReport,
    pub(crate) log: String,
}

impl Ran {
    /// Label, code, message and body of each sample, and whether it was good.
    pub(crate) fn shown(&self) -> Vec<String> {
        let each = self.samples.iter().map(|sample| {
            let body = String::from_utf8_lossy(&sample.body);
            format!("{} {} {} [{body}] {}", sample.label, sample.code, sample.message, sample.success)
        });
        each.collect()
    }
}

/// Runs a plan whose scripts run on the JVM.
pub(crate) fn run(plan: &Plan) -> Ran {
    run_with(plan, |_| {})
}

pub(crate) fn run_with(plan: &Plan, change: impl FnOnce(&mut TrialSettings)) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let kept = std::sync::Arc::new(Mutex::new(Vec::new()));
    let for_listener = kept.clone();
    let make = Make::listener(move |_, _| Some(std::rc::Rc::new(Keep(for_listener.clone()))));
    let mut settings = TrialSettings {
        elements: vec![ElementKind::native(Role::Listener, KEEP, "Keep", make)],
        scripts: ScriptMode::Jvm,
        jvm: JvmSettings::default(),
        log: Some(log.clone()),
        workers: Some(1),
        ..TrialSettings::new(folder.path())
    };
    change(&mut settings);
    let trial = Trial::prepare(plan, settings).expect("the plan can run");
    let report = trial.start().expect("threads").wait();
    let samples = std::mem::take(&mut *kept.lock());
    Ran { samples, report, log: std::fs::read_to_string(log).unwrap_or_default() }
}
