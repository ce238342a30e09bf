//! The tree to run: without disabled elements, and with Module and Include Controllers expanded.

use std::path::Path;

use swell_plan::{Diagnostic, Node, Plan, Severity};

use super::main_context::MainContext;
use super::prepared::Settings;

/// The enabled tree with its diagnostics; only errors if a module has no target.
pub(super) fn resolve(plan: &Plan, settings: &Settings) -> Result<(Node, Vec<Diagnostic>), Vec<Diagnostic>> {
    // Functions such as `__P` resolve in the path of an include; variables do not exist yet.
    let main = MainContext::new(settings, plan.file.clone());
    let prefix = settings.props.get("includecontroller.prefix").unwrap_or_default();
    let mut load = |written: &str| {
        let path = main.eval(&plan.root.element, "IncludeController.includepath", written);
        let path = format!("{prefix}{}", path.trim());
        let bytes = settings.host.read_file(Path::new(&path)).map_err(|problem| problem.to_string())?;
        Ok((path.into(), bytes))
    };
    let resolved = plan.resolve(&mut load);
    if resolved.diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return Err(resolved.diagnostics);
    }
    Ok((resolved.root, resolved.diagnostics))
}
