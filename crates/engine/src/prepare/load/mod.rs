//! The fields of a thread group that determine when its users start and end: read when the group
//! starts, and validated.

mod blazemeter;
mod open_model;
mod origin;
mod plain;
mod reader;
mod stepping;
mod ultimate;

use std::sync::Arc;

use swell_api::StartMode;
use swell_plan::{Element, Severity};

use super::main_context::MainContext;
use crate::group_load::{GroupKind, Load};
use crate::schedule::{Foreign, Schedule, ThreadGroupSchedule};
pub(crate) use blazemeter::{target, target_varies};
pub(crate) use origin::Origin;
use reader::{Reader, Reading};

/// The schedule of a thread group that starts now, with the variables of the plan. What is wrong is
/// noted.
///
/// # Errors
/// Why the group cannot start.
pub(crate) fn schedule(
    group: &Element,
    load: &Load,
    main: &MainContext,
    origin: Origin,
) -> Result<Arc<dyn Schedule>, String> {
    read(group, load, main, origin, Reading::Now)
}

/// Whether a group whose loop controller says how often its users loop has none.
pub(crate) fn lacks_loop(group: &Element, load: &Load) -> bool {
    let loops = match load {
        Load::Own(kind) => matches!(kind, GroupKind::Plain | GroupKind::Stepping | GroupKind::Ultimate),
        Load::Foreign(group) => group.mode() == StartMode::Users,
        Load::External(_) => false,
    };
    loops && group.element("ThreadGroup.main_controller").is_none()
}

/// Notes what is wrong with the fields that are known before the run.
pub(super) fn check_constants(group: &Element, load: &Load, main: &MainContext) {
    match load {
        Load::Own(GroupKind::Plain) => return plain::check_constants(group, main),
        Load::Own(_) => {}
        // It reads its fields when it starts.
        Load::Foreign(_) | Load::External(_) => return,
    }
    let origin = Origin { start_ns: 0, compat: false };
    if let Err(message) = read(group, load, main, origin, Reading::Constants) {
        main.compile.note(Severity::Error, group, None, message, None);
    }
}

fn read(
    group: &Element,
    load: &Load,
    main: &MainContext,
    origin: Origin,
    reading: Reading,
) -> Result<Arc<dyn Schedule>, String> {
    let reader = Reader { group, main, reading };
    let start_ns = origin.start_ns;
    let kind = match load {
        Load::Own(kind) => *kind,
        Load::External(_) => return Err("it has no native schedule".to_owned()),
        Load::Foreign(foreign) => {
            let property = |name: &str| main.property(group, name, "");
            let schedule = foreign.schedule(&property, start_ns)?;
            return Ok(Arc::new(Foreign { schedule, mode: foreign.mode() }));
        }
    };
    Ok(match kind {
        GroupKind::Plain => Arc::new(ThreadGroupSchedule::new(&plain::read(group, main), start_ns)?),
        GroupKind::Stepping => Arc::new(stepping::read(&reader).table(start_ns)),
        GroupKind::Ultimate => Arc::new(crate::schedule::ultimate(&ultimate::rows(&reader)?, start_ns)),
        GroupKind::Concurrency => Arc::new(blazemeter::concurrency(&reader, origin)?),
        GroupKind::Arrivals => Arc::new(blazemeter::arrivals(&reader, origin)?),
        GroupKind::FreeFormArrivals => Arc::new(blazemeter::free_form(&reader, origin)?),
        GroupKind::OpenModel => Arc::new(open_model::read(&reader, origin)?),
    })
}

#[cfg(test)]
mod tests;
