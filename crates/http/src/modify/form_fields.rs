//! Reads links, frames and the fields of forms out of a page that JTidy has repaired (`HtmlParsingUtils`). A form takes all fields that
//! follow it, up to the next form.

use swell_query::{Document, NodeId, NodeKind, PageTidier};

/// A form with its fields.
#[derive(Debug, Default)]
pub(super) struct Form {
    pub(super) action: String,
    pub(super) fields: Vec<(String, String)>,
}

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// `href` of the first `base`.
    pub(super) base: Option<String>,
    pub(super) anchors: Vec<String>,
    pub(super) frames: Vec<String>,
    pub(super) forms: Vec<Form>,
    in_form: bool,
    /// The list that options belong to, and its name.
    select: Option<(NodeId, String)>,
}

/// Reads a page; there is nothing in one that JTidy cannot read.
pub(super) fn read(text: &str, tidier: &dyn PageTidier) -> Page {
    let mut page = Page::default();
    if let Ok(repaired) = tidier.repair(text.as_bytes()) {
        let document = &repaired.document;
        for node in document.all().filter(|&node| document.kind(node) == NodeKind::Element) {
            page.element(document, node);
        }
    }
    page
}

impl Page {
    fn element(&mut self, document: &Document, node: NodeId) {
        let given = |wanted: &str| {
            document.pairs(node).find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
        };
        let named = || given("name").unwrap_or_default();
        match document.name(node) {
            "base" if self.base.is_none() => self.base = given("href"),
            "a" => self.anchors.extend(given("href")),
            "frame" => self.frames.extend(given("src")),
            "form" => match given("action") {
                Some(action) => {
                    self.forms.push(Form { action, fields: Vec::new() });
                    self.in_form = true;
                }
                None => self.in_form = false,
            },
            "input" => self.field(named(), given("value").unwrap_or_default()),
            "textarea" => self.field(named(), document.dom_value(node).unwrap_or_default().to_owned()),
            "select" => self.select = Some((node, named())),
            "option" => {
                let select = self.select.as_ref().filter(|(select, _)| document.is_in(node, *select));
                let name = select.map(|(_, name)| name.clone()).unwrap_or_default();
                self.field(name, given("value").unwrap_or_default());
            }
            _ => {}
        }
    }

    fn field(&mut self, name: String, value: String) {
        if let Some(form) = self.forms.last_mut().filter(|_| self.in_form) {
            form.fields.push((name, value));
        }
    }
}
