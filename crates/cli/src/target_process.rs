//! The built-in target as a separate process while a test runs: its CPU time must not count as the
//! tool's.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use swell_expr::Properties;

/// A running `swell target`; it ends when this is dropped, also if this process is killed, since
/// its standard input ends.
pub(crate) struct TargetProcess {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl TargetProcess {
    /// Starts it on a free port of the loopback.
    pub(crate) fn start() -> io::Result<Self> {
        Self::start_with(&[])
    }

    /// The same with more arguments.
    pub(crate) fn start_with(more: &[&str]) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["target", "--port", "0", "--until-stdin-ends"])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C goes to all processes of a group; the target must stay until the running
            // samples are done.
            .process_group(0)
            .spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line)?;
        // "listening at http://127.0.0.1:40000/"
        let address = line.trim().trim_end_matches('/').rsplit('/').next().and_then(|text| text.parse().ok());
        let address =
            address.ok_or_else(|| io::Error::other(format!("the target printed `{}`", line.trim())))?;
        Ok(Self { child, address })
    }

    /// Sets the properties `host` and `port`, by which plans find it.
    pub(crate) fn set_properties(&self, props: &Properties) {
        props.set("host", &self.address.ip().to_string());
        props.set("port", &self.address.port().to_string());
    }
}

impl Drop for TargetProcess {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It ends when its input does; its exit status does not matter.
        let _ = self.child.wait();
    }
}
