//! The user's browser.

use std::ffi::OsStr;
use std::process::{Command, ExitStatus, Stdio};

use swell_page::{PrivateFile, runtime_folder};

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

/// Opens an address with a secret. Other users of the machine see the arguments of a command, so it
/// gets a file that only this user can read, which leads to the address.
pub(crate) fn open_address(address: &str) -> Option<PrivateFile> {
    let page = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={address}\">\n"
    );
    let name = format!("open-{}.html", std::process::id());
    let file = PrivateFile::write(&runtime_folder(), &name, &page).ok()?;
    open_file(file.path().as_os_str()).then_some(file)
}
