//! Gives the text of a plan JMeter's own layout.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::diagnostic::{Diagnostic, Severity};
use crate::read::{is_hash_tree, read};
use crate::tag_kind::TagKind;
use crate::xml::{Document, Index, decode, escape_attribute, escape_text, parse, unescape_text};

/// A plan in JMeter's layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The file in UTF-8.
    pub text: String,
    /// The bytes had this layout already.
    pub is_same: bool,
}

/// Gives a plan the layout with which JMeter 5.6.3 saves (`SaveService`, XStream's
/// `PrettyPrintWriter`): two blanks a level, one element a line, its escapes, its forms of empty
/// elements, UTF-8, `\n`. Elements, attributes, values, their order, names of older versions and
/// comments stay, and so does what follows the outermost element.
///
/// # Errors
/// What is wrong with the file: it is not a plan, or it contains bytes that are invalid in its
/// encoding.
pub fn layout(bytes: &[u8]) -> Result<Layout, Vec<Diagnostic>> {
    let reading = read(bytes, None);
    let is_lossy = |found: &Diagnostic| {
        found.severity == Severity::Error || found.message.starts_with("bytes that are not valid")
    };
    let mut wrong: Vec<Diagnostic> = reading.diagnostics.into_iter().filter(is_lossy).collect();
    for found in &mut wrong {
        found.severity = Severity::Error;
    }
    if reading.plan.is_none() || !wrong.is_empty() {
        return Err(wrong);
    }
    let decoded = decode(bytes);
    // It could be read, so it is well-formed.
    let Ok(document) = parse(&decoded.text) else { return Err(wrong) };
    let text = laid_out(&document);
    let is_same = text.as_bytes() == bytes;
    Ok(Layout { text, is_same })
}

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// An element whose end has not come yet.
struct Open<'a> {
    tag: &'a str,
    /// No element is in it.
    is_leaf: bool,
    /// Written as one tag if nothing is in it; none: as it was.
    closes_itself: Option<bool>,
    /// Text without escapes, and as it was written.
    text: String,
    raw: String,
    /// A comment is in its text.
    is_mixed: bool,
}

struct Writer<'a> {
    document: &'a Document<'a>,
    out: String,
    open: Vec<Open<'a>>,
    /// The end of an element that stays as it is.
    kept_until: usize,
}

/// The same document in JMeter's layout.
fn laid_out(document: &Document<'_>) -> String {
    let source = document.source();
    let mut reader = Reader::from_str(source);
    reader.config_mut().allow_dangling_amp = true;
    let mut writer = Writer { document, out: String::from(DECLARATION), open: Vec::new(), kept_until: 0 };
    let mut elements = document.in_order();
    loop {
        let start = reader.buffer_position() as usize;
        // The document was parsed before, so there is no error.
        let Ok(event) = reader.read_event() else { return writer.out };
        let raw = &source[start..reader.buffer_position() as usize];
        match event {
            Event::Start(_) | Event::Empty(_) if start < writer.kept_until => _ = elements.next(),
            _ if start < writer.kept_until => {}
            Event::Eof => break,
            Event::Decl(_) => {}
            Event::Start(_) => elements.next().into_iter().for_each(|index| writer.start(index, false)),
            Event::Empty(_) => {
                elements.next().into_iter().for_each(|index| writer.start(index, true));
                writer.end();
            }
            Event::End(_) => writer.end(),
            Event::Comment(_) | Event::PI(_) | Event::DocType(_) => writer.other(raw),
            Event::Text(_) | Event::GeneralRef(_) => {
                writer.text(raw, &unescape_text(raw).unwrap_or(Cow::Borrowed(raw)));
            }
            Event::CData(_) => {
                let inside = raw.strip_prefix("<![CDATA[").and_then(|rest| rest.strip_suffix("]]>"));
                writer.text(raw, &inside.unwrap_or_default().replace("\r\n", "\n").replace('\r', "\n"));
            }
        }
        if writer.open.is_empty() && document.trailing_line.is_some() && elements.len() == 0 {
            // What follows need not be XML.
            writer.out.push_str(&source[reader.buffer_position() as usize..]);
            return writer.out;
        }
    }
    writer.out.push('\n');
    writer.out
}

