//! Renders the output of a run as text that does not differ from run to run: two equivalent runs
//! give the same text.

mod csv;
pub(crate) mod metrics;
mod parts;
mod requests;
mod text;
mod xml;

use crate::case::Rules;
use crate::recorder::Request;
use text::Replacements;

/// The output of a run.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// Requests that the recorder received, in order.
    pub(crate) requests: Vec<Request>,
    /// Names and contents of the files that the run wrote.
    pub files: Vec<(String, String)>,
    /// Ports of the recorder.
    pub ports: Vec<u16>,
    /// Folder of the run.
    pub folder: String,
    /// Log of the run, for those who investigate a difference; it is not compared.
    pub log: String,
}

impl Observation {
    /// Returns the text to compare.
    pub fn render(&self, rules: &Rules) -> String {
        if rules.shape_only {
            return self.shape();
        }
        let replacements = Replacements::new(self);
        let mut out = requests::render(&self.requests, &replacements, rules);
        for (name, content) in &self.files {
            let content = replacements.apply(content);
            let content = if ["metrics", "summaries"].contains(&name.as_str()) {
                content
            } else if content.starts_with("<?xml") {
                xml::render(&content, rules)
            } else {
                csv::render(&content, rules)
            };
            let end = if content.ends_with('\n') { "" } else { "\n" };
            out.extend(["=== ", name, "\n", &content, end]);
        }
        USUAL.iter().fold(out, |out, (lines, short)| out.replace(lines, short))
    }
}

impl Observation {
    /// Returns what stays the same if values are random.
    fn shape(&self) -> String {
        let mut methods: Vec<String> = self.requests.iter().map(|request| request.method() + "\n").collect();
        methods.sort();
        let requests = methods.concat();
        let shape = |text: &str| if text.starts_with("<?xml") { xml::shape(text) } else { csv::shape(text) };
        let files = self.files.iter().map(|(name, content)| format!("=== {name}\n{}", shape(content)));
        format!("=== requests: {}\n{requests}{}", self.requests.len(), files.collect::<String>())
    }
}

/// Lines of nearly every request and response, with abbreviations that keep the texts short.
const USUAL: [(&str, &str); 2] = [
    (
        "Connection: keep-alive\nHost: 127.0.0.1:PORT\nUser-Agent: Apache-HttpClient/4.5.14 (Java/*)\n",
        "(usual headers)\n",
    ),
    (
        "HTTP/1.1 200 OK\nServer: parity\nContent-Type: text/plain; charset=utf-8\nContent-Length: 3\n",
        "(usual answer)\n",
    ),
];

/// Columns and attributes with times, which are masked in every case.
const TIMES: [(&str, &str); 5] =
    [("timeStamp", "ts"), ("elapsed", "t"), ("Latency", "lt"), ("IdleTime", "it"), ("Connect", "ct")];

/// Other columns that a rule may name, with their attributes.
const OTHERS: [(&str, &str); 9] = [
    ("bytes", "by"),
    ("sentBytes", "sby"),
    ("grpThreads", "ng"),
    ("allThreads", "na"),
    ("label", "lb"),
    ("threadName", "tn"),
    ("responseMessage", "rm"),
    ("URL", "url"),
    ("Hostname", "hn"),
];

/// How the message of a transaction starts.
const TRANSACTION: &str = "Number of samples in transaction";

/// Code of samples that failed without a response. Their body is a Java stack trace, whose size is
/// not compared.
const NO_RESPONSE: &str = "Non HTTP response code";
