//! Errors of load changes.

use std::fmt;

/// Why a load change was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlError {
    /// The run has not started yet.
    NotStarted,
    /// The thread group does not exist.
    NoSuchGroup {
        /// The place that was given.
        place: usize,
        /// The names of the groups by their places, from 0.
        groups: Vec<String>,
    },
    /// Users of the group come by arrivals: it has a rate and no number of users.
    HasArrivals(String),
    /// The group has a number of users and no rate.
    HasUsers(String),
    /// Something else runs the group, and did not make the change; what else the change is for was
    /// changed.
    RunsElsewhere {
        /// Name of the group.
        name: String,
        /// Why not.
        why: String,
    },
    /// The load is made by other processes, and the change did not get there.
    NotSent(String),
    /// It is more than control may set in this run.
    AboveCeiling {
        /// Name of the group.
        name: String,
        /// What is counted.
        unit: &'static str,
        /// How many there would be.
        value: f64,
        /// How many there may be.
        most: f64,
    },
    /// The factor or rate is out of range.
    OutOfRange {
        /// What was to be set, with its range.
        what: &'static str,
        /// The value.
        value: f64,
    },
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str("the run has not started yet"),
            Self::NoSuchGroup { place, groups } => {
                write!(f, "unknown thread group {place}; the thread groups are")?;
                groups.iter().enumerate().try_for_each(|(place, name)| write!(f, " {place}: `{name}`"))
            }
            Self::HasArrivals(name) => {
                write!(f, "thread group `{name}` has an arrival rate: set the rate, not users")
            }
            Self::HasUsers(name) => write!(
                f,
                "thread group `{name}` has users, not an arrival rate: set its users, or the property that \
                 its timer reads"
            ),
            Self::RunsElsewhere { name, why } => {
                write!(f, "thread group `{name}` does not run on Swell's engine and was not changed: {why}")
            }
            Self::NotSent(why) => write!(f, "cannot send the change to the load generators: {why}"),
            Self::AboveCeiling { name, unit, value, most } => write!(
                f,
                "thread group `{name}` would have {value} {unit}, but control may set at most {most} in \
                 this run"
            ),
            Self::OutOfRange { what, value } => write!(f, "{value} is not {what}"),
        }
    }
}

impl std::error::Error for ControlError {}
