//! Queries to local servers on loopback.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use simple_dns::rdata::{A, CNAME, RData};
use simple_dns::{CLASS, Name, Packet, PacketFlag, RCODE, ResourceRecord};
use swell_net::Runtime;

use super::*;

const MS: i64 = 1_000_000;

/// What a server does with a name.
#[derive(Clone)]
enum Behavior {
    Says(Vec<[u8; 4]>),
    IsAlias(&'static str),
    Fails(RCODE),
    Truncates([u8; 4]),
    Nothing,
    Garbage,
}

struct Server {
    at: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// It runs until the tests end. Names that are not in its table do not exist.
    fn start(table: &[(&str, Behavior)]) -> Self {
        let table: HashMap<String, Behavior> =
            table.iter().map(|(name, does)| ((*name).to_owned(), does.clone())).collect();
        // Both protocols on one port: another may be taken for TCP.
        let (socket, listener) = loop {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            if let Ok(listener) = TcpListener::bind(socket.local_addr().unwrap()) {
                break (socket, listener);
            }
        };
        let at = socket.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let heard = asked.clone();
        let whole = table.clone();
        thread::spawn(move || {
            let mut buffer = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut buffer) {
                if let Some(reply) = reply(&buffer[..length], &table, &heard, false) {
                    socket.send_to(&reply, from).unwrap();
                }
            }
        });
        let heard = asked.clone();
        thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let mut length = [0; 2];
                stream.read_exact(&mut length).unwrap();
                let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
                stream.read_exact(&mut message).unwrap();
                let reply = reply(&message, &whole, &heard, true).unwrap();
                let length = (reply.len() as u16).to_be_bytes();
                let half = reply.len() / 2;
                stream.write_all(&[&length, &reply[..half]].concat()).unwrap();
                stream.write_all(&reply[half..]).unwrap();
            }
        });
        Self { at, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }
}

fn reply(
    message: &[u8],
    table: &HashMap<String, Behavior>,
    heard: &Mutex<Vec<String>>,
    tcp: bool,
) -> Option<Vec<u8>> {
    let query = Packet::parse(message).unwrap();
    let name = query.questions[0].qname.clone();
    heard.lock().push(format!("{}{name}", if tcp { "tcp " } else { "" }));
    let mut reply = Packet::new_reply(query.id());
    reply.questions.clone_from(&query.questions);
    let record = |rdata| ResourceRecord::new(name.clone(), CLASS::IN, 60, rdata);
    let address = |ip: [u8; 4]| record(RData::A(A { address: u32::from_be_bytes(ip) }));
    match table.get(&name.to_string()).unwrap_or(&Behavior::Fails(RCODE::NameError)) {
        Behavior::Says(ips) => reply.answers.extend(ips.iter().map(|ip| address(*ip))),
        Behavior::IsAlias(of) => reply.answers.push(record(RData::CNAME(CNAME(Name::new(of).unwrap())))),
        Behavior::Fails(code) => *reply.rcode_mut() = *code,
        Behavior::Truncates(ip) if tcp => reply.answers.push(address(*ip)),
        Behavior::Truncates(_) => reply.set_flags(PacketFlag::TRUNCATION),
        Behavior::Nothing => return None,
        Behavior::Garbage => return Some(message[..13].to_vec()),
    }
    Some(reply.build_bytes_vec_compressed().unwrap())
}

/// Looks names up, one after the other.
fn look_up(
    servers: &[SocketAddr],
    timeout_ns: i64,
    names: &[&str],
) -> Vec<Result<ResolvedName, ResolveError>> {
    let servers = NameServers::new(servers.to_vec(), timeout_ns);
    Runtime::new().unwrap().block_on(async {
        let mut found = Vec::new();
        for name in names {
            // With a dot at its end, the search of the machine that runs the tests has no part in
            // it.
            found.push(servers.look_up(name).await);
        }
        found
    })
}

fn found(name: &str, ips: &[[u8; 4]]) -> ResolvedName {
    ResolvedName { name: name.to_owned(), addresses: ips.iter().map(|ip| IpAddr::from(*ip)).collect() }
}

/// A port without a server: its holder receives only its own messages.
fn closed() -> (UdpSocket, SocketAddr) {
    let holder = UdpSocket::bind("127.0.0.1:0").unwrap();
    let at = holder.local_addr().unwrap();
    holder.connect(at).unwrap();
    (holder, at)
}

