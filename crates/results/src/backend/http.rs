//! Sending lines by HTTP.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Most of an answer that is read.
const MOST: u64 = 64 * 1024;

/// Where lines go, and how.
pub(super) struct Post {
    pub(super) url: String,
    /// Of InfluxDB 2; may be empty.
    pub(super) token: String,
    pub(super) connect_timeout_ms: u64,
    pub(super) read_timeout_ms: u64,
}

impl Post {
    /// Sends lines in a request of their own.
    ///
    /// # Errors
    /// What went wrong, the server's refusal included.
    pub(super) fn send(&self, lines: &str) -> Result<(), String> {
        post(self, lines)
    }
}

fn post(settings: &Post, lines: &str) -> Result<(), String> {
    let (host, port, target) = address(&settings.url)?;
    let said = |error: io::Error| error.to_string();
    let address = (host, port).to_socket_addrs().map_err(said)?.next().ok_or("the host has no address")?;
    let connect = Duration::from_millis(settings.connect_timeout_ms);
    let mut stream = TcpStream::connect_timeout(&address, connect).map_err(said)?;
    let silence = Some(Duration::from_millis(settings.read_timeout_ms));
    stream.set_read_timeout(silence).and_then(|()| stream.set_write_timeout(silence)).map_err(said)?;
    let token = match settings.token.trim() {
        "" => String::new(),
        token => format!("Authorization: Token {token}\r\n"),
    };
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: {host}:{port}\r\nUser-Agent: ApacheJMeter5.6.3\r\n{token}\
         Content-Type: text/plain; charset=UTF-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        lines.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(lines.as_bytes())).map_err(said)?;
    let mut answer = BufReader::new(stream.take(MOST));
    let mut status = String::new();
    answer.read_line(&mut status).map_err(said)?;
    if status.split(' ').nth(1).is_some_and(|code| code.starts_with('2')) {
        return Ok(());
    }
    let mut rest = Vec::new();
    // What came of it is enough to tell.
    let _as_far_as_it_came = answer.read_to_end(&mut rest);
    let rest = String::from_utf8_lossy(&rest);
    let body = rest.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    Err(format!("{} {}", status.trim(), body.trim()).trim().to_owned())
}

/// Host, port and the rest of a URL.
fn address(url: &str) -> Result<(&str, u16, &str), String> {
    let Some(rest) = url.trim().strip_prefix("http://") else {
        return Err("only http:// is spoken yet".to_owned());
    };
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (place, target) = rest.split_at(at);
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().map_err(|_| format!("`{port}` is no port"))?),
        None => (place, 80),
    };
    Ok((host, port, if target.is_empty() { "/" } else { target }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        assert_eq!(address("http://h:8086/write?db=x"), Ok(("h", 8086, "/write?db=x")));
        assert_eq!(address(" http://h "), Ok(("h", 80, "/")));
        assert!(address("https://h/").is_err() && address("http://h:x/").is_err());
    }
}
