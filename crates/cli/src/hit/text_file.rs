//! Files of text that the command line names.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// The whole of such a file.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let bytes = swell_run::host::read_whole(path, swell_expr::FileLimits::default())?;
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}
