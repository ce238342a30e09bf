//! The page of `swell debug`: a file that holds its events, and the shell of one that is served.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::html::{hash, head};
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
        hash(TRACE_SCRIPT)
    );
    let room = packed.len() * 4 / 3 + TRACE_SCRIPT.len() + TRACE_STYLE.len() + 4000;
    let mut out = String::with_capacity(room);
    head(&mut out, title);
    write!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{security}\">\n<style>{TRACE_STYLE}</style>\n\
         </head>\n<body>\n<noscript><p>{WITHOUT_SCRIPT}</p></noscript>\n<div id=\"app\"></div>\n\
         <script type=\"application/octet-stream\" id=\"data\">"
    )
    .expect("a String takes it");
    STANDARD.encode_string(packed, &mut out);
    write!(out, "</script>\n<script>{TRACE_SCRIPT}</script>\n</body>\n</html>\n").expect("a String takes it");
    out
}

/// The served page without its events: it asks for script, style and events under these paths.
pub fn trace_shell(title: &str) -> String {
    let mut out = String::new();
    head(&mut out, title);
    write!(
        out,
        "<link rel=\"stylesheet\" href=\"/trace.css\">\n</head>\n<body>\n<noscript><p>{WITHOUT_SCRIPT}</p></noscript>\n\
         <div id=\"app\"></div>\n<script src=\"/trace.js\"></script>\n</body>\n</html>\n"
    )
    .expect("a String takes it");
    out
}
