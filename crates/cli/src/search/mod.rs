//! `swell search`: finds a server's breaking point and what causes it.

mod driver;

use std::path::Path;
use std::time::Duration;

use swell_session::MADE_BY;
use swell_stats::capacity::Goal;
use swell_study::StudyError;
use swell_study::search::{Restart, SearchOptions, SearchReport, Slo, StopReason, Vary, run, text};

use crate::args::{RestartArg, SearchArgs};
use crate::exit::{Exit, Failure};
use crate::print::print_stderr;
use crate::study_folder::{StudyFolder, show};
use driver::{SearchDriver, keep};

/// Without `--slo`.
const RULES: [&str; 2] = ["p(99)<1s", "errors<1%"];

/// Runs the command.
pub(crate) fn search(args: &SearchArgs) -> Result<Exit, Failure> {
    if let Some(exit) = args.set.list(Path::new(&args.subject))? {
        return Ok(exit);
    }
    let (goal, vary) = goal(args)?;
    let options = options(args);
    let rules: Vec<String> = options.rules.iter().map(|rule| rule.text().to_owned()).collect();
    let mut driver = SearchDriver::new(args, vary.clone())?;
    driver.folder = args
        .output
        .as_deref()
        .map(|dir| StudyFolder::begin(dir, "search.json", "search", args.force))
        .transpose()?;
    let mut found = SearchReport::new(MADE_BY, &args.subject, goal, vary.clone(), rules.clone(), args.seed);
    found.notes.extend(driver.notes());
    found.notes.iter().for_each(|note| print_stderr(note));
    let mut starts = Vec::new();
    for repeat in 1..=args.repeats {
        if repeat > 1 {
            print_stderr(&format!("Search {repeat} of {}", args.repeats));
            found = SearchReport::new(MADE_BY, &args.subject, goal, vary.clone(), rules.clone(), args.seed);
            found.notes.extend(driver.notes());
        }
        run(&mut found, &vary, &options, &mut driver)?;
        let answer = found.answer.as_ref();
        driver.settle(answer.and_then(|answer| answer.holds));
        starts.push(answer.map_or((None, None), |answer| (answer.holds, answer.fails)));
        if found.stopped == Some(StopReason::Interrupted) {
            break;
        }
    }
    if starts.len() > 1 {
        found.spread_over_starts(&starts);
        driver.folder.as_ref().map_or(Ok(()), |folder| keep(folder, &found))?;
    }
    say_end(&found);
    show(driver.folder.as_ref(), &found, args.json, || text(&found))?;
    driver.study.trials.end(exit(args, &found))
}

/// The range of loads and the precision of the limit. A load above a ceiling is an error.
fn goal(args: &SearchArgs) -> Result<(Goal, Vary), Failure> {
    let (low, high, whole, vary) = match (&args.rate, &args.users, &args.vary) {
        (Some(rate), ..) => (rate.0, rate.1, false, Vary::Rate),
        (_, Some(users), _) => (users.0, users.1, true, Vary::Users),
        (_, _, Some(vary)) => (vary.low, vary.high, vary.whole, Vary::Property(vary.name.clone())),
        _ => unreachable!("one of them is required"),
    };
    let ceiling = match vary {
        Vary::Rate => Some((args.safety.max_rate, "--max-rate")),
        Vary::Users => Some((f64::from(args.safety.max_users), "--max-users")),
        Vary::Property(_) => None,
    };
    if let Some((most, option)) = ceiling.filter(|(most, _)| high > *most) {
        return Err(Failure::settings(format!("the range goes up to {high}, above the ceiling of {most}"))
            .hint(format!("raise it with {option} if the server and the network can handle that")));
    }
    if args.trial.as_secs_f64() < 1.0 {
        return Err(Failure::settings("a trial takes at least 1s").hint("--trial 10s is a good beginning"));
    }
    let long_s = args.trial.as_secs_f64();
    let goal = Goal { width: args.width.0, whole, long_s, short_s: long_s / 2.0, ..Goal::between(low, high) };
    Ok((goal, vary))
}

