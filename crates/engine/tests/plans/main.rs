//! Complete plans on the real runtime.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

mod bench;
mod data_sets;
mod external_groups;
mod flow;
mod heavy;
mod jmeter_suite;
mod lifecycle;
mod listeners;
mod live_control;
mod open_groups;
mod parallel;
mod real_plans;
mod scope;
mod scripts;
mod shaping;
mod stops;
mod timers;
