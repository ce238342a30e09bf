//! One table of cases for what event loops and sockets do, on every kernel that serves them: epoll,
//! io_uring, and the simulated one. What a real kernel does by surprise becomes a case here first,
//! so that the model cannot differ from it.

mod connections;
mod ends;
mod loops;
mod pair;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use swell_net::{Io, NetContext, Runtime, TimestampSource, try_uring};
use swell_world::{Clock, Link, in_world};

/// A case: its name, and what must hold.
type Case = (&'static str, fn() -> Pin<Box<dyn Future<Output = ()>>>);

/// A table of the asynchronous functions of a module.
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        /// The cases of this module.
        pub(crate) const CASES: &[crate::Case] = &[$((stringify!($name), || Box::pin($name()))),*];
    };
}
pub(crate) use cases;

fn all_cases() -> impl Iterator<Item = Case> {
    [connections::CASES, ends::CASES, loops::CASES].into_iter().flatten().copied()
}

fn on_real_kernel(io: Io, source: TimestampSource) {
    for (name, case) in all_cases() {
        println!("{name}");
        let context = Arc::new(NetContext::new(source).with_io(io));
        Runtime::with_context(context).expect("descriptors").block_on(case());
    }
}

#[test]
fn epoll_conforms() {
    on_real_kernel(Io::Epoll, TimestampSource::Socket);
}

#[test]
fn io_uring_conforms() {
    if let Err(error) = try_uring() {
        println!("skipped: this kernel gives no ring: {error}");
        return;
    }
    on_real_kernel(Io::Uring, TimestampSource::None);
}

/// Links of a machine to itself: as they are, with sends and reads that take parts, with buffers
/// that fill, and slow ones whose events meet timers.
fn links() -> [Link; 4] {
    let link = Link { latency_ns: 3_000, ..Link::default() };
    [
        link.clone(),
        Link { partial: 0.4, ..link.clone() },
        Link { buffer: 700, ..link.clone() },
        Link { latency_ns: 400_000, jitter_ns: 400_000, near_ties: 0.5, ..link },
    ]
}

#[test]
fn the_model_conforms() {
    for (name, case) in all_cases() {
        for (seed, link) in (1..).zip(links()) {
            println!("{name}, link {seed}");
            in_world(seed, |world| {
                let machine = world.machine([10, 0, 0, 1], Clock { drift_ppb: 20_000, ..Clock::default() });
                world.link(machine, machine, link);
                world.set_turn_ns(2_000);
                world.set_limit_ns(60_000_000_000);
                world.process(machine, name, case());
                world.run().unwrap_or_else(|stuck| panic!("{name}: {stuck}"));
            });
        }
    }
}
