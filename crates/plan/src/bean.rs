//! Special rules of TestBean elements: values of missing properties, and choices that old versions
//! saved as translated text.

/// A property of a TestBean: its name, the value a run takes when it is missing, and the value the
/// editor shows then.
type Missing = (&'static str, &'static str, &'static str);

/// The value that a run of JMeter without its window takes for a missing property of a TestBean
/// element. It is the conversion of an empty text (`TestBeanHelper.prepare`): false, 0 or nothing,
/// and not the default of the BeanInfo, which only the window applies. None where consumers need no
/// such value: missing text is empty text.
pub fn absent_value(class: &str, property: &str) -> Option<&'static str> {
    missing(class).iter().find(|(name, ..)| *name == property).map(|(_, run, _)| *run)
}

/// Properties with a special default when missing, by class.
pub(crate) fn missing(class: &str) -> &'static [Missing] {
    match class {
        "CSVDataSet" => &[
            ("ignoreFirstLine", "false", "false"),
            ("quotedData", "false", "false"),
            ("recycle", "false", "true"),
            ("stopThread", "false", "false"),
        ],
        "ConstantThroughputTimer" => &[("throughput", "0.0", "0.0"), ("calcMode", "0", "0")],
        "PreciseThroughputTimer" => &[
            ("throughput", "0.0", "100.0"),
            ("throughputPeriod", "0", "3600"),
            ("duration", "0", "3600"),
            ("batchSize", "0", "1"),
            ("batchThreadDelay", "0", "0"),
            ("randomSeed", "0", "0"),
        ],
        "SyncTimer" => &[("groupSize", "0", "0"), ("timeoutInMs", "0", "0")],
        "RandomVariableConfig" => &[("minimumValue", "", "1"), ("perThread", "false", "false")],
        "KeystoreConfig" => &[("startIndex", "0", "0"), ("endIndex", "0", "-1")],
        "DebugSampler" => &[
            ("displayJMeterVariables", "false", "true"),
            ("displayJMeterProperties", "false", "false"),
            ("displaySystemProperties", "false", "false"),
        ],
        "DebugPostProcessor" => &[
            ("displaySamplerProperties", "false", "true"),
            ("displayJMeterVariables", "false", "true"),
            ("displayJMeterProperties", "false", "false"),
            ("displaySystemProperties", "false", "false"),
        ],
        "CompareAssertion" => &[("compareContent", "false", "true"), ("compareTime", "0", "-1")],
        "AccessLogSampler" => &[("imageParsing", "false", "false")],
        _ => &[],
    }
}

/// The one spelling of a choice that old versions saved as translated text; none if the text is not
/// such a choice (`CSVDataSet.setProperty`, `ConstantThroughputTimer.setProperty`, there only for
/// the running language).
pub(crate) fn normal_choice(class: &str, property: &str, text: &str) -> Option<&'static str> {
    if !matches!((class, property), ("ConstantThroughputTimer", "calcMode") | ("CSVDataSet", "shareMode")) {
        return None;
    }
    let rows = include_str!("names/choices.tsv").lines().filter(|row| !row.starts_with('#'));
    rows.filter_map(|row| row.strip_prefix(property)?.strip_prefix('\t')?.split_once('\t'))
        .find_map(|(choice, label)| (label == text).then_some(choice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translated_choices_get_one_spelling() {
        let timer = "ConstantThroughputTimer";
        let csv = "CSVDataSet";
        let cases = [
            (timer, "calcMode", "this thread only", Some("0")),
            (timer, "calcMode", "Alle aktiven Threads (Gemeinsam)", Some("3")),
            (timer, "calcMode", "当前线程组中的所有活动线程（共享）", Some("4")),
            (timer, "calcMode", "2", None),
            (timer, "throughput", "this thread only", None),
            (csv, "shareMode", "Groupe d'unités courant", Some("shareMode.group")),
            (csv, "shareMode", "All threads", Some("shareMode.all")),
            (csv, "shareMode", "shareMode.all", None),
            (csv, "shareMode", "所有线程", None),
            ("Other", "shareMode", "All threads", None),
        ];
        for (class, property, text, normal) in cases {
            assert_eq!(normal_choice(class, property, text), normal, "{class} {property} {text}");
        }
    }

    #[test]
    fn a_missing_property_is_an_empty_text_converted() {
        assert_eq!(absent_value("CSVDataSet", "recycle"), Some("false"));
        assert_eq!(absent_value("CSVDataSet", "filename"), None);
        assert_eq!(absent_value("ThreadGroup", "recycle"), None);
    }
}
