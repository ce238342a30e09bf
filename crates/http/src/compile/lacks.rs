//! HTTP settings that only JMeter's client supports.

use swell_plan::Element;

use super::network::SourceKind;
use crate::cookies::Policy;

/// A setting of a sampler or its defaults: the way to a proxy, and the kind of a source address.
pub(crate) fn network(element: &Element) -> Option<String> {
    let scheme = element.text_or_empty("HTTPSampler.proxyScheme");
    let has_proxy = !element.text_or_empty("HTTPSampler.proxyHost").is_empty();
    if has_proxy && !scheme.is_empty() && !scheme.eq_ignore_ascii_case("http") {
        return Some(format!("the proxy scheme `{scheme}` is not native"));
    }
    let kind = element.text_or_empty("HTTPSampler.ipSourceType");
    let is_unknown = !kind.is_empty() && SourceKind::of(kind).is_none();
    is_unknown.then(|| format!("the source address type `{kind}` is not native"))
}

/// A setting of bzm's sampler: of the network, or of its protocols.
pub(crate) fn bzm(element: &Element) -> Option<String> {
    network(element).or_else(|| super::bzm::lacks(element))
}

/// A setting of a Cookie Manager.
pub(crate) fn cookie_policy(element: &Element) -> Option<String> {
    let policy = element.text_or_empty("CookieManager.policy");
    Policy::for_name(policy).is_none().then(|| format!("the cookie policy `{policy}` is not native"))
}
