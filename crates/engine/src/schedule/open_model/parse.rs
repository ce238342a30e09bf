//! The grammar of schedules (`scheduleParser.kt`): `rate(10/s) random_arrivals(2 min) pause(30 s)
//! ...`.

use super::tokens::{Token, TokenPosition, tokens};

/// How users arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    Even,
    Random,
}

/// A step of a schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// From here on, this number a second.
    Rate(f64),
    /// Arrivals over this number of seconds.
    Arrivals(Arrival, f64),
}

const STEPS: &str = "`rate(10/s)`, `random_arrivals(2 min)`, `even_arrivals(2 min)` or `pause(30 s)`";
const UNITS: &str = "ms, s, min, h or d";

/// Seconds of an hour.
const HOUR_S: f64 = 3600.0;

/// Reads a schedule. A number alone means that many users within a second, which have an hour for
/// what they do.
pub(super) fn schedule(text: &str) -> Result<Vec<Step>, String> {
    if let Ok(users) = text.parse::<i32>() {
        let rate = Step::Rate(f64::from(users));
        let arrivals = |length_s| Step::Arrivals(Arrival::Even, length_s);
        return Ok(vec![rate, arrivals(1.0), rate, Step::Rate(0.0), arrivals(HOUR_S)]);
    }
    let tokens = tokens(text).map_err(|at| complaint(text, at, STEPS))?;
    let mut parser = Parser { text, tokens, place: 0, per_second: 0.0, steps: Vec::new() };
    while parser.place < parser.tokens.len() {
        parser.step()?;
    }
    Ok(parser.steps)
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<TokenPosition<'t>>,
    place: usize,
    /// The rate that was set last.
    per_second: f64,
    steps: Vec<Step>,
}

impl<'t> Parser<'t> {
    fn token(&self) -> Option<Token<'t>> {
        self.tokens.get(self.place).map(|placed| placed.token)
    }

    fn wrong<T>(&self, wanted: &str) -> Result<T, String> {
        let at = self.tokens.get(self.place).map_or(self.text.len(), |placed| placed.at);
        Err(complaint(self.text, at, wanted))
    }

    fn take(&mut self, wanted: Token<'_>, named: &str) -> Result<(), String> {
        if self.token() != Some(wanted) {
            return self.wrong(named);
        }
        self.place += 1;
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        let Some(Token::Word(word)) = self.token() else { return self.wrong(STEPS) };
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        let known = ["rate", "random_arrivals", "even_arrivals", "pause"].into_iter().find(|name| is(name));
        let Some(known) = known else { return self.wrong(STEPS) };
        self.place += 1;
        self.take(Token::Open, "`(`")?;
        match known {
            "rate" => {
                self.per_second = self.rate()?;
                self.steps.push(Step::Rate(self.per_second));
            }
            "pause" => {
                let length_s = self.length()?;
                self.pause(length_s);
            }
            "even_arrivals" => {
                let length_s = self.length()?;
                self.steps.push(Step::Arrivals(Arrival::Even, length_s));
            }
            _ => {
                let length_s = self.length()?;
                self.steps.push(Step::Arrivals(Arrival::Random, length_s));
            }
        }
        self.take(Token::Close, "`)`")
    }

    /// No arrivals; the rate is then the previous one.
    fn pause(&mut self, length_s: f64) {
        let rate = Step::Rate(self.per_second);
        let zero = Step::Rate(0.0);
        let nobody = Step::Arrivals(Arrival::Even, length_s);
        if self.per_second == 0.0 {
            self.steps.extend([nobody, rate]);
        } else {
            self.steps.extend([rate, zero, nobody, zero, rate]);
        }
    }

    /// `10/s`, `10 per min`, or 0.
    fn rate(&mut self) -> Result<f64, String> {
        let number = self.number("a number, as in `rate(10/s)`")?;
        if number == 0.0 && self.token() == Some(Token::Close) {
            return Ok(0.0);
        }
        match self.token() {
            Some(Token::Per) => {}
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("per") => {}
            _ => return self.wrong("`/` and a unit, as in `rate(10/s)`"),
        }
        self.place += 1;
        Ok(number / self.unit()?)
    }

    /// `1 min 30 s`, or 0, in seconds.
    fn length(&mut self) -> Result<f64, String> {
        let mut total_s = 0.0;
        loop {
            let number = self.number("a number, as in `2 min 30 s`")?;
            if number == 0.0 && self.token() == Some(Token::Close) {
                return Ok(total_s);
            }
            total_s += number * self.unit()?;
            if !matches!(self.token(), Some(Token::Number(_))) {
                return Ok(total_s);
            }
        }
    }

    fn number(&mut self, wanted: &str) -> Result<f64, String> {
        let Some(Token::Number(digits)) = self.token() else { return self.wrong(wanted) };
        let Ok(number) = digits.parse() else { return self.wrong(wanted) };
        self.place += 1;
        Ok(number)
    }

    /// Seconds of a unit.
    fn unit(&mut self) -> Result<f64, String> {
        let Some(Token::Word(word)) = self.token() else { return self.wrong(UNITS) };
        let word = word.to_ascii_lowercase();
        let starts = |start: &str| word.starts_with(start);
        let seconds = match word.as_str() {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => HOUR_S,
            "d" => 24.0 * HOUR_S,
            _ if starts("sec") => 1.0,
            _ if starts("min") => 60.0,
            _ if starts("hour") => HOUR_S,
            _ if starts("day") => 24.0 * HOUR_S,
            _ => return self.wrong(UNITS),
        };
        self.place += 1;
        Ok(seconds)
    }
}

