//! `swell jvm`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use swell_jvm::install::{Artifact, CENTRAL};

/// `swell jvm`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell jvm install                     JMeter's own classes, once (49 MB)
  swell jvm install kg.apc:jmeter-plugins-dummy:0.4
                                        also a plug-in, as `swell check` names it
  swell jvm status                      which Java and which JMeter a plan would use

A plan whose elements and scripts are all native needs none of this.

Exit status: 0 if it is done, or if all is there; 104 if not.")]
pub(crate) struct JvmCommandArgs {
    #[command(subcommand)]
    pub(crate) command: JvmSubcommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JvmSubcommand {
    /// Fetch JMeter's classes, and plug-ins, from Maven Central
    Install(JvmInstallArgs),
    /// Say which Java and which JMeter there are
    Status(JvmPlaceArgs),
}

/// `swell jvm install`.
#[derive(Debug, Args)]
pub(crate) struct JvmInstallArgs {
    /// Plug-ins to install with what they need, as kg.apc:jmeter-plugins-dummy:0.4
    #[arg(value_name = "GROUP:ARTIFACT:VERSION")]
    pub(crate) artifacts: Vec<Artifact>,
    /// Repository to fetch from, of Maven's layout
    #[arg(long, value_name = "URL", env = "SWELL_REPOSITORY", default_value = CENTRAL)]
    pub(crate) repository: String,
    /// Folder of the Java to resolve plug-ins with [default: JAVA_HOME, else `java` on the path]
    #[arg(long, value_name = "DIR")]
    pub(crate) java_home: Option<PathBuf>,
}

/// `swell jvm status`.
#[derive(Debug, Args)]
pub(crate) struct JvmPlaceArgs {
    /// Folder of Java [default: JAVA_HOME, else `java` on the path]
    #[arg(long, value_name = "DIR")]
    pub(crate) java_home: Option<PathBuf>,
    /// Folder of JMeter [default: JMETER_HOME, else what `swell jvm install` fetched]
    #[arg(long, value_name = "DIR")]
    pub(crate) jmeter_home: Option<PathBuf>,
}
