//! A trial as a library: from a plan and settings to measurements and a verdict.
//!
//! [`Trial::prepare`] prepares a plan, and [`Trial::start`] runs it on separate threads. A
//! [`RunningTrial`] provides control ([`TrialControl`]) and any number of subscriptions to its
//! seconds ([`Subscription`]), and ends with a [`TrialReport`].
//!
//! No state of a trial belongs to the process: many trials can run one after the other, or at the
//! same time. Nothing here handles signals, writes to a terminal or ends the process; messages are
//! values ([`PrepareError`], [`Message`]). A process that opens many connections should first call
//! [`swell_net::machine::raise_descriptor_limit`].
//!
//! `examples/trial.rs` runs a plan.

mod counting;
mod elements;
mod elsewhere;
mod end_elsewhere;
mod evidence;
mod failures;
mod figures;
mod give_up;
pub mod host;
mod interval;
mod jmeter_bugs;
mod log;
mod message;
mod monitor;
mod neighbour;
mod never_ran;
mod open;
mod properties_read;
mod report;
mod resources;
mod running;
mod second;
mod secrets;
mod settings;
mod sinks;
mod subscription;
mod system_properties;
mod tcp_counts;
mod trial;
mod wanted;

pub use elements::{ScriptMode, registry, registry_beside_jvm, table_of_elements};
pub use elsewhere::Feed;
pub use end_elsewhere::{EndElsewhere, LostMachines, MachineReport};
pub use evidence::evidence_so_far;
pub use figures::FIGURES;
pub use jmeter_bugs::{PossibleBug, bugs_that_a_plan_may_meet};
pub use log::LogSummary;
pub use message::{Message, MessageSink};
pub use never_ran::NeverRan;
pub use properties_read::PropertiesRead;
pub use report::TrialReport;
pub use resources::{ResourceUsage, WorkerLoad};
pub use running::{Progress, RunningTrial, Starter, TrialControl};
pub use second::Second;
pub use secrets::{SECRETS, protect_secrets};
pub use settings::{RunShape, TrialSettings, jmeter_defaults};
pub use sinks::Sinks;
pub use subscription::Subscription;
pub use swell_engine::{DebugLoad, Phase, PlannedSampler, Share, Takeover};
pub use swell_engine::{ShapeOf, Status};
pub use swell_jvm::{JvmPlace, JvmSettings, class_path_of_plan};
pub use swell_monitor::{Monitor, Source, StartError, fetch};
pub use swell_shape::{
    Curve as ShapeCurve, CurveSource as ShapeSource, Shape, ShapeError, ShapeUnit, Spacing, sketch,
};
pub use tcp_counts::Tcp;
pub use trial::{PrepareError, Trial};
pub use wanted::WantedLoad;
