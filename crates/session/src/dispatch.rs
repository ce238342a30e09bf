//! Hands seconds and events to observers, on a thread of low priority.

use std::io;
use std::sync::mpsc::{Receiver, Sender};
use std::thread::{Builder, JoinHandle};

use swell_engine::Phase;
use swell_results::run_folder::Event as JournalEvent;
use swell_run::Subscription;

use crate::observer::{Event, Observer, RunHandle, Second};

/// What the thread waits for.
pub(crate) enum Input {
    /// There are seconds to take, or the run has finished.
    Seconds,
    /// Something happened.
    Event(Event),
}

/// The thread that serves the observers of a run.
pub(crate) struct Dispatch(JoinHandle<Vec<Box<dyn Observer>>>);

impl Dispatch {
    /// Starts the thread; `to` is the sender of `inbox`.
    pub(crate) fn start(
        mut observers: Vec<Box<dyn Observer>>,
        run: RunHandle,
        seconds: Subscription,
        inbox: Receiver<Input>,
    ) -> io::Result<Self> {
        let thread = Builder::new().name("swell-observers".to_owned()).spawn(move || {
            let mut background = swell_net::Background::enter();
            observers.iter_mut().for_each(|observer| observer.begin(&run));
            // The handle would keep the inbox open.
            drop(run);
            serve(&mut observers, &seconds, &inbox, || background.rest());
            observers
        });
        thread.map(Self)
    }

    /// Waits for the last second.
    ///
    /// # Panics
    /// An observer did.
    pub(crate) fn join(self) -> Vec<Box<dyn Observer>> {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Asks for seconds whenever there are some.
pub(crate) fn notify(to: Sender<Input>) -> impl Fn() + Send + Sync + 'static {
    move || {
        // The thread is gone only after the last second.
        let _ = to.send(Input::Seconds);
    }
}

fn serve(
    observers: &mut [Box<dyn Observer>],
    seconds: &Subscription,
    inbox: &Receiver<Input>,
    mut rest: impl FnMut(),
) {
    let mut phase = None;
    while !seconds.is_over() {
        match inbox.recv() {
            Ok(Input::Event(event)) => happened(observers, &event),
            Ok(Input::Seconds) => {
                while let Some(second) = seconds.try_next() {
                    if let Some(event) = phase_begins(&second, &mut phase) {
                        happened(observers, &Event::Happened(event));
                    }
                    let second = Second::new(second);
                    observers.iter_mut().for_each(|observer| observer.second(&second));
                    rest();
                }
            }
            Err(_) => return,
        }
    }
    for input in inbox.try_iter() {
        if let Input::Event(event) = input {
            happened(observers, &event);
        }
    }
}

fn happened(observers: &mut [Box<dyn Observer>], event: &Event) {
    observers.iter_mut().for_each(|observer| observer.event(event));
}

/// The journal's event of a phase that begins with this second.
fn phase_begins(second: &swell_run::Second, known: &mut Option<Phase>) -> Option<JournalEvent> {
    let status = second.status.as_ref()?;
    if status.phase == *known || status.phase.is_none() {
        return None;
    }
    *known = status.phase;
    let name = match status.phase {
        Some(Phase::SetUp) => "set-up",
        Some(Phase::TearDown) => "tear-down",
        Some(Phase::Main) | None => "main",
    };
    let groups = status.groups.iter().filter(|group| Some(group.phase) == status.phase);
    let groups: Vec<_> = groups.map(|group| group.name.clone()).collect();
    let event = JournalEvent::now("phase", format!("{name} begins"));
    Some(event.with("phase", name).with("groups", groups))
}
