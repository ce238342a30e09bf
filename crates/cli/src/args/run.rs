//! Options of `swell run`: JMeter's, and a few more.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use swell_net::Io;

use super::Clock;
use super::CompatLevel;
use super::FleetArgs;
use super::Grace;
use super::LiveArgs;
use super::jmeter::JmeterOnly;
use super::jvm::JvmArgs;
use super::kept::{ExportArgs, KeepArgs, ThresholdArgs};
use super::monitor::MonitorArgs;
use super::properties::SettingArgs;
use super::rotation::RotationArgs;
use super::shape::ShapeArgs;
use super::units::lasting;
use crate::exit::Failure;
use crate::print::print_stderr;

/// Where lines are logged unless something else is said.
pub(crate) const DEFAULT_LOG: &str = "jmeter.log";

/// `swell run`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(display_name = "swell", version = super::VERSION, disable_version_flag = true, after_help = "\
Examples:
  swell run plan.jmx -l results.jtl
  swell run plan.jmx -f -l results.jtl -e -o report     with an HTML report
  swell run plan.jmx -Jusers=500 -q site.properties     properties for ${__P(users)}
  swell run plan.jmx --live                             watch it in a browser, change its load
  swell run plan.jmx --shape 'ramp(0..500, 5m) hold(500, 10m)'    another load than the plan's
  swell run plan.jmx --monitor prometheus=http://shop:9100/metrics    figures of the server beside
  swell run examples/flood.jmx --with-target            against the built-in target, on a free port
  swell run plan.jmx --threshold 'p(95)<500ms' --threshold 'errors<1%' --junit result.xml

Properties come from, later over earlier: jmeter.properties (-p, or of $JMETER_HOME),
user.properties, then -q -S -D -J -G in their order on the command line. An empty value (-Jname=)
removes a property.

Properties that limit memory: swell.max_file_bytes, most of a file that is held as a whole
(268435456); swell.max_line_bytes, most of a line or record of a data file (16777216).

Each run is kept in a folder of its own in ~/.local/share/swell/runs, or in the folder that the
environment variable SWELL_RUNS names (SWELL_RUNS=off: nothing is kept). Of runs without a --name
the last 100 stay, of 2048 MB at most: the properties swell.runs.keep and swell.runs.max_mb.
Thresholds may stand in the properties swell.threshold.1, swell.threshold.2, ..., too.

