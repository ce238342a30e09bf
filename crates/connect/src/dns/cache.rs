//! Caches addresses of hosts as the Java VM does: by default for 30 s, and failures for 10 s.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use parking_lot::Mutex;
use swell_net::now_ns;

use crate::ConnectError;

use super::resolve;

const KNOWN_NS: i64 = 30_000_000_000;
const UNKNOWN_NS: i64 = 10_000_000_000;

struct CachedName {
    expires_ns: i64,
    addresses: Vec<IpAddr>,
}

/// The names that a run has resolved, for all workers.
pub struct NameCache {
    names: Mutex<HashMap<String, CachedName>>,
    /// How long an address counts.
    known_ns: i64,
}

impl Default for NameCache {
    fn default() -> Self {
        Self { names: Mutex::default(), known_ns: KNOWN_NS }
    }
}

impl NameCache {
    /// A cache that lasts as long as Java's property `sun.net.inetaddr.ttl` says: a number of
    /// seconds, below 0 forever; an invalid number says nothing (`sun.net.InetAddressCachePolicy`).
    pub fn with_ttl(seconds: Option<&str>) -> Self {
        let seconds = seconds.and_then(|text| text.parse::<i32>().ok());
        let known_ns = seconds.map_or(KNOWN_NS, |seconds| match i64::from(seconds) {
            ..0 => i64::MAX,
            seconds => seconds * 1_000_000_000,
        });
        Self { names: Mutex::default(), known_ns }
    }

    /// Addresses of a host, IPv4 first as Java sorts them; at least one.
    ///
    /// # Errors
    /// There is none.
    pub async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ConnectError> {
        let literal = host.trim_matches(['[', ']']);
        if let Ok(ip) = literal.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, port)]);
        }
        let now_ns = now_ns();
        if let Some(known) = self.known(host, now_ns) {
            return with_port(&known, port).ok_or_else(|| unknown(host, true));
        }
        let found = resolve(host, port).await.unwrap_or_default();
        let mut addresses: Vec<IpAddr> = found.iter().map(SocketAddr::ip).collect();
        addresses.sort_by_key(IpAddr::is_ipv6);
        addresses.dedup();
        self.remember(host, &addresses, now_ns);
        with_port(&addresses, port).ok_or_else(|| unknown(host, false))
    }

    fn known(&self, host: &str, now_ns: i64) -> Option<Vec<IpAddr>> {
        let names = self.names.lock();
        names.get(host).filter(|entry| entry.expires_ns > now_ns).map(|entry| entry.addresses.clone())
    }

    fn remember(&self, host: &str, addresses: &[IpAddr], now_ns: i64) {
        let life_ns = if addresses.is_empty() { UNKNOWN_NS } else { self.known_ns };
        let entry = CachedName { expires_ns: now_ns.saturating_add(life_ns), addresses: addresses.to_vec() };
        let mut names = self.names.lock();
        names.retain(|_, known| known.expires_ns > now_ns);
        names.insert(host.to_owned(), entry);
    }
}

fn unknown(host: &str, remembered: bool) -> ConnectError {
    ConnectError::UnknownHost { host: host.to_owned(), remembered }
}

fn with_port(addresses: &[IpAddr], port: u16) -> Option<Vec<SocketAddr>> {
    (!addresses.is_empty()).then(|| addresses.iter().map(|ip| SocketAddr::new(*ip, port)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_forgotten_in_time() {
        let cache = NameCache::default();
        cache.remember("known", &["192.0.2.1".parse().unwrap()], 0);
        cache.remember("unknown", &[], 0);
        assert_eq!(cache.known("known", KNOWN_NS - 1).map(|a| a.len()), Some(1));
        assert_eq!(cache.known("known", KNOWN_NS), None);
        assert_eq!(cache.known("unknown", UNKNOWN_NS - 1), Some(vec![]));
        assert_eq!(cache.known("unknown", UNKNOWN_NS), None);
    }

    #[test]
    fn addresses_count_as_long_as_java_is_told() {
        let year_ns = 365 * 24 * 3600 * 1_000_000_000;
        for (ttl, life_ns) in [
            (None, KNOWN_NS),
            (Some("never"), KNOWN_NS),
            (Some("0"), 0),
            (Some("2"), 2_000_000_000),
            (Some("-1"), year_ns),
        ] {
            let cache = NameCache::with_ttl(ttl);
            cache.remember("known", &["192.0.2.1".parse().unwrap()], 5);
            assert!(cache.known("known", 4 + life_ns).is_some(), "{ttl:?}");
            assert_eq!(cache.known("known", 5 + life_ns).is_some(), ttl == Some("-1"), "{ttl:?}");
        }
    }
}
