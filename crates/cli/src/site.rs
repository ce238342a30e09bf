//! The built-in site as a process of its own, for the length of a test: its CPU time must not be the tool's.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A running `swell target`; it ends when this is dropped, also if this process is killed, since its standard input ends.
pub(crate) struct Site {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Site {
    /// Starts it on a free port of the loopback.
    pub(crate) fn start() -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["target", "--port", "0", "--until-stdin-ends"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C goes to all processes of a group; the site must stay until the running samples are done.
            .process_group(0)
            .spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line)?;
        // "listening at http://127.0.0.1:40000/"
        let address = line.trim().trim_end_matches('/').rsplit('/').next().and_then(|text| text.parse().ok());
        let address = address.ok_or_else(|| io::Error::other(format!("the site said `{}`", line.trim())))?;
        Ok(Self { child, address })
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It ends by itself when its input does; whatever it says by its status is of no use any more.
        let _status = self.child.wait();
    }
}
