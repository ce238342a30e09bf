//! The broker address that an agent joins: host, credentials, certificate and run.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;

use crate::{Creds, FleetError};

/// Where and how to join. Written as `nats://agent:SECRET@host:4222/RUN`, or
/// `nats+tls://…#cert=sha256:HEX` with the certificate of the broker, so that no certificate file
/// needs to be copied.
#[derive(Clone, PartialEq, Eq)]
pub struct Join {
    /// Host.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Name and password; none where the broker wants none.
    pub user: Option<(String, String)>,
    /// Credentials instead of a password; they are in a file, and not in the address.
    pub creds: Option<Creds>,
    /// The connection is encrypted.
    pub tls: bool,
    /// SHA-256 of the broker's certificate, hexadecimal; none: it has to be one that this machine
    /// trusts.
    pub certificate: Option<String>,
    /// The run; none: any that comes.
    pub run: Option<String>,
}

/// Without the password.
impl fmt::Debug for Join {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place())
    }
}

impl Join {
    /// Where, without secrets: for messages.
    pub fn place(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The token in the subjects of an agent of that name, so that a broker can let each agent send
    /// only for itself: the name of its user, or else its name.
    pub(crate) fn speaker(&self, name: &str) -> String {
        let user = self.user.as_ref().map(|(user, _)| user.as_str());
        let is_token = |text: &&str| {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        user.filter(is_token).unwrap_or(name).to_owned()
    }

    /// As a URL that NATS clients read: without the run, the certificate and the password.
    pub(crate) fn server(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        format!("{}://{host}:{}", if self.tls { "tls" } else { "nats" }, self.port)
    }
}

impl fmt::Display for Join {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.tls { "nats+tls://" } else { "nats://" })?;
        if let Some((user, password)) = &self.user {
            let encoded = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
            write!(f, "{}:{}@", encoded(user), encoded(password))?;
        }
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)?;
        } else {
            write!(f, "{}:{}", self.host, self.port)?;
        }
        if let Some(run) = &self.run {
            write!(f, "/{run}")?;
        }
        self.certificate.as_ref().map_or(Ok(()), |hex| write!(f, "#cert=sha256:{hex}"))
    }
}

impl FromStr for Join {
    type Err = FleetError;

    fn from_str(text: &str) -> Result<Self, FleetError> {
        let wrong = |why: &str| {
            FleetError::new(format!("invalid broker address: {why}")).hint(
                "use the line that the controller printed, or nats://host:4222 or \
                    nats+tls://host:4222",
            )
        };
        let (scheme, _) = text.split_once("://").ok_or_else(|| wrong("missing nats:// at the start"))?;
        let tls = match scheme {
            "nats" => false,
            "nats+tls" | "tls" => true,
            _ => return Err(wrong("expected nats:// or nats+tls:// at the start")),
        };
        // Schemes that `url` does not know have no default port and keep a path that is empty.
        let url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
        let host =
            url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| wrong("missing host name"))?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let user = (!url.username().is_empty())
            .then(|| (decoded(url.username()), decoded(url.password().unwrap_or_default())));
        let run = Some(url.path().trim_matches('/').to_owned()).filter(|run| !run.is_empty());
        if run.as_ref().is_some_and(|run| !run.bytes().all(|byte| byte.is_ascii_alphanumeric())) {
            return Err(wrong("expected the name of a run after the port"));
        }
        let certificate = match url.fragment() {
            None => None,
            Some(fragment) => {
                let hex = fragment.strip_prefix("cert=sha256:").unwrap_or_default();
                if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return Err(wrong("expected cert=sha256: and 64 hexadecimal digits after #"));
                }
                Some(hex.to_ascii_lowercase())
            }
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { host, port: url.port().unwrap_or(4222), user, creds: None, tls, certificate, run })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let hex = "ab".repeat(32);
        let lines = [
            "nats://127.0.0.1:4222".to_owned(),
            "nats://agent:p%40ss@host:1234/0123456789abc".to_owned(),
            format!("nats+tls://agent:x@[::1]:4222/r#cert=sha256:{hex}"),
        ];
        for line in lines {
            let join: Join = line.parse().expect("it is one");
            assert_eq!(join.to_string(), line);
            assert!(!format!("{join:?}").contains("agent"));
        }
        let join: Join = "tls://host".parse().expect("it is one");
        assert_eq!((join.port, join.tls, join.server().as_str()), (4222, true, "tls://host:4222"));
    }

    #[test]
    fn an_agent_speaks_under_the_name_of_its_user_or_its_own() {
        for (line, speaker) in
            [("nats://agent-2:x@h", "agent-2"), ("nats://a%2Eb:x@h", "own"), ("nats://h", "own")]
        {
            let join: Join = line.parse().expect("it is one");
            assert_eq!(join.speaker("own"), speaker, "{line}");
        }
    }

    #[test]
    fn what_is_none_is_told_in_one_line() {
        for line in [
            "",
            "host:4222",
            "http://a",
            "nats://",
            "nats://a:b:c",
            "nats://a/b/c",
            "nats://a#cert=sha256:12",
            "nats://a:99999",
        ] {
            let error = line.parse::<Join>().expect_err(line);
            assert!(error.message.starts_with("invalid broker address: ") && error.hint.is_some(), "{line}");
        }
    }
}
