//! What the tests of the binary share: a folder, the command with a time limit, plans, servers,
//! results files.

mod call;
mod folder;
mod hostile;
mod java;
mod jtl;
mod nats;
pub(crate) mod plan;
mod server;
mod tls;

use std::net::{Ipv4Addr, SocketAddr};

use parking_lot::Mutex;
use socket2::{Domain, Socket, Type};

pub(crate) use call::{Call, Ended, LIMIT, Running};
pub(crate) use folder::Folder;
pub(crate) use hostile::Hostile;
pub(crate) use java::{jmeter, plugin_jar};
pub(crate) use jtl::{HEADER, Jtl};
pub(crate) use nats::{Broker, nats_server};
pub(crate) use server::{Answer, Request, Server};
pub(crate) use tls::{tls_forwarder, tls_server};

/// The built-in site inside this process, on a free port.
pub(crate) fn site() -> swell_target::Target {
    let options = swell_target::Options { misbehave: true, ..swell_target::Options::default() };
    swell_target::start(options).expect("the site starts")
}

/// A port without a listener. A socket stays bound to it until the tests end, so that no other
/// process gets the port.
pub(crate) fn closed_port() -> u16 {
    static BOUND: Mutex<Vec<Socket>> = Mutex::new(Vec::new());
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("a port is free");
    let address = socket.local_addr().ok().and_then(|address| address.as_socket());
    BOUND.lock().push(socket);
    address.expect("bound").port()
}
