//! Connections: made, used for one exchange after the other, kept for a user.

mod dns;
mod exchange;
mod names;
mod open;
mod pool;
mod routes;

pub(crate) use dns::Dns;
pub(crate) use exchange::{Exchange, ExchangeError, exchange};
pub(crate) use exchange::{Http1Exchange, IncomingResponse, RequestRef};
pub(crate) use names::Names;
pub(crate) use open::{Opened, ProxySaid, open};
pub(crate) use pool::{Connection, Pool};
pub(crate) use routes::Routes;
