//! What keys mean, and the changes of a run that they make: those of `swell ctl`.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use swell_engine::GroupStatus;
use swell_run::TrialControl;

use super::figures::Question;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// More load of the chosen group, or less.
    Load {
        more: bool,
    },
    /// Pause, or go on.
    Pause,
    Ask(Question),
    /// Yes to what was asked.
    Yes(Question),
    No,
    NextGroup,
    Scroll(isize),
    /// Leave the view; the run continues.
    Leave,
    /// As the signal of Ctrl-C, which a terminal does not send while the view has its keys.
    Interrupt,
    /// As the signal of Ctrl-\.
    Dump,
}

/// Rows of a page of the table.
const PAGE: isize = 10;

/// What a key means while that is being asked.
pub(super) fn action(key: KeyEvent, asked: Option<Question>) -> Option<Action> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Some(Action::Interrupt),
            // Some terminals report Ctrl-\ as Ctrl-4.
            KeyCode::Char('\\' | '4') => Some(Action::Dump),
            _ => None,
        };
    }
    if let Some(question) = asked {
        return Some(if key.code == KeyCode::Char('y') { Action::Yes(question) } else { Action::No });
    }
    Some(match key.code {
        KeyCode::Char('+' | '=') => Action::Load { more: true },
        KeyCode::Char('-' | '_') => Action::Load { more: false },
        KeyCode::Char('p' | ' ') => Action::Pause,
        KeyCode::Char('s') => Action::Ask(Question::Stop),
        KeyCode::Char('S') => Action::Ask(Question::StopNow),
        KeyCode::Char('q') => Action::Leave,
        KeyCode::Tab => Action::NextGroup,
        KeyCode::Up => Action::Scroll(-1),
        KeyCode::Down => Action::Scroll(1),
        KeyCode::PageUp => Action::Scroll(-PAGE),
        KeyCode::PageDown => Action::Scroll(PAGE),
        KeyCode::Home => Action::Scroll(isize::MIN),
        _ => return None,
    })
}

/// A tenth more or less, at least one.
fn next_users(users: u32, more: bool) -> u32 {
    let step = (users / 10).max(1);
    if more { users.saturating_add(step).min(1_000_000) } else { users.saturating_sub(step) }
}

fn next_rate(per_s: f64, more: bool) -> f64 {
    let next = if more { per_s * 1.1 } else { per_s / 1.1 };
    // Three digits are enough, and none is stuck at zero.
    let grain = 10_f64.powf((next.max(0.1).log10() - 2.0).floor());
    ((next / grain).round() * grain).max(0.01)
}

/// Changes the load of a group, and says what was done.
///
/// # Errors
/// It cannot be done now; in words.
pub(super) fn change_load(
    control: &TrialControl,
    place: usize,
    group: &GroupStatus,
    more: bool,
) -> Result<String, String> {
    let name = &group.name;
    let (changed, what) = match (group.wanted_users, group.wanted_per_second) {
        (_, Some(per_s)) => {
            let next = next_rate(per_s, more);
            let what = format!("rate of `{name}` set to {next} arrivals a second");
            (control.load().set_rate(place, Some(next)), what)
        }
        (Some(users), None) => {
            let next = next_users(users, more);
            (control.load().set_users(place, Some(next)), format!("users of `{name}` set to {next}"))
        }
        (None, None) => return Err(format!("`{name}` has not started yet")),
    };
    changed.map(|()| what).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_last_line_says() {
        let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
        let seen = |c: char| action(key(KeyCode::Char(c)), None);
        assert_eq!(seen('+'), Some(Action::Load { more: true }));
        assert_eq!(
            (seen('s'), seen('S'), seen('z')),
            (Some(Action::Ask(Question::Stop)), Some(Action::Ask(Question::StopNow)), None)
        );
        let asked = |code| action(key(code), Some(Question::Stop));
        assert_eq!(asked(KeyCode::Char('y')), Some(Action::Yes(Question::Stop)));
        assert_eq!([asked(KeyCode::Char('s')), asked(KeyCode::Esc)], [Some(Action::No); 2]);
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(
            [action(interrupt, None), action(interrupt, Some(Question::Stop))],
            [Some(Action::Interrupt); 2]
        );
    }

    #[test]
    fn loads_change_by_a_tenth_and_come_back_from_nothing() {
        let users = [(0, true), (1, false), (10, true), (205, false), (1_000_000, true)]
            .map(|(users, more)| next_users(users, more));
        assert_eq!(users, [1, 0, 11, 185, 1_000_000]);
        let rates = [(100.0, true), (100.0, false), (0.0, true), (0.0, false), (1234.0, true)]
            .map(|(rate, more)| next_rate(rate, more));
        for (rate, wanted) in rates.into_iter().zip([110.0, 90.9, 0.01, 0.01, 1360.0]) {
            assert!((rate - wanted).abs() < 1e-9, "{rate} {wanted}");
        }
    }
}
