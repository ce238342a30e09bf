//! Names in a DNS Cache Manager: its host table, its servers, and the user's earlier results.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use crate::ConnectError;

use super::{NameCache, NameServers, ResolveError, resolve};

/// Hosts and their addresses, separated by commas.
pub type Hosts = Rc<[(Rc<str>, Rc<str>)]>;

/// Time that a server has for an answer (`ExtendedResolver.quantum`).
const TIMEOUT_NS: i64 = 5_000_000_000;
/// The port of name servers.
const PORT: u16 = 53;

/// The address of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostAddresses {
    /// What Java calls the addresses.
    pub(crate) name: Rc<str>,
    /// Its addresses; a line of the table may have none.
    pub(crate) addresses: Rc<[IpAddr]>,
}

/// The settings of a DNS Cache Manager.
pub struct ManagerNames {
    /// Its table.
    pub hosts: Hosts,
    /// Names or addresses of its servers, with a port or without; none: the system is asked.
    pub servers: Option<Vec<Rc<str>>>,
    /// What was looked up is forgotten with each iteration.
    pub clear_each_iteration: bool,
}

/// The names that a user has resolved, for each DNS Cache Manager.
#[derive(Default)]
pub struct UserNames {
    managers: Vec<ManagedNames>,
    /// Which of them is that of the running sample.
    current: usize,
}

struct ManagedNames {
    manager: u32,
    clear_each_iteration: bool,
    hosts: Hosts,
    resolver: Resolver,
    known: HashMap<Box<str>, HostAddresses>,
}

enum Resolver {
    /// That of the system.
    System,
    /// Servers by their names, which are looked up with the first host.
    Named(Vec<Rc<str>>),
    Servers(Rc<NameServers>),
    /// A server has no address.
    ExchangeError,
}

impl UserNames {
    /// A sampler of this manager begins: its names are looked up from now on. False where the
    /// manager is new here, and [`UserNames::add`] must follow.
    pub fn select(&mut self, manager: u32) -> bool {
        let at = self.managers.iter().position(|managed| managed.manager == manager);
        self.current = at.unwrap_or(self.current);
        at.is_some()
    }

    /// Changes the table of the selected manager.
    pub fn set_hosts(&mut self, hosts: Hosts) {
        self.managers[self.current].hosts = hosts;
    }

    /// Adds a manager and selects it.
    pub fn add(&mut self, manager: u32, names: ManagerNames) {
        let ManagerNames { hosts, servers, clear_each_iteration } = names;
        self.current = self.managers.len();
        let resolver = servers.map_or(Resolver::System, Resolver::Named);
        self.managers.push(ManagedNames {
            manager,
            clear_each_iteration,
            hosts,
            resolver,
            known: HashMap::new(),
        });
    }

    /// A new iteration begins (`DNSCacheManager.testIterationStart`).
    pub fn iteration_start(&mut self) {
        for managed in self.managers.iter_mut().filter(|managed| managed.clear_each_iteration) {
            managed.known.clear();
        }
    }

    /// Where a host is (`DNSCacheManager.resolve`).
    ///
    /// # Errors
    /// It has no address.
    pub(crate) async fn resolve(
        &mut self,
        host: &str,
        system: &NameCache,
    ) -> Result<HostAddresses, ConnectError> {
        let managed = &mut self.managers[self.current];
        if let Some(found) = managed.known.get(host) {
            return Ok(found.clone());
        }
        let given = managed.hosts.iter().find(|(name, _)| name.eq_ignore_ascii_case(host)).cloned();
        let found = match given {
            Some((name, addresses)) => managed.of_table(host, &name, &addresses, system).await?,
            None => managed.ask(host, system).await?,
        };
        managed.known.insert(host.into(), found.clone());
        Ok(found)
    }
}

impl ManagedNames {
    /// The addresses of a line of the table. JMeter finds a host in any case, and its addresses
    /// only as it is written.
    async fn of_table(
        &mut self,
        host: &str,
        name: &str,
        addresses: &str,
        system: &NameCache,
    ) -> Result<HostAddresses, ConnectError> {
        let (mut all, mut said): (Vec<IpAddr>, Rc<str>) = (Vec::new(), host.into());
        for address in addresses.split(',').map(str::trim).filter(|_| name == host) {
            let found = match self.ask(address, system).await {
                Ok(found) => found,
                // The servers may not know what the system does: a literal address first of all.
                Err(_) => match by_system(address, system).await {
                    Ok(found) => found,
                    Err(_) => continue,
                },
            };
            said = found.name;
            all.extend(&*found.addresses);
        }
        Ok(HostAddresses { name: said, addresses: all.into() })
    }

    /// `DNSCacheManager.requestLookup`.
    async fn ask(&mut self, host: &str, system: &NameCache) -> Result<HostAddresses, ConnectError> {
        if let Resolver::Named(names) = &self.resolver {
            self.resolver = match servers(names).await {
                Some(servers) => Resolver::Servers(Rc::new(NameServers::new(servers, TIMEOUT_NS))),
                None => Resolver::ExchangeError,
            };
        }
        match &self.resolver {
            Resolver::System | Resolver::Named(_) => by_system(host, system).await,
            Resolver::ExchangeError => Err(ConnectError::NoNameServers(host.to_owned())),
            Resolver::Servers(servers) => match servers.look_up(host).await {
                Ok(found) => Ok(HostAddresses { name: found.name.into(), addresses: found.addresses.into() }),
                Err(ResolveError::NotFound) => Err(ConnectError::Unresolved(host.to_owned())),
                Err(ResolveError::NoName) => Err(ConnectError::InvalidName),
            },
        }
    }
}

/// As Java itself: an empty text is this machine.
async fn by_system(host: &str, system: &NameCache) -> Result<HostAddresses, ConnectError> {
    let host = if host.is_empty() { "localhost" } else { host };
    let addresses = system.resolve(host, 0).await?;
    Ok(HostAddresses { name: host.into(), addresses: addresses.iter().map(SocketAddr::ip).collect() })
}

/// The addresses of servers; none if one of them has none. A port may be given, which JMeter does
/// not know.
async fn servers(names: &[Rc<str>]) -> Option<Vec<SocketAddr>> {
    let mut all = Vec::with_capacity(names.len());
    for name in names {
        let (host, port) = match name.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, port.parse().ok()?),
            _ => (&**name, PORT),
        };
        let host = if host.is_empty() { "localhost" } else { host };
        all.push(*resolve(host, port).await.ok()?.first()?);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_addresses_and_ports() {
        let table = [
            ("192.0.2.1", Some("192.0.2.1:53")),
            ("192.0.2.1:5353", Some("192.0.2.1:5353")),
            ("::1", Some("[::1]:53")),
            ("[::1]:5353", Some("[::1]:5353")),
            ("192.0.2.1:x", None),
        ];
        swell_net::Runtime::new().unwrap().block_on(async {
            for (name, wanted) in table {
                let found = servers(&[name.into()]).await;
                let wanted = wanted.map(|at| vec![at.parse::<SocketAddr>().unwrap()]);
                assert_eq!(found, wanted, "{name}");
            }
            assert_eq!(servers(&["192.0.2.1".into(), "192.0.2.1:x".into()]).await, None, "all of them");
        });
    }
}
