//! Plans and targets of these tests.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use swell_plan::{Element, Node, Plan};
use swell_run::{RunningTrial, Trial, TrialReport, TrialSettings};
use swell_target::Target;

/// A target on a free port.
pub(crate) fn target() -> Target {
    swell_target::start(swell_target::Options::default()).expect("a free port")
}

/// A port without a listener; it stays reserved as long as the socket exists.
pub(crate) struct ClosedPort {
    _bound: std::os::fd::OwnedFd,
    pub(crate) address: SocketAddr,
}

/// Bound, but not listening: connections to it are refused, and no other process gets it.
pub(crate) fn closed_port() -> ClosedPort {
    let bound = rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None)
        .expect("a socket");
    rustix::net::bind(&bound, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
    let address = rustix::net::getsockname(&bound).expect("bound");
    ClosedPort { address: address.try_into().expect("an internet address"), _bound: bound }
}

/// Users that each take `loops` samples of a path, one after the other. A negative number of loops:
/// for ever.
pub(crate) fn plan(at: SocketAddr, path: &str, users: u32, loops: i32) -> Plan {
    let main = Element::new("LoopController", "LoopControlPanel", "Loop Controller")
        .with_flag("LoopController.continue_forever", false)
        .with_int("LoopController.loops", loops);
    let group = Element::new("ThreadGroup", "ThreadGroupGui", "users")
        .with_element("ThreadGroup.main_controller", main)
        .with_text("ThreadGroup.num_threads", &users.to_string())
        .with_text("ThreadGroup.ramp_time", "0")
        .with_text("ThreadGroup.on_sample_error", "continue");
    let sampler = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", path)
        .with_text("HTTPSampler.domain", &at.ip().to_string())
        .with_text("HTTPSampler.port", &at.port().to_string())
        .with_text("HTTPSampler.path", path)
        .with_text("HTTPSampler.method", "GET")
        .with_flag("HTTPSampler.use_keepalive", true);
    let root = Node::new(Element::new("TestPlan", "TestPlanGui", "trial"));
    Plan::new(root.with(Node::new(group).with(Node::new(sampler))))
}

/// Two workers.
pub(crate) fn settings() -> TrialSettings {
    TrialSettings { workers: Some(2), ..TrialSettings::new(".") }
}

pub(crate) fn start(plan: &Plan, settings: TrialSettings) -> RunningTrial {
    Trial::prepare(plan, settings).expect("the plan can run").start().expect("threads")
}

/// Runs a plan to its end.
pub(crate) fn run(plan: &Plan) -> TrialReport {
    start(plan, settings()).wait()
}

/// Samples and those that failed.
pub(crate) fn counts(report: &TrialReport) -> (u64, u64) {
    (report.summary.total.samples, report.summary.total.errors)
}

/// A port of this process that listens, for plans that are never run.
pub(crate) fn any_address() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
}
