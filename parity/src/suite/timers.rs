//! Timers: that they are there, add up, and change nothing else.

use super::draft::Draft;
use super::parts::{Edit, action, bean, element, get, group, loops, pause, simple, users};

pub(super) fn drafts() -> Vec<Draft> {
    let random = |class: &str, gui: &str, delay: &str, range: &str| {
        element(class, gui, class, &[("ConstantTimer.delay", delay), ("RandomTimer.range", range)])
    };
    let throughput = |mode: &str| {
        let node =
            bean("ConstantThroughputTimer", "throughput", &[]).int("calcMode", mode.parse().unwrap_or(0));
        super::parts::set(node, "throughput", swell_plan::PropertyValue::Text("6000.0".to_owned()))
    };
    vec![
        Draft::new(
            "timers",
            "Each kind, in the scope of a sampler and of a group.",
            [loops(
                users([
                    pause("for all", "${ms}"),
                    get("constant", "/a").of([pause("more", "5")]),
                    get("uniform", "/b").of([random(
                        "UniformRandomTimer",
                        "UniformRandomTimerGui",
                        "1",
                        "5.0",
                    )]),
                    get("gaussian", "/c").of([random(
                        "GaussianRandomTimer",
                        "GaussianRandomTimerGui",
                        "5",
                        "2.0",
                    )]),
                    get("poisson", "/d").of([random(
                        "PoissonRandomTimer",
                        "PoissonRandomTimerGui",
                        "1",
                        "5",
                    )]),
                    get("odd number", "/e").of([pause("odd", "none")]),
                    simple("waiting", [pause("in scope", "1"), get("f", "/f"), action("paused", 1, 0)]),
                ]),
                "2",
            )],
        )
        .variables(&[("ms", "1")]),
        Draft::new(
            "timer_throughput",
            "A constant throughput in each mode.",
            [loops(users(["0", "1", "2", "3", "4"].map(|mode| get(mode, "/m").of([throughput(mode)]))), "2")],
        ),
        Draft::new(
            "timer_sync",
            "Users wait for each other.",
            [loops(
                users([get("together", "/together")
                    .of([bean("SyncTimer", "two", &[]).int("groupSize", 2).text("timeoutInMs", "0")])])
                .text("ThreadGroup.num_threads", "2")
                .text("ThreadGroup.ramp_time", "2"),
                "2",
            )],
        )
        .rule("order thread")
        .rule("mask grpThreads allThreads"),
        Draft::new(
            "timer_sync_timeout",
            "The wait for others ends.",
            [users([get("alone", "/alone")
                .of([bean("SyncTimer", "five", &[]).int("groupSize", 5).text("timeoutInMs", "100")])])],
        ),
        Draft::new(
            "timer_precise",
            "A Precise Throughput Timer lets each planned sample through.",
            [group(
                "ThreadGroup",
                "ThreadGroupGui",
                "Users",
                [get("planned", "/p").of([bean(
                    "PreciseThroughputTimer",
                    "planned",
                    &[
                        ("throughput", "100.0"),
                        ("throughputPeriod", "10"),
                        ("duration", "10"),
                        ("batchSize", "1"),
                        ("batchThreadDelay", "0"),
                        ("allowedThroughputSurplus", "1.0"),
                        ("randomSeed", "7"),
                    ],
                )])],
            )],
        ),
    ]
}
