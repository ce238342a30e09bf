//! Finds JMeter on this machine.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The version that Swell is measured against.
pub(crate) const VERSION: &str = "5.6.3";

/// A folder with JMeter in the layout of its release: `bin`, `lib`, `lib/ext`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JMeterHome {
    folder: PathBuf,
}

/// Why no JMeter was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeError {
    /// What named the folder: `--jmeter-home`, `JMETER_HOME`; none: `swell jvm install` would have
    /// made it.
    pub named_by: Option<&'static str>,
    /// The folder.
    pub folder: PathBuf,
    /// What is missing in it.
    pub missing: PathBuf,
}

impl fmt::Display for HomeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        match self.named_by {
            Some(name) => write!(
                f,
                "no JMeter in {folder} (set by {name}): {} is missing. Use the folder of Apache JMeter \
                 {VERSION} that contains `bin` and `lib`",
                self.missing.display()
            ),
            None => write!(
                f,
                "JMeter's classes were not found: --jmeter-home and JMETER_HOME are not set, and nothing is installed in {folder}.\n\
                 `swell jvm install` downloads them from Maven Central (49 MB)"
            ),
        }
    }
}

impl std::error::Error for HomeError {}

impl JMeterHome {
    /// The JMeter to use: in the folder `given` (`--jmeter-home`), else where `JMETER_HOME` says,
    /// else what `swell jvm install` put into the user's cache.
    ///
    /// # Errors
    /// There is none. Where one is named, no other is looked for.
    pub fn find(given: Option<&Path>) -> Result<Self, HomeError> {
        if let Some(folder) = given {
            return Self::within(Some("--jmeter-home"), folder.to_owned());
        }
        match std::env::var_os("JMETER_HOME").filter(|value| !value.is_empty()) {
            Some(folder) => Self::within(Some("JMETER_HOME"), PathBuf::from(folder)),
            None => Self::within(None, Self::installed()),
        }
    }

    /// Where `swell jvm install` puts it: `swell/jmeter-5.6.3` in the user's cache.
    pub fn installed() -> PathBuf {
        cache().join(format!("jmeter-{VERSION}"))
    }

    fn within(named_by: Option<&'static str>, folder: PathBuf) -> Result<Self, HomeError> {
        let wanted = ["bin/jmeter.properties", "bin/saveservice.properties", "lib/ext/ApacheJMeter_core.jar"];
        match wanted.iter().find(|file| !folder.join(file).is_file()) {
            Some(missing) => Err(HomeError { named_by, folder, missing: PathBuf::from(missing) }),
            None => Ok(Self { folder }),
        }
    }

    /// Its version, as its jar of the core says it; none if that says none.
    pub fn version(&self) -> Option<String> {
        let jar = std::fs::File::open(self.folder.join("lib/ext/ApacheJMeter_core.jar")).ok()?;
        let mut manifest = String::new();
        zip::ZipArchive::new(jar)
            .ok()?
            .by_name("META-INF/MANIFEST.MF")
            .ok()?
            .read_to_string(&mut manifest)
            .ok()?;
        let version = manifest.lines().find_map(|line| line.strip_prefix("Implementation-Version:"))?;
        Some(version.trim().to_owned())
    }

    /// The warning about a version other than the one that Swell is tested against; `None` for that
    /// one.
    pub fn doubt(&self) -> Option<String> {
        let version = self.version().filter(|version| version != VERSION)?;
        let folder = self.folder.display();
        Some(format!(
            "JMeter in {folder} is version {version}; Swell is compatible with {VERSION}, and another \
             version may behave differently or fail to start"
        ))
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Swell's folder in the user's cache (`XDG_CACHE_HOME`, else `~/.cache`).
pub(crate) fn cache() -> PathBuf {
    let given = std::env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    given.or_else(home).unwrap_or_else(std::env::temp_dir).join("swell")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = JMeterHome { folder: folder.path().to_owned() };
        std::fs::create_dir_all(folder.path().join("lib/ext")).expect("a folder");
        assert_eq!((home.version(), home.doubt()), (None, None), "no jar");
        for (version, is_doubtful) in [("5.6.3", false), ("5.4.1", true)] {
            let jar = std::fs::File::create(folder.path().join("lib/ext/ApacheJMeter_core.jar"));
            let mut jar = zip::ZipWriter::new(jar.expect("a file"));
            jar.start_file("META-INF/MANIFEST.MF", zip::write::SimpleFileOptions::default())
                .expect("it is open");
            let manifest = format!("Manifest-Version: 1.0\r\nImplementation-Version: {version}\r\n");
            std::io::Write::write_all(&mut jar, manifest.as_bytes()).expect("it is open");
            jar.finish().expect("it is open");
            assert_eq!(home.version().as_deref(), Some(version));
            assert_eq!(home.doubt().is_some_and(|said| said.contains(version)), is_doubtful, "{version}");
        }
    }

    #[test]
    fn a_folder_without_jmeter_is_named_with_what_it_lacks() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("bin")).expect("a folder");
        std::fs::write(folder.path().join("bin/jmeter.properties"), "").expect("a file");
        let error = JMeterHome::find(Some(folder.path())).expect_err("half of it is missing").to_string();
        assert!(error.contains("--jmeter-home") && error.contains("bin/saveservice.properties"), "{error}");
    }
}
