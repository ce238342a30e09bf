//! Runs a program to its end, with a time limit.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// File for both output streams of a program, in the folder of its run.
const OUTPUT: &str = "run.log.out";

/// Runs a program in a folder; returns its output, and its status if that is not 0.
///
/// # Errors
/// It could not be started, or did not end in time and was killed.
pub(super) fn run_to_end(mut command: Command, folder: &Path, limit: Duration) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = folder.join(OUTPUT);
    let streams = File::create(&output).and_then(|file| Ok((file.try_clone()?, file)));
    let (out, err) = streams.map_err(|error| format!("{}: {error}", output.display()))?;
    command.current_dir(folder).stdin(Stdio::null()).stdout(out).stderr(err);
    let mut child = command.spawn().map_err(|error| format!("{name}: {error}"))?;
    let ended = wait(&mut child, limit).map_err(|error| format!("{name}: {error}"))?;
    let said = std::fs::read_to_string(&output).unwrap_or_default();
    drop(std::fs::remove_file(&output));
    match ended {
        Some(status) if status.success() => Ok(said),
        Some(status) => Ok(format!("{said}{status}")),
        None => Err(format!("{name} did not end within {} s; it said:\n{said}", limit.as_secs())),
    }
}

/// Waits for the status; returns `None` if the child had to be killed.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn tells_what_was_said_and_the_status() {
        let folder = tempfile::tempdir().unwrap();
        let said = run_to_end(shell("echo a; echo b >&2; exit 3"), folder.path(), Duration::from_mins(1));
        let said = said.unwrap();
        assert!(said.starts_with("a\nb\n") && said.contains('3'), "{said}");
    }

    #[test]
    fn ends_what_does_not_end() {
        let folder = tempfile::tempdir().unwrap();
        let ended =
            run_to_end(shell("echo started; exec sleep 100"), folder.path(), Duration::from_millis(300));
        assert!(ended.is_err_and(|error| error.contains("did not end")));
    }
}
