//! From the options of a command to a session.

use std::sync::Arc;

use swell_run::{Starter, Trial};
use swell_session::{
    Ended, Grace, Graces, Inbox, Observer, Requests, RunOptions, Session, SessionOptions, Subject,
};

use crate::exit::{Exit, Failure};
use crate::print::print_stderr;
use crate::run::screen::Screen;
use crate::run::terminal::{Style, Terminal};
use crate::signals;

/// How a run is shown and waited for.
pub(crate) struct ShownRun {
    pub(crate) style: Style,
    /// Show the run on the whole screen, with this title.
    pub(crate) view: Option<String>,
    pub(crate) graces: Graces,
    pub(crate) end_grace: Option<Grace>,
    pub(crate) starter: Option<Starter>,
}

/// The title of the full-screen view, where that is asked for and possible.
pub(crate) fn view(is_wanted: bool, title: &str) -> Option<String> {
    if !is_wanted {
        return None;
    }
    if let Some(obstacle) = Screen::obstacle() {
        print_stderr(&format!("--tui: {obstacle}; lines are shown instead"));
        return None;
    }
    Some(title.to_owned())
}

/// Runs a trial as a session to its end.
///
/// # Errors
/// An option cannot be used, or no thread can be had.
pub(crate) fn run(
    options: SessionOptions,
    subject: &Subject<'_>,
    trial: Trial,
    shown: ShownRun,
    summary: Box<dyn Observer>,
    (requests, inbox): (Requests, Inbox),
) -> Result<Ended, Failure> {
    let options = SessionOptions { interrupted: requests.interrupted().clone(), ..options };
    let mut session = Session::begin(options, subject, &trial, requests.events())?;
    session.add(summary);
    signals::forward_to_run(requests)?;
    let mut terminal = Terminal::new(shown.style, Arc::clone(trial.host()), shown.view);
    let starter = shown.starter.unwrap_or_else(|| Box::new(Trial::start));
    let run = RunOptions { starter, graces: shown.graces, end_grace: shown.end_grace };
    Ok(session.run(trial, run, &inbox, &mut terminal)?)
}

/// The exit status of a run. The first file that could not be written is the last message.
///
/// # Errors
/// A file could not be written.
pub(crate) fn exit(ended: Ended) -> Result<Exit, Failure> {
    let exit = Exit::from(ended.ending());
    match ended.problems.into_iter().next() {
        Some(problem) if exit == Exit::ResultsLost => Err(problem.into()),
        Some(problem) => {
            print_stderr(&problem.to_string());
            Ok(exit)
        }
        None => Ok(exit),
    }
}