Exit status: 0 the test ran to its end (also if samples failed, as long as one succeeded),
98 not one sample succeeded, 99 a threshold was broken, 104 bad plan or settings, 105 interrupted,
107 a script ended the test (it turned out to need a script engine, took longer than
--script-timeout, called System.exit or crashed the JVM), 109 a fault of Swell itself, 112 results
could not be written whole, 113 no sample was completed; with --strict also 110 and 111 if the
verdict is DEGRADED or INVALID. If several hold: 109, 107, 112, 105, 104, 113, 98, 99, 111, 110.
Ctrl-C once: no new samples are started, and the test ends when the running ones have. Twice: leave
at once; what was measured is on disk.
SIGTERM and SIGHUP: as Ctrl-C once, but running samples are aborted after 10s; --grace or the
property swell.grace sets that time for all three. SIGQUIT (Ctrl-\\) prints
the state of the run, which goes on.
JMeter's shutdown.sh and stoptest.sh work, too (jmeterengine.nongui.port=0: they do not).")]
pub(crate) struct RunArgs {
    /// The test plan
    #[arg(value_name = "PLAN", required_unless_present_any = ["testfile", "server", "report_only"], conflicts_with = "testfile")]
    pub(crate) plan: Option<PathBuf>,
    /// The test plan, in JMeter's spelling
    #[arg(short = 't', long, value_name = "PLAN")]
    pub(crate) testfile: Option<PathBuf>,
    /// Without a window: Swell has none, so this says nothing new
    #[arg(short = 'n', long)]
    pub(crate) nongui: bool,
    /// Results file: CSV, or XML by the property jmeter.save.saveservice.output_format
    #[arg(short = 'l', long, value_name = "FILE")]
    pub(crate) logfile: Option<PathBuf>,
    /// Empty results files that are there already, and write over a report, when the test starts
    #[arg(short = 'f', long = "forceDeleteResultFile")]
    pub(crate) force: bool,
    /// Log file
    #[arg(short = 'j', long, value_name = "FILE", default_value = DEFAULT_LOG)]
    pub(crate) jmeterlogfile: PathBuf,
    /// Write an HTML report at the end, into the folder of -o
    #[arg(short = 'e', long = "reportatendofloadtests")]
    pub(crate) report: bool,
    /// Folder for the report of -e
    #[arg(short = 'o', long = "reportoutputfolder", value_name = "DIR", id = "report_dir")]
    pub(crate) report_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
    /// Summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Where to write the summary as JSON [default: beside the results file, results.summary.json for results.jtl]
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// Start the built-in target on a free port for this test and set the properties `host` and `port` to it
    #[arg(long)]
    pub(crate) with_target: bool,
    /// Follow JMeter more closely: alone, round as it does (throughput timers in whole milliseconds); `--compat=6.0` follows JMeter 6.0 where it
    /// fixes a bug of 5.6.3, such as 307 and 308 redirects that lose their method [default: 5.6.3, or the property swell.compat]
    #[arg(long, value_name = "LEVEL", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "rounding")]
    pub(crate) compat: Option<CompatLevel>,
    /// What ends a sample: the kernel's receive stamp, or the time after the read, as in tools without stamps
    #[arg(long, value_enum, default_value_t)]
    pub(crate) clock: Clock,
    /// Interface of the kernel for event loops [default: auto, or the property swell.io]
    #[arg(long, value_name = "IO", value_enum)]
    pub(crate) io: Option<IoArg>,
    /// Addresses of this machine that connections go out from, in turn: `10.0.0.2-10.0.0.5,10.0.1.7` [default: the kernel chooses, or the property swell.source]
    #[arg(long, value_name = "ADDRESSES")]
    pub(crate) source: Option<String>,
    /// Make the verdict the exit status: 110 if it is DEGRADED, 111 if it is INVALID
    #[arg(long)]
    pub(crate) strict: bool,
    /// After a signal that ends the test, running samples are aborted after this time, such as 30s, or `unlimited` [default: 10s
    /// after SIGTERM and SIGHUP, unlimited after Ctrl-C]
    #[arg(long, value_name = "TIME")]
    pub(crate) grace: Option<Grace>,
    /// Worker threads [default: one a core]
    #[arg(short = 'w', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: Option<u16>,
    /// Log level, for all or for a category: DEBUG, or jmeter.http=DEBUG; may be repeated
    #[arg(short = 'L', long = "loglevel", value_name = "[CATEGORY=]LEVEL")]
    pub(crate) log_levels: Vec<String>,
    #[command(flatten)]
    pub(crate) rotation: RotationArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) thresholds: ThresholdArgs,
    /// How long the test takes, whatever the plan says: 90s, 8h, 7d. Thread groups loop until then, by their scheduler; of
    /// Concurrency and Arrivals Thread Groups the hold time changes
    #[arg(long = "for", value_name = "TIME", value_parser = lasting, conflicts_with = "shape", help_heading = "Load")]
    pub(crate) lasts: Option<Duration>,
    #[command(flatten)]
    pub(crate) shape: ShapeArgs,
    #[command(flatten)]
    pub(crate) monitor: MonitorArgs,
    #[command(flatten)]
    pub(crate) exports: ExportArgs,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
    #[command(flatten)]
    pub(crate) jmeter: JmeterOnly,
}

/// JMeter's word for the plan that its window opened last, and for files named after it (`JMeter.processLAST`).
const LAST: &str = "LAST";

impl RunArgs {
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
                "{option} LAST: there is no plan that a window opened last, Swell has none"
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
        let option = match (self.lasts, self.rotation.rotation()) {
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
            (None, true) => Err(Failure::settings("-e writes an HTML report, and no -o says where")
                .hint("type `-e -o report`; the folder is made if it is not there")),
            (Some(folder), false) => {
                let folder = folder.display();
                Err(Failure::settings(format!(
                    "-o {folder} is a folder for a report, and no -e asks for one"
                ))
                .hint(format!("type `-e -o {folder}`, or leave -o out")))
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

    /// Where the summary goes: where it is asked to, or beside the results file if that is a file.
    pub(crate) fn summary_path(&self) -> Option<PathBuf> {
        let beside = || {
            let results = self.logfile.as_ref()?;
            let is_file = !results.exists() || results.is_file();
            is_file.then(|| results.with_extension("summary.json"))
        };
        self.summary.clone().or_else(beside)
    }
}

/// The interface of the kernel that event loops use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum IoArg {
    /// epoll
    Auto,
    /// A system call for each receive and send
    Epoll,
    /// io_uring: sends are handed over in chunks; where the kernel refuses it, epoll serves, and the report says so
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
