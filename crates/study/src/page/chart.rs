//! Lines over a load, as SVG.

use super::{escaped, put};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 40.0;
/// Colours of the style sheet; further lines repeat them, dashed.
const COLOURS: usize = 8;

/// The classes of a line and the number of its colour.
fn looks(number: usize, computed: bool) -> (&'static str, usize) {
    let class = match (computed, number / COLOURS) {
        (true, _) => "curve computed",
        (false, 0) => "curve",
        (false, _) => "curve again",
    };
    (class, number % COLOURS)
}

/// One line: its name, and its points from left to right.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Places and values.
    pub points: Vec<(f64, f64)>,
    /// Places that are marked, with a word each.
    pub marks: Vec<(f64, String)>,
    /// It was not measured but computed: a line without dots.
    pub computed: bool,
}

/// A chart of lines.
#[derive(Clone, Debug)]
pub struct LineChart {
    /// Its title.
    pub title: String,
    /// What the places are.
    pub across: String,
    /// The positions of ticks, with their texts, from left to right.
    pub ticks: Vec<(f64, String)>,
    /// Unit of the values.
    pub unit: String,
    /// The lines.
    pub series: Vec<Series>,
    /// Values are shown by their logarithms: for those that span several powers of ten.
    pub logarithmic: bool,
}

struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    ticks: Vec<f64>,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, logarithmic: bool) -> Self {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let largest = values.iter().copied().fold(0.0, f64::max);
        let least = values.iter().copied().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        if logarithmic && least.is_finite() && largest > 0.0 {
            let from = least.log10().floor() as i32;
            let to = (largest.log10().ceil() as i32).max(least.log10().floor() as i32 + 1);
            let ticks = (from..=to).map(|power| 10_f64.powi(power)).collect();
            return Self { low: 10_f64.powi(from), high: 10_f64.powi(to), logarithmic, ticks };
        }
        let step = round_step(if largest > 0.0 { largest } else { 1.0 } / 5.0);
        let count = (largest / step).ceil().max(1.0);
        let ticks = (0..=count as u32).map(|tick| f64::from(tick) * step).collect();
        Self { low: 0.0, high: count * step, logarithmic: false, ticks }
    }

    /// 0 at the low end, 1 at the high one.
    fn place(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            value / self.high
        };
        part.clamp(0.0, 1.0)
    }
}

/// 1, 2 or 5 times a power of ten, not below `rough`.
fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| power * times >= rough * 0.999).unwrap_or(10.0)
}

