//! Generates the page `docs/reference/elements.md`.

use std::fmt::Write;

use crate::{
    Documentation, ElementKind, FileProperty, FileUse, LoadUnit, Property, Registry, Role, Treatment, Values,
};

const HEAD: &str = "\
# Elements of a plan

How Swell treats each element of JMeter 5.6.3 and of common plug-ins. `swell check PLAN` shows the same for the elements of a plan. This page
is generated from the table of elements that `swell check` reads (`kinds()` of each crate) and from the file `elements.toml` of each crate.
After a change there, write it with `UPDATE_REFERENCE=1 cargo test -p swell-run --test run reference`.

- **native**: runs as in JMeter 5.6.3; differences are listed.
- **ignored**: the run continues without it.
- **needs the JVM**: runs on JMeter's own classes in an embedded JVM, which needs Java 11 or newer and JMeter's classes
  (`swell jvm install`, [details](../jvm.md)). Without them, a plan with such an element is refused. Simple scripts need no JVM
  ([scripts](../scripts.md)).
- **on the JVM, else ignored**: runs in the embedded JVM if Java and its classes are installed; otherwise the run continues without it.
- **unsupported**: a plan with it is refused.

A default is the value that a run uses if the plan lacks the property; `–` is an empty text. `${…}` is allowed in every value except check
boxes that JMeter reads once. Files to read are sent to [other machines](../guide/many-machines.md).
";

/// Generates the page. Within a role JMeter's own elements come before those of plug-ins, and
/// elements that run before those that do not.
///
/// # Errors
/// The documentation of a native element is missing or cannot be read.
pub fn reference_page(registry: &Registry) -> Result<String, String> {
    let mut kinds: Vec<_> = registry.kinds().collect();
    kinds.sort_by_key(|kind| (kind.role, kind.class().contains('.'), column(&kind.treatment)));
    let mut page = HEAD.to_owned();
    page.push_str(&overview(&kinds));
    let mut last = None;
    for kind in kinds {
        if last != Some(kind.role) {
            push(&mut page, format_args!("\n## {}\n", title(kind.role)));
            last = Some(kind.role);
        }
        page.push_str(&section(kind)?);
    }
    Ok(page)
}

fn push(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("writing to a string cannot fail");
}

/// The table that counts the elements of each role by treatment.
fn overview(kinds: &[&ElementKind]) -> String {
    let mut out =
        "\n| kind | native | ignored | needs the JVM | unsupported |\n|---|--:|--:|--:|--:|\n".to_owned();
    for of_role in kinds.chunk_by(|a, b| a.role == b.role) {
        let mut counts = [0; 4];
        for kind in of_role {
            counts[column(&kind.treatment)] += 1;
        }
        let [native, ignored, jvm, unsupported] = counts;
        let title = title(of_role[0].role);
        push(&mut out, format_args!("| {title} | {native} | {ignored} | {jvm} | {unsupported} |\n"));
    }
    out
}

fn column(treatment: &Treatment) -> usize {
    match treatment {
        Treatment::Native => 0,
        Treatment::Ignored(_) => 1,
        Treatment::Jvm(_) | Treatment::NeedsJvm(_) => 2,
        Treatment::Unsupported(_) => 3,
    }
}

fn title(role: Role) -> &'static str {
    match role {
        Role::Plan => "Test plan and non-test elements",
        Role::ThreadGroup => "Thread groups",
        Role::Controller => "Controllers",
        Role::Sampler => "Samplers",
        Role::Config => "Config elements",
        Role::IterationElement => "Data sets, counters, random variables",
        Role::Timer => "Timers",
        Role::PreProcessor => "Pre-processors",
        Role::PostProcessor => "Post-processors",
        Role::Assertion => "Assertions",
        Role::Listener => "Listeners",
    }
}

fn section(kind: &ElementKind) -> Result<String, String> {
    let mut out = format!("\n### {}\n\n", kind.name);
    let quote = |one: &&str| if one.is_empty() { "empty".to_owned() } else { format!("`{one}`") };
    let quoted = |all: &[&str]| all.iter().map(quote).collect::<Vec<_>>();
    let classes = quoted(&kind.classes.iter().map(AsRef::as_ref).collect::<Vec<_>>()).join(", ");
    let guis = quoted(&kind.guis.iter().map(AsRef::as_ref).collect::<Vec<_>>()).join(" or ");
    let guis = if guis.is_empty() { guis } else { format!(" with {guis}") };
    let when = kind.when.map_or_else(String::new, |(property, values)| {
        format!(" where `{property}` is {}", quoted(values).join(" or "))
    });
    let (word, why) = match &kind.treatment {
        Treatment::Native => ("native", ""),
        Treatment::Ignored(why) if kind.unless_provided => ("on the JVM, else ignored", why.as_ref()),
        Treatment::Ignored(why) => ("ignored", why.as_ref()),
        Treatment::Jvm(why) | Treatment::NeedsJvm(why) => ("needs the JVM", why.as_ref()),
        Treatment::Unsupported(why) => ("unsupported", why.as_ref()),
    };
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    push(&mut out, format_args!("{classes}{guis}{when} · **{word}**{why}\n"));
    if kind.treatment != Treatment::Native {
        out.push_str(&other_files(kind, &[]));
        return Ok(out);
    }
    let documentation = Documentation::of(kind).map_err(|wrong| format!("`{}`: {wrong}", kind.class()))?;
    out.push_str(&body(kind, &documentation));
    Ok(out)
}

