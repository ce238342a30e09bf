//! What a user waits for before it continues: writers that lag. The user waits, never its worker.

use std::future::Future;
use std::io;
use std::pin::Pin;

use crate::{Context, FileName, Level};

/// Done when the writer has caught up.
pub type Backlog = Pin<Box<dyn Future<Output = ()>>>;

/// How a file that cannot be written is logged, from its name and the reason.
pub type WriteFailed = fn(&str, &io::Error) -> (Level, String);

impl Context {
    /// Makes the user wait for a writer before its next sample. If it is to wait for another
    /// already, that one comes first; this one is asked for again with what is written next.
    pub fn wait_for(&self, backlog: Option<Backlog>) {
        if let Some(backlog) = backlog {
            // An error: it is to wait already.
            let _ = self.backlog.set(backlog);
        }
    }

    /// Hands content to the writer of a file, for which the user waits if it lags. False if it is
    /// known now that it cannot be written; `failed` says so in the log, now or when it turns out.
    pub fn write_file(&self, name: &FileName, content: Vec<u8>, append: bool, failed: WriteFailed) -> bool {
        match self.host.write_file(name, content, append, failed) {
            Ok(backlog) => {
                self.wait_for(backlog);
                true
            }
            Err(error) => {
                let (level, message) = failed(name.text(), &error);
                self.log(level, &message);
                false
            }
        }
    }

    /// Logs a line; where the log cannot keep up, the user waits for it.
    pub fn log(&self, level: Level, message: &str) {
        self.host.log(level, message);
        self.wait_for(self.host.backlog());
    }
}
