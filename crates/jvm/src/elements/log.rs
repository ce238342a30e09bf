//! Copies Java's log to that of the run.

use swell_expr::{Host, Level};

use super::whereabouts;
use crate::{LogLevel, LogLine, absent};

/// Writes lines of Java's log to that of the run. `place` is that of the element that they are of,
/// which those with a stack name. `is_first`: a text was not said yet in this run.
pub(super) fn log_lines(
    is_first: &dyn Fn(&str) -> bool,
    lines: &[LogLine<'_>],
    host: &dyn Host,
    place: Option<&str>,
) {
    for line in lines {
        let level = match line.level {
            LogLevel::Error => Level::Error,
            LogLevel::Warn => Level::Warn,
            LogLevel::Info => Level::Info,
            LogLevel::Debug => Level::Debug,
            LogLevel::Trace => Level::Trace,
            LogLevel::Printed => {
                host.print(line.text, true);
                continue;
            }
        };
        let stack = line.stack.map(|stack| {
            let place = place.map(|place| format!(" [{}]", whereabouts::with_line(place, stack)));
            format!("{}\n{stack}", place.unwrap_or_default())
        });
        let text = format!("{}: {}{}", line.logger, line.text, stack.unwrap_or_default());
        host.log(level, &text);
        if level >= Level::Warn {
            tell_of_absent(is_first, &text, host);
        }
    }
}

/// Says once for each class that was not found what would bring it.
pub(super) fn tell_of_absent(is_first: &dyn Fn(&str) -> bool, message: &str, host: &dyn Host) {
    if let Some(hint) = absent::hint(message).filter(|hint| is_first(hint)) {
        host.log(Level::Error, &hint);
    }
}
