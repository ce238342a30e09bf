//! Sources to monitor, as given on the command line.

use std::fmt;
use std::str::FromStr;

use url::Url;

/// A source of figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// What listens where the test connects to, if that is on this machine: found while the test
    /// runs.
    Local,
    /// A process of this machine, with its children.
    Pid(u32),
    /// The processes of this machine that listen at a TCP port, with their children.
    Port(u16),
    /// A Java process of this machine: what `jstat` shows, in addition to what [`Source::Pid`] has.
    Jvm(u32),
    /// An exporter of Prometheus: node exporter, JMX exporter, or any other.
    Prometheus {
        /// Where its figures are.
        url: String,
        /// Figures besides those that are known: names with `*` for any text; several are separated
        /// by `|`.
        matching: Option<String>,
    },
}

/// Why a text does not name a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError(String);

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SourceError {}

const WORDS: &str = "local, port:8080, pid:4711, jvm:4711, prometheus=http://host:9100/metrics";

impl FromStr for Source {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, SourceError> {
        if text == "local" {
            return Ok(Self::Local);
        }
        let wrong = |why: String| SourceError(format!("{why}; examples of sources: {WORDS}"));
        let Some((kind, rest)) = text.split_once([':', '=']) else {
            return Err(wrong(format!("invalid source `{text}`")));
        };
        let number = |what| {
            let number = rest.parse::<u32>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| wrong(format!("invalid {what} `{rest}`")))
        };
        match kind {
            "pid" => Ok(Self::Pid(number("process id")?)),
            "jvm" => Ok(Self::Jvm(number("process id")?)),
            "port" => {
                let port = number("port number")?;
                u16::try_from(port)
                    .map(Self::Port)
                    .map_err(|_| wrong(format!("invalid port number `{rest}`")))
            }
            "prometheus" => exporter(rest).map_err(wrong),
            _ => Err(wrong(format!("unknown kind of source `{kind}`"))),
        }
    }
}

fn exporter(text: &str) -> Result<Source, String> {
    let (url, matching) = match text.split_once(",match=") {
        Some((url, matching)) => (url, Some(matching)),
        None => (text, None),
    };
    let parsed = Url::parse(url).map_err(|error| format!("invalid URL `{url}`: {error}"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(format!("unsupported scheme in `{url}`: use http or https"));
    }
    if matching.is_some_and(str::is_empty) {
        return Err(
            "`match=` is empty: expected names such as `match=tomcat_*|hikaricp_connections*`".to_owned()
        );
    }
    Ok(Source::Prometheus { url: parsed.into(), matching: matching.map(str::to_owned) })
}

/// Whether a name is one of the pattern: texts with `*` for any text, separated by `|`.
pub(crate) fn is_match(pattern: &str, name: &str) -> bool {
    pattern.split('|').any(|one| is_one(one.trim(), name))
}

fn is_one(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        let exporter = |url: &str, matching: Option<&str>| Source::Prometheus {
            url: url.to_owned(),
            matching: matching.map(str::to_owned),
        };
        for (text, want) in [
            ("local", Source::Local),
            ("pid:4711", Source::Pid(4711)),
            ("pid=4711", Source::Pid(4711)),
            ("port:8080", Source::Port(8080)),
            ("jvm:12", Source::Jvm(12)),
            ("prometheus=http://h:9100/metrics", exporter("http://h:9100/metrics", None)),
            ("prometheus:https://h/m,match=a_*|b", exporter("https://h/m", Some("a_*|b"))),
        ] {
            assert_eq!(text.parse(), Ok(want), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_what_is_right() {
        for (text, why) in [
            ("", "invalid source ``"),
            ("8080", "invalid source `8080`"),
            ("pid:x", "invalid process id `x`"),
            ("pid:0", "invalid process id `0`"),
            ("port:70000", "invalid port number `70000`"),
            ("prometheus=h:9100", "unsupported scheme in `h:9100`: use http or https"),
            ("prometheus=//h", "invalid URL `//h`"),
            ("prometheus=http://h/,match=", "`match=` is empty"),
            ("cpu:1", "unknown kind of source `cpu`"),
        ] {
            let told = text.parse::<Source>().expect_err(text).to_string();
            assert!(told.starts_with(why) && told.ends_with(WORDS), "{text}: {told}");
        }
    }

    #[test]
    fn names_match_patterns_with_stars() {
        for (pattern, name, is) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*a", "ba", true),
            ("a*b*c", "axxbc", true),
            ("a*b*c", "acb", false),
            ("x | a*", "ab", true),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(is_match(pattern, name), is, "{pattern} {name}");
        }
    }
}
