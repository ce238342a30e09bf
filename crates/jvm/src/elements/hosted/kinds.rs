//! The kinds of elements whose classes are on JMeter's class path.

use std::collections::HashSet;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use swell_api::{
    BACKEND_LISTENER, CompileContext, ElementKind, Make, Needs, Role, SampleResult, Step, StepProgress, User,
};
use swell_plan::{Element, Node, Severity};

use super::super::groups;
use super::super::script::ElementAccess;
use super::super::session::Session;
use super::absent::{is_jmeters, no_jar_has};
use super::element::HostedElement;
use super::iterations::Unheard;
use crate::absent;
use crate::install::artifact_of_class;

/// The kinds of elements that run on JMeter's classes.
#[derive(Default)]
pub(in super::super) struct HostedKinds {
    /// The classes that are hosted.
    hosted: Mutex<HashSet<String>>,
    /// Config elements among them do something when the test starts.
    starts: AtomicBool,
}

/// Libraries that JMeter's own classes cannot do without: the start of the class's name, a class of
/// the library.
const LIBRARIES: [(&str, &str); 4] = [
    ("org.apache.jmeter.protocol.bolt.", "org.neo4j.driver.Driver"),
    ("org.apache.jmeter.protocol.jms.", "javax.jms.Message"),
    ("org.apache.jmeter.protocol.mail.", "javax.mail.Session"),
    ("org.apache.jmeter.protocol.smtp.", "javax.mail.Session"),
];

/// What is to be installed for a class of JMeter's own whose library no jar has.
fn lacking(class: &str, lacks: impl Fn(&str) -> bool) -> Option<String> {
    let class = swell_plan::class_of(class);
    let (_, library) = LIBRARIES.iter().find(|(start, _)| class.starts_with(start))?;
    if lacks(library) { absent::to_install(library) } else { None }
}

impl HostedKinds {
    /// Whether elements of a class are hosted.
    pub(in super::super) fn has(&self, class: &str) -> bool {
        self.hosted.lock().contains(class)
    }

    /// Whether there are config elements that do something when the test starts, even if no other
    /// element uses what they keep.
    pub(in super::super) fn starts_something(&self) -> bool {
        self.starts.load(Ordering::Relaxed)
    }

    /// The kind of a class if Java and JMeter are installed; `None` if no known jar has it, or if
    /// it is not an element.
    pub(in super::super) fn find(
        &self,
        class: &str,
        role: Option<Role>,
        session: &Arc<Session>,
    ) -> Option<ElementKind> {
        let name = short(class).to_owned();
        let Some(facts) = session.classes().and_then(|classes| classes.facts(class)) else {
            let (role, why) = absent(class, role)?;
            return Some(ElementKind::needs_jvm(role, class.to_owned(), name, why));
        };
        let role = facts.role.filter(|role| *role != Role::ThreadGroup)?;
        if let Some(why) = lacking(class, |library| session.lacks(library)) {
            return is_called(role).then(|| ElementKind::needs_jvm(role, class.to_owned(), name, why));
        }
        if role == Role::Config && facts.hears_of_test {
            self.starts.store(true, Ordering::Relaxed);
        }
        if let Some(what) = &facts.needs_engine {
            let why = format!("{what}, from {}", jar(&facts.origin));
            return Some(ElementKind::on_jvm(role, class.to_owned(), name, why, groups::whole(session)));
        }
        let why = format!("JMeter's class runs it, from {}", jar(&facts.origin));
        let make = make(role, is_jmeters(class), session);
        self.hosted.lock().insert(class.to_owned());
        let kind = ElementKind::on_jvm(role, class.to_owned(), name, why, make);
        let reads_before = role == Role::Sampler && !is_jmeters(class);
        let kind = if reads_before { kind.needs_before(|_| Needs::ALL) } else { kind };
        let session = session.clone();
        Some(if facts.hears_iterations {
            kind.each_iteration(move |node, compile| Some(Unheard::of(node, &session, compile)))
        } else {
            kind
        })
    }

    /// The kind of a class where Java or JMeter is missing: what is to be installed.
    pub(in super::super) fn without_jvm(
        class: &str,
        role: Option<Role>,
        missing: &str,
    ) -> Option<ElementKind> {
        let role = role.filter(|role| is_called(*role))?;
        let plug_in = artifact_of_class(class)
            .map(|artifact| format!("\nand the plug-in: `swell jvm install {artifact}`"));
        let why = format!("{missing}{}", plug_in.unwrap_or_default());
        (is_jmeters(class) || artifact_of_class(class).is_some())
            .then(|| ElementKind::needs_jvm(role, class.to_owned(), short(class).to_owned(), why))
    }
}

/// A plug-in's listener without which a test runs longer.
const STOPS: &str = "AutoStop";

/// The likely role of a class that no jar has, and a hint; `None` if a plan runs without it, or if
/// it is not a class of a plug-in.
fn absent(class: &str, role: Option<Role>) -> Option<(Role, String)> {
    let is_left_out = matches!(role, Some(Role::Plan | Role::Listener)) && short(class) != STOPS;
    let is_of_plug_in = class.contains('.') && !is_jmeters(class);
    // If its name says nothing, something of a plug-in it is all the same.
    let role = role.unwrap_or(Role::Config);
    (!is_left_out && (is_of_plug_in || is_called(role))).then(|| (role, no_jar_has(class)))
}

/// Whether a plan without an element of this role would be another.
fn is_called(role: Role) -> bool {
    !matches!(role, Role::Plan | Role::Config | Role::Listener)
}

