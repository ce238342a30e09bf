//! The page of `swell debug`: a file that holds its events, and the shell of one that is served.

use super::html::{OneFile, hash, shell};
use super::{TRACE_SCRIPT, TRACE_STYLE};

const WITHOUT_SCRIPT: &str =
    "This page needs JavaScript to show the steps. It loads nothing from other sites.";

/// What the served page may load. Styles may be inline because frames inherit the policy: the
/// preview of a response is a frame, and its styles are part of it.
pub const TRACE_SECURITY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; \
     connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The page in one file, which needs no network. `packed`: lines of JSON, compressed by gzip.
pub fn trace_file(title: &str, packed: &[u8]) -> String {
    let security = format!(
        "default-src 'none'; script-src '{}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&TRACE_SCRIPT)
    );
    let without_script = format!("<p>{WITHOUT_SCRIPT}</p>");
    let style = TRACE_STYLE.as_str();
    let script = TRACE_SCRIPT.as_str();
    OneFile { title, security: &security, style, script, without_script: &without_script }.with(packed)
}

/// The served page without its events: it asks for script, style and events under these paths.
pub fn trace_shell(title: &str) -> String {
    shell(title, "trace", WITHOUT_SCRIPT)
}
