//! Properties of a run, in JMeter's order: jmeter.properties, user.properties, system.properties,
//! then the command line.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use swell_connect::TlsConfig;
use swell_expr::{FileLimits, Properties};
use swell_run::host::read_whole;
use swell_run::{FIGURES, SECRETS};

use crate::args::properties::{Setting, SettingArgs};
use crate::args::values::{SecretSource, ValueArgs};

/// Properties that change what JMeter does, and have no effect in Swell.
const IDLE: [&str; 12] = [
    "css.parser.ignore_all_css_errors",
    "cssParser.className",
    "document.max_size",
    "function.cache.per.iteration",
    "hc.parameters.file",
    "htmlParser.className",
    "http.java.sampler.retries",
    "httpclient.socket.http.cps",
    "httpclient.socket.https.cps",
    "https.cipherSuites",
    "https.default.protocol",
    "https.socket.protocols",
];

/// What JMeter's shipped file sets some of them to; Swell does the same.
const PARSERS: [&str; 2] = [
    "org.apache.jmeter.protocol.http.parser.CssParser",
    "org.apache.jmeter.protocol.http.parser.LagartoBasedHtmlParser",
];

/// Those that are set and do nothing.
pub(crate) fn ignored_properties(props: &Properties) -> Vec<&'static str> {
    let text = |name: &str| props.get(name).unwrap_or_default();
    let [versions, suites] = ["https.socket.protocols", "https.cipherSuites"].map(text);
    let can = |versions: &str, suites: &str| {
        let [versions, suites] =
            [versions, suites].map(|names| names.split_ascii_whitespace().collect::<Vec<_>>());
        TlsConfig::trust_all_with(&versions, &suites).is_some()
    };
    let is_idle = |name: &&str| {
        props.get(name).is_some_and(|value| match *name {
            "https.socket.protocols" => !can(&versions, "") || !can(&versions, &suites),
            "https.cipherSuites" => !can("", &suites) || !can(&versions, &suites),
            _ => !PARSERS.contains(&value.trim()),
        })
    };
    IDLE.into_iter().filter(is_idle).collect()
}

/// A property, or a file of properties, that cannot be read.
#[derive(Debug)]
pub(crate) struct SettingsError(String);

impl SettingsError {
    fn of_file(file: &Path, error: &io::Error) -> Self {
        Self(format!("cannot read properties from `{}`: {error}", file.display()))
    }
}

impl std::fmt::Display for SettingsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads all properties that the command line names.
pub(crate) fn load(args: &SettingArgs) -> Result<Properties, SettingsError> {
    let props = swell_run::jmeter_defaults();
    let home_file = |name: &str| args.homedir.as_ref().map(|home| home.join("bin").join(name));
    match &args.propfile {
        Some(file) => read_into(&props, file)?,
        None => read_if_there(&props, home_file("jmeter.properties").as_deref())?,
    }
    for more in ["user.properties", "system.properties"] {
        let name = props.get_own(more).unwrap_or_default();
        if !name.is_empty() {
            let here = PathBuf::from(&name);
            let file = if here.exists() { Some(here) } else { home_file(&name) };
            let into = if more == "user.properties" { read_into } else { read_system_into };
            if let Some(file) = file.filter(|file| file.exists()) {
                into(&props, &file)?;
            }
        }
    }
    for setting in args.in_order() {
        match setting {
            Setting::Property(name, value) => set(&props, name, value),
            Setting::System(name, value) => {
                props.set_system(name, Some(value.as_str()).filter(|value| !value.is_empty()));
            }
            Setting::File(file) => read_into(&props, file)?,
            Setting::SystemFile(file) => read_system_into(&props, file)?,
            Setting::Figure(figure) => append(&props, FIGURES, figure),
            Setting::Secret(name, source) => set_secret(&props, name, source)?,
        }
    }
    swell_run::protect_secrets(&props);
    Ok(props)
}

/// Adds secrets and custom figures to properties.
///
/// # Errors
/// The value of a secret cannot be read.
pub(crate) fn add_values(props: &Properties, values: &ValueArgs) -> Result<(), SettingsError> {
    for figure in &values.figures {
        append(props, FIGURES, figure);
    }
    for (name, source) in &values.secrets {
        set_secret(props, name, source)?;
    }
    swell_run::protect_secrets(props);
    Ok(())
}

fn set_secret(props: &Properties, name: &str, source: &SecretSource) -> Result<(), SettingsError> {
    props.set(name, &secret(name, source)?);
    append(props, SECRETS, name);
    Ok(())
}

