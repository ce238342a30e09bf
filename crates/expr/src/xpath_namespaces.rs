//! Namespace prefixes for all XPaths, from a file (`PropertiesBasedPrefixResolver`).

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::host::Host;
use crate::level::Level;
use crate::properties::Properties;
use crate::property_file::read_property_file;

/// The property that names the file.
const CONFIG: &str = "xpath.namespace.config";

/// Namespaces by prefix; none where the property `xpath.namespace.config` names no file. One that
/// cannot be read is logged. It is looked for as other files are, then in JMeter's `bin`.
pub fn configured(props: &Properties, host: &dyn Host) -> HashMap<String, String> {
    let Some(name) = props.get(CONFIG).filter(|name| !name.is_empty()) else { return HashMap::new() };
    let in_home = || host.env("JMETER_HOME").map(|home| PathBuf::from(home).join("bin").join(&name));
    let read = host.read_file(Path::new(&name)).or_else(|error| match in_home() {
        Some(path) => host.read_file(&path),
        None => Err(error),
    });
    let pairs = read.map_err(|error| error.to_string()).and_then(|bytes| read_property_file(&bytes));
    pairs.unwrap_or_else(|reason| {
        host.log(Level::Error, &format!("cannot read `{name}`, which `{CONFIG}` names: {reason}"));
        HashMap::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestHost;

    #[test]
    fn a_file_gives_namespaces_to_prefixes() {
        let props = Properties::default();
        let host = TestHost::default();
        assert!(configured(&props, &host).is_empty() && host.log_lines().is_empty());
        props.set(CONFIG, "ns.properties");
        assert!(configured(&props, &host).is_empty());
        assert!(host.log_lines()[0].contains("ns.properties"), "{:?}", host.log_lines());
        host.add_file("ns.properties", "# all\nx = urn:x\ny:urn\\:y\n");
        let found = configured(&props, &host);
        assert_eq!((found.len(), &*found["x"], &*found["y"]), (2, "urn:x", "urn:y"));
    }
}
