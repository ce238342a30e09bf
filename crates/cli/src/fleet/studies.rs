//! Trials of a study on many machines: all share the broker and the agents, and each trial is a
//! separate run.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use swell_fleet::broker::{self, Broker, BrokerOptions};
use swell_fleet::coordinator::{CoordinatorOptions, PHASE_TIMEOUT, interval_of};
use swell_fleet::wire::Needs;
use swell_fleet::{Controller, ControllerOptions, Join, OnLoss, Scratch, SentFile, files_of_trial, run_id};
use swell_plan::Plan;
use swell_run::{Starter, Trial};

use super::children::{ChildOptions, Children};
use super::starting::told;
use super::{failed, join_at};
use crate::args::{Clock, JvmArgs, StudyFleetArgs};
use crate::exit::Failure;

/// Machines that make the trials of a study.
pub(crate) struct StudyFleet {
    coordinator: CoordinatorOptions,
    join: Join,
    /// The last trial's: why it could not begin or go on.
    failure: Arc<Mutex<Option<String>>>,
    /// Plans as they are sent. They may have passwords, and only this user can read it.
    folder: Scratch,
    // Agents leave before the broker does.
    _children: Option<Children>,
    _broker: Option<Broker>,
}

/// A plan as it is sent.
pub(crate) struct TrialPlan<'a> {
    /// Its file; where it was changed for the trial, that of the plan before.
    pub(crate) path: &'a Path,
    pub(crate) plan: &'a Plan,
    pub(crate) seed: Option<u64>,
}

impl StudyFleet {
    /// Starts broker and agents, or uses the broker of `--nats`; none: the trials run here.
    ///
    /// # Errors
    /// There is no broker, or an agent cannot be started.
    pub(crate) fn begin(args: &StudyFleetArgs, jvm: &JvmArgs) -> Result<Option<Self>, Failure> {
        let Some(agents) = args.agents.map(usize::from) else { return Ok(None) };
        let (join, children, broker) = if let Some(url) = &args.nats {
            (join_at(url, &args.creds)?, None, None)
        } else {
            let broker = start_broker(args, agents)?;
            let options = ChildOptions {
                workers: None,
                clock: Clock::default(),
                io: None,
                source: None,
                jvm,
                stay: true,
            };
            let children = Children::start(agents, &broker.agents, &options)?;
            (broker.controller.clone(), Some(children), Some(broker))
        };
        let timeout = args.agents_timeout.unwrap_or(Duration::from_secs(30));
        let coordinator = CoordinatorOptions {
            agents,
            named: Vec::new(),
            timeout_ns: timeout.as_nanos() as i64,
            begin_without: false,
            // A trial that went on with less is no trial of that load.
            on_loss: OnLoss::Abort,
            multiply: false,
            slices: None,
            allow_skew: false,
            interval_s: interval_of(agents),
            phase_timeout_ns: PHASE_TIMEOUT.as_nanos() as i64,
        };
        let folder = Scratch::new(&std::env::temp_dir(), "trials", &new_run()).map_err(|error| {
            Failure::settings(format!("cannot make a folder for plans of trials: {error}"))
        })?;
        Ok(Some(Self {
            coordinator,
            join,
            failure: Arc::default(),
            folder,
            _children: children,
            _broker: broker,
        }))
    }

    /// What starts this trial on the agents.
    ///
    /// # Errors
    /// A file that the plan names cannot be read, or the plan not be written down.
    pub(crate) fn starter(&mut self, sent: &TrialPlan<'_>, trial: &Trial) -> Result<Starter, Failure> {
        let cannot =
            |error: std::io::Error| Failure::settings(format!("cannot write a trial's plan: {error}"));
        let run = new_run();
        let path = self.folder.path().join("plan.jmx");
        std::fs::write(&path, swell_plan::write(sent.plan)).map_err(cannot)?;
        let name = sent.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let parent = sent.path.parent().unwrap_or(Path::new(""));
        let controller = Controller::new(ControllerOptions {
            join: Join { run: Some(run.clone()), ..self.join.clone() },
            run,
            plan: SentFile::given(name.unwrap_or_default(), path),
            files: files_of_trial(trial, parent),
            properties: trial.props().entries_to_send(),
            local_files: false,
            wants_rows: false,
            compat: false,
            seed: sent.seed,
            shape: None,
            keep_failures: 0,
            keep_failure_bodies: false,
            exit_after: false,
            needs: Needs::of(trial),
            takes_over: None,
            coordinator: self.coordinator.clone(),
        });
        let controller = controller.map_err(failed)?;
        self.failure = controller.failure();
        Ok(Box::new(move |trial| controller.start(trial)))
    }

    /// The result of the last trial.
    ///
    /// # Errors
    /// Agents did not come or were lost, or they could not run the plan.
    pub(crate) fn ended(&self) -> Result<(), Failure> {
        told(&self.failure).map_or(Ok(()), Err)
    }
}

fn new_run() -> String {
    run_id(u64::try_from(swell_net::now_ns() / 1_000_000_000).unwrap_or(0))
}

fn start_broker(args: &StudyFleetArgs, agents: usize) -> Result<Broker, Failure> {
    let options = BrokerOptions {
        program: broker::find(args.nats_server.as_deref()).map_err(failed)?,
        listen: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        store: None,
        run: new_run(),
        agents,
        serves_many: true,
        advertise: None,
    };
    Broker::start(&options).map_err(failed)
}
