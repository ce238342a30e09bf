//! The plan of a command line as a file: for JMeter's editor, and to grow into a larger test.

use std::path::Path;

use swell_import::elements::test_plan;
use swell_plan::{Element, Node, Plan, Property, PropertyValue};
use swell_report::{is_secret, masked_arguments};

use crate::args::HitArgs;
use crate::exit::{Exit, Failure};
use crate::plan_text;
use crate::print::print_stderr;

use super::{plan, reach};

/// JMeter's number of the choice `all active threads (shared)`: the rate holds for all users
/// together.
const ALL_ACTIVE_THREADS_SHARED: &str = "3";

/// Writes the plan, and prints the command that runs it.
///
/// # Errors
/// The command line is wrong, has what a plan cannot hold, or the file cannot be written.
pub(super) fn save(args: &HitArgs, file: &Path) -> Result<Exit, Failure> {
    if args.one.shape.shape.is_some() {
        return Err(Failure::settings("a plan holds no load profile: --save-plan does not go with --shape")
            .hint("save the plan without --shape, and give it to the run: swell run FILE --shape SHAPE"));
    }
    let mut secrets = Secrets::default();
    let mut root = with_stock_elements(plan::plan(args, None)?.root, &mut secrets);
    root.element = test_plan("swell hit", "");
    let text = swell_plan::write(&Plan::new(root));
    if file != Path::new("-") && file.exists() && !args.force {
        return Err(
            Failure::settings(format!("`{}` exists", file.display())).hint("-f overwrites existing files")
        );
    }
    plan_text::write(file, text.as_bytes(), args.force)?;
    let name = if file == Path::new("-") { "FILE".to_owned() } else { file.display().to_string() };
    let command = [vec!["swell".to_owned(), "run".to_owned(), name], secrets.options(), routes(args)?];
    print_stderr(&format!("the plan is saved; this runs it: {}", line(&command.concat())));
    Ok(Exit::Fine)
}

/// The command that writes the plan of a run, for the end of its summary.
pub(super) fn command() -> String {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let mut all = vec!["swell".to_owned()];
    all.extend(masked_arguments(&arguments));
    all.extend(["--save-plan".to_owned(), "hit.jmx".to_owned()]);
    line(&all)
}

/// Properties of the way to the server, which a plan does not hold.
fn routes(args: &HitArgs) -> Result<Vec<String>, Failure> {
    let mut all = reach::properties(args)?.entries();
    all.retain(|(name, value)| {
        !reach::DEPARTURES.iter().any(|(known, default)| known == name && default == value)
    });
    all.sort_unstable();
    let option = |(name, value): (String, String)| {
        if is_secret(&name) {
            ["--secret".to_owned(), format!("{name}=env:{}", environment_name(&name))]
        } else {
            ["-J".to_owned(), format!("{name}={value}")]
        }
    };
    Ok(all.into_iter().flat_map(option).collect())
}

/// Passwords and tokens, which are properties in the plan.
#[derive(Default)]
struct Secrets {
    /// Values, each with the name of its property.
    known: Vec<(String, String)>,
}

impl Secrets {
    /// A reference to the property that has this value.
    fn reference(&mut self, value: &str, wanted: &str) -> String {
        let known = self.known.iter().find(|(known, _)| known == value).map(|(_, name)| name.clone());
        let name = known.unwrap_or_else(|| {
            let taken = |name: &String| self.known.iter().any(|(_, known)| known == name);
            let numbered = (2_u32..).map(|number| format!("{wanted}-{number}"));
            let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
            let name = names.find(|name| !taken(name)).unwrap_or_else(|| wanted.to_owned());
            self.known.push((value.to_owned(), name.clone()));
            name
        });
        format!("${{__P({name})}}")
    }

    fn options(&self) -> Vec<String> {
        let option = |(_, name): &(String, String)| {
            ["--secret".to_owned(), format!("{name}=env:{}", environment_name(name))]
        };
        self.known.iter().flat_map(option).collect()
    }
}

fn environment_name(property: &str) -> String {
    property.to_ascii_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// The same with what JMeter knows only, and without secrets.
fn with_stock_elements(mut node: Node, secrets: &mut Secrets) -> Node {
    for property in &mut node.element.properties {
        match (&*property.name, &mut property.value) {
            ("calcMode", value) => *value = PropertyValue::Int(ALL_ACTIVE_THREADS_SHARED.to_owned()),
            ("HeaderManager.headers", PropertyValue::Collection(headers)) => hide(headers, secrets, &header),
            ("AuthManager.auth_list", PropertyValue::Collection(entries)) => {
                hide(entries, secrets, &|_| Some(("Authorization.password", "password".to_owned())));
            }
            _ => {}
        }
    }
    node.children = node.children.into_iter().map(|child| with_stock_elements(child, secrets)).collect();
    node
}

/// The property with the secret of a header, and the name for it.
fn header(header: &Element) -> Option<(&'static str, String)> {
    let name = header.text_or_empty("Header.name");
    is_secret(name).then(|| ("Header.value", name.to_ascii_lowercase()))
}

/// Puts references in place of secrets. `secret`: which property of an element is one, and its
/// name.
fn hide(
    all: &mut [Property],
    secrets: &mut Secrets,
    secret: &dyn Fn(&Element) -> Option<(&'static str, String)>,
) {
    for entry in all {
        let PropertyValue::Element(element) = &mut entry.value else { continue };
        let Some((property, name)) = secret(element) else { continue };
        for property in element.properties.iter_mut().filter(|known| known.name == property) {
            let value = property.value.as_text().unwrap_or_default().to_owned();
            property.value = PropertyValue::Text(secrets.reference(&value, &name));
        }
    }
}

/// Arguments as a line for a shell.
fn line(arguments: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    let quoted = |argument: &String| {
        if !argument.is_empty() && argument.chars().all(is_plain) {
            argument.clone()
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        let arguments = ["swell", "http://a/b?c=d", "", "it's", "-H", "A: b"].map(str::to_owned);
        assert_eq!(line(&arguments), r"swell 'http://a/b?c=d' '' 'it'\''s' -H 'A: b'");
    }

    #[test]
    fn equal_secrets_share_a_property_and_others_get_a_number() {
        let mut secrets = Secrets::default();
        let names = ["x", "y", "x"].map(|value| secrets.reference(value, "password"));
        assert_eq!(names, ["${__P(password)}", "${__P(password-2)}", "${__P(password)}"]);
        assert_eq!(
            secrets.options(),
            ["--secret", "password=env:PASSWORD", "--secret", "password-2=env:PASSWORD_2"]
        );
    }
}
