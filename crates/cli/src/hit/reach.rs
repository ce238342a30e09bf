//! The way to the server, as properties of the run.

use swell_expr::Properties;

use super::urls::Address;
use crate::args::HitArgs;
use crate::exit::Failure;

/// Sets what the command line says of proxy and connections.
///
/// # Errors
/// What is wrong with it, with a hint.
pub(super) fn properties(args: &HitArgs) -> Result<Properties, Failure> {
    let props = Properties::default();
    if let Some(proxy) = &args.reach.proxy {
        set_proxy(&props, proxy)?;
    }
    Ok(props)
}

fn set_proxy(props: &Properties, text: &str) -> Result<(), Failure> {
    let wrong = || {
        Failure::settings(format!("`{text}` is no proxy"))
            .hint("write -x HOST:PORT, or -x USER:PASSWORD@HOST:PORT; http is the only scheme")
    };
    let address = Address::parse(text).map_err(|_| wrong())?;
    let host = address.url.host_str().filter(|_| address.url.scheme() == "http").ok_or_else(wrong)?;
    // The default port of http is left out of a URL that is parsed; here it must be said.
    let port = address
        .url
        .port()
        .or_else(|| text.trim_end_matches('/').ends_with(":80").then_some(80))
        .ok_or_else(wrong)?;
    props.set("http.proxyHost", host);
    props.set("http.proxyPort", &port.to_string());
    if let Some(credentials) = &address.credentials {
        props.set("http.proxyUser", &credentials.user);
        props.set("http.proxyPass", &credentials.password);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_has_a_host_and_a_port() {
        let set = |text: &str| {
            let props = Properties::default();
            set_proxy(&props, text).ok()?;
            let get = |name: &str| props.get(name).unwrap_or_default();
            Some(format!(
                "{}:{} {}:{}",
                get("http.proxyHost"),
                get("http.proxyPort"),
                get("http.proxyUser"),
                get("http.proxyPass")
            ))
        };
        assert_eq!(set("p:3128").as_deref(), Some("p:3128 :"));
        assert_eq!(set("http://ada:x@p:80/").as_deref(), Some("p:80 ada:x"));
        for wrong in ["p", "https://p:1", "socks5://p:1", ":1", ""] {
            assert_eq!(set(wrong), None, "{wrong}");
        }
    }
}
