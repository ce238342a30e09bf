//! Worlds of single parts: each does operations that are drawn, and is compared after each of them
//! with a model that is written from the documentation. They take milliseconds, so that an error in
//! a part is found before a world meets the one case in which it shows.

mod account;
mod connections;
mod coordinator;
mod held;
mod histograms;
mod late;
mod lease;
mod options;
mod outbox;
mod reports;
mod statistics;
mod timers;

pub use options::{Part, PartOptions};

use std::cell::RefCell;
use std::rc::Rc;

use rand::rngs::SmallRng;

use crate::kernel::{Clock, draws};
use crate::world::{World, caught, in_world};

/// What does not hold.
type Checked = Result<(), String>;

fn must(holds: bool, otherwise: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Fails unless a part gives what its model does.
fn equal<T: PartialEq + std::fmt::Debug>(what: &str, is: &T, wanted: &T) -> Checked {
    must(is == wanted, || format!("{what}: {is:?}, not {wanted:?}"))
}

/// Runs the parts of a world. A panic is one of the things that do not hold.
pub fn run(options: &PartOptions) -> Vec<String> {
    let of = |part: &Part| {
        let ran = caught(|| in_world(options.seed, |world| run_part(world, *part, options)));
        ran.unwrap_or_else(Err).err().map(|what| format!("parts {part:?}: {what}"))
    };
    options.parts.iter().find_map(of).into_iter().collect()
}

fn run_part(world: &mut World, part: Part, options: &PartOptions) -> Checked {
    let mut draws = draws(options.seed, &format!("{part:?}"));
    let operations = options.operations;
    match part {
        Part::Lease => lease::check(&mut draws, operations),
        Part::Account => account::check(&mut draws, operations),
        Part::Reports => reports::check(&mut draws, operations),
        Part::Histograms => histograms::check(&mut draws, operations),
        Part::Statistics => statistics::check(&mut draws, operations),
        Part::Late => late::check(&mut draws, operations),
        Part::Coordinator => coordinator::check(&mut draws, operations),
        Part::Held => in_process(world, held::check(draws, operations)),
        Part::Claims => in_process(world, held::check_claims(draws, operations)),
        Part::Outbox => in_process(world, outbox::check(draws, operations)),
        Part::Timers => timers::run(world, draws, operations),
        Part::Connections => connections::run(world, draws, operations),
    }
}

/// Runs a check as a process, whose clock does not pass while it works.
fn in_process(world: &mut World, check: impl Future<Output = Checked> + 'static) -> Checked {
    world.set_read_ns(0);
    let machine = world.machine([10, 0, 0, 1], Clock::default());
    let result = Rc::new(RefCell::new(Err("it has not ended".to_owned())));
    let into = result.clone();
    world.process(machine, "part", async move {
        let checked = check.await;
        *into.borrow_mut() = checked;
    });
    let ended = world.run().map_err(|stuck| format!("life: {stuck}"));
    ended.and(result.take_result())
}

/// Takes the result of a process.
trait TakeResult {
    fn take_result(&self) -> Checked;
}

impl TakeResult for Rc<RefCell<Checked>> {
    fn take_result(&self) -> Checked {
        self.replace(Ok(()))
    }
}

/// One of some values.
fn one_of<T: Copy>(draws: &mut SmallRng, values: &[T]) -> T {
    values[rand::Rng::random_range(draws, 0..values.len())]
}
