//! What the tests of the binary share: a folder, the command with a time limit, plans, servers, results files.

mod call;
mod folder;
mod hostile;
mod java;
mod jtl;
pub(crate) mod plan;
mod server;

pub(crate) use call::{Call, Ended, LIMIT, Running};
pub(crate) use folder::Folder;
pub(crate) use hostile::Hostile;
pub(crate) use java::plugin_jar;
pub(crate) use jtl::{HEADER, Jtl};
pub(crate) use server::{Answer, Server};

/// The built-in site inside this process, on a free port.
pub(crate) fn site() -> swell_target::Target {
    let options = swell_target::Options { misbehave: true, ..swell_target::Options::default() };
    swell_target::start(options).expect("the site starts")
}

/// A port that nobody listens at: it was free a moment ago, and the kernel does not give it out again soon.
pub(crate) fn closed_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    listener.local_addr().expect("bound").port()
}
