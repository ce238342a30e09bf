//! Runs Swell's command line.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A built Swell.
#[derive(Clone, Debug)]
pub struct Swell {
    binary: PathBuf,
}

impl Swell {
    /// Returns the binary that `SWELL_BIN` names, or the newest in the target folders of this
    /// workspace.
    ///
    /// # Errors
    /// There is none; with what to do.
    pub fn find() -> Result<Self, String> {
        if let Some(named) = std::env::var_os("SWELL_BIN") {
            let binary = PathBuf::from(named);
            return match binary.canonicalize() {
                Ok(binary) => Ok(Self { binary }),
                Err(error) => Err(format!("SWELL_BIN={}: {error}", binary.display())),
            };
        }
        let candidates = target_folders().into_iter().flat_map(|folder| {
            ["release", "demo", "debug", "profiling"].map(|profile| folder.join(profile).join("swell"))
        });
        let built = candidates.filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file)));
        let newest = built.max_by_key(|(time, _)| *time);
        newest.map(|(_, binary)| Self { binary }).ok_or_else(|| {
            "no swell binary in the target folder (cargo build -p swell), and SWELL_BIN is not set".to_owned()
        })
    }

    /// The program.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    pub(super) fn command(&self, plan: &str, results: &str, properties: &[(String, String)]) -> Command {
        let mut swell = Command::new(&self.binary);
        swell.args(["run", plan, "-l", results, "-j", super::LOG, "-f"]).env("TZ", "UTC");
        swell.args(properties.iter().map(|(name, value)| format!("-J{name}={value}")));
        swell
    }
}

/// Returns the folder where this program was built, and the default one.
fn target_folders() -> Vec<PathBuf> {
    let here = std::env::current_exe().unwrap_or_default();
    let above = here.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_owned);
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    above.into_iter().chain([default]).collect()
}
