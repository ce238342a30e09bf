//! Values of properties that plans lack: JMeter's beans, whose editor shows others.

use swell_plan::MissingValue;

const fn value(property: &'static str, run: &'static str, editor: &'static str) -> MissingValue {
    MissingValue::new(property, run, editor)
}

/// CSV Data Set Config.
pub(super) const CSV_DATA_SET: &[MissingValue] = &[
    value("ignoreFirstLine", "false", "false"),
    value("quotedData", "false", "false"),
    value("recycle", "false", "true"),
    value("stopThread", "false", "false"),
];

/// Constant Throughput Timer.
pub(super) const CONSTANT_THROUGHPUT: &[MissingValue] =
    &[value("throughput", "0.0", "0.0"), value("calcMode", "0", "0")];

/// Precise Throughput Timer.
pub(super) const PRECISE_THROUGHPUT: &[MissingValue] = &[
    value("throughput", "0.0", "100.0"),
    value("throughputPeriod", "0", "3600"),
    value("duration", "0", "3600"),
    value("batchSize", "0", "1"),
    value("batchThreadDelay", "0", "0"),
    value("randomSeed", "0", "0"),
];

/// Synchronizing Timer.
pub(super) const SYNCHRONIZING: &[MissingValue] =
    &[value("groupSize", "0", "0"), value("timeoutInMs", "0", "0")];

/// Debug Sampler.
pub(super) const DEBUG_SAMPLER: &[MissingValue] = &[
    value("displayJMeterVariables", "false", "true"),
    value("displayJMeterProperties", "false", "false"),
    value("displaySystemProperties", "false", "false"),
];

/// Debug PostProcessor.
pub(super) const DEBUG_POST_PROCESSOR: &[MissingValue] = &[
    value("displaySamplerProperties", "false", "true"),
    value("displayJMeterVariables", "false", "true"),
    value("displayJMeterProperties", "false", "false"),
    value("displaySystemProperties", "false", "false"),
];
