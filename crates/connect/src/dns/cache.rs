//! Addresses of hosts, remembered as the Java machine remembers them: 30 s, and 10 s that there are none.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use swell_net::now_ns;

use crate::ConnectError;

use super::resolve;

const KNOWN_NS: i64 = 30_000_000_000;
const UNKNOWN_NS: i64 = 10_000_000_000;

struct CachedName {
    expires_ns: i64,
    addresses: Vec<IpAddr>,
}

/// The names that a run has looked up, for all workers.
#[derive(Default)]
pub struct NameCache {
    names: Mutex<HashMap<String, CachedName>>,
}

impl NameCache {
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
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(host).filter(|entry| entry.expires_ns > now_ns).map(|entry| entry.addresses.clone())
    }

    fn remember(&self, host: &str, addresses: &[IpAddr], now_ns: i64) {
        let life_ns = if addresses.is_empty() { UNKNOWN_NS } else { KNOWN_NS };
        let entry = CachedName { expires_ns: now_ns + life_ns, addresses: addresses.to_vec() };
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
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
}
