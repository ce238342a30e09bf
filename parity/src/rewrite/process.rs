//! Programs that a plan would run: harmless ones are kept, and `echo` replaces all others.

use swell_plan::{Element, PropertyValue};

/// Programs that change nothing and end at once.
const HARMLESS: [&str; 8] = ["echo", "printf", "true", "false", "pwd", "date", "hostname", "whoami"];
/// Harmless programs whose output depends on the time.
const UNSTEADY: [&str; 1] = ["date"];

/// Whether the output of a process differs from run to run.
pub(super) fn is_unsteady(element: &Element) -> bool {
    element.class == "SystemSampler" && UNSTEADY.contains(&element.text_or_empty(COMMAND))
}

const COMMAND: &str = "SystemSampler.command";

/// Makes a process harmless. Its arguments stay; an unknown command becomes the first argument.
pub(super) fn tame(element: &mut Element, folder: &str) {
    if element.class != "SystemSampler" {
        return;
    }
    let command = element.text_or_empty(COMMAND).to_owned();
    if command == "sleep" {
        element.set_text(COMMAND, "sleep");
        replace_arguments(element, &["0"]);
    } else if !HARMLESS.contains(&command.as_str()) {
        element.set_text(COMMAND, "echo");
        put_first(element, &command);
    }
    for (name, value) in
        [("directory", folder), ("stdin", "/dev/null"), ("stdout", "/dev/null"), ("stderr", "/dev/null")]
    {
        let name = format!("SystemSampler.{name}");
        if !element.text_or_empty(&name).is_empty() {
            element.set_text(&name, value);
        }
    }
}

fn replace_arguments(element: &mut Element, values: &[&str]) {
    let members = values.iter().map(|value| argument(value));
    let list = Element::new("Arguments", "ArgumentsPanel", "").with_elements("Arguments.arguments", members);
    element.properties.retain(|property| property.name != ARGUMENTS);
    element.properties.push(swell_plan::Property::of_element(ARGUMENTS, list));
}

const ARGUMENTS: &str = "SystemSampler.arguments";

fn put_first(element: &mut Element, value: &str) {
    let first = swell_plan::Property::of_element("", argument(value));
    for property in &mut element.properties {
        let PropertyValue::Element(list) = &mut property.value else { continue };
        if property.name == ARGUMENTS {
            property.written = None;
            for members in &mut list.properties {
                if let PropertyValue::Collection(members_of) = &mut members.value {
                    members_of.insert(0, first);
                    members.written = None;
                    return;
                }
            }
        }
    }
    replace_arguments(element, &[value]);
}

fn argument(value: &str) -> Element {
    let argument = Element::new("Argument", "", "").with_text("Argument.name", "");
    argument.with_text("Argument.value", value).with_text("Argument.metadata", "=")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tamed(command: &str) -> (String, Vec<String>) {
        let mut element = Element::new("SystemSampler", "SystemSamplerGui", "S")
            .with_text(COMMAND, command)
            .with_text("SystemSampler.directory", "/etc")
            .with_text("SystemSampler.stdout", "");
        replace_arguments(&mut element, &["5", "-f"]);
        tame(&mut element, "/run");
        assert_eq!(element.text("SystemSampler.directory"), Some("/run"));
        assert_eq!(element.text("SystemSampler.stdout"), Some(""));
        let arguments = element.element(ARGUMENTS).unwrap();
        let values =
            arguments.elements("Arguments.arguments").map(|a| a.text_or_empty("Argument.value").to_owned());
        (element.text_or_empty(COMMAND).to_owned(), values.collect())
    }

    #[test]
    fn only_harmless_programs_run() {
        let cases: [(&str, &str, &[&str]); 4] = [
            ("echo", "echo", &["5", "-f"]),
            ("sleep", "sleep", &["0"]),
            ("/bin/rm", "echo", &["/bin/rm", "5", "-f"]),
            ("${docker}", "echo", &["${docker}", "5", "-f"]),
        ];
        for (command, expected, arguments) in cases {
            let (command, values) = tamed(command);
            assert_eq!(command, expected);
            assert_eq!(values, arguments);
        }
    }
}
