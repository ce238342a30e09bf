//! How much load a server can handle: where to try next, what a trial says, and what the levels say
//! together.
//!
//! Pure: [`Goal::next`] takes the history of trials and says the next load and its duration, or the
//! end. A trial is judged by

mod binomial;
mod class;
mod goal;
mod knee;
mod memory;
mod posterior;
mod proportion;
mod queue;
mod search;
mod trial;
mod usl;

pub use class::{Class, Needs, classify};
pub use goal::Goal;
pub use knee::{is_saturated, knee};
pub use memory::{Memory, memory};
pub use proportion::{Parts, Proportion, least_samples};
pub use queue::{Growth, growth};
pub use search::{End, Estimate, Step};
pub use trial::{SearchTrial, TrialOutcome};
pub use usl::{Usl, usl};
