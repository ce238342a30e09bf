//! `java.text.DecimalFormat` for whole numbers, with the symbols of the English locale.

/// A parsed pattern. Affixes and digits are as `DecimalFormat.applyPattern` reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DecimalFormat {
    prefix: String,
    suffix: String,
    negative: Option<(String, String)>,
    multiplier: i128,
    least_integer: usize,
    most_integer: usize,
    least_fraction: usize,
    most_fraction: usize,
    group: usize,
    point_always: bool,
    exponent: Option<usize>,
}

/// What the digits part of a pattern says while it is read.
#[derive(Default)]
struct Digits {
    left: usize,
    zero: usize,
    right: usize,
    group: Option<usize>,
    point: Option<usize>,
    exponent: Option<usize>,
}

struct Parser<'p> {
    chars: std::iter::Peekable<std::str::Chars<'p>>,
    multiplier: i128,
}

impl DecimalFormat {
    /// Parses a pattern; none where Java throws `IllegalArgumentException`.
    pub(crate) fn new(pattern: &str) -> Option<Self> {
        let mut parser = Parser { chars: pattern.chars().peekable(), multiplier: 1 };
        let (prefix, suffix, digits, more) = parser.positive()?;
        let negative = if more { Some(parser.negative()?) } else { None };
        let negative = negative.filter(|(p, s)| (p, s) != (&prefix, &suffix));
        let format = Self { prefix, suffix, negative, multiplier: parser.multiplier, ..Self::default() };
        digits.apply(format)
    }

    /// The number as text.
    pub(crate) fn format(&self, number: i64) -> String {
        let number = i128::from(number) * self.multiplier;
        let body = self.digits(number.unsigned_abs());
        match (&self.negative, number < 0) {
            (_, false) => format!("{}{body}{}", self.prefix, self.suffix),
            (Some((prefix, suffix)), true) => format!("{prefix}{body}{suffix}"),
            (None, true) => format!("-{}{body}{}", self.prefix, self.suffix),
        }
    }

    fn digits(&self, number: u128) -> String {
        if let Some(least) = self.exponent {
            return self.scientific(number, least);
        }
        let digits = if number == 0 { String::new() } else { number.to_string() };
        let mut whole = "0".repeat(self.least_integer.saturating_sub(digits.len())) + &digits;
        if whole.is_empty() && self.least_fraction == 0 {
            whole.push('0');
        }
        let mut out = String::with_capacity(whole.len() * 2);
        for (i, digit) in whole.chars().enumerate() {
            if i > 0 && self.group > 0 && (whole.len() - i).is_multiple_of(self.group) {
                out.push(',');
            }
            out.push(digit);
        }
        if self.point_always || self.least_fraction > 0 {
            out.push('.');
        }
        out + &"0".repeat(self.least_fraction)
    }

    /// `DecimalFormat.subformat` with exponential notation.
    fn scientific(&self, number: u128, least_exponent: usize) -> String {
        let (digits, point) = significant(number, self.most_integer + self.most_fraction);
        let (mut exponent, mut least_integer) = (point, self.least_integer as i64);
        let repeat = self.most_integer as i64;
        if repeat > 1 && repeat > least_integer {
            exponent =
                if point >= 1 { (point - 1) / repeat * repeat } else { (point - repeat) / repeat * repeat };
            least_integer = 1;
        } else {
            exponent -= least_integer;
        }
        let integer_digits = if digits.is_empty() { least_integer } else { point - exponent }.max(0) as usize;
        let total = digits.len().max(integer_digits).max(self.least_integer + self.least_fraction);
        let mut out = String::new();
        for i in 0..total {
            if i == integer_digits {
                out.push('.');
            }
            out.push(digits.get(i).map_or('0', |digit| char::from(*digit)));
        }
        if self.point_always && total == integer_digits {
            out.push('.');
        }
        let exponent = if digits.is_empty() { 0 } else { exponent };
        out.push('E');
        if exponent < 0 {
            out.push('-');
        }
        let exponent = exponent.unsigned_abs().to_string();
        out + &"0".repeat(least_exponent.saturating_sub(exponent.len())) + &exponent
    }
}

