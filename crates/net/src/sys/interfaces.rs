//! Network interfaces.

use std::ffi::CStr;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::check;

/// Addresses of an interface in the kernel's order; `None` if it does not exist.
pub(crate) fn addresses_of(interface: &str) -> io::Result<Option<Vec<IpAddr>>> {
    let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: `first` is a valid place for the result.
    check(unsafe { libc::getifaddrs(&raw mut first) })?;
    let mut found = None;
    let mut at = first;
    while !at.is_null() {
        // SAFETY: the list is whole until `freeifaddrs`, and `at` is one of its members.
        let member = unsafe { &*at };
        // SAFETY: the name of a member is ended by a zero.
        let name = unsafe { CStr::from_ptr(member.ifa_name) };
        if name.to_bytes() == interface.as_bytes() {
            let addresses = found.get_or_insert_with(Vec::new);
            // SAFETY: an address of a member is null or valid.
            addresses.extend(unsafe { address(member.ifa_addr) });
        }
        at = member.ifa_next;
    }
    // SAFETY: it came from `getifaddrs` and is not used any more.
    unsafe { libc::freeifaddrs(first) };
    Ok(found)
}

/// # Safety
/// The pointer is null, or to an address of the size of its family.
unsafe fn address(address: *const libc::sockaddr) -> Option<IpAddr> {
    if address.is_null() {
        return None;
    }
    // SAFETY: every address has a family.
    match i32::from(unsafe { (*address).sa_family }) {
        libc::AF_INET => {
            // SAFETY: the family says what it is; the read needs no alignment.
            let v4 = unsafe { address.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: the family says what it is; the read needs no alignment.
            let v6 = unsafe { address.cast::<libc::sockaddr_in6>().read_unaligned() };
            Some(Ipv6Addr::from(v6.sin6_addr.s6_addr).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_interface_has_its_address() {
        let found = addresses_of("lo").unwrap().unwrap();
        assert!(found.contains(&IpAddr::from([127, 0, 0, 1])), "{found:?}");
        assert_eq!(addresses_of("no such one").unwrap(), None);
    }
}
