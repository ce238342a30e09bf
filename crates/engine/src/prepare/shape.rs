//! The part of a plan that a load profile replaces.

use std::sync::Arc;

use swell_api::{Phase, Registry};
use swell_plan::Node;
use swell_shape::{Shape, ShapeUnit, Spacing};

use super::prepared::{Group, Prepared};
use crate::kinds::{Native, native};

/// A load profile in a run.
#[derive(Clone, Debug)]
pub struct LoadShape {
    /// The load of the main thread groups together, from when they start.
    pub shape: Arc<Shape>,
    /// Spacing of the arrivals.
    pub spacing: Spacing,
    /// What it takes the place of.
    pub of: ShapeOf,
}

/// What a load profile replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeOf {
    /// How many users there are, in thread groups that have a number of users.
    Users,
    /// When users or iterations arrive, in thread groups with arrivals.
    Arrivals,
    /// The rates of all throughput timers together.
    Timers,
}

/// What a shape takes the place of in a plan.
///
/// # Errors
/// It is about something that this plan does not have; the text says what there is.
pub fn shape_of(prepared: &Prepared, registry: &Registry, shape: &Shape) -> Result<ShapeOf, String> {
    let main: Vec<&Group> = prepared.groups.iter().filter(|group| group.phase == Phase::Main).collect();
    if main.is_empty() {
        return Err("a load profile needs an enabled thread group, but this plan has none".to_owned());
    }
    if let Some(group) = main.iter().find(|group| group.is_external()) {
        let name = group.node.element.name();
        return Err(format!(
            "a load profile applies only to thread groups that Swell's engine runs, but `{name}` runs elsewhere"
        ));
    }
    if prepared.serialized && main.len() > 1 {
        return Err(
            "a load profile applies to all thread groups at once, but this plan runs them one after the other"
                .to_owned(),
        );
    }
    let arrivals = main.iter().filter(|group| group.load.has_arrivals()).count();
    if arrivals > 0 && arrivals < main.len() {
        return Err("this plan mixes thread groups with arrivals and thread groups with users: a load \
                    profile sets only one of the two"
            .to_owned());
    }
    let has_timers = main.iter().any(|group| has_rate_timer(&group.node, registry));
    let of = match (arrivals > 0, has_timers, shape.unit()) {
        (true, _, Some(ShapeUnit::Users)) => {
            return Err("the load profile sets a number of users, but this plan sets arrivals".to_owned());
        }
        (true, _, _) => ShapeOf::Arrivals,
        (false, _, Some(ShapeUnit::Users)) | (false, false, None) => ShapeOf::Users,
        (false, true, _) => ShapeOf::Timers,
        (false, false, Some(ShapeUnit::Rate)) => {
            return Err(
                "the load profile sets a rate, but this plan sets users and has no throughput timer: \
                        add a Constant Throughput Timer, or give a number of users, such as `users: \
                        ramp(0..500, 5m)`"
                    .to_owned(),
            );
        }
    };
    if of == ShapeOf::Users && shape.counts_arrivals() {
        return Err("the load profile sets arrivals, but this plan sets a number of users".to_owned());
    }
    Ok(of)
}

fn has_rate_timer(node: &Node, registry: &Registry) -> bool {
    matches!(native(registry, &node.element), Some(Native::RateTimer(_)))
        || node.children.iter().any(|child| has_rate_timer(child, registry))
}
