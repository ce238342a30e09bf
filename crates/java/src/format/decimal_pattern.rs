//! Patterns of `DecimalFormat` (`applyPattern` of the JDK).

/// The contents of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) positive: Affixes,
    pub(super) negative: Option<Affixes>,
    pub(super) min_integer: usize,
    pub(super) min_fraction: usize,
    pub(super) max_fraction: usize,
    pub(super) group: Option<usize>,
    /// 1, 100 for `%`, 1000 for `‰`.
    pub(super) multiplier: i64,
    pub(super) point_always: bool,
}

/// The text before and after the number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Affixes {
    pub(super) prefix: String,
    pub(super) suffix: String,
}

/// The digits of a pattern as they are counted.
#[derive(Default)]
struct Digits {
    left: usize,
    zeros: usize,
    right: usize,
    group: Option<usize>,
    point: Option<usize>,
}

struct Reader<'p> {
    rest: std::iter::Peekable<std::str::Chars<'p>>,
    pattern: &'p str,
    multiplier: i64,
}

/// Parses a pattern; the error is Java's in spirit.
pub(super) fn parse(pattern: &str) -> Result<Pattern, String> {
    let mut reader = Reader { rest: pattern.chars().peekable(), pattern, multiplier: 1 };
    if pattern.is_empty() {
        // No pattern shows all digits, in groups.
        return Ok(Pattern { multiplier: 1, max_fraction: usize::MAX, group: Some(3), ..Pattern::default() });
    }
    let mut digits = Digits::default();
    let positive = reader.half(&mut digits, true)?;
    let multiplier = reader.multiplier;
    let mut negative = None;
    if reader.rest.next().is_some() {
        reader.multiplier = 1;
        negative = Some(reader.half(&mut Digits::default(), false)?);
    }
    digits.finish(pattern, Pattern { positive, negative, multiplier, ..Pattern::default() })
}

impl Reader<'_> {
    /// Prefix, number and suffix, up to the end or a `;`, which is left.
    fn half(&mut self, digits: &mut Digits, first: bool) -> Result<Affixes, String> {
        let mut affixes = Affixes::default();
        let mut seen_digits = false;
        let mut quoted = false;
        while let Some(c) = self.rest.peek().copied() {
            if !quoted && matches!(c, '#' | '0' | ',' | '.') {
                self.number(digits)?;
                seen_digits = true;
                continue;
            }
            if !quoted && c == ';' {
                if !first || !seen_digits {
                    return Err(self.malformed());
                }
                return Ok(affixes);
            }
            self.rest.next();
            let affix = if seen_digits { &mut affixes.suffix } else { &mut affixes.prefix };
            match c {
                '\'' if self.rest.next_if_eq(&'\'').is_some() => affix.push('\''),
                '\'' => quoted = !quoted,
                '%' | '‰' if !quoted => {
                    affix.push(c);
                    if self.multiplier != 1 {
                        return Err(format!(
                            "Too many percent/per mille characters in pattern \"{}\"",
                            self.pattern
                        ));
                    }
                    self.multiplier = if c == '%' { 100 } else { 1000 };
                }
                '¤' if !quoted => return Err("currencies are not supported".to_owned()),
                c => affix.push(c),
            }
        }
        if quoted { Err(self.malformed()) } else { Ok(affixes) }
    }

    fn number(&mut self, digits: &mut Digits) -> Result<(), String> {
        while let Some(c) = self.rest.next_if(|c| matches!(c, '#' | '0' | ',' | '.' | 'E')) {
            match c {
                '#' if digits.zeros > 0 => digits.right += 1,
                '#' => digits.left += 1,
                '0' if digits.right > 0 => {
                    return Err(format!("Unexpected '0' in pattern \"{}\"", self.pattern));
                }
                '0' => digits.zeros += 1,
                ',' => digits.group = Some(0),
                '.' if digits.point.is_some() => {
                    return Err(format!("Multiple decimal separators in pattern \"{}\"", self.pattern));
                }
                '.' => digits.point = Some(digits.total()),
                _ => return Err("exponents are not supported".to_owned()),
            }
            if matches!(c, '#' | '0') && digits.point.is_none() {
                digits.group = digits.group.map(|count| count + 1);
            }
        }
        Ok(())
    }

    fn malformed(&self) -> String {
        format!("Malformed pattern \"{}\"", self.pattern)
    }
}

impl Digits {
    fn total(&self) -> usize {
        self.left + self.zeros + self.right
    }

    fn finish(mut self, source: &str, mut pattern: Pattern) -> Result<Pattern, String> {
        if let (0, 1.., Some(point)) = (self.zeros, self.left, self.point) {
            // `#.##` and `.##`: one digit before the point is possible, none is needed.
            let integer = point.max(1);
            self.right = self.left - integer;
            self.left = integer - 1;
            self.zeros = 1;
        }
        let misplaced = match self.point {
            Some(point) => point < self.left || point > self.left + self.zeros,
            None => self.right > 0,
        };
        if misplaced || self.group == Some(0) {
            return Err(format!("Malformed pattern \"{source}\""));
        }
        let total = self.total();
        pattern.min_integer = self.point.unwrap_or(total) - self.left;
        if let Some(point) = self.point {
            pattern.max_fraction = total - point;
            pattern.min_fraction = self.left + self.zeros - point;
            pattern.point_always = point == 0 || point == total;
        }
        pattern.group = self.group;
        Ok(pattern)
    }
}
