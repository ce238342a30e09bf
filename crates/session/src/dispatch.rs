//! Hands seconds and events to observers, on a thread of low priority.

use std::io;
use std::sync::mpsc::{Receiver, Sender};
use std::thread::{Builder, JoinHandle};

use swell_engine::Phase;
use swell_net::{Background, Lift};
use swell_results::run_folder::JournalEvent;
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
pub(crate) struct Dispatch {
    thread: JoinHandle<Served>,
    lift: Lift,
}

/// The observers of a run that has had its last second.
pub(crate) struct Served {
    observers: Vec<Box<dyn Observer>>,
    inbox: Receiver<Input>,
}

impl Served {
    /// Gives the observers the events that came with the last second or after it, such as that of
    /// the key that ended the run.
    pub(crate) fn into_observers(mut self) -> Vec<Box<dyn Observer>> {
        for input in self.inbox.try_iter() {
            if let Input::Event(event) = input {
                happened(&mut self.observers, &event);
            }
        }
        self.observers
    }
}

impl Dispatch {
    /// Starts the thread; `to` is the sender of `inbox`.
    pub(crate) fn start(
        mut observers: Vec<Box<dyn Observer>>,
        run: RunHandle,
        seconds: Subscription,
        inbox: Receiver<Input>,
        lift: Lift,
    ) -> io::Result<Self> {
        let entered = lift.clone();
        let thread = Builder::new().name("swell-observers".to_owned()).spawn(move || {
            let mut background = Background::enter(&entered);
            for observer in &mut observers {
                observer.begin(&run);
            }
            // The handle would keep the inbox open.
            drop(run);
            serve(&mut observers, &seconds, &inbox, || background.rest());
            Served { observers, inbox }
        });
        thread.map(|thread| Self { thread, lift })
    }

    /// Waits for the last second.
    ///
    /// # Panics
    /// An observer did.
    pub(crate) fn join(self) -> Served {
        self.lift.now();
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Asks for seconds whenever there are some.
pub(crate) fn notify(to: Sender<Input>, lift: Lift) -> impl Fn() + Send + Sync + 'static {
    move || {
        lift.message();
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
                    for observer in &mut *observers {
                        observer.second(&second);
                    }
                    rest();
                }
            }
            Err(_) => return,
        }
    }
}

fn happened(observers: &mut [Box<dyn Observer>], event: &Event) {
    for observer in &mut *observers {
        observer.event(event);
    }
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// Sends on the text of each event.
    struct Texts(Sender<String>);

    impl Observer for Texts {
        fn second(&mut self, _second: &Second) {}

        fn event(&mut self, event: &Event) {
            if let Event::Notice(text) = event {
                self.0.send(text.clone()).expect("the test waits");
            }
        }
    }

    #[test]
    fn an_event_after_the_last_second_reaches_the_observers() {
        let (texts, observed) = channel();
        let (to, inbox) = channel();
        let served = Served { observers: vec![Box::new(Texts(texts))], inbox };
        to.send(Input::Event(Event::Notice("stopped".to_owned()))).expect("it is open");
        assert_eq!(served.into_observers().len(), 1);
        assert_eq!(observed.try_iter().collect::<Vec<_>>(), ["stopped"]);
    }
}
