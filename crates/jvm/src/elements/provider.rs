//! JMeter's script elements, for the table of elements.

use std::rc::Rc;
use std::sync::Arc;

use swell_api::{
    Broken, ElementKind, Functions, Make, Needs, Phase, Provider, Role, RunPlan, is_set_by_property,
};
use swell_expr::{Host, Properties};
use swell_plan::Element;

use super::element::ScriptElement;
use super::functions::JvmFunctions;
use super::groups;
use super::hosted::{HostedElement, HostedKinds, HostedPlan, is_left_out};
use super::machine::Machine;
use super::script::{ElementAccess, Script, family};
use super::session::Session;
use super::settings::JvmSettings;
use crate::request::Family;
use crate::{Config, JMeterHome};

/// Finds elements that run on the JVM: those of JSR223, BeanShell and BSF, and those of JMeter and
/// of plug-ins that have no other implementation.
pub struct JvmProvider {
    session: Arc<Session>,
    machine: Arc<Machine>,
    functions: Arc<JvmFunctions>,
    hosted: HostedKinds,
}

impl JvmProvider {
    /// For a run with these properties.
    pub fn new(settings: JvmSettings, props: Arc<Properties>) -> Self {
        let config = Config {
            java_home: settings.java_home.clone(),
            jmeter_home: settings.jmeter_home.clone(),
            heap_mb: settings.heap_mb,
            log_levels: settings.log_levels.clone(),
            is_traced: settings.is_traced,
            system_properties: settings.system_properties.clone(),
            class_path: settings.class_path.clone(),
            plan: settings.plan.clone(),
            ..Config::default()
        };
        let session = Session::new(config, settings.place, settings.strict, props);
        let hosted = HostedKinds::default();
        let takes_all_scripts = settings.takes_all_scripts;
        let machine = Arc::new(Machine::new(settings));
        let functions = Arc::new(JvmFunctions::new(session.clone(), machine.clone(), takes_all_scripts));
        Self { session, machine, functions, hosted }
    }

    /// What is missing on this machine; none: the JVM can be started.
    pub fn missing(&self) -> Option<&str> {
        self.machine.missing()
    }

    /// The kind of a class that JMeter's own elements run, if it is on the class path.
    fn hosted(&self, class: &str, role: Option<Role>) -> Option<ElementKind> {
        if let Some(missing) = self.missing() {
            return HostedKinds::without_jvm(class, role, missing);
        }
        let kind = self.hosted.find(class, role, &self.session)?;
        if matches!(kind.make, Make::InExternalGroup(_)) {
            self.begin();
        }
        Some(kind)
    }

    /// Whether the element of the hosted plan runs an element. A script sampler that other scripts
    /// may set by its properties is one: they see it itself, and what they set holds.
    fn is_hosted(&self, element: &Element) -> bool {
        self.hosted.has(&element.class) && !is_left_out(element, &self.session)
            || family(&element.class).is_some() && is_set_by_property(element)
    }

    fn begin(&self) {
        self.machine.begin(&self.session);
    }

    fn make(&self, role: Role) -> Make {
        let session = self.session.clone();
        match role {
            Role::Sampler => Make::sampler(move |input, compile| {
                if is_set_by_property(&input.sampler.element) {
                    return Rc::new(HostedElement::compile(
                        input.sampler,
                        role,
                        ElementAccess::ALL,
                        &session,
                        compile,
                    ));
                }
                Rc::new(ScriptElement::compile(input.sampler, role, &session, compile))
            }),
            Role::Timer => Make::timer(move |node, compile| {
                Rc::new(ScriptElement::compile(node, role, &session, compile))
            }),
            _ => Make::step(move |node, compile| {
                Rc::new(ScriptElement::compile(node, role, &session, compile))
            }),
        }
    }
}

impl Drop for JvmProvider {
    /// The run that it belongs to has finished.
    fn drop(&mut self) {
        self.session.end(None);
    }
}

