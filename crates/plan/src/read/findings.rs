//! Collects diagnostics while reading.

use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Place, Severity};

/// The diagnostics so far, and their file.
pub(super) struct Findings {
    file: Option<Arc<PathBuf>>,
    list: Vec<Diagnostic>,
}

impl Findings {
    pub(super) fn new(file: Option<Arc<PathBuf>>) -> Self {
        Self { file, list: Vec::new() }
    }

    pub(super) fn file(&self) -> Option<Arc<PathBuf>> {
        self.file.clone()
    }

    pub(super) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }

    /// Adds a finding; what else is known about its place can be set on the result.
    pub(super) fn add(
        &mut self,
        severity: Severity,
        line: u32,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let place = Place { file: self.file.clone(), line, ..Place::default() };
        self.list.push(Diagnostic { severity, place, message: message.into(), hint: None });
        self.list.last_mut().expect("an entry was added above")
    }
}
