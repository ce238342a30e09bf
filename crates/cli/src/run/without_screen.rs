//! A build without the full-screen view (feature `tui`): lines are shown instead.

use std::io;
use std::sync::Arc;

use swell_run::Second;
use swell_session::RunHandle;

/// There is none.
pub(crate) enum Screen {}

impl Screen {
    /// Why there can be no view.
    #[expect(clippy::unnecessary_wraps, reason = "the signature is that of `screen`")]
    pub(crate) fn obstacle() -> Option<&'static str> {
        Some("this build has no full-screen view")
    }

    pub(crate) fn open(_: String, _: RunHandle) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn is_open(&self) -> bool {
        match *self {}
    }

    pub(crate) fn show(&mut self, _: &Arc<Second>) {
        match *self {}
    }

    pub(crate) fn draw(&mut self) {
        match *self {}
    }

    pub(crate) fn close(self) {
        match self {}
    }
}
