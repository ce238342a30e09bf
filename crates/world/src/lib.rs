//! Simulated machines, links and clocks from one seed, for tests.
//!
//! A [`World`] runs the event loops of several processes in one thread. Sockets, timers and clocks
//! below them are simulated ([`swell_net::simulated`]); everything above is the code of the program,
//! unchanged. The same seed gives the same order of everything that happens. `docs/simulation.md`
//! says what is simulated, and how to repeat a failure.

pub mod fleet;
mod kernel;
pub mod load;
mod mail;
pub mod parts;
mod real_time;
pub mod results;
mod stuck;
mod swarm;
pub mod trial;
pub mod verdict;
mod world;

pub use kernel::{Clock, Counts, Link, Span};
pub use stuck::{Stuck, Why};
pub use swarm::{KindCount, Swarm, WorldOptions, WorldResult, fails_alike, shrink, swarm, swarm_of};
pub use world::{Machine, Process, World, in_world};
