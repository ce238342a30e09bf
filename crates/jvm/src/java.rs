//! Finds Java on this machine.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest version that works: JMeter's classes need 8, ours 11.
const OLDEST: u32 = 11;

/// A Java installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Java {
    /// Its folder, with `bin` and `lib`.
    pub home: PathBuf,
    /// Its library.
    pub libjvm: PathBuf,
    /// Its version, as `17.0.15`.
    pub version: String,
    /// The first number of the version.
    pub major: u32,
}

/// Why no Java was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JavaError {
    /// Java's folder is not set, and `java` is not on the path.
    Nowhere,
    /// The folder does not contain Java.
    NotThere {
        /// What named it, as `JAVA_HOME`.
        named_by: String,
        /// The folder.
        folder: PathBuf,
        /// What is missing in it.
        missing: PathBuf,
    },
    /// It is too old.
    TooOld {
        /// Its folder.
        folder: PathBuf,
        /// Its version.
        version: String,
    },
}

impl fmt::Display for JavaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => write!(
                f,
                "Java was not found: --java-home and JAVA_HOME are not set, and `java` is not on the path.\n\
                 Install a JDK or JRE {OLDEST} to 25, on Debian and Ubuntu `apt install default-jre-headless`"
            ),
            Self::NotThere { named_by, folder, missing } => write!(
                f,
                "no Java in {} (set by {named_by}): {} is missing. Use the folder that contains `bin/java`, \
                 of Java {OLDEST} to 25",
                folder.display(),
                missing.display()
            ),
            Self::TooOld { folder, version } => write!(
                f,
                "Java {version} in {} is too old: use {OLDEST} or newer with --java-home or JAVA_HOME",
                folder.display()
            ),
        }
    }
}

impl std::error::Error for JavaError {}

impl Java {
    /// The Java to use: that in the folder `given` (`--java-home`), else in the one that
    /// `JAVA_HOME` names, else that of the first `java` on the path.
    ///
    /// # Errors
    /// There is none, or it is too old. Where one is named, no other is looked for.
    pub fn find(given: Option<&Path>) -> Result<Self, JavaError> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(folder) = given {
            return Self::within("--java-home", folder);
        }
        if let Some(folder) = variable("JAVA_HOME") {
            return Self::within("JAVA_HOME", Path::new(&folder));
        }
        let path = variable("PATH").unwrap_or_default();
        let java = std::env::split_paths(&path).map(|folder| folder.join("java")).find(|file| file.is_file());
        Self::of_program(&java.ok_or(JavaError::Nowhere)?)
    }

    /// The properties of its system, as a program that it runs would see them; none where it cannot
    /// be started. Those that say which program that is are left out. Takes a tenth of a second.
    pub fn properties(&self) -> Vec<(String, String)> {
        let output = show_properties(&self.home.join("bin/java")).unwrap_or_default();
        let own = |name: &str| matches!(name, "java.class.path" | "java.vm.compressedOopsMode");
        let all = shown_properties(&output).into_iter();
        all.filter(|(name, _)| !own(name)).collect()
    }

    /// Other folders of Java that are named or on the path and not used, in the order in which they
    /// are looked for.
    pub fn others(&self) -> Vec<PathBuf> {
        let named = std::env::var_os("JAVA_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&path).filter_map(|folder| {
            let java = folder.join("java").canonicalize().ok().filter(|file| file.is_file())?;
            Some(java.parent()?.parent()?.to_owned())
        });
        let real = |folder: PathBuf| folder.canonicalize().unwrap_or(folder);
        let mut others: Vec<PathBuf> = Vec::new();
        for folder in named.into_iter().chain(on_path).map(real) {
            if folder != real(self.home.clone()) && !others.contains(&folder) {
                others.push(folder);
            }
        }
        others
    }

    /// That of a program `java`. The file may be a script that starts the real one, so that one is
    /// asked where the file does not tell.
    fn of_program(java: &Path) -> Result<Self, JavaError> {
        let real = java.canonicalize().unwrap_or_else(|_| java.to_owned());
        let named_by = format!("`{}` on the path", java.display());
        let folder = real.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        Self::within(&named_by, folder)
            .or_else(|error| asked_home(java).map_or(Err(error), |home| Self::within(&named_by, &home)))
    }

    /// That in a folder.
    fn within(named_by: &str, folder: &Path) -> Result<Self, JavaError> {
        let library = Path::new("lib/server").join(libloading::library_filename("jvm"));
        let libjvm = folder.join(&library);
        let not_there = |missing| JavaError::NotThere {
            named_by: named_by.to_owned(),
            folder: folder.to_owned(),
            missing,
        };
        let release = std::fs::read_to_string(folder.join("release"));
        let version = release.ok().as_deref().and_then(version_in);
        let old = version.as_ref().filter(|version| major_of(version) < OLDEST);
        if let Some(version) = old {
            return Err(JavaError::TooOld { folder: folder.to_owned(), version: version.clone() });
        }
        if !libjvm.is_file() {
            return Err(not_there(library));
        }
        let version = version.ok_or_else(|| not_there(PathBuf::from("release")))?;
        Ok(Self { home: folder.to_owned(), libjvm, major: major_of(&version), version })
    }
}

