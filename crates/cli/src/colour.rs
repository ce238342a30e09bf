//! Colours on a terminal: what is good, what is not, and heads. The text says the same without
//! them.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::sync::OnceLock;

use swell_report::{Role, Styled};

/// When to write in colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

static WHEN: OnceLock<ColorWhen> = OnceLock::new();

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[1;33m";
const GREEN: &str = "\u{1b}[1;32m";
const DIM: &str = "\u{1b}[2m";
const CYAN: &str = "\u{1b}[36m";
const PLAIN: &str = "\u{1b}[0m";

/// Keeps what the command line says.
pub(crate) fn choose(when: ColorWhen) {
    let set = WHEN.set(when);
    debug_assert!(set.is_ok(), "the command line is read once");
}

/// Text for that stream, in colours where they are wanted there. It must be safe for a terminal
/// already.
pub(crate) fn painted<'t>(text: &'t Styled, stream: &impl IsTerminal) -> Cow<'t, str> {
    if has_colours(stream) { Cow::Owned(in_colours(text)) } else { Cow::Borrowed(text) }
}

fn in_colours(text: &Styled) -> String {
    text.parts().into_iter().map(|(role, part)| painted_part(part, role.map(of_role))).collect()
}

fn of_role(role: Role) -> &'static str {
    match role {
        Role::Head => BOLD,
        Role::Good => GREEN,
        Role::Doubtful => YELLOW,
        Role::Bad => RED,
        Role::Muted => DIM,
    }
}

/// Spaces around the text stay outside of the colour.
fn painted_part(text: &str, colour: Option<&str>) -> String {
    let Some(colour) = colour else { return text.to_owned() };
    let body = text.trim();
    let start = text.len() - text.trim_start().len();
    let indent = &text[..start];
    let end = &text[start + body.len()..];
    format!("{indent}{colour}{body}{PLAIN}{end}")
}

/// A message for that stream, in colours where they are wanted there. It must be safe for a
/// terminal already.
pub(crate) fn painted_message<'t>(text: &'t str, stream: &impl IsTerminal) -> Cow<'t, str> {
    if has_colours(stream) {
        Cow::Owned(text.split_inclusive('\n').map(message_line).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether colours are wanted on that stream.
pub(crate) fn has_colours(stream: &impl IsTerminal) -> bool {
    let when = WHEN.get().copied().unwrap_or_default();
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    is_wanted(when, stream.is_terminal() && !dumb, set("NO_COLOR"))
}

/// <https://no-color.org>: the variable is a wish that the command line may overrule.
fn is_wanted(when: ColorWhen, is_terminal: bool, no_color: bool) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => is_terminal && !no_color,
    }
}

/// The level that a line of a message begins with. These prefixes are part of the form of messages,
/// not of their text: `Failure`, `Diagnostic` and all warnings have them.
const LEVELS: [(&str, &str); 3] = [("error:", RED), ("warning:", YELLOW), ("hint:", CYAN)];

fn message_line(text: &str) -> String {
    let body = text.trim_start();
    let indent = &text[..text.len() - body.len()];
    let level = LEVELS.iter().find_map(|(level, colour)| Some((level, colour, body.strip_prefix(level)?)));
    match level {
        Some((level, colour, rest)) => format!("{indent}{colour}{level}{PLAIN}{rest}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_of_the_command_line_is_above_the_environment() {
        let table = [
            (ColorWhen::Auto, true, false, true),
            (ColorWhen::Auto, true, true, false),
            (ColorWhen::Auto, false, false, false),
            (ColorWhen::Always, false, true, true),
            (ColorWhen::Never, true, false, false),
        ];
        for (when, is_terminal, no_color, wanted) in table {
            assert_eq!(is_wanted(when, is_terminal, no_color), wanted, "{when:?} {is_terminal} {no_color}");
        }
    }

    /// The text with braces around what has a colour.
    fn marked(painted: &str) -> String {
        let painted = painted.replace(PLAIN, "}");
        let parts = painted.split('\u{1b}').enumerate();
        let marked = parts.map(|(at, part)| match part.split_once('m') {
            Some((_, rest)) if at > 0 => format!("{{{rest}"),
            _ => part.to_owned(),
        });
        marked.collect()
    }

    #[test]
    fn only_levels_of_messages_have_a_colour() {
        let table = [
            ("error: no\n", "{error:} no\n"),
            ("  hint: yes", "  {hint:} yes"),
            ("an error: no\n", "an error: no\n"),
            ("verdict INVALID\n", "verdict INVALID\n"),
            ("\n", "\n"),
        ];
        for (text, wanted) in table {
            assert_eq!(marked(&message_line(text)), wanted);
        }
    }

    #[test]
    fn parts_of_a_text_have_the_colour_of_their_role_whatever_they_say() {
        let mut text = Styled::from("verdict INVALID\n".to_owned());
        text.push(Role::Head, "   ms  count ");
        text.append(&Styled::from("\n  ".to_owned()));
        text.push(Role::Good, "fine    ");
        text.append(&Styled::from("  as it should be\n".to_owned()));
        let wanted = "verdict INVALID\n   {ms  count} \n  {fine}      as it should be\n";
        assert_eq!(marked(&in_colours(&text)), wanted);
        assert!(in_colours(&text).contains(&format!("{GREEN}fine{PLAIN}")));
    }
}
