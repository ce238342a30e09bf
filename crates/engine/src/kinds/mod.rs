//! The engine's part of the table of elements: thread groups, controllers, timers, data sets,
//! script elements, and a few samplers. Each is a variant of one of the engine's enums
//! ([`Native`]), with a separate constructor.

mod list;
mod native;
mod scripts;

pub use list::{kinds, kinds_beside_jvm};
pub use native::phase_of;
pub(crate) use native::{Native, native};
pub use scripts::ScriptsNatively;
