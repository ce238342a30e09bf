//! The engine's part of the table of elements: thread groups, controllers, timers, data sets,
//! script elements, and a few samplers. Each is a variant of one of the engine's enums
//! ([`Native`]), with a separate constructor.

mod list;
mod loads;
mod missing;
mod native;
mod scripts;

pub(crate) use list::{ASYNC, LOOP_CONTROLLER, PARALLEL, THREAD_GROUP};
pub use list::{kinds, kinds_beside_jvm};
pub(crate) use native::{Native, native};
pub use native::{is_transaction, phase_of};
pub use scripts::ScriptsNatively;
