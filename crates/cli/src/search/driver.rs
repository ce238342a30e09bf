//! Makes the trials of a search.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use swell_expr::Level;
use swell_plan::Plan;
use swell_results::FileOptions;
use swell_run::{Monitor, Trial, TrialSettings};
use swell_study::safety::{check_host, hosts_of};
use swell_study::search::{Driver, Found, Scaled, Spacing, Vary, with_rate};
use swell_study::server::{PORT, Template};

use super::keep::Folder;
use crate::args::{Cli, Command, SearchArgs};
use crate::exit::Failure;
use crate::hit;
use crate::print::print_stderr;
use crate::run::{messages, setup};
use crate::settings;
use crate::signals;
use crate::sweep::{is_plan, properties_read};

/// What is loaded.
enum Subject {
    Url(Template),
    Plan(PathBuf, Box<Plan>, Option<Scaled>),
}

pub(super) struct SearchDriver<'a> {
    args: &'a SearchArgs,
    vary: Vary,
    subject: Subject,
    pub(super) folder: Option<Folder>,
    interrupted: Arc<AtomicBool>,
    monitor: Option<Monitor>,
    /// Why a trial could not be made or a file not be written.
    pub(super) failure: Option<Failure>,
}

impl<'a> SearchDriver<'a> {
    /// Signals are caught from now on: one ends the search, a second one the process.
    pub(super) fn new(args: &'a SearchArgs, vary: Vary, folder: Option<Folder>) -> Result<Self, Failure> {
        let subject = subject(args, &vary)?;
        let interrupted = signals::interrupt_flag()?;
        let monitor = args.monitor.start(&messages::plain_sink())?;
        Ok(Self { args, vary, subject, folder, interrupted, monitor, failure: None })
    }

    /// What is to be said before the first trial.
    pub(super) fn notes(&self) -> Vec<String> {
        match &self.subject {
            Subject::Plan(_, _, Some(scaled)) => vec![scaled.words.clone()],
            Subject::Plan(..) | Subject::Url(_) => Vec::new(),
        }
    }

    fn spacing(&self) -> Spacing {
        if self.args.even { Spacing::Even } else { Spacing::Poisson(self.args.seed) }
    }

    fn made(&self, given: &[(String, String)], load: f64) -> Result<Trial, Failure> {
        let (plan, made) = match &self.subject {
            Subject::Url(url) => self.of_url(url, given, load)?,
            Subject::Plan(path, plan, scaled) => self.of_plan(path, plan, scaled.as_ref(), given, load)?,
        };
        let monitor = self.monitor.clone();
        setup::prepare(&plan, TrialSettings { ends_process: false, give_up: None, monitor, ..made })
    }

    /// As `swell hit` makes it.
    fn of_url(
        &self,
        url: &Template,
        given: &[(String, String)],
        load: f64,
    ) -> Result<(Plan, TrialSettings), Failure> {
        let url = url.fill(given).map_err(|error| Failure::settings(error.to_string()))?;
        // Under open load a user is a connection: as many as are due in a second or more are always enough for a server that answers.
        const LEAST_CONNECTIONS: f64 = 50.0;
        let users = match self.vary {
            Vary::Rate => load.max(LEAST_CONNECTIONS).min(f64::from(self.args.max_users)),
            _ => load,
        };
        let users = format!("{}", users.ceil());
        // Longer than any trial: the search ends it.
        let mut line: Vec<String> =
            ["swell", "hit", &url, "-d", "1d", "-c", &users, "--no-monitor"].map(str::to_owned).to_vec();
        line.extend(self.args.headers.iter().map(|header| format!("--header={header}")));
        line.extend(self.args.method.iter().map(|method| format!("--method={method}")));
        line.extend(self.args.body.iter().map(|body| format!("--body={body}")));
        line.extend(self.args.timeout.iter().map(|time| format!("--timeout={}ms", time.as_millis())));
        let cli = Cli::try_parse_from(line).map_err(|error| {
            let why = error.to_string();
            Failure::settings(why.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
        })?;
        let Command::Hit(hit_args) = cli.command else { unreachable!("the line says hit") };
        let (plan, made) = hit::plan_and_settings(&hit_args, messages::plain_sink())?;
        if self.vary != Vary::Rate {
            return Ok((plan, made));
        }
        let plan = with_rate(plan, self.spacing());
        let scaled = Scaled::of(&plan, &Vary::Rate).map_err(Failure::settings)?;
        Ok((scaled.apply(&plan, load, self.spacing()), made))
    }

    /// As `swell run` makes it.
    fn of_plan(
        &self,
        path: &std::path::Path,
        plan: &Plan,
        scaled: Option<&Scaled>,
        given: &[(String, String)],
        load: f64,
    ) -> Result<(Plan, TrialSettings), Failure> {
        let args = self.args;
        let props = settings::load(&args.properties).map_err(|error| Failure::settings(error.to_string()))?;
        for (name, value) in given {
            props.set(name, value);
        }
        if given.iter().any(|(name, _)| name == PORT) && props.get("host").is_none() {
            props.set("host", "127.0.0.1");
        }
        if let Vary::Property(name) = &self.vary {
            props.set(name, &format!("{load}"));
        }
        let of_file = TrialSettings::of_file(path);
        let made = TrialSettings {
            props,
            files: FileOptions { replace: true, ..of_file.files },
            log_level: Level::Error,
            scripts: args.jvm.mode(),
            jvm: args.jvm.settings(&args.properties, &[]),
            messages: messages::plain_sink(),
            seed: Some(args.seed),
            ..of_file
        };
        let plan = scaled.map_or_else(|| plan.clone(), |scaled| scaled.apply(plan, load, self.spacing()));
        Ok((plan, made))
    }

    /// Keeps the failure with its status and hint; the text is for the one who asked.
    fn fail(&mut self, failure: Failure) -> String {
        let text = failure.message.clone();
        self.failure = Some(failure);
        text
    }
}

impl Driver for SearchDriver<'_> {
    fn trial(&mut self, given: &[(String, String)], load: f64) -> Result<Trial, String> {
        self.made(given, load).map_err(|failure| self.fail(failure))
    }

