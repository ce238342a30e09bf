//! What is special about TestBean elements: values of missing properties, and choices that old versions saved as
//! translated text.

/// A property of a TestBean: its name, the value a run takes when it is missing, and the value the editor shows then.
type Missing = (&'static str, &'static str, &'static str);

/// The value that a run of JMeter without its window takes for a missing property of a TestBean element. It is the
/// conversion of an empty text (`TestBeanHelper.prepare`): false, 0 or nothing, and not the default of the BeanInfo,
/// which only the window applies. None where consumers need no such value: missing text is empty text.
pub fn absent_value(class: &str, property: &str) -> Option<&'static str> {
    missing(class).iter().find(|(name, ..)| *name == property).map(|(_, run, _)| *run)
}

/// Properties with a value of their own when missing, by class.
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

/// Labels of the Constant Throughput Timer's modes in all languages, by ordinal.
const CALC_MODES: [&[&str]; 5] = [
    &[
        "this thread only",
        "Nur dieser Thread",
        "solamente este hilo",
        "cette unité seulement",
        "현 쓰레드만",
        "este usuário virtual (thread) somente",
        "sadece bu iş parçacığı",
        "只有此线程",
    ],
    &[
        "all active threads",
        "Alle aktiven Threads",
        "todos los hilos activos",
        "toutes les unités actives",
        "모든 활성화된 쓰레드들",
        "todos usuários virtuais (threads) ativos",
        "bütün aktif iş parçacıkları",
        "所有活动线程",
    ],
    &[
        "all active threads in current thread group",
        "Alle aktiven Threads in der aktuellen Thread-Gruppe",
        "todos los hilos activos en el grupo de hilos actual",
        "toutes les unités actives dans le groupe d'unités courant",
        "현 쓰레드 그룹 내의 모든 활성화된 쓰레드들",
        "todos usuários virtuais ativos no grupo de usuários corrente",
        "bu iş parçacığı grubundaki tüm aktif iş parçacıkları",
        "当前线程组中的所有活动线程",
    ],
    &[
        "all active threads (shared)",
        "Alle aktiven Threads (Gemeinsam)",
        "toutes les unités actives (partagé)",
        "모드 활성화된 쓰레드들 (공유)",
        "todos usuários virtuais ativos (compartilhado)",
        "tüm iş parçacıkları (paylaşımlı)",
        "所有活动线程（共享）",
    ],
    &[
        "all active threads in current thread group (shared)",
        "Alle aktiven Threads in der aktuellen Thread-Gruppe (gemeinsam)",
        "toutes les unités actives dans le groupe d'unités courant (partagé)",
        "현 쓰레드 그룹 내의 모든 활성화된 쓰레드들 (공유)",
        "todos usuários virtuais no grupo de usuários atual (compartillhado)",
        "bu iş paçacığı grubundaki tüm aktif iş parçacıkları (paylaşımlı)",
        "当前线程组中的所有活动线程（共享）",
    ],
];

const ORDINALS: [&str; 5] = ["0", "1", "2", "3", "4"];

/// Labels of the CSV Data Set's sharing modes in all languages. Labels without a blank are missing on purpose: JMeter
/// takes a text without a blank for a name of the user's own.
const SHARE_MODES: [(&str, &[&str]); 3] = [
    (
        "shareMode.all",
        &[
            "All threads",
            "Todos los hilos",
            "Toutes les unités",
            "모든 쓰레드들",
            "Wszystkie wątki",
            "Todos os usuários virtuais",
        ],
    ),
    (
        "shareMode.group",
        &[
            "Current thread group",
            "Actual grupo de hilos",
            "Groupe d'unités courant",
            "현 쓰레드 그룹",
            "Bieżąca grupa wątków",
            "Grupo de usuários atual",
        ],
    ),
    (
        "shareMode.thread",
        &[
            "Current thread",
            "Hilo actual",
            "Unité courante",
            "현 쓰레드",
            "Bieżący wątek",
            "Usuário virtual atual",
        ],
    ),
];

/// The one spelling of a choice that old versions saved as translated text; none if the text is not such a choice
/// (`CSVDataSet.setProperty`, `ConstantThroughputTimer.setProperty`, there only for the running language).
pub(crate) fn normal_choice(class: &str, property: &str, text: &str) -> Option<&'static str> {
    match (class, property) {
        ("ConstantThroughputTimer", "calcMode") => {
            let mode = CALC_MODES.iter().position(|labels| labels.contains(&text))?;
            Some(ORDINALS[mode])
        }
        ("CSVDataSet", "shareMode") => {
            SHARE_MODES.iter().find(|(_, labels)| labels.contains(&text)).map(|(key, _)| *key)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translated_choices_get_one_spelling() {
        let (timer, csv) = ("ConstantThroughputTimer", "CSVDataSet");
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
