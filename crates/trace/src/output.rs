//! What one virtual user logs and prints.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::event::{Event, LogLine};
use crate::user_trace::TraceSink;

/// Lines of one element that are kept.
const LINES: usize = 1_000;

/// Receives what a virtual user logs and prints. Lines belong to the element that runs; those of
/// functions in texts of a controller are events.
pub(crate) struct UserOutput {
    sink: Arc<dyn TraceSink>,
    /// Lines of the element that runs; none: no element runs.
    running: Mutex<Option<ElementLines>>,
}

#[derive(Default)]
struct ElementLines {
    kept: Vec<LogLine>,
    left_out: usize,
}

impl UserOutput {
    pub(crate) fn new(sink: Arc<dyn TraceSink>) -> Arc<Self> {
        Arc::new(Self { sink, running: Mutex::default() })
    }

    /// An element begins its work.
    pub(crate) fn begin(&self) {
        *self.running.lock() = Some(ElementLines::default());
    }

    /// The element has done its work: what it logged and printed.
    pub(crate) fn end(&self) -> Vec<LogLine> {
        let Some(ElementLines { mut kept, left_out }) = self.running.lock().take() else { return Vec::new() };
        if left_out > 0 {
            kept.push(LogLine { level: "info", text: format!("({left_out} more lines are not kept)") });
        }
        kept
    }

    /// A line of the element that runs; given back if no element runs.
    fn take(&self, line: LogLine) -> Option<LogLine> {
        let mut running = self.running.lock();
        let Some(lines) = &mut *running else { return Some(line) };
        if lines.kept.len() < LINES {
            lines.kept.push(line);
        } else {
            lines.left_out += 1;
        }
        None
    }
}

impl TraceSink for UserOutput {
    fn event(&self, event: Event) {
        let event = match event {
            Event::Log(line) => self.take(line).map(Event::Log),
            event => Some(event),
        };
        if let Some(event) = event {
            self.sink.event(event);
        }
    }

    fn next_step(&self) -> u32 {
        self.sink.next_step()
    }

    fn body_bytes(&self) -> usize {
        self.sink.body_bytes()
    }

    fn keeps_timers(&self) -> bool {
        self.sink.keeps_timers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Mutex<Vec<String>>);

    impl TraceSink for Seen {
        fn event(&self, event: Event) {
            if let Event::Log(line) = event {
                self.0.lock().push(line.text);
            }
        }

        fn next_step(&self) -> u32 {
            1
        }

        fn body_bytes(&self) -> usize {
            0
        }

        fn keeps_timers(&self) -> bool {
            false
        }
    }

    fn line(text: String) -> Event {
        Event::Log(LogLine { level: "info", text })
    }

    #[test]
    fn lines_belong_to_the_element_that_runs_and_are_bounded() {
        let seen = Arc::new(Seen::default());
        let output = UserOutput::new(seen.clone());
        output.event(line("before".to_owned()));
        output.begin();
        for number in 0..LINES + 3 {
            output.event(line(number.to_string()));
        }
        let lines = output.end();
        output.event(line("after".to_owned()));
        assert_eq!(*seen.0.lock(), ["before", "after"]);
        assert_eq!((lines.len(), &*lines[1].text), (LINES + 1, "1"));
        assert_eq!(lines[LINES].text, "(3 more lines are not kept)");
        assert!(output.end().is_empty());
    }
}
