//! Choices of TestBean elements that old versions saved as translated text.

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
}
