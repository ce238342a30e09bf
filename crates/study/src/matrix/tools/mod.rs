//! Adapters: how a tool receives its load, and how its output is parsed.

mod ab;
mod artillery;
mod gatling;
mod grinder;
mod h2load;
mod hey;
mod jmeter;
mod k6;
mod locust;
mod oha;
mod scan;
mod siege;
mod swell;
mod tsung;
mod vegeta;
mod wrk;

use serde::Serialize;

/// The requested load: users who send GET requests for this URL as fast as they are answered, on
/// connections that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRequest {
    /// Host of the site.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Path of the request.
    pub path: String,
    /// Users.
    pub users: u32,
    /// Seconds.
    pub seconds: u32,
    /// Threads for tools that have a separate number for them: processors, and at most the number
    /// of users.
    pub threads: u32,
}

impl ToolRequest {
    /// The URL.
    pub fn url(&self) -> String {
        format!("http://{}:{}{}", self.host, self.port, self.path)
    }
}

/// A command with the files that it wants in its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// A script for the shell that runs the program, which is `$0` in it; the arguments are `$1`
    /// and so on.
    pub script: Option<&'static str>,
    /// Arguments after the program.
    pub args: Vec<String>,
    /// Files to write before, by name.
    pub files: Vec<(String, String)>,
    /// Variables of its environment.
    pub env: Vec<(String, String)>,
}

impl Job {
    fn of<T: Into<String>>(args: impl IntoIterator<Item = T>) -> Self {
        Self { args: args.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    fn with_file(mut self, name: &str, text: String) -> Self {
        self.files.push((name.to_owned(), text));
        self
    }
}

/// Where the figures of a tool stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// On its standard output.
    Stdout,
    /// In a file of its folder.
    File(&'static str),
    /// In the first file of this name below its folder, for tools that make a folder of each run.
    Below(&'static str),
}

/// What a tool left, in the order of the adapter's sources; a file that is not there is empty.
pub type Output<'a> = [&'a [u8]];

/// What a tool says; none: it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Reading {
    /// Requests that were answered or failed.
    pub requests: Option<f64>,
    /// Those that failed.
    pub errors: Option<f64>,
    /// Requests a second.
    pub per_s: Option<f64>,
    /// Mean of their times, milliseconds.
    pub mean_ms: Option<f64>,
    /// Median.
    pub p50_ms: Option<f64>,
    /// 90th percentile.
    pub p90_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// Largest.
    pub max_ms: Option<f64>,
}

impl Reading {
    /// Without invalid figures: infinite, not a number, below zero. The sum of no numbers is -0,
    /// which would be printed.
    fn sound(self) -> Self {
        let sound = |figure: Option<f64>| {
            figure.filter(|figure| figure.is_finite() && *figure >= 0.0).map(|figure| figure + 0.0)
        };
        Self {
            requests: sound(self.requests),
            errors: sound(self.errors),
            per_s: sound(self.per_s),
            mean_ms: sound(self.mean_ms),
            p50_ms: sound(self.p50_ms),
            p90_ms: sound(self.p90_ms),
            p95_ms: sound(self.p95_ms),
            p99_ms: sound(self.p99_ms),
            max_ms: sound(self.max_ms),
        }
    }
}

/// How Swell speaks with a tool.
#[derive(Clone, Copy, Debug)]
pub struct Adapter {
    /// Its name, as the command line has it.
    pub name: &'static str,
    /// The program that is looked for; empty: none, it has to be named.
    pub program: &'static str,
    /// How it is installed.
    pub install: &'static str,
    /// Arguments that make it say its version.
    pub version: &'static [&'static str],
    /// Makes its command.
    pub job: fn(&ToolRequest) -> Job,
    /// Where its figures stand.
    pub sources: &'static [Source],
    reader: fn(&Output<'_>) -> Option<Reading>,
}

impl Adapter {
    /// What the tool says; none if that is not what this tool writes.
    pub fn read(&self, output: &Output<'_>) -> Option<Reading> {
        let reading = (self.reader)(output)?.sound();
        // Without a single rate or number of requests it was something else.
        (reading.per_s.is_some() || reading.requests.is_some()).then_some(reading)
    }
}

/// All tools, in the order of the review that the command is made after; Swell is the first.
pub const ALL: [Adapter; 15] = [
    swell::ADAPTER,
    wrk::ADAPTER,
    ab::ADAPTER,
    hey::ADAPTER,
    siege::ADAPTER,
    h2load::ADAPTER,
    oha::ADAPTER,
    vegeta::ADAPTER,
    k6::ADAPTER,
    artillery::ADAPTER,
    locust::ADAPTER,
    gatling::ADAPTER,
    tsung::ADAPTER,
    grinder::ADAPTER,
    jmeter::ADAPTER,
];

/// A tool by its name.
pub fn named(name: &str) -> Option<&'static Adapter> {
    ALL.iter().find(|adapter| adapter.name == name)
}

