//! Options of `swell run`: JMeter's, and a few more.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use swell_debug::KeptFailures;
use swell_net::Io;
use swell_session::{Paths, ReportOptions};

use super::CompatLevel;
use super::FleetArgs;
use super::OneRunArgs;
use super::SetArgs;
use super::TextLoadArgs;
use super::jmeter::JmeterOnly;
use super::jvm::JvmArgs;
use super::properties::{Setting, SettingArgs};
use super::units::lasting;
use crate::exit::Failure;
use crate::print::print_stderr;

/// Where lines are logged unless something else is said.
pub(crate) const DEFAULT_LOG: &str = "jmeter.log";

const SHORT_EXAMPLES: &str = "\
Examples:
  swell run plan.jmx -l results.jtl -e -o report
  swell run plan.jmx -Jusers=500 --threshold 'p(95)<500ms'
All options: swell run --help";

/// `swell run`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(display_name = "swell", version = super::VERSION, disable_version_flag = true, after_help = SHORT_EXAMPLES, after_long_help = "\
Examples:
  swell run plan.jmx -l results.jtl
  swell run plan.jmx -f -l results.jtl -e -o report     with an HTML report
  swell run plan.jmx -Jusers=500 -q site.properties     properties for ${__P(users)}
  swell run plan.jmx --live                             watch it in a browser and change its load
  swell run plan.jmx --shape 'ramp(0..500, 5m) hold(500, 10m)'    another load
  swell run plan.jmx --monitor prometheus=http://shop:9100/metrics    include server metrics
  swell run examples/flood.jmx --with-target            against the built-in target
  swell run plan.jmx --threshold 'p(95)<500ms' --threshold 'errors<1%' --junit result.xml

Properties are read in this order; later values win: jmeter.properties (-p, or $JMETER_HOME/bin),
user.properties, then -q -S -D -J -G in command-line order. An empty value (-Jname=) removes a
property.

Memory limits: swell.max_file_bytes, the largest file read into memory (default 268435456), and
swell.max_line_bytes, the longest line or record of a data file (default 16777216).

Each run is kept in its own folder in ~/.local/share/swell/runs, or in the folder set by the
environment variable SWELL_RUNS (SWELL_RUNS=off keeps nothing). Swell keeps the last 100 runs
without a --name, at most 2048 MB; the properties swell.runs.keep and swell.runs.max_mb change this.
Thresholds can also be set by the properties swell.threshold.1, swell.threshold.2, ...

Exit status: 0 the test ran to the end and at least one sample succeeded, 98 no sample succeeded,
99 a threshold was crossed, 104 bad plan or settings, 105 interrupted, 107 a script ended the test
(it needed a script engine, ran longer than --script-timeout, called System.exit, or crashed the
JVM), 109 an internal error, 112 results could not be written completely, 113 no sample finished;
with --strict also 110 and 111 if the verdict is DEGRADED or INVALID. If several apply, the first
of these: 109, 107, 112, 105, 104, 113, 98, 99, 111, 110.

