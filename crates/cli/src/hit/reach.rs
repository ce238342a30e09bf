//! The way to the server, as properties of the run.

use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use swell_budget::input::PEM;
use swell_expr::Properties;

use super::urls::Address;
use crate::args::HitArgs;
use crate::exit::Failure;

/// Which certificates samplers trust, see `swell_http`.
const TRUST: &str = "swell.http.trust";

/// Where `swell hit` departs from JMeter, as no plan does.
pub(super) const DEPARTURES: [(&str, &str); 6] = [
    ("swell.http.version", "auto"),
    ("swell.http.idle_connections", "checked"),
    ("swell.http.requests", "as_given"),
    ("swell.http.early_responses", "read"),
    ("swell.http.redirects", "rfc9110"),
    (UNREAD_BODIES, "coded"),
];

/// Whether bodies that nothing reads are decoded, see `swell_http`.
const UNREAD_BODIES: &str = "swell.http.unread_bodies";

/// Sets what the command line says of proxy and connections.
///
/// # Errors
/// What is wrong with it, with a hint.
pub(super) fn properties(args: &HitArgs) -> Result<Properties, Failure> {
    let props = Properties::default();
    for (name, value) in DEPARTURES {
        if name != UNREAD_BODIES || !args.request.decode {
            props.set(name, value);
        }
    }
    args.one.version.apply(&props);
    if args.streams > 1 {
        props.set("swell.http2.share", &args.streams.to_string());
    }
    if let Some(proxy) = &args.reach.proxy {
        set_proxy(&props, proxy)?;
    }
    if let Some(timeout) = args.request.timeout.filter(|time| !time.is_zero()) {
        // What comes byte by byte never waits for long; it ends all the same.
        props.set("http.total_timeout", &timeout.as_millis().saturating_mul(2).to_string());
    }
    set_trust(&props, args)?;
    set_key(&props, args)?;
    set_routes(&props, args)?;
    Ok(props)
}

/// Who has to have signed what a server shows.
fn set_trust(props: &Properties, args: &HitArgs) -> Result<(), Failure> {
    if args.reach.verify {
        props.set(TRUST, "machine");
    }
    let Some(file) = &args.reach.cacert else { return Ok(()) };
    let wrong = |why: String| {
        Failure::settings(format!("--cacert: no certificate can be read from `{}`: {why}", file.display()))
            .hint("a PEM file has lines `-----BEGIN CERTIFICATE-----`")
    };
    let text = read_pem(file).map_err(|error| wrong(error.to_string()))?;
    let roots = swell_connect::certificates_of_pem(&text).map_err(|error| wrong(error.to_string()))?;
    swell_connect::TlsConfig::trust_all()
        .with_roots(&roots)
        .map_err(|_| wrong("there is none in it".to_owned()))?;
    props.set(TRUST, &path_text(file)?);
    Ok(())
}

fn read_pem(file: &Path) -> std::io::Result<Vec<u8>> {
    PEM.read_whole(std::fs::File::open(file)?)
}

fn set_key(props: &Properties, args: &HitArgs) -> Result<(), Failure> {
    let Some(file) = &args.reach.cert else { return Ok(()) };
    let read = |file: &Path| {
        let told = |error| Failure::settings(format!("cannot read `{}`: {error}", file.display()));
        read_pem(file).map_err(told)
    };
    let key_file = args.reach.key.as_ref().unwrap_or(file);
    swell_connect::ClientKey::of_pem(&read(file)?, &read(key_file)?).map_err(|error| {
        let both = if key_file == file { String::new() } else { format!(" and `{}`", key_file.display()) };
        Failure::settings(format!("--cert: `{}`{both} cannot be used: {error}", file.display()))
            .hint("certificate and key are PEM files; `openssl pkcs12 -in FILE -out FILE.pem -nodes` makes one of a .p12")
    })?;
    props.set("javax.net.ssl.keyStore", &path_text(file)?);
    props.set("swell.http.key", &path_text(key_file)?);
    Ok(())
}

fn set_routes(props: &Properties, args: &HitArgs) -> Result<(), Failure> {
    if let Some(socket) = &args.reach.unix {
        let kind = std::fs::metadata(socket).map(|found| found.file_type().is_socket());
        match kind {
            Ok(true) => {
                props.set("swell.http.unix_socket", &path_text(socket)?);
            }
            Ok(false) => {
                return Err(Failure::settings(format!("--unix: `{}` is not a socket", socket.display())));
            }
            Err(error) => {
                return Err(Failure::settings(format!(
                    "--unix: there is no `{}`: {error}",
                    socket.display()
                )));
            }
        }
    }
    if !args.reach.connect_to.is_empty() {
        props.set("swell.http.connect_to", &args.reach.connect_to.join(","));
    }
    Ok(())
}

fn path_text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().ok_or_else(|| Failure::settings(format!("`{}` is not UTF-8", path.display())));
    text.map(str::to_owned)
}

fn set_proxy(props: &Properties, text: &str) -> Result<(), Failure> {
    let wrong = || {
        Failure::settings(format!("invalid proxy `{text}`"))
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
