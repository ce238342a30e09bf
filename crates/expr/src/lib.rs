//! The expression language: templates, variables, properties, functions.
//!
//! A plan's texts are parsed once ([`Compiler::template`]) and evaluated many times against a
//! [`Context`], the part of a virtual user that expressions and elements can see. Nothing here
//! touches clock, file or network but through [`Host`].

mod backlog;
mod charset;
mod compiler;
pub mod condition;
mod confinement;
mod context;
mod file_limits;
mod file_name;
mod files_read;
mod functions;
mod heavy;
mod parser;
mod plan_texts;
mod properties;
mod property_file;
mod queues;
mod refusal;
mod remote;
mod replay;
mod scope;
mod script;
mod system_properties;
mod template;
pub mod testing;
mod user_faults;
mod vars;
pub mod xpath_namespaces;
mod zone;

pub use backlog::{Backlog, WriteFailed};
pub use charset::Charset;
pub use compiler::{Compiler, Problem, Shared};
pub use confinement::Confinement;
pub use context::{
    Context, Host, Level, PhaseUsers, RunInfo, RunningUsers, StopRequest, Thrown, UserCounts, UserIdentity,
};
pub use file_limits::FileLimits;
pub use file_name::{ContainedPath, FileName};
pub use files_read::FilesRead;
pub use functions::{ForeignFunction, ForeignFunctions, FunctionInfo, NEEDS_SCRIPT, functions};
pub use heavy::{BackgroundRunner, Heavy, Job};
pub use plan_texts::PlanTexts;
pub use properties::Properties;
pub use property_file::read_property_file;
pub use queues::{Full, QUEUES, Queues};
pub use refusal::{Refusal, ScriptPlace};
pub use remote::{RemoteCall, RemoteFault, RemoteFunction, RemoteFunctions, RemoteMode};
pub use replay::Replay;
pub use script::element::{ElementScript, Logger, ScriptEnd, ScriptOf};
pub use script::sample_bindings::{Change, FieldValue, SampleBindings, SampleField};
pub use script::{
    ElementKind, Language as ScriptLanguage, ScriptFailure, Unsupported, native as native_scripts,
};
pub use template::{FunctionCall, NotANumber, Part, Template, Text, Variable};
pub use user_faults::UserFaults;
pub use vars::{Generation, Names, Slot, Value, Vars};
