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
mod filter_simple;
mod function_parser;
mod functions;
mod model;
mod outlined;
#[cfg(test)]
mod outlined_tests;
mod path;
mod path_parser;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use swell_budget::Budget;

pub use chain::{find, find_all};

use crate::json::scan::Step;
use crate::json::{Json, Outline, Place};
use evaluate::Root;
use model::{Found, Model};
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

    /// Whether [`Self::read_outlined`] builds only the values that are found. Functions are
    /// evaluated on values.
    pub fn reads_outlines(&self) -> bool {
        !self.path.has_functions()
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
        self.value_in(document, budget).map(Found::json)
    }

    /// [`Self::read`] of a text by its outline.
    pub fn read_outlined<'d>(
        &self,
        text: &'d str,
        outline: &Outline,
        budget: &Budget,
    ) -> Result<Json<'d>, PathError> {
        self.value_in(Place::root(outline, text), budget).map(|found| found.json().into_owned())
    }

    fn value_in<'m, 'd: 'm, M: Model<'m, 'd>>(
        &self,
        document: M,
        budget: &'m Budget,
    ) -> Result<Found<'d, M>, PathError> {
        evaluate::value_of(&self.path, document, Root { value: document, budget }, false)
    }

    /// All that it finds (`Option.ALWAYS_RETURN_LIST`).
    pub fn read_list<'m, 'd>(
        &self,
        document: &'m Json<'d>,
        budget: &'m Budget,
    ) -> Result<Vec<Cow<'m, Json<'d>>>, PathError> {
        if *document == Json::Null && !self.path.ends_in_function() {
            return Err(PathError::other("root can not be null"));
        }
        Ok(self.list_in(document, budget)?.into_iter().map(Found::json).collect())
    }

    /// [`Self::read_list`] of a text by its outline.
    pub fn read_list_outlined<'d>(
        &self,
        text: &'d str,
        outline: &Outline,
        budget: &Budget,
    ) -> Result<Vec<Json<'d>>, PathError> {
        let found = self.list_in(Place::root(outline, text), budget)?;
        Ok(found.into_iter().map(|found| found.json().into_owned()).collect())
    }

    fn list_in<'m, 'd: 'm, M: Model<'m, 'd>>(
        &self,
        document: M,
        budget: &'m Budget,
    ) -> Result<Vec<Found<'d, M>>, PathError> {
        if self.path.ends_in_function() {
            let message =
                "Options AS_PATH_LIST and ALWAYS_RETURN_LIST are not allowed when using path functions!";
            return Err(PathError::other(message));
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
