//! The short help of `run` and `hit` (`-h`): the options that most tests need, on one screen.
//! `--help` and the manual page have all.

use clap::Command;

/// Options of `run`, by their names in the program.
const OF_RUN: [&str; 18] = [
    "plan",
    "lasts",
    "shape",
    "jmeter",
    "files",
    "logfile",
    "force",
    "report",
    "report_dir",
    "json",
    "verbose",
    "strict",
    "rules",
    "junit",
    "live",
    "tui",
    "with_target",
    "agents",
];

/// The same for `hit`.
const OF_HIT: [&str; 19] = [
    "urls", "users", "duration", "requests", "rate", "shape", "method", "headers", "body", "user", "jtl",
    "report", "debug", "json", "verbose", "rules", "junit", "live", "tui",
];

/// The command with short helps that fit a screen.
pub(super) fn shorten(command: Command) -> Command {
    let commands = [("run", &OF_RUN[..]), ("controller", &OF_RUN), ("hit", &OF_HIT)];
    commands.into_iter().fold(command, |command, (name, shown)| {
        command.mut_subcommand(name, |command| {
            command.mut_args(|arg| {
                let is_hidden = !shown.contains(&arg.get_id().as_str());
                arg.hide_short_help(is_hidden)
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    fn short_help(name: &str) -> String {
        let command = shorten(Cli::command());
        let mut command = command.find_subcommand(name).expect("a command").clone();
        command.render_help().to_string()
    }

    #[test]
    fn the_short_help_is_one_screen() {
        for name in ["run", "hit"] {
            let help = short_help(name);
            assert!(help.lines().count() <= 46, "{} lines:\n{help}", help.lines().count());
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        }
    }

    #[test]
    fn each_option_of_a_short_help_is_there() {
        for (name, shown) in [("run", &OF_RUN[..]), ("hit", &OF_HIT)] {
            let command = Cli::command();
            let command = command.find_subcommand(name).expect("a command");
            for id in shown {
                assert!(command.get_arguments().any(|arg| arg.get_id() == id), "{name}: {id}");
            }
        }
    }

    #[test]
    fn groups_are_in_the_order_of_use_and_those_of_jmeter_are_last() {
        let order = |name: &str| {
            let mut command = Cli::command();
            let help = command.find_subcommand_mut(name).expect("a command").render_long_help().to_string();
            let heads = help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' '));
            heads.map(|line| line.trim_end_matches(':').to_owned()).collect::<Vec<_>>()
        };
        let run = [
            "Arguments",
            "Options",
            "Load",
            "Properties and proxy",
            "Results",
            "Connection",
            "Thresholds",
            "Live view",
            "Kept runs",
            "Target",
            "Exports",
            "Hurl and .http files",
            "Scripts and the JVM",
            "Many machines",
            "Logging",
            "JMeter compatibility",
            "Examples",
        ];
        assert_eq!(order("run"), run);
        assert_eq!(order("hit")[2..8], ["Load", "Request", "Connection", "URLs", "Results", "Thresholds"]);
    }
}
