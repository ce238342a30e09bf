//! The source address of a request (`HTTPAbstractImpl.getIpSourceAddress`).

use std::net::{IpAddr, SocketAddr};

use swell_connect::NameCache;
use swell_expr::Context;

use crate::compile::{SourceKind, Spec};
use crate::failure::Failure;
use crate::set::{self, ScriptSettings};

/// The address that the sampler names, or the run; none if neither does.
pub(super) async fn source(
    spec: &Spec,
    names: &NameCache,
    cx: &mut Context,
    set: &ScriptSettings,
) -> Result<Option<IpAddr>, Failure> {
    let text = set.text(set::SOURCE).map_or_else(|| spec.source.eval_value(cx), Into::into);
    if text.trim().is_empty() {
        return Ok(spec.settings.local_address.as_ref().map(|(ip, _)| *ip));
    }
    let kind = set.text(set::SOURCE_KIND).map_or(spec.source_kind, SourceKind::of_script);
    if kind == SourceKind::Host {
        let addresses = names.resolve(text.trim(), 0).await?;
        return Ok(addresses.first().map(SocketAddr::ip));
    }
    of_interface(&text, kind).map(Some)
}

fn of_interface(name: &str, kind: SourceKind) -> Result<IpAddr, Failure> {
    let unknown = |message: String| Failure::new("java.net.UnknownHostException", message);
    let found = swell_net::interface_addresses(name).ok().flatten();
    let Some(addresses) = found else { return Err(unknown(format!("Cannot find interface {name}"))) };
    let (fits, class): (fn(&IpAddr) -> bool, _) = match kind {
        SourceKind::DeviceV4 => (IpAddr::is_ipv4, "Inet4Address"),
        SourceKind::DeviceV6 => (IpAddr::is_ipv6, "Inet6Address"),
        SourceKind::Host | SourceKind::Device => (|_| true, "InetAddress"),
    };
    let found = addresses.into_iter().find(fits);
    found.ok_or_else(|| unknown(format!("Interface {name} does not have address of type {class}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_have_addresses() {
        assert_eq!(of_interface("lo", SourceKind::DeviceV4), Ok(IpAddr::from([127, 0, 0, 1])));
        let error = of_interface("nowhere", SourceKind::Device).unwrap_err();
        assert_eq!(
            (error.class, error.message.as_deref()),
            ("java.net.UnknownHostException", Some("Cannot find interface nowhere"))
        );
    }
}
