//! Measures the cells of a sweep one after the other.

use std::net::IpAddr;
use std::time::Duration;

use swell_run::{Starter, Trial, TrialControl, TrialReport};

use super::grid::words;
use super::{Cell, CellEnd, CellPosition, Figures, Order, Surface};
use crate::ceiling::{Ceiling, CeilingWatch};
use crate::error::StudyError;
use crate::guard::Guard;
use crate::processes::{Watch, process_limit};
use crate::server::{Server, ServerError, ServerPlan, Template, run_hook};
use crate::trials::{WarmUp, run_for};

/// How often the processes of the server are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// How the server comes to its settings.
#[derive(Clone, Debug, Default)]
pub struct ServerUse {
    /// Restarted for each setting; none: it runs already.
    pub server: Option<ServerPlan>,
    /// Run before the cells of each setting, before the server starts.
    pub set: Option<Template>,
    /// Run after them, when the server is gone.
    pub reset: Option<Template>,
    /// A server that was just started gets the load of its first cell for so long, uncounted.
    pub warm_up: Duration,
}

/// How cells are measured.
#[derive(Clone, Copy, Debug)]
pub struct SweepOptions {
    /// Time a cell.
    pub each: Duration,
    /// How often the grid is measured, each time with separate servers.
    pub rounds: usize,
    /// The order of settings and loads.
    pub order: Order,
    /// What of each cell is left out.
    pub warm_up: WarmUp,
    /// What ends a cell before its time.
    pub guard: Guard,
    /// What no cell may pass.
    pub ceiling: Ceiling,
}

/// Progress of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub enum Say {
    /// The server is started with these settings, as text.
    Starting(String),
    /// This many of all cells have finished; the last one, as text.
    Done(usize, usize, String),
}

/// What a sweep needs of its caller.
pub trait Driver {
    /// Why the caller cannot do its part.
    type Failure;
    /// A trial at these settings, the server's port among them, with this load.
    ///
    /// # Errors
    /// What is wrong with the plan; it ends the sweep.
    fn trial(&mut self, settings: &[(String, String)], load: (&str, &str)) -> Result<Trial, Self::Failure>;
    /// What starts the last trial that was given: here, or on other machines.
    fn starter(&mut self) -> Starter {
        Box::new(Trial::start)
    }
    /// Takes the report of a trial that has finished, and gives it back.
    ///
    /// # Errors
    /// What observes the trial failed; that ends the study.
    fn finished(&mut self, report: TrialReport) -> Result<TrialReport, Self::Failure> {
        Ok(report)
    }
    /// A trial has finished.
    ///
    /// # Errors
    /// Machines that were to make it were missing; that ends the sweep.
    fn ended(&mut self) -> Result<(), Self::Failure> {
        Ok(())
    }
    /// Whether an address that a cell connected to may be loaded.
    ///
    /// # Errors
    /// Why not; it ends the sweep.
    fn may_load(&mut self, address: IpAddr) -> Result<(), Self::Failure>;
    /// Whether the sweep should continue; false ends it after the cells measured until now.
    fn goes_on(&self) -> bool;
    /// How it goes.
    fn say(&mut self, how: Say);
    /// A cell is done: what there is can be kept.
    ///
    /// # Errors
    /// It cannot be; that ends the sweep.
    fn keep(&mut self, surface: &Surface) -> Result<(), Self::Failure>;
}

/// Measures all cells and adds them to the surface. Whether it came to the end: false, the caller
/// did not want it to.
///
/// # Errors
/// The plan is wrong, no thread can be had, or the caller cannot keep the surface.
pub fn run<F>(
    surface: &mut Surface,
    use_of: &ServerUse,
    options: SweepOptions,
    driver: &mut dyn Driver<Failure = F>,
) -> Result<bool, StudyError<F>> {
    let places = surface.grid.places(options.rounds, options.order);
    let total = places.len();
    for block in places.chunk_by(|a, b| (a.round, a.setting) == (b.round, b.setting)) {
        let settings = surface.grid.combinations()[block[0].setting].clone();
        let mut setting = Setting { settings, use_of, options, server: None, broken: None };
        setting.set();
        for &place in block {
            let Some(cell) = setting.measure(surface, place, driver)? else {
                setting.reset();
                return Ok(false);
            };
            surface.cells.push(cell);
            let last = surface.cells.last().map(|cell| told(surface, cell)).unwrap_or_default();
            driver.say(Say::Done(surface.cells.len(), total, last));
            driver.keep(surface)?;
        }
        setting.reset();
    }
    Ok(true)
}

/// A setting while its cells are measured.
struct Setting<'a> {
    settings: Vec<(String, String)>,
    use_of: &'a ServerUse,
    options: SweepOptions,
    server: Option<Server>,
    /// Why there is no server with it.
    broken: Option<String>,
}

