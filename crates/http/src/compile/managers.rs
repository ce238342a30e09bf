//! Cookie Manager and Cache Manager elements.

use swell_api::CompileContext;
use swell_expr::Template;
use swell_plan::{Node, Severity};

use crate::cookies::{PlanCookie, Policy};

use super::flag::flag;
use super::settings::Settings;

/// A Cookie Manager.
pub(crate) struct CookieManager {
    /// The element, by which a user's jar is found.
    pub(crate) id: u32,
    pub(crate) policy: Policy,
    /// Cookies of responses are not kept: `rfc2965` knows `Set-Cookie2` alone, which no target
    /// sends.
    pub(crate) keeps_none: bool,
    pub(crate) cookies: Vec<PlanCookie>,
    /// `CookieManager.clearEachIteration`.
    pub(crate) clear_each_iteration: bool,
    /// `CookieManager.controlledByThreadGroup`.
    pub(crate) by_thread_group: bool,
}

/// A Cache Manager.
pub(crate) struct CacheManager {
    /// The element, by which a user's cache is found.
    pub(crate) id: u32,
    pub(crate) use_expires: bool,
    pub(crate) max_size: usize,
    pub(crate) clear_each_iteration: bool,
    pub(crate) by_thread_group: bool,
}

impl CookieManager {
    pub(super) fn new(node: &Node, settings: &Settings, compile: &CompileContext) -> Self {
        let element = &node.element;
        let name = element.text("CookieManager.policy").unwrap_or_default();
        let policy = Policy::for_name(name).unwrap_or_else(|| {
            let message = format!("invalid cookie policy `{name}`");
            let hint = "use standard, standard-strict, netscape, default, compatibility or ignoreCookies; \
                        `standard` is used";
            compile.note(Severity::Error, element, Some("CookieManager.policy"), message, Some(hint));
            Policy::Lax
        });
        let cookies = element.elements("CookieManager.cookies").map(|cookie| {
            let written = |property: &str| cookie.text(property).unwrap_or_default();
            let expressions = settings.variable_cookies;
            let text = |property: &str, text: &str| {
                if expressions { compile.text(cookie, property, text) } else { Template::constant_text(text) }
            };
            let template = |property: &str| text(property, written(property));
            PlanCookie {
                name: text("TestElement.name", cookie.name()),
                value: template("Cookie.value"),
                domain: template("Cookie.domain"),
                path: template("Cookie.path"),
                secure: flag(cookie.text("Cookie.secure")),
                domain_given: flag(cookie.text("Cookie.domain_specified")),
                path_given: flag(cookie.text("Cookie.path_specified")),
                key: [cookie.name(), written("Cookie.domain"), written("Cookie.path")].map(Into::into),
            }
        });
        Self {
            id: node.id.0,
            policy,
            keeps_none: name.eq_ignore_ascii_case("rfc2965"),
            cookies: cookies.collect(),
            clear_each_iteration: flag(element.text("CookieManager.clearEachIteration")),
            by_thread_group: flag(element.text("CookieManager.controlledByThreadGroup")),
        }
    }
}

impl CacheManager {
    pub(super) fn new(node: &Node) -> Self {
        let element = &node.element;
        let size = element.text("maxSize").and_then(|text| text.trim().parse().ok());
        Self {
            id: node.id.0,
            use_expires: flag(element.text("useExpires")),
            max_size: size.unwrap_or(5000),
            clear_each_iteration: flag(element.text("clearEachIteration")),
            by_thread_group: flag(element.text("CacheManager.controlledByThread")),
        }
    }
}
