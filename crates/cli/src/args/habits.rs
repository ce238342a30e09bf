//! Options of other tools: those that mean the same are aliases, for the others a message says what to type instead.

use std::ffi::OsString;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Options of hey, oha, ab, wrk, vegeta, siege and curl that `hit` has not: which words, and what to write instead.
const OF_HIT: [(&[&str], &str); 19] = [
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
    (&["-A"], "-H 'Accept: TYPE', -H 'User-Agent: NAME' or -u USER:PASSWORD"),
    (&["-C", "--cookie"], "-H 'Cookie: NAME=VALUE'"),
    (&["-i", "-I", "--head"], "a HEAD request is -X HEAD; URLs of a file at random are --urls FILE --random"),
    (
        &["-o", "--output", "-e", "-g", "--output-format"],
        "samples are kept by -l FILE; the summary as JSON is --json, a page --report DIR",
    ),
    (&["-v", "-V", "--verbose", "--print"], "one exchange is shown by --debug"),
    (
        &["--http2", "--http3", "--http-version", "--h2c", "-2"],
        "Swell speaks HTTP/1.1; HTTP/2 is not there yet",
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

/// The same for `run`.
const OF_RUN: [(&[&str], &str); 3] = [
    (
        &["-c", "--users", "--connections", "--concurrency"],
        "how many users there are is said by the plan; where it has ${__P(users)}, by -Jusers=50",
    ),
    (
        &["-z", "--duration", "--time"],
        "how long it takes is said by the plan; where it has ${__P(duration)}, by -Jduration=60",
    ),
    (
        &["-b", "-T", "-m", "--method", "--body"],
        "requests are in the plan; `swell hit URL` sends some without a plan",
    ),
];

/// Says of an option that is not there what there is.
pub(super) fn explain(error: Error, args: &[OsString]) -> Error {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return error;
    };
    let command = args.get(1).and_then(|name| name.to_str()).unwrap_or_default();
    let table: &[(&[&str], &str)] = match command {
        "hit" => &OF_HIT,
        "run" => &OF_RUN,
        _ => &[],
    };
    let option = option.split('=').next().unwrap_or_default();
    let known =
        table.iter().find(|(spellings, _)| spellings.contains(&option)).map(|(_, hint)| (*hint).to_owned());
    let similar = match error.get(ContextKind::SuggestedArg) {
        // Clap's idea of what is similar is a wide one.
        Some(ContextValue::String(similar)) if similar.get(..4) == option.get(..4) => {
            Some(format!("`{similar}` is the nearest there is"))
        }
        _ => None,
    };
    let all = || format!("`swell {command} --help` lists all options");
    let hint = known.or(similar).unwrap_or_else(all);
    told(&format!("`swell {command}` has no option `{option}`"), &hint)
}

/// Tools written in Go spell `-duration`, which would be read as `-d uration`.
pub(super) fn refuse_single_dashes(args: &[OsString], command: &clap::Command) -> Result<(), Error> {
    if args.get(1).is_none_or(|command| command != "hit") {
        return Ok(());
    }
    let hit = command.find_subcommand("hit").expect("it is one of the commands");
    let names: Vec<_> =
        hit.get_arguments().flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default()).collect();
    for arg in args.iter().skip(2).filter_map(|arg| arg.to_str()) {
        let name = arg.strip_prefix('-').unwrap_or_default().split('=').next().unwrap_or_default();
        if name.len() > 2 && names.contains(&name) {
            return Err(told(&format!("`-{name}` has one dash"), &format!("write --{name}")));
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