impl Setting<'_> {
    fn set(&mut self) {
        if let Some(hook) = &self.use_of.set
            && let Err(error) = run_hook(hook, &self.settings)
        {
            self.broken = Some(error.to_string());
        }
    }

    /// Ends the server before the hook that takes the setting back.
    fn reset(mut self) {
        self.server = None;
        if let Some(hook) = &self.use_of.reset {
            // The next setting is set by a separate hook, which reports failures.
            let _ = run_hook(hook, &self.settings);
        }
    }

    /// One cell; none if the sweep is to end.
    fn measure<F>(
        &mut self,
        surface: &Surface,
        place: CellPosition,
        driver: &mut dyn Driver<Failure = F>,
    ) -> Result<Option<Cell>, StudyError<F>> {
        let load = (&*surface.grid.load.name, &*surface.grid.load.values[place.load]);
        if self.start(load, driver)?.is_none() {
            return Ok(None);
        }
        if let Some(why) = &self.broken {
            return Ok(Some(Cell::new(place, CellEnd::NoServer(why.clone()), None)));
        }
        let limit = self.server.as_ref().and_then(|server| process_limit(server.group()));
        let (measured, used) = self.trial(load, self.options.each, driver)?;
        if let Some(death) = self.server.as_mut().and_then(Server::death) {
            // It is restarted for the next cell.
            self.server = None;
            let figures = Figures::of(&measured, &used, self.options.warm_up);
            return Ok(Some(Cell::new(place, CellEnd::ServerDied(death.to_string()), Some(figures))));
        }
        if measured.cut_short {
            return Ok(None);
        }
        let figures =
            Figures { server_process_limit: limit, ..Figures::of(&measured, &used, self.options.warm_up) };
        Ok(Some(Cell::new(place, CellEnd::Measured, Some(figures))))
    }

    /// Starts the server if it is to be there and is not, and warms it up. None: the sweep is to
    /// end.
    fn start<F>(
        &mut self,
        load: (&str, &str),
        driver: &mut dyn Driver<Failure = F>,
    ) -> Result<Option<()>, StudyError<F>> {
        let Some(plan) = &self.use_of.server else { return Ok(driver.goes_on().then_some(())) };
        if self.server.is_some() || self.broken.is_some() {
            return Ok(driver.goes_on().then_some(()));
        }
        driver.say(Say::Starting(words(&self.settings)));
        match plan.start(&self.settings, || driver.goes_on()) {
            Ok(server) => self.server = Some(server),
            Err(ServerError::GivenUp) => return Ok(None),
            // It names nothing that another setting could have.
            Err(error @ ServerError::Setting(_)) => return Err(StudyError::Settings(error.to_string())),
            Err(error) => self.broken = Some(error.to_string()),
        }
        if self.server.is_some() && !self.use_of.warm_up.is_zero() {
            self.trial(load, self.use_of.warm_up, driver)?;
        }
        Ok(driver.goes_on().then_some(()))
    }

    fn trial<F>(
        &mut self,
        load: (&str, &str),
        time: Duration,
        driver: &mut dyn Driver<Failure = F>,
    ) -> Result<(crate::trials::MeasuredTrial, crate::processes::Used), StudyError<F>> {
        let settings = self.server.as_ref().map_or(&self.settings[..], Server::settings);
        let trial = driver.trial(settings, load)?;
        let starter = driver.starter();
        let watch = Watch::begin(self.server.as_ref().map(Server::group), LOOK);
        let server = &mut self.server;
        let mut below = CeilingWatch::of(self.options.ceiling);
        let goes_on = |control: &TrialControl| below.goes_on(control, driver.goes_on(), server);
        let measured = run_for(trial, starter, time, self.options.guard, goes_on);
        let used = watch.end();
        below.end().map_err(StudyError::Settings)?;
        if driver.goes_on() {
            driver.ended()?;
        }
        let mut measured = measured.map_err(|error| StudyError::no_thread(&error))?;
        measured.report = driver.finished(measured.report)?;
        measured.report.servers.iter().try_for_each(|server| driver.may_load(server.ip()))?;
        Ok((measured, used))
    }
}

/// A cell in a line.
fn told(surface: &Surface, cell: &Cell) -> String {
    let settings = surface.setting_words(cell.setting);
    let load = format!("{} {}", surface.grid.load.name, surface.grid.load.values[cell.load]);
    let place = if settings.is_empty() { load } else { format!("{settings}, {load}") };
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    match (&cell.ending, &cell.figures) {
        (CellEnd::ServerDied(why) | CellEnd::NoServer(why), _) => format!("{place}: {}", first(why)),
        (_, None) => place,
        (_, Some(of)) => {
            let mean = of.mean_ms.map_or("no samples".to_owned(), |ms| format!("mean {ms:.1} ms"));
            let errors =
                if of.errors > 0 { format!(", {:.1} % errors", of.error_percent()) } else { String::new() };
            let aborted = of.aborted.as_ref().map(|why| format!("; ended early: {why}")).unwrap_or_default();
            format!("{place}: {:.1}/s, {mean}{errors}{aborted}", of.per_s)
        }
    }
}
