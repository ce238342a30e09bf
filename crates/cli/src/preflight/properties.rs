//! Properties of the command line that nothing reads.

use swell_run::PropertiesRead;

use crate::args::Setting;

/// A line for each property that is set and that neither the plan nor a tool reads.
pub(super) fn unread(settings: &[Setting], read: &PropertiesRead) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for setting in settings {
        let name = match setting {
            Setting::Property(name, value) if !value.is_empty() => name,
            Setting::Secret(name, _) => name,
            _ => continue,
        };
        if read.may_read(name) {
            continue;
        }
        let near = read.nearest(name);
        // A property with a dot may belong to something that Swell does not know.
        if name.contains('.') && near.is_none() {
            continue;
        }
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if read.names().next().is_none() => "it reads none".to_owned(),
            None => format!("it reads {}", read.names().take(20).collect::<Vec<_>>().join(", ")),
        };
        let line = format!("warning: nothing in the plan reads the property `{name}`: {hint}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use swell_plan::{Element, Node};

    fn said(text: &str, names: &[&str]) -> Vec<String> {
        let root = Node::new(Element::new("ThreadGroup", "x", "g").with_text("x", text));
        let settings: Vec<_> =
            names.iter().map(|name| Setting::Property((*name).to_owned(), "1".to_owned())).collect();
        unread(&settings, &PropertiesRead::of(&root, Path::new(".")))
    }

    #[test]
    fn a_property_that_nothing_reads_is_told_with_the_name_that_was_meant() {
        let plan = "${__P(seconds,5)} ${__P(app.users)}";
        assert_eq!(said(plan, &["seconds", "app.users", "swell.workers", "my.own"]), [""; 0]);
        assert_eq!(
            said(plan, &["second", "second", "app.user"]),
            [
                "warning: nothing in the plan reads the property `second`: did you mean `seconds`?",
                "warning: nothing in the plan reads the property `app.user`: did you mean `app.users`?"
            ]
        );
        assert!(said(plan, &["turnip"])[0].ends_with("it reads app.users, seconds"));
        assert!(said("", &["turnip"])[0].ends_with("it reads none"));
    }
}
