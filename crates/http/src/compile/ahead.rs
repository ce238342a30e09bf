//! Texts that are evaluated after a request was sent or answered. Functions in them that need an
//! answer from outside this thread are called before the request is sent, because a request cannot
//! be sent a second time when that answer arrives.

use swell_expr::{Context, Template};

use super::auth::AuthEntry;
use super::flag::Flag;
use super::network::DnsManager;
use super::spec::Spec;

impl Spec {
    /// Whether functions have to be called ahead.
    pub(crate) fn has_late_calls(&self) -> bool {
        let mut found = false;
        self.each_late(&mut |template| found |= template.may_wait());
        found
    }

    /// Calls them. Where the context is suspended after that, nothing may be sent yet.
    pub(crate) fn call_ahead(&self, cx: &mut Context) {
        if cx.thrown.is_some() {
            return;
        }
        self.each_late(&mut |template| {
            if template.may_wait() && !cx.is_suspended() {
                template.eval(cx);
                if !cx.is_suspended() {
                    // It is thrown where the text is read, if it is.
                    cx.thrown = None;
                }
            }
        });
    }

    fn each_late(&self, see: &mut dyn FnMut(&Template)) {
        let flag = |flag: &Flag, see: &mut dyn FnMut(&Template)| {
            if let Flag::Text(template) = flag {
                see(template);
            }
        };
        for text in [&self.connect_timeout, &self.response_timeout, &self.source] {
            see(text);
        }
        for check_box in [&self.auto, &self.md5, &self.follow] {
            flag(check_box, see);
        }
        let cookies = self.cookies.iter().flat_map(|manager| &manager.cookies);
        let cookies = cookies.flat_map(|cookie| [&cookie.name, &cookie.value, &cookie.domain, &cookie.path]);
        let entries = self.auth.iter().flat_map(|manager| &manager.entries).flat_map(AuthEntry::texts);
        let dns = self.dns.iter().flat_map(DnsManager::texts);
        let keys = self.keys.iter().flat_map(|keys| keys.texts());
        for text in cookies.chain(entries).chain(dns).chain(keys) {
            see(text);
        }
        let Some(embedded) = &self.embedded else { return };
        for check_box in embedded.flags() {
            flag(check_box, see);
        }
        for text in embedded.texts() {
            see(text);
        }
    }
}
