//! Network interfaces.

use std::io;
use std::net::IpAddr;

/// Addresses of a network interface (`eth0`), IPv6 first as Java has them; `None` if the interface
/// does not exist.
///
/// # Errors
/// The kernel does not tell.
pub fn interface_addresses(name: &str) -> io::Result<Option<Vec<IpAddr>>> {
    let found = crate::sys::addresses_of(name)?;
    Ok(found.map(|mut addresses| {
        addresses.sort_by_key(IpAddr::is_ipv4);
        addresses
    }))
}