    fn goes_on(&self) -> bool {
        !self.interrupted.load(Ordering::Relaxed)
    }

    fn say(&mut self, line: &str) {
        print_stderr(line);
    }

    fn may_load(&mut self, address: std::net::IpAddr) -> Result<(), String> {
        swell_study::safety::check_address(address, &self.args.i_may_load)
            .map_err(|why| self.fail(refused(why)))
    }

    fn keep(&mut self, found: &Found) -> Result<(), String> {
        match self.folder.as_ref().map_or(Ok(()), |folder| folder.keep(found)) {
            Ok(()) => Ok(()),
            Err(failure) => Err(self.fail(failure)),
        }
    }
}

fn refused(why: String) -> Failure {
    Failure::settings(why)
        .hint("a search loads a server until it breaks: --i-may-load HOST says that you may do that")
}

fn subject(args: &SearchArgs, vary: &Vary) -> Result<Subject, Failure> {
    if !is_plan(&args.subject) {
        if let Vary::Property(name) = vary {
            return Err(Failure::settings(format!("a URL has no property `{name}` to vary"))
                .hint("--rate A..B or --users A..B; a plan has properties"));
        }
        let text = if args.subject.contains("://") {
            args.subject.clone()
        } else {
            format!("http://{}", args.subject)
        };
        if let Some(host) = host_of(&text) {
            check_host(&host, &args.i_may_load).map_err(refused)?;
        }
        return Ok(Subject::Url(Template::new(&*text)));
    }
    let path = PathBuf::from(&args.subject);
    let plan = setup::read_plan(&path)?;
    for host in hosts_of(&plan) {
        check_host(&host, &args.i_may_load).map_err(refused)?;
    }
    let Vary::Property(name) = vary else {
        let scaled = Scaled::of(&plan, vary).map_err(Failure::settings)?;
        return Ok(Subject::Plan(path, Box::new(plan), Some(scaled)));
    };
    // It was read a moment ago.
    let read = properties_read(&String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()));
    if !read.contains(name) {
        let all = if read.is_empty() {
            "it reads none".to_owned()
        } else {
            format!("it reads {}", read.join(", "))
        };
        return Err(Failure::settings(format!(
            "the plan reads no property `{name}`, so nothing varies; {all}"
        ))
        .hint(format!("write ${{__P({name},10)}} where the plan has its number, or use --users or --rate")));
    }
    Ok(Subject::Plan(path, Box::new(plan), None))
}

/// The host of a URL; none where a setting stands in its place.
fn host_of(url: &str) -> Option<String> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?;
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next()?,
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    };
    (!host.is_empty() && !host.contains('{')).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_urls() {
        let of = |url: &str| host_of(url).unwrap_or_default();
        let urls = ["http://a:80/x", "https://u:p@b/", "http://[::1]:8080/", "http://c?d", "http://{host}/"];
        assert_eq!(urls.map(of), ["a", "b", "::1", "c", ""]);
    }
}
