//! Response codes with the numbers of their samples.

use swell_stats::{Code, LabelStats};

use crate::number::count;

/// The codes of these samples; an empty list if all are texts: samplers of other protocols than
/// HTTP may leave the code out.
pub(crate) fn of(total: &LabelStats) -> Vec<(Code, u64)> {
    let all = total.outcomes.codes();
    if all.iter().any(|(code, _)| matches!(code, Code::Number(_))) { all } else { Vec::new() }
}

/// `status: 200 × 1,392, 500 × 1,008, no response × 3`, with at most that many codes.
pub(crate) fn text(codes: &[(Code, u64)], most: usize) -> Option<String> {
    let (listed, more) = codes.split_at(codes.len().min(most));
    let others: u64 = more.iter().map(|(_, samples)| samples).sum();
    let mut parts: Vec<_> =
        listed.iter().map(|(code, samples)| format!("{code} × {}", count(*samples))).collect();
    if others > 0 {
        parts.push(format!("others × {}", count(others)));
    }
    (!parts.is_empty()).then(|| format!("status: {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    #[test]
    fn codes_are_listed_where_one_is_a_number() {
        let of_codes = |codes: &[&str]| {
            let mut recorder = Recorder::default();
            for code in codes {
                recorder.record(&Observation { label: "a", code, success: true, ..Observation::default() });
            }
            text(&of(&recorder.take_interval().total()), 2)
        };
        let codes = ["500", "200", "200", "", "404"];
        assert_eq!(of_codes(&codes).as_deref(), Some("status: 200 × 2, 404 × 1, others × 2"));
        assert_eq!(of_codes(&["200", ""]).as_deref(), Some("status: 200 × 1, no response × 1"));
        assert_eq!(of_codes(&["", "OK"]), None);
    }
}