fn body(kind: &ElementKind, documentation: &Documentation) -> String {
    let mut out = format!("\n{}\n", documentation.does);
    if !documentation.properties.is_empty() {
        out.push_str("\n| property | values | default | meaning |\n|---|---|---|---|\n");
        documentation.properties.iter().for_each(|property| out.push_str(&row(kind, property)));
        documentation.properties.iter().filter(|property| is_long(property)).for_each(|property| {
            push(&mut out, format_args!("\n`{}` is one of {}.\n", property.name, values(property)));
        });
    }
    out.push_str(&other_files(kind, &documentation.properties));
    if let Some(load) = kind.load {
        let option = match load.unit {
            LoadUnit::Users => "users",
            LoadUnit::PerSecond => "rate",
        };
        push(&mut out, format_args!("\n`swell search --{option}` varies `{}`.\n", load.property));
    }
    if !documentation.differs.is_empty() || kind.departure.is_some() {
        out.push_str("\nDiffers from JMeter:\n\n");
        documentation.differs.iter().for_each(|one| push(&mut out, format_args!("- {one}\n")));
        if let Some(departure) = kind.departure {
            let property = departure.property;
            let value = departure.value;
            let what = departure.what;
            push(&mut out, format_args!("- With `{property}` = `{value}`: {what}.\n"));
        }
    }
    out
}

/// Files that no row of the properties shows.
fn other_files(kind: &ElementKind, shown: &[Property]) -> String {
    let is_shown = |name: &str| shown.iter().any(|property| property.name == name);
    let others = kind.files.iter().filter(|(name, _)| !is_shown(name));
    let (read, written): (Vec<_>, Vec<_>) = others.partition(|(_, usage)| usage.reads());
    let line = |verb: &str, files: &[&FileProperty]| {
        let names: Vec<_> = files.iter().map(|(name, _)| format!("`{name}`")).collect();
        if names.is_empty() {
            String::new()
        } else {
            format!("\n{verb} the files in {}.\n", names.join(", "))
        }
    };
    line("Reads", &read) + &line("Writes", &written)
}

fn usage_of(kind: &ElementKind, property: &str) -> Option<FileUse> {
    kind.files.iter().find(|(name, _)| *name == property).map(|(_, usage)| *usage)
}

fn file(usage: FileUse) -> String {
    match usage {
        FileUse::Read => "file to read".to_owned(),
        FileUse::ReadList(separator) => format!("files to read, separated by `{separator}`"),
        FileUse::ReadFolder(ending) => format!("file, or folder with `{ending}` files, to read"),
        FileUse::ReadFolders(separator, ending) => {
            format!("files, or folders with `{ending}` files, to read, separated by `{separator}`")
        }
        FileUse::ReadPlan => "plan to include".to_owned(),
        FileUse::Write => "file to write".to_owned(),
        FileUse::WriteResults => "results file to write".to_owned(),
    }
}

/// The widest cell of a table that a terminal can show, in characters.
const WIDEST_CELL: usize = 120;

fn is_long(property: &Property) -> bool {
    values(property).chars().count() > WIDEST_CELL
}

fn values(property: &Property) -> String {
    match &property.values {
        Values::Kind(kind) if kind == "flag" => "`true`, `false`".to_owned(),
        Values::Kind(kind) => kind.clone(),
        Values::Choice(of) => of.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", "),
    }
}

fn row(kind: &ElementKind, property: &Property) -> String {
    let values = match usage_of(kind, &property.name) {
        _ if is_long(property) => "see below".to_owned(),
        Some(usage) => file(usage),
        None => values(property),
    };
    let default =
        if property.default.is_empty() { "–".to_owned() } else { format!("`{}`", property.default) };
    format!("| `{}` | {values} | {default} | {} |\n", property.name, property.meaning).replace("`|`", "`\\|`")
}
