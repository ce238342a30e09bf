//! Settings that a script gave a sampler before it runs: for that sample, they replace those of the
//! plan.

use std::rc::Rc;

use swell_connect::{Credentials, Proxy};

pub(crate) const FOLLOW: &str = "HTTPSampler.follow_redirects";
pub(crate) const AUTO: &str = "HTTPSampler.auto_redirects";
pub(crate) const KEEP_ALIVE: &str = "HTTPSampler.use_keepalive";
pub(crate) const MD5: &str = "HTTPSampler.md5";
pub(crate) const CONNECT_TIMEOUT: &str = "HTTPSampler.connect_timeout";
pub(crate) const RESPONSE_TIMEOUT: &str = "HTTPSampler.response_timeout";
pub(crate) const SOURCE: &str = "HTTPSampler.ipSource";
pub(crate) const SOURCE_KIND: &str = "HTTPSampler.ipSourceType";
pub(crate) const MULTIPART: &str = "HTTPSampler.DO_MULTIPART_POST";
pub(crate) const BROWSER: &str = "HTTPSampler.BROWSER_COMPATIBLE_MULTIPART";
pub(crate) const PROXY_HOST: &str = "HTTPSampler.proxyHost";
pub(crate) const PROXY_PORT: &str = "HTTPSampler.proxyPort";
pub(crate) const PROXY_USER: &str = "HTTPSampler.proxyUser";
pub(crate) const PROXY_PASSWORD: &str = "HTTPSampler.proxyPass";
pub(crate) const RESOURCES: &str = "HTTPSampler.image_parser";
pub(crate) const PARALLEL: &str = "HTTPSampler.concurrentDwn";
pub(crate) const POOL: &str = "HTTPSampler.concurrentPool";
pub(crate) const ALLOW: &str = "HTTPSampler.embedded_url_re";
pub(crate) const EXCLUDE: &str = "HTTPSampler.embedded_url_exclude_re";

/// The changed settings, by JMeter's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScriptSettings(Vec<(String, String)>);

impl ScriptSettings {
    pub(crate) fn new(settings: Vec<(String, String)>) -> Self {
        Self(settings)
    }

    pub(crate) fn all(&self) -> &[(String, String)] {
        &self.0
    }

    /// The text that a setting has now; none if it is the plan's.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| **known == *name).map(|(_, text)| &**text)
    }

    /// The same of a check box.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.text(name).map(|text| text.eq_ignore_ascii_case("true"))
    }

    /// The proxy now, which was another one.
    pub(crate) fn proxy(&self, before: Option<Rc<Proxy>>) -> Option<Rc<Proxy>> {
        let [host, port, user, password] =
            [PROXY_HOST, PROXY_PORT, PROXY_USER, PROXY_PASSWORD].map(|name| self.text(name));
        if [host, port, user, password].iter().all(Option::is_none) {
            return before;
        }
        let known = before.as_deref();
        let credentials = known.and_then(|proxy| proxy.credentials.as_ref());
        let host = host.or(known.map(|proxy| &*proxy.host)).unwrap_or_default().trim();
        let port = port.map_or(known.map(|proxy| proxy.port), |port| port.trim().parse().ok());
        let user = user.or(credentials.map(|known| known.user.as_str())).unwrap_or_default();
        let password = password.or(credentials.map(|known| &*known.password)).unwrap_or_default();
        let credentials = (!user.is_empty()).then(|| Credentials::new("", user, password.into()));
        let port = port.filter(|port| *port > 0 && !host.is_empty())?;
        Some(Rc::new(Proxy { host: host.into(), port, credentials }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(settings: &[(&str, &str)]) -> ScriptSettings {
        ScriptSettings(settings.iter().map(|(name, text)| ((*name).into(), (*text).to_owned())).collect())
    }

    #[test]
    fn a_proxy_is_set_as_a_whole_or_in_part() {
        let plan = Rc::new(Proxy { host: "p".into(), port: 1, credentials: None });
        assert_eq!(set(&[]).proxy(Some(plan.clone())), Some(plan.clone()));
        let other = set(&[(PROXY_HOST, "q"), (PROXY_USER, "u")]).proxy(Some(plan.clone())).unwrap();
        assert_eq!((&*other.host, other.port), ("q", 1));
        assert_eq!(other.credentials.as_ref().map(|known| known.user.as_str()), Some("u"));
        assert_eq!(set(&[(PROXY_HOST, "")]).proxy(Some(plan)), None);
        assert_eq!(set(&[(PROXY_HOST, "q")]).proxy(None), None, "no port");
        assert!(set(&[(PROXY_HOST, "q"), (PROXY_PORT, "3")]).proxy(None).is_some());
    }
}
