//! A recording: the proxy, and the thread that writes what it sees.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use swell_connect::TlsConfig;

use crate::authority::Authority;
use crate::exchange::Exchange;
use crate::har::{HarFile, entry};
use crate::hosts::HostPatterns;
use crate::pages::{Page, Pages, Transactions};
use crate::proxy::{OF_BROWSER, OTHER_HOST, Proxy, ProxyOptions};
use crate::upstream::Upstream;

/// Exchanges that may wait to be written; the proxy waits when there are more.
const WAITING: usize = 64;
/// Reasons and hosts that are kept; more are counted with the last.
const MOST_REASONS: usize = 1_000;

/// What bounds a recording.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a body that are kept.
    pub body_bytes: usize,
    /// Exchanges.
    pub exchanges: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl Limits {
    /// For recordings of all hosts.
    pub const ALL_HOSTS: Self = Self { body_bytes: 16 << 20, exchanges: 10_000, bytes: 1 << 30 };
    /// For recordings of hosts that were named.
    pub const NAMED_HOSTS: Self = Self { exchanges: 1_000_000, bytes: 16 << 30, ..Self::ALL_HOSTS };
}

/// What to record.
pub struct RecorderOptions {
    /// Where the proxy listens; port 0: a free one.
    pub bind: SocketAddr,
    /// Which hosts; none: all.
    pub hosts: HostPatterns,
    /// Who signs certificates.
    pub authority: Arc<Authority>,
    /// Whose certificates of servers are accepted.
    pub trust: Trust,
    /// The proxy on the way to servers.
    pub upstream: Upstream,
    /// The HAR file.
    pub raw: PathBuf,
    /// It may exist.
    pub overwrites: bool,
    /// What begins pages.
    pub transactions: Transactions,
    /// The host of the page that a browser opens; none: there is no browser.
    pub browses: Option<String>,
    /// Limits.
    pub limits: Limits,
}

/// Whose certificates of servers are accepted.
#[derive(Clone, Debug, Default)]
pub enum Trust {
    /// Those of whom this machine trusts.
    #[default]
    Machine,
    /// Those that one of these certificates (DER) has signed.
    Roots(Vec<Vec<u8>>),
    /// All.
    All,
}

/// What a recorder says while it records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watch {
    /// An exchange was written, the first of this number of pages.
    Pages(usize),
    /// Something is not recorded, for the first time.
    NotRecorded {
        /// The host.
        host: String,
        /// Why.
        why: String,
    },
    /// A limit was reached, and nothing more is recorded.
    Full(String),
    /// The file cannot be written, and nothing more is recorded.
    Failed(String),
}

/// What the proxy sees.
#[derive(Debug)]
pub(crate) enum Event {
    /// An exchange; it is a navigation of the browser.
    Exchange(Box<Exchange>, bool),
    /// Something that passes, and is not recorded.
    NotRecorded { host: String, why: String },
}

impl NotRecorded {
    /// Whether it is as the user wishes.
    pub fn is_wanted(why: &str) -> bool {
        why == OTHER_HOST || why == OF_BROWSER
    }
}

/// What was not recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRecorded {
    /// The host.
    pub host: String,
    /// Why.
    pub why: String,
    /// Connections or requests.
    pub count: u64,
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Exchanges in the file.
    pub exchanges: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Exchanges without a whole response, with the reason.
    pub failed: Vec<(String, String)>,
    /// URLs whose request or response was cut.
    pub cut: Vec<String>,
    /// What passed and is not in the file.
    pub not_recorded: Vec<NotRecorded>,
    /// Pages.
    pub pages: Vec<Page>,
    /// Why recording ended before the end.
    pub ended_early: Option<String>,
}

/// Why a recording cannot start.
#[derive(Debug)]
pub enum RecorderError {
    /// The HAR file exists.
    Exists(PathBuf),
    /// It cannot be written.
    File(PathBuf, io::Error),
    /// The proxy cannot listen.
    Listen(SocketAddr, io::Error),
}

