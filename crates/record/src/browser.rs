//! A browser with a fresh profile that goes through the proxy.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, fmt};

/// Names of Chromium and its kin, in the order in which they are tried.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
];

/// How long a browser has to end when it is asked to.
const END_WITHIN: Duration = Duration::from_secs(5);

/// What to start.
#[derive(Clone, Debug)]
pub struct BrowserOptions<'o> {
    /// The program.
    pub program: &'o Path,
    /// The address of the proxy.
    pub proxy: SocketAddr,
    /// The hash of the key to trust; see [`crate::Authority::key_hash`].
    pub key_hash: &'o str,
    /// The page to open.
    pub url: &'o str,
    /// Without a window.
    pub headless: bool,
}

/// Why no browser runs.
#[derive(Debug)]
pub enum BrowserError {
    /// No program has one of the known names.
    NotFound,
    /// It cannot be started.
    Start(PathBuf, io::Error),
    /// There is no folder for its profile.
    Profile(PathBuf, io::Error),
}

/// A running browser. Dropping it ends the browser and removes its profile.
pub struct Browser {
    child: Child,
    profile: PathBuf,
}

/// The first browser of the kind of Chromium that is in `PATH`.
///
/// # Errors
/// There is none.
pub fn find_browser() -> Result<PathBuf, BrowserError> {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    };
    let of_name = |name: &&str| env::split_paths(&path).map(|folder| folder.join(name)).find(is_program);
    NAMES.iter().find_map(of_name).ok_or(BrowserError::NotFound)
}

impl Browser {
    /// Starts it.
    ///
    /// # Errors
    /// There is no place for its profile, or the program cannot be started.
    pub fn start(options: &BrowserOptions<'_>) -> Result<Self, BrowserError> {
        let profile = new_profile()?;
        let log = File::create(profile.join("browser.log"));
        let log = log.map_or_else(|_| Stdio::null(), Stdio::from);
        let child = Command::new(options.program)
            .args(arguments(options, &profile, rustix::process::geteuid().is_root()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        match child {
            Ok(child) => Ok(Self { child, profile }),
            Err(error) => {
                remove(&profile);
                Err(BrowserError::Start(options.program.to_owned(), error))
            }
        }
    }

    /// Whether it has ended, and how.
    ///
    /// # Errors
    /// As the system's `waitpid`.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Its last message, for a browser that ends at once.
    pub fn last_message(&self) -> Option<String> {
        let log = fs::read(self.profile.join("browser.log")).ok()?;
        let text = String::from_utf8_lossy(&log);
        let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(line.chars().filter(|c| !c.is_control()).take(300).collect())
    }

    /// How it ended, as text; none if as usual.
    pub fn failure(status: ExitStatus) -> Option<String> {
        match (status.code(), status.signal()) {
            (Some(0), _) => None,
            (Some(code), _) => Some(format!("ended with status {code}")),
            (None, signal) => Some(format!("was ended by signal {}", signal.unwrap_or_default())),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
                // It may have ended meanwhile.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            }
            let until = Instant::now() + END_WITHIN;
            while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        remove(&self.profile);
    }
}

fn arguments(options: &BrowserOptions<'_>, profile: &Path, is_root: bool) -> Vec<OsString> {
    let mut folder = OsString::from("--user-data-dir=");
    folder.push(profile);
    let mut all = vec![
        folder,
        format!("--proxy-server=http://{}", options.proxy).into(),
        // Without it, loopback does not go through the proxy.
        "--proxy-bypass-list=<-loopback>".into(),
        format!("--ignore-certificate-errors-spki-list={}", options.key_hash).into(),
    ];
    let quiet = [
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-client-side-phishing-detection",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-domain-reliability",
        "--disable-extensions",
        "--disable-sync",
        "--disable-quic",
        "--password-store=basic",
        "--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,MediaRouter,\
         NetworkTimeServiceQuerying,OptimizationHints,PasswordLeakDetection,Translate",
    ];
    all.extend(quiet.map(OsString::from));
    if options.headless {
        all.extend(["--headless=new", "--disable-gpu", "--disable-dev-shm-usage"].map(OsString::from));
    }
    if is_root {
        // Chromium refuses to run as root with its sandbox.
        all.push("--no-sandbox".into());
    }
    all.push(options.url.into());
    all
}

/// A new folder that only this user may enter.
fn new_profile() -> Result<PathBuf, BrowserError> {
    let base = env::temp_dir();
    let mut number = 0_u32;
    loop {
        let path = base.join(format!("swell-record-{}-{number}", std::process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1_000 => number += 1,
            Err(error) => return Err(BrowserError::Profile(path, error)),
        }
    }
}

/// Removes a profile. Helpers of a browser may write for a moment after it.
fn remove(profile: &Path) {
    for _ in 0..50 {
        match fs::remove_dir_all(profile) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                std::thread::sleep(Duration::from_millis(20));
            }
            _ => return,
        }
    }
}

impl fmt::Display for BrowserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => write!(f, "no browser found: looked for {} in PATH", NAMES.join(", ")),
            Self::Start(program, error) => write!(f, "cannot start {}: {error}", program.display()),
            Self::Profile(path, error) => write!(f, "cannot make {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for BrowserError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(headless: bool, is_root: bool) -> Vec<String> {
        let options = BrowserOptions {
            program: Path::new("chromium"),
            proxy: ([127, 0, 0, 1], 8888).into(),
            key_hash: "abc=",
            url: "https://shop.test/",
            headless,
        };
        let all = arguments(&options, Path::new("/tmp/p"), is_root);
        all.iter().map(|text| text.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn browser_goes_through_the_proxy_with_a_fresh_profile() {
        let all = with(false, false);
        for wanted in [
            "--user-data-dir=/tmp/p",
            "--proxy-server=http://127.0.0.1:8888",
            "--proxy-bypass-list=<-loopback>",
            "--ignore-certificate-errors-spki-list=abc=",
        ] {
            assert!(all.iter().any(|found| found == wanted), "{wanted}");
        }
        assert_eq!(all.last().map(String::as_str), Some("https://shop.test/"));
        assert!(!all.iter().any(|found| found.starts_with("--headless") || found == "--no-sandbox"));
        assert!(with(true, true).iter().any(|found| found == "--no-sandbox"));
    }

    #[test]
    fn browser_that_ends_leaves_no_profile() {
        let options = BrowserOptions {
            program: Path::new("/bin/false"),
            proxy: ([127, 0, 0, 1], 1).into(),
            key_hash: "",
            url: "about:blank",
            headless: true,
        };
        let mut browser = Browser::start(&options).unwrap();
        let status = browser.child.wait().unwrap();
        assert_eq!(Browser::failure(status).as_deref(), Some("ended with status 1"));
        assert!(browser.ended().unwrap().is_some() && browser.last_message().is_none());
        let profile = browser.profile.clone();
        assert!(profile.exists());
        drop(browser);
        assert!(!profile.exists());
        let nothing = BrowserOptions { program: Path::new("/nowhere/chromium"), ..options };
        assert!(matches!(Browser::start(&nothing), Err(BrowserError::Start(..))));
    }
}
