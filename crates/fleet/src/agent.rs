//! An agent: takes part in a run, makes the slices that it gets, and tells what it counts.

mod plan;
mod share;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use swell_engine::Stopped;
use swell_expr::Confinement;
use swell_run::{JvmPlace, ScriptMode, Share, Takeover, Trial, TrialControl, TrialSettings};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::bus::agent::{AgentBusOptions, AssignedSlice, Event, Order};
use crate::bus::{self, FetchedManifest};
use crate::wire::{Body, ControllerMessage, Manifest, Needs, State, phase_number, phase_of, refusal};
use crate::{FleetError, Join};
use share::{FinishedShare, ShareOf};

/// How often an agent looks at its shares.
const LOOK: Duration = Duration::from_millis(50);
/// How long users may take to end after they were cut.
const TO_CUT: Duration = Duration::from_secs(10);
/// Over how long users of a slice start that another had.
const RAMP_NS: i64 = 1_000_000_000;

/// Makes the settings of a trial for a plan of that name in that folder.
pub type MakeSettings = Box<dyn Fn(&str, &Path) -> TrialSettings>;

/// Options of an agent.
pub struct AgentOptions {
    /// Where to join.
    pub join: Join,
    /// What it is called.
    pub name: String,
    /// Its host.
    pub host: String,
    /// Slices that it takes: its workers.
    pub workers: u32,
    /// Where files of runs go.
    pub folder: PathBuf,
    /// Where it was started: a controller may want files from there (`--local-files`).
    pub started_in: PathBuf,
    /// How long it waits, without load, for a controller that is gone.
    pub patience: Duration,
    /// Scripts of plans may run here.
    pub allows_scripts: bool,
    /// Plans may start processes here.
    pub allows_processes: bool,
    /// Plans may read and write files outside of the folder of their run.
    pub allows_files: bool,
    /// Settings of a trial for a plan of this name in that folder.
    pub settings: MakeSettings,
    /// Receives lines for the user.
    pub say: Arc<dyn Fn(&str) + Send + Sync>,
    /// Asked often: whether to leave, so that others take over.
    pub leaves: Box<dyn Fn() -> bool>,
}

/// How a run was for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentOutcome {
    /// It has finished; agents may take part in another.
    Over,
    /// It has finished, and agents are to end.
    End,
    /// The owner of the agent wanted it to leave.
    Asked,
    /// No controller leads the run any more.
    Abandoned,
}

/// Takes part in one run.
///
/// # Errors
/// The agent cannot join, or cannot take part.
pub fn serve(options: &AgentOptions) -> Result<AgentOutcome, FleetError> {
    let controls: Controls = Arc::default();
    let (orders, inbox) = unbounded_channel();
    let (to_desk, events) = channel();
    let leased = controls.clone();
    let attend = AgentBusOptions {
        join: options.join.clone(),
        agent: format!("{}-{}", options.name, crate::run_id::secret().get(..6).unwrap_or("x")),
        name: options.name.clone(),
        host: options.host.clone(),
        workers: options.workers,
        folder: options.folder.clone(),
        patience: options.patience,
        on_lease: Arc::new(move |until_ns| {
            let controls = leased.lock();
            controls.iter().for_each(|control| control.lease(until_ns));
        }),
        shift_clock: Arc::new(swell_net::shift_clock),
    };
    let attending = bus::spawn(async move || Box::pin(bus::agent::attend(attend, inbox, to_desk)).await)
        .map_err(|error| FleetError::new(format!("cannot start a thread: {error}")))?;
    let mut coordinator = AgentState {
        options,
        orders,
        controls,
        manifest: None,
        ready: None,
        shares: Vec::new(),
        released: BTreeMap::new(),
        changes: Vec::new(),
        slices: 0,
        stopped: None,
        state: State::Preparing,
        sending: BTreeMap::new(),
        over: None,
        confinement: confinement(options)?,
        leaves: false,
    };
    let left = coordinator.attend(&events);
    // The bus has ended by itself where it failed.
    let _ = coordinator.orders.send(Order::Leave);
    let attended = attending.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    attended.and(left)
}

/// What the owner lets plans do with files.
fn confinement(options: &AgentOptions) -> Result<Confinement, FleetError> {
    if options.allows_files {
        return Ok(Confinement::default());
    }
    let how = "the agent's owner can allow it with `swell agent --allow-files`";
    let confined = Confinement::within(&options.folder, how);
    confined.map_err(|error| {
        FleetError::new(format!("cannot use the folder `{}`: {error}", options.folder.display()))
    })
}

type Controls = Arc<Mutex<Vec<TrialControl>>>;

struct AgentState<'a> {
    options: &'a AgentOptions,
    orders: UnboundedSender<Order>,
    controls: Controls,
    manifest: Option<Manifest>,
    /// A trial that is ready for the next share.
    ready: Option<(Trial, Vec<plan::RowFile>)>,
    shares: Vec<ShareOf>,
    released: BTreeMap<u8, i64>,
    changes: Vec<swell_engine::LoadChange>,
    /// How many slices the load is cut into.
    slices: u32,
    stopped: Option<Stopped>,
    state: State,
    /// Finished shares that wait until their rows are sent.
    sending: BTreeMap<String, FinishedShare>,
    over: Option<AgentOutcome>,
    /// The files that the plan may touch.
    confinement: Confinement,
    /// The owner of the agent wants it to leave.
    leaves: bool,
}

