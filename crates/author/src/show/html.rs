//! The view as a page: one file without scripts, which loads nothing.

use std::fmt::Write;

use swell_report::page::{escaped, head};
use swell_report::{plain, plain_lines, without_passwords};

use super::View;
use super::brief::brief;
use crate::facts::{Fact, facts};
use crate::property::{Documents, is_hidden};

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:70rem;padding:1rem}\
ol,ul{list-style:none;margin:0;padding-left:1.1rem}\
main>ol{padding-left:0}\
summary{cursor:pointer;padding:.15rem .3rem;border-radius:.3rem;overflow-wrap:anywhere}\
summary:hover,:target>details>summary{background:color-mix(in srgb,currentColor 10%,transparent)}\
.kind{font-weight:600}\
h1{font-size:1.4rem;margin:.3rem 0;overflow-wrap:anywhere}\
p,.number,.settings{opacity:.75}\
p{margin:.2rem 0 1rem;overflow-wrap:anywhere}\
.settings{display:block;font-size:13px;padding-left:1.1rem}\
.off{text-decoration:line-through}\
table{border-collapse:collapse;margin:.3rem 0 .6rem 1.1rem}\
td,th{border:1px solid color-mix(in srgb,currentColor 25%,transparent);padding:.15rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}\
td.value{font-family:ui-monospace,monospace;font-size:13px;white-space:pre-wrap}\
.scroll{overflow-x:auto}";

/// Characters of settings that are shown with the name of an element; its table has all.
const SETTINGS: usize = 160;

impl View<'_> {
    /// The view as an HTML page with that title. Values whose names say that they are secret are
    /// masked.
    pub fn html(&self, title: &str) -> String {
        let name = title.rsplit('/').next().unwrap_or(title);
        let mut out = String::new();
        head(&mut out, name);
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             base-uri 'none'; form-action 'none'\">\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <main>\n<h1>{}</h1>\n<p>{}: {} elements, {} variables</p>\n<ol>\n",
            line(name),
            line(title),
            self.entries.len(),
            self.variables.len()
        );
        let documents = Documents::new(self.registry);
        let mut depth = 0;
        for at in 0..self.entries.len() {
            let entry = &self.entries[at];
            while depth > entry.depth {
                out.push_str("</ol></li>\n");
                depth -= 1;
            }
            self.item(at, &documents, &mut out);
            if entry.end > at + 1 {
                out.push_str("<ol>\n");
                depth = entry.depth + 1;
            } else {
                out.push_str("</li>\n");
            }
        }
        out.push_str(&"</ol></li>\n".repeat(depth));
        out.push_str("</ol>\n");
        self.variable_table(&mut out);
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }

    /// An element, without the end of its item.
    fn item(&self, at: usize, documents: &Documents<'_>, out: &mut String) {
        let entry = &self.entries[at];
        let element = entry.element();
        let off = if entry.is_enabled { "" } else { " off" };
        let settings = brief(entry, documents).join(" \u{b7} ");
        let cut = if settings.chars().nth(SETTINGS).is_some() { "\u{2026}" } else { "" };
        let shown: String = settings.chars().take(SETTINGS).collect();
        let settings = if shown.is_empty() {
            String::new()
        } else {
            format!("<span class=\"settings\">{}{cut}</span>", line(&shown))
        };
        let kind = entry.kind_name();
        // JMeter calls new elements as their kind.
        let name = if element.name() == kind { "" } else { element.name() };
        let disabled = if entry.is_enabled { "" } else { " (disabled)" };
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "<li id=\"e{number}\"><details><summary><span class=\"number\">{number}</span> \
             <span class=\"kind{off}\">{}</span> <span class=\"name{off}\">{}</span>{disabled}{settings}</summary>",
            line(kind),
            line(name),
            number = at + 1,
        );
        out.push_str("<div class=\"scroll\"><table>\n");
        let _ = writeln!(out, "<tr><th>line</th><td class=\"value\">{}</td></tr>", element.line);
        for fact in facts(element).iter().filter(|fact| !fact.value.is_empty()) {
            let name = line(&fact.name);
            let _ = writeln!(out, "<tr><th>{name}</th><td class=\"value\">{}</td></tr>", value(fact));
        }
        out.push_str("</table></div></details>");
    }

    fn variable_table(&self, out: &mut String) {
        if self.variables.is_empty() {
            return;
        }
        out.push_str("<h2>Variables</h2>\n<div class=\"scroll\"><table>\n<tr><th>name</th><th>set by</th><th>read by</th></tr>\n");
        for (name, variable) in &self.variables {
            let links = |all: &[usize]| {
                let links = all.iter().map(|at| format!("<a href=\"#e{n}\">{n}</a>", n = at + 1));
                if all.is_empty() { "nothing".to_owned() } else { links.collect::<Vec<_>>().join(", ") }
            };
            let set_by = links(&variable.set_by);
            let read_by = links(&variable.read_by);
            // Writing to a String cannot fail.
            let _ = writeln!(out, "<tr><td>{}</td><td>{set_by}</td><td>{read_by}</td></tr>", line(name));
        }
        out.push_str("</table></div>\n");
    }
}

fn value(fact: &Fact) -> String {
    if is_hidden(&fact.name, &fact.value) {
        return "***".to_owned();
    }
    escaped(&plain_lines(&without_passwords(&fact.value)))
}

/// A text in one line.
fn line(text: &str) -> String {
    escaped(&plain(text))
}
