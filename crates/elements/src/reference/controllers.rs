//! Controllers.

use super::Entry;
use super::Kind::Controller;
use super::property::{choice, flag, list, number, text, whole};

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(Controller, "GenericController", "Simple Controller", "Groups what stands below it."),
    Entry::native(Controller, "RecordingController", "Recording Controller", "As the Simple Controller.")
        ,
    Entry::native(
        Controller,
        "TestFragmentController",
        "Test Fragment",
        "Runs only where a Module or Include Controller takes it in.",
    ),
    Entry::native(Controller, "ModuleController", "Module Controller", "Stands for another controller of the plan.")
        .properties(&[list("ModuleController.node_path", "names", "Names from the root to the controller.")]),
    Entry::native(Controller, "IncludeController", "Include Controller", "Stands for the Test Fragment of another plan.")
        .properties(&[text(
            "IncludeController.includepath",
            "",
            "The file; the property `includecontroller.prefix` is put before it.",
        )]),
    Entry::native(Controller, "LoopController", "Loop Controller", "Repeats what stands below it.").properties(&[
        whole("LoopController.loops", "", "0", "-1: without end."),
        flag("LoopController.continue_forever", true, ""),
    ]),
    Entry::native(Controller, "WhileController", "While Controller", "Repeats while its condition is not `false`.")
        .properties(&[text("WhileController.condition", "", "Empty: until a sample fails; `LAST`: the same, and not entered after one.")]),
    Entry::native(
        Controller,
        "ForeachController",
        "ForEach Controller",
        "Repeats for the variables `prefix_1`, `prefix_2` and so on.",
    )
    .properties(&[
        text("ForeachController.inputVal", "", "Prefix of the variables."),
        text("ForeachController.returnVal", "", "The variable that gets each value."),
        whole("ForeachController.startIndex", "", "0", "Exclusive."),
        whole("ForeachController.endIndex", "", "", "Inclusive; missing: to the last."),
        flag("ForeachController.useSeparator", true, "A `_` stands between prefix and number."),
    ]),
    Entry::native(Controller, "OnceOnlyController", "Once Only Controller", "Runs in the first iteration of a user."),
    Entry::native(Controller, "IfController", "If Controller", "Runs if its condition is true.")
        .properties(&[
            text("IfController.condition", "", ""),
            flag("IfController.useExpression", false, "The condition is a text: only `true` is true. Else it is JavaScript."),
            flag("IfController.evaluateAll", false, "Before each child, not only before the first."),
        ])
        .differs(&["Of JavaScript conditions, comparisons of numbers and texts, `&&`, `||`, `!` and brackets are evaluated."]),
    Entry::native(Controller, "InterleaveControl", "Interleave Controller", "One child in each iteration, in turn.")
        .properties(&[
            choice("InterleaveControl.style", &["0", "1"], "0", "1: the whole of a child controller in one turn."),
            flag("InterleaveControl.accrossThreads", false, "All users take turns together."),
        ]),
    Entry::native(Controller, "RandomController", "Random Controller", "One child in each iteration, by lot.")
        .properties(&[choice("InterleaveControl.style", &["0", "1"], "0", "1: the whole of a child controller.")]),
    Entry::native(Controller, "RandomOrderController", "Random Order Controller", "All children, each time in another order."),
    Entry::native(Controller, "SwitchController", "Switch Controller", "One child, by its number from 0 or its name.")
        .properties(&[text("SwitchController.value", "", "Empty: the first. A name that is not there: `default`, if there is one.")]),
    Entry::native(Controller, "ThroughputController", "Throughput Controller", "Runs in part of the iterations.")
        .properties(&[
            choice("ThroughputController.style", &["0", "1"], "0", "0: so many times in all; 1: in so many percent."),
            whole("ThroughputController.maxThroughput", "times", "", ""),
            number("ThroughputController.percentThroughput", "%", "", ""),
            flag("ThroughputController.perThread", true, "Counts each user by itself."),
        ]),
    Entry::native(Controller, "RunTime", "Runtime Controller", "Repeats for so long.")
        .properties(&[whole("RunTime.seconds", "s", "0", "")]),
    Entry::native(Controller, "CriticalSectionController", "Critical Section Controller", "One user at a time.")
        .properties(&[text("CriticalSectionController.lockName", "", "Controllers with the same name exclude each other.")]),
    Entry::native(Controller, "TransactionController", "Transaction Controller", "Sums up the samples below it.")
        .properties(&[
            flag("TransactionController.parent", false, "The samples become parts of the sum, and are not reported by themselves."),
            flag("TransactionController.includeTimers", true, "Timers and pre-processors count."),
        ]),
];
