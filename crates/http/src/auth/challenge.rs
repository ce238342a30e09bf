//! `WWW-Authenticate` headers (`RFC2617Scheme.parseChallenge`).

use crate::text::mime::pair;

/// A challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// In lower case.
    pub(crate) scheme: String,
    /// Names in lower case.
    parameters: Vec<(String, String)>,
}

impl Challenge {
    /// The challenge of a header: HttpClient takes each header for one.
    pub(crate) fn parse(header: &str) -> Self {
        let header = header.trim();
        let (scheme, mut rest) = header.split_once(char::is_whitespace).unwrap_or((header, ""));
        let mut parameters = Vec::new();
        while !rest.is_empty() {
            let (name, value, _) = pair(&mut rest);
            if let Some(value) = value {
                parameters.push((name.to_ascii_lowercase(), value));
            }
        }
        Self { scheme: scheme.to_ascii_lowercase(), parameters }
    }

    /// A parameter: the last of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.parameters.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found() {
        let challenge =
            Challenge::parse("DIGEST Realm=\"a, \\\"b\\\"\", qop=\"auth,auth-int\" , nonce = x, odd");
        assert_eq!(challenge.scheme, "digest");
        assert_eq!(challenge.get("realm"), Some("a, \"b\""));
        assert_eq!(challenge.get("qop"), Some("auth,auth-int"));
        assert_eq!((challenge.get("nonce"), challenge.get("odd")), (Some("x"), None));
        assert_eq!(Challenge::parse("Negotiate").scheme, "negotiate");
    }
}
