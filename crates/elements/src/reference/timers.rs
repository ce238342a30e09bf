//! Timers.

use super::Entry;
use super::Kind::Timer;
use super::property::{choice, number, text, whole};
use super::scripts::{RUNS_SCRIPT, SCRIPT_LIMITS};

const SCRIPT: &str = "it runs a script";
const NS: &str = "Nanoseconds, not whole milliseconds; `--compat` has JMeter's.";

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(Timer, "ConstantTimer", "Constant Timer", "Waits before each sample in its scope.")
        .properties(&[whole("ConstantTimer.delay", "ms", "0", "")]),
    Entry::native(
        Timer,
        "UniformRandomTimer",
        "Uniform Random Timer",
        "Waits by lot, all times being as likely.",
    )
    .properties(&[
        whole("ConstantTimer.delay", "ms", "0", "Always."),
        number("RandomTimer.range", "ms", "0", "Up to so much more."),
    ]),
    Entry::native(Timer, "GaussianRandomTimer", "Gaussian Random Timer", "Waits by lot, around a mean.")
        .properties(&[
            whole("ConstantTimer.delay", "ms", "0", "The mean."),
            number("RandomTimer.range", "ms", "0", "Standard deviation."),
        ]),
    Entry::native(Timer, "PoissonRandomTimer", "Poisson Random Timer", "Waits by lot, Poisson's.")
        .properties(&[
            whole("ConstantTimer.delay", "ms", "0", "Always."),
            number("RandomTimer.range", "ms", "0", "Mean of what comes on top."),
        ]),
    Entry::native(Timer, "ConstantThroughputTimer", "Constant Throughput Timer", "Paces samples to a rate.")
        .properties(&[
            number("throughput", "samples/min", "0", ""),
            choice(
                "calcMode",
                &["0", "1", "2", "3", "4"],
                "0",
                "This user; all users; users of the group; all, shared; group, shared.",
            ),
        ])
        .differs(&[NS]),
    Entry::native(
        Timer,
        "PreciseThroughputTimer",
        "Precise Throughput Timer",
        "A Poisson schedule with exact counts.",
    )
    .properties(&[
        number("throughput", "samples a period", "0", ""),
        whole("throughputPeriod", "s", "0", ""),
        whole("duration", "s", "0", "Length of the schedule."),
        whole("batchSize", "samples", "0", ""),
        whole("batchThreadDelay", "ms", "0", "Between the samples of a batch."),
        whole("randomSeed", "", "0", "0: another schedule each time."),
    ])
    .differs(&[NS]),
    Entry::native(Timer, "SyncTimer", "Synchronizing Timer", "Holds users until so many are there.")
        .properties(&[
            whole("groupSize", "users", "0", "0: all of the thread group."),
            whole("timeoutInMs", "ms", "0", "0: none."),
        ]),
    Entry::native(Timer, "JSR223Timer", "JSR223 Timer", RUNS_SCRIPT)
        .properties(&[
            text("scriptLanguage", "groovy", "`groovy`, `beanshell`, `bsh` or `java`."),
            text(
                "cacheKey",
                "",
                "`false`: references in the script are evaluated each time, not once a user.",
            ),
            text("script", "", "The script."),
            text("parameters", "", "`Parameters` and `args` of the script."),
        ])
        .differs(SCRIPT_LIMITS),
    Entry::native(Timer, "BeanShellTimer", "BeanShell Timer", RUNS_SCRIPT)
        .properties(&[
            text("script", "", "The script."),
            text("parameters", "", "`Parameters` and `args` of the script."),
        ])
        .differs(SCRIPT_LIMITS),
    Entry::needs_jvm(Timer, "BSFTimer", "BSF Timer", SCRIPT),
];
