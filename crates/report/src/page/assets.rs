//! The page of `web/`, as `make web` built it, inside the program.

/// Whether the program contains the page of `web/`. Without it, reports are plain pages and there
/// is no live page.
pub const IS_BUILT: bool = cfg!(has_web_page);

/// The script of the page; empty if it is not built.
#[cfg(has_web_page)]
pub const SCRIPT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist/app.js"));
/// The style sheet of the page; empty if it is not built.
#[cfg(has_web_page)]
pub const STYLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist/app.css"));

/// The script of the page; empty if it is not built.
#[cfg(not(has_web_page))]
pub const SCRIPT: &str = "";
/// The style sheet of the page; empty if it is not built.
#[cfg(not(has_web_page))]
pub const STYLE: &str = "";
