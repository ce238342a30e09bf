//! Sketch of a load profile for a terminal.

use std::fmt::Write as _;

use crate::{Shape, ShapeUnit};

const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Levels of this many intervals of equal length: the mean of each, so that short parts are not
/// overlooked.
pub fn columns(shape: &Shape, count: usize) -> Vec<f64> {
    let width_s = shape.length_s() / count as f64;
    let sum = |place: usize| shape.sum(place as f64 * width_s);
    (0..count).map(|place| (sum(place + 1) - sum(place)) / width_s).collect()
}

/// One line of blocks.
pub fn spark(shape: &Shape, width: usize) -> String {
    let levels = columns(shape, width);
    let most = levels.iter().copied().fold(0.0, f64::max);
    let block =
        |level: &f64| EIGHTHS[if most > 0.0 { (level / most * 8.0).round() as usize } else { 0 }.min(8)];
    levels.iter().map(block).collect()
}

/// A picture of several lines, with levels at the left and times below.
pub fn picture(shape: &Shape, width: usize, height: usize) -> String {
    let levels = columns(shape, width);
    let most = levels.iter().copied().fold(shape.range().1, f64::max).max(f64::MIN_POSITIVE);
    let labels: Vec<_> =
        (0..height).map(|row| number(most * (height - row) as f64 / height as f64)).collect();
    let pad = labels.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (row, label) in labels.iter().enumerate() {
        let below = (height - row - 1) as f64;
        let cells = levels.iter().map(|level| {
            let eighths = (level / most * height as f64 - below) * 8.0;
            EIGHTHS[(eighths.round().max(0.0) as usize).min(8)]
        });
        let line: String = cells.collect();
        let _ = writeln!(text, "{label:>pad$} ┤{}", line.trim_end());
    }
    let _ = writeln!(text, "{:>pad$} └{}", 0, "─".repeat(width));
    let middle = time(shape.length_s() / 2.0);
    let end = time(shape.length_s());
    let half = width / 2;
    let _ = writeln!(
        text,
        "{:>pad$}  {:<half$}{middle:<rest$}{end}",
        "",
        0,
        rest = width - half - end.len().min(width - half)
    );
    text
}

/// A description: `10:00 long, 20 to 2,000 arrivals a second, 606,000 in all`.
pub fn words(shape: &Shape, unit: Option<ShapeUnit>) -> String {
    let (least, most) = shape.range();
    let of = match unit {
        Some(ShapeUnit::Users) => " users",
        Some(ShapeUnit::Rate) => " a second",
        None => "",
    };
    let levels = if least < most { format!("{} to {}", number(least), number(most)) } else { number(most) };
    let sum = match unit {
        Some(ShapeUnit::Users) => format!("mean {}", number(shape.mean())),
        _ => format!("{} in all", number(shape.total())),
    };
    format!("{} long, {levels}{of}, {sum}", time(shape.length_s()))
}

/// Three digits or a whole number, with commas.
pub fn number(value: f64) -> String {
    if value < 9.995 && value.fract().abs() > 1e-9 {
        return format!("{value:.2}");
    }
    if value < 99.95 && value.fract().abs() > 1e-9 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `2:03`, `1:02:03`, `7.5 s`.
pub fn time(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{} s", (seconds * 10.0).round() / 10.0);
    }
    let whole = seconds.round() as u64;
    let hours = whole / 3600;
    let minutes = whole / 60 % 60;
    let seconds = whole % 60;
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShapePart;

    #[test]
    fn a_ramp_looks_like_one() {
        let ramp = Shape::new([ShapePart::Line { from: 0.0, to: 400.0, length_s: 120.0 }], None);
        assert_eq!(spark(&ramp, 8), "▁▂▃▄▅▆▇█");
        let lines: Vec<_> = picture(&ramp, 8, 3).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].starts_with("400 ┤") && lines[0].ends_with('▇'), "{lines:?}");
        assert!(lines[4].contains("1:00") && lines[4].ends_with("2:00"), "{lines:?}");
        assert_eq!(words(&ramp, Some(ShapeUnit::Rate)), "2:00 long, 0 to 400 a second, 24,000 in all");
        assert_eq!(words(&ramp, Some(ShapeUnit::Users)), "2:00 long, 0 to 400 users, mean 200");
    }

    #[test]
    fn nothing_is_divided_by_nothing() {
        let none = Shape::new([ShapePart::Line { from: 0.0, to: 0.0, length_s: 5.0 }], None);
        assert_eq!(spark(&none, 4), "    ");
        assert_eq!(words(&none, None), "5 s long, 0, 0 in all");
        assert!(picture(&none, 20, 3).contains('└'));
        assert_eq!([0.5, 12.34, 1234.0, 1_234_567.0].map(number), ["0.50", "12.3", "1,234", "1,234,567"]);
    }
}
