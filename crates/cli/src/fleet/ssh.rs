//! Agents on other machines that are started over ssh, as `ssh:user@host` in `remote_hosts` or `-R`
//! asks for.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use swell_expr::Properties;
use swell_fleet::Join;

use crate::exit::Failure;

/// Property: the program on the other machines.
const PROGRAM: &str = "swell.remote.program";

/// A machine that is reached over ssh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SshHost {
    /// `user@host` or `host`, as ssh takes it.
    pub(crate) target: String,
    pub(crate) port: Option<u16>,
    /// What the agent there is called.
    pub(crate) name: String,
}

impl SshHost {
    /// `ssh:user@host:port`, the `number`th of its list; none: it is a host of another kind.
    pub(crate) fn read(text: &str, number: usize) -> Option<Self> {
        let place = text.strip_prefix("ssh://").or_else(|| text.strip_prefix("ssh:"))?;
        let (target, port) = match place.rsplit_once(':').map(|(target, port)| (target, port.parse())) {
            Some((target, Ok(port))) => (target, Some(port)),
            _ => (place, None),
        };
        // What begins with a dash would be an option of ssh.
        if target.is_empty() || target.starts_with('-') {
            return None;
        }
        let host = target.rsplit('@').next().unwrap_or(target);
        let in_names = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        // Numbers, since a machine may stand there twice.
        let name = format!("{}-{number}", host.chars().map(in_names).collect::<String>());
        Some(Self { target: target.to_owned(), port, name })
    }

    /// Starts an agent there for one run. It leaves when its standard input ends.
    pub(super) fn start(&self, join: &Join, props: &Properties) -> Result<Child, Failure> {
        let cannot = |error: std::io::Error| {
            Failure::settings(format!("cannot start ssh for an agent on {}: {error}", self.target))
        };
        let program = props.get(PROGRAM).filter(|program| !program.trim().is_empty());
        let program = program.unwrap_or_else(|| "swell".to_owned());
        let mut ssh = Command::new("ssh");
        // No user is there to type a password.
        ssh.args(["-T", "-o", "BatchMode=yes"]);
        ssh.args(self.port.map(|port| format!("-p{port}"))).arg(&self.target);
        ssh.arg(format!(
            "read -r SWELL_NATS; export SWELL_NATS; exec {} agent --once --quiet --until-stdin-ends --allow-scripts --allow-process --allow-files --name {}",
            quoted(program.trim()),
            self.name
        ));
        // Ctrl-C goes to all processes of a group: the controller says when agents stop.
        ssh.stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
        let mut child = ssh.spawn().map_err(cannot)?;
        // A command line can be read by all users of a machine, so the password goes this way. An
        // ssh that has ended says why by itself.
        if let Some(input) = &mut child.stdin {
            let _ = writeln!(input, "{join}");
        }
        Ok(child)
    }
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_as_ssh_takes_them() {
        let read = |text| SshHost::read(text, 1).map(|host| (host.target, host.port, host.name));
        let of = |target: &str, port, name: &str| Some((target.to_owned(), port, name.to_owned()));
        assert_eq!(read("ssh:me@h1"), of("me@h1", None, "h1-1"));
        assert_eq!(read("ssh://me@h.x:22"), of("me@h.x", Some(22), "h-x-1"));
        for none in ["h1:1099", "ssh:", "ssh:-oProxyCommand=x"] {
            assert_eq!(read(none), None, "{none}");
        }
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