/// Describes the unexpected token.
fn complaint(text: &str, at: usize, wanted: &str) -> String {
    let found: String = text[at..].chars().take(20).collect();
    let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
    format!(
        "in the schedule at character {}: found {found}, expected {wanted}",
        text[..at].chars().count() + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_with_all_units() {
        let even = |length_s| Step::Arrivals(Arrival::Even, length_s);
        let random = |length_s| Step::Arrivals(Arrival::Random, length_s);
        let table: &[(&str, &[Step])] = &[
            ("", &[]),
            (" // nothing", &[]),
            ("rate(0)", &[Step::Rate(0.0)]),
            (
                "rate(1 per sec) RATE(60/minutes) Rate(7200/h)",
                &[Step::Rate(1.0), Step::Rate(1.0), Step::Rate(2.0)],
            ),
            ("rate(1/ms) rate(86400/days)", &[Step::Rate(1000.0), Step::Rate(1.0)]),
            ("random_arrivals(1 min 30 s) even_arrivals(500ms)", &[random(90.0), even(0.5)]),
            ("even_arrivals(0) even_arrivals(1 d 1 hour 1 m 1 second)", &[even(0.0), even(90_061.0)]),
            ("pause(5 s)", &[even(5.0), Step::Rate(0.0)]),
            (
                "rate(2/s)/* c */pause(5 s)",
                &[
                    Step::Rate(2.0),
                    Step::Rate(2.0),
                    Step::Rate(0.0),
                    even(5.0),
                    Step::Rate(0.0),
                    Step::Rate(2.0),
                ],
            ),
        ];
        for (text, steps) in table {
            assert_eq!(schedule(text).as_deref(), Ok(*steps), "{text}");
        }
        assert_eq!(schedule("7").map(|steps| steps.len()), Ok(5));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let table = [
            ("rte(1/s)", 1, "`rate(10/s)`"),
            ("rate 1/s", 6, "`(`"),
            ("rate(1)", 7, "`/`"),
            ("rate(/s)", 6, "a number"),
            ("rate(1/x)", 8, "ms, s, min, h or d"),
            ("rate(1/s", 9, "`)`"),
            ("even_arrivals(5)", 16, "ms, s, min, h or d"),
            ("rate(1/s) ; pause(1 s)", 11, "`pause(30 s)`"),
            ("pause(-1 s)", 7, "`pause(30 s)`"),
            ("1.5", 1, "`rate(10/s)`"),
            ("${schedule}", 1, "`rate(10/s)`"),
            ("/* ü */ x(", 9, "`rate(10/s)`"),
        ];
        for (text, place, wanted) in table {
            let message = schedule(text).unwrap_err();
            assert!(
                message.contains(&format!("character {place}:")) && message.contains(wanted),
                "{text}: {message}"
            );
        }
    }
}
