//! Resolves names: with the system's resolver and a cache ([`NameCache`]), as a user of a DNS Cache
//! Manager does ([`UserNames`]), and with given servers ([`NameServers`], `org.xbill.DNS.Lookup`
//! over an `ExtendedResolver`).

mod cache;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod message;
mod resolve;
mod search;
mod servers;
#[cfg(test)]
mod tests;
mod user_names;

use std::cell::Cell;
use std::net::{IpAddr, SocketAddr};

pub use cache::NameCache;
use message::{Answer, checked};
pub use resolve::resolve;
use search::Search;
pub use user_names::{Hosts, ManagerNames, UserNames};

/// The result of resolving a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedName {
    /// The name that has the addresses, aliases followed, with a dot at its end.
    pub name: String,
    /// IPv4 addresses, as the server orders them.
    pub addresses: Vec<IpAddr>,
}

/// Why a name has no addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResolveError {
    /// It cannot be asked for: a part of it is empty or too long.
    NoName,
    /// No server knows it, or none answers.
    NotFound,
}

/// Servers that are queried in turn.
#[derive(Debug)]
pub struct NameServers {
    servers: Box<[SocketAddr]>,
    timeout_ns: i64,
    /// Which of them is first.
    turn: Cell<usize>,
}

/// Aliases that are followed (`Lookup.follow`).
const MAX_ALIASES: u32 = 10;

/// What came of one whole name.
enum LookupStep {
    Found(ResolvedName),
    /// The next name of the search is tried.
    Next,
    Over,
}

impl NameServers {
    /// `timeout_ns`: how long one of them has for an answer; it is asked three times at most.
    pub fn new(servers: Vec<SocketAddr>, timeout_ns: i64) -> Self {
        Self { servers: servers.into(), timeout_ns, turn: Cell::new(0) }
    }

    /// The IPv4 addresses of a name; literal addresses are names, too.
    ///
    /// # Errors
    /// There are none.
    pub async fn look_up(&self, host: &str) -> Result<ResolvedName, ResolveError> {
        let name = checked(host).ok_or(ResolveError::NoName)?;
        for whole in Search::of_machine().names(name) {
            if checked(&whole).is_none() {
                continue;
            }
            match self.follow(whole).await {
                LookupStep::Found(found) => return Ok(found),
                LookupStep::Next => {}
                LookupStep::Over => break,
            }
        }
        Err(ResolveError::NotFound)
    }

    /// Asks for a name, and for the names that it is an alias of.
    async fn follow(&self, mut name: String) -> LookupStep {
        for aliases in 0..MAX_ALIASES {
            let next = if aliases == 0 { LookupStep::Next } else { LookupStep::Over };
            match self.ask(&name).await {
                Ok(Answer::Found(name, addresses)) => {
                    return LookupStep::Found(ResolvedName { name, addresses });
                }
                Ok(Answer::Alias(of)) => {
                    if of.trim_end_matches('.').eq_ignore_ascii_case(name.trim_end_matches('.')) {
                        return LookupStep::Over;
                    }
                    name = of;
                }
                Ok(Answer::NoAddress) => return LookupStep::Over,
                Ok(Answer::NoSuchName | Answer::Refused | Answer::Truncated) | Err(_) => return next,
            }
        }
        LookupStep::Over
    }
}
