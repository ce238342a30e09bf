//! The expression language: templates, variables, properties, functions.
//!
//! A plan's texts are parsed once ([`Compiler::template`]) and evaluated many times against a [`Context`], the part
//! of a virtual user that expressions and elements can see. Nothing here touches clock, file or network but through
//! [`Host`].

mod compiler;
mod context;
mod properties;
mod template;
mod vars;

pub use compiler::{Compiler, Problem, Shared};
pub use context::{Context, Host, Level, RunInfo, StopRequest, UserIdentity};
pub use properties::Properties;
pub use template::Template;
pub use vars::{Names, Slot, Value, Vars};
