//! Where a sampler connects to (`WebSocketSampler.getUri` and what Jetty's client makes of it).

use std::fmt::Write as _;

use crate::websocket::upgrade::Destination;

/// The parts of an address, as the plan has them.
pub(super) struct Address<'a> {
    pub(super) protocol: &'a str,
    pub(super) host: &'a str,
    /// As a number; anything else is 0.
    pub(super) port: &'a str,
    pub(super) path: &'a str,
    /// With names and values encoded where the plan wants that.
    pub(super) query: &'a str,
    pub(super) is_verified: bool,
}

impl Address<'_> {
    /// Where it leads.
    ///
    /// # Errors
    /// Java's message about an invalid address.
    pub(super) fn destination(&self) -> Result<Destination, String> {
        let whole = ["ws://", "wss://"].iter().any(|start| self.path.starts_with(start));
        if whole {
            return self.of_path();
        }
        let protocol = if self.protocol.is_empty() { "ws" } else { self.protocol };
        let secure = protocol.eq_ignore_ascii_case("wss");
        if !secure && !protocol.eq_ignore_ascii_case("ws") {
            return Err(format!("Unsupported scheme: {protocol}"));
        }
        let port = port_or_default(self.port, secure)?;
        let host = bracketed(self.host);
        if host.is_empty() {
            return Err("Expected authority".to_owned());
        }
        let mut file =
            if self.path.starts_with('/') { self.path.to_owned() } else { format!("/{}", self.path) };
        if !self.query.is_empty() {
            file.push('?');
            quote(self.query, &mut file);
        }
        Ok(Destination { secure, host, port, file: sendable(&file), is_verified: self.is_verified })
    }

    /// A path that is a whole address.
    fn of_path(&self) -> Result<Destination, String> {
        let (protocol, rest) = self.path.split_once("://").unwrap_or_default();
        let secure = protocol == "wss";
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, file) = rest.split_at(end);
        let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
            Some((host, port)) => (host, port),
            None => (authority, ""),
        };
        if host.is_empty() {
            return Err(format!("Expected authority at index {}: {}", protocol.len() + 3, self.path));
        }
        let file = file.split('#').next().unwrap_or_default();
        let file = if file.starts_with('/') { file.to_owned() } else { format!("/{file}") };
        let port = port_or_default(port, secure)?;
        Ok(Destination {
            secure,
            host: host.to_owned(),
            port,
            file: sendable(&file),
            is_verified: self.is_verified,
        })
    }
}

/// The `Host` of the request: without the port that belongs to the protocol.
pub(super) fn host_of(to: &Destination) -> String {
    let is_default = to.port == if to.secure { 443 } else { 80 };
    if is_default { to.host.clone() } else { format!("{}:{}", to.host, to.port) }
}

fn port_or_default(text: &str, secure: bool) -> Result<u16, String> {
    match text.parse::<i32>().unwrap_or(0) {
        0 => Ok(if secure { 443 } else { 80 }),
        port => u16::try_from(port).map_err(|_| format!("port out of range:{port}")),
    }
}

fn bracketed(host: &str) -> String {
    if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.to_owned() }
}

/// Appends a query as `java.net.URI` quotes it: the percent sign always, and what no URI may have.
fn quote(query: &str, out: &mut String) {
    for c in query.chars() {
        let is_legal = c.is_ascii_alphanumeric() || "-_.!~*'(),;:$&+=?/[]@".contains(c) || !c.is_ascii();
        if is_legal {
            out.push(c);
        } else {
            let _ = write!(out, "%{:02X}", u32::from(c));
        }
    }
}

/// A request line has no blanks and no line ends.
fn sendable(file: &str) -> String {
    let mut out = String::with_capacity(file.len());
    for c in file.chars() {
        if c == ' ' || c.is_ascii_control() {
            let _ = write!(out, "%{:02X}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: [&str; 5]) -> Result<String, String> {
        let [protocol, host, port, path, query] = parts;
        let address = Address { protocol, host, port, path, query, is_verified: true };
        address.destination().map(|to| format!("{} {}", to.url(), host_of(&to)))
    }

    #[test]
    fn addresses_are_those_of_the_plug_in() {
        for (parts, wanted) in [
            (["", "h", "", "", ""], "ws://h:80/ h"),
            (["wss", "h", "0", "a", ""], "wss://h:443/a h"),
            (["WS", "h", "8080", "/a", "b=1&c=x+y"], "ws://h:8080/a?b=1&c=x+y h:8080"),
            (["ws", "h", "x", "/a b", "b=%20|"], "ws://h:80/a%20b?b=%2520%7C h"),
            (["ws", "::1", "81", "/", ""], "ws://[::1]:81/ [::1]:81"),
            (["wss", "other", "1", "ws://h:99/a?b#c", "d=1"], "ws://h:99/a?b h:99"),
            (["", "", "", "wss://[::1]", ""], "wss://[::1]:443/ [::1]"),
        ] {
            assert_eq!(of(parts).as_deref(), Ok(wanted));
        }
        for parts in [
            ["http", "h", "", "", ""],
            ["ws", "", "", "", ""],
            ["ws", "h", "70000", "", ""],
            ["", "", "", "ws:///a", ""],
        ] {
            assert!(of(parts).is_err(), "{parts:?}");
        }
    }
}
