//! The command `swell-parity`: see the library.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use swell_parity::case::Case;
use swell_parity::fuzz::Wanted;
use swell_parity::plans::{self, Fate};
use swell_parity::scripts;
use swell_parity::{
    Departures, JMeter, Outcome, Subject, Swell, Tool, Verdict, each, golden, home, judge, rewrite,
};

/// Compare Apache JMeter and Swell on the same plans
#[derive(Debug, Parser)]
#[command(name = "swell-parity")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Record JMeter's output of the cases in `golden/`
    Golden(Selection),
    /// Compare JMeter with `golden/`
    Jmeter(Selection),
    /// Compare Swell with `golden/`
    Swell(Selection),
    /// Run any plans through both programs and compare
    Run(RunArgs),
    /// Make random plans, run them through both programs and compare; reduce groups that differ
    Fuzz(FuzzArgs),
    /// Make random expressions, evaluate them natively and by the real engines in this process, and
    /// compare
    Expressions(ScriptArgs),
    /// Make random scripts of elements, run them natively and on both paths to the real engines,
    /// and compare
    Statements(ScriptArgs),
}

#[derive(Debug, Args)]
struct Selection {
    /// Names of cases, or prefixes of names [default: all]
    cases: Vec<String>,
    /// Folder of JMeter
    #[arg(long, env = "JMETER_HOME", default_value_os_t = JMeter::usual_home())]
    jmeter: PathBuf,
    /// Number of concurrent runs
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Also show the logs of the runs
    #[arg(long)]
    logs: bool,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Plans, or folders of plans
    #[arg(required = true)]
    plans: Vec<PathBuf>,
    /// Only plans that `swell check` calls entirely native
    #[arg(long)]
    native: bool,
    /// Also plans with scripts that only the engines understand, unless these seem to reach files
    /// or processes
    #[arg(long, conflicts_with = "native")]
    scripts: bool,
    /// Number of concurrent runs
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Folder of JMeter
    #[arg(long, env = "JMETER_HOME", default_value_os_t = JMeter::usual_home())]
    jmeter: PathBuf,
    /// Show JMeter's output instead of comparing
    #[arg(long)]
    show: bool,
}

#[derive(Debug, Args)]
struct FuzzArgs {
    /// Only this family [default: all]
    #[arg(long)]
    family: Option<String>,
    /// Seed of the first plan; each further plan has the next seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of plans per family
    #[arg(long, default_value_t = 10)]
    plans: u64,
    /// Number of groups per plan
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=99))]
    groups: u64,
    /// Report differences without reducing the plans
    #[arg(long)]
    whole: bool,
    /// Folder for reduced plans
    #[arg(long, default_value = "target/fuzz")]
    folder: PathBuf,
    /// Folder of JMeter
    #[arg(long, env = "JMETER_HOME", default_value_os_t = JMeter::usual_home())]
    jmeter: PathBuf,
}

