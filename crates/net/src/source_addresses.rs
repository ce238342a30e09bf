//! The local addresses from which connections are opened.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most addresses of a list.
const MOST: usize = 1024;
/// Most sections of ports: each takes 2 MiB.
const MOST_SECTIONS: usize = 16;

/// Local addresses from which connections are opened, each in turn. A connection is identified by
/// the addresses and ports of both ends. So to one port of one server, there are at most as many
/// connections from an address as it has free ports (28,232 unless
/// `net.ipv4.ip_local_port_range` is changed).
#[derive(Debug)]
pub struct SourceAddresses {
    v4: Vec<IpAddr>,
    v6: Vec<IpAddr>,
    given: AtomicUsize,
}

impl SourceAddresses {
    /// A list of addresses and of ranges of IPv4 addresses: `10.0.0.7,10.0.1.2-10.0.1.5`.
    ///
    /// # Errors
    /// Not such a list, more than 1,024 addresses, an address that is not this machine's.
    pub fn parse(list: &str) -> Result<Self, String> {
        let mut all = Vec::new();
        for part in list.split(',').map(str::trim) {
            add(part, &mut all)?;
            if all.len() > MOST {
                return Err(format!("`{list}` has more than {MOST} addresses"));
            }
        }
        for address in &all {
            let bound = UdpSocket::bind((*address, 0));
            bound.map_err(|error| format!("{address} is not an address of this machine: {error}"))?;
        }
        let (v4, v6) = all.into_iter().partition(IpAddr::is_ipv4);
        Ok(Self { v4, v6, given: AtomicUsize::new(0) })
    }

    /// How many there are of the family that has more.
    pub fn count(&self) -> usize {
        self.v4.len().max(self.v6.len())
    }

    /// The next one for a connection to this address; none where the list has none of its family.
    pub(crate) fn next_for(&self, to: IpAddr) -> Option<IpAddr> {
        let all = if to.is_ipv4() { &self.v4 } else { &self.v6 };
        if all.is_empty() {
            return None;
        }
        Some(all[self.given.fetch_add(1, Ordering::Relaxed) % all.len()])
    }

    /// How many sections of ports keep these addresses apart by the last bits of each, a power of
    /// two; at most 16.
    pub(crate) fn sections(&self) -> usize {
        let are_apart = |sections: usize| {
            let mut seen = [false; MOST_SECTIONS];
            self.v4.iter().all(|address| {
                let IpAddr::V4(address) = address else { return true };
                let section = usize::from(address.octets()[3]) & (sections - 1);
                !std::mem::replace(&mut seen[section], true)
            })
        };
        let sizes = (0..).map(|bits| 1 << bits).take_while(|size| *size < MOST_SECTIONS);
        sizes.into_iter().find(|sections| are_apart(*sections)).unwrap_or(MOST_SECTIONS)
    }
}

/// Adds an address, or those of a range.
fn add(part: &str, all: &mut Vec<IpAddr>) -> Result<(), String> {
    let wrong = || {
        format!(
            "`{part}` is neither an address nor a range of IPv4 addresses, such as 10.0.0.7 or \
             10.0.0.2-10.0.0.5"
        )
    };
    let Some((first, last)) = part.split_once('-') else {
        all.push(part.parse().map_err(|_| wrong())?);
        return Ok(());
    };
    let [first, last] = [first, last].map(|end| end.trim().parse::<Ipv4Addr>().map(u32::from));
    let first = first.map_err(|_| wrong())?;
    let last = last.map_err(|_| wrong())?;
    if first > last {
        return Err(format!("`{part}`: the first address of a range is not above its last"));
    }
    all.extend((first..=last).take(MOST + 1).map(|address| IpAddr::V4(address.into())));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(list: &str) -> Vec<String> {
        let found = SourceAddresses::parse(list).expect("addresses of this machine");
        found.v4.iter().chain(&found.v6).map(ToString::to_string).collect()
    }

    #[test]
    fn lists_and_ranges_are_read() {
        assert_eq!(parsed("127.0.0.1"), ["127.0.0.1"]);
        assert_eq!(
            parsed("127.0.0.9, 127.0.0.254 - 127.0.1.1"),
            ["127.0.0.9", "127.0.0.254", "127.0.0.255", "127.0.1.0", "127.0.1.1"]
        );
    }

    #[test]
    fn what_cannot_be_used_is_told() {
        for (list, why) in [
            ("", "neither an address nor a range"),
            ("127.0.0.1,,127.0.0.2", "`` is neither an address"),
            ("localhost", "`localhost` is neither"),
            ("127.0.0.1-9", "`127.0.0.1-9` is neither"),
            ("::1-::4", "neither"),
            ("127.0.0.9-127.0.0.2", "is not above its last"),
            ("127.0.0.0-127.255.0.0", "more than 1024 addresses"),
            ("192.0.2.1", "192.0.2.1 is not an address of this machine: "),
        ] {
            let told = SourceAddresses::parse(list).expect_err(list);
            assert!(told.contains(why), "{list}: {told}");
        }
    }

    #[test]
    fn each_has_its_turn_in_its_family() {
        let all = SourceAddresses::parse("127.0.0.2-127.0.0.4").expect("loopback");
        let next = |to: &str| all.next_for(to.parse().expect("an address")).map(|ip| ip.to_string());
        let turns: Vec<_> = (0..4).filter_map(|_| next("127.0.0.1")).collect();
        assert_eq!(turns, ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.2"]);
        assert_eq!(next("::1"), None);
    }

    #[test]
    fn sections_keep_addresses_apart() {
        for (list, sections) in [
            ("127.0.0.7", 1),
            ("127.0.0.2,127.0.0.3", 2),
            ("127.0.0.2,127.0.0.4", 4),
            ("127.0.0.1-127.0.0.9", 16),
            ("127.0.0.1,127.0.1.1", 16),
        ] {
            assert_eq!(SourceAddresses::parse(list).expect("loopback").sections(), sections, "{list}");
        }
    }
}
