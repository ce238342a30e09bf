//! Thread groups and timers of plug-ins.

use super::Entry;
use super::Kind::{ThreadGroup, Timer};
use super::property::{Property, choice, flag, list, number, text, whole};
use super::thread_groups::{NO_NUMBER, ON_ERROR, START};

const LOOPS: Property =
    text("ThreadGroup.main_controller", "", "A `LoopController` element: how often. Without it users fail.");
const UNIT: Property = choice("Unit", &["S", "M"], "S", "Seconds or minutes, for times and rates.");
const RAMP: Property = number("RampUp", "`Unit`", "0", "Rounded to whole seconds.");
const STEPS: Property = whole("Steps", "", "0", "Of the ramp; 0: a steady rise.");
const HOLD: Property = number("Hold", "`Unit`", "1", "Rounded to whole seconds; an empty text is 0.");
const ITERATIONS: Property = whole("Iterations", "", "0", "A user ends after so many; 0: no limit.");
const SAME_USER: Property =
    flag("same_user_on_next_iteration", true, "Cookies, cache and connections stay over iterations.");
const LIMIT: Property = whole("ArrivalsLimit", "", "0", "The group ends with that arrival; 0: no limit.");
const AT_MOST: Property =
    whole("ConcurrencyLimit", "users", "0", "Arrivals beyond are dropped, and told; 0: no limit.");

const NO_LOG: &str = "`LogFilename` is not written.";
const ONCE: &str = "Times are read when the group starts, the target level while it runs.";
const RISE: &str = "A ramp without steps rises; the plug-in (2.10) has no arrivals before its end. `--compat` has the plug-in's.";

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(
        ThreadGroup,
        "kg.apc.jmeter.threads.UltimateThreadGroup",
        "jp@gc - Ultimate Thread Group",
        "Rows of users, each with its own delay, ramp, hold and shutdown. The property `threads_schedule` of the run replaces \
         the rows. Each iteration has connections of its own.",
    )
    .properties(&[
        list(
            "ultimatethreadgroupdata",
            "rows: users, delay, ramp-up, hold, shutdown",
            "Whole seconds. Of a row the last number starts first. A row with fewer than five columns is refused: \
             there the plug-in's exception breaks off the test.",
        ),
        LOOPS,
        ON_ERROR,
    ])
    .differs(&[START]),
    Entry::native(
        ThreadGroup,
        "kg.apc.jmeter.threads.SteppingThreadGroup",
        "jp@gc - Stepping Thread Group",
        "Users start in steps, hold, and end in steps. Each iteration has connections of its own.",
    )
    .properties(&[
        whole("ThreadGroup.num_threads", "users", "0", "In all."),
        whole("Threads initial delay", "s", "0", "Before the first step."),
        whole("Start users count burst", "users", "0", "In the first step; 0: as in the others."),
        whole("Start users count", "users", "0", "In each step; 0: all."),
        whole("Start users period", "s", "0", "After each step."),
        whole("rampUp", "s", "0", "How long a step takes."),
        whole("flighttime", "s", "0", "How long all run."),
        whole("Stop users count", "users", "0", "That end together; 0: all."),
        whole("Stop users period", "s", "0", "From these to the next."),
        LOOPS,
        ON_ERROR,
    ])
    .differs(&[START, NO_NUMBER]),
    Entry::native(
        ThreadGroup,
        "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup",
        "bzm - Concurrency Thread Group",
        "Keeps so many users running: one that ends early is replaced. At the end users stop before their next sample.",
    )
    .properties(&[
        whole("TargetLevel", "users", "1", "May change while it runs, as `__tstFeedback` does."),
        RAMP,
        STEPS,
        HOLD,
        UNIT,
        ITERATIONS,
        SAME_USER,
        ON_ERROR,
    ])
    .differs(&[
        "Each user starts on its instant, and the end is exact; the plug-in looks once a second.",
        ONCE,
        NO_NUMBER,
        NO_LOG,
    ]),
    Entry::native(
        ThreadGroup,
        "com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup",
        "bzm - Arrivals Thread Group",
        "Iterations start at a rate, whatever those before do: of users at rest, or of new ones. At the end users stop before \
         their next sample.",
    )
    .properties(&[
        whole("TargetLevel", "arrivals/`Unit`", "1", ""),
        RAMP,
        STEPS,
        HOLD,
        UNIT,
        AT_MOST,
        LIMIT,
        ITERATIONS,
        SAME_USER,
        ON_ERROR,
    ])
    .differs(&[RISE, NO_NUMBER, NO_LOG]),
    Entry::native(
        ThreadGroup,
        "com.blazemeter.jmeter.threads.arrivals.FreeFormArrivalsThreadGroup",
        "bzm - Free-Form Arrivals Thread Group",
        "As the Arrivals Thread Group, with a table of rates.",
    )
    .properties(&[
        list("Schedule", "rows: arrivals a unit at the start and at the end, length", "In units of `Unit`."),
        UNIT,
        AT_MOST,
        LIMIT,
        ITERATIONS,
        SAME_USER,
        ON_ERROR,
    ])
    .differs(&[NO_LOG]),
    Entry::native(
        Timer,
        "kg.apc.jmeter.timers.VariableThroughputTimer",
        "jp@gc - Throughput Shaping Timer",
        "One schedule of samples a second for all users in its scope. The properties `load_profile` and `NAME.load_profile` of \
         the run replace the rows. Users that ask after its end stop, with all of their thread group.",
    )
    .properties(&[list("load_profile", "rows: samples/s at the start and at the end, whole seconds", "")])
    .differs(&[
        "Samples are even over the whole schedule; the plug-in counts them in each second, and sends one a second at rate 0.",
        "Rows are read once, when the first sample asks.",
        "The end stops a group at once; the plug-in stops groups and then the test in up to five seconds.",
    ]),
];
