//! Options and commands of other tools: those that mean the same are aliases, for the others a
//! message says what to type instead.

use std::ffi::OsString;

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use swell_stats::threshold::nearest;

/// Options of hey, oha, ab, wrk, vegeta, siege and curl that `hit` has not: which words, and what
/// to write instead.
const OF_HIT: [(&[&str], &str); 23] = [
    (
        &["-t"],
        "the time of the test is -d 30s, the longest wait for a response --timeout 5s, worker threads are -w 2",
    ),
    (
        &["-q"],
        "the rate of all users together is -r 1000, requests a second (-q of hey is the rate of one user: times -c)",
    ),
    (
        &["-s", "--script"],
        "the longest wait for a response is --timeout 5s; a test of many steps is a plan for `swell run`",
    ),
    (&["-D", "-Z", "--body-file", "-d@"], "a body from a file is -b @FILE"),
    (&["-p"], "a body from a file is -b @FILE; more requests at a time are more users, -c 50"),
    (&["-U"], "-H 'User-Agent: NAME'"),
    (&["-j"], "the summary as JSON is --json"),
    (&["--rand-regex-url", "--urls-from-file"], "URLs of a file at random are --urls FILE --random"),
    (
        &["--cpus", "--vus", "--stage"],
        "worker threads are -w 2, users -c 50, a load over time --shape 'ramp(0..500, 1m)'",
    ),
    (&["-A"], "-H 'Accept: TYPE', -H 'User-Agent: NAME' or -u USER:PASSWORD"),
    (&["-C", "--cookie"], "-H 'Cookie: NAME=VALUE'"),
    (&["-i", "-I", "--head"], "a HEAD request is -X HEAD; URLs of a file at random are --urls FILE --random"),
    (
        &["-o", "--output", "-e", "-g", "--output-format"],
        "-l FILE saves samples; --json prints the summary; --report DIR writes a page",
    ),
    (&["-V", "--print"], "--debug shows one exchange, -v all figures"),
    (
        &["--http3", "--http-version", "--h2c", "-h2", "-2"],
        "--http2 for HTTP/2, also without TLS; --http1.1 for HTTP/1.1; there is no HTTP/3",
    ),
    (
        &["--no-tui", "--fps", "--no-color", "--disable-color"],
        "leave it out: nothing is drawn over the screen; --color never writes without colours",
    ),
    (
        &["--latency-correction"],
        "leave it out: with -r RATE, response times count from when each request was due",
    ),
    (&["--host"], "-H 'Host: NAME'"),
    (
        &["--disable-compression", "--compressed"],
        "nothing is asked for compressed; -H 'Accept-Encoding: gzip' asks",
    ),
    (&["--connect-timeout", "--max-time"], "--timeout 5s is the limit for connecting and for the response"),
    (
        &["--burst-delay", "--burst-rate", "--max-workers"],
        "an even rate is -r RATE; other shapes of load are a plan for `swell run`",
    ),
    (&["--reps", "--iterations", "--requests-per-connection"], "requests in all are -n 1000"),
    (&["-S", "-B", "-P", "-y", "-W"], "`swell hit --help` lists what there is"),
];

/// Options of `hit` that `sweep` does not have.
const OF_SWEEP: [(&[&str], &str); 1] = [(
    &["-H", "--header"],
    "requests with headers need a plan with an HTTP Header Manager; the proxy is --proxyHost HOST --proxyPort PORT",
)];

/// The same for `run`.
const OF_RUN: [(&[&str], &str); 3] = [
    (
        &["-c", "--vus", "--connections", "--concurrency"],
        "the plan sets the number of users; if it has ${__P(users)}, use -Jusers=50",
    ),
    (
        &["-z", "--duration", "--time"],
        "the plan sets the duration; if it has ${__P(duration)}, use -Jduration=60, or use --for 60s",
    ),
    (
        &["-b", "-T", "-m", "--method", "--body"],
        "requests are in the plan; `swell hit URL` sends some without a plan",
    ),
];

/// Commands of other tools, and what is the same here.
const COMMANDS: [(&[&str], &str); 3] = [
    (&["attack", "bench", "benchmark", "load", "quick"], "a quick test is `swell hit URL -r 50 -d 10s`"),
    (
        &["exec", "execute", "start", "test"],
        "a plan is run by `swell run PLAN`, a URL tested by `swell hit URL`",
    ),
    (&["validate", "lint", "inspect"], "`swell check PLAN` shows what runs"),
];