fn short(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

fn jar(origin: &Path) -> String {
    let name = origin.file_name().unwrap_or(origin.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The property of a Backend Listener that names the class which sends; none of any other element.
fn client_of(element: &Element) -> Option<&str> {
    (element.class == BACKEND_LISTENER).then(|| element.text_or_empty("classname").trim())
}

/// Whether an element cannot start, since no jar has the class that it names, and the plan runs
/// without it.
pub(in super::super) fn is_left_out(element: &Element, session: &Session) -> bool {
    client_of(element).is_some_and(|client| session.lacks(client))
}

/// A listener that nothing is sent to.
struct SilentListener;

impl Step for SilentListener {
    fn reads_previous(&self) -> bool {
        false
    }

    fn run<'a>(&'a self, _user: &'a mut User, _sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        StepProgress::Done(())
    }
}

fn step(
    node: &Node,
    role: Role,
    sights: ElementAccess,
    session: &Arc<Session>,
    compile: &CompileContext,
) -> Rc<dyn Step> {
    if is_left_out(&node.element, session) {
        let client = client_of(&node.element).unwrap_or_default();
        let message = format!("this listener sends nothing: {}", no_jar_has(client));
        compile.note(Severity::Warning, &node.element, Some("classname"), message, None);
        return Rc::new(SilentListener);
    }
    Rc::new(HostedElement::compile(node, role, sights, session, compile))
}

/// How an element of a role is made. JMeter's own samplers and timers look at no sample before;
/// those of plug-ins may.
fn make(role: Role, is_jmeters: bool, session: &Arc<Session>) -> Make {
    let session = session.clone();
    let looks = !is_jmeters || !matches!(role, Role::Sampler | Role::Timer | Role::IterationElement);
    let request = matches!(role, Role::PreProcessor | Role::PostProcessor);
    let sights = ElementAccess { previous: looks, request, sampler_before: false };
    match role {
        Role::Config => Make::Nothing,
        Role::Sampler => Make::sampler(move |input, compile| {
            Rc::new(HostedElement::compile(input.sampler, role, sights, &session, compile))
        }),
        Role::Timer => Make::timer(move |node, compile| {
            Rc::new(HostedElement::compile(node, role, sights, &session, compile))
        }),
        _ => Make::step(move |node, compile| step(node, role, sights, &session, compile)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_jar_has_is_named_with_the_artifact_that_has_it() {
        let by_name = |class: &str| absent(class, Role::by_name(class));
        let (role, why) =
            by_name("eu.luminis.jmeter.wssampler.PingFrameFilter").expect("its plug-in is known");
        assert_eq!(role, Role::Config);
        assert!(why.contains("swell jvm install net.luminis.jmeter:jmeter-websocket-samplers:"), "{why}");
        let (role, why) = by_name("com.example.OddSampler").expect("its name says what it is");
        assert_eq!(role, Role::Sampler);
        assert!(why.contains("the plug-in's jar into JMeter's `lib/ext`"), "{why}");
        assert_eq!(by_name("com.example.OddListener"), None, "a plan runs without it");
        let (_, why) = by_name("kg.apc.jmeter.reporters.AutoStop").expect("without it a test runs longer");
        assert!(why.contains("https://jmeter-plugins.org/wiki/AutoStop/"), "{why}");
        for class in ["com.example.Thing", "com.example.OddConfig"] {
            let (role, why) = by_name(class).expect("something of a plug-in it is");
            assert_eq!(role, Role::Config);
            assert!(why.contains("`lib/ext`"), "{why}");
        }
        assert_eq!(by_name("Thing"), None);
        let (_, why) = by_name("net.xmeter.samplers.PubSampler").expect("its project is known");
        assert!(why.contains("https://github.com/emqx/mqtt-jmeter"), "{why}");
    }

    #[test]
    fn parts_of_jmeter_that_stand_alone_are_named() {
        let (_, why) = absent("BoltSampler", Some(Role::Sampler)).expect("it is called");
        assert!(why.contains("swell jvm install org.apache.jmeter:ApacheJMeter_bolt:5.6.3"), "{why}");
    }

    #[test]
    fn what_is_missing_of_jmeter_itself_is_not_looked_for_in_a_plug_in() {
        for (class, artifact) in [
            ("FTPSampler", " org.apache.jmeter:ApacheJMeter_ftp:5.6.3"),
            (
                "org.apache.jmeter.protocol.ldap.sampler.LDAPSampler",
                " org.apache.jmeter:ApacheJMeter_ldap:5.6.3",
            ),
            ("SmtpSampler", " org.apache.jmeter:ApacheJMeter_mail:5.6.3"),
            ("TCPSampler", ""),
        ] {
            let (role, why) = absent(class, Role::by_name(class)).expect("it is called");
            assert_eq!(role, Role::Sampler);
            assert!(why.contains(&format!("`swell jvm install{artifact}` fetches")), "{why}");
            assert!(!why.contains("plug-in"), "{why}");
        }
        assert_eq!(absent("BoltConnectionElement", None), None, "a plan runs without it");
    }

    #[test]
    fn a_library_that_no_jar_has_is_named_with_the_artifact_that_has_it() {
        for (class, artifact) in [
            ("SmtpSampler", "javax.mail:mail:"),
            ("MailReaderSampler", "javax.mail:mail:"),
            ("SubscriberSampler", "org.apache.geronimo.specs:geronimo-jms_1.1_spec:"),
            ("BoltSampler", "org.neo4j.driver:neo4j-java-driver:"),
        ] {
            let why = lacking(class, |_| true).unwrap_or_default();
            assert!(why.contains(&format!("`swell jvm install {artifact}")), "{class}: {why}");
            assert_eq!(lacking(class, |_| false), None);
        }
        assert_eq!(lacking("FTPSampler", |_| true), None);
    }
}
