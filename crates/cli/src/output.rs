//! Prints the end of a run: messages, then its summary as a table or as JSON.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;

use swell_net::{Io, IoInterface};
use swell_report::Styled;
use swell_report::page::Transaction;
use swell_report::text::LineWidth;
use swell_run::TrialReport;
use swell_session::{Ended, Observer, Problem, Second, messages, summary_json};

use crate::exit::Failure;
use crate::print::{page as print_page, print_stderr, print_stdout};

/// Prints the end of a run.
pub(crate) struct SummaryPrinter {
    /// The summary.
    pub(crate) form: Form,
    /// The transactions of the plan.
    pub(crate) transactions: Vec<Transaction>,
    /// Messages about connections that the server had closed.
    pub(crate) closed_idle: fn(&TrialReport) -> Vec<String>,
    /// Whether another message says why the run did not begin.
    pub(crate) is_refused: IsRefused,
}

/// Whether another message says why the run did not begin.
pub(crate) type IsRefused = Box<dyn Fn() -> bool + Send>;

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
        lines.chain((self.closed_idle)(&ended.report)).for_each(|line| print_stderr(&line));
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
        let room = if io::stdout().is_terminal() { LineWidth::Terminal } else { LineWidth::File };
        let mut text =
            swell_report::text::summary(&report.summary, report.verdict.as_ref(), &self.transactions, room);
        text.append(&event_loops_text(report).into());
        text.append(&swell_report::thresholds::text(&ended.judgements));
        text
    }
}

/// A line on the interface of the kernel, where a ring was wanted.
fn event_loops_text(report: &TrialReport) -> String {
    match &report.io {
        Some(IoInterface { io: Io::Uring, refused: Some(why) }) => {
            format!("event loops: io_uring, and epoll where the kernel refused it ({why})\n")
        }
        Some(IoInterface { refused: Some(why), .. }) => {
            format!("event loops: epoll, since the kernel refused io_uring ({why})\n")
        }
        Some(IoInterface { io: Io::Uring, .. }) => "event loops: io_uring\n".to_owned(),
        _ => String::new(),
    }
}

/// The lines, without the one that a summary at the same place begins with.
fn said_once(lines: Vec<String>, summary: Option<&TrialReport>) -> impl Iterator<Item = String> {
    let first = summary.and_then(|report| swell_report::headline(&report.summary));
    let first = first.filter(|_| one_place()).map(|headline| format!("error: {headline}"));
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