/// Adds to a property that is a list.
fn append(props: &Properties, name: &str, value: &str) {
    let all = props.get(name).into_iter().chain([value.to_owned()]);
    props.set(name, &all.collect::<Vec<_>>().join(","));
}

/// The value of a secret, without the line end of its file.
fn secret(name: &str, source: &SecretSource) -> Result<String, SettingsError> {
    let wrong = |why: String| SettingsError(format!("cannot read the secret `{name}`: {why}"));
    let text = match source {
        SecretSource::File(file) => {
            let read = read_whole(file, FileLimits::default());
            let bytes = read.map_err(|error| wrong(format!("`{}`: {error}", file.display())))?;
            String::from_utf8(bytes).map_err(|_| wrong(format!("`{}` is not UTF-8", file.display())))?
        }
        SecretSource::Variable(variable) => std::env::var(variable)
            .map_err(|_| wrong(format!("the environment has no text in the variable `{variable}`")))?,
    };
    let value = text.trim_end_matches(['\n', '\r']);
    if value.trim().len() < swell_secrets::SHORTEST {
        let shortest = swell_secrets::SHORTEST;
        return Err(wrong(format!("it has fewer than {shortest} bytes, so it cannot be masked")));
    }
    Ok(value.to_owned())
}

/// The properties of the Java system that the command line names, in their order. A file that
/// cannot be read is an error of [`load`].
pub(crate) fn system_properties(args: &SettingArgs) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for setting in args.in_order() {
        match setting {
            Setting::System(name, value) => all.push((name.clone(), value.clone())),
            Setting::SystemFile(file) => all.extend(read(file).into_iter().flatten()),
            Setting::Property(..) | Setting::File(_) | Setting::Secret(..) | Setting::Figure(_) => {}
        }
    }
    all
}

/// As JMeter: an empty value removes the property.
fn set(props: &Properties, name: &str, value: &str) {
    if value.is_empty() {
        props.remove(name)
    } else {
        props.set(name, value)
    };
}

fn read_if_there(props: &Properties, file: Option<&Path>) -> Result<(), SettingsError> {
    match file {
        Some(file) if file.exists() => read_into(props, file),
        _ => Ok(()),
    }
}

fn read_into(props: &Properties, file: &Path) -> Result<(), SettingsError> {
    for (name, value) in read_named(file)? {
        props.set(&name, &value);
    }
    Ok(())
}

/// Reads a file of properties of the Java system.
fn read_system_into(props: &Properties, file: &Path) -> Result<(), SettingsError> {
    for (name, value) in read_named(file)? {
        props.set_system(&name, Some(&value));
    }
    Ok(())
}

fn read_named(file: &Path) -> Result<HashMap<String, String>, SettingsError> {
    read(file).map_err(|error| SettingsError::of_file(file, &error))
}

