//! Pre-processors.

use super::Entry;
use super::Kind::PreProcessor;
use super::property::{flag, list};

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
    Entry::unsupported(PreProcessor, "SampleTimeout", "Sample Timeout", "not there yet"),
    Entry::unsupported(PreProcessor, "AnchorModifier", "HTML Link Parser", "not there yet"),
    Entry::unsupported(PreProcessor, "URLRewritingModifier", "HTTP URL Re-writing Modifier", "not there yet"),
    Entry::unsupported(PreProcessor, "RegExUserParameters", "RegEx User Parameters", "not there yet"),
    Entry::unsupported(
        PreProcessor,
        "UserParameterModifier",
        "HTTP User Parameter Modifier",
        "JMeter has it no more",
    ),
    Entry::unsupported(PreProcessor, "ParamModifier", "HTML Parameter Mask", "JMeter has it no more"),
    Entry::needs_jvm(PreProcessor, "JSR223PreProcessor", "JSR223 PreProcessor", SCRIPT),
    Entry::needs_jvm(PreProcessor, "BeanShellPreProcessor", "BeanShell PreProcessor", SCRIPT),
    Entry::needs_jvm(PreProcessor, "BSFPreProcessor", "BSF PreProcessor", SCRIPT),
    Entry::needs_jvm(
        PreProcessor,
        "JDBCPreProcessor",
        "JDBC PreProcessor",
        "it talks to databases through Java drivers",
    ),
];