impl LineChart {
    /// Title, legend and picture.
    pub(super) fn html(&self) -> String {
        let mut out = String::new();
        put!(out, "<h2>{}</h2>\n<div class=\"legend\">", escaped(&self.title));
        for (number, series) in self.series.iter().enumerate() {
            let (class, colour) = looks(number, series.computed);
            put!(
                out,
                "<span><i class=\"{class}\" style=\"border-color:var(--c{colour})\"></i>{}</span>",
                escaped(&series.name)
            );
        }
        put!(
            out,
            "</div>\n<div class=\"scroll\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
            escaped(&self.title)
        );
        let all = || self.series.iter().flat_map(|series| &series.points);
        let y = Axis::of(all().map(|(_, value)| *value), self.logarithmic);
        let places = || all().map(|(place, _)| *place).chain(self.ticks.iter().map(|(place, _)| *place));
        let from = places().fold(f64::INFINITY, f64::min).min(0.0);
        let to = places().fold(0.0, f64::max);
        let at_x =
            |place: f64| LEFT + (place - from) / (to - from).max(f64::MIN_POSITIVE) * (WIDTH - LEFT - RIGHT);
        let at_y = |value: f64| HEIGHT - BOTTOM - y.place(value) * (HEIGHT - TOP - BOTTOM);
        for tick in &y.ticks {
            let at = at_y(*tick);
            put!(
                out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>",
                WIDTH - RIGHT
            );
            put!(
                out,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{} {}</text>\n",
                LEFT - 8.0,
                at + 4.0,
                short(*tick),
                escaped(&self.unit)
            );
        }
        let mut last = f64::NEG_INFINITY;
        for (place, word) in &self.ticks {
            let at = at_x(*place);
            // Ticks that would overlap have no text.
            if at - last >= 9.0 + 7.0 * word.chars().count() as f64 {
                put!(
                    out,
                    "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                    HEIGHT - BOTTOM + 16.0,
                    escaped(word)
                );
                last = at;
            }
        }
        put!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
            WIDTH - RIGHT,
            HEIGHT - 6.0,
            escaped(&self.across)
        );
        for (number, series) in self.series.iter().enumerate() {
            self.line(series, number, &at_x, &at_y, &mut out);
        }
        out += "</svg></div>\n";
        out
    }

    fn line(
        &self,
        series: &Series,
        number: usize,
        at_x: &dyn Fn(f64) -> f64,
        at_y: &dyn Fn(f64) -> f64,
        out: &mut String,
    ) {
        let (class, colour) = looks(number, series.computed);
        let places: Vec<_> =
            series.points.iter().map(|(x, y)| format!("{:.1} {:.1}", at_x(*x), at_y(*y))).collect();
        if !places.is_empty() {
            put!(
                out,
                "<path class=\"{class}\" style=\"stroke:var(--c{colour})\" d=\"M{}\"/>\n",
                places.join("L")
            );
        }
        for (place, word) in &series.marks {
            let at = at_x(*place);
            put!(
                out,
                "<line class=\"mark\" style=\"stroke:var(--c{colour})\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{}\"><title>{}</title></line>\n",
                HEIGHT - BOTTOM,
                escaped(word)
            );
        }
        for (place, value) in series.points.iter().filter(|_| !series.computed) {
            let word = self
                .ticks
                .iter()
                .find(|(tick, _)| (tick - place).abs() < 1e-9)
                .map_or_else(|| short(*place), |(_, word)| word.clone());
            put!(
                out,
                "<circle class=\"dot\" style=\"fill:var(--c{colour})\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\">",
                at_x(*place),
                at_y(*value)
            );
            put!(
                out,
                "<title>{}\n{} {}: {} {}</title></circle>\n",
                escaped(&series.name),
                escaped(&self.across),
                escaped(&word),
                short(*value),
                escaped(&self.unit)
            );
        }
    }
}

/// A number in few characters.
fn short(value: f64) -> String {
    match value {
        v if v >= 100_000.0 => format!("{:.0}k", v / 1e3),
        v if v >= 100.0 => format!("{v:.0}"),
        v => {
            let text = format!("{v:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>, logarithmic: bool) -> String {
        let series = vec![Series { name: "<a>".to_owned(), points, ..Series::default() }];
        let ticks = [10.0, 20.0].map(|tick| (tick, format!("{tick}"))).to_vec();
        let title = "t".to_owned();
        let across = "users".to_owned();
        let unit = "ms".to_owned();
        LineChart { title, across, ticks, unit, series, logarithmic }.html()
    }

    #[test]
    fn lines_have_a_dot_a_point_that_says_its_figures() {
        let html = chart(vec![(10.0, 100.0), (20.0, 250.0)], false);
        assert_eq!(html.matches("<circle").count(), 2);
        assert!(html.contains("users 20: 250 ms") && html.contains("&lt;a&gt;"), "{html}");
        assert!(html.contains("d=\"M528.0 136.0L984.0 10.0\""), "{html}");
    }

    #[test]
    fn a_line_looks_like_no_other() {
        let looks: Vec<_> = (0..15).map(|number| looks(number, false)).collect();
        assert!(looks.iter().enumerate().all(|(at, one)| !looks[..at].contains(one)), "{looks:?}");
    }

    #[test]
    fn a_logarithmic_axis_has_powers_of_ten() {
        let axis = Axis::of([0.5, 80.0, 0.0].into_iter(), true);
        assert_eq!(
            (axis.ticks.clone(), axis.place(0.1), axis.place(100.0)),
            (vec![0.1, 1.0, 10.0, 100.0], 0.0, 1.0)
        );
        assert!((axis.place(1.0) - 1.0 / 3.0).abs() < 1e-9 && axis.place(0.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_no_fault() {
        assert!(chart(Vec::new(), false).contains("<svg") && chart(Vec::new(), true).contains("<svg"));
        assert!(!chart(vec![(10.0, 0.0)], true).contains("NaN"));
    }
}
