//! Connections of a loop: bytes, deadlines to the nanosecond, ends, and descriptors that are used
//! again for others.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::rc::Rc;

use rand::Rng;
use rand::rngs::SmallRng;
use swell_net::{ConnectOptions, TcpListener, TcpStream, now_ns, sleep_until, spawn, spawn_detached};

use super::{Checked, equal, must, one_of};
use crate::kernel::{Clock, Link};
use crate::world::World;

const MS: i64 = 1_000_000;
const US: i64 = 1_000;
const SITE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2)), 80);
const WAY_NS: i64 = 100 * US;
const CLIENTS: usize = 3;

/// What the site does with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Order {
    /// Sends that many bytes.
    Send = 1,
    /// Sends them after a time.
    SendLater = 2,
    /// Sends them, and ends after a time, while the connection is idle.
    End = 3,
    /// Sends them, and resets after a time.
    Reset = 4,
}

/// An order, its bytes, and its time in microseconds.
#[derive(Clone, Copy)]
struct Wanted {
    order: Order,
    bytes: u32,
    after_us: u32,
}

impl Wanted {
    fn to_bytes(self) -> [u8; 9] {
        let mut all = [self.order as u8; 9];
        all[1..5].copy_from_slice(&self.bytes.to_be_bytes());
        all[5..].copy_from_slice(&self.after_us.to_be_bytes());
        all
    }

    fn of_bytes(bytes: [u8; 9]) -> Self {
        let orders = [Order::Send, Order::SendLater, Order::End, Order::Reset];
        let number = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let order = orders.into_iter().find(|order| *order as u8 == bytes[0]).expect("a known order");
        Self { order, bytes: number(1), after_us: number(5) }
    }
}

fn byte_at(place: u32) -> u8 {
    (place % 251) as u8
}

