//! Texts that are evaluated when a request is on its way, or was answered: functions in them that something else answers are called
//! before it is sent, since a request cannot be sent once more when their answers come.

use swell_expr::{Context, Template};

use super::spec::{Flag, Spec};

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
        if let Some(manager) = &self.cookies {
            manager.cookies.iter().flat_map(|c| [&c.name, &c.value, &c.domain, &c.path]).for_each(&mut *see);
        }
        if let Some(manager) = &self.auth {
            manager.entries.iter().flat_map(|entry| entry.texts()).for_each(&mut *see);
        }
        if let Some(manager) = &self.dns {
            manager.texts().for_each(&mut *see);
        }
        if let Some(keys) = &self.keys {
            keys.texts().for_each(&mut *see);
        }
        if let Some(embedded) = &self.embedded {
            embedded.flags().into_iter().for_each(|check_box| flag(check_box, see));
            embedded.texts().into_iter().for_each(see);
        }
    }
}
