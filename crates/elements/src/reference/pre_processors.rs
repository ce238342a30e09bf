//! Pre-processors.

use super::Entry;
use super::Kind::PreProcessor;
use super::property::{flag, list, text, whole};
use super::scripts::{RUNS_SCRIPT, SCRIPT_LIMITS};

const SCRIPT: &str = "it runs a script";

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(
        PreProcessor,
        "UserParameters",
        "User Parameters",
        "Variables with values of their own for each user.",
    )
    .properties(&[
        list("UserParameters.names", "names", ""),
        list("UserParameters.thread_values", "lists of values", "One list a user, in turn."),
        flag("UserParameters.per_iteration", false, "Once an iteration, not before each sample."),
    ]),
    Entry::native(
        PreProcessor,
        "SampleTimeout",
        "Sample Timeout",
        "Interrupts samples that take longer. As in JMeter it holds for all samplers of its thread group, wherever it stands.",
    )
    .properties(&[whole("InterruptTimer.timeout", "ms", "0", "0: none. Of several the shortest counts.")])
    .differs(&["HTTP Requests, TCP Samplers, Java Requests and pauses are interrupted; downloads beside a page are not."]),
    Entry::native(
        PreProcessor,
        "AnchorModifier",
        "HTML Link Parser",
        "Sends the request where a link or a form of the last page leads that fits the sampler.",
    ),
    Entry::native(
        PreProcessor,
        "URLRewritingModifier",
        "HTTP URL Re-writing Modifier",
        "Puts the session that the last response names into the request.",
    )
    .properties(&[
        text("argument_name", "", "Name of the session."),
        flag("path_extension", false, "Into the path, not the parameters."),
        flag("path_extension_no_equals", false, "Without `=` in the path."),
        flag("path_extension_no_questionmark", false, "In the response it ends at `?`."),
        flag("cache_value", true, "Where a response names none, the last one goes on."),
        flag("encode", false, "As it is; otherwise it counts as encoded, and is decoded first."),
    ]),
    Entry::native(
        PreProcessor,
        "RegExUserParameters",
        "RegEx User Parameters",
        "Gives parameters the values that a Regular Expression Extractor found beside their names.",
    )
    .properties(&[
        text("RegExUserParameters.regex_ref_name", "", "Name of created variable of the extractor."),
        text("RegExUserParameters.param_names_gr_nr", "", "Group of the names."),
        text("RegExUserParameters.param_values_gr_nr", "", "Group of the values."),
    ]),
    Entry::unsupported(
        PreProcessor,
        "UserParameterModifier",
        "HTTP User Parameter Modifier",
        "JMeter has it no more",
    ),
    Entry::unsupported(PreProcessor, "ParamModifier", "HTML Parameter Mask", "JMeter has it no more"),
    Entry::native(PreProcessor, "JSR223PreProcessor", "JSR223 PreProcessor", RUNS_SCRIPT).properties(&[
        text("scriptLanguage", "groovy", "`groovy`, `beanshell`, `bsh` or `java`."),
        text("cacheKey", "", "`false`: references in the script are evaluated each time, not once a user."),
        text("script", "", "The script."),
        text("parameters", "", "`Parameters` and `args` of the script."),
    ])
    .differs(SCRIPT_LIMITS),
    Entry::native(PreProcessor, "BeanShellPreProcessor", "BeanShell PreProcessor", RUNS_SCRIPT).properties(&[
        text("script", "", "The script."),
        text("parameters", "", "`Parameters` and `args` of the script."),
    ])
    .differs(SCRIPT_LIMITS),
    Entry::needs_jvm(PreProcessor, "BSFPreProcessor", "BSF PreProcessor", SCRIPT),
    Entry::needs_jvm(
        PreProcessor,
        "JDBCPreProcessor",
        "JDBC PreProcessor",
        "it talks to databases through Java drivers",
    ),
];
