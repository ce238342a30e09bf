//! Aliases of classes, from `saveservice.properties`.

use std::collections::HashMap;
use std::sync::LazyLock;

struct Aliases {
    class_of: HashMap<&'static str, &'static str>,
    alias_of: HashMap<&'static str, &'static str>,
}

static ALIASES: LazyLock<Aliases> = LazyLock::new(|| {
    let mut aliases = Aliases { class_of: HashMap::new(), alias_of: HashMap::new() };
    for (names, class) in include_str!("aliases.txt").lines().filter_map(|line| line.split_once('=')) {
        for (position, name) in names.split(',').enumerate() {
            aliases.class_of.insert(name, class);
            if position == 0 {
                aliases.alias_of.insert(class, name);
            }
        }
    }
    aliases
});

/// The full class name of an alias; other names are returned as they are
/// (`SaveService.aliasToClass`).
pub fn class_of(name: &str) -> &str {
    ALIASES.class_of.get(name).copied().unwrap_or(name)
}

/// The alias of a full class name; other names are returned as they are
/// (`SaveService.classToAlias`).
pub(crate) fn alias_of(class: &str) -> &str {
    ALIASES.alias_of.get(class).copied().unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_go_both_ways() {
        let cases = [
            ("ThreadGroup", "org.apache.jmeter.threads.ThreadGroup", "ThreadGroup"),
            ("HTTPSampler2", "org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy", "HTTPSamplerProxy"),
            (
                "HttpTestSampleGui2",
                "org.apache.jmeter.protocol.http.control.gui.HttpTestSampleGui",
                "HttpTestSampleGui",
            ),
            ("JDBCDataSource", "org.apache.jmeter.protocol.jdbc.config.DataSourceElement", "JDBCDataSource"),
            ("stringProp", "org.apache.jmeter.testelement.property.StringProperty", "stringProp"),
            ("hashTree", "org.apache.jorphan.collections.ListedHashTree", "hashTree"),
            ("kg.apc.X", "kg.apc.X", "kg.apc.X"),
        ];
        for (alias, class, written) in cases {
            assert_eq!(class_of(alias), class);
            assert_eq!(alias_of(class), written);
        }
    }
}
