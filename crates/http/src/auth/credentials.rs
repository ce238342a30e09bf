//! Names and passwords by realm (`BasicCredentialsProvider`).

use std::rc::Rc;

use swell_connect::Credentials;

/// The credentials that a user has sent to a target, by realm.
#[derive(Debug, Default)]
pub(crate) struct Store(Vec<(Rc<str>, Credentials)>);

impl Store {
    /// Remembers credentials for a realm, or for any if it is empty.
    pub(crate) fn set(&mut self, realm: Rc<str>, credentials: Credentials) {
        match self.0.iter_mut().find(|(known, _)| *known == realm) {
            Some(entry) => entry.1 = credentials,
            None => self.0.push((realm, credentials)),
        }
    }

    /// Whether there are credentials for that very realm.
    pub(crate) fn has(&self, realm: &str) -> bool {
        self.0.iter().any(|(known, _)| **known == *realm)
    }

    /// The credentials that fit a realm best, or any realm if it is empty.
    pub(crate) fn find(&self, realm: &str) -> Option<&Credentials> {
        let same = self.0.iter().find(|(known, _)| **known == *realm);
        let fits = |known: &str| known.is_empty() || realm.is_empty();
        same.or_else(|| self.0.iter().find(|(known, _)| fits(known))).map(|(_, credentials)| credentials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_realm_counts_most() {
        let mut store = Store::default();
        assert_eq!(store.find(""), None);
        store.set("R".into(), Credentials::new("", "r", "".into()));
        assert_eq!((store.find("").map(|c| &*c.user), store.find("S")), (Some("r"), None));
        store.set("".into(), Credentials::new("", "any", "".into()));
        let user = |realm| store.find(realm).map(|c| &*c.user);
        assert_eq!((user("R"), user("S"), user("")), (Some("r"), Some("any"), Some("any")));
    }
}
