//! A run whose load is made by other processes: load changes are values that are sent to them.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::control_error::ControlError;
use super::{Status, Stopped};
use crate::Prepared;

/// A load change, as made by the methods of [`super::Control`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LoadChange {
    /// [`super::Control::set_users`].
    Users {
        /// Place of the thread group.
        group: usize,
        /// Its users; none: as the plan says.
        users: Option<u32>,
        /// How long a straight line leads there.
        #[serde(default)]
        over: Duration,
    },
    /// [`super::Control::set_rate`].
    Rate {
        /// Place of the thread group.
        group: usize,
        /// Arrivals a second; none: as the plan says.
        per_second: Option<f64>,
        /// How long a straight line leads there.
        #[serde(default)]
        over: Duration,
    },
    /// [`super::Control::multiply_load`].
    Factor {
        /// The factor; 1 is the plan.
        factor: f64,
        /// How long a straight line leads there.
        #[serde(default)]
        over: Duration,
    },
    /// [`super::Control::pause`].
    Pause,
    /// [`super::Control::resume`].
    Resume,
    /// [`super::Control::set_property`].
    Property {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
    /// [`super::Control::stop_group`].
    StopGroup {
        /// Place of the thread group.
        group: usize,
        /// How.
        how: Stopped,
    },
}

/// Makes the load of a run outside this process.
pub trait RunElsewhere: Send + Sync {
    /// How it goes; none before it has started.
    fn status(&self) -> Option<Status>;

    /// Changes the load.
    ///
    /// # Errors
    /// The change cannot be made.
    fn change(&self, change: &LoadChange) -> Result<(), ControlError>;

    /// Ends it.
    fn stop(&self, how: Stopped);
}

pub(super) type Elsewhere = Arc<dyn RunElsewhere>;

impl LoadChange {
    /// Whether it can be made in a plan, before it is sent to where the load is made.
    ///
    /// # Errors
    /// The group does not exist, or has no such load.
    pub fn check(&self, plan: &Prepared) -> Result<(), ControlError> {
        let of = |place: usize| {
            let names = || plan.groups.iter().map(|group| group.node.element.name().to_owned()).collect();
            plan.groups.get(place).ok_or_else(|| ControlError::NoSuchGroup { place, groups: names() })
        };
        match self {
            Self::Users { group, .. } if of(*group)?.load.has_arrivals() => {
                Err(ControlError::HasArrivals(of(*group)?.node.element.name().to_owned()))
            }
            Self::Rate { group, .. } if !of(*group)?.load.has_arrivals() => {
                Err(ControlError::HasUsers(of(*group)?.node.element.name().to_owned()))
            }
            Self::StopGroup { group, .. } => of(*group).map(drop),
            _ => Ok(()),
        }
    }
}
