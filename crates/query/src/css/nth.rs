//! Positions of the form `an+b`.

use std::num::IntErrorKind;

use super::CssError;

/// Every `step`-th position from `start`; positions count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nth {
    step: i32,
    start: i32,
}

impl Nth {
    pub(super) fn parse(text: &str) -> Result<Self, CssError> {
        let text: String = text.trim().to_ascii_lowercase();
        let unknown = || CssError::new(format!("Could not parse nth-index '{text}': unexpected format"));
        match &*text {
            "odd" => return Ok(Self { step: 2, start: 1 }),
            "even" => return Ok(Self { step: 2, start: 0 }),
            _ => {}
        }
        let number = |part: &str| {
            let digits = part.strip_prefix('+').unwrap_or(part);
            digits.parse::<i32>().map_err(|error| match error.kind() {
                // jsoup reads the digits with Java's `Integer.parseInt`.
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
                    CssError::new(format!("For input string: \"{digits}\""))
                }
                _ => unknown(),
            })
        };
        let Some((step, start)) = text.split_once('n') else {
            return Ok(Self { step: 0, start: number(&text)? });
        };
        let step = match step {
            // jsoup takes a lone sign for 1.
            "" | "+" | "-" => 1,
            digits => number(digits)?,
        };
        if start.contains(char::is_whitespace) {
            return Err(CssError::new(format!("For input string: \"{start}\"")));
        }
        let start = if start.is_empty() { 0 } else { number(start)? };
        Ok(Self { step, start })
    }

    /// Whether the element at this place is one of them. The sums wrap as in Java
    /// (`Evaluator.CssNthEvaluator.matches`).
    pub(super) fn has(self, place: i64) -> bool {
        // No document has as many elements.
        let place = i32::try_from(place).unwrap_or(i32::MAX);
        if self.step == 0 {
            return place == self.start;
        }
        let ahead = place.wrapping_sub(self.start);
        ahead.wrapping_mul(self.step) >= 0 && ahead.wrapping_rem(self.step) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        for (text, wanted) in [
            ("odd", "1 3 5"),
            ("even", "2 4 6"),
            ("3", "3"),
            ("2n+1", "1 3 5"),
            ("n+4", "4 5 6"),
            ("3n", "3 6"),
            ("-2n+4", "2 4"),
        ] {
            let nth = Nth::parse(text).expect("it is right");
            let places: Vec<_> =
                (1..7).filter(|&place| nth.has(place)).map(|place| place.to_string()).collect();
            assert_eq!(places.join(" "), wanted, "{text}");
        }
        Nth::parse("x").expect_err("no number");
        let nth = Nth::parse("-n+2").expect("it is right");
        assert!(nth.has(3) && !nth.has(1), "as jsoup 1.17 reads it");
    }

    #[test]
    fn numbers_at_the_ends_of_javas_int_do_not_overflow() {
        let far = Nth::parse("-n+-2147483648").expect("an int");
        assert!(!far.has(1), "the sum wraps in Java as well");
        let backwards = Nth::parse("-2147483648n+2147483647").expect("ints");
        assert!(!backwards.has(1) && backwards.has(i32::MAX.into()));
        for (text, digits) in [
            ("-n+-9223372036854775808", "-9223372036854775808"),
            ("2147483648", "2147483648"),
            ("99999999999n+1", "99999999999"),
        ] {
            let error = Nth::parse(text).expect_err("no int").to_string();
            assert!(error.contains(&format!("For input string: \"{digits}\"")), "{text}: {error}");
        }
    }
}
