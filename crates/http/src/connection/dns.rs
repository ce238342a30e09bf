//! Addresses of hosts, remembered as the Java machine remembers them: 30 s, and 10 s that there are none.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;

const KNOWN_NS: i64 = 30_000_000_000;
const UNKNOWN_NS: i64 = 10_000_000_000;

struct Entry {
    expires_ns: i64,
    addresses: Vec<IpAddr>,
}

/// The names that a run has looked up, for all workers.
#[derive(Default)]
pub(crate) struct Dns {
    names: Mutex<HashMap<String, Entry>>,
}

impl Dns {
    /// Addresses of a host, IPv4 first as Java sorts them.
    pub(crate) async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        let literal = host.trim_matches(['[', ']']);
        if let Ok(ip) = literal.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, port)]);
        }
        let now_ns = swell_net::now_ns();
        if let Some(known) = self.known(host, now_ns) {
            return with_port(&known, port).ok_or_else(|| Failure::unknown_host(host, true));
        }
        let found = swell_net::resolve(host, port).await.unwrap_or_default();
        let mut addresses: Vec<IpAddr> = found.iter().map(SocketAddr::ip).collect();
        addresses.sort_by_key(IpAddr::is_ipv6);
        addresses.dedup();
        self.remember(host, &addresses, now_ns);
        with_port(&addresses, port).ok_or_else(|| Failure::unknown_host(host, false))
    }

    fn known(&self, host: &str, now_ns: i64) -> Option<Vec<IpAddr>> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(host).filter(|entry| entry.expires_ns > now_ns).map(|entry| entry.addresses.clone())
    }

    fn remember(&self, host: &str, addresses: &[IpAddr], now_ns: i64) {
        let life_ns = if addresses.is_empty() { UNKNOWN_NS } else { KNOWN_NS };
        let entry = Entry { expires_ns: now_ns + life_ns, addresses: addresses.to_vec() };
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.retain(|_, known| known.expires_ns > now_ns);
        names.insert(host.to_owned(), entry);
    }
}

fn with_port(addresses: &[IpAddr], port: u16) -> Option<Vec<SocketAddr>> {
    (!addresses.is_empty()).then(|| addresses.iter().map(|ip| SocketAddr::new(*ip, port)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_forgotten_in_time() {
        let dns = Dns::default();
        dns.remember("known", &["192.0.2.1".parse().unwrap()], 0);
        dns.remember("unknown", &[], 0);
        assert_eq!(dns.known("known", KNOWN_NS - 1).map(|a| a.len()), Some(1));
        assert_eq!(dns.known("known", KNOWN_NS), None);
        assert_eq!(dns.known("unknown", UNKNOWN_NS - 1), Some(vec![]));
        assert_eq!(dns.known("unknown", UNKNOWN_NS), None);
    }
}