Ctrl-C once: start no new samples and end when the running ones finish. Twice: exit immediately;
the results so far are on disk. SIGTERM and SIGHUP: as Ctrl-C once, but running samples are aborted
after 10s; --grace or the property swell.grace sets that time for all three. SIGQUIT (Ctrl-\\)
prints the state of the run and continues. JMeter's shutdown.sh and stoptest.sh also work, unless
jmeterengine.nongui.port=0.")]
pub(crate) struct RunArgs {
    /// Test plan to run
    #[arg(value_name = "PLAN", required_unless_present_any = ["testfile", "server", "report_only"], conflicts_with = "testfile")]
    pub(crate) plan: Option<PathBuf>,
    /// Test duration that replaces the plan's own: 90s, 8h, 7d
    ///
    /// Thread groups loop until then, by their scheduler. For Concurrency and Arrivals Thread
    /// Groups the hold time changes.
    #[arg(long = "for", value_name = "TIME", value_parser = lasting, conflicts_with = "shape", help_heading = "Load")]
    pub(crate) lasts: Option<Duration>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    /// Write samples to this results file (JTL)
    ///
    /// The format is CSV, or XML if the property jmeter.save.saveservice.output_format says so.
    #[arg(short = 'l', long, value_name = "FILE", help_heading = "Results")]
    pub(crate) logfile: Option<PathBuf>,
    /// Overwrite existing results files and reports when the test starts
    #[arg(short = 'f', long = "forceDeleteResultFile", help_heading = "Results")]
    pub(crate) force: bool,
    /// Generate an HTML report at the end of the test
    #[arg(short = 'e', long = "reportatendofloadtests", help_heading = "Results")]
    pub(crate) report: bool,
    /// Folder for the HTML report
    ///
    /// The folder is created if it does not exist. Use it together with -e.
    #[arg(
        short = 'o',
        long = "reportoutputfolder",
        value_name = "DIR",
        id = "report_dir",
        help_heading = "Results"
    )]
    pub(crate) report_dir: Option<PathBuf>,
    /// Write the summary as JSON to this file [default: next to the results file]
    ///
    /// For results.jtl the default is results.summary.json.
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(crate) summary: Option<PathBuf>,
    /// Print all figures, rows and reasons
    #[arg(short = 'v', long, help_heading = "Results")]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) one: OneRunArgs,
    /// Keep this many failures of each label and response code [default: 1]
    ///
    /// A failure is kept with its headers, times and variables, and with the steps of the iteration
    /// before it. The report and the live page link to it from the table of failed samples. The
    /// folder of the run has them as `failures.html`. Passwords, tokens and cookies are masked. 0
    /// keeps none. The limit is 200 causes and 16 MB in all.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=100), help_heading = "Kept runs")]
    pub(crate) keep_failures: Option<u16>,
    /// Keep up to 64 KB of each body, too
    ///
    /// Every user then keeps the bodies of its iteration in memory, which costs time and memory.
    #[arg(long, help_heading = "Kept runs")]
    pub(crate) keep_failure_bodies: bool,
    /// Run against the built-in target, started on a free port
    ///
    /// The properties `host` and `port` are set to its address.
    #[arg(long, help_heading = "Target")]
    pub(crate) with_target: bool,
    #[command(flatten)]
    pub(crate) set: SetArgs,
    #[command(flatten)]
    pub(crate) text_load: TextLoadArgs,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
    /// Write the log to this file
    #[arg(short = 'j', long, value_name = "FILE", default_value = DEFAULT_LOG, help_heading = "Logging")]
    pub(crate) jmeterlogfile: PathBuf,
    /// Log level, for everything or one category: DEBUG, jmeter.http=DEBUG; repeatable
    #[arg(short = 'L', long = "loglevel", value_name = "[CATEGORY=]LEVEL", help_heading = "Logging")]
    pub(crate) log_levels: Vec<String>,
    /// Test plan, in JMeter's spelling
    #[arg(short = 't', long, value_name = "PLAN", help_heading = "JMeter compatibility")]
    pub(crate) testfile: Option<PathBuf>,
    /// Accepted for JMeter compatibility; Swell has no GUI
    #[arg(short = 'n', long, help_heading = "JMeter compatibility")]
    pub(crate) nongui: bool,
    /// Follow a JMeter version's rounding or bugs [default: 5.6.3]
    ///
    /// Without a value: round as JMeter does (throughput timers in whole milliseconds). `6.0`
    /// follows JMeter 6.0 where it fixes a bug of 5.6.3, such as 307 and 308 redirects that lose
    /// their method. The property swell.compat sets the same.
    #[arg(long, value_name = "LEVEL", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "rounding", help_heading = "JMeter compatibility")]
    pub(crate) compat: Option<CompatLevel>,
    #[command(flatten)]
    pub(crate) jmeter: JmeterOnly,
}

/// JMeter's word for the plan that its window opened last, and for files named after it
/// (`JMeter.processLAST`).
const LAST: &str = "LAST";

impl RunArgs {
    /// Keeps failures: by default where there is a place to look at them.
    pub(crate) fn failures(&self) -> Option<Arc<KeptFailures>> {
        let observe = &self.one.observe;
        let is_shown = || observe.live.options().is_some() || observe.keep.options(true).has_place();
        let most = self.keep_failures.map_or_else(|| usize::from(is_shown()), usize::from);
        (most > 0).then(|| Arc::new(KeptFailures::new(most, self.keep_failure_bodies)))
    }

