//! Whether this process and its ports have room for the connections of users.

use swell_net::SourceAddresses;

use crate::doctor::{OWN_DESCRIPTORS, local_ports};

/// Users that need a connection each, all at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserCount {
    /// Those that certainly do: the users of a URL, who send one request after the other.
    pub(crate) certain: u64,
    /// The most that may: users of a plan come and go and wait, those with a rate share its
    /// requests, and a search may end before its highest load.
    pub(crate) possible: u64,
}

impl UserCount {
    /// From `least` to `most` users that send one request after the other, or that may not.
    pub(crate) fn of(least: u64, most: u64, all_send: bool) -> Self {
        Self { certain: if all_send { least } else { 0 }, possible: most }
    }
}

/// What there is room for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Descriptors that this process may have; none: the system does not say.
    descriptors: Option<u64>,
    /// Those that it has already.
    open: u64,
    /// Local ports for outgoing connections to one address and port, over all source addresses.
    ports: Option<u64>,
}

/// Too little room.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shortage {
    pub(super) what: String,
    pub(super) hint: String,
    /// If each user has a connection, some cannot have theirs.
    pub(super) is_certain: bool,
}

impl Room {
    /// Asks this machine. `sources`: addresses that connections go out from.
    pub(super) fn of_this_machine(sources: Option<&str>) -> Self {
        let sources = sources.and_then(|list| SourceAddresses::parse(list).ok()).map_or(1, |all| all.count());
        let ports = |(first, last): (u16, u16)| u64::from(last.saturating_sub(first)) + 1;
        Self {
            descriptors: swell_net::machine::descriptor_limits().ok().map(|(_, hard)| hard),
            open: std::fs::read_dir("/proc/self/fd").map_or(0, |all| all.count() as u64),
            ports: local_ports().map(|range| ports(range) * sources as u64),
        }
    }

    /// The one rule of all commands: too little room for the users that certainly need a
    /// connection is an error, for those that may need one a warning.
    ///
    /// # Errors
    /// A part of the users cannot have a connection.
    pub(super) fn check(
        self,
        users: UserCount,
        destinations: Option<usize>,
    ) -> Result<Option<Shortage>, Shortage> {
        match self.shortage(users.certain, destinations) {
            Some(shortage) if shortage.is_certain => Err(shortage),
            _ => Ok(self.shortage(users.possible.max(users.certain), destinations)),
        }
    }

    /// What this machine has too little of for `users` users, each with a connection to one of
    /// `destinations` addresses.
    fn shortage(self, users: u64, destinations: Option<usize>) -> Option<Shortage> {
        self.of_descriptors(users).or_else(|| self.of_ports(users, destinations?))
    }

    fn of_descriptors(self, users: u64) -> Option<Shortage> {
        let most = self.descriptors?;
        let need = users + OWN_DESCRIPTORS;
        // So few have room among the descriptors that are kept free.
        const FEW: u64 = 10;
        if need <= most || users < FEW {
            return None;
        }
        let agents = users.div_ceil(most.saturating_sub(OWN_DESCRIPTORS).max(1));
        Some(Shortage {
            what: format!(
                "{users} users need {need} descriptors, one a connection, and this process may have {most}"
            ),
            hint: format!(
                "raise the hard limit (`ulimit -Hn {need}` as root), use fewer users, or run a plan in {agents} processes (`swell run PLAN --agents {agents}`)"
            ),
            is_certain: users + self.open > most,
        })
    }

    fn of_ports(self, users: u64, destinations: usize) -> Option<Shortage> {
        let ports = self.ports?;
        let places = destinations.max(1) as u64;
        if users <= ports * places {
            return None;
        }
        let to = if places == 1 { "one address".to_owned() } else { format!("{places} addresses") };
        Some(Shortage {
            what: format!(
                "{users} users need a local port each, and this machine has {} for connections to {to}",
                ports * places
            ),
            hint: format!(
                "widen them (`sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"`), use fewer users, or connect from {} addresses of this machine (--source)",
                users.div_ceil(ports.max(1) * places)
            ),
            is_certain: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { descriptors: Some(20_000), open: 20, ports: Some(28_232) };

    #[test]
    fn more_users_than_descriptors_are_too_many() {
        assert_eq!(ROOM.shortage(19_900, Some(1)), None);
        let close = ROOM.shortage(19_901, Some(1)).expect("100 are its own");
        assert!(!close.is_certain, "it may need fewer");
        let over = ROOM.shortage(30_000, Some(1)).expect("too many");
        assert!(over.is_certain && over.what.contains("30000 users need 30100 descriptors"), "{over:?}");
        assert!(over.what.ends_with("may have 20000") && over.hint.contains("--agents 2"), "{over:?}");
    }

    #[test]
    fn users_that_certainly_have_no_room_are_an_error_and_others_a_warning() {
        let of = |certain, possible| {
            let checked = ROOM.check(UserCount { certain, possible }, Some(1));
            checked.map(|warning| warning.map(|shortage| shortage.what)).map_err(|shortage| shortage.what)
        };
        let need = |users: u64| {
            format!(
                "{users} users need {} descriptors, one a connection, and this process may have 20000",
                users + 100
            )
        };
        assert_eq!(of(19_900, 19_900), Ok(None));
        assert_eq!(of(19_950, 0), Ok(Some(need(19_950))), "some of the kept descriptors may be free");
        assert_eq!(of(0, 30_000), Ok(Some(need(30_000))));
        assert_eq!(of(10, 30_000), Ok(Some(need(30_000))));
        assert_eq!(of(25_000, 30_000), Err(need(25_000)));
        assert_eq!(UserCount::of(1, 5, true), UserCount { certain: 1, possible: 5 });
        assert_eq!(UserCount::of(1, 5, false), UserCount { certain: 0, possible: 5 });
    }

    #[test]
    fn more_users_than_ports_to_one_address_are_too_many() {
        let room = Room { descriptors: Some(1_000_000), ..ROOM };
        assert_eq!((room.shortage(28_232, Some(1)), room.shortage(50_000, Some(2))), (None, None));
        assert_eq!(room.shortage(50_000, None), None, "a socket in the file system has no ports");
        let over = room.shortage(50_000, Some(1)).expect("too many");
        assert!(
            over.is_certain && over.what.contains("has 28232 for connections to one address"),
            "{over:?}"
        );
        assert!(over.hint.contains("from 2 addresses"), "{over:?}");
    }
}
