//! Reads the command line.
//!
//! Two spellings are one: `swell run plan.jmx -l out.jtl`, and JMeter's `swell -n -t plan.jmx -l
//! out.jtl`, which is `run` with its name left out.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{CommandFactory as _, FromArgMatches as _};

use super::text_plan::{durations, is_text_plan};
use super::{Cli, Command, VERSION, habits, jmeter, short_help};

/// Reads the command line; help, version and mistakes end the process as clap does, mistakes with
/// status 104.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    read(std::env::args_os().collect())
}

fn read(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let args = durations(with_command(jmeter::joined(color_last(args))));
    habits::refuse_single_dashes(&args, Cli::command)?;
    let matches = versioned(&args).color(color_of(&args)).try_get_matches_from(&args);
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = cli.map_err(|error| habits::explain(error, &args, Cli::command))?;
    match one_too_many(&cli.command).and_then(OsStr::to_str) {
        Some(word) => Err(habits::one_too_many(&args, word, &Cli::command())),
        None => Ok(cli),
    }
}

/// A word after a plan, which is run alone: only text files can be run together.
fn one_too_many(command: &Command) -> Option<&OsStr> {
    let (Command::Run(args) | Command::Controller(args)) = command else { return None };
    let more = args.text_load.more.first()?;
    let is_plan = !args.plan.as_deref().is_some_and(is_text_plan);
    (is_plan && !is_text_plan(more)).then_some(more.as_os_str())
}

/// The command, with what scripts would run on in its version. That is looked for only where the
/// version may be asked for.
fn versioned(args: &[OsString]) -> clap::Command {
    let command = short_help::shorten(Cli::command());
    let asks = |arg: &OsString| ["-V", "--version"].iter().any(|option| arg.to_str() == Some(option));
    if !args.iter().any(asks) {
        return command;
    }
    // Once in the life of the process.
    let text: &'static str = format!("{VERSION}{}\n{}", left_out(), crate::jvm_found::in_short()).leak();
    command.version(text).mut_subcommand("run", |run| run.version(text))
}

/// A line of the parts that this build does not have; nothing if it has all.
fn left_out() -> String {
    let parts = [
        ("tests on many machines", cfg!(feature = "fleet")),
        ("history", cfg!(feature = "history")),
        ("PKCS #12 key stores", cfg!(feature = "pkcs12")),
        ("full-screen view", cfg!(feature = "tui")),
    ];
    let missing: Vec<_> = parts.iter().filter(|(_, is_there)| !is_there).map(|(name, _)| *name).collect();
    if missing.is_empty() { String::new() } else { format!("\nbuilt without: {}", missing.join(", ")) }
}

/// Moves `--color` from before the command to the end of the line, so that the command comes first.
fn color_last(mut args: Vec<OsString>) -> Vec<OsString> {
    let count = match args.get(1).and_then(|arg| arg.to_str()) {
        Some("--color") if args.len() > 2 => 2,
        Some(arg) if arg.starts_with("--color=") => 1,
        _ => return args,
    };
    args[1..].rotate_left(count);
    args
}

/// How clap colors help and errors. An invalid choice is reported when the line is parsed.
fn color_of(args: &[OsString]) -> clap::ColorChoice {
    let texts: Vec<_> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let pairs = texts.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1]);
    let whole = texts.iter().filter_map(|arg| arg.strip_prefix("--color="));
    match pairs.chain(whole).last() {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}

/// JMeter's spelling has no command: options of `run` at the first place mean `run`, unless there
/// is a URL to hit and no plan.
pub(super) fn with_command(mut args: Vec<OsString>) -> Vec<OsString> {
    let first = args.get(1).and_then(|arg| arg.to_str()).unwrap_or_default();
    let own = ["-h", "--help", "-V", "--version"];
    let hits = || args.iter().any(|arg| is_url(arg)) && !args.iter().any(|arg| is_plan(arg));
    let command = match first {
        "" if args.len() == 1 => Some("--help"),
        option if own.contains(&option) => None,
        option if option.starts_with('-') => Some(if hits() { "hit" } else { "run" }),
        _ if args.get(1).is_some_and(|arg| is_plan(arg)) => Some("run"),
        _ if args.get(1).is_some_and(|arg| is_url(arg)) => Some("hit"),
        _ => None,
    };
    if let Some(command) = command {
        args.insert(1, command.into());
    }
    version_of_jmeter(args)
}

/// JMeter's `-v` is its version. With a plan, which JMeter would not run then, it means
/// `--verbose`.
fn version_of_jmeter(mut args: Vec<OsString>) -> Vec<OsString> {
    let names_no_plan = |arg: &OsString| {
        arg.to_str().is_some_and(|arg| {
            arg.starts_with('-') && !arg.starts_with("-t") && !arg.starts_with("--testfile")
        })
    };
    if args.get(1).is_some_and(|command| command == "run") && args[2..].iter().all(names_no_plan) {
        for arg in args.iter_mut().filter(|arg| *arg == "-v") {
            *arg = "--version".into();
        }
    }
    args
}

fn is_url(arg: &OsStr) -> bool {
    arg.to_str().is_some_and(|arg| arg.starts_with("http://") || arg.starts_with("https://"))
}

fn is_plan(arg: &OsStr) -> bool {
    let path = Path::new(arg);
    path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("jmx")) || is_text_plan(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(args: &[&str]) -> Vec<String> {
        let all = std::iter::once("swell").chain(args.iter().copied()).map(OsString::from).collect();
        with_command(all).into_iter().skip(1).map(|a| a.into_string().expect("UTF-8")).collect()
    }

    #[test]
    fn jmeters_spelling_is_run() {
        let table: [(&[&str], &[&str]); 13] = [
            (&["-n", "-t", "p.jmx"], &["run", "-n", "-t", "p.jmx"]),
            (&["p.jmx", "-l", "o.jtl"], &["run", "p.jmx", "-l", "o.jtl"]),
            (&["-Jx=1", "-tp.jmx"], &["run", "-Jx=1", "-tp.jmx"]),
            (&["check", "p.jmx"], &["check", "p.jmx"]),
            (&["http://a/", "-n", "1"], &["hit", "http://a/", "-n", "1"]),
            (&["-c", "5", "https://a/"], &["hit", "-c", "5", "https://a/"]),
            (&["-n", "-t", "p.jmx", "-J", "http://a/"], &["run", "-n", "-t", "p.jmx", "-J", "http://a/"]),
            (&["-v"], &["run", "--version"]),
            (&["-n", "-v"], &["run", "-n", "--version"]),
            (&["p.jmx", "-v"], &["run", "p.jmx", "-v"]),
            (&["-n", "-tp.jmx", "-v"], &["run", "-n", "-tp.jmx", "-v"]),
            (&["-?"], &["run", "-?"]),
            (&[], &["--help"]),
        ];
        for (given, want) in table {
            assert_eq!(spelled(given), want);
        }
    }
}
