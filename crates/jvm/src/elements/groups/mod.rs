//! Thread groups that run completely on JMeter's engine.

mod batch;
mod group;
mod group_plan;
mod kinds;
mod plan;
mod properties;
mod running;

pub(super) use batch::last_logs;
pub(super) use group_plan::GroupPlan;
pub(super) use kinds::{all, plugin, whole};
