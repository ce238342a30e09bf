//! A folder of a test, gone at its end.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use swell_plan::Node;

use super::call::{Call, Ended, LIMIT};
use super::jtl::Jtl;
use super::plan;

/// A new folder in which the command is run.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder can be made"))
    }

    /// With a plan `plan.jmx` of these nodes below the Test Plan: thread groups and others.
    pub(crate) fn with_plan(nodes: impl IntoIterator<Item = Node>) -> Self {
        let folder = Self::new();
        folder.write("plan.jmx", plan::jmx(nodes));
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.at(name), content).expect("the folder can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A report as text: its page and, where that is packed into it, its data.
    pub(crate) fn report(&self, name: &str) -> String {
        let page = self.read(name);
        let data =
            page.split_once("id=\"data\">").map(|(_, rest)| rest.split('<').next().unwrap_or_default());
        let Some(data) = data else { return page };
        let packed = STANDARD.decode(data).expect("base64");
        let mut text = page.replace(data, "");
        GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("gzip of UTF-8");
        text
    }

    /// Waits until a file that another process or thread writes has this text.
    pub(crate) fn wait_for(&self, name: &str, text: &str) {
        let deadline = Instant::now() + LIMIT;
        while !fs::read_to_string(self.at(name)).is_ok_and(|content| content.contains(text)) {
            assert!(Instant::now() < deadline, "{name} never had `{text}`");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.at(name).exists()
    }

    /// `swell` with these arguments, to be started.
    pub(crate) fn call(&self, args: &[&str]) -> Call {
        Call::new(self.path(), args)
    }

    /// `swell` with these arguments, to its end.
    pub(crate) fn swell(&self, args: &[&str]) -> Ended {
        self.call(args).run()
    }

    /// The results file of that name.
    pub(crate) fn jtl(&self, name: &str) -> Jtl {
        Jtl::parse(&self.read(name))
    }
}
