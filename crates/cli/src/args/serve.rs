//! Options of `swell serve`.

use std::net::SocketAddr;

use clap::Args;

/// `swell serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell serve                           print the address of the kept runs' pages
  swell serve --at 8089                 at this port of 127.0.0.1

The pages list all kept runs, show the report of each, compare two and draw trends. The address
contains a secret. Only this machine can reach it; from another one, use `ssh -L`.")]
pub(crate) struct ServeArgs {
    /// Loopback address to serve at, as PORT or ADDRESS:PORT [default: a free port]
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0", hide_default_value = true, value_parser = loopback)]
    pub(crate) at: SocketAddr,
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address = super::live::address(text)?;
    if address.ip().is_loopback() {
        return Ok(address);
    }
    Err("expected an address of this machine alone, such as 127.0.0.1:8089; `ssh -L` reaches it from elsewhere"
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_accepted() {
        for (text, address) in
            [("8089", "127.0.0.1:8089"), ("127.0.0.5:0", "127.0.0.5:0"), ("[::1]:9", "[::1]:9")]
        {
            assert_eq!(loopback(text), Ok(address.parse().expect("an address")));
        }
        for text in ["0.0.0.0:80", "[::]:80", "10.0.0.1:80", "localhost:80", "x"] {
            loopback(text).expect_err(text);
        }
    }
}
