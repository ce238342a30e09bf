//! From a trial that is ready to one that runs on many machines.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_expr::Properties;
use swell_fleet::broker::{self, Broker, BrokerOptions};
use swell_fleet::wire::Needs;
use swell_fleet::{
    Controller, ControllerOptions, Join, OnLoss, Scratch, SentFile, TakeOver, files_of_trial, parts_of_trial,
    run_id, try_broker,
};
use swell_run::{Starter, Trial};

use super::children::Children;
use super::mode::{From, Mode};
use super::{failed, jmeters, join_at};
use crate::args::{CompatLevel, RunArgs};
use crate::exit::Failure;
use crate::output::IsRefused;
use crate::print::{print_secret, print_stderr};

/// What a run on many machines needs besides its trial: a broker and agents, which end with it.
pub(crate) struct Fleet {
    controller: Option<Controller>,
    failure: Arc<Mutex<Option<String>>>,
    /// The plan as it is sent, if options have changed it. It may have passwords, and only this
    /// user can read it.
    _folder: Option<Scratch>,
    // Agents leave before the broker does.
    _children: Option<Children>,
    _broker: Option<Broker>,
}

impl Fleet {
    /// Starts broker and agents, as the mode says.
    ///
    /// # Errors
    /// There is no broker, or a file cannot be read.
    pub(crate) fn begin(
        mode: Mode,
        (args, changed_text): (&RunArgs, Option<&[u8]>),
        trial: &Trial,
        controls: bool,
    ) -> Result<Self, Failure> {
        if mode.as_jmeter {
            jmeters::say_what_it_means(args);
        }
        let given = mode.nats.as_ref().map(|url| join_at(url, &args.fleet.creds)).transpose()?;
        // Errors in it are reported before anything begins.
        given.as_ref().map_or(Ok(()), try_broker).map_err(failed)?;
        let now_s = u64::try_from(swell_net::now_ns() / 1_000_000_000).unwrap_or(0);
        let run = args.fleet.take.clone();
        let run = run.or_else(|| given.as_ref()?.run.clone()).unwrap_or_else(|| run_id(now_s));
        let (join, broker) = if let Some(join) = given {
            (Join { run: Some(run.clone()), ..join }, None)
        } else {
            let broker = start_broker(args, &run, mode.coordinator.agents, controls || mode.as_jmeter)?;
            (broker.controller.clone(), Some(broker))
        };
        let of_join = std::slice::from_ref(&join);
        let agents = broker.as_ref().map_or(of_join, |broker| &broker.agents);
        let children = match mode.agents_from {
            From::Children => Some(Children::start(mode.coordinator.agents, agents, &args.into())?),
            From::Joined => {
                if broker.is_none() {
                    print_stderr(&format!("The run is {run}"));
                } else if mode.ssh.len() < mode.coordinator.agents {
                    print_lines(agents);
                }
                let started = !mode.ssh.is_empty();
                started.then(|| Children::start_elsewhere(&mode.ssh, agents, trial.props())).transpose()?
            }
        };
        let folder = changed_text.map(|text| changed_plan(&run, text)).transpose()?;
        let changed = folder.as_ref().map(|folder| folder.path().join(CHANGED));
        let controller = Controller::new(ControllerOptions {
            join,
            run,
            plan: SentFile::given(file_name(args), changed.as_ref().unwrap_or(args.plan())),
            files: sent_files(args, trial),
            properties: properties(args, trial.props(), mode.as_jmeter),
            local_files: args.fleet.local_files,
            wants_rows: args.logfile.is_some() && wants_rows(trial.props()),
            compat: args.compat == Some(CompatLevel::Rounding),
            seed: args.one.shape.seed,
            shape: trial.shape().map(|(shape, _)| shape.clone()),
            keep_failures: trial
                .kept_failures()
                .map_or(0, |kept| u16::try_from(kept.most()).unwrap_or(u16::MAX)),
            keep_failure_bodies: trial.kept_failures().is_some_and(|kept| kept.keeps_bodies()),
            exit_after: args.jmeter.remote_exit || mode.agents_from == From::Children,
            needs: Needs::of(trial),
            takes_over: args.fleet.take.as_ref().map(|_| said_anew(args)),
            coordinator: mode.coordinator,
        });
        let controller = controller.map_err(failed)?;
        let failure = controller.failure();
        Ok(Self {
            controller: Some(controller),
            failure,
            _folder: folder,
            _children: children,
            _broker: broker,
        })
    }