fn read(file: &Path) -> io::Result<HashMap<String, String>> {
    swell_expr::read_property_file(&read_whole(file, FileLimits::default())?).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};

    fn load_from(line: &[&str]) -> Result<Properties, SettingsError> {
        let matches =
            SettingArgs::augment_args(Command::new("t")).no_binary_name(true).get_matches_from(line);
        load(&SettingArgs::from_arg_matches(&matches).expect("valid"))
    }

    fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let file = dir.path().join(name);
            std::fs::create_dir_all(file.parent().expect("in the folder")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        dir
    }

    #[test]
    fn later_settings_win_and_empty_ones_remove() {
        let dir = folder_with(&[
            (
                "bin/jmeter.properties",
                "a=home\nb=home\nc=home\nd:colon\ne = two \\\n  lines\n# no\nf=\\u00e4",
            ),
            ("bin/user.properties", "b=user\nc=user"),
            ("more", "c=more\ng=more"),
        ]);
        let home = dir.path().to_str().expect("UTF-8");
        let more = dir.path().join("more");
        let more = more.to_str().expect("UTF-8");
        let props =
            load_from(&["-d", home, "-Jg=first", "-q", more, "-Ja=line", "-Jd="]).expect("all readable");
        let table =
            [("a", "line"), ("b", "user"), ("c", "more"), ("e", "two lines"), ("f", "ä"), ("g", "more")];
        for (name, want) in table {
            assert_eq!(props.get(name).as_deref(), Some(want), "{name}");
        }
        assert_eq!(props.get("d"), None);
        assert_eq!(props.get("summariser.name").as_deref(), Some("summary"));
    }

    #[test]
    fn options_of_a_proxy_are_properties() {
        let dir = folder_with(&[("bin/system.properties", "http.proxyHost=file\nhttp.proxyPort=1")]);
        let home = dir.path().to_str().expect("UTF-8");
        let host = |line: &[&str]| load_from(line).expect("all readable").get("http.proxyHost");
        assert_eq!(host(&["-d", home]).as_deref(), Some("file"));
        let line =
            ["-d", home, "-H", "p", "-P8080", "-Dhttp.proxyHost=early", "-N", "*.x|y", "-u", "me", "-a", "s"];
        let props = load_from(&line).expect("all readable");
        let wanted = [
            ("http.proxyHost", "p"),
            ("https.proxyPort", "8080"),
            ("http.nonProxyHosts", "*.x|y"),
            ("http.proxyUser", "me"),
            ("http.proxyPass", "s"),
        ];
        for (name, value) in wanted {
            assert_eq!(props.get(name).as_deref(), Some(value), "{name}");
        }
        let alone = SettingArgs::augment_args(Command::new("t"))
            .no_binary_name(true)
            .try_get_matches_from(["-H", "p"]);
        assert!(alone.is_err(), "a host without a port");
    }

    #[test]
    fn properties_of_the_java_system_are_the_defaults_of_jmeters() {
        let dir = folder_with(&[
            ("bin/user.properties", "a=user"),
            ("bin/system.properties", "a=system\nb=system\nuser.name=other"),
            ("more", "c=more"),
        ]);
        let home = dir.path().to_str().expect("UTF-8");
        let more = dir.path().join("more");
        let more = more.to_str().expect("UTF-8");
        let props = load_from(&["-d", home, "-S", more, "-Da=line", "-Dd=line", "-De=", "-Duser.home="]);
        let props = props.expect("all readable");
        let seen = |name: &str| (props.get(name), props.get_own(name));
        let text = |value: &str| Some(value.to_owned());
        assert_eq!(seen("a"), (text("user"), text("user")));
        for (name, value) in [("b", "system"), ("c", "more"), ("d", "line"), ("user.name", "other")] {
            assert_eq!(seen(name), (text(value), None), "{name}");
        }
        assert_eq!([seen("e"), seen("user.home")], [(None, None), (None, None)]);
        assert_eq!(props.get("file.separator").as_deref(), Some("/"));
        let sent = props.entries_to_send();
        assert_eq!((sent.get("a"), sent.get("d")), (text("user").as_ref(), text("line").as_ref()));
        assert_eq!(sent.get("file.separator"), None, "another machine has its own");
    }

    #[test]
    fn propfile_replaces_the_one_of_home() {
        let dir = folder_with(&[("bin/jmeter.properties", "a=home"), ("own", "b=own")]);
        let home = dir.path().to_str().expect("UTF-8");
        let own = dir.path().join("own");
        let props = load_from(&["-d", home, "-p", own.to_str().expect("UTF-8")]).expect("all readable");
        assert_eq!((props.get("a"), props.get("b").as_deref()), (None, Some("own")));
    }

    #[test]
    fn a_secret_comes_from_a_file_or_a_variable_and_is_masked() {
        let dir = folder_with(&[("token", "t0p-s3cret-of-a-test\n"), ("short", "abc\n")]);
        let of = |name: &str, file: &str| format!("--secret={name}=@{}", dir.path().join(file).display());
        let line = [of("db.token", "token"), "-Jswell.secrets=other".to_owned(), of("second", "token")];
        let line: Vec<_> = line.iter().map(String::as_str).chain(["--secret", "home=env:PATH"]).collect();
        let props = load_from(&line).expect("all readable");
        assert_eq!(props.get("db.token").as_deref(), Some("t0p-s3cret-of-a-test"));
        assert_eq!(props.get("home"), std::env::var("PATH").ok());
        assert_eq!(props.get(SECRETS).as_deref(), Some("other,second,home"));
        assert_eq!(swell_report::without_passwords("x t0p-s3cret-of-a-test"), "x ***");
        for (line, why) in [
            (of("a", "short"), "the secret `a`: it has fewer than 4 bytes"),
            (of("a", "none"), "No such file"),
            ("--secret=a=env:SWELL_NO_SUCH_VARIABLE".to_owned(), "no text in the variable `SWELL_NO_SUCH"),
        ] {
            let said = load_from(&[&line]).expect_err(&line).to_string();
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = load_from(&["-q", "no/such.properties"]).expect_err("missing").to_string();
        assert!(error.contains("no/such.properties") && error.contains("No such file"), "{error}");
    }
}