/// The value of `JAVA_VERSION` in a file `release`.
fn version_in(release: &str) -> Option<String> {
    let value = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    Some(value.trim().trim_matches('"').to_owned())
}

/// The first number of a version; 8 of `1.8.0_402`.
fn major_of(version: &str) -> u32 {
    let mut numbers = version.split(['.', '_', '-', '+']).map(|part| part.parse().unwrap_or(0));
    match numbers.next() {
        Some(1) => numbers.next().unwrap_or(0),
        first => first.unwrap_or(0),
    }
}

/// Where a `java` says it is.
fn asked_home(java: &Path) -> Option<PathBuf> {
    let shown = shown_properties(&show_properties(java)?);
    shown.into_iter().find(|(name, _)| name == "java.home").map(|(_, home)| PathBuf::from(home))
}

/// What a `java` prints of its properties. The language and region are those of JMeter's start
/// script.
fn show_properties(java: &Path) -> Option<String> {
    let words = ["-Duser.language=en", "-Duser.region=EN", "-XshowSettings:properties", "-version"];
    let output = Command::new(java).args(words).output().ok()?;
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Names and values that `java` prints. Parts of a path are on separate lines.
fn shown_properties(output: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for line in output.lines().skip_while(|line| !line.starts_with("Property settings:")).skip(1) {
        let indent = line.len() - line.trim_start().len();
        match (indent, line.trim().split_once(" ="), all.last_mut()) {
            (0, ..) => break,
            (4, Some((name, value)), _) => all.push((name.to_owned(), value.trim_start().to_owned())),
            (_, _, Some((_, value))) => {
                value.push(':');
                value.push_str(line.trim());
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn java_in(folder: &Path, release: &str) {
        std::fs::create_dir_all(folder.join("lib/server")).expect("a folder");
        let library = folder.join("lib/server").join(libloading::library_filename("jvm"));
        std::fs::write(library, "").expect("a file");
        std::fs::write(folder.join("release"), release).expect("a file");
    }

    #[test]
    fn versions_are_read_from_the_file_release() {
        for (text, major) in [("17.0.15", 17), ("1.8.0_402", 8), ("25", 25), ("11.0.2+9", 11), ("x", 0)] {
            assert_eq!(major_of(text), major, "{text}");
        }
        assert_eq!(version_in("A=\"b\"\nJAVA_VERSION=\"21.0.1\"\n"), Some("21.0.1".to_owned()));
        assert_eq!(version_in("A=\"b\"\n"), None);
    }

    #[test]
    fn properties_are_read_from_what_java_prints() {
        let output = "Picked up X\nProperty settings:\n    java.class.path = \n    java.library.path = /a\n        /b = c\n    \
                      java.version = 17.0.15\n\nopenjdk version \"17\"\n    no = property\n";
        let shown = shown_properties(output);
        let shown: Vec<_> = shown.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let wanted =
            [("java.class.path", ""), ("java.library.path", "/a:/b = c"), ("java.version", "17.0.15")];
        assert_eq!(shown, wanted);
    }

    #[test]
    fn a_java_of_a_named_folder_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        java_in(folder.path(), "JAVA_VERSION=\"21.0.1\"\n");
        let java = Java::find(Some(folder.path())).expect("found");
        assert_eq!((java.major, java.version.as_str(), java.home.as_path()), (21, "21.0.1", folder.path()));
    }

    #[test]
    fn a_folder_without_java_is_named_with_what_it_lacks() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = Java::find(Some(folder.path())).expect_err("nothing is there").to_string();
        assert!(error.contains("--java-home") && error.contains("lib/server"), "{error}");
    }

    #[test]
    fn an_old_java_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        java_in(folder.path(), "JAVA_VERSION=\"1.8.0_402\"\n");
        let error = Java::find(Some(folder.path())).expect_err("too old").to_string();
        assert!(error.contains("1.8.0_402") && error.contains("11 or newer"), "{error}");
    }
}