#[cfg(test)]
pub(crate) fn ask() -> ToolRequest {
    ToolRequest {
        host: "127.0.0.1".to_owned(),
        port: 9471,
        path: "/delay/10ms".to_owned(),
        users: 20,
        seconds: 3,
        threads: 2,
    }
}

#[cfg(test)]
pub(crate) fn assert_reading(name: &str, output: &Output<'_>, want: Reading) {
    let found = named(name).expect("a tool").read(output).expect("its output");
    let pairs = [
        ("requests", found.requests, want.requests),
        ("errors", found.errors, want.errors),
        ("per_s", found.per_s, want.per_s),
        ("mean_ms", found.mean_ms, want.mean_ms),
        ("p50_ms", found.p50_ms, want.p50_ms),
        ("p90_ms", found.p90_ms, want.p90_ms),
        ("p95_ms", found.p95_ms, want.p95_ms),
        ("p99_ms", found.p99_ms, want.p99_ms),
        ("max_ms", found.max_ms, want.max_ms),
    ];
    for (figure, found, want) in pairs {
        let same = match (found, want) {
            (Some(found), Some(want)) => (found - want).abs() <= 1e-6 * want.abs().max(1.0),
            (None, None) => true,
            _ => false,
        };
        assert!(same, "{name}, {figure}: {found:?} and not {want:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_commands_have_the_load() {
        for (at, adapter) in ALL.iter().enumerate() {
            assert!(ALL[..at].iter().all(|other| other.name != adapter.name), "{}", adapter.name);
            let job = (adapter.job)(&ask());
            let files = job.files.iter().map(|(_, text)| text.as_str());
            let env = job.env.iter().map(|(_, value)| value.as_str());
            let all = job.args.iter().map(String::as_str).chain(files).chain(env);
            let text = all.collect::<Vec<_>>().join(" ");
            for word in ["9471", "/delay/10ms", "20", "3"] {
                assert!(text.contains(word), "{} has no {word}: {text}", adapter.name);
            }
        }
    }

    #[test]
    fn recorded_runs_are_read() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/matrix/recorded");
        for row in include_str!("../recorded/readings.tsv").lines().filter(|row| !row.starts_with('#')) {
            let columns: Vec<&str> = row.split('\t').collect();
            let [name, file, figures @ ..] = columns.as_slice() else { panic!("no tool and file: {row}") };
            let figures: Vec<Option<f64>> = figures.iter().map(|figure| figure.parse().ok()).collect();
            let [requests, errors, per_s, mean_ms, p50_ms, p90_ms, p95_ms, p99_ms, max_ms] = figures[..]
            else {
                panic!("no nine figures: {row}")
            };
            let want = Reading { requests, errors, per_s, mean_ms, p50_ms, p90_ms, p95_ms, p99_ms, max_ms };
            let text = std::fs::read(folder.join(file)).expect("a recorded run");
            assert_reading(name, &[&text], want);
        }
    }

    #[test]
    fn what_no_tool_writes_is_no_reading() {
        for adapter in &ALL {
            for text in [
                "",
                "Segmentation fault",
                "{}",
                "[]",
                "{\"metrics\":[]}",
                "\u{0}\u{ff}",
                "NaN requests in inf",
            ] {
                let output = vec![text.as_bytes(); adapter.sources.len()];
                assert_eq!(adapter.read(&output), None, "{}: {text}", adapter.name);
            }
            assert_eq!(adapter.read(&[]), None, "{}", adapter.name);
        }
    }
}