impl AgentState<'_> {
    fn attend(&mut self, events: &Receiver<Event>) -> Result<AgentOutcome, FleetError> {
        loop {
            match events.recv_timeout(LOOK) {
                Ok(event) => self.take(event)?,
                Err(RecvTimeoutError::Timeout) => {}
                // The bus says why it ended.
                Err(RecvTimeoutError::Disconnected) => {
                    self.shares.iter().for_each(ShareOf::abandon);
                    return Ok(AgentOutcome::Over);
                }
            }
            self.look();
            if !self.leaves && (self.options.leaves)() {
                self.leaves = true;
                // Otherwise it would take again what it gives up, if there is no other agent.
                self.order(Order::Rest);
                self.give_up_all("it received a request to leave");
            }
            let idle = self.shares.is_empty() && self.sending.is_empty();
            match self.over {
                // Unsent data is of no use when the run has finished.
                Some(left) if self.shares.is_empty() => return Ok(left),
                _ if self.leaves && idle => return Ok(AgentOutcome::Asked),
                _ => {}
            }
        }
    }

    fn order(&self, order: Order) {
        // Without the bus the next look ends this.
        let _ = self.orders.send(order);
    }

    fn set_state(&mut self, state: State) {
        if state != self.state {
            self.state = state.clone();
            self.order(Order::State(state));
        }
    }

    fn take(&mut self, event: Event) -> Result<(), FleetError> {
        match event {
            Event::Run(fetched) => return self.prepare_first(*fetched),
            Event::Slices(share, slices) => self.begin(&share, slices),
            Event::Down(down) => self.hear(down),
            Event::LeasesOver(slices) => self.leases_over(&slices),
            Event::RowsSent(share, sent) => self.has_sent(&share, sent),
            Event::Abandoned if self.shares.is_empty() => self.over = Some(AgentOutcome::Abandoned),
            Event::Abandoned => {}
            Event::Say(text) => (self.options.say)(&text),
        }
        Ok(())
    }

    fn prepare_first(&mut self, fetched: FetchedManifest) -> Result<(), FleetError> {
        let manifest = fetched.manifest;
        self.manifest = Some(manifest);
        let prepared = self.prepare();
        match prepared {
            Ok(ready) => {
                self.ready = Some(ready);
                self.set_state(State::Ready);
                Ok(())
            }
            Err(error) => {
                self.set_state(State::Failed { why: error.message.clone() });
                // So that the controller hears why.
                std::thread::sleep(LOOK);
                Err(error)
            }
        }
    }

    /// What the owner of this machine lets plans do.
    fn allowed(&self, needs: Needs) -> Result<(), FleetError> {
        needs.are_met(self.options.allows_scripts, self.options.allows_processes)
    }

    fn prepare(&self) -> Result<(Trial, Vec<plan::RowFile>), FleetError> {
        let Some(manifest) = &self.manifest else {
            return Err(FleetError::new("the plan has not arrived yet"));
        };
        self.allowed(manifest.needs)?;
        if manifest.local_files && !self.options.allows_files {
            return Err(refusal("read files of this machine (--local-files)", "--allow-files"));
        }
        let rows = self.options.folder.join(format!("rows-{}", crate::run_id::secret()));
        let base = if manifest.local_files { &self.options.started_in } else { &self.options.folder };
        std::env::set_current_dir(base).map_err(|error| {
            FleetError::new(format!("cannot use the folder `{}`: {error}", base.display()))
        })?;
        let mut settings = (self.options.settings)(&manifest.plan, base);
        settings.files.confinement = self.confinement.clone();
        if !self.options.allows_scripts {
            settings.scripts = ScriptMode::Native;
        }
        if !self.shares.is_empty() {
            // A process has one JVM, and the trial of another share has it.
            settings.jvm.place = JvmPlace::Child;
        }
        let ready = plan::prepare(manifest, &self.options.folder, &rows, settings, &self.options.name)?;
        // A controller may say that its plan needs less than it does.
        self.allowed(Needs::of(&ready.0))?;
        match self.confinement.refused() {
            Some(why) => Err(FleetError::new(why)),
            None => Ok(ready),
        }
    }

    fn begin(&mut self, name: &str, slices: Vec<AssignedSlice>) {
        let numbers: Vec<_> = slices.iter().map(|granted| granted.slice).collect();
        if self.leaves {
            // It was on its way when the agent was asked to leave.
            return self.order(Order::GiveBack { share: name.to_owned(), slices: numbers, done: false });
        }
        if let Err(error) = self.start(name, slices) {
            (self.options.say)(&format!("cannot make slices {numbers:?}: {error}"));
            self.order(Order::GiveBack { share: name.to_owned(), slices: numbers, done: false });
        }
    }

    fn start(&mut self, name: &str, slices: Vec<AssignedSlice>) -> Result<(), FleetError> {
        let (mut trial, rows) = match self.ready.take() {
            Some(ready) => ready,
            None => self.prepare()?,
        };
        let manifest =
            self.manifest.as_ref().ok_or_else(|| FleetError::new("the plan has not arrived yet"))?;
        let numbers: Vec<u32> = slices.iter().map(|granted| granted.slice).collect();
        let first = slices.into_iter().next();
        let from = first.as_ref().map_or(0, |granted| granted.from);
        let folder = &self.options.folder;
        let taken_over = first.and_then(|granted| granted.taken_over).map(|left| Takeover {
            lost_ns: left.lost_ns,
            ended_users: left.ended.into(),
            ramp_ns: RAMP_NS,
            rows_read: share::rows_here(left.rows_read, folder).into(),
        });
        if !manifest.multiply {
            let share = Share { slices: numbers.clone(), of: self.slices, from: phase_of(from), taken_over };
            trial.set_share(share);
        }
        let interval_s = manifest.interval_s;
        let share = ShareOf::start(name, numbers, trial, rows, (folder, self.orders.clone(), interval_s))?;
        self.controls.lock().push(share.control());
        self.order(Order::Rows { share: name.to_owned(), files: share.files() });
        self.shares.push(share);
        Ok(())
    }

    fn hear(&mut self, down: ControllerMessage) {
        match down {
            ControllerMessage::Go { phase, start_ns } => drop(self.released.insert(phase, start_ns)),
            ControllerMessage::Change(change) => {
                for share in &self.shares {
                    if let Err(error) = share.control().load().apply(&change) {
                        (self.options.say)(&error.to_string());
                    }
                }
                self.changes.push(change);
            }
            ControllerMessage::Stop(how) => {
                self.stopped = Some(how);
                self.shares.iter_mut().for_each(|share| share.stop(how));
            }
            ControllerMessage::Evict { share } => {
                for own in self.shares.iter_mut().filter(|own| own.name == share) {
                    own.give_up("its slices were given to another agent", Instant::now() + TO_CUT);
                }
            }
            ControllerMessage::Over => {
                let ends = self.manifest.as_ref().is_some_and(|manifest| manifest.exit_after);
                self.over = Some(if ends { AgentOutcome::End } else { AgentOutcome::Over });
                self.shares.iter_mut().for_each(|share| share.stop(Stopped::Immediate));
                // Users that do not end are not awaited.
                self.shares.iter_mut().for_each(|share| share.leave_by(Instant::now() + TO_CUT));
            }
            ControllerMessage::Take(takes) => self.slices = takes.values().sum(),
            ControllerMessage::Manifest | ControllerMessage::RowsAgain => {}
        }
    }

    fn leases_over(&mut self, slices: &[u32]) {
        (self.options.say)(&format!(
            "no answer from the broker for 11.5 s: {} slices go to other agents",
            slices.len()
        ));
        for share in &mut self.shares {
            if share.slices.iter().any(|slice| slices.contains(slice)) {
                share.give_up("no answer from the broker for 11.5 s", Instant::now() + TO_CUT);
            }
        }
    }

    fn give_up_all(&mut self, why: &str) {
        self.shares.iter_mut().for_each(|share| share.give_up(why, Instant::now() + TO_CUT));
    }

    /// Releases phases, and finds finished shares.
    fn look(&mut self) {
        for share in &mut self.shares {
            share.release(&self.released, &self.changes);
            share.end_if_late(Instant::now());
        }
        if !self.shares.is_empty() {
            let held: Vec<_> = self.shares.iter().map(ShareOf::held).collect();
            let all = held.iter().all(Option::is_some);
            let first = held.into_iter().flatten().min().filter(|_| all);
            self.set_state(State::Running { held: first.map(phase_number) });
        }
        while let Some(place) = self.shares.iter().position(ShareOf::is_over) {
            let share = self.shares.remove(place);
            let over = share.finish();
            if over.end.rows.is_empty() {
                self.tell_end(over);
                continue;
            }
            self.order(Order::RowsEnd { share: over.share.clone() });
            self.sending.insert(over.share.clone(), over);
        }
    }

    fn has_sent(&mut self, share: &str, sent: Result<(), FleetError>) {
        if let Err(error) = sent {
            // The controller sees what is missing.
            (self.options.say)(&error.to_string());
        }
        if let Some(over) = self.sending.remove(share) {
            self.tell_end(over);
        }
    }

    fn tell_end(&mut self, mut over: FinishedShare) {
        over.end.refused_file = self.confinement.refused().map(str::to_owned);
        let done = over.end.given_up.is_none();
        self.order(Order::Count { share: over.share.clone(), body: Body::End(Box::new(over.end)) });
        self.order(Order::GiveBack { share: over.share, slices: over.slices, done });
        // Rows are at the controller now, or are lost.
        over.folders.iter().for_each(|folder| drop(std::fs::remove_dir_all(folder)));
    }
}
