//! Java system properties, which are the defaults of JMeter's properties
//! (`JMeterUtils.loadProperties`).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use parking_lot::RwLock;

/// Lists what Java says of itself and of the machine, names and values.
type JavaProperties = Box<dyn Fn() -> Vec<(String, String)> + Send + Sync>;

/// How names begin that only Java knows.
const OF_JAVA: [&str; 10] = [
    "java.",
    "sun.",
    "jdk.",
    "user.country",
    "user.script",
    "user.timezone",
    "user.variant",
    "native.",
    "file.",
    "stdout.",
];

/// Those among them that exist only where a user sets them, as the ones that Swell reads itself:
/// to ask would start a Java for each run.
const NEVER_OF_JAVA: &str = "sun.net.";

/// Whether only Java may know a property that is not set, by how its name begins.
#[must_use]
pub fn is_of_java(name: &str) -> bool {
    OF_JAVA.iter().any(|prefix| name.starts_with(prefix)) && !name.starts_with(NEVER_OF_JAVA)
}

/// The Java system properties.
#[derive(Default)]
pub(crate) struct SystemProperties {
    set: RwLock<BTreeMap<String, Setting>>,
    ask: OnceLock<JavaProperties>,
    asked: OnceLock<BTreeMap<String, String>>,
}

struct Setting {
    /// None: it was removed, so Java is not asked for it.
    text: Option<String>,
    /// The user of the run set it; otherwise the machine has it.
    is_given: bool,
}

impl SystemProperties {
    /// The value of a property. Java is asked, once, for names that only it may know.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        if let Some(setting) = self.set.read().get(name) {
            return setting.text.clone();
        }
        is_of_java(name).then(|| self.of_java().get(name).cloned()).flatten()
    }

    /// Sets or removes a property for the user of the run.
    pub(crate) fn give(&self, name: &str, text: Option<&str>) {
        self.put(name, Setting { text: text.map(str::to_owned), is_given: true });
    }

    /// Sets a property that the machine has.
    pub(crate) fn set_of_machine(&self, name: &str, text: &str) {
        self.put(name, Setting { text: Some(text.to_owned()), is_given: false });
    }

    /// Sets whom to ask for what is not set. Only the first one counts.
    pub(crate) fn ask_with(&self, ask: JavaProperties) {
        let _first_counts = self.ask.set(ask);
    }

    /// What Java says, asked once.
    pub(crate) fn of_java(&self) -> &BTreeMap<String, String> {
        self.asked.get_or_init(|| self.ask.get().map(|ask| ask().into_iter().collect()).unwrap_or_default())
    }

    /// All, with those of Java, in order of their names.
    pub(crate) fn entries(&self) -> Vec<(String, String)> {
        let mut all = self.of_java().clone();
        for (name, setting) in &*self.set.read() {
            match &setting.text {
                Some(text) => all.insert(name.clone(), text.clone()),
                None => all.remove(name),
            };
        }
        all.into_iter().collect()
    }

    /// Those that the user of the run set.
    pub(crate) fn given(&self) -> Vec<(String, String)> {
        let set = self.set.read();
        let given = set.iter().filter(|(_, setting)| setting.is_given);
        given.filter_map(|(name, setting)| Some((name.clone(), setting.text.clone()?))).collect()
    }

    fn put(&self, name: &str, setting: Setting) {
        self.set.write().insert(name.to_owned(), setting);
    }
}

impl fmt::Debug for SystemProperties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemProperties").field("given", &self.given()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_is_asked_for_what_only_it_may_know() {
        for (name, asks) in [
            ("java.version", true),
            ("user.timezone", true),
            ("sun.arch.data.model", true),
            ("sun.net.inetaddr.ttl", false),
            ("user.email", false),
            ("user.properties", false),
            ("host", false),
        ] {
            let system = SystemProperties::default();
            system.ask_with(Box::new(|| vec![("java.version".to_owned(), "17".to_owned())]));
            let found = system.get(name);
            assert_eq!(system.asked.get().is_some(), asks, "{name}");
            assert_eq!(found.is_some(), name == "java.version", "{name}");
        }
    }
}
