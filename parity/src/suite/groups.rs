//! Thread groups: loops, users, schedules, what an error does, phases.

use swell_plan::{Node, PropertyValue};

use super::draft::Draft;
use super::parts::{Edit, assertion, get, group, headers, loops, pause, users, variables};

/// A path that tells user and loop.
const WHO: &str = "/a?user=${__threadNum}&loop=${__jm__Users__idx}";

pub(super) fn drafts() -> Vec<Draft> {
    [sizes(), errors(), schedules(), phases()].concat()
}

fn sizes() -> Vec<Draft> {
    let twice = |node: Node| loops(node, "2");
    vec![
        Draft::new(
            "group_loops",
            "A user runs its samplers three times over.",
            [loops(users([get("first", WHO), get("second", "/b")]), "3")],
        ),
        Draft::new(
            "group_no_loops",
            "A group of no loops does nothing; the next one runs.",
            [
                loops(users([get("never", "/never")]), "0"),
                group("ThreadGroup", "ThreadGroupGui", "Others", [get("other", "/other")]),
            ],
        ),
        Draft::new(
            "group_no_users",
            "A group without users does nothing.",
            [
                users([get("never", "/never")]).text("ThreadGroup.num_threads", "0"),
                group("ThreadGroup", "ThreadGroupGui", "Others", [get("other", "/other")]),
            ],
        ),
        Draft::new(
            "group_two_users",
            "Each user has its own connection, loops and variables.",
            [twice(
                users([get("first", WHO), get("second", "/b?user=${__threadNum}")])
                    .text("ThreadGroup.num_threads", "2"),
            )],
        )
        .rule("order thread")
        .rule("mask grpThreads allThreads"),
        Draft::new(
            "group_ramp",
            "Users start one after the other; the first is done before the second starts.",
            [users([get("first", WHO)])
                .text("ThreadGroup.num_threads", "2")
                .text("ThreadGroup.ramp_time", "2")],
        ),
        Draft::new(
            "group_delayed_start",
            "Users are made when it is their time.",
            [users([get("first", WHO)])
                .text("ThreadGroup.num_threads", "2")
                .text("ThreadGroup.ramp_time", "2")
                .flag("ThreadGroup.delayedStart", true)],
        ),
        Draft::new(
            "group_fields_from_variables",
            "Fields of a group hold variables of the plan and properties.",
            [loops(users([get("first", WHO)]), "${count}").text("ThreadGroup.num_threads", "${__P(many,1)}")],
        )
        .variables(&[("count", "2")])
        .rule("property many=1"),
        Draft::new(
            "group_name_from_variables",
            "The name of a group holds a property and a variable of the plan.",
            [loops(
                group(
                    "ThreadGroup",
                    "ThreadGroupGui",
                    "G ${which} ${__P(own,none)}",
                    [get("${__threadGroupName}", "/a?loop=${__jm__G one none__idx}")],
                ),
                "2",
            )],
        )
        .variables(&[("which", "one")]),
        Draft::new(
            "group_nameless_loop",
            "The loop of a group takes the group's name only where it has a name itself.",
            [nameless(loops(users([get("i${__jm__Users__idx}", "/i"), get("j${__jm____idx}", "/j")]), "2"))],
        ),
        Draft::new(
            "group_same_user",
            "A new user on each loop loses its connection; the same one keeps it.",
            [
                twice(users([get("same", "/same"), get("same again", "/same")])),
                twice(
                    group(
                        "ThreadGroup",
                        "ThreadGroupGui",
                        "New users",
                        [get("new", "/new"), get("new again", "/new")],
                    )
                    .flag("ThreadGroup.same_user_on_next_iteration", false),
                ),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "group_disabled",
            "What is disabled takes no part, with all below it.",
            [
                users([
                    get("first", "/a"),
                    get("off", "/off").off(),
                    get("second", "/b").of([headers("H", &[("A", "b")]).off()]),
                ]),
                group("ThreadGroup", "ThreadGroupGui", "Off", [get("never", "/never")]).off(),
            ],
        ),
        Draft::new(
            "group_empty",
            "A group without samplers ends at once.",
            [loops(users([variables(&[("a", "b")])]), "3")],
        ),
        Draft::new(
            "group_forever",
            "An endless group ends by its own action.",
            [loops(
                users([
                    get("round ${__jm__Users__idx}", "/r"),
                    super::parts::element(
                        "SwitchController",
                        "SwitchControllerGui",
                        "by round",
                        &[("SwitchController.value", "${__jm__Users__idx}")],
                    )
                    .of([
                        get("zero", "/0"),
                        get("one", "/1"),
                        super::parts::action("enough", 0, 0),
                    ]),
                ]),
                "-1",
            )],
        ),
    ]
}

/// What a failed sample does to its user and to the test.
fn errors() -> Vec<Draft> {
    let cases = [
        ("error_continue", "continue"),
        ("error_next_loop", "startnextloop"),
        ("error_stop_thread", "stopthread"),
        ("error_stop_test", "stoptest"),
        ("error_stop_test_now", "stoptestnow"),
    ];
    let draft = |(name, action): (&'static str, &str)| {
        let failing = get("fails", "/status/500");
        let judged =
            get("judged", "/j").of([assertion("never", "response_data", 16, &["nothing of the kind"])]);
        let first = loops(users([get("before", "/before"), failing, get("after", "/after")]), "2");
        let second =
            loops(group("ThreadGroup", "ThreadGroupGui", "Later", [judged, get("last", "/last")]), "2");
        let with = |node: Node| node.text("ThreadGroup.on_sample_error", action);
        // JMeter stops at once on a thread of its own, and may start the next group before that.
        let groups = if action == "stoptestnow" { vec![first] } else { vec![first, second] };
        Draft::new(name, "What a failed sample does.", groups.into_iter().map(with))
            .flag("TestPlan.serialize_threadgroups", true)
    };
    cases.map(draft).to_vec()
}

fn schedules() -> Vec<Draft> {
    let endless = |children: Vec<Node>| loops(users(children), "-1").flag("ThreadGroup.scheduler", true);
    vec![
        Draft::new(
            "schedule_duration",
            "The time is up between samples; a timer is cut short.",
            [endless(vec![get("twice", "/a").of([pause("wait", "750")])]).text("ThreadGroup.duration", "2")],
        ),
        Draft::new(
            "schedule_delay",
            "A delay before the start does not shorten the duration.",
            [endless(vec![get("twice", "/a").of([pause("wait", "750")])])
                .text("ThreadGroup.duration", "2")
                .text("ThreadGroup.delay", "1")],
        ),
        Draft::new(
            "schedule_off",
            "Duration and delay mean nothing while the scheduler is off.",
            [loops(
                users([get("once", "/a")]).text("ThreadGroup.duration", "0").text("ThreadGroup.delay", "50"),
                "1",
            )],
        ),
        Draft::new(
            "schedule_loops",
            "Loops end before the time does.",
            [loops(
                users([get("twice", "/a")])
                    .flag("ThreadGroup.scheduler", true)
                    .text("ThreadGroup.duration", "20"),
                "2",
            )],
        ),
    ]
}

fn phases() -> Vec<Draft> {
    let set_up = || {
        group("SetupThreadGroup", "SetupThreadGroupGui", "Set up", [get("set up", "/up?n=${__threadNum}")])
    };
    let tear_down =
        || group("PostThreadGroup", "PostThreadGroupGui", "Tear down", [get("tear down", "/down")]);
    let stopping = || {
        users([get("before", "/before"), super::parts::action("stop the test", 0, 2), get("after", "/after")])
    };
    vec![
        Draft::new(
            "phases",
            "Set-up groups first, tear-down groups last, wherever they stand.",
            [tear_down(), users([get("main", "/main")]), set_up(), set_up()],
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "phases_stopped",
            "A test that is stopped leaves the tear-down out.",
            [stopping(), tear_down()],
        ),
        Draft::new(
            "phases_stopped_tear_down",
            "A test that is stopped does the tear-down if the plan says so.",
            [stopping(), tear_down()],
        )
        .flag("TestPlan.tearDown_on_shutdown", true),
        Draft::new(
            "phases_failed_set_up",
            "A failing set-up group stops the test if it says so.",
            [
                group("SetupThreadGroup", "SetupThreadGroupGui", "Set up", [get("fails", "/status/500")])
                    .text("ThreadGroup.on_sample_error", "stoptest"),
                users([get("main", "/main")]),
                tear_down(),
            ],
        )
        .flag("TestPlan.tearDown_on_shutdown", true),
        Draft::new(
            "groups_in_turn",
            "Groups of a serialised plan wait for each other.",
            [
                users([get("first", "/a").of([pause("slow", "200")])]),
                group("ThreadGroup", "ThreadGroupGui", "Users", [get("second", "/b")]),
                group("ThreadGroup", "ThreadGroupGui", "Others", [get("third", "/c")]),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "groups_together",
            "Groups of a plan run at the same time.",
            [
                users([get("first", "/a").of([pause("slow", "300")])]),
                group("ThreadGroup", "ThreadGroupGui", "Others", [get("second", "/b")]),
            ],
        )
        .rule("mask allThreads"),
        Draft::new(
            "open_model",
            "Arrivals on a schedule.",
            [super::parts::element(
                "OpenModelThreadGroup",
                "OpenModelThreadGroupGui",
                "Arrivals",
                &[("OpenModelThreadGroup.schedule", "rate(4/s) even_arrivals(1 s) pause(1 s)")],
            )
            .of([get("arrived", "/a")])],
        )
        .rule("order none")
        .rule("mask threadName grpThreads allThreads")
        // JMeter leaves a pool of threads behind that would keep it for a minute.
        .rule("property jmeterengine.force.system.exit=true"),
    ]
}

/// A group whose loop controller has no name, as some tools write it.
fn nameless(mut group: Node) -> Node {
    for property in &mut group.element.properties {
        if let (true, PropertyValue::Element(main)) =
            (property.name == "ThreadGroup.main_controller", &mut property.value)
        {
            main.attributes.retain(|(name, _)| name != "testname");
        }
    }
    group
}
