//! `swell-parity`: see the library.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use swell_parity::case::Case;
use swell_parity::{
    Departures, JMeter, Outcome, Subject, Swell, Tool, Verdict, diff, each, golden, home, judge, rewrite,
    suite,
};

/// The same plan through Apache JMeter and through Swell, compared.
#[derive(Debug, Parser)]
#[command(name = "swell-parity")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the plans of `cases/` from the code
    Generate,
    /// Record what JMeter makes of the cases in `golden/`
    Golden(Selection),
    /// Compare JMeter with `golden/`
    Jmeter(Selection),
    /// Compare Swell with `golden/`
    Swell(Selection),
    /// Run plans, of anyone, through both and compare
    Run(RunArgs),
}

#[derive(Debug, Args)]
struct Selection {
    /// Names of cases, or starts of names [default: all]
    cases: Vec<String>,
    /// Where JMeter is
    #[arg(long, env = "JMETER_HOME", default_value_os_t = default_home())]
    jmeter: PathBuf,
    /// Runs at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Show what the runs logged, too
    #[arg(long)]
    logs: bool,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Plans
    #[arg(required = true)]
    plans: Vec<PathBuf>,
    /// Where JMeter is
    #[arg(long, env = "JMETER_HOME", default_value_os_t = default_home())]
    jmeter: PathBuf,
    /// Show JMeter's side instead of comparing
    #[arg(long)]
    show: bool,
}

fn default_home() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    cache.unwrap_or_default().join("swell/jmeter-5.6.3")
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Generate => generate(),
        Command::Golden(selection) => record(&selection),
        Command::Jmeter(selection) => jmeter(&selection.jmeter).and_then(|tool| compare(&tool, &selection)),
        Command::Swell(selection) => Swell::find().and_then(|swell| compare(&Tool::Swell(swell), &selection)),
        Command::Run(args) => run(&args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&error);
            ExitCode::from(2)
        }
    }
}

/// A line on standard output; if nobody reads it any more, there is nothing to be done.
fn say(text: &str) {
    drop(writeln!(std::io::stdout(), "{text}"));
}

fn jmeter(home: &std::path::Path) -> Result<Tool, String> {
    JMeter::find(home).map(Tool::JMeter)
}

fn generate() -> Result<bool, String> {
    let folder = home().join("cases");
    let files = suite::drafts().into_iter().map(|draft| (draft.file_name(), draft.jmx()));
    for (name, text) in files.chain([("data/fragment.jmx".to_owned(), suite::fragment().jmx())]) {
        let file = folder.join(name);
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(true)
}

fn selected(selection: &Selection) -> Result<Vec<Case>, String> {
    let wanted = |case: &Case| {
        selection.cases.is_empty() || selection.cases.iter().any(|name| case.name.starts_with(name.as_str()))
    };
    let cases: Vec<Case> = Case::load_all(&home().join("cases"))?.into_iter().filter(wanted).collect();
    if cases.is_empty() { Err("no such case".to_owned()) } else { Ok(cases) }
}

fn rendered(case: &Case, data: &std::path::Path, tool: &Tool, show_log: bool) -> Result<String, String> {
    let (text, log) = Subject { case, data: Some(data) }.render(tool)?;
    if show_log {
        say(&format!("##### log of {}:\n{log}", case.name));
    }
    Ok(text)
}

fn record(selection: &Selection) -> Result<bool, String> {
    let tool = jmeter(&selection.jmeter)?;
    let data = home().join("cases/data");
    let results = each(&selected(selection)?, selection.jobs, |case| {
        let text = rendered(case, &data, &tool, selection.logs);
        let stored = text.and_then(|text| golden::store(&home().join("golden"), &case.name, &text));
        stored.map_err(|error| say(&format!("{}: {error}", case.name)))
    });
    Ok(results.iter().all(Result::is_ok))
}

fn compare(tool: &Tool, selection: &Selection) -> Result<bool, String> {
    let folder = home();
    // The list tells how Swell differs; JMeter must never differ from itself.
    let departures = match tool {
        Tool::Swell(_) => Departures::load(&folder.join("departures.txt"))?,
        Tool::JMeter(_) => Departures::default(),
    };
    let data = folder.join("cases/data");
    let verdicts = each(&selected(selection)?, selection.jobs, |case| {
        let expected = golden::load(&folder.join("golden"), &case.name)?;
        let actual = rendered(case, &data, tool, selection.logs);
        Ok(judge(&case.name, expected, actual, &departures))
    });
    let verdicts = verdicts.into_iter().collect::<Result<Vec<Verdict>, String>>()?;
    Ok(report(tool.name(), &verdicts))
}

/// Tells what is not as it should be, then a table; whether all is well.
fn report(tool: &str, verdicts: &[Verdict]) -> bool {
    for verdict in verdicts {
        let text = match &verdict.outcome {
            Outcome::Same => continue,
            Outcome::Differs(diff) => format!("differs (- JMeter, + {tool})\n{diff}"),
            Outcome::Known(reason) => format!("known: {reason}"),
            Outcome::Mended => "agrees now: take it out of departures.txt".to_owned(),
            Outcome::Failed(error) => format!("failed: {error}"),
        };
        say(&format!("##### {}: {text}", verdict.case));
    }
    let count = |wanted: fn(&Outcome) -> bool| verdicts.iter().filter(|v| wanted(&v.outcome)).count();
    say(&format!(
        "{tool}: {} cases: {} same, {} different, {} failed, {} known, {} no longer different",
        verdicts.len(),
        count(|o| matches!(o, Outcome::Same)),
        count(|o| matches!(o, Outcome::Differs(_))),
        count(|o| matches!(o, Outcome::Failed(_))),
        count(|o| matches!(o, Outcome::Known(_))),
        count(|o| matches!(o, Outcome::Mended)),
    ));
    let bad: Vec<&str> = verdicts.iter().filter(|v| !v.is_fine()).map(|v| v.case.as_str()).collect();
    if !bad.is_empty() {
        say(&format!("not as in JMeter: {}", bad.join(" ")));
    }
    bad.is_empty()
}

fn run(args: &RunArgs) -> Result<bool, String> {
    let judge = jmeter(&args.jmeter)?;
    let judged = if args.show { None } else { Some(Tool::Swell(Swell::find()?)) };
    let mut all_same = true;
    for file in &args.plans {
        let case = Case::load(file)?;
        let rewritten = rewrite(&case);
        if let Some(reason) = &rewritten.skip {
            say(&format!("##### {}: skipped: {reason}", case.name));
            continue;
        }
        let render = |tool: &Tool| {
            let prepare = |port: u16, folder: &std::path::Path| rewritten.prepare(port, folder);
            tool.observe(&prepare, &rewritten.rules, None).map(|seen| seen.render(&rewritten.rules))
        };
        let expected = render(&judge);
        let Some(judged) = &judged else {
            say(&expected?);
            continue;
        };
        all_same &= tell(&case.name, expected, render(judged));
    }
    Ok(all_same)
}

fn tell(name: &str, expected: Result<String, String>, actual: Result<String, String>) -> bool {
    let text = match (expected, actual) {
        (Ok(expected), Ok(actual)) if expected == actual => "same".to_owned(),
        (Ok(expected), Ok(actual)) => {
            format!("differs (- JMeter, + Swell)\n{}", diff(&expected, &actual, 80))
        }
        (Err(error), Ok(_)) => format!("JMeter failed: {error}"),
        (_, Err(error)) => format!("failed: {error}"),
    };
    say(&format!("##### {name}: {text}"));
    text == "same"
}
