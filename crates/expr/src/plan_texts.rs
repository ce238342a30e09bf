//! Identifies the texts of a plan, so that state of a function call belongs to the text.

use std::collections::HashMap;

/// The texts of a plan, by their address in memory. In JMeter, a function belongs to the property
/// that contains it: one `${__counter(FALSE)}` in a Header Manager counts for every sampler in its
/// scope, in all thread groups. Here, such a text is compiled for each sampler, and may be copied
/// for each thread group; all copies have one number.
///
/// The texts must keep their addresses as long as there are compilers that know them.
#[derive(Debug, Default)]
pub struct PlanTexts {
    numbers: HashMap<usize, u64>,
}

impl PlanTexts {
    /// Gives a text its number.
    pub fn insert(&mut self, text: &str, number: u64) {
        // Empty texts have no address.
        if !text.is_empty() {
            self.numbers.insert(text.as_ptr().addr(), number);
        }
    }

    /// The number of a text, if it is one of the plan's and not a copy made for the moment.
    pub fn number(&self, text: &str) -> Option<u64> {
        if text.is_empty() { None } else { self.numbers.get(&text.as_ptr().addr()).copied() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_the_number_they_were_given_and_others_none() {
        let text = "${__counter(FALSE)}".to_owned();
        let copy = "${__counter(FALSE)}".to_owned();
        let mut texts = PlanTexts::default();
        texts.insert(&text, 7);
        texts.insert("", 8);
        assert_eq!((texts.number(&text), texts.number(&copy), texts.number("")), (Some(7), None, None));
        texts.insert(&copy, 7);
        assert_eq!(texts.number(&copy), Some(7));
    }
}
