//! HAR 1.2 files.

mod coding;
mod entry;
mod file;

pub(crate) use coding::CODINGS;
pub use entry::entry;
pub use file::HarFile;
