//! Worlds of fleets: a controller and agents with the program's leases, claims, outboxes, reports
//! and coordinator, over a model of the broker.

mod agent;
mod broker;
mod check;
mod conformance;
mod controller;
mod options;
mod run;

pub use conformance::{BrokerUnderTest, answers, answers_of_model};
pub use options::{FleetFault, FleetOptions};
pub use run::{FleetResult, run};
