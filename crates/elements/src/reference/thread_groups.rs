//! Thread groups.

use super::Entry;
use super::Kind::ThreadGroup;
use super::property::{Property, choice, flag, text, whole};

pub(super) const ON_ERROR: Property = choice(
    "ThreadGroup.on_sample_error",
    &["continue", "startnextloop", "stopthread", "stoptest", "stoptestnow"],
    "continue",
    "What is done when a sample fails.",
);

const GROUP: &[Property] = &[
    whole("ThreadGroup.num_threads", "users", "0", ""),
    whole("ThreadGroup.ramp_time", "s", "0", "Users start evenly over this time."),
    text("ThreadGroup.main_controller", "", "A `LoopController` element: how often. Without it users fail."),
    flag("ThreadGroup.scheduler", false, "Duration and delay count."),
    whole("ThreadGroup.duration", "s", "0", "Fractions are allowed. 0: no limit."),
    whole("ThreadGroup.delay", "s", "0", "Before the first user starts; fractions are allowed."),
    flag("ThreadGroup.delayedStart", false, "Users are made when they start."),
    flag(
        "ThreadGroup.same_user_on_next_iteration",
        true,
        "Cookies, cache and connections stay over iterations.",
    ),
    ON_ERROR,
];

pub(super) const START: &str =
    "Each user starts on its instant; JMeter's users look once a second whether they may.";
pub(super) const NO_NUMBER: &str = "A number of users that is no number is refused; JMeter runs nothing.";

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(
        ThreadGroup,
        "ThreadGroup",
        "Thread Group",
        "Users that start over a ramp-up time and loop.",
    )
    .properties(GROUP)
    .differs(&[START, NO_NUMBER]),
    Entry::native(
        ThreadGroup,
        "SetupThreadGroup",
        "setUp Thread Group",
        "A thread group that runs before all others.",
    )
    .properties(GROUP)
    .differs(&[START, NO_NUMBER]),
    Entry::native(
        ThreadGroup,
        "PostThreadGroup",
        "tearDown Thread Group",
        "A thread group that runs after all others.",
    )
    .properties(GROUP)
    .differs(&[START, NO_NUMBER]),
    Entry::native(
        ThreadGroup,
        "OpenModelThreadGroup",
        "Open Model Thread Group",
        "Users arrive on a schedule, whatever those before do, and each stays for one iteration. At the end of the schedule \
         those who are left are cut.",
    )
    .also(&["org.apache.jmeter.threads.openmodel.OpenModelThreadGroup"])
    .properties(&[
        text(
            "OpenModelThreadGroup.schedule",
            "",
            "`rate(10/s)`, `random_arrivals(2 min)`, `even_arrivals(2 min)`, `pause(30 s)` in any order; units ms, s, min, h, d.",
        ),
        whole("OpenModelThreadGroup.random_seed", "", "0", "0: other random arrivals each time; else JMeter's for that seed."),
        ON_ERROR,
    ])
    .differs(&[
        "The schedule counts from the start of the group; JMeter's from that of the test, set-up groups included.",
        "Nanoseconds, not whole milliseconds.",
        "At most 30 million random arrivals a group.",
    ]),
];
