//! The protocols of bzm's HTTP sampler (`HTTP2JettyClient.loadProperties` and `selectHttpClient`,
//! plug-in 3.0.2), as a version of HTTP.

use swell_plan::Element;

use super::version::HttpVersion;

/// Prefix of the element's own properties.
const OWN: &str = "HTTP2Sampler.";

/// Prefixes of the run's properties, the first one precedes (`BzmHttpPluginProperties`).
const OF_RUN: [&str; 3] = ["blazemeter.http.", OWN, "httpJettyClient."];

/// Own properties with an effect here.
const PROTOCOLS: [&str; 7] = [
    "http1_upgrade",
    "profile",
    "enableHttp3",
    "enableHttp2",
    "enableHttp1",
    "alpnEnabled",
    "http2PriorKnowledge",
];

/// Own properties without one: caches of what servers speak, limits for HTTP/3, the editor.
const WITHOUT_EFFECT: [&str; 10] = [
    "fallbackEnabled",
    "protocolErrorFallbackEnabled",
    "altSvcCacheEnabled",
    "http1OnlyCacheEnabled",
    "h2cCacheEnabled",
    "happyEyeballsDelayMs",
    "http3BrokenCooldownMs",
    "http1OnlyCooldownMs",
    "h2cCacheTtlMs",
    "uiTabIndex",
];

/// Set by the plug-in while it runs.
const SYNC_REQUEST: &str = "sync_request";

/// Returns a property of the run.
type RunProperty<'p> = dyn Fn(&str) -> Option<String> + 'p;

/// A setting of the sampler that is not native: of another version of the plug-in, with an
/// expression, or a protocol.
pub(super) fn lacks(element: &Element) -> Option<String> {
    unknown(element).or_else(|| version(element, &|_| None).err())
}

/// A setting of another version of the plug-in, or with an expression.
pub(super) fn unknown(element: &Element) -> Option<String> {
    for property in element.properties.iter().map(|property| &*property.name) {
        if !property.starts_with("HTTP2") {
            continue;
        }
        let name = property.strip_prefix(OWN).unwrap_or_default();
        if PROTOCOLS.contains(&name) {
            if element.text_or_empty(property).contains("${") {
                return Some(format!("`{property}` is native only without an expression"));
            }
        } else if name != SYNC_REQUEST && !WITHOUT_EFFECT.contains(&name) {
            return Some(format!("the setting `{property}` is not one of version 3 of the plug-in"));
        }
    }
    None
}

/// The version of HTTP that a sampler uses. `run`: properties of the run.
///
/// # Errors
/// Why no version does what the settings say.
pub(super) fn version(element: &Element, run: &RunProperty<'_>) -> Result<HttpVersion, String> {
    let flags = Protocols::of(element, run)?;
    let is_secure = element.text_or_empty("HTTPSampler.protocol").trim().eq_ignore_ascii_case("https");
    match flags {
        Protocols { http1: false, http2: false, http3: true, .. } => {
            Err("HTTP/3 without another version is not native".to_owned())
        }
        Protocols { http2: false, .. } => Ok(HttpVersion::Http1),
        Protocols { http1: false, alpn: true, .. } => Ok(HttpVersion::Http2),
        Protocols { http1: false, .. } => Err("HTTP/2 without ALPN is not native".to_owned()),
        Protocols { prior: true, alpn: true, .. } => Ok(HttpVersion::AutoOrHttp2),
        Protocols { prior: true, .. } => Err("HTTP/2 without ALPN is not native".to_owned()),
        Protocols { upgrade: true, .. } if !is_secure => {
            Err("an upgrade from HTTP/1.1 to HTTP/2 (`HTTP2Sampler.http1_upgrade`) is not native; use \
                 `HTTP2Sampler.http2PriorKnowledge`"
                .to_owned())
        }
        Protocols { alpn: true, .. } => Ok(HttpVersion::Auto),
        Protocols { .. } => Ok(HttpVersion::Http1),
    }
}

/// What is switched on.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate property of the plug-in")]
struct Protocols {
    http1: bool,
    http2: bool,
    http3: bool,
    alpn: bool,
    /// HTTP/2 without TLS from the first byte.
    prior: bool,
    /// HTTP/2 without TLS by an upgrade.
    upgrade: bool,
}