/// The roles of script elements, with the ends of their classes.
const ROLES: [(Role, &str); 6] = [
    (Role::Sampler, "Sampler"),
    (Role::PreProcessor, "PreProcessor"),
    (Role::PostProcessor, "PostProcessor"),
    (Role::Assertion, "Assertion"),
    (Role::Listener, "Listener"),
    (Role::Timer, "Timer"),
];

impl Provider for JvmProvider {
    fn find(&self, class: &str, role: Option<Role>) -> Option<ElementKind> {
        self.script(class).or_else(|| self.hosted(class, role)).or_else(|| self.group(class))
    }

    fn take_plan(&self, plan: &RunPlan<'_>) {
        if self.machine.is_only_looked_at() || self.missing().is_some() {
            return;
        }
        // What config elements do when the test starts is done even if no other element of the plan
        // uses it.
        let has_scripts = self.machine.has_begun() || self.hosted.starts_something();
        if let Some(hosted) = HostedPlan::of(plan, &|element| self.is_hosted(element), has_scripts) {
            self.session.host(hosted);
            self.begin();
        }
    }

    fn doubts(&self) -> Vec<String> {
        if !self.machine.is_needed() {
            return Vec::new();
        }
        let home = JMeterHome::find(self.machine.jmeter_home()).ok();
        home.and_then(|home| home.doubt()).into_iter().collect()
    }

    fn functions(&self) -> Option<Arc<dyn Functions>> {
        Some(self.functions.clone())
    }

    fn watch(&self, broken: Broken) {
        self.session.watch(broken);
    }

    fn ready(&self) -> Result<(), String> {
        if self.machine.has_begun() { self.session.ready() } else { Ok(()) }
    }

    fn end(&self, host: &dyn Host) {
        if self.session.can_be_told() {
            self.session.end(Some(host));
        }
    }
}

impl JvmProvider {
    /// These kinds of thread groups, which Swell has code for, on JMeter's own engine.
    pub fn on_jmeter(&self, kinds: Vec<(ElementKind, Phase)>) -> Vec<ElementKind> {
        if self.missing().is_none() {
            self.begin();
        }
        groups::all(kinds, self.missing(), &self.session)
    }

    /// The kind of a thread group of a plug-in on the class path.
    fn group(&self, class: &str) -> Option<ElementKind> {
        let role = || self.session.classes()?.facts(class)?.role;
        if self.missing().is_some() || role() != Some(Role::ThreadGroup) {
            return None;
        }
        self.begin();
        Some(groups::plugin(class, &self.session))
    }

    /// The kind of a script element.
    fn script(&self, class: &str) -> Option<ElementKind> {
        let family = family(class)?;
        let start = match family {
            Family::Jsr223 => "JSR223",
            Family::BeanShell => "BeanShell",
            Family::Bsf => "BSF",
        };
        let end = class.strip_prefix(start)?;
        let (role, end) = ROLES.into_iter().find(|(_, name)| *name == end)?;
        let name = format!("{start} {end}");
        if let Some(missing) = self.missing() {
            return Some(ElementKind::needs_jvm(role, class.to_owned(), name, missing.to_owned()));
        }
        self.begin();
        let why = "JMeter's element runs its script";
        let kind = ElementKind::on_jvm(role, class.to_owned(), name, why, self.make(role));
        // Those of BSF are beans that are not notified of the start of a test; two of BeanShell's
        // are not beans.
        let kind = kind.at_start(match family {
            Family::Jsr223 => &["cacheKey", "filename", "parameters", "script", "scriptLanguage"],
            Family::BeanShell if matches!(role, Role::Assertion | Role::Sampler) => &[],
            Family::BeanShell => &["filename", "parameters", "resetInterpreter", "script"],
            Family::Bsf => &[],
        });
        Some(if role == Role::Sampler { kind.needs_before(needs_before) } else { kind })
    }
}

/// What the script of a sampler may read of the sample before.
fn needs_before(element: &Element) -> Needs {
    let sights = Script::of(element, Role::Sampler, false, 0).sights();
    if sights.previous || is_set_by_property(element) { Needs::ALL } else { Needs::default() }
}
