//! Options for plans that are text files: Hurl and `.http`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args;
use swell_import::{Load, Pause};

use super::units::{lasting, rate, users};

const HEADING: &str = "Hurl and .http files";

/// How such a file is read.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TextPlanArgs {
    /// Value of a variable of a .hurl or .http file; repeatable
    #[arg(long = "variable", value_name = "NAME=VALUE", value_parser = super::import::variable, help_heading = HEADING)]
    pub(crate) variables: Vec<(String, String)>,
    /// CSV file whose columns are variables of a .hurl or .http file; its first line has their
    /// names
    ///
    /// Each iteration of a user takes the next line. After the last line the file starts again.
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub(crate) data: Option<PathBuf>,
    /// Leave out asserts that no JMeter element can check, instead of refusing the file
    #[arg(long, help_heading = HEADING)]
    pub(crate) skip_asserts: bool,
}

/// The load of such files.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TextLoadArgs {
    /// More .hurl and .http files to run at the same time; each is a thread group
    #[arg(value_name = "FILE", help_heading = HEADING)]
    pub(crate) more: Vec<PathBuf>,
    /// Virtual users of .hurl and .http files, of all files together [default: 1]
    #[arg(long, value_name = "USERS", value_parser = users, help_heading = HEADING)]
    pub(crate) users: Option<u32>,
    /// Iterations of each virtual user of .hurl and .http files [default: 1, or until the time is
    /// over]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = HEADING)]
    pub(crate) loops: Option<u32>,
    /// Think time before each request of .hurl and .http files: 2s, or 1s..3s
    #[arg(long, value_name = "TIME", value_parser = think, help_heading = HEADING)]
    pub(crate) think: Option<Think>,
    /// Most requests per second of all users of .hurl and .http files: 200, 300/m
    #[arg(long, value_name = "RATE", value_parser = rate, help_heading = HEADING)]
    pub(crate) rate: Option<f64>,
    /// Share of each file in users and rate, by its name: login=1,search=8
    #[arg(long, value_name = "NAME=N", value_delimiter = ',', value_parser = weight, help_heading = HEADING)]
    pub(crate) weights: Vec<(String, u32)>,
}

impl TextLoadArgs {
    /// The load, and whether any of it is given.
    pub(crate) fn load(&self) -> Load {
        Load {
            users: self.users,
            loops: self.loops,
            rate: self.rate,
            pause: self.think.map(Think::pause),
            ..Load::default()
        }
    }

    /// The first option that is given, by its name.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let all = [
            ("--users", self.users.is_some()),
            ("--loops", self.loops.is_some()),
            ("--think", self.think.is_some()),
            ("--rate", self.rate.is_some()),
            ("--weights", !self.weights.is_empty()),
        ];
        all.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }
}

/// A think time in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Think(u64, u64);

impl Think {
    fn pause(self) -> Pause {
        if self.0 == self.1 { Pause::Fixed(self.0) } else { Pause::Between(self.0, self.1) }
    }
}

fn think(text: &str) -> Result<Think, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let wrong = || format!("invalid think time `{text}`: use a time such as 2s, or two such as 1s..3s");
    let milliseconds = |text: &str| {
        let time = super::units::duration(text).ok()?;
        u64::try_from(time.as_millis()).ok()
    };
    let least = milliseconds(least).ok_or_else(wrong)?;
    let most = milliseconds(most).ok_or_else(wrong)?;
    if least <= most { Ok(Think(least, most)) } else { Err(wrong()) }
}

fn weight(text: &str) -> Result<(String, u32), String> {
    let pair = text.split_once('=').and_then(|(name, weight)| Some((name.to_owned(), weight.parse().ok()?)));
    pair.filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| format!("invalid weight `{text}`: use the name of a file and a number, as login=1"))
}

/// Whether a path is that of a text file that can be run.
pub(crate) fn is_text_plan(path: &Path) -> bool {
    path.to_str().is_some_and(|path| swell_import::format_of_name(path).is_some())
}

/// `-d 1m` is the duration of a text file, as in `swell hit`; for plans it is JMeter's folder.
pub(super) fn durations(mut args: Vec<OsString>) -> Vec<OsString> {
    let runs = args.get(1).is_some_and(|command| command == "run" || command == "controller");
    if !runs || !args.iter().any(|arg| is_text_plan(Path::new(arg))) {
        return args;
    }
    let is_time =
        |text: &OsStr| text.to_str().is_some_and(|text| lasting(text).is_ok()) && !Path::new(text).exists();
    for index in 2..args.len() {
        let is_next = args.get(index + 1).is_some_and(|next| is_time(next));
        let attached = args[index].to_str().and_then(|arg| arg.strip_prefix("-d")).map(OsString::from);
        if args[index] == "-d" && is_next {
            args[index] = "--for".into();
        } else if let Some(time) = attached.filter(|time| is_time(time)) {
            let mut arg = OsString::from("--for=");
            arg.push(time);
            args[index] = arg;
        }
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn think_times_and_weights_are_read() {
        for (text, wanted) in [
            ("2s", Some(Think(2_000, 2_000))),
            ("1s..3s", Some(Think(1_000, 3_000))),
            ("500ms..1s", Some(Think(500, 1_000))),
            ("3s..1s", None),
            ("..", None),
            ("soon", None),
        ] {
            assert_eq!(think(text).ok(), wanted, "{text}");
        }
        assert_eq!(weight("login=3"), Ok(("login".to_owned(), 3)));
        for text in ["login", "=1", "a=-1", "a=x"] {
            assert!(weight(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_after_d_is_a_duration_of_text_files_only() {
        let line = |args: &[&str]| -> Vec<String> {
            let all = std::iter::once("swell").chain(args.iter().copied()).map(OsString::from).collect();
            durations(all).into_iter().skip(1).map(|arg| arg.into_string().expect("UTF-8")).collect()
        };
        assert_eq!(line(&["run", "a.hurl", "-d", "1m"]), ["run", "a.hurl", "--for", "1m"]);
        assert_eq!(line(&["run", "-d90s", "a.http"]), ["run", "--for=90s", "a.http"]);
        for kept in [
            &["run", "a.jmx", "-d", "1m"][..],
            &["run", "a.hurl", "-d", "/"],
            &["check", "a.hurl", "-d", "1m"],
        ] {
            assert_eq!(line(kept), kept, "{kept:?}");
        }
    }
}
