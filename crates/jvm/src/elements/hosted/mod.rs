//! Elements of JMeter and of plug-ins that run on JMeter's classes ("hosted"), one call at a time,
//! as elements of a native plan.

mod absent;
mod element;
mod iterations;
mod kinds;
mod plan;

pub(super) use absent::{is_jmeters, no_jar_has};
pub(super) use element::HostedElement;
pub(super) use kinds::{HostedKinds, is_left_out};
pub(super) use plan::HostedPlan;