    /// Refuses what of JMeter's command line Swell does not do, and says what it ignores.
    ///
    /// # Errors
    /// `LAST`; a report that is asked for by half.
    pub(crate) fn check_jmeters(&self) -> Result<(), Failure> {
        let is_last = |path: Option<&PathBuf>, suffix: &str| {
            path.and_then(|path| path.to_str())
                .is_some_and(|path| path == LAST || path.strip_prefix(LAST) == Some(suffix))
        };
        let named = [
            ("-t", is_last(self.testfile.as_ref(), "")),
            ("-l", is_last(self.logfile.as_ref(), ".jtl")),
            ("-j", is_last(Some(&self.jmeterlogfile), ".log")),
        ];
        if let Some((option, _)) = named.into_iter().find(|(_, is_last)| *is_last) {
            return Err(Failure::settings(format!(
                "{option} LAST is not supported: Swell has no GUI that opened a plan"
            ))
            .hint("name the file"));
        }
        self.check_report()?;
        if let Some(file) = &self.jmeter.log_config {
            print_stderr(&format!(
                "-i {} is ignored: Swell's log has one form; -L sets its level",
                file.display()
            ));
        }
        Ok(())
    }

    /// Agents make the plan as it is, and their rows are collected into one file.
    ///
    /// # Errors
    /// `--for` or `--jtl-rotate` with agents.
    pub(crate) fn check_long_over_agents(&self) -> Result<(), Failure> {
        let option = match (self.lasts, self.one.rotation.rotation()) {
            _ if self.fleet.agents.is_none() => return Ok(()),
            (Some(_), _) => "--for",
            (None, Some(_)) => "--jtl-rotate",
            (None, None) => return Ok(()),
        };
        Err(Failure::settings(format!("{option} does not work with agents yet"))
            .hint("run it on one machine, or leave the option out"))
    }

    /// A report is asked for by two options; one of them alone would do nothing.
    fn check_report(&self) -> Result<(), Failure> {
        match (&self.report_dir, self.report) {
            (None, true) => {
                Err(Failure::settings("-e writes an HTML report, but -o with its folder is missing")
                    .hint("write `-e -o report`; the folder is created if needed"))
            }
            (Some(folder), false) => {
                let folder = folder.display();
                Err(Failure::settings(format!("-o {folder} is a report folder, but -e is missing"))
                    .hint(format!("write `-e -o {folder}`, or remove -o")))
            }
            _ => Ok(()),
        }
    }

    /// The results file of which a report is to be written, instead of a run.
    pub(crate) fn report_only(&self) -> Option<&PathBuf> {
        self.jmeter.report_only.as_ref()
    }

    pub(crate) fn plan(&self) -> &PathBuf {
        self.plan.as_ref().or(self.testfile.as_ref()).expect("clap asks for one of them")
    }

    /// Where the summary goes: the given path, or next to the results file if that is a file.
    pub(crate) fn summary_path(&self) -> Option<PathBuf> {
        let beside = || {
            let results = self.logfile.as_ref()?;
            let is_file = !results.exists() || results.is_file();
            is_file.then(|| results.with_extension("summary.json"))
        };
        self.summary.clone().or_else(beside)
    }

    /// The report that is written at the end.
    pub(crate) fn report(&self) -> Option<ReportOptions> {
        let folder = self.report_dir.as_ref().filter(|_| self.report)?;
        Some(ReportOptions { page: folder.join("index.html"), with_statistics: true })
    }

    /// The files that the run reads and writes.
    pub(crate) fn paths(&self) -> Paths {
        let settings = self.settings.in_order().iter().filter_map(|setting| match setting {
            Setting::File(path) | Setting::SystemFile(path) => Some(path),
            _ => None,
        });
        let secrets = self.settings.in_order().iter().filter_map(|setting| match setting {
            Setting::Secret(_, source) => source.file(),
            _ => None,
        });
        let properties = self.settings.propfile.iter().chain(settings).chain(secrets);
        let properties = properties.chain(&self.settings.env_files);
        let inputs = properties
            .fold(Paths::default().reads(self.plan().clone(), "the plan itself"), |paths, path| {
                paths.reads(path.clone(), "a file of properties")
            });
        let outputs = inputs.results(self.logfile.clone()).log(self.jmeterlogfile.clone());
        let outputs = outputs.at_end(self.summary_path(), "the summary");
        self.one.observe.paths(outputs.report(self.report().map(|report| report.page)))
    }
}

/// Kernel interface for event loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum IoArg {
    /// Let Swell choose: epoll
    Auto,
    /// epoll: one system call for each receive and send
    Epoll,
    /// io_uring: sends are submitted in batches; epoll if the kernel refuses it
    Uring,
}

impl IoArg {
    /// The same for a trial.
    pub(crate) fn of(chosen: Option<Self>) -> Io {
        match chosen {
            None | Some(Self::Auto) => Io::Auto,
            Some(Self::Epoll) => Io::Epoll,
            Some(Self::Uring) => Io::Uring,
        }
    }
}
