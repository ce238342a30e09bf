//! Commands that set up and take back settings of a server that is not ours.

use std::process::{Command, Stdio};

use super::{Death, ServerError, Template};

/// Runs a command with these settings to its end, its output to its own end of ours kept back.
///
/// # Errors
/// It names a setting that is not there, cannot be started, or ends with another status than 0.
pub fn run_hook(hook: &Template, settings: &[(String, String)]) -> Result<(), ServerError> {
    let command = hook.fill(settings).map_err(ServerError::Setting)?;
    let ended = Command::new("/bin/sh").args(["-c", &command]).stdin(Stdio::null()).output();
    let ended = ended.map_err(ServerError::Start)?;
    if ended.status.success() {
        return Ok(());
    }
    let printed = [ended.stdout, ended.stderr].concat();
    let text = String::from_utf8_lossy(&printed);
    let mut last_lines: Vec<_> = text.lines().rev().take(20).map(str::to_owned).collect();
    last_lines.reverse();
    Err(ServerError::Hook(Death { command, status: ended.status, last_lines }))
}
