//! Makes the trials of a sweep, and listens for signals.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use swell_expr::Level;
use swell_plan::Plan;
use swell_results::FileOptions;
use swell_run::{Trial, TrialSettings};
use swell_study::server::{PORT, Template};
use swell_study::sweep::{Driver, Say, Surface};

use super::keep::Folder;
use super::{hosts, is_plan};
use crate::args::{Cli, Command, SweepArgs};
use crate::exit::Failure;
use crate::hit;
use crate::print::print_stderr;
use crate::run::{messages, setup};
use crate::settings;
use crate::signals;

/// What is loaded.
enum Subject {
    Url(Template),
    Plan(PathBuf, Box<Plan>),
}

pub(super) struct SweepDriver<'a> {
    args: &'a SweepArgs,
    subject: Subject,
    pub(super) folder: Option<Folder>,
    interrupted: Arc<AtomicBool>,
    /// Why a trial could not be made or a file not be written.
    pub(super) failure: Option<Failure>,
}

impl<'a> SweepDriver<'a> {
    /// Signals are caught from now on: one ends the sweep, a second one the process.
    pub(super) fn new(args: &'a SweepArgs, folder: Option<Folder>) -> Result<Self, Failure> {
        let subject = subject(args)?;
        let interrupted = signals::interrupt_flag()?;
        Ok(Self { args, subject, folder, interrupted, failure: None })
    }

    fn made(&self, given: &[(String, String)], load: (&str, &str)) -> Result<Trial, Failure> {
        match &self.subject {
            Subject::Url(url) => self.of_url(url, given, load),
            Subject::Plan(path, plan) => self.of_plan(path, plan, given, load),
        }
    }

    /// As `swell hit` makes it.
    fn of_url(
        &self,
        url: &Template,
        given: &[(String, String)],
        load: (&str, &str),
    ) -> Result<Trial, Failure> {
        let url = url.fill(given).map_err(|error| Failure::settings(error.to_string()))?;
        hosts::check_url(&url, &self.args.i_may_load)?;
        // Longer than the cell: the sweep ends it.
        let time = format!("{}s", self.args.each.as_secs_f64() + 60.0);
        let users = self.args.users.to_string();
        let line = match load.0 {
            "rate" => vec!["swell", "hit", &url, "-d", &time, "-r", load.1, "-c", &users],
            _ => vec!["swell", "hit", &url, "-d", &time, "-c", load.1],
        };
        let cli = Cli::try_parse_from(line).map_err(|error| {
            let why = error.to_string();
            Failure::settings(format!("{}={}: {}", load.0, load.1, why.lines().next().unwrap_or_default()))
        })?;
        let Command::Hit(hit_args) = cli.command else { unreachable!("the line says hit") };
        let (plan, made) = hit::plan_and_settings(&hit_args, messages::plain_sink())?;
        setup::prepare(&plan, TrialSettings { ends_process: false, ..made })
    }

    /// As `swell run` makes it, with settings and load as properties.
    fn of_plan(
        &self,
        path: &Path,
        plan: &Plan,
        given: &[(String, String)],
        load: (&str, &str),
    ) -> Result<Trial, Failure> {
        let args = self.args;
        let props = settings::load(&args.properties).map_err(|error| Failure::settings(error.to_string()))?;
        for (name, value) in given {
            props.set(name, value);
        }
        if given.iter().any(|(name, _)| name == PORT) && props.get("host").is_none() {
            props.set("host", "127.0.0.1");
        }
        props.set(load.0, load.1);
        hosts::check_plan(plan, &props, &args.i_may_load)?;
        let of_file = TrialSettings::of_file(path);
        let made = TrialSettings {
            props,
            files: FileOptions { replace: true, ..of_file.files },
            log_level: Level::Error,
            scripts: args.jvm.mode(),
            jvm: args.jvm.settings(&args.properties, &[]),
            messages: messages::plain_sink(),
            give_up: Some(args.each),
            ..of_file
        };
        setup::prepare(plan, made)
    }
}

impl Driver for SweepDriver<'_> {
    fn trial(&mut self, given: &[(String, String)], load: (&str, &str)) -> Result<Trial, String> {
        self.made(given, load).map_err(|failure| self.fail(failure))
    }

    fn goes_on(&self) -> bool {
        !self.interrupted.load(Ordering::Relaxed)
    }

    fn say(&mut self, how: Say) {
        print_stderr(&match how {
            Say::Starting(words) if words.is_empty() => "Starting the server".to_owned(),
            Say::Starting(words) => format!("Starting the server with {words}"),
            Say::Done(done, all, what) => format!("{done} of {all}: {what}"),
        });
    }

    fn keep(&mut self, surface: &Surface) -> Result<(), String> {
        match self.folder.as_ref().map_or(Ok(()), |folder| folder.keep(surface)) {
            Ok(()) => Ok(()),
            Err(failure) => Err(self.fail(failure)),
        }
    }
}

impl SweepDriver<'_> {
    /// Keeps the failure with its status and hint; the text is for the one who asked.
    fn fail(&mut self, failure: Failure) -> String {
        let text = failure.message.clone();
        self.failure = Some(failure);
        text
    }
}

fn subject(args: &SweepArgs) -> Result<Subject, Failure> {
    if !is_plan(&args.subject) {
        let name = &*args.vary.name;
        if !matches!(name, "users" | "rate") {
            return Err(Failure::settings(format!("a URL has no `{name}` to vary"))
                .hint("vary `users` or `rate`; a plan has more: each property that it reads"));
        }
        return Ok(Subject::Url(Template::new(&*args.subject)));
    }
    let path = PathBuf::from(&args.subject);
    let plan = setup::read_plan(&path)?;
    // It was read a moment ago.
    let text = std::fs::read(&path).unwrap_or_default();
    let read = properties_read(&String::from_utf8_lossy(&text));
    let name = &args.vary.name;
    if !read.contains(name) {
        let all = if read.is_empty() {
            "it reads none".to_owned()
        } else {
            format!("it reads {}", read.join(", "))
        };
        return Err(Failure::settings(format!(
            "the plan reads no property `{name}`, so nothing varies; {all}"
        ))
        .hint(format!("write ${{__P({name},10)}} where the plan has its number, or vary another")));
    }
    Ok(Subject::Plan(path, Box::new(plan)))
}

/// Names of the properties that a plan reads by `__P` and `__property`, each once.
pub(crate) fn properties_read(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for call in ["__P(", "__property("] {
        for (at, _) in text.match_indices(call) {
            let rest = &text[at + call.len()..];
            let name = rest.split([',', ')', '<', '\n']).next().unwrap_or_default().trim();
            if !name.is_empty() && !name.contains("${") && names.iter().all(|known| known != name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_a_plan_are_found_in_its_text() {
        let text = "<stringProp>${__P(threads,50)}</stringProp>${__property(users)}${__P( threads )}${__P(${x})}${__P(";
        assert_eq!(properties_read(text), ["threads", "users"]);
    }
}