#[derive(Debug, Args)]
struct ScriptArgs {
    /// Only this language: groovy, beanshell, javascript, jexl2 or jexl3 [default: all]
    #[arg(long)]
    language: Option<String>,
    /// Number of comparisons per language
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// Seed of all of them
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Golden(selection) => record(&selection),
        Command::Jmeter(selection) => jmeter(&selection.jmeter).and_then(|tool| compare(&tool, &selection)),
        Command::Swell(selection) => Swell::find().and_then(|swell| compare(&Tool::Swell(swell), &selection)),
        Command::Run(args) => isolated().and_then(|()| run(&args)),
        Command::Fuzz(args) => isolated().and_then(|()| fuzz(&args)),
        Command::Expressions(args) => on_large_stack(|| expressions(&args)),
        Command::Statements(args) => on_large_stack(|| statements(&args)),
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

/// Prints a line; ignores a closed standard output.
fn say(text: &str) {
    drop(writeln!(std::io::stdout(), "{text}"));
}

fn jmeter(home: &std::path::Path) -> Result<Tool, String> {
    JMeter::find(home).map(Tool::JMeter)
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
    // The list contains differences of Swell; JMeter must never differ from its recorded output.
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

/// Prints unexpected outcomes, then a table; returns whether all are as expected.
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

/// Starts this program again in a separate network with only a loopback interface, because plans
/// name foreign hosts. If that is not permitted, the rewriting of hosts must suffice.
fn isolated() -> Result<(), String> {
    use std::os::unix::process::CommandExt as _;
    const INSIDE: &str = "SWELL_PARITY_INSIDE";
    if std::env::var_os(INSIDE).is_some() {
        return Ok(());
    }
    let enter = ["-rn", "sh", "-c", "ip link set lo up && exec \"$0\" \"$@\""];
    let allowed = std::process::Command::new("unshare").args(enter).arg("true").output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        say(
            "no network of its own can be made for the plans (unshare, ip); hosts in them are only rewritten",
        );
        return Ok(());
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut inside = std::process::Command::new("unshare");
    inside.args(enter).arg(program).args(std::env::args_os().skip(1)).env(INSIDE, "1");
    Err(format!("unshare: {}", inside.exec()))
}

fn run(args: &RunArgs) -> Result<bool, String> {
    let jmeter = JMeter::find(&args.jmeter)?;
    let files = plans::find(&args.plans)?;
    if args.show {
        return show(&files, &Tool::JMeter(jmeter));
    }
    let swell = Swell::find()?;
    let fates = each(&files, args.jobs, |file| {
        if args.native && !plans::is_native(&swell, file)? {
            return Ok(Fate::NotNative);
        }
        let fate = plans::compare(file, &jmeter, &swell, args.scripts);
        tell(file, &fate);
        Ok(fate)
    });
    let fates = fates.into_iter().collect::<Result<Vec<Fate>, String>>()?;
    Ok(sum_up(&files, &fates))
}

fn fuzz(args: &FuzzArgs) -> Result<bool, String> {
    let wanted = Wanted {
        family: args.family.as_deref(),
        seed: args.seed,
        plans: args.plans,
        groups: args.groups,
        shrink: !args.whole,
        folder: &args.folder,
    };
    let totals = swell_parity::fuzz::fuzz(&wanted, JMeter::find(&args.jmeter)?, Swell::find()?, &say)?;
    say(&totals.to_string());
    Ok(totals.different == 0)
}

/// Runs on a thread with a large stack, which calls of the JVM need.
fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, work);
        let done = thread.map_err(|error| format!("cannot start a thread: {error}"))?.join();
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Returns the requested languages, with the names of their functions.
fn languages(args: &ScriptArgs) -> Result<Vec<scripts::NamedLanguage>, String> {
    let is_wanted = |name: &str| args.language.as_deref().is_none_or(|wanted| wanted == name);
    let wanted: Vec<_> = scripts::LANGUAGES.into_iter().filter(|(name, ..)| is_wanted(name)).collect();
    if wanted.is_empty() {
        return Err("no such language; there are groovy, beanshell, javascript, jexl2 and jexl3".to_owned());
    }
    Ok(wanted)
}

fn statements(args: &ScriptArgs) -> Result<bool, String> {
    let mut engine = scripts::Engine::start()?;
    let mut is_same = true;
    for (name, language, _) in
        languages(args)?.into_iter().filter(|(name, ..)| scripts::WITH_STATEMENTS.contains(name))
    {
        let totals = scripts::statements(&mut engine, language, args.count, args.seed, &say)?;
        say(&format!("{name}: {totals}"));
        is_same &= totals.different == 0;
    }
    Ok(is_same)
}

fn expressions(args: &ScriptArgs) -> Result<bool, String> {
    let wanted = languages(args)?;
    let mut engine = scripts::Engine::start()?;
    let mut is_same = true;
    for (name, language, function) in wanted {
        let totals = scripts::expressions(&mut engine, (language, function), args.count, args.seed, &say)?;
        say(&format!("{name}: {totals}"));
        is_same &= totals.different == 0;
    }
    Ok(is_same)
}

fn show(files: &[PathBuf], tool: &Tool) -> Result<bool, String> {
    for file in files {
        let rewritten = rewrite(&Case::load(file)?);
        let is_safe =
            || Ok::<bool, String>(!rewritten.has_scripts || plans::is_native(&Swell::find()?, file)?);
        match &rewritten.skip {
            None if !is_safe()? => {
                say(&format!("##### {}: left out: {}", file.display(), plans::UNKNOWN_SCRIPT));
            }
            Some(reason) => say(&format!("##### {}: left out: {reason}", file.display())),
            None => say(&rewritten.render(tool)?),
        }
    }
    Ok(true)
}

fn tell(file: &std::path::Path, fate: &Fate) {
    let text = match fate {
        Fate::Same => "same".to_owned(),
        Fate::SameInKind => "same in kind: lots or the clock decide how often".to_owned(),
        Fate::Different(diff) => format!("differs (- JMeter, + Swell)\n{diff}"),
        Fate::Refused(error) => format!("JMeter does not run it: {error}"),
        Fate::Failed(error) => format!("failed: {error}"),
        Fate::LeftOut(_) | Fate::NotNative => return,
    };
    say(&format!("##### {}: {text}", name_of(file)));
}

fn name_of(file: &std::path::Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Prints totals and what was not compared; returns whether nothing differs.
fn sum_up(files: &[PathBuf], fates: &[Fate]) -> bool {
    for (file, fate) in files.iter().zip(fates) {
        let reason = match fate {
            Fate::LeftOut(reason) => reason.clone(),
            Fate::Refused(error) => format!("JMeter does not run it: {}", reason_in(error)),
            Fate::Same | Fate::SameInKind | Fate::Different(_) | Fate::Failed(_) | Fate::NotNative => {
                continue;
            }
        };
        say(&format!("left out: {}: {reason}", name_of(file)));
    }
    let count = |wanted: fn(&Fate) -> bool| fates.iter().filter(|fate| wanted(fate)).count();
    let not_native = count(|f| matches!(f, Fate::NotNative));
    let different = count(|f| matches!(f, Fate::Different(_)));
    let failed = count(|f| matches!(f, Fate::Failed(_)));
    say(&format!(
        "plans: {} compared with JMeter: {} same, {} same in kind, {different} different, {failed} failed; {} not run by JMeter, {} left out, \
         {not_native} not native",
        files.len() - not_native,
        count(|f| matches!(f, Fate::Same)),
        count(|f| matches!(f, Fate::SameInKind)),
        count(|f| matches!(f, Fate::Refused(_))),
        count(|f| matches!(f, Fate::LeftOut(_))),
    ));
    different + failed == 0
}

/// Returns the line of an error that has the reason.
fn reason_in(error: &str) -> &str {
    let telling = |line: &&str| ["Error", "Exception", "did not end"].iter().any(|word| line.contains(word));
    error.lines().find(telling).or_else(|| error.lines().next()).unwrap_or_default()
}
