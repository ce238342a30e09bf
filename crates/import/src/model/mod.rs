//! What foreign files say, in one form.

mod check;
mod exchange;
mod flow;
mod text;

pub use check::{Capture, CaptureFrom, Check, CheckOf, Comparison, Script, ScriptWhen};
pub use exchange::{Auth, Body, Exchange, Field, Header, Page, Part, PartValue, Pause, Response};
pub use flow::{DataFile, Document, Flow, Folder, FolderKind, Item, Load, OnError, Scope, Variable};
pub(crate) use text::free_name;
pub use text::{Text, TextPart, safe_name};
