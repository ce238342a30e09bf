//! The folder of runs and its history.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_http1::server::Refusal;
use swell_session::Say;
use swell_session::runs::{self, Entry, History};

use crate::problem::refusal;

/// The folder of runs.
#[derive(Clone)]
pub(crate) struct Library {
    runs: PathBuf,
}

impl Library {
    pub(crate) fn new(runs: PathBuf) -> Self {
        Self { runs }
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &PathBuf {
        &self.runs
    }

    /// A new connection to the history; none if no run was kept yet.
    ///
    /// # Errors
    /// The file is locked or damaged.
    pub(crate) fn history(&self) -> Result<Option<History>, Refusal> {
        let texts = Arc::new(Mutex::new(Vec::new()));
        let kept = texts.clone();
        let say: Say = Arc::new(move |text: &str| kept.lock().push(text.to_owned()));
        let history = History::open_existing(&self.runs, &say);
        let problem = texts.lock().first().cloned();
        match problem {
            Some(problem) => Err(Refusal::new(503, problem)),
            None => Ok(history),
        }
    }

    /// A run by its name.
    ///
    /// # Errors
    /// The history cannot be used, or has no such run.
    pub(crate) fn entry(&self, name: &str) -> Result<(History, Entry), Refusal> {
        let history = self.history()?;
        let missing = |problem| Refusal { status: 404, ..refusal(problem) };
        let entry = runs::entry_in(history.as_ref(), name).map_err(missing)?;
        // Without a history there is no entry.
        Ok((history.ok_or_else(|| Refusal::new(404, "run not found"))?, entry))
    }
}
