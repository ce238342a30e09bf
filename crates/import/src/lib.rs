//! Foreign files to JMeter plans: bytes in, the text of a plan out. Nothing is read, written or
//! called here, and nothing that a file contains is evaluated.
//!
//! ```text
//! Source ─ Format::read ─▶ Document { Flow … } ─ recording ─▶ the same, as people write it ─ write ─▶ Imported
//!                 └──────────────── Notes: taken, changed, left out, each with its place ──────────────┘
//! ```
//!
//! [`import`] does all of it. Only stock elements of JMeter 5.6.3 are written, so that JMeter opens
//! each plan and `swell check` calls it native.
//!
//! # Adding a format
//!
//! One file in `formats/` and one line in [`FORMATS`]. The file has a [`Format`]: its name for
//! `--from`, a title, `fits`, which looks at the beginning of a file, and `read`. `read` has these
//! duties:
//!
//! * It makes one [`Flow`] for each sequence of requests that one virtual user sends (a file of
//!   Hurl, a scenario of Artillery). A file with values only (an environment) fills
//!   [`Document::variables`].
//! * All texts are [`Text`]: data with [`Text::literal`], variables with [`Text::variable`],
//!   functions of JMeter with [`Text::function`]. Data stays data, whatever it contains.
//!   [`Text::with_braces`] reads `{{name}}`.
//! * Names of variables are as in the source; [`safe_name`] makes them names of JMeter, everywhere.
//!   Names that another file may define are in [`Document::used`].
//! * [`Exchange::url`] is as in the source: whole, or a path. It may begin with a variable. Path
//!   and query are encoded by the writer where JMeter refuses a character.
//! * Header names and order are kept. `Host`, `Content-Length` and what else a client makes itself
//!   is left out by the writer ([`is_made_by_client`]), but for a `Host` that the URL does not
//!   have. A `Cookie` header is sent as it is; leave out what [`Flow::has_cookie_jar`] will send.
//! * Each request and each part that could not be carried over has a note: [`Notes::changed`] where
//!   it works otherwise than in the source, [`Notes::left_out`] where it is missing. A request that
//!   was left out is no exchange. What a reader gives to a flow counts as taken.
//! * An error is for a file that is not of the format or is broken: [`ReadError`] with a place.
//!   Readers bound their depth and never panic. Paths of files that requests send pass
//!   [`inside_path`].
//!
//! Later steps do the rest: labels, defaults of host and port, common headers, the cookie manager,
//! secrets as properties, escapes, large bodies as files. Recordings ([`Flow::is_recording`]) also
//! get transactions, think times, and assertions of the recorded status.
//!
//! The model carries: captures ([`Capture`]) by JSONPath, XPath, CSS, regular expression,
//! boundaries, header, status and URL, also of a variable; checks ([`Check`]) of status, headers,
//! body, JSONPath, variables, duration and size; variables, data files, think times
//! ([`Exchange::pause`]), scripts, folders as transactions, loops, conditions and weighted
//! alternatives ([`FolderKind`]).
//!
//! Tests of a format: a table of small inputs in its file. `crates/swell/tests/swell/import.rs`
//! runs written plans against a recording server.

pub mod elements;
mod formats;
mod inside;
mod load;
mod model;
mod notes;
mod options;
mod recording;
mod secrets;
mod source;
mod steps;
mod time;
mod tree;
mod variables;
mod write;

pub use formats::{FORMATS, Format, ReadError, format_of, format_of_name, named};
pub use inside::inside_path;
pub use model::{
    Auth, Body, Capture, CaptureFrom, Check, CheckOf, Comparison, DataFile, Document, Exchange, Field, Flow,
    Folder, FolderKind, Header, Item, Load, OnError, Page, Part, PartValue, Pause, Response, Scope, Script,
    ScriptWhen, Text, TextPart, Variable, safe_name,
};
pub use notes::{Note, NoteKind, Notes};
pub use options::{Options, Pauses, StaticFiles};
pub use source::{Place, Source, SourceText};
pub use steps::{Imported, OutputFile, import};
pub use write::is_made_by_client;
