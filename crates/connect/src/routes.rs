//! Redirects connections of a run to other addresses than their URLs name (curl's `--connect-to`
//! and `--unix-socket`).

use std::path::{Path, PathBuf};

/// The routes of a run; the first match applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    unix: Option<PathBuf>,
    routes: Vec<Route>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Route {
    from: (Option<String>, Option<u16>),
    to: (Option<String>, Option<u16>),
}

impl Routes {
    /// `unix`: a socket in the file system that all connections go to. `connect_to`:
    /// `HOST:PORT:HOST:PORT`, separated by commas; an empty part on the left is any, on the right
    /// the same. None where connections go where they are meant to.
    ///
    /// # Errors
    /// An invalid route, as text.
    pub fn parse(unix: Option<PathBuf>, connect_to: &str) -> Result<Option<Self>, String> {
        let routes = connect_to.split(',').filter(|route| !route.trim().is_empty()).map(|route| {
            Route::parse(route.trim()).ok_or_else(|| format!("`{route}` is not HOST:PORT:HOST:PORT"))
        });
        let routes = routes.collect::<Result<Vec<_>, _>>()?;
        Ok((unix.is_some() || !routes.is_empty()).then_some(Self { unix, routes }))
    }

    /// The socket that all connections go to.
    pub fn unix(&self) -> Option<&Path> {
        self.unix.as_deref()
    }

    /// Where a connection to a host and port goes.
    pub fn instead_of<'a>(&'a self, (host, port): (&'a str, u16)) -> (&'a str, u16) {
        let fits = |route: &&Route| {
            let (from_host, from_port) = &route.from;
            from_host.as_deref().is_none_or(|from| from.eq_ignore_ascii_case(host))
                && from_port.is_none_or(|from| from == port)
        };
        self.routes.iter().find(fits).map_or((host, port), |Route { to: (to_host, to_port), .. }| {
            (to_host.as_deref().unwrap_or(host), to_port.unwrap_or(port))
        })
    }
}

impl Route {
    fn parse(text: &str) -> Option<Self> {
        let (from_host, rest) = host_of(text)?;
        let (from_port, rest) = rest.split_once(':')?;
        let (to_host, to_port) = host_of(rest)?;
        let port = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
        Some(Self { from: (from_host, port(from_port)?), to: (to_host, port(to_port)?) })
    }
}

/// The host at the start, an IPv6 address in brackets, and what follows its colon.
fn host_of(text: &str) -> Option<(Option<String>, &str)> {
    let end = if text.starts_with('[') { text.find("]:")? + 1 } else { text.find(':')? };
    let (host, rest) = text.split_at(end);
    Some(((!host.is_empty()).then(|| host.to_owned()), &rest[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(text: &str) -> Result<Option<Routes>, String> {
        Routes::parse(None, text)
    }

    #[test]
    fn the_first_route_that_fits_counts() {
        let routes = routes("a.test:80:127.0.0.1:8080, [::1]:443:[::2]:, ::b.test:").unwrap().unwrap();
        let table = [
            (("A.test", 80), ("127.0.0.1", 8080)),
            (("a.test", 81), ("b.test", 81)),
            (("[::1]", 443), ("[::2]", 443)),
            (("c.test", 443), ("b.test", 443)),
        ];
        for (from, to) in table {
            assert_eq!(routes.instead_of(from), to);
        }
    }

    #[test]
    fn what_is_no_route_is_told() {
        for text in ["a", "a:80", "a:80:b", "a:x:b:80", "a:80:b:99999", "[::1:80:b:80"] {
            assert!(routes(text).is_err_and(|why| why.contains(text)), "{text}");
        }
        assert_eq!(routes(""), Ok(None));
    }
}
