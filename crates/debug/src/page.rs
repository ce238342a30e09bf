//! Events for a page, packed as they come.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use swell_trace::{Event, Line};

use crate::collector::Output;
use crate::json_lines::json_line;

/// The events of a page: lines of JSON, compressed by gzip. Clones share them.
#[derive(Clone)]
pub struct TracePage {
    shows_secrets: bool,
    state: Arc<Mutex<State>>,
}

struct State {
    packer: GzEncoder<Vec<u8>>,
    title: String,
}

impl TracePage {
    /// A page without events; secrets are masked unless `shows_secrets`.
    pub fn new(shows_secrets: bool) -> Self {
        let packer = GzEncoder::new(Vec::new(), Compression::default());
        Self { shows_secrets, state: Arc::new(Mutex::new(State { packer, title: String::new() })) }
    }

    /// The title of the page, and its packed events. Later events are left out.
    ///
    /// # Errors
    /// The events cannot be compressed.
    pub fn finish(&self) -> std::io::Result<(String, Vec<u8>)> {
        let mut state = self.state.lock();
        let next = GzEncoder::new(Vec::new(), Compression::default());
        let packer = std::mem::replace(&mut state.packer, next);
        Ok((state.title.clone(), packer.finish()?))
    }
}

impl Output for TracePage {
    fn line(&mut self, line: &Line<'_>) {
        let mut state = self.state.lock();
        if let Event::Start(start) = line.event {
            start.name.clone_into(&mut state.title);
        }
        // An event of texts and numbers is valid JSON, and a Vec takes all that is written.
        if let Ok(text) = json_line(line, self.shows_secrets) {
            let _ = state.packer.write_all(text.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use swell_trace::{Iteration, Start};

    use super::*;

    fn lines(shows_secrets: bool) -> (String, String) {
        let page = TracePage::new(shows_secrets);
        let mut output = page.clone();
        let start = Event::Start(Start { name: "Shop".into(), ..Start::default() });
        output.line(&Line { seq: 1, at_ms: 0, event: &start });
        let variables = vec![("password".to_owned(), "hunter2".to_owned())];
        let iteration =
            Event::Iteration(Iteration { user: "u".into(), group: "g".into(), iteration: 1, variables });
        output.line(&Line { seq: 2, at_ms: 0, event: &iteration });
        let (title, packed) = page.finish().expect("packed events");
        let mut text = String::new();
        GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("lines");
        (title, text)
    }

    #[test]
    fn a_page_has_all_events_and_no_secret_unless_it_is_wanted() {
        let (title, text) = lines(false);
        assert_eq!((title.as_str(), text.lines().count()), ("Shop", 2));
        assert!(!text.contains("hunter2") && text.contains("***"), "{text}");
        assert!(lines(true).1.contains("hunter2"));
    }
}