/// The first digits of a number, rounded half to even, without zeros at the end, and the place of the decimal point.
fn significant(number: u128, most: usize) -> (Vec<u8>, i64) {
    if number == 0 {
        return (Vec::new(), 0);
    }
    let mut digits = number.to_string().into_bytes();
    let mut point = digits.len() as i64;
    if most > 0 && digits.len() > most {
        let rest = digits.split_off(most);
        let is_half = rest[0] == b'5' && rest[1..].iter().all(|d| *d == b'0');
        let odd = digits.last().is_some_and(|d| (d - b'0') % 2 == 1);
        if (is_half && odd) || (!is_half && rest[0] >= b'5') {
            let full = digits.iter().rposition(|d| *d != b'9');
            if let Some(at) = full {
                digits[at] += 1;
                digits.truncate(at + 1);
            } else {
                digits = vec![b'1'];
                point += 1;
            }
        }
    }
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    (digits, point)
}

impl Digits {
    fn apply(mut self, format: DecimalFormat) -> Option<DecimalFormat> {
        if self.zero == 0 && self.left > 0 && self.point.is_some() {
            let n = self.point.unwrap_or_default().max(1);
            self.right = self.left - n;
            self.left = n - 1;
            self.zero = 1;
        }
        let misplaced = match self.point {
            Some(point) => point < self.left || point > self.left + self.zero,
            None => self.right > 0,
        };
        if misplaced || self.group == Some(0) {
            return None;
        }
        let total = self.left + self.zero + self.right;
        let point = self.point.unwrap_or(total);
        let least_integer = point - self.left;
        Some(DecimalFormat {
            least_integer,
            most_integer: self.left + least_integer,
            least_fraction: self.point.map_or(0, |at| self.left + self.zero - at),
            most_fraction: total - point,
            group: self.group.unwrap_or(0),
            point_always: self.point.is_some_and(|at| at == 0 || at == total),
            exponent: self.exponent,
            ..format
        })
    }

    /// Takes one character of the digits part; false if it ends here, none if it is wrong.
    fn take(&mut self, c: char) -> Option<bool> {
        match c {
            '#' if self.zero > 0 => self.right += 1,
            '#' => self.left += 1,
            '0' if self.right > 0 => return None,
            '0' => self.zero += 1,
            ',' => self.group = Some(0),
            '.' if self.point.is_some() => return None,
            '.' => self.point = Some(self.left + self.zero + self.right),
            _ => return Some(false),
        }
        if let (Some(group), '#' | '0', None) = (&mut self.group, c, self.point) {
            *group += 1;
        }
        Some(true)
    }
}

impl Parser<'_> {
    /// The positive part: prefix, suffix, digits, and whether a negative part follows.
    fn positive(&mut self) -> Option<(String, String, Digits, bool)> {
        let mut digits = Digits::default();
        let mut affixes = [String::new(), String::new()];
        let mut which = 0;
        loop {
            match self.affix(&mut affixes[which])? {
                End::Pattern => break,
                End::Separator if which == 0 => return None,
                End::Separator => {
                    let [prefix, suffix] = affixes;
                    return Some((prefix, suffix, digits, true));
                }
                End::Digit => {
                    self.digits(&mut digits)?;
                    which = 1;
                }
            }
        }
        let [prefix, suffix] = affixes;
        Some((prefix, suffix, digits, false))
    }

    fn digits(&mut self, digits: &mut Digits) -> Option<()> {
        while let Some(&c) = self.chars.peek() {
            if c == 'E' && digits.exponent.is_none() {
                self.chars.next();
                let mut least = 0;
                while self.chars.next_if_eq(&'0').is_some() {
                    least += 1;
                }
                digits.exponent = Some(least);
                return (least > 0 && digits.left + digits.zero > 0).then_some(());
            }
            if !digits.take(c)? {
                break;
            }
            self.chars.next();
        }
        Some(())
    }

    /// The negative part: only its affixes count.
    fn negative(&mut self) -> Option<(String, String)> {
        let multiplier = std::mem::replace(&mut self.multiplier, 1);
        let mut affixes = [String::new(), String::new()];
        let mut which = 0;
        while let End::Digit = self.affix(&mut affixes[which])? {
            while self.chars.next_if(|c| "#0,.E".contains(*c)).is_some() {}
            which = 1;
        }
        self.multiplier = multiplier;
        let [prefix, suffix] = affixes;
        Some((prefix, suffix))
    }

    /// Text before or behind the digits, up to what ends it.
    fn affix(&mut self, out: &mut String) -> Option<End> {
        while let Some(&c) = self.chars.peek() {
            match c {
                '#' | '0' | ',' | '.' => return Some(End::Digit),
                _ => self.chars.next(),
            };
            match c {
                ';' => return Some(End::Separator),
                '\'' => self.quoted(out)?,
                '%' | '\u{2030}' if self.multiplier != 1 => return None,
                '%' => self.multiplier = 100,
                '\u{2030}' => self.multiplier = 1000,
                _ => {}
            }
            match c {
                '\'' => {}
                '\u{A4}' => out.push('$'),
                c => out.push(c),
            }
        }
        Some(End::Pattern)
    }

    fn quoted(&mut self, out: &mut String) -> Option<()> {
        if self.chars.next_if_eq(&'\'').is_some() {
            out.push('\'');
            return Some(());
        }
        loop {
            match self.chars.next()? {
                '\'' if self.chars.next_if_eq(&'\'').is_some() => out.push('\''),
                '\'' => return Some(()),
                c => out.push(c),
            }
        }
    }
}