impl Protocols {
    fn of(element: &Element, run: &RunProperty<'_>) -> Result<Self, String> {
        let of_run = |name: &str| OF_RUN.iter().find_map(|prefix| run(&format!("{prefix}{name}")));
        let is_true = |text: &str| text.trim().eq_ignore_ascii_case("true");
        let flag = |name: &str, default: bool| match element.text(&format!("{OWN}{name}")) {
            Some(text) => is_true(text),
            None => of_run(name).map_or(default, |text| is_true(&text)),
        };
        let upgrade = match element.text("HTTP2Sampler.http1_upgrade") {
            Some(text) => is_true(text),
            None => of_run("h2cUpgradeEnabled").is_some_and(|text| is_true(&text)),
        };
        let is_legacy = match element.text("HTTP2Sampler.profile").map(str::trim) {
            None => upgrade,
            Some("" | "browser-like" | "browser-like-custom" | "browser-compatible") => false,
            Some("legacy") => true,
            Some(profile) => {
                return Err(format!(
                    "invalid profile `{profile}`: use browser-like, browser-like-custom, browser-compatible, or \
                     legacy"
                ));
            }
        };
        Ok(Self {
            http1: flag("enableHttp1", true),
            http2: flag("enableHttp2", !is_legacy),
            http3: flag("enableHttp3", !is_legacy),
            alpn: flag("alpnEnabled", !is_legacy),
            prior: flag("http2PriorKnowledge", false),
            upgrade,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::BZM_HTTP;

    fn sampler(settings: &[(&str, &str)]) -> Element {
        let element = Element::new(BZM_HTTP, "", "s");
        settings.iter().fold(element, |element, (name, value)| element.with_text(name, value))
    }

    const HTTP1_OFF: (&str, &str) = ("HTTP2Sampler.enableHttp1", "false");
    const HTTP2_OFF: (&str, &str) = ("HTTP2Sampler.enableHttp2", "false");
    const ALPN_OFF: (&str, &str) = ("HTTP2Sampler.alpnEnabled", "false");
    const PRIOR: (&str, &str) = ("HTTP2Sampler.http2PriorKnowledge", "true");
    const UPGRADE: (&str, &str) = ("HTTP2Sampler.http1_upgrade", "true");
    const LIKE: (&str, &str) = ("HTTP2Sampler.profile", "browser-like");
    const HTTPS: (&str, &str) = ("HTTPSampler.protocol", "https");

    #[test]
    fn versions_by_profile_and_flags() {
        use HttpVersion::{Auto, AutoOrHttp2, Http1, Http2};
        let of = |settings: &[(&str, &str)]| version(&sampler(settings), &|_| None).ok();
        assert_eq!([of(&[]), of(&[LIKE]), of(&[LIKE, PRIOR])], [Some(Auto), Some(Auto), Some(AutoOrHttp2)]);
        assert_eq!(of(&[("HTTP2Sampler.profile", "legacy")]), Some(Http1));
        assert_eq!(of(&[UPGRADE]), Some(Http1), "without a profile that is legacy");
        assert_eq!(
            [of(&[HTTP2_OFF]), of(&[ALPN_OFF]), of(&[HTTP1_OFF])],
            [Some(Http1), Some(Http1), Some(Http2)]
        );
        assert_eq!(of(&[LIKE, UPGRADE, HTTPS]), Some(Auto), "an upgrade is for servers without TLS");
        let off = [HTTP1_OFF, HTTP2_OFF, ("HTTP2Sampler.enableHttp3", "false")];
        assert_eq!(of(&off), Some(Http1), "the plug-in switches it on again");
    }

    #[test]
    fn settings_that_no_version_follows_are_not_native() {
        let why = |settings: &[(&str, &str)]| lacks(&sampler(settings)).unwrap_or_default();
        for settings in [&[][..], &[LIKE, ("HTTP2Sampler.uiTabIndex", "1")], &[("HTTPSampler.path", "/${x}")]]
        {
            assert_eq!(why(settings), "", "{settings:?}");
        }
        assert!(why(&[LIKE, UPGRADE]).starts_with("an upgrade from HTTP/1.1"));
        assert!(why(&[HTTP1_OFF, HTTP2_OFF]).starts_with("HTTP/3 without"));
        assert!(why(&[HTTP1_OFF, ALPN_OFF]).starts_with("HTTP/2 without ALPN"));
        assert!(why(&[("HTTP2Sampler.profile", "curl")]).starts_with("invalid profile `curl`"));
        assert!(why(&[("HTTP2Sampler.profile", "${p}")]).contains("without an expression"));
        assert!(why(&[("HTTP2Sampler.embedded_resources", "true")]).contains("not one of version 3"));
        assert!(why(&[("HTTP2Request.path", "/")]).contains("`HTTP2Request.path`"));
    }

    #[test]
    fn properties_of_the_run_are_defaults_and_the_newest_name_precedes() {
        let run = |name: &str| match name {
            "blazemeter.http.enableHttp2" => Some("false".to_owned()),
            "httpJettyClient.enableHttp2" | "httpJettyClient.http2PriorKnowledge" => Some("true".to_owned()),
            _ => None,
        };
        assert_eq!(version(&sampler(&[]), &run), Ok(HttpVersion::Http1));
        let own = sampler(&[("HTTP2Sampler.enableHttp2", "true")]);
        assert_eq!(version(&own, &run), Ok(HttpVersion::AutoOrHttp2));
    }
}
