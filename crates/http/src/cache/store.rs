//! Cache entries; the least recently used entry is removed first.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::entry::{CacheUse, Response, expiry};

/// The validators of a conditional request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Validators {
    /// `If-Modified-Since`.
    pub(crate) last_modified: Option<Rc<str>>,
    /// `If-None-Match`.
    pub(crate) etag: Option<Rc<str>>,
}

#[derive(Clone)]
struct Entry {
    validators: Validators,
    expires_ms: Option<i64>,
    /// The entry only says on which headers the real ones depend.
    vary: Option<Rc<str>>,
    used: u64,
}

/// One user's cache.
pub(crate) struct Cache {
    entries: HashMap<Rc<str>, Entry>,
    by_use: BTreeMap<u64, Rc<str>>,
    clock: u64,
    max: usize,
}

/// Names and values of a request's headers; names are compared exactly as written.
pub(crate) type Headers<'a> = &'a [(&'a str, &'a str)];

impl Cache {
    /// An empty cache of at most that many entries.
    pub(crate) fn new(max: usize) -> Self {
        Self { entries: HashMap::new(), by_use: BTreeMap::new(), clock: 0, max }
    }

    /// Number of entries.
    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Empties it.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.by_use.clear();
    }

    /// What makes the request conditional.
    pub(crate) fn validators(&mut self, url: &str, headers: Headers<'_>) -> Option<Validators> {
        self.find(url, headers).map(|entry| entry.validators)
    }

    /// The resource is fresh: no request is made.
    pub(crate) fn is_fresh(&mut self, url: &str, headers: Headers<'_>, now_ms: i64) -> bool {
        let entry = self.find(url, headers).filter(|entry| entry.vary.is_none());
        entry.and_then(|entry| entry.expires_ms).is_some_and(|ms| ms > now_ms)
    }

    /// Remembers a response to a request with these headers. What is there stays, but for responses
    /// that vary.
    ///
    /// # Errors
    /// As [`expiry`].
    pub(crate) fn save(
        &mut self,
        url: &str,
        headers: Headers<'_>,
        response: &Response,
        use_expires: bool,
        now_ms: i64,
    ) -> Result<(), String> {
        if response.vary.as_deref() == Some("*") || !response.has_validator() {
            return Ok(());
        }
        let CacheUse::Until(expires_ms) = expiry(response, use_expires, now_ms)? else { return Ok(()) };
        let text = |value: &Option<String>| value.as_deref().map(Rc::from);
        let validators =
            Validators { last_modified: text(&response.last_modified), etag: text(&response.etag) };
        let entry = Entry { validators, expires_ms, vary: None, used: 0 };
        match &response.vary {
            Some(vary) => {
                let key = vary_key(url, vary, headers);
                self.put(url.into(), Entry { vary: Some(vary.as_str().into()), ..entry.clone() });
                self.put(key.into(), entry);
            }
            None if self.entries.contains_key(url) => {}
            None => self.put(url.into(), entry),
        }
        Ok(())
    }

    fn find(&mut self, url: &str, headers: Headers<'_>) -> Option<Entry> {
        let entry = self.touch(url)?;
        match &entry.vary {
            None => Some(entry),
            Some(vary) => self.touch(&vary_key(url, vary, headers)),
        }
    }

    fn touch(&mut self, key: &str) -> Option<Entry> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        let key = self.by_use.remove(&entry.used).expect("the order of use contains each entry");
        entry.used = self.clock;
        self.by_use.insert(self.clock, key);
        Some(entry.clone())
    }

    fn put(&mut self, key: Rc<str>, mut entry: Entry) {
        self.clock += 1;
        entry.used = self.clock;
        if let Some(old) = self.entries.insert(key.clone(), entry) {
            self.by_use.remove(&old.used);
        }
        self.by_use.insert(self.clock, key);
        while self.entries.len() > self.max {
            let (_, oldest) = self.by_use.pop_first().expect("there is one per entry");
            self.entries.remove(&oldest);
        }
    }
}

/// The key of an entry that depends on headers: the values of those that the request has.
fn vary_key(url: &str, vary: &str, headers: Headers<'_>) -> String {
    let mut names: Vec<&str> = vary.split(',').map(str::trim_start).collect();
    names.sort_unstable();
    names.dedup();
    let mut key = format!("vary-{vary}-");
    for name in names {
        key.push_str(name);
        key.push_str("=[");
        for (_, value) in headers.iter().filter(|(n, _)| *n == name) {
            key.push_str(value);
            key.push_str(", ");
        }
        key.push(']');
    }
    key.push('-');
    key.push_str(url);
    key
}
