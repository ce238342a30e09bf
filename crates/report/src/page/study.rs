//! The data of the page of a study of many trials, or of a comparison of two runs: an answer,
//! facts, and sections of text, tables and charts. `web/src/study.ts` draws it.

use serde::Serialize;
use serde_json::Value;

use super::SCHEMA;
use crate::plain::plain_lines;
use crate::styled::Role;

/// What a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// A run.
    Run,
    /// A search for a breaking point.
    Search,
    /// A sweep over settings and loads.
    Sweep,
    /// Load generators side by side.
    Matrix,
    /// Two runs.
    Compare,
}

/// How good news is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Good.
    Good,
    /// Not certain.
    Doubtful,
    /// Bad.
    Bad,
}

impl Tone {
    pub(super) fn of(role: Role) -> Option<Self> {
        match role {
            Role::Head | Role::Muted => None,
            Role::Good => Some(Self::Good),
            Role::Doubtful => Some(Self::Doubtful),
            Role::Bad => Some(Self::Bad),
        }
    }
}

/// The unit of the figures of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Milliseconds.
    Ms,
    /// Events a second.
    PerS,
    /// Bytes.
    Bytes,
    /// Parts of one, shown in percent.
    Share,
}

/// What a page says first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// Its colour; none for an answer that is neither good nor bad.
    pub tone: Option<Tone>,
    /// The answer in a sentence.
    pub headline: String,
    /// What it is based on, a sentence a line.
    pub lines: Vec<String>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum TableCell {
    /// A text.
    Text(String),
    /// A text with a second line, or with a colour.
    Rich {
        /// The text.
        text: String,
        /// The second line.
        more: String,
        /// The colour.
        tone: Option<Tone>,
    },
}

/// A table with a head. Its first column has names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Its name for readers who do not see it.
    pub caption: String,
    /// Titles of the columns.
    pub head: Vec<String>,
    /// As many cells a row.
    pub rows: Vec<Vec<TableCell>>,
}

/// A line of a chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// One entry a place of the chart; none where there is none.
    pub values: Vec<Option<f64>>,
    /// Places that mean something, with what they mean.
    pub marks: Vec<(f64, String)>,
    /// It is not measured, but computed from what was.
    pub computed: bool,
}

/// Lines over a load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineChart {
    /// Its title.
    pub title: String,
    /// What the places are.
    pub across: String,
    /// The places, rising; each trial has one.
    pub xs: Vec<f64>,
    /// The text of each place; empty for those of computed lines.
    pub places: Vec<String>,
    /// Unit of the values.
    pub unit: Unit,
    /// Values are shown by their logarithms: for those that span several powers of ten.
    pub logarithmic: bool,
    /// The lines.
    pub lines: Vec<Line>,
    /// Values that must not be crossed, with what they mean.
    pub limits: Vec<(f64, String)>,
}

/// A figure of a chart of bars.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// The figure; none where it is not known.
    pub value: Option<f64>,
    /// The interval that it is in with a probability of 95 %.
    pub interval: Option<(f64, f64)>,
    /// The figure as text.
    pub text: String,
    /// The colour.
    pub tone: Option<Tone>,
}

/// Figures in rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BarChart {
    /// Its title.
    pub title: String,
    /// The figures are differences, with zero in the middle.
    pub signed: bool,
    /// A row a figure.
    pub bars: Vec<Bar>,
}

/// A row of a heat map.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeatRow {
    /// Its name.
    pub name: String,
    /// A figure a column; none where it is not known.
    pub values: Vec<Option<f64>>,
}

/// Rows and columns with a figure where they meet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeatMap {
    /// Its title.
    pub title: String,
    /// What the columns are.
    pub across: String,
    /// Unit of the figures.
    pub unit: Unit,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<HeatRow>,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "block", rename_all = "snake_case")]
pub enum Block {
    /// A paragraph.
    Text {
        /// Its text.
        text: String,
    },
    /// A paragraph that stands out, with its lines.
    Note {
        /// Its text.
        text: String,
    },
    /// A table.
    Table(Table),
    /// A chart of lines.
    Lines(LineChart),
    /// A chart of bars.
    Bars(BarChart),
    /// A heat map.
    Heat(HeatMap),
}

impl Block {
    /// A paragraph.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// A paragraph that stands out.
    pub fn note(text: impl Into<String>) -> Self {
        Self::Note { text: text.into() }
    }
}

/// Blocks under a title.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// The title.
    pub title: String,
    /// The blocks, from top to bottom.
    pub blocks: Vec<Block>,
}

