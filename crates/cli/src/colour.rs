//! Colours on a terminal: what is good, what is not, and heads. Words stand without them, too.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::sync::OnceLock;

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
const CYAN: &str = "\u{1b}[36m";
const PLAIN: &str = "\u{1b}[0m";

/// Keeps what the command line says.
pub(crate) fn choose(when: ColorWhen) {
    let set = WHEN.set(when);
    debug_assert!(set.is_ok(), "the command line is read once");
}

/// Text for that stream, in colours where they are wanted there. It must be safe for a terminal already.
pub(crate) fn painted<'t>(text: &'t str, stream: &impl IsTerminal) -> Cow<'t, str> {
    if has_colours(stream) {
        Cow::Owned(text.split_inclusive('\n').map(line).collect())
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

/// Starts of lines that say what the line is, and their colours.
const STARTS: [(&str, &str); 15] = [
    ("error:", RED),
    ("warning:", YELLOW),
    ("hint:", CYAN),
    ("verdict VALID", GREEN),
    ("verdict DEGRADED", YELLOW),
    ("verdict INVALID", RED),
    ("DEGRADED ", YELLOW),
    ("INVALID ", RED),
    ("nothing answered:", RED),
    ("almost nothing answered:", RED),
    ("WORSE:", RED),
    ("BETTER:", GREEN),
    ("thresholds KEPT", GREEN),
    ("thresholds BROKEN", RED),
    ("BROKEN ", RED),
];

fn line(text: &str) -> String {
    let body = text.trim_start();
    let (indent, end) = (&text[..text.len() - body.len()], body.trim_end().len());
    // The head of a table.
    let is_head = text.starts_with("ms  ") || body.starts_with("count  ") || body.starts_with("up to ms ");
    if is_head {
        return format!("{indent}{BOLD}{}{PLAIN}{}", &body[..end], &body[end..]);
    }
    match STARTS.iter().find(|(start, _)| body.starts_with(start)) {
        Some((start, colour)) => format!("{indent}{colour}{start}{PLAIN}{}", &body[start.len()..]),
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

    #[test]
    fn only_what_a_line_is_has_a_colour_and_no_word_is_lost() {
        let table = [
            ("error: no\n", "{error:} no\n"),
            ("  hint: yes", "  {hint:} yes"),
            ("verdict VALID\n", "{verdict VALID}\n"),
            ("  INVALID   late\n", "  {INVALID }  late\n"),
            ("ms       samples\n", "{ms       samples}\n"),
            ("a verdict VALID\n", "a verdict VALID\n"),
            ("\n", "\n"),
        ];
        for (text, wanted) in table {
            let painted = line(text);
            let painted = painted.replace(PLAIN, "}");
            let parts = painted.split('\u{1b}').enumerate();
            let marked = parts.map(|(at, part)| match part.split_once('m') {
                Some((_, rest)) if at > 0 => format!("{{{rest}"),
                _ => part.to_owned(),
            });
            assert_eq!(marked.collect::<String>(), wanted);
        }
    }
}
