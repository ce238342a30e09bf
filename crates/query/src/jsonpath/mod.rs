//! JSONPath with the semantics of Jayway JsonPath 2.8, which JMeter 5.6.3 uses.
//!
//! A path is compiled once and evaluated on many documents. Results and error messages are
//! Jayway's, including its peculiarities: a missing last property of an indefinite path is left
//! out, a missing one of a definite path is an error, `last()` of a single element fails, and so
//! on. One behaviour is not copied: Jayway changes its compiled path during some deep scans, so
//! that a second evaluation finds less. Here, each evaluation is like the first.

mod chain;
#[cfg(test)]
mod chain_tests;
mod cursor;
mod evaluate;
mod filter;
mod filter_compare;
mod filter_parser;
mod function_parser;
mod functions;
mod path;
mod path_parser;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use swell_budget::Budget;

pub use chain::{find, find_all};

use crate::json::Json;
use crate::json::scan::Step;
use evaluate::Root;
use path::Path;

/// The corresponding exception of Jayway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathErrorKind {
    /// `PathNotFoundException`: the document does not have it. Inside a filter it means "no".
    NotFound,
    /// `InvalidPathException`: the path is wrong. Inside a filter it means "no".
    Invalid,
    /// Any other exception: reading ends.
    Other,
}

/// Why a path cannot be compiled or evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// Which exception it is.
    pub kind: PathErrorKind,
    /// The exception's message.
    pub message: String,
}

impl PathError {
    fn not_found(message: impl Into<String>) -> Self {
        Self { kind: PathErrorKind::NotFound, message: message.into() }
    }

    fn invalid(message: impl Into<String>) -> Self {
        Self { kind: PathErrorKind::Invalid, message: message.into() }
    }

    /// An exception that is neither of the two that filters take for "no".
    pub fn other(message: impl Into<String>) -> Self {
        Self { kind: PathErrorKind::Other, message: message.into() }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A compiled path.
#[derive(Debug)]
pub struct JsonPath {
    path: Path,
    /// Its steps, where it only names members.
    chain: Option<Vec<Step>>,
}

impl JsonPath {
    /// Compiles a path. `$.` may be left out at its start.
    pub fn compile(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::other("json can not be null or empty"));
        }
        let path = path_parser::compile(text, 0)?;
        Ok(Self { chain: chain::of(&path.tokens), path })
    }

    /// Whether it can find one value at most.
    pub fn is_definite(&self) -> bool {
        self.path.definite
    }

    /// Whether following it costs no more than reading the document: neither filters nor functions,
    /// and one deep scan at most.
    pub fn is_simple(&self) -> bool {
        self.path.is_simple()
    }

    /// What a definite path finds, or the array of what an indefinite one finds
    /// (`JsonPath.read(String, String)`).
    pub fn read<'m, 'd>(
        &self,
        document: &'m Json<'d>,
        budget: &'m Budget,
    ) -> Result<Cow<'m, Json<'d>>, PathError> {
        if *document == Json::Null {
            return Err(PathError::other("json can not be null"));
        }
        evaluate::value_of(&self.path, document, Root { value: document, budget }, false)
    }

    /// All that it finds (`Option.ALWAYS_RETURN_LIST`).
    pub fn read_list<'m, 'd>(
        &self,
        document: &'m Json<'d>,
        budget: &'m Budget,
    ) -> Result<Vec<Cow<'m, Json<'d>>>, PathError> {
        if self.path.ends_in_function() {
            let message =
                "Options AS_PATH_LIST and ALWAYS_RETURN_LIST are not allowed when using path functions!";
            return Err(PathError::other(message));
        }
        if *document == Json::Null {
            return Err(PathError::other("root can not be null"));
        }
        let mut found = evaluate::results(&self.path, document, Root { value: document, budget }, false)?;
        if self.path.definite {
            match found.pop() {
                Some(last) => Ok(vec![last]),
                None => Err(self.path.no_results()),
            }
        } else {
            Ok(found)
        }
    }
}
