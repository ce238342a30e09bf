//! The user's browser.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

/// The command that opens a file or an address.
pub(crate) const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens a file in a browser.
pub(crate) fn open_file(file: &OsStr) -> bool {
    let started = Command::new(OPENER)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    started.as_ref().is_ok_and(ExitStatus::success)
}

/// Opens an address with a secret. Other users of the machine see the arguments of a command, so it gets a file that only this
/// user can read, which leads to the address.
pub(crate) fn open_address(address: &str) -> Option<RedirectFile> {
    let file = redirect(address).ok()?;
    open_file(file.0.as_os_str()).then_some(file)
}

/// A page that leads to an address, deleted when this is dropped.
pub(crate) struct RedirectFile(PathBuf);

impl Drop for RedirectFile {
    fn drop(&mut self) {
        // Another process may have removed it.
        let _ = fs::remove_file(&self.0);
    }
}

fn redirect(address: &str) -> io::Result<RedirectFile> {
    let folder = swell_page::runtime_folder();
    swell_page::make_private(&folder)?;
    let file = folder.join(format!("open-{}.html", std::process::id()));
    match fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut page = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
    writeln!(
        page,
        "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={address}\">"
    )?;
    Ok(RedirectFile(file))
}
