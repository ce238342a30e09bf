//! `an+b`.

use super::CssError;

/// Every `step`-th, from `start` on; places count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nth {
    step: i64,
    start: i64,
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
        let number = |part: &str| part.strip_prefix('+').unwrap_or(part).parse::<i64>().ok();
        let Some((step, start)) = text.split_once('n') else {
            return Ok(Self { step: 0, start: number(&text).ok_or_else(unknown)? });
        };
        let step = match step {
            // jsoup takes a lone sign for 1.
            "" | "+" | "-" => 1,
            digits => number(digits).ok_or_else(unknown)?,
        };
        if start.contains(char::is_whitespace) {
            return Err(CssError::new(format!("For input string: \"{start}\"")));
        }
        let start = if start.is_empty() { 0 } else { number(start).ok_or_else(unknown)? };
        Ok(Self { step, start })
    }

    pub(super) fn has(self, place: i64) -> bool {
        if self.step == 0 {
            return place == self.start;
        }
        let ahead = place - self.start;
        ahead % self.step == 0 && ahead / self.step >= 0
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
}
