//! Options of JMeter (the table in `JMeter.java`) that Swell knows by name and does not do, or that print and end.

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
    /// Not yet: write a report of a results file that is there already
    #[arg(short = 'g', long = "reportonly", value_name = "FILE")]
    report_only: Option<PathBuf>,
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
        let report = "`swell run PLAN -l FILE -e -o DIR` writes the report with the run; \
                      `jmeter -g FILE -o DIR` makes JMeter's own of a results file of Swell";
        let asked = [
            (self.server, "-s: to wait for a controlling machine", remote),
            (self.run_remote, "-r: to run the plan on other machines", remote),
            (self.remote_start.is_some(), "-R: to run the plan on other machines", remote),
            (self.remote_exit, "-X: to end the servers on other machines", remote),
            (
                self.report_only.is_some(),
                "-g: to write a report of a results file that is there already",
                report,
            ),
        ];
        match asked.into_iter().find(|(is_asked, ..)| *is_asked) {
            Some((_, what, hint)) => Err(Failure::settings(format!("not yet: {what}")).hint(hint)),
            None => Ok(()),
        }
    }
}