/// A running recording.
pub struct Recorder {
    proxy: Proxy,
    pages: Arc<Mutex<Pages>>,
    writer: JoinHandle<Recorded>,
}

impl Recorder {
    /// Starts recording. `watch` is called by the writing thread.
    ///
    /// # Errors
    /// The file cannot be made, or the proxy cannot listen.
    pub fn start(
        options: RecorderOptions,
        watch: impl Fn(Watch) + Send + 'static,
    ) -> Result<Self, RecorderError> {
        let file = HarFile::create(&options.raw, options.overwrites).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => RecorderError::Exists(options.raw.clone()),
            _ => RecorderError::File(options.raw.clone(), error),
        })?;
        let pages = Arc::new(Mutex::new(Pages::new(options.transactions, options.browses.clone())));
        let (events, inbox) = mpsc::sync_channel(WAITING);
        let tls = match &options.trust {
            Trust::Machine => TlsConfig::trusting(&swell_connect::machine_roots()),
            Trust::Roots(roots) => TlsConfig::trusting(roots),
            Trust::All => TlsConfig::trust_all(),
        };
        let proxy = Proxy::start(ProxyOptions {
            bind: options.bind,
            hosts: options.hosts,
            has_browser: options.browses.is_some(),
            authority: options.authority,
            tls: tls.with_protocols(&[b"http/1.1"]),
            upstream: options.upstream,
            limits: options.limits,
            pages: pages.clone(),
            events,
        });
        let proxy = proxy.map_err(|error| RecorderError::Listen(options.bind, error))?;
        let writer = Writer::new(file, pages.clone(), options.limits, Box::new(watch));
        let thread = std::thread::Builder::new().name("swell-har".to_owned());
        let writer = thread.spawn(move || writer.run(&inbox));
        let writer = writer.map_err(|error| RecorderError::Listen(options.bind, error))?;
        Ok(Self { proxy, pages, writer })
    }

    /// Where the proxy listens.
    pub fn address(&self) -> SocketAddr {
        self.proxy.address()
    }

    /// The next request begins a page with this name; empty: one is made.
    pub fn begin_page(&self, name: &str) {
        self.pages.lock().enter(name);
    }

    /// Names of the pages there are.
    pub fn pages(&self) -> Vec<String> {
        self.pages.lock().all().iter().map(|page| page.title.clone()).collect()
    }

    /// Ends it.
    pub fn finish(self) -> Recorded {
        let Self { mut proxy, writer, .. } = self;
        proxy.stop();
        writer.join().unwrap_or_else(|_| Recorded {
            ended_early: Some("the writing thread failed".to_owned()),
            ..Recorded::default()
        })
    }
}

/// Writes exchanges in the order in which they end.
struct Writer {
    file: HarFile,
    pages: Arc<Mutex<Pages>>,
    limits: Limits,
    watch: Box<dyn Fn(Watch) + Send>,
    recorded: Recorded,
    not_recorded: BTreeMap<(String, String), u64>,
    seen_pages: usize,
}

impl Writer {
    fn new(
        file: HarFile,
        pages: Arc<Mutex<Pages>>,
        limits: Limits,
        watch: Box<dyn Fn(Watch) + Send>,
    ) -> Self {
        let recorded = Recorded::default();
        Self { file, pages, limits, watch, recorded, not_recorded: BTreeMap::new(), seen_pages: 0 }
    }

    fn run(mut self, inbox: &Receiver<Event>) -> Recorded {
        for event in inbox {
            match event {
                Event::Exchange(exchange, navigates) => self.exchange(&exchange, navigates),
                Event::NotRecorded { host, why } => self.not_recorded(host, why),
            }
        }
        let pages = self.pages.lock().all().to_vec();
        if let Err(error) = self.file.finish(&pages)
            && self.recorded.ended_early.is_none()
        {
            self.recorded.ended_early = Some(format!("the file cannot be written: {error}"));
        }
        let counted = self.not_recorded.into_iter();
        self.recorded.not_recorded =
            counted.map(|((host, why), count)| NotRecorded { host, why, count }).collect();
        self.recorded.pages = pages;
        self.recorded
    }

