//! The classes on JMeter's class path, read without a JVM: their superclasses determine their role
//! in a plan.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use parking_lot::Mutex;
use swell_api::Role;
use zip::ZipArchive;

use super::class_file::above;
use crate::ClassPath;

/// What is known about a class that a plan names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFacts {
    /// The jar or folder that has it.
    pub origin: PathBuf,
    /// Its role in a plan; `None` if it is not an element of a plan.
    pub role: Option<Role>,
    /// Why only a thread of JMeter's own engine can run it; none: calls from elsewhere can.
    pub needs_engine: Option<String>,
    /// It hears of the iterations of the controller above it (`LoopIterationListener`).
    pub hears_iterations: bool,
    /// It hears of the start of the test (`TestStateListener`).
    pub hears_of_test: bool,
}

/// The classes of a class path. Jars are listed on first use.
pub struct Classes {
    entries: Vec<PathBuf>,
    /// Place of the jar by the name of the class file in it.
    listed: OnceLock<HashMap<String, usize>>,
    above: Mutex<HashMap<String, Option<Vec<String>>>>,
}

/// Interfaces and classes that say which role an element has; the first that fits counts.
const ROLES: &[(&str, Role)] = &[
    ("threads/AbstractThreadGroup", Role::ThreadGroup),
    ("control/Controller", Role::Controller),
    ("samplers/Sampler", Role::Sampler),
    ("processor/PreProcessor", Role::PreProcessor),
    ("processor/PostProcessor", Role::PostProcessor),
    ("assertions/Assertion", Role::Assertion),
    ("timers/Timer", Role::Timer),
    ("samplers/SampleListener", Role::Listener),
    (ITERATIONS, Role::IterationElement),
    ("config/ConfigElement", Role::Config),
    ("testelement/TestElement", Role::Config),
];

/// Roles in which something is called; what has several of them is called in each.
const CALLED: &[(&str, &str)] = &[
    ("control/Controller", "controller"),
    ("samplers/Sampler", "sampler"),
    ("processor/PreProcessor", "pre-processor"),
    ("processor/PostProcessor", "post-processor"),
    ("assertions/Assertion", "assertion"),
    ("timers/Timer", "timer"),
    ("samplers/SampleListener", "listener"),
    ("samplers/SampleMonitor", "monitor of samplers"),
];

const JMETER: &str = "org/apache/jmeter/";
const ITERATIONS: &str = "engine/event/LoopIterationListener";
/// A config element of these is notified when a user starts or restarts its thread group, or gives
/// variables that each user starts with.
const HEARS_OF_USERS: [&str; 3] =
    ["testelement/ThreadListener", "testelement/TestIterationListener", "config/Arguments"];
const TEST: &str = "testelement/TestStateListener";

impl Classes {
    /// Those of a class path.
    pub fn of(path: &ClassPath) -> Self {
        Self { entries: path.entries().to_vec(), listed: OnceLock::new(), above: Mutex::default() }
    }

    /// What is known of a class, by its full name or by the short one that plans have for JMeter's
    /// own; none if no jar has it.
    pub fn facts(&self, class: &str) -> Option<ClassFacts> {
        let file = swell_plan::class_of(class).replace('.', "/");
        self.above(&file)?;
        let mut seen = HashSet::new();
        let mut open = vec![file.clone()];
        while let Some(name) = open.pop() {
            if seen.insert(name.clone()) {
                open.extend(self.above(&name).unwrap_or_default());
            }
        }
        let is = |name: &str| seen.contains(&format!("{JMETER}{name}"));
        let is_element = is("testelement/TestElement");
        let role = ROLES.iter().find(|(name, _)| is(name)).map(|(_, role)| *role).filter(|_| is_element);
        let hears_of_users = HEARS_OF_USERS.iter().any(|name| is(name));
        let role = role.map(|role| match role {
            Role::Config if hears_of_users => Role::IterationElement,
            role => role,
        });
        let called: Vec<_> = CALLED.iter().filter(|(name, _)| is(name)).map(|(_, role)| *role).collect();
        let is_called_elsewhere = !matches!(called[..], ["controller" | "monitor of samplers"] | [_, _, ..]);
        let needs_engine = (role != Some(Role::ThreadGroup) && is_element && !is_called_elsewhere)
            .then(|| format!("it is a {}", called.join(" and ")));
        let origin = self.origin(&file)?;
        let hears_iterations = is(ITERATIONS);
        let hears_of_test = is(TEST);
        Some(ClassFacts { origin, role, needs_engine, hears_iterations, hears_of_test })
    }

    /// Whether there is a class of that name, full or short.
    pub fn has(&self, class: &str) -> bool {
        self.origin(&swell_plan::class_of(class).replace('.', "/")).is_some()
    }

    fn origin(&self, file: &str) -> Option<PathBuf> {
        let place = match self.listed().get(file) {
            Some(place) => Some(*place),
            None => self.entries.iter().position(|entry| entry.join(format!("{file}.class")).is_file()),
        };
        place.map(|place| self.entries[place].clone())
    }

