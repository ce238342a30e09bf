//! Records what a browser or another client sends: a proxy that writes a HAR file.
//!
//! ```text
//! browser ─▶ proxy (one event loop) ─▶ server
//!               │ Exchange, with its page
//!               ▼
//!            writer (one thread) ─▶ HAR file, complete after each exchange
//! ```
//!
//! [`Recorder`] runs both. HTTPS is decrypted with certificates that an [`Authority`] signs; only
//! a client that is set to trust it does. [`Browser`] starts Chromium so. What is not HTTP, or
//! is to other hosts than those that were asked for, passes unchanged and is listed. The plan is
//! made of the HAR file by crate `import`.

mod authority;
mod browser;
mod exchange;
mod har;
mod hosts;
mod pages;
mod proxy;
mod recorder;
mod upstream;

pub use authority::{Authority, AuthorityError, default_folder};
pub use browser::{Browser, BrowserError, BrowserOptions, find_browser};
pub use exchange::{Content, Exchange, Message, RecordedResponse, Timings};
pub use har::{HarFile, entry};
pub use hosts::HostPatterns;
pub use pages::{Page, Pages, RequestFacts, Transactions};
pub use recorder::{Limits, NotRecorded, Recorded, Recorder, RecorderError, RecorderOptions, Trust, Watch};
pub use upstream::Upstream;
