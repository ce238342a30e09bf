//! The HTTP Authorization Manager element.

use swell_api::CompileContext;
use swell_expr::Template;
use swell_plan::{Node, Severity};

use super::keystore::note_once;

/// An Authorization Manager.
pub(crate) struct AuthManager {
    pub(crate) entries: Vec<AuthEntry>,
}

/// The credentials for URLs that start with a prefix.
pub(crate) struct AuthEntry {
    pub(crate) url: Template,
    pub(crate) user: Template,
    pub(crate) password: Template,
    pub(crate) domain: Template,
    pub(crate) realm: Template,
    pub(crate) mechanism: Template,
}

impl AuthEntry {
    pub(super) fn texts(&self) -> [&Template; 6] {
        [&self.url, &self.user, &self.password, &self.domain, &self.realm, &self.mechanism]
    }
}

impl AuthManager {
    pub(super) fn new(node: &Node, compile: &CompileContext) -> Self {
        let entries = node.element.elements("AuthManager.auth_list").map(|entry| {
            let text = |name: &str| compile.template(entry, name, "");
            let mechanism = compile.template(entry, "Authorization.mechanism", "BASIC");
            if mechanism.constant() == Some("KERBEROS") {
                // Recorders leave such entries, and JMeter without Kerberos on its machine does the
                // same.
                let url = entry.text("Authorization.url").unwrap_or_default();
                let what =
                    format!("Kerberos is not supported: requests to `{url}` are sent without credentials");
                let hint = Some("use BASIC or DIGEST if the server accepts them");
                note_once(compile, entry, Severity::Warning, &what, hint);
            }
            AuthEntry {
                url: text("Authorization.url"),
                user: text("Authorization.username"),
                password: text("Authorization.password"),
                domain: text("Authorization.domain"),
                realm: text("Authorization.realm"),
                mechanism,
            }
        });
        Self { entries: entries.collect() }
    }
}