/// The page of a study or a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudyPage {
    schema: &'static str,
    kind: PageKind,
    /// The tool and its version.
    pub made_by: String,
    /// What the page is about.
    pub title: String,
    /// What it says first.
    pub answer: Option<Answer>,
    /// What was run: names with their values.
    pub facts: Vec<(String, String)>,
    /// What makes the figures doubtful, shown below the answer.
    pub notes: Vec<String>,
    /// The rest, from top to bottom.
    pub sections: Vec<Section>,
}

impl StudyPage {
    /// A page with a title and nothing else.
    pub fn new(kind: PageKind, title: impl Into<String>, made_by: impl Into<String>) -> Self {
        Self {
            schema: SCHEMA,
            kind,
            made_by: made_by.into(),
            title: title.into(),
            answer: None,
            facts: Vec::new(),
            notes: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// Adds something that was run, where it is known.
    pub fn fact(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        if !value.is_empty() {
            self.facts.push((name.to_owned(), value));
        }
    }

    /// Adds a section, if it has any block.
    pub fn section(&mut self, title: impl Into<String>, blocks: Vec<Block>) {
        if !blocks.is_empty() {
            self.sections.push(Section { title: title.into(), blocks });
        }
    }

    /// The first screen as text, for readers without scripts.
    pub(super) fn as_text(&self) -> String {
        let answer =
            self.answer.iter().flat_map(|answer| std::iter::once(&answer.headline).chain(&answer.lines));
        let facts = self.facts.iter().map(|(name, value)| format!("{name}: {value}"));
        let lines =
            std::iter::once(self.title.clone()).chain(answer.cloned()).chain(self.notes.iter().cloned());
        plain_lines(&lines.chain(facts).collect::<Vec<_>>().join("\n")).into_owned()
    }

    /// All that the page shows, as JSON, without control characters.
    pub fn document(&self) -> Value {
        let mut document = serde_json::to_value(self).expect("numbers and texts are valid JSON");
        make_plain(&mut document);
        document
    }
}

/// Names come from plans, servers and tools, and a page may be printed on a terminal.
fn make_plain(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(plain) = plain_lines(text) {
                *text = plain;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(make_plain),
        Value::Object(values) => values.values_mut().for_each(make_plain),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_has_its_kind_and_no_control_characters() {
        let mut page = StudyPage::new(PageKind::Matrix, "<a>\u{1b}[2J", "swell");
        page.fact("Server", "");
        page.fact("Seed", "1");
        page.section("Empty", Vec::new());
        let cell = TableCell::Rich { text: "1".into(), more: "\u{7}".into(), tone: Some(Tone::Bad) };
        let row = vec![TableCell::Text("\u{202e}x".into()), cell];
        let table = Table { caption: "t".into(), head: vec!["a".into(), "b".into()], rows: vec![row] };
        page.section("Tools", vec![Block::note("one\ntwo"), Block::Table(table)]);
        let expected = json!({
            "schema": SCHEMA, "kind": "matrix", "made_by": "swell", "title": "<a>␛[2J",
            "answer": null, "facts": [["Seed", "1"]], "notes": [],
            "sections": [{ "title": "Tools", "blocks": [
                { "block": "note", "text": "one\ntwo" },
                { "block": "table", "caption": "t", "head": ["a", "b"],
                  "rows": [["\u{fffd}x", { "text": "1", "more": "␇", "tone": "bad" }]] },
            ] }],
        });
        assert_eq!(page.document(), expected);
    }

    #[test]
    fn a_file_holds_the_document_without_passwords_and_its_answer_for_readers_without_scripts() {
        let mut page = StudyPage::new(PageKind::Search, "Breaking point of http://me:sesame@h/<b>", "swell");
        page.answer = Some(Answer { tone: None, headline: "holds 5/s".into(), lines: vec!["a pool".into()] });
        page.fact("Server", "run --password=x");
        page.notes.push("<script>".into());
        let html = super::super::study_file(&page);
        let (shown, _) = html.split_once("<div id").expect("there is a place for the page");
        assert!(!html.contains("sesame") && !shown.contains("<b>") && !shown.contains("<script"), "{shown}");
        let text =
            "<pre>Breaking point of http://me:***@h/&lt;b&gt;\nholds 5/s\na pool\n&lt;script&gt;\nServer: ";
        assert!(shown.contains(text), "{shown}");
        assert_eq!(html.matches("</script>").count(), 2);
    }
}
