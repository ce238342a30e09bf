//! Thread groups that run whole on JMeter's own engine.

mod batch;
mod group;
mod kinds;
mod plan;
mod running;

pub(super) use batch::last_logs;
pub(super) use group::GroupPlan;
pub(super) use kinds::{all, plugin, whole};
