//! JMeter properties: one map for the whole run, shared by all users of all workers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use swell_regex::Dialect;

use crate::system_properties::SystemProperties;

/// The properties of a run (`-J`, `-q`, `user.properties`, `__setProperty`). As in JMeter, Java
/// system properties (`-D`, `user.name`) are their defaults.
#[derive(Debug, Default)]
pub struct Properties {
    map: RwLock<HashMap<String, StoredProperty>>,
    version: AtomicU64,
    /// Names under which Java keeps objects that are not texts.
    objects: RwLock<HashSet<String>>,
    system: SystemProperties,
}

#[derive(Debug)]
struct StoredProperty {
    text: String,
    /// A response, or something else that comes in while the test runs, has a part in it.
    foreign: bool,
}

impl Properties {
    /// The value of a property, or else of that of the Java system (`Properties.getProperty` of
    /// Java).
    pub fn get(&self, name: &str) -> Option<String> {
        self.get_own(name).or_else(|| self.system.get(name))
    }

    /// The value of a property, without those of the Java system (`Properties.get` of Java).
    pub fn get_own(&self, name: &str) -> Option<String> {
        self.map.read().get(name).map(|held| held.text.clone())
    }

    /// Sets a property and returns the value it had.
    pub fn set(&self, name: &str, value: &str) -> Option<String> {
        self.put(name, value, false)
    }

    /// The same with a value, or for a name, that comes in while the test runs: names of files that
    /// are made of it are not the plan's own.
    pub fn set_foreign(&self, name: &str, value: &str) -> Option<String> {
        self.put(name, value, true)
    }

    /// Whether the value comes in while the test runs.
    pub fn is_foreign(&self, name: &str) -> bool {
        self.map.read().get(name).is_some_and(|held| held.foreign)
    }

    /// Java keeps an object under this name: the property has no text.
    pub fn set_object(&self, name: &str) {
        self.remove(name);
        self.objects.write().insert(name.to_owned());
    }

    /// Whether Java keeps an object under this name.
    pub fn has_object(&self, name: &str) -> bool {
        let known = || self.objects.read().contains(name);
        known() && self.get_own(name).is_none()
    }

    fn put(&self, name: &str, value: &str, foreign: bool) -> Option<String> {
        let mut map = self.map.write();
        let old = map.insert(name.to_owned(), StoredProperty { text: value.to_owned(), foreign });
        self.version.fetch_add(1, Ordering::Release);
        old.map(|held| held.text)
    }

    /// Changes with every change of a property: who keeps a value asks this, which needs no lock.
    /// Ask before reading.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Removes a property and returns the value it had.
    pub fn remove(&self, name: &str) -> Option<String> {
        let mut map = self.map.write();
        let old = map.remove(name);
        self.version.fetch_add(1, Ordering::Release);
        old.map(|held| held.text)
    }

    /// Sets a property of the Java system as its user says (`-D`, `-S`, `system.properties`); none
    /// removes it.
    pub fn set_system(&self, name: &str, value: Option<&str>) {
        self.system.give(name, value);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Sets a property of the Java system that the machine has, as `user.name`.
    pub fn set_of_machine(&self, name: &str, value: &str) {
        self.system.set_of_machine(name, value);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Sets what lists the properties that only Java knows, as `java.version`. It is called at most
    /// once, when one of them is wanted.
    pub fn ask_java_with(&self, ask: impl Fn() -> Vec<(String, String)> + Send + Sync + 'static) {
        self.system.ask_with(Box::new(ask));
    }

    /// Asks Java now, which takes a tenth of a second, so that no worker waits for that.
    pub fn ask_java(&self) {
        self.system.of_java();
    }

    /// All properties of the Java system in order of their names. Java is asked.
    pub fn system_entries(&self) -> Vec<(String, String)> {
        self.system.entries()
    }

    /// The properties that another machine needs for the same run: all, and those of the Java
    /// system that the user of the run gave.
    pub fn entries_to_send(&self) -> BTreeMap<String, String> {
        let mut all: BTreeMap<_, _> = self.system.given().into_iter().collect();
        all.extend(self.entries());
        all
    }

    /// All properties in order of their names, without those of the Java system.
    pub fn entries(&self) -> Vec<(String, String)> {
        let map = self.map.read();
        let mut all: Vec<_> = map.iter().map(|(k, v)| (k.clone(), v.text.clone())).collect();
        all.sort_unstable();
        all
    }

    /// A property read as JMeter's `JMeterUtils.getPropDefault(String, boolean)` does: `true`,
    /// `on`, `1`, `yes` in any case are true, a missing or empty one is the default.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        match self.get(name).as_deref().map(str::trim) {
            None | Some("") => default,
            Some(text) => {
                ["true", "on", "1", "yes", "t", "y"].iter().any(|yes| text.eq_ignore_ascii_case(yes))
            }
        }
    }

    /// Whose regular expressions the run uses.
    pub fn regex_dialect(&self) -> Dialect {
        Dialect::of_engine(self.get(Dialect::PROPERTY).as_deref())
    }

    /// A property read as a number; the default where it is missing or no number.
    pub fn number(&self, name: &str, default: i64) -> i64 {
        self.get(name).and_then(|text| text.trim().parse().ok()).unwrap_or(default)
    }
}
