//! The full-screen view of a run (`--tui`): its figures as they grow, and keys that change it. While it is open, whatever else the
//! program says is held back and shown in its last lines; when it closes, that is printed.

mod draw;
mod figures;
mod keys;

use std::io::{self, IsTerminal, Stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use swell_run::{Second, TrialControl};

use super::event::{Event, Input};
use crate::print;
use figures::Figures;
pub(crate) use figures::Question;
pub(crate) use figures::Recent;
pub(crate) use keys::Action;

/// Who made a change, in the journal.
pub(crate) const WHO: &str = "terminal";

/// How often the thread of the keys looks whether the view is still open.
const LOOK: Duration = Duration::from_millis(100);

/// What became of a change of the run: its kind in the journal, and what was done.
pub(crate) type Done = Option<(&'static str, String)>;

/// A view that is open.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    figures: Figures,
    /// The terminal is the view's; a panic gives it back.
    is_open: Arc<AtomicBool>,
    keys: Option<JoinHandle<()>>,
}

impl Screen {
    /// Whether there is a terminal that can be drawn on and that has keys.
    pub(crate) fn is_possible() -> bool {
        io::stderr().is_terminal() && io::stdin().is_terminal()
    }

    /// Takes the terminal. Keys go to `to`.
    ///
    /// # Errors
    /// The terminal cannot do it.
    pub(crate) fn open(title: String, to: Sender<Event>) -> io::Result<Self> {
        enable_raw_mode()?;
        let is_open = Arc::new(AtomicBool::new(true));
        let prepared = execute!(io::stderr(), EnterAlternateScreen, Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stderr())))
            .and_then(|terminal| Ok((terminal, read_keys(is_open.clone(), to)?)));
        let (terminal, keys) = prepared.inspect_err(|_| give_back())?;
        print::hold();
        restore_at_panic(is_open.clone());
        let in_colours = print::has_colours(&io::stderr());
        Ok(Self { terminal, figures: Figures::new(title, in_colours), is_open, keys: Some(keys) })
    }

    /// Whether it still has the terminal.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Shows a second.
    pub(crate) fn show(&mut self, second: &Arc<Second>) {
        self.figures.add(second);
        self.draw();
    }

    /// Shows the same again.
    pub(crate) fn draw(&mut self) {
        if self.is_open() {
            let said = print::held();
            // A terminal that is gone sends a hang-up, which ends the run.
            let _ = self.terminal.draw(|frame| draw::draw(frame, &self.figures, &said));
        }
    }

    /// What a key asks for; what the view does by itself is done.
    pub(crate) fn input(&mut self, input: Input) -> Option<Action> {
        let Input::Key(key) = input else {
            self.draw();
            return None;
        };
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

    /// Changes the run as a key asks for; none if the action is no change, or it could not be made, which is shown.
    pub(crate) fn change(&mut self, action: Action, control: &TrialControl) -> Done {
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

    /// Gives the terminal back and prints what was held.
    pub(crate) fn close(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if self.is_open.swap(false, Ordering::AcqRel) {
            give_back();
            print::release();
        }
        if let Some(keys) = self.keys.take() {
            // It has nothing to tell.
            let _ = keys.join();
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.end();
    }
}

/// A terminal that is gone cannot be given back, and nobody is there to miss it.
fn give_back() {
    let _ = execute!(io::stderr(), LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// What a panic says is read on the terminal as it was.
fn restore_at_panic(is_open: Arc<AtomicBool>) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if is_open.swap(false, Ordering::AcqRel) {
            give_back();
            print::release();
        }
        before(panic);
    }));
}

fn read_keys(is_open: Arc<AtomicBool>, to: Sender<Event>) -> io::Result<JoinHandle<()>> {
    Builder::new().name("swell-keys".to_owned()).spawn(move || {
        while is_open.load(Ordering::Acquire) {
            let input = match event::poll(LOOK)
                .and_then(|is_there| if is_there { event::read().map(Some) } else { Ok(None) })
            {
                Ok(Some(event::Event::Key(key))) if key.kind != KeyEventKind::Release => Input::Key(key),
                Ok(Some(event::Event::Resize(..))) => Input::Resized,
                Ok(_) => continue,
                // The terminal is gone.
                Err(_) => return,
            };
            if to.send(Event::Input(input)).is_err() {
                return;
            }
        }
    })
}