    fn above(&self, file: &str) -> Option<Vec<String>> {
        let mut known = self.above.lock();
        if let Some(found) = known.get(file) {
            return found.clone();
        }
        let found = self.bytes(file).and_then(|bytes| above(&bytes));
        known.insert(file.to_owned(), found.clone());
        found
    }

    fn bytes(&self, file: &str) -> Option<Vec<u8>> {
        let origin = self.origin(file)?;
        let name = format!("{file}.class");
        if origin.is_dir() {
            return std::fs::read(origin.join(name)).ok();
        }
        let mut bytes = Vec::new();
        archive(&origin)?.by_name(&name).ok()?.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn listed(&self) -> &HashMap<String, usize> {
        self.listed.get_or_init(|| {
            let mut listed = HashMap::new();
            for (place, entry) in self.entries.iter().enumerate() {
                let Some(archive) = archive(entry) else { continue };
                for name in archive.file_names().flatten() {
                    let Some(name) = name.strip_suffix(".class") else { continue };
                    // As a class loader: what comes first hides what comes later.
                    listed.entry(name.to_owned()).or_insert(place);
                }
            }
            listed
        })
    }
}

/// A jar; what cannot be read as one has no classes, as for Java's class loader.
fn archive(jar: &Path) -> Option<ZipArchive<File>> {
    ZipArchive::new(File::open(jar).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::class_file::testing::class_file;
    use super::*;

    /// A folder of classes: each with what is above it.
    fn classes(all: &[(&str, &[&str])]) -> (tempfile::TempDir, Classes) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, above) in all {
            let file = folder.path().join(format!("{name}.class"));
            std::fs::create_dir_all(file.parent().expect("in the folder")).expect("a folder");
            std::fs::write(file, class_file(name, above)).expect("a file");
        }
        let mut path = ClassPath::default();
        path.add(folder.path());
        (folder, Classes::of(&path))
    }

    #[test]
    fn the_role_of_a_class_is_what_stands_above_it() {
        let element = "org/apache/jmeter/testelement/TestElement";
        let (folder, classes) = classes(&[
            ("a/Check", &["a/Base", "org/apache/jmeter/assertions/Assertion"]),
            ("a/Count", &["a/Base", "org/apache/jmeter/engine/event/LoopIterationListener"]),
            ("a/Base", &["java/lang/Object", element]),
            ("a/Round", &["a/Round", element]),
            ("a/Text", &["java/lang/Object"]),
            ("a/Born", &["a/Base", "org/apache/jmeter/testelement/ThreadListener"]),
        ]);
        let role = |class: &str| classes.facts(class).map(|facts| (facts.role, facts.hears_iterations));
        assert_eq!(role("a.Check"), Some((Some(Role::Assertion), false)));
        assert_eq!(role("a.Count"), Some((Some(Role::IterationElement), true)));
        assert_eq!(role("a.Round"), Some((Some(Role::Config), false)));
        assert_eq!(role("a.Text"), Some((None, false)));
        assert_eq!(role("a.Born"), Some((Some(Role::IterationElement), false)), "called as users start");
        assert_eq!(role("a.Missing"), None);
        assert_eq!(classes.facts("a.Text").expect("checked above").origin, folder.path());
        assert!(classes.has("a.Base") && !classes.has("a.Missing"));
    }

    #[test]
    fn jmeters_own_classes_have_their_roles() {
        let Ok(home) = crate::JMeterHome::find(None) else {
            eprintln!("skipped: JMeter is missing (`swell jvm install` fetches it)");
            return;
        };
        let classes = Classes::of(&ClassPath::of(&home));
        for (class, role, jar) in [
            ("JDBCSampler", Role::Sampler, "ApacheJMeter_jdbc.jar"),
            ("JDBCDataSource", Role::Config, "ApacheJMeter_jdbc.jar"),
            ("XPath2Extractor", Role::PostProcessor, "ApacheJMeter_components.jar"),
            ("HTMLAssertion", Role::Assertion, "ApacheJMeter_components.jar"),
            ("JDBCPreProcessor", Role::PreProcessor, "ApacheJMeter_jdbc.jar"),
            ("UniformRandomTimer", Role::Timer, "ApacheJMeter_components.jar"),
            ("LoopController", Role::Controller, "ApacheJMeter_core.jar"),
            ("ThreadGroup", Role::ThreadGroup, "ApacheJMeter_core.jar"),
            ("CounterConfig", Role::IterationElement, "ApacheJMeter_components.jar"),
            ("ResultCollector", Role::Listener, "ApacheJMeter_core.jar"),
        ] {
            let facts = classes.facts(class).unwrap_or_else(|| panic!("{class} is not there"));
            let file = facts.origin.file_name().and_then(|name| name.to_str());
            assert_eq!((facts.role, file), (Some(role), Some(jar)), "{class}");
            assert_eq!(
                facts.hears_of_test,
                ["JDBCDataSource", "ResultCollector"].contains(&class),
                "{class}"
            );
        }
    }
}
