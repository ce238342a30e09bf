//! Options of JMeter (the table in `JMeter.java`) that only its spelling has, or that print and
//! end.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args};

/// Options that only JMeter's spelling uses.
#[derive(Debug, Args)]
#[command(next_help_heading = "JMeter compatibility")]
pub(crate) struct JmeterOnly {
    /// Ignored: Swell does not use JMeter's log configuration (log4j2.xml)
    #[arg(short = 'i', long = "jmeterlogconf", value_name = "FILE")]
    pub(crate) log_config: Option<PathBuf>,
    /// Run a load agent for the broker in SWELL_NATS, like `swell agent`
    #[arg(short = 's', long)]
    pub(crate) server: bool,
    /// Run the whole plan on each agent listed in the property remote_hosts
    #[arg(short = 'r', long = "runremote")]
    pub(crate) run_remote: bool,
    /// Run the whole plan on each of these agents: names or hosts, comma-separated
    #[arg(short = 'R', long = "remotestart", value_name = "HOSTS")]
    pub(crate) remote_start: Option<String>,
    /// Stop the agents after the test
    #[arg(short = 'X', long = "remoteexit")]
    pub(crate) remote_exit: bool,
    /// Generate the HTML report of an existing results file and run nothing
    #[arg(short = 'g', long = "reportonly", value_name = "FILE")]
    pub(crate) report_only: Option<PathBuf>,
    /// Print the version, as `swell -v` does without a plan
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
    /// Print help
    #[arg(short = '?', long = "?", action = ArgAction::HelpLong)]
    options: Option<bool>,
}

/// Options of two parts, name and value.
const OF_TWO: [&str; 6] = ["-J", "-D", "-G", "--jmeterproperty", "--systemproperty", "--globalproperty"];

/// JMeter takes `-Dname value` for `-Dname=value` unless the second is an option
/// (`CLArgsParser.parseArguments`); the Maven plug-in writes so. Only where the plan is an option,
/// too: else it would be taken for a value.
pub(super) fn joined(args: Vec<OsString>) -> Vec<OsString> {
    let names_plan = |arg: &OsString| {
        arg.to_str().is_some_and(|arg| arg.starts_with("-t") || arg.starts_with("--testfile"))
    };
    if !args.iter().any(names_plan) {
        return args;
    }
    let mut out: Vec<OsString> = Vec::with_capacity(args.len());
    // The last one is a name that has no value yet.
    let mut waits = false;
    for arg in args {
        let text = arg.to_str().unwrap_or_default();
        if let (true, false, Some(name)) = (waits, text.starts_with('-'), out.last_mut()) {
            name.push("=");
            name.push(&arg);
            waits = false;
            continue;
        }
        let after_option =
            out.last().and_then(|last| last.to_str()).is_some_and(|last| OF_TWO.contains(&last));
        let attached = ["-J", "-D", "-G"].iter().any(|option| text.len() > 2 && text.starts_with(option));
        waits = (after_option || attached) && !text.contains('=') && !is_file(text);
        out.push(arg);
    }
    out
}

/// `-Gglobal.properties` has no value.
fn is_file(text: &str) -> bool {
    std::path::Path::new(text.strip_prefix("-G").unwrap_or(text)).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_may_stand_apart() {
        let table = [
            ("-n -t p.jmx -Da b -Jc d", "-n -t p.jmx -Da=b -Jc=d"),
            ("-t p.jmx -D a b -l out.jtl", "-t p.jmx -D a=b -l out.jtl"),
            ("-t p.jmx --systemproperty a b", "-t p.jmx --systemproperty a=b"),
            ("-t p.jmx -Da -Jb=1 x", "-t p.jmx -Da -Jb=1 x"),
            ("-t p.jmx -LDEBUG -L INFO x", "-t p.jmx -LDEBUG -L INFO x"),
            ("run -Da p.jmx", "run -Da p.jmx"),
        ];
        for (given, want) in table {
            let args = given.split(' ').map(OsString::from).collect();
            let want: Vec<OsString> = want.split(' ').map(OsString::from).collect();
            assert_eq!(joined(args), want, "{given}");
        }
    }
}
