//! One JSON object a line.

use std::io::Write;

use swell_secrets::{without_passwords, without_protected};
use swell_trace::{Event, Line};

use crate::collector::Output;
use crate::secrets::masked;

/// Writes each event as one line of JSON.
pub struct JsonLines<W> {
    to: W,
    shows_secrets: bool,
    /// The first line that could not be written.
    failed: bool,
}

impl<W: Write + Send> JsonLines<W> {
    /// Writes to `to`; secrets are masked unless `shows_secrets`.
    pub fn new(to: W, shows_secrets: bool) -> Self {
        Self { to, shows_secrets, failed: false }
    }

    fn write(&mut self, line: &Line<'_>) -> std::io::Result<()> {
        self.to.write_all(json_line(line, self.shows_secrets)?.as_bytes())?;
        self.to.flush()
    }
}

/// An event as one line of JSON; secrets are masked unless `shows_secrets`.
pub(crate) fn json_line(line: &Line<'_>, shows_secrets: bool) -> std::io::Result<String> {
    let hidden: Event;
    let event = if shows_secrets {
        line.event
    } else {
        hidden = masked(line.event);
        &hidden
    };
    let line = Line { seq: line.seq, at_ms: line.at_ms, event };
    let mut text = serde_json::to_string(&line).map_err(std::io::Error::other)?;
    if !shows_secrets {
        // Labels and elements may be called as a URL with a token.
        text = without_passwords(&without_protected(&text)).into_owned();
    }
    text.push('\n');
    Ok(text)
}

impl<W: Write + Send> Output for JsonLines<W> {
    fn line(&mut self, line: &Line<'_>) {
        // A reader that is gone wants no more.
        self.failed = self.failed || self.write(line).is_err();
    }
}