/// What ends an affix.
enum End {
    Digit,
    Separator,
    Pattern,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by OpenJDK 17 with the locale en-US.
    #[test]
    fn whole_numbers_are_written_as_the_java_library_writes_them() {
        #[rustfmt::skip]
        let facts: &[(&str, i64, Option<&str>)] = &[
            ("0", 5, Some("5")),
            ("000", 5, Some("005")),
            ("000.00", 10, Some("010.00")),
            ("#", 0, Some("0")),
            ("#,##0", 1_234_567, Some("1,234,567")),
            ("#,##0.00", -1234, Some("-1,234.00")),
            ("00,00", 12345, Some("1,23,45")),
            ("'id'-000", 7, Some("id-007")),
            ("user000", 7, Some("user007")),
            ("user_0000", 12, Some("user_0012")),
            ("###.##", 12, Some("12")),
            ("#.", 12, Some("12.")),
            (".00", 12, Some("12.00")),
            ("0%", 12, Some("1200%")),
            ("0‰", 2, Some("2000‰")),
            ("0;(0)", -5, Some("(5)")),
            ("0;0-", -5, Some("5-")),
            ("0.###E0", 12345, Some("1.234E4")),
            ("00E0", 12345, Some("12E3")),
            ("##0.##E0", 12345, Some("12.345E3")),
            ("'#'0", 5, Some("#5")),
            ("0''x", 5, Some("5'x")),
            ("x''", 5, Some("x'5")),
            ("0.0.0", 5, None),
            ("0#", 5, None),
            ("", 5, Some("5")),
            ("abc", 5, Some("abc5")),
            ("¤0", 5, Some("$5")),
            ("-0", 5, Some("-5")),
            ("-0", -5, Some("--5")),
            ("000000000000000000000000", i64::MIN, Some("-000009223372036854775808")),
            ("0", 0, Some("0")),
            ("#,###,##0", 1_234_567, Some("1,234,567")),
            ("#,#,##0", 1_234_567, Some("1,234,567")),
            ("#,", 5, None),
            ("0,", 5, None),
            ("#.#", 5, Some("5")),
            ("0;", 5, Some("5")),
            ("0;", -5, Some("-5")),
            (";0", 5, None),
            ("00.##00", 5, None),
            ("0 EUR", 5, Some("5 EUR")),
            ("0E", 5, None),
            ("%0", 5, Some("%500")),
            ("#'", 5, None),
            ("''", 5, Some("'5")),
            ("'a", 5, None),
            ("{0}", 5, Some("{5}")),
            ("00000X", 5, Some("00005X")),
            ("0X0", 5, Some("05X")),
            ("+0", 5, Some("+5")),
            ("a;b", -5, None),
            ("0.00;0", -5, Some("-5.00")),
            ("%05d", 5, Some("%5005d")),
            ("#0,000", 5, Some("0,005")),
            ("0%%", 5, None),
        ];
        for (pattern, number, wanted) in facts {
            let found = DecimalFormat::new(pattern).map(|format| format.format(*number));
            assert_eq!(found.as_deref(), *wanted, "pattern {pattern:?}, number {number}");
        }
    }
}
