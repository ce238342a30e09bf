//! Load generators side by side: the same load by each of them against a site that records what it
//! truly did, over response delays and numbers of users.
//!
//! What a tool says is read by an adapter, a file each in [`tools`]. A figure that a tool does not
//! say stays unknown; it is never 0. How wrong a tool is comes from the record of the site
//! ([`site`]).

mod page;
mod result;
mod runner;
mod site;
mod text;
pub mod tools;

pub use page::html;
pub use result::{Matrix, Memory, Row, Run, RunEnding, ToolFacts};
pub use runner::{MatrixDriver, MatrixOptions, RunFacts, run};
pub use site::{Record, parse_record};
pub use text::text;
pub use tools::{Adapter, Job, Output, Reading, Source, ToolRequest};