    fn exchange(&mut self, exchange: &Exchange, navigates: bool) {
        if self.recorded.ended_early.is_some() {
            return;
        }
        let entry = entry(exchange);
        if navigates && let (Some(page), Some(title)) = (exchange.page, title_of(&entry)) {
            self.pages.lock().name(page, &title);
        }
        let pages = self.pages.lock().all().to_vec();
        match self.file.add(&entry, &pages) {
            Ok(bytes) => self.recorded.bytes += bytes,
            Err(error) => return self.end(Watch::Failed(format!("the file cannot be written: {error}"))),
        }
        self.recorded.exchanges += 1;
        self.note(exchange);
        if pages.len() > self.seen_pages {
            self.seen_pages = pages.len();
            (self.watch)(Watch::Pages(pages.len()));
        }
        if self.recorded.exchanges >= self.limits.exchanges {
            self.end(Watch::Full(format!("{} exchanges are recorded", self.recorded.exchanges)));
        } else if self.recorded.bytes >= self.limits.bytes {
            self.end(Watch::Full(format!("{} MB are recorded", self.recorded.bytes >> 20)));
        }
    }

    fn note(&mut self, exchange: &Exchange) {
        let name = format!("{} {}", exchange.method, exchange.url);
        let response = exchange.response.as_ref();
        let is_cut =
            exchange.request.body.is_cut() || response.is_some_and(|response| response.message.body.is_cut());
        if is_cut && self.recorded.cut.len() < MOST_REASONS {
            self.recorded.cut.push(name.clone());
        }
        if let Some(why) = &exchange.failure
            && self.recorded.failed.len() < MOST_REASONS
        {
            self.recorded.failed.push((name, why.clone()));
        }
    }

    fn end(&mut self, watch: Watch) {
        if let Watch::Full(why) | Watch::Failed(why) = &watch {
            self.recorded.ended_early = Some(why.clone());
        }
        (self.watch)(watch);
    }

    fn not_recorded(&mut self, host: String, why: String) {
        let is_full = self.not_recorded.len() >= MOST_REASONS;
        let key = (host, why);
        if let Some(count) = self.not_recorded.get_mut(&key) {
            *count += 1;
        } else if !is_full {
            (self.watch)(Watch::NotRecorded { host: key.0.clone(), why: key.1.clone() });
            self.not_recorded.insert(key, 1);
        }
    }
}

/// Entities that titles have; the last is the one that begins the others.
const ENTITIES: &[(&str, &str)] =
    &[("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];

/// The title of the HTML document in a response.
fn title_of(entry: &serde_json::Value) -> Option<String> {
    let content = &entry["response"]["content"];
    if !content["mimeType"].as_str()?.starts_with("text/html") || !content["encoding"].is_null() {
        return None;
    }
    let text = content["text"].as_str()?;
    let lower = text.to_ascii_lowercase();
    let tag = lower.find("<title")?;
    let start = tag + lower[tag..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    let title = ENTITIES.iter().fold(text[start..end].to_owned(), |text, (name, c)| text.replace(name, c));
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = title.chars().filter(|c| !c.is_control()).take(80).collect();
    (!title.is_empty()).then_some(title)
}

impl fmt::Display for RecorderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(path) => write!(f, "{} exists", path.display()),
            Self::File(path, error) => write!(f, "cannot write {}: {error}", path.display()),
            Self::Listen(address, error) => write!(f, "cannot listen on {address}: {error}"),
        }
    }
}

impl std::error::Error for RecorderError {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn titles_of_documents_are_found() {
        let with = |mime: &str, text: &str| {
            title_of(&json!({ "response": { "content": { "mimeType": mime, "text": text } } }))
        };
        assert_eq!(
            with("text/html; charset=utf-8", "<TITLE a=b>\n Me &amp;\n You </Title>").as_deref(),
            Some("Me & You")
        );
        assert_eq!(with("text/html", "<title></title>"), None);
        assert_eq!(with("text/html", "<title>x"), None);
        assert_eq!(with("text/plain", "<title>x</title>"), None);
    }
}