const LONG: i64 = 60_000 * MS;

#[test]
fn names_lead_to_addresses() {
    let server = Server::start(&[
        ("one.test", Behavior::Says(vec![[10, 0, 0, 1], [10, 0, 0, 2]])),
        ("www.test", Behavior::IsAlias("cdn.test")),
        ("cdn.test", Behavior::IsAlias("one.test")),
        ("self.test", Behavior::IsAlias("self.test")),
        ("ping.test", Behavior::IsAlias("pong.test")),
        ("pong.test", Behavior::IsAlias("ping.test")),
        ("bare.test", Behavior::Says(vec![])),
        ("broken.test", Behavior::Fails(RCODE::ServerFailure)),
        ("large.test", Behavior::Truncates([10, 0, 0, 3])),
        ("127.0.0.1", Behavior::Says(vec![[10, 0, 0, 4]])),
    ]);
    let names = [
        ("one.test.", Ok(found("one.test.", &[[10, 0, 0, 1], [10, 0, 0, 2]]))),
        ("www.test.", Ok(found("one.test.", &[[10, 0, 0, 1], [10, 0, 0, 2]]))),
        ("self.test.", Err(ResolveError::NotFound)),
        ("ping.test.", Err(ResolveError::NotFound)),
        ("bare.test.", Err(ResolveError::NotFound)),
        ("broken.test.", Err(ResolveError::NotFound)),
        ("none.test.", Err(ResolveError::NotFound)),
        ("large.test.", Ok(found("large.test.", &[[10, 0, 0, 3]]))),
        ("127.0.0.1.", Ok(found("127.0.0.1.", &[[10, 0, 0, 4]]))),
        ("a..b", Err(ResolveError::NoName)),
    ];
    let asked: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    for (got, (name, wanted)) in look_up(&[server.at], LONG, &asked).into_iter().zip(names) {
        assert_eq!(got, wanted, "{name}");
    }
    let asked = server.asked();
    assert!(asked.contains(&"tcp large.test".to_owned()), "{asked:?}");
    assert_eq!(
        asked.iter().filter(|name| *name == "ping.test" || *name == "pong.test").count(),
        10,
        "{asked:?}"
    );
}

#[test]
fn servers_take_turns() {
    let table = [("a.test", Behavior::Says(vec![[10, 0, 0, 1]]))];
    let servers = [Server::start(&table), Server::start(&table)];
    let at: Vec<SocketAddr> = servers.iter().map(|server| server.at).collect();
    assert!(look_up(&at, LONG, &["a.test."; 5]).iter().all(Result::is_ok));
    assert_eq!(servers.each_ref().map(|server| server.asked().len()), [3, 2]);
}

#[test]
fn the_next_server_is_asked_where_one_fails() {
    let (_holder, nobody) = closed();
    let silent = Server::start(&[("a.test", Behavior::Nothing)]);
    let garbled = Server::start(&[("a.test", Behavior::Garbage)]);
    let good = Server::start(&[("a.test", Behavior::Says(vec![[10, 0, 0, 1]]))]);
    let wanted = Ok(found("a.test.", &[[10, 0, 0, 1]]));
    assert_eq!(look_up(&[nobody, good.at], LONG, &["a.test."])[0], wanted, "at once");
    assert_eq!(look_up(&[garbled.at, good.at], LONG, &["a.test."])[0], wanted);
    assert_eq!(look_up(&[silent.at, good.at], 20 * MS, &["a.test."])[0], wanted);
    assert_eq!(look_up(&[nobody], LONG, &["a.test."])[0], Err(ResolveError::NotFound));
    assert_eq!(look_up(&[], LONG, &["a.test."])[0], Err(ResolveError::NotFound));
}

#[test]
fn a_silent_server_is_asked_three_times() {
    let silent = Server::start(&[("a.test", Behavior::Nothing)]);
    let began_ns = swell_net::now_ns();
    assert_eq!(look_up(&[silent.at], 20 * MS, &["a.test."])[0], Err(ResolveError::NotFound));
    assert!(swell_net::now_ns() - began_ns >= 60 * MS);
    assert_eq!(silent.asked(), ["a.test"; 3]);
}
