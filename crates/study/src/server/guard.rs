//! Ends a group of processes when this process is gone.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;

/// What the guard does: it reads to the end of its input, which only our own end brings, and kills
/// the group.
const SCRIPT: &str = "while read -r line; do :; done; kill -s KILL -- \"-$0\"";

/// While this lives, the end of this process ends the group.
#[derive(Debug)]
pub(crate) struct Guard {
    child: Child,
}

impl Guard {
    pub(crate) fn of(group: Pid) -> io::Result<Self> {
        let number = group.as_raw_nonzero().to_string();
        let mut shell = Command::new("/bin/sh");
        // In a separate group no Ctrl-C reaches it.
        shell.args(["-c", SCRIPT, &number]).process_group(0).stdin(Stdio::piped());
        Ok(Self { child: shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn()? })
    }
}

#[cfg(test)]
impl Guard {
    /// Its input, to be closed as the end of this process does it.
    pub(super) fn child_input(&mut self) -> Option<std::process::ChildStdin> {
        self.child.stdin.take()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Killed while its input is open, it does nothing to the group. One that is gone needs no
        // end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
