//! Charts as SVG.

use std::fmt::Write;

use super::scale::Scale;
use crate::number::duration;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 24.0;

/// A line that cannot fail: the target is a String.
macro_rules! put {
    ($out:expr, $($arguments:tt)*) => { write!($out, $($arguments)*).expect("a String takes it") };
}

/// A curve: name, class of its colour, one value a point, none where there is nothing to show.
pub(super) struct Curve {
    pub(super) name: &'static str,
    pub(super) class: &'static str,
    pub(super) values: Vec<Option<f64>>,
}

/// A chart of curves over time.
pub(super) struct TimeChart<'a> {
    pub(super) title: &'a str,
    /// Unit of the values, shown after them.
    pub(super) unit: &'a str,
    /// Seconds a point.
    pub(super) width_s: f64,
    pub(super) curves: Vec<Curve>,
    /// How values are written.
    pub(super) number: fn(f64) -> String,
}

impl TimeChart<'_> {
    pub(super) fn svg(&self) -> String {
        let points = self.curves.iter().map(|curve| curve.values.len()).max().unwrap_or(0);
        let largest = self
            .curves
            .iter()
            .flat_map(|curve| curve.values.iter().flatten())
            .fold(0.0_f64, |a, b| a.max(*b));
        let x = Scale::of_time(points as f64 * self.width_s, 10);
        let y = Scale::new(largest, 5);
        let mut out = String::new();
        put!(out, "<h2>{}</h2>\n<div class=\"legend\">", self.title);
        for curve in &self.curves {
            put!(out, "<span><i class=\"{}\"></i>{}</span>", curve.class, curve.name);
        }
        out.push_str("</div>\n");
        open(self.title, &mut out);
        y_axis(&y, self.number, self.unit, &mut out);
        for tick in x.ticks() {
            let label = if x.step < 60.0 && x.end < 60.0 { format!("{tick:.0} s") } else { clock(tick) };
            put!(
                out,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>\n",
                at_x(x.place(tick)),
                HEIGHT - 6.0
            );
        }
        for curve in &self.curves {
            put!(
                out,
                "<path class=\"curve {}\" d=\"{}\"/>\n",
                curve.class,
                path(curve, self.width_s, &x, &y)
            );
            lone_points(curve, self.width_s, &x, &y, &mut out);
        }
        self.hovers(points, &x, &mut out);
        out.push_str("</svg>\n");
        out
    }

    /// A strip over each point that says its values.
    fn hovers(&self, points: usize, x: &Scale, out: &mut String) {
        for point in 0..points {
            let from_s = point as f64 * self.width_s;
            let left = at_x(x.place(from_s));
            let right = at_x(x.place(from_s + self.width_s));
            let values = self.curves.iter().filter_map(|curve| {
                let value = (*curve.values.get(point)?)?;
                Some(format!("{} {} {}", curve.name, (self.number)(value), self.unit))
            });
            let text = values.collect::<Vec<_>>().join("\n");
            put!(
                out,
                "<rect class=\"hover\" x=\"{left:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{}\"><title>{}\n{text}</title></rect>\n",
                right - left,
                HEIGHT - TOP - BOTTOM,
                duration(from_s)
            );
        }
    }
}

/// Bars on a logarithmic axis of milliseconds: share of the samples in each, with marks at quantiles.
pub(super) struct Distribution<'a> {
    pub(super) title: &'a str,
    /// Lower end, upper end in milliseconds, share of the samples in percent.
    pub(super) bars: Vec<(f64, f64, f64)>,
    /// Name and place in milliseconds.
    pub(super) marks: Vec<(&'static str, f64)>,
}

impl Distribution<'_> {
    pub(super) fn svg(&self) -> String {
        let mut out = String::new();
        put!(out, "<h2>{}</h2>\n", self.title);
        let (Some(first), Some(last)) = (self.bars.first(), self.bars.last()) else {
            out.push_str("<p class=\"soft\">no samples</p>\n");
            return out;
        };
        let low = first.0.ln();
        let high = last.1.ln();
        let place = |ms: f64| at_x(((ms.ln() - low) / (high - low)).clamp(0.0, 1.0));
        let y = Scale::new(self.bars.iter().fold(0.0, |most, bar| most.max(bar.2)), 5);
        open(self.title, &mut out);
        y_axis(&y, |value| format!("{}", (value * 1000.0).round() / 1000.0), "%", &mut out);
        for (from, to, share) in &self.bars {
            let left = place(*from);
            let right = place(*to);
            let top = at_y(y.place(*share));
            let width = (right - left - 1.0).max(0.5);
            let height = HEIGHT - BOTTOM - top;
            put!(
                out,
                "<rect class=\"bar\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">"
            );
            put!(out, "<title>{} to {} ms: {share:.2} %</title></rect>\n", short_ms(*from), short_ms(*to));
        }
        for tick in log_ticks(first.0, last.1) {
            put!(
                out,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{} ms</text>\n",
                place(tick),
                HEIGHT - 6.0,
                short_ms(tick)
            );
        }
        for (number, (name, ms)) in self.marks.iter().enumerate() {
            let at = place(*ms);
            let text_y = TOP + 10.0 + 13.0 * number as f64;
            put!(
                out,
                "<line class=\"mark\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{}\"/>",
                HEIGHT - BOTTOM
            );
            let (x, anchor) = if at > WIDTH * 0.9 { (at - 4.0, "end") } else { (at + 4.0, "start") };
            put!(out, "<text x=\"{x:.1}\" y=\"{text_y}\" text-anchor=\"{anchor}\">{name}</text>\n");
        }
        out.push_str("</svg>\n");
        out
    }
}

