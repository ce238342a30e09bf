//! Options that set properties, in their order on the command line.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, FromArgMatches};

use super::values::{SecretSource, ValueArgs};

/// Properties and where they come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingArgs {
    /// `-p`.
    pub(crate) propfile: Option<PathBuf>,
    /// `-d`.
    pub(crate) homedir: Option<PathBuf>,
    /// `--env-file`.
    pub(crate) env_files: Vec<PathBuf>,
    ordered: Vec<Setting>,
    /// Names of `-J`, which JMeter's servers do not get.
    pub(crate) local: Vec<String>,
}

/// One setting of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// A JMeter property (`-J`, `-G`).
    Property(String, String),
    /// Many of them (`-q`, `-G` with a file).
    File(PathBuf),
    /// A property of the Java system (`-D`).
    System(String, String),
    /// Many of them (`-S`).
    SystemFile(PathBuf),
    /// A custom figure (`--figure`).
    Figure(String),
    /// A JMeter property whose value is masked (`--secret`).
    Secret(String, SecretSource),
}

impl SettingArgs {
    /// The settings in their order on the command line.
    pub(crate) fn in_order(&self) -> &[Setting] {
        &self.ordered
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Properties and proxy")]
struct Raw {
    /// Set a JMeter property; repeatable
    #[arg(short = 'J', long = "jmeterproperty", value_name = "NAME=VALUE", value_parser = named)]
    jmeter: Vec<String>,
    /// Set a JMeter property here and on all agents; repeatable
    #[arg(short = 'G', long = "globalproperty", value_name = "NAME=VALUE", value_parser = named)]
    global: Vec<String>,
    /// Set a Java system property, such as a proxy or trust store; repeatable
    #[arg(short = 'D', long = "systemproperty", value_name = "NAME=VALUE", value_parser = named)]
    system: Vec<String>,
    /// Read JMeter properties from this file; repeatable
    #[arg(short = 'q', long = "addprop", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Read Java system properties from this file; repeatable
    #[arg(short = 'S', long = "systemPropertyFile", value_name = "FILE")]
    system_files: Vec<PathBuf>,
    #[command(flatten)]
    values: ValueArgs,
    /// Read this file instead of jmeter.properties
    #[arg(short = 'p', long = "propfile", value_name = "FILE")]
    propfile: Option<PathBuf>,
    /// JMeter installation whose bin/jmeter.properties and bin/user.properties are read
    #[arg(short = 'd', long = "homedir", value_name = "DIR", env = "JMETER_HOME")]
    homedir: Option<PathBuf>,
    /// Proxy host for samplers that name no proxy
    #[arg(short = 'H', long = "proxyHost", value_name = "HOST", requires = "proxy_port")]
    proxy_host: Option<String>,
    /// Proxy port
    #[arg(short = 'P', long = "proxyPort", value_name = "PORT", requires = "proxy_host")]
    proxy_port: Option<u16>,
    /// Hosts to reach without the proxy: *.example.com|localhost
    #[arg(short = 'N', long = "nonProxyHosts", value_name = "HOSTS")]
    non_proxy_hosts: Option<String>,
    /// User name for the proxy
    #[arg(short = 'u', long = "username", value_name = "NAME")]
    proxy_user: Option<String>,
    /// Password for the proxy
    #[arg(short = 'a', long = "password", value_name = "PASSWORD")]
    proxy_password: Option<String>,
    /// Proxy protocol; only http is supported
    #[arg(short = 'E', long = "proxyScheme", value_name = "SCHEME", value_parser = ["http"])]
    proxy_scheme: Option<String>,
}

/// `--proxyHost` of a command that is not JMeter's spelling: there `-H` is a request header, as in
/// `swell hit`.
pub(crate) fn proxy_host_without_short(arg: Arg) -> Arg {
    arg.short(None)
}

impl Raw {
    /// What the options of a proxy set, after all other settings as in `JMeter.setProxy`.
    fn proxy(&self) -> impl Iterator<Item = Setting> {
        let port = self.proxy_port.map(|port| port.to_string());
        let user = self.proxy_user.as_ref();
        [
            ("http.proxyHost", self.proxy_host.clone()),
            ("https.proxyHost", self.proxy_host.clone()),
            ("http.proxyPort", port.clone()),
            ("https.proxyPort", port),
            ("http.nonProxyHosts", self.non_proxy_hosts.clone()),
            ("https.nonProxyHosts", self.non_proxy_hosts.clone()),
            ("http.proxyScheme", self.proxy_scheme.clone()),
            ("http.proxyUser", user.cloned()),
            ("http.proxyPass", self.proxy_password.clone().filter(|_| user.is_some())),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some(Setting::System(name.to_owned(), value?)))
    }
}

/// A setting that has a name.
fn named(text: &str) -> Result<String, String> {
    let nameless = text.split('=').next().is_none_or(|name| name.trim().is_empty());
    if nameless { Err("missing name; write name=value".to_owned()) } else { Ok(text.to_owned()) }
}

/// `name=value`; a name alone has an empty value.
fn pair(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.trim().to_owned(), value.to_owned())
}

/// `-d` is a duration in `swell hit` and in most load-testing tools.
fn no_home(home: &Path) -> clap::Error {
    let text = home.display().to_string();
    let is_duration = text.starts_with(|first: char| first.is_ascii_digit());
    let hint = if is_duration {
        format!("for a duration use --for {text}")
    } else {
        "-d is the folder of a JMeter installation; for a duration use --for 30s".to_owned()
    };
    let what = format!("-d {text}: this folder does not exist (-d is JMeter's home directory)");
    clap::Error::raw(ErrorKind::ValueValidation, format!("{what}\n  hint: {hint}\n"))
}

impl FromArgMatches for SettingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let raw = Raw::from_arg_matches(matches)?;
        let is_given = matches.value_source("homedir") == Some(ValueSource::CommandLine);
        if let Some(home) = raw.homedir.as_ref().filter(|home| is_given && !home.is_dir()) {
            return Err(no_home(home));
        }
        let indices = |id: &str| matches.indices_of(id).into_iter().flatten().collect::<Vec<_>>();
        let mut all: Vec<(usize, Setting)> = Vec::new();
        let mut add = |id: &str, settings: Vec<Setting>| all.extend(indices(id).into_iter().zip(settings));
        let property = |text: &String| {
            let (name, value) = pair(text);
            Setting::Property(name, value)
        };
        // `-G` takes a property or a file, told apart as JMeter does: by the equals sign.
        let global =
            |text: &String| if text.contains('=') { property(text) } else { Setting::File(text.into()) };
        let system = |text: &String| {
            let (name, value) = pair(text);
            Setting::System(name, value)
        };
        add("jmeter", raw.jmeter.iter().map(property).collect());
        add("global", raw.global.iter().map(global).collect());
        add("system", raw.system.iter().map(system).collect());
        let proxy: Vec<Setting> = raw.proxy().collect();
        let ValueArgs { secrets, figures, env_files } = raw.values;
        add("figures", figures.into_iter().map(Setting::Figure).collect());
        add("secrets", secrets.into_iter().map(|(name, source)| Setting::Secret(name, source)).collect());
        add("files", raw.files.into_iter().map(Setting::File).collect());
        add("system_files", raw.system_files.into_iter().map(Setting::SystemFile).collect());
        all.sort_by_key(|(index, _)| *index);
        let ordered = all.into_iter().map(|(_, setting)| setting).chain(proxy).collect();
        let is_global = |name: &String| raw.global.iter().any(|text| pair(text).0 == *name);
        let local = raw.jmeter.iter().map(|text| pair(text).0).filter(|name| !is_global(name)).collect();
        let Raw { propfile, homedir, .. } = raw;
        Ok(Self { propfile, homedir, env_files, ordered, local })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for SettingArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        Raw::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Raw::augment_args_for_update(command)
    }
}