/// Says of what is not there what there is (`all`).
pub(super) fn explain(error: Error, args: &[OsString], all: impl FnOnce() -> Command) -> Error {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let command = args.get(1).and_then(|name| name.to_str()).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let option = context(ContextKind::InvalidArg).map(|option| unknown(args, option, &all()));
            option.unwrap_or(error)
        }
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand).map(|name| unknown_command(name, &all()));
            name.unwrap_or(error)
        }
        ErrorKind::ArgumentConflict
            if command == "hit" && is_body_given(context(ContextKind::InvalidArg)) =>
        {
            told("`-d`, the duration, is given twice", "a request body is -b TEXT, or -b @FILE")
        }
        ErrorKind::MissingRequiredArgument
            if command == "hit" && is_missing(error.get(ContextKind::InvalidArg), "URL") =>
        {
            told("no URL to test", &url_hint(args))
        }
        ErrorKind::MissingRequiredArgument
            if command == "search" && is_missing(error.get(ContextKind::InvalidArg), "--rate") =>
        {
            told(
                "no range of loads given",
                "try `swell search URL --rate 50..5000`, --users 10..500, or --vary threads=10..500 for a property of the plan",
            )
        }
        ErrorKind::ValueValidation => wrong_number(&error, &context).unwrap_or(error),
        _ => error,
    }
}

/// Replaces Rust's message about an invalid or out-of-range number by one for the user.
fn wrong_number<'e>(error: &Error, context: &impl Fn(ContextKind) -> Option<&'e str>) -> Option<Error> {
    let why = error.source()?.to_string();
    let wanted = match why.as_str() {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "expected a whole number"
        }
        "number too large to fit in target type" => "the number is too large",
        _ if why.ends_with(" is not in 1..18446744073709551615") => "expected 1 or more",
        _ => return None,
    };
    let value = context(ContextKind::InvalidValue)?;
    let option = context(ContextKind::InvalidArg)?;
    let text = format!("invalid value '{value}' for '{option}': {wanted}\n");
    Some(Error::raw(ErrorKind::ValueValidation, text))
}

fn unknown(args: &[OsString], option: &str, all: &Command) -> Error {
    let command = args.get(1).and_then(|name| name.to_str()).unwrap_or_default();
    if !option.starts_with('-') {
        return one_too_many(args, option, all);
    }
    let option = option.split('=').next().unwrap_or_default();
    let listed = || format!("`swell {command} --help` lists all options");
    let near = || similar(command, option, all).map(|near| format!("did you mean `{near}`?"));
    let hint = known(command, option).map(str::to_owned).or_else(near).unwrap_or_else(listed);
    told(&format!("`swell {command}` has no option `{option}`"), &hint)
}

/// A word that nothing takes; maybe it is meant for an option whose value may be left out.
pub(super) fn one_too_many(args: &[OsString], word: &str, all: &Command) -> Error {
    let command = args.get(1).and_then(|name| all.find_subcommand(name));
    let name = command.map(Command::get_name).unwrap_or_default();
    let at = args.iter().position(|arg| arg == word).unwrap_or_default();
    let before = args.get(at.saturating_sub(1)).and_then(|arg| arg.to_str()?.strip_prefix("--"));
    let takes_it = |option: &&str| {
        let mut options = command.into_iter().flat_map(Command::get_arguments);
        options.any(|arg| arg.get_long() == Some(*option) && arg.is_require_equals_set())
    };
    let hint = match before.filter(takes_it) {
        Some(option) => format!("attach its value with `=`: --{option}={word}"),
        None => format!("`swell {name} --help` shows what it takes"),
    };
    told(&format!("`swell {name}` does not take `{word}`"), &hint)
}

/// The long option of the command that a typo may stand for.
fn similar(command: &str, option: &str, all: &Command) -> Option<String> {
    let typo = option.strip_prefix("--")?;
    let command = all.find_subcommand(command)?;
    let names = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set())
        .flat_map(|arg| arg.get_long().into_iter().chain(arg.get_visible_aliases().unwrap_or_default()));
    nearest(typo, names).map(|name| format!("--{name}"))
}

