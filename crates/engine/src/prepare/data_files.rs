//! Detects missing data files before the run.

use std::os::unix::fs::FileTypeExt as _;

use swell_api::{Phase, Registry};
use swell_plan::{Diagnostic, Node, Place, Severity};

use super::external::walk_own;
use super::prepared::Prepared;
use crate::kinds::{Native, native};

/// Data files of the plan that cannot be read and whose names are known before the run; those that
/// hold `${` are not. JMeter would run such a plan, and end each user that comes to the file. A
/// set-up thread group may still make a file: then it is a warning.
pub fn missing_files(prepared: &Prepared, registry: &Registry) -> Vec<Diagnostic> {
    let made_later = prepared.groups.iter().any(|group| group.phase == Phase::SetUp);
    let severity = if made_later { Severity::Warning } else { Severity::Error };
    let mut missing = Vec::new();
    walk_own(&prepared.root, registry, &mut |node| {
        missing.extend(missing_file(node, prepared, registry, severity));
    });
    missing
}

fn missing_file(
    node: &Node,
    prepared: &Prepared,
    registry: &Registry,
    severity: Severity,
) -> Option<Diagnostic> {
    let element = &node.element;
    if !matches!(native(registry, element), Some(Native::DataSet(_))) {
        return None;
    }
    let data = registry.files(element).into_iter().find(|file| file.usage.reads())?;
    let name = data.text;
    if name.contains("${") {
        return None;
    }
    let host = &prepared.settings.host;
    // To open a pipe and close it again would end its writer.
    let kind = std::fs::metadata(host.find(name.as_ref())).map(|found| found.file_type());
    if kind.is_ok_and(|kind| kind.is_fifo()) {
        return None;
    }
    let problem = host.open(name.as_ref()).err()?;
    let place = Place {
        file: prepared.file.clone(),
        line: element.line,
        element: element.path.clone(),
        property: Some(data.property.to_owned()),
    };
    let message = format!("cannot read `{name}`: {problem}");
    let hint =
        "a name without a leading / is looked for in the working folder, then in the plan's".to_owned();
    Some(Diagnostic { severity, place, message, hint: Some(hint) })
}
