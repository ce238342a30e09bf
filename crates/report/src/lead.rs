//! The first sentence on a cause of failed samples: which label, how many, with what.

use swell_stats::{ErrorRow, FailedLabel, FailureKind, Summary};

use crate::cause::{cause, line};
use crate::label::fit;
use crate::number::count;

/// Columns of a label in the sentence, at most.
pub(crate) const MOST_LABEL: usize = 60;

/// The first sentence on a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lead {
    /// `GET /cart: 120 of 400 failed with 500 Internal Server Error`.
    pub(crate) text: String,
    /// It names the label of all these samples.
    pub(crate) names_label: bool,
}

/// The first sentence on a cause of the run.
pub(crate) fn lead(summary: &Summary, row: &ErrorRow) -> Lead {
    lead_in(summary, row, MOST_LABEL)
}

/// The first sentences on the causes of the most failed samples, at most that many.
pub fn leading_causes(summary: &Summary, most: usize) -> Vec<String> {
    summary.causes(most).0.iter().map(|row| lead(summary, row).text).collect()
}

/// The same with a label of at most that many columns.
pub(crate) fn lead_in(summary: &Summary, row: &ErrorRow, most_label: usize) -> Lead {
    let what = failed_with(row);
    let labels = summary.failed_labels.of_cause(row);
    let Some((found, first)) = labels.as_ref().and_then(|found| Some((found, found.most.first()?))) else {
        let of = count(summary.total.samples);
        let text = format!("{} of {of} samples failed{what}", count(row.count));
        return Lead { text, names_label: false };
    };
    let FailedLabel { label, failed, samples } = first;
    let shown = fit(&[label.as_str()], Some(most_label)).concat();
    let part = format!("{} of {}", count(*failed), count(*samples));
    let text = match found.labels - 1 {
        0 => format!("{shown}: {part} failed{what}"),
        1 => format!("{shown} ({part}) and 1 more label: {} failed{what}", count(row.count)),
        more => format!("{shown} ({part}) and {more} more labels: {} failed{what}", count(row.count)),
    };
    Lead { text, names_label: found.labels == 1 }
}

/// What follows "failed": ` with 500 Internal Server Error`, `: connection refused by h:1`.
fn failed_with(row: &ErrorRow) -> String {
    let code = line(&row.code);
    let message = line(&row.message);
    match row.kind {
        FailureKind::Status => format!(" with {}", cause(row).got),
        FailureKind::Assertion => {
            let name = line(&row.assertion);
            let name =
                if name.is_empty() { "an assertion".to_owned() } else { format!("assertion `{name}`") };
            let text = message.strip_prefix("Test failed: ").unwrap_or(&message);
            let code = if code.is_empty() { String::new() } else { format!(" (code {code})") };
            format!(" {name}{code}: {text}")
        }
        _ => format!(": {}", cause(row).words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    /// Leads of samples of a label, kind, code and message; none of a message succeeds.
    fn leads(samples: &[(&str, FailureKind, &str, &str, u64)]) -> Vec<(String, bool)> {
        let mut recorder = Recorder::default();
        for (label, kind, code, message, count) in samples {
            for _ in 0..*count {
                let success = message.is_empty();
                let assertion = if *kind == FailureKind::Assertion { "Check" } else { "" };
                recorder.record(&Observation {
                    label,
                    kind: *kind,
                    code,
                    message,
                    success,
                    assertion,
                    ..Observation::default()
                });
            }
        }
        let summary = Summary::of(&recorder.take_interval());
        let both = summary.errors.iter().map(|row| lead(&summary, row));
        both.map(|lead| (lead.text, lead.names_label)).collect()
    }

    #[test]
    fn a_cause_begins_with_label_count_and_code() {
        use FailureKind::{Assertion, Status};
        let ok = ("GET /cart", Status, "200", "", 280);
        let cart = ("GET /cart", Status, "500", "Internal Server Error", 120);
        let lead = "GET /cart: 120 of 400 failed with 500 Internal Server Error".to_owned();
        assert_eq!(leads(&[ok, cart]), [(lead, true)]);
        let pay = ("POST /pay", Status, "500", "Internal Server Error", 5);
        let lead = "GET /cart (120 of 400) and 1 more label: 125 failed with 500 Internal Server Error";
        assert_eq!(leads(&[ok, cart, pay]), [(lead.to_owned(), false)]);
        let check = ("GET /cart", Assertion, "200", "Test failed: text expected to contain /foo/", 20);
        let lead = "GET /cart: 20 of 300 failed assertion `Check` (code 200): text expected to contain /foo/"
            .to_owned();
        assert_eq!(leads(&[ok, check]), [(lead, true)]);
        let created = ("GET /cart", Assertion, "503", "no price", 2);
        let lead = "GET /cart: 2 of 2 failed assertion `Check` (code 503): no price".to_owned();
        assert_eq!(leads(&[created]), [(lead, true)]);
    }

    #[test]
    fn a_cause_without_a_response_says_what_happened_and_unknown_labels_are_not_guessed() {
        use FailureKind::{Assertion, Refused};
        let code = "Non HTTP response code: org.apache.http.conn.HttpHostConnectException";
        let message = "Connect to h:1 [h] failed: Connection refused";
        let lead = "Home: 3 of 3 failed: connection refused by h:1".to_owned();
        assert_eq!(leads(&[("Home", Refused, code, message, 3)]), [(lead, true)]);
        let found = leads(&[("a", Assertion, "200", "too slow", 3), ("b", Assertion, "200", "no price", 2)]);
        let wanted = [
            "3 of 5 samples failed assertion `Check` (code 200): too slow",
            "2 of 5 samples failed assertion `Check` (code 200): no price",
        ];
        assert_eq!(found, wanted.map(|text| (text.to_owned(), false)));
    }

    #[test]
    fn a_label_of_any_length_leaves_room_for_the_rest() {
        let label = "x".repeat(10_000);
        let found = leads(&[(&label, FailureKind::Status, "500", "broken", 1)]).remove(0).0;
        assert!(found.chars().count() < 110 && found.ends_with(": 1 of 1 failed with 500 broken"), "{found}");
    }
}
