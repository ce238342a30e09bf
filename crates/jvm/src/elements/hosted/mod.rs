//! Elements of JMeter and of plug-ins that JMeter's own classes run ("hosted"), one call at a time,
//! as elements of a native plan.

mod element;
mod iterations;
mod kinds;
mod plan;

pub(super) use element::HostedElement;
pub(super) use iterations::Unheard;
pub(super) use kinds::{HostedKinds, is_jmeters, is_left_out, no_jar_has};
pub(super) use plan::HostedPlan;
