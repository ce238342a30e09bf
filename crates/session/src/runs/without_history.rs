//! A build without the history of runs (feature `history`): no run is listed, found by its name, or
//! removed.

use std::path::Path;

use swell_results::run_folder::Outcome;
use swell_run::TrialReport;

use super::{Entry, Limits};
use crate::observer::Say;

/// There is none.
pub enum History {}

impl History {
    /// None: there is no history to open.
    pub(crate) fn open(_: &Path, _: &Say) -> Option<Self> {
        None
    }

    /// None: there is no history to open.
    pub fn open_existing(_: &Path, _: &Say) -> Option<Self> {
        None
    }

    pub(crate) fn has(&self, _: &str) -> bool {
        match *self {}
    }

    /// No history finds a run.
    pub fn find(&self, _: &str) -> Option<Entry> {
        match *self {}
    }

    /// No history lists runs.
    pub fn latest(&self, _: u64) -> Vec<Entry> {
        match *self {}
    }

    pub(crate) fn names_like(&self, _: &str) -> Vec<String> {
        match *self {}
    }

    pub(crate) fn begin(&self, _: &Entry) {
        match *self {}
    }

    pub(crate) fn end(&self, _: &str, _: &Outcome, _: &TrialReport, _: &Path) {
        match *self {}
    }

    pub(crate) fn forget_old(&self, _: &Path, _: Limits) {
        match *self {}
    }
}
