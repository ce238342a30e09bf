//! `swell jvm`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use swell_jvm::install::{Artifact, ArtifactError, CENTRAL, Jar, JarError, JarSource};

/// `swell jvm`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell jvm install                     JMeter's own classes, once (49 MB)
  swell jvm install kg.apc:jmeter-plugins-dummy:0.4
                                        also a plug-in, as `swell check` names it
  swell jvm install ./my.jar            also a local jar; a URL needs --sha256 DIGEST
  swell jvm status                      which Java and which JMeter a plan would use

Plans whose elements and scripts all run natively need none of this.

Exit status: 0 on success, 104 if something is missing or failed.")]
pub(crate) struct JvmCommandArgs {
    #[command(subcommand)]
    pub(crate) command: JvmSubcommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JvmSubcommand {
    /// Download JMeter's classes and plug-ins from Maven Central
    Install(JvmInstallArgs),
    /// Show which Java and JMeter are found
    Status(JvmPlaceArgs),
}

/// `swell jvm install`.
#[derive(Debug, Args)]
pub(crate) struct JvmInstallArgs {
    /// Plug-ins (kg.apc:jmeter-plugins-dummy:0.4), jar files, or URLs of jars
    ///
    /// Plug-ins are installed with their dependencies. A URL needs its SHA-256 digest.
    #[arg(value_name = "GROUP:ARTIFACT:VERSION|JAR")]
    pub(crate) wanted: Vec<Wanted>,
    /// SHA-256 digest of each jar, in the order of the jars; required for URLs
    #[arg(long, value_name = "DIGEST", value_parser = sha256)]
    pub(crate) sha256: Vec<String>,
    /// Maven repository to download from
    #[arg(long, value_name = "URL", env = "SWELL_REPOSITORY", default_value = CENTRAL)]
    pub(crate) repository: String,
    /// Java installation that resolves plug-ins [default: JAVA_HOME, else `java` on the PATH]
    #[arg(long, value_name = "DIR")]
    pub(crate) java_home: Option<PathBuf>,
}

/// What `swell jvm install` is asked for.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// A plug-in of the repository.
    Artifact(Artifact),
    /// A single jar.
    Jar(JarSource),
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if JarSource::is_meant(text) {
            return text.parse().map(Self::Jar).map_err(|error: JarError| error.to_string());
        }
        text.parse().map(Self::Artifact).map_err(|error: ArtifactError| error.to_string())
    }
}

impl JvmInstallArgs {
    /// The plug-ins.
    pub(crate) fn artifacts(&self) -> Vec<Artifact> {
        let artifacts = self.wanted.iter().filter_map(|wanted| match wanted {
            Wanted::Artifact(artifact) => Some(artifact.clone()),
            Wanted::Jar(_) => None,
        });
        artifacts.collect()
    }

    /// The jars with their digests.
    pub(crate) fn jars(&self) -> Result<Vec<Jar>, String> {
        let jars: Vec<_> = self
            .wanted
            .iter()
            .filter_map(|wanted| match wanted {
                Wanted::Jar(source) => Some(source.clone()),
                Wanted::Artifact(_) => None,
            })
            .collect();
        let wanted = jars.len();
        let given = self.sha256.len();
        if given > 0 && given != wanted {
            return Err(format!(
                "--sha256 is given {given} times for {wanted} jars: give one for each jar, in their order"
            ));
        }
        let digests = self.sha256.iter().cloned().map(Some).chain(std::iter::repeat(None));
        Ok(jars.into_iter().zip(digests).map(|(source, digest)| Jar { source, digest }).collect())
    }
}

fn sha256(text: &str) -> Result<String, String> {
    let text = text.trim().to_ascii_lowercase();
    let is_digest = text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit());
    if is_digest {
        Ok(text)
    } else {
        Err("expected 64 hexadecimal digits, as `sha256sum FILE` prints them".to_owned())
    }
}

/// `swell jvm status`.
#[derive(Debug, Args)]
pub(crate) struct JvmPlaceArgs {
    /// Java installation to check [default: JAVA_HOME, else `java` on the PATH]
    #[arg(long, value_name = "DIR")]
    pub(crate) java_home: Option<PathBuf>,
    /// JMeter installation to check [default: JMETER_HOME, else the one Swell installed]
    #[arg(long, value_name = "DIR")]
    pub(crate) jmeter_home: Option<PathBuf>,
}
