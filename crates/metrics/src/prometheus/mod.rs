//! Prometheus Listener (`com.github.johrstrom.listener.PrometheusListener`): counts samples as
//! metrics that a Prometheus server fetches by HTTP.
//!
//! Each worker counts into its own tables; a fetch adds them up. So a sample takes a lock that is
//! free except during a fetch.

mod definition;
mod exposition;
mod listener;
mod table;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use swell_expr::Properties;

use crate::metrics_server::{Answer, Server};
use definition::Definition;
use exposition::Users;
pub(crate) use listener::prometheus_factory;
use table::Table;

/// Media type of the exposition format.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The metrics of a run; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Metrics(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    families: Vec<Family>,
    users: Option<Users>,
    server: Option<io::Result<Server>>,
    delay: Duration,
}

/// A metric with its counts of each worker.
struct Family {
    definition: Arc<Definition>,
    tables: Vec<Arc<Mutex<Table>>>,
}

/// Another metric has the name.
#[derive(Debug, PartialEq, Eq)]
struct Taken;

impl Metrics {
    /// Tells how many virtual users run, have started and have ended (the metric `jmeter_threads`).
    pub(crate) fn set_users(&self, active: u32, started: u32, finished: u32) {
        if let Some(users) = &mut self.0.state.lock().users {
            (users.active, users.started, users.finished) = (active, started, finished);
        }
    }

    /// Where the metrics are to be had; none if no listener asked for them.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        match &self.0.state.lock().server {
            Some(Ok(server)) => Some(server.address()),
            _ => None,
        }
    }

    /// Ends: the metrics can be fetched for a while yet, if the properties say so
    /// (`prometheus.delay`). `at_once`: not even then.
    pub(crate) fn finish(&self, at_once: bool) {
        let (server, delay) = {
            let mut state = self.0.state.lock();
            (state.server.take(), state.delay)
        };
        if let Some(Ok(server)) = server {
            if !at_once {
                std::thread::sleep(delay);
            }
            server.stop();
        }
    }

    /// All metrics as text (exposition format 0.0.4), or only those of these names.
    fn text(&self, names: &[String], now_ns: i64) -> String {
        let state = self.0.state.lock();
        let mut out = String::new();
        if let Some(users) = &state.users {
            exposition::users(users, names, &mut out);
        }
        for family in &state.families {
            let mut all = Table::default();
            for table in &family.tables {
                all.add(&table.lock(), &family.definition, now_ns);
            }
            exposition::family(&family.definition, &all, names, &mut out);
        }
        out
    }

    /// A table for a worker's counts of a metric. Elements with the same definition share the
    /// metric.
    fn table(&self, definition: &Definition) -> Result<(Arc<Definition>, Arc<Mutex<Table>>), Taken> {
        let mut state = self.0.state.lock();
        let found = state.families.iter_mut().find(|family| family.definition.name == definition.name);
        let table: Arc<Mutex<Table>> = Arc::default();
        match found {
            Some(family) if *family.definition == *definition => {
                family.tables.push(table.clone());
                Ok((family.definition.clone(), table))
            }
            Some(_) => Err(Taken),
            None => {
                let definition = Arc::new(definition.clone());
                state.families.push(Family { definition: definition.clone(), tables: vec![table.clone()] });
                Ok((definition, table))
            }
        }
    }

    /// Starts the server, once. The first caller gets the error.
    fn serve(&self, props: &Properties) -> Option<String> {
        let mut state = self.0.state.lock();
        if state.server.is_some() {
            return None;
        }
        let get = |name: &str, default: &str| props.get(name).unwrap_or_else(|| default.to_owned());
        let ip = get("prometheus.ip", "127.0.0.1");
        let port = get("prometheus.port", "9270");
        state.delay = Duration::from_secs(get("prometheus.delay", "0").trim().parse().unwrap_or(0));
        if get("prometheus.save.threads", "true").trim().eq_ignore_ascii_case("true") {
            let name = get("prometheus.save.threads.name", "jmeter_threads");
            state.users = Some(Users { name, active: 0, started: 0, finished: 0 });
        }
        let metrics = self.clone();
        let started = match port.trim().parse() {
            Ok(port) => Server::start("prometheus", (ip.trim(), port), move |head| Answer {
                content_type: METRICS,
                body: metrics.text(&names(head.query), swell_net::now_ns()).into_bytes(),
            }),
            Err(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("invalid port `{port}`"))),
        };
        let problem =
            started.as_ref().err().map(|error| format!("cannot serve metrics at {ip}:{port}: {error}"));
        state.server = Some(started);
        problem
    }
}

/// Names in a query.
fn names(query: &str) -> Vec<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .filter(|(key, _)| ["name[]", "name%5B%5D", "name%5b%5d"].contains(key))
        .map(|(_, name)| name.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_asked_for_in_the_query() {
        assert_eq!(super::names("name[]=a&name%5B%5D=b&other=c"), ["a", "b"]);
    }
}
