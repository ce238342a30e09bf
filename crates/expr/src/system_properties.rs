//! Java system properties, which are the defaults of JMeter's properties
//! (`JMeterUtils.loadProperties`).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use parking_lot::RwLock;

/// Lists what Java says of itself and of the machine, names and values.
type JavaProperties = Box<dyn Fn() -> Vec<(String, String)> + Send + Sync>;

/// How names begin that only Java knows.
const OF_JAVA: [&str; 7] = ["java.", "sun.", "jdk.", "user.", "native.", "file.", "stdout."];

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
        let is_of_java = OF_JAVA.iter().any(|prefix| name.starts_with(prefix));
        is_of_java.then(|| self.of_java().get(name).cloned()).flatten()
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
