//! The full-screen view of a run (`--tui`): its figures as they grow, and keys that change it.
//! While it is open, whatever else the program says is held back and shown in its last lines; when
//! it closes, that is printed.

mod draw;
mod figures;
mod keys;

use std::io::{self, IsTerminal, Stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, KeyEvent, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use swell_results::run_folder::JournalEvent;
use swell_run::{Second, TrialControl};
use swell_session::{Event, RunHandle, Signal};

use crate::print;
use figures::Figures;
pub(crate) use figures::Question;
pub(crate) use keys::Action;

/// Who made a change, in the journal.
const WHO: &str = "terminal";

/// How often the thread of the keys looks whether the view is still open.
const LOOK: Duration = Duration::from_millis(100);

/// A change of the run: its kind in the journal, and what was done.
type Change = (&'static str, String);

/// A view that is open.
pub(crate) struct Screen {
    view: Arc<Mutex<View>>,
    /// The terminal is the view's; a panic gives it back.
    is_open: Arc<AtomicBool>,
    keys: Option<JoinHandle<()>>,
}

/// What the view shows, for the thread of the seconds and that of the keys.
struct View {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    figures: Figures,
    is_open: Arc<AtomicBool>,
}

impl Screen {
    /// Why there can be no view: it needs a terminal that can be drawn on and that has keys.
    pub(crate) fn obstacle() -> Option<&'static str> {
        let is_possible = io::stderr().is_terminal() && io::stdin().is_terminal();
        (!is_possible).then_some("standard error is not a terminal")
    }

    /// Takes the terminal. Keys change the run.
    ///
    /// # Errors
    /// The terminal cannot do it.
    pub(crate) fn open(title: String, run: RunHandle) -> io::Result<Self> {
        enable_raw_mode()?;
        let is_open = Arc::new(AtomicBool::new(true));
        let opened = execute!(io::stderr(), EnterAlternateScreen, Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stderr())))
            .and_then(|terminal| {
                let figures = Figures::new(title, print::has_colours(&io::stderr()));
                let view = View { terminal, figures, is_open: is_open.clone() };
                let view = Arc::new(Mutex::new(view));
                let keys = read_keys(view.clone(), is_open.clone(), run)?;
                Ok(Self { view, is_open: is_open.clone(), keys: Some(keys) })
            });
        let screen = opened.inspect_err(|_| give_back())?;
        print::hold();
        restore_at_panic(is_open);
        Ok(screen)
    }

    /// Whether it still has the terminal.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Shows a second.
    pub(crate) fn show(&mut self, second: &Arc<Second>) {
        let mut view = self.view.lock();
        view.figures.add(second);
        view.draw();
    }

    /// Shows the same again.
    pub(crate) fn draw(&mut self) {
        self.view.lock().draw();
    }

    /// Gives the terminal back and prints what was held.
    pub(crate) fn close(mut self) {
        self.end();
    }

    fn end(&mut self) {
        close(&self.is_open);
        if let Some(keys) = self.keys.take() {
            // It has no result.
            let _ = keys.join();
        }
    }
}

fn close(is_open: &AtomicBool) {
    if is_open.swap(false, Ordering::AcqRel) {
        give_back();
        print::release();
    }
}

impl View {
    fn draw(&mut self) {
        if self.is_open.load(Ordering::Acquire) {
            let said = print::held();
            // A terminal that is gone sends a hang-up, which ends the run.
            let _ = self.terminal.draw(|frame| draw::draw(frame, &self.figures, &said));
        }
    }

    /// What a key asks for; what the view does by itself is done.
    fn input(&mut self, key: KeyEvent) -> Option<Action> {
        let action = keys::action(key, self.figures.question)?;
        self.figures.question = None;
        let for_others = match action {
            Action::Ask(question) => {
                self.figures.question = Some(question);
                None
            }
            Action::NextGroup => {
                self.figures.choose_next_group();
                None
            }
            Action::Scroll(rows) => {
                self.figures.scroll(rows);
                None
            }
            Action::No => None,
            other => Some(other),
        };
        self.draw();
        for_others
    }

    /// Changes the run as a key asks for. Nothing if the action changes nothing, or the change
    /// failed, which is shown.
    fn change(&mut self, action: Action, control: &TrialControl) -> Option<Change> {
        let changed = match action {
            Action::Load { more } => {
                let place = self.figures.group;
                let group = self.figures.chosen().ok_or_else(|| "the test has not started yet".to_owned());
                group
                    .and_then(|group| keys::change_load(control, place, group, more))
                    .map(|what| ("load", what))
            }
            Action::Pause if self.figures.is_paused() => control
                .load()
                .resume()
                .map(|()| ("resume", "resumed".to_owned()))
                .map_err(|error| error.to_string()),
            Action::Pause => control
                .load()
                .pause()
                .map(|()| ("pause", "paused".to_owned()))
                .map_err(|error| error.to_string()),
            Action::Yes(Question::Stop) => {
                control.stop();
                Ok(("stop", "stopped: running samples finish".to_owned()))
            }
            Action::Yes(Question::StopNow) => {
                control.stop_now();
                Ok(("stop", "stopped at once: running samples are aborted".to_owned()))
            }
            _ => return None,
        };
        let (Ok((_, word)) | Err(word)) = &changed;
        self.figures.word.clone_from(word);
        self.draw();
        changed.ok()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.end();
    }
}

/// Restores the terminal. If it is gone, errors do not matter.
fn give_back() {
    let _ = execute!(io::stderr(), LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// The message of a panic is read on the terminal as it was.
fn restore_at_panic(is_open: Arc<AtomicBool>) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        close(&is_open);
        before(panic);
    }));
}

fn read_keys(view: Arc<Mutex<View>>, is_open: Arc<AtomicBool>, run: RunHandle) -> io::Result<JoinHandle<()>> {
    Builder::new().name("swell-keys".to_owned()).spawn(move || {
        while is_open.load(Ordering::Acquire) {
            match event::poll(LOOK)
                .and_then(|is_there| if is_there { event::read().map(Some) } else { Ok(None) })
            {
                Ok(Some(event::Event::Key(key))) if key.kind != KeyEventKind::Release => {
                    press(key, &view, &is_open, &run);
                }
                Ok(Some(event::Event::Resize(..))) => view.lock().draw(),
                Ok(_) => {}
                // The terminal is gone.
                Err(_) => return,
            }
        }
    })
}

/// Does what a key asks for.
fn press(key: KeyEvent, view: &Mutex<View>, is_open: &AtomicBool, run: &RunHandle) {
    let action = view.lock().input(key);
    let signal = |signal| run.requests().is_some_and(|requests| requests.signal(signal));
    match action {
        None => {}
        Some(Action::Leave) => close(is_open),
        Some(Action::Interrupt) => drop(signal(Signal::Interrupt)),
        Some(Action::Dump) => drop(signal(Signal::Dump)),
        Some(change) => {
            let changed = view.lock().change(change, run.control());
            if let Some((kind, what)) = changed {
                run.emit(Event::Changed(JournalEvent::now(kind, what).by(WHO)));
            }
        }
    }
}
