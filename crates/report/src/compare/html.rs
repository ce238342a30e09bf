//! A page without scripts that opens from disk.

use std::fmt::Write;

use swell_stats::compare::{Comparison, LabelComparison, Options};

use super::{Compared, detection, figure, headline, name, relative, word};
use crate::plain::plain;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem;color-scheme:light dark}\
table{border-collapse:collapse;width:100%}th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid #8884;font-variant-numeric:tabular-nums}\
th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}.worse{color:#c0392b;font-weight:600}.better{color:#1e8449;font-weight:600}\
.unknown{opacity:.6}.note{border-left:4px solid #e0a800;padding:.2rem .8rem;margin:.4rem 0}small{opacity:.75}.wide{overflow-x:auto}\
@media(prefers-color-scheme:dark){.worse{color:#ff8a80}.better{color:#7bd88f}}";

/// The page. Names and labels are text in it, whatever they hold.
pub fn html(made_by: &str, compared: &Compared, comparison: &Comparison) -> String {
    let mut out = String::new();
    let mut put = |text: &str| out.push_str(text);
    let title = format!("{} → {}", compared.before, compared.after);
    put(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">",
    );
    put(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
    );
    put(&format!("<title>{}</title><style>{STYLE}</style></head><body>\n", escaped(&title)));
    put(&format!(
        "<h1>{}</h1>\n<p>From <b>{}</b> to <b>{}</b></p>\n",
        escaped(&headline(compared.options, comparison)),
        escaped(&compared.before),
        escaped(&compared.after)
    ));
    for note in &compared.notes {
        put(&format!("<p class=\"note\">{}</p>\n", escaped(note)));
    }
    put("<div class=\"wide\"><table><thead><tr><th scope=\"col\">label</th><th scope=\"col\">samples</th>");
    for change in &comparison.total.changes {
        put(&format!("<th scope=\"col\">{}</th>", name(change.measure)));
    }
    put("</tr></thead><tbody>\n");
    for label in [&comparison.total].into_iter().chain(&comparison.labels) {
        put(&row(compared.options, label));
    }
    put("</tbody></table></div>\n");
    for (labels, which) in
        [(&comparison.only_before, &compared.before), (&comparison.only_after, &compared.after)]
    {
        if !labels.is_empty() {
            let labels: Vec<_> = labels.iter().map(|label| escaped(label)).collect();
            put(&format!("<p>Only in {}: {}</p>\n", escaped(which), labels.join(", ")));
        }
    }
    put(&format!(
        "<p><small>Made by {}. A change is larger than the noise of both runs; <i>same</i> means that the 95 % interval lies within ±{} %; what is neither is unknown.</small></p></body></html>\n",
        escaped(made_by),
        100.0 * compared.options.same_within
    ));
    out
}

fn row(options: Options, label: &LabelComparison) -> String {
    let kind = if label.is_transaction { " <small>transaction</small>" } else { "" };
    let mut out = format!(
        "<tr><td>{}{kind}</td><td>{} → {}</td>",
        escaped(&label.label),
        label.samples.0,
        label.samples.1
    );
    for change in &label.changes {
        let class = word(change.finding);
        write!(
            out,
            "<td class=\"{class}\">{} → {}<br>{} <small>{class}{}</small></td>",
            figure(change.before),
            figure(change.after),
            relative(change),
            detection(options, change).map(|text| format!("<br>{text}")).unwrap_or_default()
        )
        .expect("a String takes it");
    }
    out + "</tr>\n"
}

fn escaped(text: &str) -> String {
    plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