fn options(args: &SearchArgs) -> SearchOptions {
    let given = args.rules.clone();
    let rules = if given.is_empty() {
        RULES.iter().map(|rule| Slo::parse(rule).expect("a rule")).collect()
    } else {
        given
    };
    SearchOptions {
        rules: rules.into_iter().map(|rule| rule.with_errors_apart(args.errors_apart)).collect(),
        warm_up: args.warm_up,
        first_warm_up: args.warm_up.mul_f64(2.5),
        budget: args.budget,
        server: args.server.plan(),
        restart: match args.restart {
            RestartArg::Each => Restart::Each,
            RestartArg::Void => Restart::Void,
            RestartArg::Never => Restart::Never,
        },
        settings: Vec::new(),
        recovery: args.recovery,
        guard: args.safety.guard(),
        ceiling: args.safety.ceiling(),
    }
}

/// Searches with one set of options, one after the other.
pub(crate) struct Searches<'a> {
    args: &'a SearchArgs,
    goal: Goal,
    vary: Vary,
    driver: SearchDriver<'a>,
}

impl<'a> Searches<'a> {
    /// Signals are caught from now on.
    ///
    /// # Errors
    /// What is wrong with the options or the plan.
    pub(crate) fn begin(args: &'a SearchArgs) -> Result<Self, Failure> {
        let (goal, vary) = goal(args)?;
        let driver = SearchDriver::new(args, vary.clone())?;
        Ok(Self { args, goal, vary, driver })
    }

    /// The load that a server with these settings can handle; if the server is why it was not
    /// found, with the reason.
    ///
    /// # Errors
    /// The URL or plan is wrong.
    pub(crate) fn search(
        &mut self,
        settings: &[(String, String)],
        server_warm_up: Duration,
    ) -> Result<(SearchReport, Option<String>), Failure> {
        let options = options(self.args);
        let first_warm_up = options.first_warm_up.max(server_warm_up);
        let options = SearchOptions { settings: settings.to_vec(), first_warm_up, ..options };
        let rules = options.rules.iter().map(|rule| rule.text().to_owned()).collect();
        let subject = &self.args.subject;
        let seed = self.args.seed;
        let mut found = SearchReport::new(MADE_BY, subject, self.goal, self.vary.clone(), rules, seed);
        found.notes.extend(self.driver.notes());
        let ended = run(&mut found, &self.vary, &options, &mut self.driver);
        self.driver.settle(found.answer.as_ref().and_then(|answer| answer.holds));
        match ended {
            Ok(()) => Ok((found, None)),
            Err(StudyError::Caller(failure)) => Err(failure),
            Err(StudyError::Settings(why) | StudyError::Server(why) | StudyError::Machine(why)) => {
                Ok((found, Some(why)))
            }
        }
    }

    /// A search of which nothing is known.
    pub(crate) fn nothing(&self) -> SearchReport {
        SearchReport::new(
            MADE_BY,
            &self.args.subject,
            self.goal,
            self.vary.clone(),
            Vec::new(),
            self.args.seed,
        )
    }

    /// Shows and writes the results of the thresholds.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn end(&mut self, exit: Exit) -> Result<Exit, Failure> {
        self.driver.study.trials.end(exit)
    }

    /// No signal has come.
    pub(crate) fn goes_on(&self) -> bool {
        self.driver.study.course.goes_on()
    }
}

/// Says why the search ended, where that is not its answer.
fn say_end(found: &SearchReport) {
    match &found.stopped {
        Some(StopReason::Budget) => {
            print_stderr("the time of --budget has passed; this is the interim answer");
        }
        Some(StopReason::Interrupted) => print_stderr("interrupted; this is the answer so far"),
        Some(StopReason::Unsteady) => {
            print_stderr(
                "trials contradict each other: the limit is not one number; this is the answer so far",
            );
        }
        Some(StopReason::ServerGone(why)) => print_stderr(&format!("{why}; this is the answer so far")),
        _ => {}
    }
}

fn exit(args: &SearchArgs, found: &SearchReport) -> Exit {
    let holds = found.answer.as_ref().and_then(|answer| answer.holds);
    let is_less = args.expect.is_some_and(|expected| holds.is_none_or(|load| load < expected.0));
    match found.stopped {
        Some(StopReason::Interrupted) => Exit::Interrupted,
        Some(StopReason::ServerGone(_) | StopReason::NothingWorks(_)) => Exit::NothingSucceeded,
        Some(StopReason::BearsNone) => Exit::ThresholdBroken,
        _ if is_less => Exit::ThresholdBroken,
        Some(StopReason::Generator) => Exit::Invalid,
        _ => Exit::Fine,
    }
}
