//! The Test Plan, and what takes no part in a run.

use super::Entry;
use super::Kind::Plan;
use super::property::{flag, list, text};

const RECORDING: &str = "it is for recording and takes no part in a run";

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(Plan, "TestPlan", "Test Plan", "The root.").properties(&[
        list(
            "TestPlan.user_defined_variables",
            "`Argument`",
            "Variables of all users, evaluated once before the run.",
        ),
        flag("TestPlan.serialize_threadgroups", false, "Thread groups run one after the other."),
        flag("TestPlan.tearDown_on_shutdown", false, "Tear-down thread groups run after a shutdown, too."),
        flag("TestPlan.functional_mode", false, "Results files hold response data."),
        text("TestPlan.user_define_classpath", "", "Not read: there is no Java machine."),
    ]),
    Entry::ignored(Plan, "WorkBench", "WorkBench", RECORDING),
    Entry::ignored(Plan, "ProxyControl", "HTTP(S) Test Script Recorder", RECORDING),
    Entry::ignored(
        Plan,
        "HttpMirrorControl",
        "HTTP Mirror Server",
        "it is a server and takes no part in a run",
    ),
    Entry::ignored(Plan, "PropertyControlGui", "Property Display", "it shows something in JMeter's window"),
];