fn open(title: &str, out: &mut String) {
    put!(out, "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n");
}

fn y_axis(y: &Scale, number: fn(f64) -> String, unit: &str, out: &mut String) {
    for tick in y.ticks() {
        let at = at_y(y.place(tick));
        put!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>",
            WIDTH - RIGHT
        );
        let value = if tick == 0.0 { "0".to_owned() } else { trimmed(&number(tick)) };
        put!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value} {unit}</text>\n",
            LEFT - 8.0,
            at + 4.0
        );
    }
}

/// The curve from middle to middle of its points; after a gap a new curve starts.
fn path(curve: &Curve, width_s: f64, x: &Scale, y: &Scale) -> String {
    let mut out = String::new();
    let mut command = 'M';
    for (point, value) in curve.values.iter().enumerate() {
        match value {
            Some(value) => {
                put!(
                    out,
                    "{command}{:.1} {:.1}",
                    at_x(x.place((point as f64 + 0.5) * width_s)),
                    at_y(y.place(*value))
                );
                command = 'L';
            }
            None => command = 'M',
        }
    }
    out
}

/// A point between two gaps would have no line.
fn lone_points(curve: &Curve, width_s: f64, x: &Scale, y: &Scale, out: &mut String) {
    let there = |point: usize| curve.values.get(point).copied().flatten();
    for (point, value) in curve.values.iter().enumerate() {
        let alone = (point == 0 || there(point - 1).is_none()) && there(point + 1).is_none();
        if let (Some(value), true) = (value, alone) {
            let cx = at_x(x.place((point as f64 + 0.5) * width_s));
            let cy = at_y(y.place(*value));
            put!(out, "<circle class=\"dot {}\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"2\"/>\n", curve.class);
        }
    }
}

fn at_x(place: f64) -> f64 {
    LEFT + place * (WIDTH - LEFT - RIGHT)
}

fn at_y(place: f64) -> f64 {
    HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM)
}

fn clock(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    if whole < 60 { format!("0:{whole:02}") } else { duration(seconds) }
}

/// 1, 2 and 5 times powers of ten within the ends.
fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let all: Vec<f64> =
        powers.flat_map(|power| [1.0, 2.0, 5.0].map(|times| times * 10_f64.powi(power))).collect();
    let within: Vec<f64> = all.into_iter().filter(|tick| (low * 1.02..=high * 0.98).contains(tick)).collect();
    if within.len() <= 12 {
        within
    } else {
        within.into_iter().filter(|tick| tick.log10().fract().abs() < 1e-9).collect()
    }
}

fn short_ms(ms: f64) -> String {
    if ms >= 100.0 { format!("{ms:.0}") } else { trimmed(&format!("{ms:.3}")) }
}

/// Without zeros after the point.
fn trimmed(number: &str) -> String {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        number.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_breaks_the_curve_and_a_lone_point_is_a_dot() {
        let values = vec![Some(1.0), Some(2.0), None, Some(1.0), None];
        let curve = Curve { name: "p50", class: "a", values };
        let chart = TimeChart {
            title: "t",
            unit: "ms",
            width_s: 1.0,
            curves: vec![curve],
            number: crate::number::ms,
        };
        let svg = chart.svg();
        assert!(svg.contains("d=\"M156.4 102.0L341.2 8.0M710.8 102.0\""), "{svg}");
        assert_eq!((svg.matches("<circle").count(), svg.matches("<rect").count()), (1, 5));
        assert!(svg.contains("<title>0:01.0\np50 2.00 ms</title>"));
    }

    #[test]
    fn bars_and_marks_of_a_distribution() {
        let chart = Distribution {
            title: "d",
            bars: vec![(1.0, 10.0, 75.0), (10.0, 100.0, 25.0)],
            marks: vec![("p50", 10.0)],
        };
        let svg = chart.svg();
        assert!(svg.contains("<title>1 to 10 ms: 75.00 %</title>") && svg.contains(">20 ms</text>"), "{svg}");
        assert!(svg.contains("<line class=\"mark\" x1=\"526.0\""), "{svg}");
        assert!(
            Distribution { title: "d", bars: Vec::new(), marks: Vec::new() }.svg().contains("no samples")
        );
    }

    #[test]
    fn ticks_of_a_logarithmic_axis() {
        assert_eq!(log_ticks(0.9, 21.0), [1.0, 2.0, 5.0, 10.0, 20.0]);
        assert!(log_ticks(0.001, 1e6).len() <= 10);
    }
}