impl Writer<'_> {
    /// Begins a line at the current depth.
    fn line(&mut self) {
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        for _ in 0..self.open.len() {
            self.out.push_str("  ");
        }
    }

    fn start(&mut self, index: Index, is_closed: bool) {
        self.flush();
        self.line();
        if self.is_mixed(index) {
            self.out.push_str(self.document.raw(index));
            self.kept_until = self.document.span(index).end;
            return;
        }
        let tag = self.document.tag(index);
        self.out.extend(["<", tag]);
        for (key, value) in self.document.attributes(index) {
            self.out.extend([" ", key, "=\""]);
            escape_attribute(&mut self.out, value);
            self.out.push('"');
        }
        let is_leaf = self.document.children(index).next().is_none();
        if !is_leaf {
            self.out.push('>');
        }
        let is_reference = self.document.attribute(index, "reference").is_some();
        let closes_itself = match TagKind::of_tag(tag) {
            _ if is_reference => Some(true),
            Some(kind) => Some(kind.has_members()),
            None if self.is_element(index) => Some(true),
            None if is_closed => Some(true),
            None => None,
        };
        let text = String::new();
        let raw = String::new();
        self.open.push(Open { tag, is_leaf, closes_itself, text, raw, is_mixed: false });
    }

    /// A `hashTree`, or an element of the tree.
    fn is_element(&self, index: Index) -> bool {
        let parent = self.document.parent(index);
        is_hash_tree(self.document, index) || parent.is_some_and(|parent| is_hash_tree(self.document, parent))
    }

    /// Text is between the elements in it, and both are kept by those who read it.
    fn is_mixed(&self, index: Index) -> bool {
        let is_list = TagKind::of_tag(self.document.tag(index)).is_some_and(TagKind::has_members);
        let has_elements = self.document.children(index).next().is_some();
        let is_foreign = !is_list && !self.is_element(index) && index != self.document.root();
        is_foreign && has_elements && !self.document.text(index).trim().is_empty()
    }

    fn end(&mut self) {
        if self.open.last().is_some_and(|open| !open.is_leaf) {
            self.flush();
        }
        let Some(open) = self.open.pop() else { return };
        let may_be_blank = open.closes_itself != Some(true);
        let is_empty = open.text.is_empty() || !may_be_blank && open.text.trim().is_empty();
        match open {
            Open { is_leaf: false, .. } => self.line(),
            Open { is_mixed: true, .. } => self.out.extend([">", &open.raw]),
            _ if is_empty && open.closes_itself == Some(true) => return self.out.push_str("/>"),
            _ => {
                self.out.push('>');
                escape_text(&mut self.out, &open.text);
            }
        }
        self.out.extend(["</", open.tag, ">"]);
    }

    /// A comment or something else that is neither an element nor text: in a separate line, or
    /// in the text of a leaf where it was.
    fn other(&mut self, raw: &str) {
        match self.open.last_mut() {
            Some(open) if open.is_leaf => {
                open.raw.push_str(raw);
                open.is_mixed = true;
            }
            _ => {
                self.flush();
                self.line();
                self.out.push_str(raw);
            }
        }
    }

    fn text(&mut self, raw: &str, text: &str) {
        if let Some(open) = self.open.last_mut() {
            open.raw.push_str(raw);
            open.text.push_str(text);
        }
    }

    /// Writes text that is between elements, which JMeter does not read, in a separate line.
    fn flush(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        let text = std::mem::take(&mut open.text);
        open.raw.clear();
        if !text.trim().is_empty() {
            self.line();
            escape_text(&mut self.out, text.trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Node, Plan, PropertyValue, write};

    const ODD: &str = "\u{feff}<?xml version='1.0' encoding='UTF-8'?><!-- top -->\r\n<jmeterTestPlan version='1.2'><hashTree>\r\n\
        <TestPlan testname='a&#34;b' guiclass='g'></TestPlan><hashTree><X guiclass='g'><stringProp name='s'/>\
        <!-- one --><stringProp name='t'><![CDATA[<a>\r\n]]>b'</stringProp><collectionProp name='c'>  </collectionProp>\
        <objProp><name>o</name><value class='v'><time></time><size/></value></objProp>\
        <stringProp name='m'>x<!-- in -->y</stringProp></X><hashTree> </hashTree></hashTree></hashTree></jmeterTestPlan>\r\n<!-- end -->";

    const LAID_OUT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- top -->
<jmeterTestPlan version="1.2">
  <hashTree>
    <TestPlan testname="a&quot;b" guiclass="g"/>
    <hashTree>
      <X guiclass="g">
        <stringProp name="s"></stringProp>
        <!-- one -->
        <stringProp name="t">&lt;a&gt;
b&apos;</stringProp>
        <collectionProp name="c"/>
        <objProp>
          <name>o</name>
          <value class="v">
            <time></time>
            <size/>
          </value>
        </objProp>
        <stringProp name="m">x<!-- in -->y</stringProp>
      </X>
      <hashTree/>
    </hashTree>
  </hashTree>
</jmeterTestPlan>
<!-- end -->
"#;

    #[test]
    fn a_plan_gets_the_layout_of_jmeter_and_keeps_comments() {
        let first = layout(ODD.as_bytes()).expect("a plan");
        assert_eq!(first.text, LAID_OUT);
        assert!(!first.is_same);
        assert!(layout(LAID_OUT.as_bytes()).expect("a plan").is_same);
    }

    #[test]
    fn what_swell_writes_has_this_layout() {
        let headers = Element::new("HeaderManager", "HeaderPanel", "H<1>")
            .with("empty", PropertyValue::Collection(Vec::new()))
            .with("number", PropertyValue::Double("1.5".to_owned()))
            .with_elements("HeaderManager.headers", [Element::new("Header", "", "").with_text("a", "\r\n")]);
        let root = Node::new(Element::new("TestPlan", "TestPlanGui", "P"));
        let written = write(&Plan::new(root.with(Node::new(headers))));
        assert!(layout(written.as_bytes()).expect("a plan").is_same, "{written}");
    }

    #[test]
    fn text_between_elements_that_jmeter_does_not_know_stays() {
        let mixed = "<stringProp name='m'>x<!-- in -->y</stringProp>";
        let with_mixed = ODD.replace(mixed, "<odd>a <b> <c/>d</b>\r\n e</odd>");
        let expected = LAID_OUT
            .replace("<stringProp name=\"m\">x<!-- in -->y</stringProp>", "<odd>a <b> <c/>d</b>\r\n e</odd>");
        assert_eq!(layout(with_mixed.as_bytes()).expect("a plan").text, expected);
    }

    #[test]
    fn what_follows_the_plan_stays() {
        let with_rest = LAID_OUT.replace("<!-- end -->\n", "\r\n<b> & x");
        assert!(layout(with_rest.as_bytes()).expect("a plan").is_same);
    }

    #[test]
    fn a_file_that_would_lose_something_is_refused() {
        let plan =
            "<jmeterTestPlan><hashTree><TestPlan guiclass=\"g\"/><hashTree/></hashTree></jmeterTestPlan>";
        for (bytes, part) in [
            ([plan.as_bytes(), b"<!-- \xFF -->"].concat(), "not valid"),
            (b"<a>".to_vec(), "never closed"),
            (b"<a/>".to_vec(), "not a JMeter test plan"),
        ] {
            let wrong = layout(&bytes).expect_err("refused");
            assert!(wrong.iter().any(|found| found.message.contains(part)), "{part}: {wrong:?}");
        }
    }
}
