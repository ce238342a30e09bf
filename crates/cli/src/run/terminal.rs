//! What a run shows while it goes: summariser lines and a line of progress, from the seconds of its
//! trial.

use std::io::{IsTerminal, Write};
use std::sync::Arc;

use swell_engine::Status;
use swell_expr::Properties;
use swell_report::number::ms;
use swell_run::Second;
use swell_run::host::Machine;
use swell_session::{Ended, Event, Observer, Problem, RunHandle, Second as Observed};
use swell_stats::Histogram;

use super::recent::Recent;
use super::screen::Screen;
use super::summarisers::{Settings, Summarisers};
use crate::print::{print_stderr, print_stdout};

/// What a run says while it goes, on standard error or, as JMeter does, on standard output.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// Summariser lines.
    pub(crate) summaries: Settings,
    /// Summariser lines go to standard output, as JMeter's do; else to standard error.
    pub(crate) to_stdout: bool,
    /// A line that is written over each second.
    pub(crate) progress: bool,
}

impl Style {
    /// As JMeter's properties say; standard output is left alone where it is for a machine.
    pub(crate) fn of_run(props: &Properties, json: bool) -> Self {
        Self {
            summaries: Settings::of_run(props),
            to_stdout: !json,
            progress: std::io::stderr().is_terminal(),
        }
    }

    /// No lines, only progress on a terminal.
    pub(crate) fn quiet() -> Self {
        let progress = std::io::stderr().is_terminal();
        Self { summaries: Settings::NONE, to_stdout: false, progress }
    }
}

/// The terminal of a run.
pub(crate) struct Terminal {
    style: Style,
    summarisers: Summarisers,
    log: Arc<Machine>,
    /// A line of progress stands there.
    shown: bool,
    /// Samples and time of the line of progress before.
    last: (u64, i64),
    /// Service times of the last seconds.
    recent: Recent,
    /// Show the run on the whole screen, with this title.
    title: Option<String>,
    /// The full-screen view, while it is open.
    screen: Option<Screen>,
}

/// Seconds whose percentiles the line of progress has.
const RECENT: usize = 5;

impl Terminal {
    /// `log` gets the summariser lines as well.
    /// With `title`, the run is shown on the whole screen.
    pub(crate) fn new(style: Style, log: Arc<Machine>, title: Option<String>) -> Self {
        let summarisers = Summarisers::new(style.summaries.clone(), swell_net::now_ns() / 1_000_000);
        let recent = Recent::of_seconds(RECENT);
        Self { style, summarisers, log, shown: false, last: (0, 0), recent, title, screen: None }
    }

    /// The full-screen view, if it is open.
    fn screen(&mut self) -> Option<&mut Screen> {
        self.screen.as_mut().filter(|screen| screen.is_open())
    }

    /// Gives the whole screen back; lines are shown from now on.
    fn close(&mut self) {
        if let Some(screen) = self.screen.take() {
            screen.close();
        }
    }

    /// Shows a second.
    fn show(&mut self, second: &Arc<Second>) {
        self.recent.add(&second.total);
        if second.is_last {
            self.close();
        } else if let Some(screen) = self.screen() {
            screen.show(second);
        }
        let at_ms = second.at_ns / 1_000_000;
        let users = second.users();
        if let Some(status) = second.status.as_ref().filter(|status| status.started > 0) {
            self.summarisers.begin(status.started_ns / 1_000_000);
        }
        self.summarisers.add_to_all(&second.reported);
        for (name, counted) in &second.summaries {
            self.summarisers.add(name, counted);
        }
        if second.is_last {
            let lines = self.summarisers.finish(at_ms, users);
            self.lines(&lines);
            self.overwrite("");
            return;
        }
        let lines = self.summarisers.report(at_ms, users);
        self.lines(&lines);
        let has_progress = self.style.progress && self.screen().is_none();
        if let Some(status) = second.status.as_ref().filter(|_| has_progress) {
            let text = progress_line(status, second, &self.recent.times(), &mut self.last);
            self.overwrite(&text);
        }
    }

    /// Lines of the summariser.
    fn lines(&mut self, lines: &[String]) {
        self.summarisers.log(lines, &*self.log);
        if lines.is_empty() || !self.summarisers.to_out() {
            return;
        }
        self.overwrite("");
        for line in lines {
            if self.style.to_stdout {
                // The summary that follows tells the same, and whether it could be written.
                let _ = print_stdout(&format!("{}\n", swell_report::plain(line)));
            } else {
                print_stderr(line);
            }
        }
    }

    /// Prints a message on one or more separate lines.
    fn say(&mut self, line: &str) {
        self.overwrite("");
        print_stderr(line);
        if let Some(screen) = self.screen() {
            screen.draw();
        }
    }

    /// Writes the progress line over the last one; an empty text takes it away.
    fn overwrite(&mut self, text: &str) {
        if self.shown || !text.is_empty() {
            // Progress is for a terminal; if that is gone, there is no reader.
            let _ =
                write!(std::io::stderr().lock(), "\r\x1b[K{text}").and_then(|()| std::io::stderr().flush());
            self.shown = !text.is_empty();
        }
    }
}

impl Observer for Terminal {
    /// A terminal that cannot show the view shows lines.
    fn begin(&mut self, run: &RunHandle) {
        let Some(title) = self.title.take() else { return };
        match Screen::open(title, run.clone()) {
            Ok(screen) => self.screen = Some(screen),
            Err(error) => {
                self.say(&format!("--tui: the terminal cannot show the view: {error}; lines are shown"));
            }
        }
    }

    fn second(&mut self, second: &Observed) {
        self.show(second.shared());
    }

    fn event(&mut self, event: &Event) {
        if let Event::Notice(line) = event {
            self.say(line);
        }
    }

    fn end(&mut self, _ended: &mut Ended) -> Vec<Problem> {
        self.close();
        Vec::new()
    }
}

/// `users 120/500   8123/s   p50 1.20 ms   p99 8.31 ms   1204112 samples   3 errors   0:42 left`.
/// `recent`: service times of the last seconds; `last` holds samples and time of the line before.
fn progress_line(status: &Status, second: &Second, recent: &Histogram, last: &mut (u64, i64)) -> String {
    let since_s = (second.at_ns - last.1) as f64 / 1e9;
    let rate = if last.1 == 0 { 0.0 } else { (second.samples - last.0) as f64 / since_s };
    *last = (second.samples, second.at_ns);
    let left = status.expected_end_ns.map(|end_ns| {
        let s = ((end_ns - second.at_ns) / 1_000_000_000).max(0);
        if s >= 3600 {
            format!("   {}:{:02}:{:02} left", s / 3600, s / 60 % 60, s % 60)
        } else {
            format!("   {}:{:02} left", s / 60, s % 60)
        }
    });
    let percentile = |quantile| ms(recent.quantile(quantile) as f64 / 1e6);
    let times = if recent.is_empty() {
        String::new()
    } else {
        format!("   p50 {} ms   p99 {} ms", percentile(0.5), percentile(0.99))
    };
    format!(
        "users {}/{}   {:.0}/s{}   {} samples   {} errors{}",
        status.active,
        status.planned,
        rate,
        times,
        second.samples,
        second.errors,
        left.unwrap_or_default()
    )
}
