//! Options of JMeter (the table in `JMeter.java`) that Swell knows by name and does not do, or that print and end.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args};

use crate::exit::Failure;

/// Options that nothing but JMeter's spelling asks for.
#[derive(Debug, Args)]
pub(crate) struct JmeterOnly {
    /// Configuration of JMeter's log (log4j2.xml): ignored, -L sets what is logged
    #[arg(short = 'i', long = "jmeterlogconf", value_name = "FILE")]
    pub(crate) log_config: Option<PathBuf>,
    /// Not yet: wait for a controlling machine
    #[arg(short = 's', long)]
    server: bool,
    /// Not yet: run the plan on the machines of the property remote_hosts
    #[arg(short = 'r', long = "runremote")]
    run_remote: bool,
    /// Not yet: run the plan on these machines
    #[arg(short = 'R', long = "remotestart", value_name = "HOSTS")]
    remote_start: Option<String>,
    /// Not yet: end the servers on other machines after the test
    #[arg(short = 'X', long = "remoteexit")]
    remote_exit: bool,
    /// Write the report of a results file that is there already into the folder of -o, and run nothing
    #[arg(short = 'g', long = "reportonly", value_name = "FILE")]
    pub(crate) report_only: Option<PathBuf>,
    /// Print the version
    #[arg(short = 'v', short_alias = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
    /// Print these options
    #[arg(short = '?', long = "?", action = ArgAction::Help)]
    options: Option<bool>,
}

impl JmeterOnly {
    /// Refuses what Swell cannot do yet, so that nobody takes a run here for one elsewhere.
    ///
    /// # Errors
    /// Each such option, in words that say what to do instead.
    pub(crate) fn refuse_not_yet(&self) -> Result<(), Failure> {
        let remote = "start `swell run` on each machine with its share of the users; their results files can be joined";
        let asked = [
            (self.server, "-s: to wait for a controlling machine", remote),
            (self.run_remote, "-r: to run the plan on other machines", remote),
            (self.remote_start.is_some(), "-R: to run the plan on other machines", remote),
            (self.remote_exit, "-X: to end the servers on other machines", remote),
        ];
        match asked.into_iter().find(|(is_asked, ..)| *is_asked) {
            Some((_, what, hint)) => Err(Failure::settings(format!("not yet: {what}")).hint(hint)),
            None => Ok(()),
        }
    }
}

/// Options of two parts, name and value.
const OF_TWO: [&str; 6] = ["-J", "-D", "-G", "--jmeterproperty", "--systemproperty", "--globalproperty"];

/// JMeter takes `-Dname value` for `-Dname=value` unless the second is an option (`CLArgsParser.parseArguments`); the Maven plug-in
/// writes so. Only where the plan is an option, too: else it would be taken for a value.
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
