//! Upgrades of old names, from `upgrade.properties` (JMeter class `NameUpdater`).

use std::collections::HashMap;
use std::sync::LazyLock;

/// Old and new property names of one class.
pub(crate) type PropertyNames = [(&'static str, &'static str)];

struct Upgrades {
    /// Also `class|gui`.
    classes: HashMap<&'static str, &'static str>,
    properties: HashMap<&'static str, Vec<(&'static str, &'static str)>>,
}

static UPGRADES: LazyLock<Upgrades> = LazyLock::new(|| {
    let mut upgrades = Upgrades { classes: HashMap::new(), properties: HashMap::new() };
    let rules = include_str!("upgrades.txt").lines().filter(|line| !line.starts_with('#'));
    for (old, new) in rules.filter_map(|line| line.split_once('=')) {
        match old.split_once('/') {
            Some((class, name)) => upgrades.properties.entry(class).or_default().push((name, new)),
            None => _ = upgrades.classes.insert(old, new),
        }
    }
    // JMeter 5.6.3 still has the class that `HTTPSampler_` names; it is HTTPSamplerProxy with the
    // Java implementation.
    let java = "org.apache.jmeter.protocol.http.sampler.HTTPSampler";
    let proxy = "org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy";
    upgrades.classes.insert(java, proxy);
    upgrades.classes.insert("org.apache.jmeter.protocol.http.sampler.HTTPSamplerFull", proxy);
    upgrades
});

/// The result of upgrading a property name.
#[derive(Debug, PartialEq)]
pub(crate) enum UpgradedName<'a> {
    /// The property goes by this name.
    Is(&'a str),
    /// The property was abolished.
    Deleted,
}

/// The current name of a full class name, element or GUI.
pub(crate) fn upgraded_class(class: &str) -> &str {
    UPGRADES.classes.get(class).copied().unwrap_or(class)
}

/// The current name of the class of an element with a GUI; both are full class names.
pub(crate) fn upgraded_test_class<'a>(class: &'a str, gui_class: &str) -> &'a str {
    let pair = format!("{class}|{gui_class}");
    UPGRADES.classes.get(&*pair).copied().unwrap_or_else(|| upgraded_class(class))
}

/// Renamed properties of a full class name.
pub(crate) fn property_names(class: &str) -> &'static PropertyNames {
    UPGRADES.properties.get(class).map_or(&[], Vec::as_slice)
}

impl<'a> UpgradedName<'a> {
    /// Applies a class's renamed properties to a name.
    pub(crate) fn of(name: &'a str, names: &PropertyNames) -> Self {
        match names.iter().find(|(old, _)| *old == name) {
            None => Self::Is(name),
            Some((_, "")) => Self::Deleted,
            Some((_, new)) => Self::Is(new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_upgraded() {
        let http = "org.apache.jmeter.protocol.http.sampler";
        assert_eq!(
            upgraded_class("org.apache.jmeter.assertions.Assertion"),
            "org.apache.jmeter.assertions.ResponseAssertion"
        );
        assert_eq!(upgraded_class(&format!("{http}.HTTPSamplerFull")), format!("{http}.HTTPSamplerProxy"));
        assert_eq!(upgraded_class("x.Y"), "x.Y");
        let config = "org.apache.jmeter.config.ConfigTestElement";
        let gui = "org.apache.jmeter.protocol.jdbc.config.gui.DbConfigGui";
        assert_eq!(
            upgraded_test_class(config, gui),
            "org.apache.jmeter.protocol.jdbc.config.DataSourceElement"
        );
        assert_eq!(upgraded_test_class(config, "x.Gui"), config);
    }

    #[test]
    fn properties_are_renamed_or_deleted() {
        let names = property_names("org.apache.jmeter.protocol.jdbc.config.DataSourceElement");
        assert_eq!(UpgradedName::of("JDBCSampler.url", names), UpgradedName::Is("dbUrl"));
        assert_eq!(UpgradedName::of("JDBCSampler.connections", names), UpgradedName::Deleted);
        assert_eq!(UpgradedName::of("other", names), UpgradedName::Is("other"));
        assert!(property_names("x.Y").is_empty());
    }
}
