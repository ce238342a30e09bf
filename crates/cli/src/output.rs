//! Prints the end of a run: messages, then its summary as a table or as JSON.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;

use swell_net::{Io, IoInterface};
use swell_report::Styled;
use swell_report::page::Transaction;
use swell_report::text::{Column, Results, View};
use swell_run::TrialReport;
use swell_session::{Ended, Observer, Problem, Second, messages, summary_json};

use crate::exit::Failure;
use crate::print::{page as print_page, print_stderr, print_stdout};

/// Prints the end of a run.
pub(crate) struct SummaryPrinter {
    /// The summary.
    pub(crate) form: Form,
    /// How much of it is shown.
    pub(crate) detail: Detail,
    /// The transactions of the plan.
    pub(crate) transactions: Vec<Transaction>,
    /// Messages about connections: those that the server had closed, those of HTTP/2.
    pub(crate) connections: fn(&TrialReport) -> Vec<String>,
    /// Whether another message says why the run did not begin.
    pub(crate) is_refused: IsRefused,
}

/// Whether another message says why the run did not begin.
pub(crate) type IsRefused = Box<dyn Fn() -> bool + Send>;

/// How much of a summary is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Detail {
    /// All figures and all rows.
    pub(crate) verbose: bool,
    /// Columns of the table; empty for the usual ones.
    pub(crate) columns: Vec<Column>,
}

/// In which form the summary is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Table,
    /// With the distribution of response times.
    TableAndHistogram,
    Json,
    /// Not at all: what was exchanged is shown.
    Nothing,
}

impl Observer for SummaryPrinter {
    fn second(&mut self, _second: &Second) {}

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        if !ended.report.began && (self.is_refused)() {
            return Vec::new();
        }
        let has_table = matches!(self.form, Form::Table | Form::TableAndHistogram);
        let lines = said_once(messages(ended), has_table.then_some(&ended.report));
        lines.chain((self.connections)(&ended.report)).for_each(|line| print_stderr(&line));
        self.print(ended).err().map(Problem::from).into_iter().collect()
    }
}

impl SummaryPrinter {
    fn print(&self, ended: &Ended) -> Result<(), Failure> {
        match self.form {
            Form::Nothing => Ok(()),
            Form::Json => print_stdout(&summary_json(ended)),
            Form::Table => print_page(&self.table(ended)),
            Form::TableAndHistogram => {
                print_page(&self.table(ended))?;
                print_page(&swell_report::histogram::text(&ended.report.run.elapsed()))
            }
        }
    }

    fn table(&self, ended: &Ended) -> Styled {
        let report = &ended.report;
        let Detail { verbose, columns } = self.detail.clone();
        let notes: Vec<_> = event_loops(report, verbose).into_iter().collect();
        let results = Results {
            summary: &report.summary,
            verdict: report.verdict.as_ref(),
            judgements: &ended.judgements,
            transactions: &self.transactions,
            total: &report.run.total(),
            notes: &notes,
            earlier: ended.earlier.as_ref(),
        };
        swell_report::text::summary(&results, &View { width: terminal_width(), verbose, columns })
    }
}

/// A line on the interface of the kernel, where a ring was wanted.
fn event_loops(report: &TrialReport, verbose: bool) -> Option<String> {
    match report.io.as_ref()? {
        IoInterface { io: Io::Uring, refused: Some(why) } => {
            Some(format!("event loops: io_uring, and epoll where the kernel refused it ({why})"))
        }
        IoInterface { refused: Some(why), .. } => {
            Some(format!("event loops: epoll, since the kernel refused io_uring ({why})"))
        }
        IoInterface { io: Io::Uring, .. } if verbose => Some("event loops: io_uring".to_owned()),
        IoInterface { .. } => None,
    }
}

/// Columns of the terminal at standard output: at least 80, so that a table has room, and at most
/// 132, so that a line can be read. None if it is not a terminal.
pub(crate) fn terminal_width() -> Option<usize> {
    io::stdout().is_terminal().then(columns)
}

/// Columns of the terminal at standard output, as far as they are used.
pub(crate) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    size.map_or(80, |size| usize::from(size.ws_col)).clamp(80, 132)
}

/// The lines, without the one that a summary at the same place begins with.
fn said_once(lines: Vec<String>, summary: Option<&TrialReport>) -> impl Iterator<Item = String> {
    let first = summary.and_then(|report| swell_report::total_failure(&report.summary));
    let first = first.filter(|_| one_place()).map(|failure| format!("error: {failure}"));
    lines.into_iter().filter(move |line| Some(line) != first.as_ref())
}

/// Whether standard output and standard error are one terminal, pipe or file.
fn one_place() -> bool {
    let place = |descriptor: BorrowedFd<'_>| {
        let found = File::from(descriptor.try_clone_to_owned()?).metadata()?;
        io::Result::Ok((found.dev(), found.ino()))
    };
    matches!((place(io::stdout().as_fd()), place(io::stderr().as_fd())), (Ok(out), Ok(err)) if out == err)
}
