//! Java system properties of this machine, for plans that read them.

use std::os::unix::fs::MetadataExt;

use swell_expr::Properties;
use swell_plan::Plan;

/// Sets what is the same for every Java on this machine: `user.name`, `os.name`, `file.separator`
/// and the like.
pub(crate) fn of_machine(props: &Properties) {
    let (name, home) = user();
    let folder = std::env::current_dir().map(|folder| folder.to_string_lossy().into_owned());
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease");
    let all = [
        ("user.name", name),
        ("user.home", home),
        ("user.dir", folder.ok()),
        // What JMeter's start script says.
        ("user.language", Some("en".to_owned())),
        ("user.region", Some("EN".to_owned())),
        ("os.name", Some("Linux".to_owned())),
        ("os.arch", Some(java_architecture(std::env::consts::ARCH).to_owned())),
        ("os.version", kernel.ok().map(|version| version.trim().to_owned())),
        ("file.separator", Some("/".to_owned())),
        ("path.separator", Some(":".to_owned())),
        ("line.separator", Some("\n".to_owned())),
        // Java looks at no variable of the environment for it.
        ("java.io.tmpdir", Some("/tmp".to_owned())),
        ("java.awt.headless", Some("true".to_owned())),
        ("JMeter.NonGui", Some("true".to_owned())),
    ];
    for (name, value) in all {
        if let Some(value) = value {
            props.set_of_machine(name, &value);
        }
    }
}

/// Whether a plan calls for properties of the system that only Java knows, such as `java.version`,
/// or shows them all.
pub(crate) fn wants_java(plan: &Plan) -> bool {
    let of_java = |text: &str| {
        let calls = text.contains("__P(") || text.contains("__property(");
        calls && text.split('(').skip(1).any(swell_expr::is_of_java)
    };
    let mut wants = false;
    plan.enabled_tree().walk(&mut |node| {
        wants |= node.element.flag("displaySystemProperties", false) || node.element.any_text(&of_java);
    });
    wants
}

/// Name and home of the user: those of the system's table, as in Java, else of the environment.
fn user() -> (Option<String>, Option<String>) {
    let table = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let id = std::fs::metadata("/proc/self").map(|of_process| of_process.uid().to_string());
    let found = id.ok().and_then(|id| user_in(&table, &id));
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (name, home) = found.unzip();
    let home = home.filter(|home| home.len() >= 3).or_else(|| variable("HOME"));
    (name.or_else(|| variable("USER")), home)
}

/// Name and home of the user with this number.
fn user_in(table: &str, id: &str) -> Option<(String, String)> {
    table.lines().find_map(|line| {
        let fields: Vec<_> = line.split(':').collect();
        (fields.len() >= 6 && fields[2] == id).then(|| (fields[0].to_owned(), fields[5].to_owned()))
    })
}

/// Java's name of a processor.
fn java_architecture(rust: &str) -> &str {
    match rust {
        "x86_64" => "amd64",
        "x86" => "i386",
        "powerpc64" => "ppc64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_their_number() {
        let table = "root:x:0:0:root:/root:/bin/sh\nbroken\nme:x:1000:1000:,,,:/home/me:/bin/sh\n";
        assert_eq!(user_in(table, "1000"), Some(("me".to_owned(), "/home/me".to_owned())));
        assert_eq!(user_in(table, "1"), None);
    }

    #[test]
    fn plans_that_call_for_what_java_knows_are_known() {
        let wants = |text: &str| {
            let plan = format!(
                "<jmeterTestPlan version=\"1.2\"><hashTree><TestPlan testclass=\"TestPlan\" testname=\"T\">\
                 <stringProp name=\"TestPlan.comments\">{text}</stringProp></TestPlan><hashTree/></hashTree></jmeterTestPlan>"
            );
            wants_java(&swell_plan::read(plan.as_bytes(), None).plan.expect("a plan"))
        };
        assert!(wants("${__P(java.version)}") && wants("${__property(user.timezone,,x)}"));
        assert!(!wants("${__P(host)} java.version") && !wants("(java.version)"));
        assert!(!wants("${__P(user.email)} ${__P(user.name)}"), "Java has nothing to add to these");
    }
}
