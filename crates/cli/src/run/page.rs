//! The page of a run, put together while the run goes on.

use std::thread::JoinHandle;

use swell_report::page::{About, IS_BUILT, RunPage};
use swell_run::Trial;

use crate::exit::Failure;

/// A page that grows on a thread of its own.
pub(crate) struct PageOfRun(JoinHandle<RunPage>);

impl PageOfRun {
    /// Begins the page of a trial that has not started; none where the program holds no page.
    ///
    /// # Errors
    /// There is no thread for it.
    pub(crate) fn begin(trial: &Trial, about: About) -> Result<Option<Self>, Failure> {
        if !IS_BUILT {
            return Ok(None);
        }
        let seconds = trial.subscribe();
        let collect = move || {
            let mut page = RunPage::new(about);
            seconds.for_each(|second| page.add(&second.interval()));
            page
        };
        let thread = std::thread::Builder::new().name("page".into()).spawn(collect);
        let thread = thread.map_err(|error| Failure::settings(format!("cannot start a thread: {error}")))?;
        Ok(Some(Self(thread)))
    }

    /// The whole page, after the end of the trial.
    ///
    /// # Panics
    /// The thread did, by a fault of the tool.
    pub(crate) fn end(self) -> RunPage {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
