//! Shows where two texts differ, in the format of the Response Assertion
//! (`ResponseAssertion.equalsComparisonText`).

use swell_expr::Properties;

/// How differences are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiffStyle {
    /// Characters of each section (`assertion.equals_section_diff_len`).
    pub(crate) section: usize,
    /// Mark before the difference (`assertion.equals_diff_delta_start`).
    pub(crate) start: String,
    /// The mark after it (`assertion.equals_diff_delta_end`).
    pub(crate) end: String,
}

impl DiffStyle {
    pub(crate) fn of(props: &Properties) -> Self {
        Self {
            section: props.number("assertion.equals_section_diff_len", 100).max(0) as usize,
            start: props.get("assertion.equals_diff_delta_start").unwrap_or_else(|| "[[[".into()),
            end: props.get("assertion.equals_diff_delta_end").unwrap_or_else(|| "]]]".into()),
        }
    }

    /// Both texts, each with the text before the difference, the difference, and the text after it.
    pub(crate) fn compare(&self, received: &str, comparison: &str) -> String {
        // JMeter counts and cuts UTF-16 units.
        let received: Vec<u16> = received.encode_utf16().collect();
        let comparison: Vec<u16> = comparison.encode_utf16().collect();
        let first = received.iter().zip(&comparison).take_while(|(a, b)| a == b).count();
        let mut received_end = received.len();
        let mut comparison_end = comparison.len();
        while received_end > first + 1
            && comparison_end > first + 1
            && received[received_end - 1] == comparison[comparison_end - 1]
        {
            received_end -= 1;
            comparison_end -= 1;
        }
        let before = self.last_of(&received[..first]);
        let behind = self.first_of(&received[received_end..]);
        let mut received = self.first_of(&received[first..received_end]);
        let mut comparison = self.first_of(&comparison[first..comparison_end]);
        let length = received.len().max(comparison.len());
        received.resize(length, u16::from(b' '));
        comparison.resize(length, u16::from(b' '));
        let line = |title: &str, delta: &[u16]| {
            let [before, delta, behind] = [&before, delta, &behind].map(String::from_utf16_lossy);
            format!("{title}{before}{}{delta}{}{behind}", self.start, self.end)
        };
        let received = line("****** received  : ", &received);
        let comparison = line("****** comparison: ", &comparison);
        format!("\n\n{received}\n\n{comparison}\n\n")
    }

    fn first_of(&self, text: &[u16]) -> Vec<u16> {
        if text.len() <= self.section { text.to_vec() } else { [&text[..self.section], &DOTS].concat() }
    }

    fn last_of(&self, text: &[u16]) -> Vec<u16> {
        if text.len() <= self.section {
            text.to_vec()
        } else {
            [&DOTS, &text[text.len() - self.section..]].concat()
        }
    }
}

const DOTS: [u16; 3] = [b'.' as u16; 3];