fn known(command: &str, option: &str) -> Option<&'static str> {
    let table: &[(&[&str], &str)] = match command {
        "hit" => &OF_HIT,
        "run" => &OF_RUN,
        "sweep" => &OF_SWEEP,
        _ => &[],
    };
    table.iter().find(|(spellings, _)| spellings.contains(&option)).map(|(_, hint)| *hint)
}

fn unknown_command(name: &str, all: &Command) -> Error {
    let known = COMMANDS.iter().find(|(names, _)| names.contains(&name)).map(|(_, hint)| (*hint).to_owned());
    let near = || {
        let names = all.get_subcommands().map(Command::get_name);
        nearest(name, names).map(|near| format!("did you mean `swell {near}`?"))
    };
    let place = || name.contains([':', '.', '/']).then(|| format!("`swell hit {name}` tests a URL"));
    let usual =
        || "`swell hit URL` tests a URL, `swell run PLAN` runs a plan; `swell --help` lists all".to_owned();
    told(&format!("unknown command `{name}`"), &known.or_else(near).or_else(place).unwrap_or_else(usual))
}

/// hey and curl have a body where the time of the test stands here.
fn is_body_given(option: Option<&str>) -> bool {
    option.is_some_and(|option| option.starts_with("--duration"))
}

/// Whether this is among what is missing.
fn is_missing(missing: Option<&ContextValue>, what: &str) -> bool {
    matches!(missing, Some(ContextValue::Strings(names)) if names.iter().any(|name| name.contains(what)))
}

/// In other tools some options are switches, and here they take the word behind them.
fn url_hint(args: &[OsString]) -> String {
    let words: Vec<_> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let taken = words.windows(2).find(|pair| pair[0].starts_with('-') && pair[1].contains("://"));
    match taken {
        Some(pair) => {
            format!("`{}` took `{}` as its value: give it a value, or remove it", pair[0], pair[1])
        }
        None => "as in `swell hit http://localhost:8080/`; URLs from a file are --urls FILE".to_owned(),
    }
}

/// Tools written in Go spell `-duration`, which would be read as `-d uration`.
pub(super) fn refuse_single_dashes(
    args: &[OsString],
    command: impl FnOnce() -> clap::Command,
) -> Result<(), Error> {
    if args.get(1).is_none_or(|command| command != "hit") {
        return Ok(());
    }
    let command = command();
    let hit = command.find_subcommand("hit").expect("it is one of the commands");
    let names: Vec<_> = hit
        .get_arguments()
        .flat_map(|arg| arg.get_long().into_iter().chain(arg.get_all_aliases().unwrap_or_default()))
        .collect();
    for arg in args.iter().skip(2).filter_map(|arg| arg.to_str()) {
        let option = arg.split('=').next().unwrap_or_default();
        let name = option.strip_prefix('-').unwrap_or_default();
        if name.len() > 2 && names.contains(&name) {
            return Err(told(&format!("`-{name}` has one dash"), &format!("write --{name}")));
        }
        let is_long = name.len() > 1 && !name.starts_with('-');
        let hint = || known("hit", option).or_else(|| known("hit", &format!("-{option}")));
        if let Some(hint) = is_long.then(hint).flatten() {
            return Err(told(&format!("`swell hit` has no option `{option}`"), hint));
        }
    }
    Ok(())
}

fn told(what: &str, hint: &str) -> Error {
    Error::raw(ErrorKind::UnknownArgument, format!("{what}\n  hint: {hint}\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn no_hint_is_for_an_option_that_is_there() {
        let command = Cli::command();
        for (name, table) in [("hit", &OF_HIT[..]), ("run", &OF_RUN[..])] {
            let command = command.find_subcommand(name).expect("a command");
            for spelling in table.iter().flat_map(|(spellings, _)| *spellings) {
                let is_there = command.get_arguments().any(|arg| {
                    let shorts = arg.get_short_and_visible_aliases().unwrap_or_default();
                    let longs = arg.get_long_and_visible_aliases().unwrap_or_default();
                    shorts.iter().any(|short| format!("-{short}") == **spelling)
                        || longs.iter().any(|long| format!("--{long}") == **spelling)
                });
                assert!(!is_there, "{name} {spelling}");
            }
        }
    }
}