    /// What starts the trial on the agents; once.
    pub(crate) fn starter(&mut self) -> Starter {
        let controller = self.controller.take();
        Box::new(move |trial| match controller {
            Some(controller) => controller.start(trial),
            None => trial.start(),
        })
    }

    /// Whether the run could not begin or continue.
    pub(crate) fn has_failed(&self) -> IsRefused {
        let failure = Arc::clone(&self.failure);
        Box::new(move || told(&failure).is_some())
    }

    /// Why the run could not begin or continue.
    pub(crate) fn failure(&self) -> Option<Failure> {
        told(&self.failure)
    }
}

/// What the command line changes in a run that is already running.
fn said_anew(args: &RunArgs) -> TakeOver {
    TakeOver { on_loss: args.fleet.on_agent_loss.map(OnLoss::from), interval_s: args.fleet.agents_interval }
}

/// What a controller told, with its hint.
pub(super) fn told(failure: &Mutex<Option<String>>) -> Option<Failure> {
    let why = failure.lock().clone()?;
    let (message, hint) = why.split_once("\n  hint: ").map_or((why.as_str(), None), |(a, b)| (a, Some(b)));
    let failure = Failure::settings(message);
    Some(hint.into_iter().fold(failure, Failure::hint))
}

/// The name of a changed plan in its folder.
const CHANGED: &str = "plan.jmx";

/// Writes a plan that options have changed where agents can be sent it from.
fn changed_plan(run: &str, text: &[u8]) -> Result<Scratch, Failure> {
    let cannot = |error: std::io::Error| Failure::settings(format!("cannot write the changed plan: {error}"));
    let folder = Scratch::new(&std::env::temp_dir(), "plan", run).map_err(cannot)?;
    std::fs::write(folder.path().join(CHANGED), text).map_err(cannot)?;
    Ok(folder)
}

fn file_name(args: &RunArgs) -> String {
    args.plan().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The line by which each agent joins. They differ, so that none can speak for another.
fn print_lines(agents: &[Join]) {
    let (late, known) = agents.split_last().map_or((None, agents), |(late, known)| (Some(late), known));
    for (number, join) in known.iter().enumerate() {
        let which =
            if number == 0 { "Agents join with".to_owned() } else { format!("agent {} with", number + 1) };
        print_secret(&format!("{which}: swell agent '{join}'"));
    }
    if let Some(join) = late {
        print_secret(&format!("agents that come later with: swell agent '{join}'"));
    }
}

fn start_broker(args: &RunArgs, run: &str, agents: usize, for_others: bool) -> Result<Broker, Failure> {
    let program = broker::find(args.fleet.nats_server.as_deref()).map_err(failed)?;
    let everywhere = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 4222);
    let here = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
    let listen = args.fleet.listen.unwrap_or(if for_others { everywhere } else { here });
    let options = BrokerOptions {
        program,
        listen: listen.ip(),
        port: listen.port(),
        store: None,
        run: run.to_owned(),
        agents,
        serves_many: false,
        advertise: args.fleet.advertise.clone(),
    };
    Broker::start(&options).map_err(failed)
}

fn sent_files(args: &RunArgs, trial: &Trial) -> Vec<SentFile> {
    let folder = args.plan().parent().map(PathBuf::from).unwrap_or_default();
    let mut files =
        if args.fleet.local_files { parts_of_trial(trial, &folder) } else { files_of_trial(trial, &folder) };
    let more = args.fleet.send_files.iter();
    files.extend(more.map(|path| SentFile::given(path.to_string_lossy(), path)));
    files
}

fn properties(args: &RunArgs, props: &Properties, as_jmeter: bool) -> BTreeMap<String, String> {
    let all = props.entries_to_send().into_iter();
    all.filter(|(name, _)| !as_jmeter || !args.settings.local.contains(name)).collect()
}

/// JMeter's statistical mode sends no rows.
fn wants_rows(props: &Properties) -> bool {
    !props.get("mode").is_some_and(|mode| mode.trim().eq_ignore_ascii_case("Statistical"))
}