/// Runs clients on one loop against a site.
pub(super) fn run(world: &mut World, mut draws: SmallRng, operations: u32) -> Checked {
    world.set_read_ns(0);
    let epoch_ns = 1_700_000_000_000_000_000 + draws.random_range(0..1_000_000_000);
    let start_ns = 1_000_000_000 + draws.random_range(0..1_000_000_000);
    // The wall clock, which stamps are of, is set once.
    let step_ns = draws.random_range(1..400) * MS;
    let steps = vec![(step_ns, draws.random_range(-2_000..2_000) * MS)];
    let tool = world.machine([10, 0, 0, 1], Clock { start_ns, epoch_ns, steps, ..Clock::default() });
    let site = world.machine([10, 0, 0, 2], Clock::default());
    let link = Link {
        latency_ns: WAY_NS,
        jitter_ns: 0,
        bytes_per_s: 1e12,
        buffer: one_of(&mut draws, &[200, 3_000, 65_536]),
        partial: one_of(&mut draws, &[0.0, 0.3]),
        ..Link::default()
    };
    let is_partial = link.partial > 0.0;
    world.link(tool, site, link);
    world.service(site, "site", serve());
    let wrong = Rc::<RefCell<Option<String>>>::default();
    let into = wrong.clone();
    let seeds: Vec<u64> = (0..CLIENTS).map(|_| draws.random()).collect();
    world.process(tool, "tool", async move {
        let stepped_ns = now_ns() + step_ns;
        let tasks: Vec<_> = seeds
            .into_iter()
            .map(|seed| {
                let into = into.clone();
                let draws = super::draws(seed, "connections");
                spawn(async move {
                    if let Err(what) = client(draws, operations / 3 + 1, (stepped_ns, is_partial)).await {
                        into.borrow_mut().get_or_insert(what);
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await;
        }
    });
    world.set_limit_ns(i64::from(operations) * 1_000 * MS + 60_000 * MS);
    let ended = world.run().map_err(|stuck| format!("life: {stuck}"));
    let wrong = wrong.take();
    ended.and(wrong.map_or(Ok(()), Err))
}

async fn serve() {
    let listener = TcpListener::bind(SITE).expect("a free port");
    while let Ok((stream, _)) = listener.accept().await {
        spawn_detached(connection(stream));
    }
}

/// Does the orders of a connection.
async fn connection(mut stream: TcpStream) {
    let mut rest: Vec<u8> = Vec::new();
    loop {
        while rest.len() < 9 {
            match stream.recv(|bytes, _| bytes.to_vec()).await {
                Ok(bytes) if !bytes.is_empty() => rest.extend(bytes),
                _ => return,
            }
        }
        let mut order = [0; 9];
        order.copy_from_slice(&rest[..9]);
        rest.drain(..9);
        let Wanted { order, bytes, after_us } = Wanted::of_bytes(order);
        if order == Order::SendLater {
            sleep_until(now_ns() + i64::from(after_us) * US).await;
        }
        let body: Vec<u8> = (0..bytes).map(byte_at).collect();
        if stream.send_all(&body).await.is_err() {
            return;
        }
        if matches!(order, Order::End | Order::Reset) {
            sleep_until(now_ns() + i64::from(after_us) * US).await;
            if order == Order::Reset {
                stream.set_linger_zero().expect("an open socket");
            }
            return;
        }
    }
}

/// Orders of one client, on connections that it keeps as long as they last.
async fn client(mut draws: SmallRng, operations: u32, stamps: (i64, bool)) -> Checked {
    let mut idle: Option<TcpStream> = None;
    for _ in 0..operations {
        let mut stream = if let Some(stream) = idle.take() {
            stream
        } else {
            let options = ConnectOptions { timeout_ns: Some(9_000 * MS), ..ConnectOptions::default() };
            let began_ns = now_ns();
            let stream = TcpStream::connect(SITE, &options).await.map_err(|error| error.to_string())?;
            equal("the time of a connect", &(now_ns() - began_ns), &(2 * WAY_NS))?;
            stream
        };
        if let Some(kept) = order(&mut draws, &mut stream, stamps).await? {
            idle = kept.then_some(stream);
        }
        if draws.random_bool(0.2) {
            sleep_until(now_ns() + draws.random_range(0..3 * MS)).await;
        }
    }
    Ok(())
}

/// One order. Whether its connection can be used again; none where the order was cut by a deadline.
/// `stamps`: when the wall clock is set, and whether sends and reads take parts.
async fn order(
    draws: &mut SmallRng,
    stream: &mut TcpStream,
    (stepped_ns, is_partial): (i64, bool),
) -> Result<Option<bool>, String> {
    let orders = [Order::Send, Order::Send, Order::SendLater, Order::SendLater, Order::End, Order::Reset];
    let most = one_of(draws, &[2, 300, 9_000]);
    let wanted = Wanted {
        order: one_of(draws, &orders),
        bytes: draws.random_range(1..most),
        after_us: draws.random_range(1_000..9_000),
    };
    must(!stream.is_stale() && !stream.is_stale_now(), || "a fresh connection is stale".to_owned())?;
    // A deadline that is far, then moved near: for some earlier than what is asked for.
    let far_ns = now_ns() + 20_000 * MS;
    if draws.random_bool(0.7) {
        stream.set_deadline(Some(far_ns - draws.random_range(0..MS)));
    }
    let first_ns = now_ns();
    stream.send_all(&wanted.to_bytes()).await.map_err(|error| format!("an order is not sent: {error}"))?;
    let is_late = wanted.order == Order::SendLater;
    let after_ns = if is_late { i64::from(wanted.after_us) * US } else { 0 };
    let is_cut = is_late && draws.random_bool(0.4);
    let deadline_ns = if is_cut { first_ns + draws.random_range(1..after_ns) } else { far_ns };
    // Moved earlier, and later again.
    if draws.random_bool(0.5) {
        stream.set_deadline(Some(now_ns() + draws.random_range(1..500) * US));
        if draws.random_bool(0.5) {
            let before_ns = now_ns() + draws.random_range(1..400) * US;
            sleep_until(before_ns).await;
        }
    }
    stream.set_deadline(Some(deadline_ns));
    let waits_ns = now_ns();
    let mut first_arrival_ns = 0;
    let received = receive(stream, wanted.bytes, &mut first_arrival_ns).await;
    match received {
        Err(ErrorKind::TimedOut) if is_cut => {
            equal("a deadline passed after", &(now_ns() - deadline_ns.max(waits_ns)), &0)?;
            return Ok(None);
        }
        Err(kind) => return Err(format!("{kind} of {:?} with {} bytes", wanted.order, wanted.bytes)),
        Ok(_) if is_cut => {
            return Err(format!("bytes came {} ns after a deadline", now_ns() - deadline_ns));
        }
        Ok(_) => {}
    }
    stream.set_deadline(None);
    // A correction of stamps is kept for 5 ms.
    let is_exact = !is_partial && (now_ns() - stepped_ns).abs() > 20 * MS;
    let off_ns = first_arrival_ns - (first_ns + 2 * WAY_NS + after_ns);
    must(!is_exact || off_ns.abs() <= 100, || format!("bytes arrived {off_ns} ns off"))?;
    match wanted.order {
        Order::End | Order::Reset => ends(draws, stream, wanted).await.map(Some),
        Order::Send | Order::SendLater => Ok(Some(true)),
    }
}

/// All bytes, each as it was sent, with stamps that are in order and of this clock.
async fn receive(stream: &mut TcpStream, wanted: u32, first_ns: &mut i64) -> Result<u32, ErrorKind> {
    let mut seen = 0;
    while seen < wanted {
        let (count, is_right) = stream
            .recv(|bytes, arrival| {
                let is_same = (seen..).zip(bytes).all(|(place, byte)| byte_at(place) == *byte);
                let is_stamped =
                    arrival.stamped && arrival.at_ns == arrival.kernel_ns && arrival.read_ns == now_ns();
                if seen == 0 {
                    *first_ns = arrival.kernel_ns;
                }
                (bytes.len() as u32, is_same && (is_stamped || bytes.is_empty()))
            })
            .await
            .map_err(|error| error.kind())?;
        if count == 0 || !is_right {
            return Err(ErrorKind::InvalidData);
        }
        seen += count;
    }
    if seen == wanted { Ok(seen) } else { Err(ErrorKind::InvalidData) }
}

/// The site ends an idle connection: it is unusable from then on, and not before.
async fn ends(draws: &mut SmallRng, stream: &mut TcpStream, wanted: Wanted) -> Result<bool, String> {
    let is_stale = (stream.is_stale(), stream.is_stale_now());
    equal("whether an idle connection is stale before its end", &is_stale, &(false, false))?;
    // Partial sends and small buffers make what came before take a while.
    sleep_until(now_ns() + i64::from(wanted.after_us) * US + 2 * WAY_NS + MS).await;
    let is_stale = (stream.is_stale(), stream.is_stale_now());
    equal("whether a connection that has ended is stale", &is_stale, &(true, true))?;
    if draws.random_bool(0.5) {
        return Ok(false);
    }
    let read = stream.recv(|bytes, _| bytes.len()).await;
    let is_right = match (wanted.order, read) {
        (_, Ok(count)) => count == 0,
        // A look at the socket takes the error with it.
        (order, Err(error)) => order == Order::Reset && error.kind() == ErrorKind::ConnectionReset,
    };
    must(is_right, || format!("a connection with {:?} ended in another way", wanted.order))?;
    Ok(false)
}
