//! A build without the history of runs (feature `history`): no run is listed, found by its name, or
//! removed.

use std::collections::BTreeMap;
use std::path::Path;

use swell_results::run_folder::{Outcome, ThresholdResult};
use swell_stats::Summary;
use swell_stats::verdict::Grade;

use super::{Annotation, Entry, LabelName, Limits, Point};
use crate::Problem;
use crate::observer::Say;

/// There is none.
pub enum History {}

impl History {
    /// None: there is no history to open.
    pub fn open(_: &Path, _: &Say) -> Option<Self> {
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

    pub(crate) fn before(&self, _: &Entry) -> Option<Entry> {
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

    pub(crate) fn end(&self, _: &str, _: &Outcome, _: &Summary, _: Option<Grade>, _: &Path) {
        match *self {}
    }

    pub(crate) fn forget_old(&self, _: &Path, _: Limits) {
        match *self {}
    }

    /// No history lists runs.
    pub fn try_latest(&self, _: u64) -> Result<Vec<Entry>, String> {
        match *self {}
    }

    pub(crate) fn set_annotation(&self, _: &str, _: &Annotation) -> Result<(), Problem> {
        match *self {}
    }

    /// No history has baselines.
    pub fn set_baseline(&self, _: &Entry) -> Result<(), Problem> {
        match *self {}
    }

    /// No history has baselines.
    pub fn remove_baseline(&self, _: &Entry) -> Result<(), Problem> {
        match *self {}
    }

    /// No history has baselines.
    pub fn baselines(&self) -> BTreeMap<String, String> {
        match *self {}
    }

    /// No history has baselines.
    pub fn baseline_of(&self, _: &str) -> Option<Entry> {
        match *self {}
    }

    /// No history has labels.
    pub fn labels_of(&self, _: &str) -> Result<Vec<LabelName>, String> {
        match *self {}
    }

    /// No history has trends.
    pub fn trend(&self, _: &str, _: Option<i64>, _: u32) -> Result<Vec<Point>, String> {
        match *self {}
    }

    /// No history has thresholds.
    pub fn rules_of(&self, _: &str) -> Vec<ThresholdResult> {
        match *self {}
    }
}
