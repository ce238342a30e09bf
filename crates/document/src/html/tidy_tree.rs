//! The tree that JTidy makes, while it is made.

use crate::tree::{Builder, Document};

/// HTML 4 and what Netscape and Microsoft added to it.
const KNOWN_INLINE: &[&str] = &[
    "a", "abbr", "acronym", "applet", "area", "b", "basefont", "bdo", "big", "blink", "br", "button", "cite",
    "code", "del", "dfn", "em", "embed", "font", "i", "iframe", "ilayer", "img", "input", "ins", "kbd",
    "label", "legend", "map", "nobr", "noembed", "object", "option", "optgroup", "param", "q", "rb", "rbc",
    "rp", "rt", "rtc", "ruby", "s", "samp", "script", "select", "server", "servlet", "small", "spacer",
    "span", "strike", "strong", "style", "sub", "sup", "textarea", "tt", "u", "var", "wbr",
];
const KNOWN_BLOCK: &[&str] = &[
    "address",
    "align",
    "base",
    "bgsound",
    "blockquote",
    "caption",
    "center",
    "col",
    "colgroup",
    "comment",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "isindex",
    "layer",
    "li",
    "link",
    "listing",
    "marquee",
    "menu",
    "meta",
    "multicol",
    "nextid",
    "noframes",
    "nolayer",
    "nosave",
    "noscript",
    "ol",
    "p",
    "plaintext",
    "pre",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "xmp",
];
const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "isindex",
    "link", "meta", "nextid", "param", "spacer", "wbr",
];
/// Elements that are left out where nothing is in them.
const PRUNED: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "b",
    "big",
    "blockquote",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "dfn",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "i",
    "ins",
    "kbd",
    "label",
    "li",
    "menu",
    "nobr",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "tt",
    "u",
    "ul",
    "var",
];
/// Elements whose only child may be a matter of style.
const STYLED: &[&str] =
    &["address", "blockquote", "center", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "p", "pre"];
/// What JTidy says of itself.
const GENERATOR: &str = "HTML Tidy for Java (vers. 2009-12-01), see jtidy.sourceforge.net";

pub(super) fn is_known(name: &str) -> bool {
    KNOWN_INLINE.contains(&name) || KNOWN_BLOCK.contains(&name)
}

pub(super) fn is_block(name: &str) -> bool {
    KNOWN_BLOCK.contains(&name)
}

pub(super) fn is_void(name: &str) -> bool {
    VOID.contains(&name)
}

type Id = usize;

#[derive(Default)]
struct Node {
    /// Empty for a text or a comment.
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    is_comment: bool,
    children: Vec<Id>,
}

const HTML: Id = 0;
const HEAD: Id = 1;
const BODY: Id = 2;

pub(super) struct Tree {
    nodes: Vec<Node>,
    open: Vec<Id>,
    /// White space that is written before what comes next on the line.
    space: bool,
    /// Nothing is on the line yet.
    line_start: bool,
    has_title: bool,
    /// Comments before the page.
    before: Vec<Id>,
}

impl Tree {
    pub(super) fn new() -> Self {
        let element = |name: &str| Node { name: name.to_owned(), ..Node::default() };
        let mut tree = Self {
            nodes: vec![element("html"), element("head"), element("body")],
            open: vec![HEAD],
            space: false,
            line_start: true,
            has_title: false,
            before: Vec::new(),
        };
        tree.nodes[HTML].children = vec![HEAD, BODY];
        let generator = [("content", GENERATOR), ("name", "generator")];
        let attributes = generator.map(|(name, value)| (name.to_owned(), value.to_owned()));
        tree.add(Node { name: "meta".to_owned(), attributes: attributes.into(), ..Node::default() });
        tree
    }

    fn add(&mut self, node: Node) -> Id {
        let id = self.nodes.len();
        self.nodes.push(node);
        let parent = *self.open.last().expect("head or body is open");
        self.nodes[parent].children.push(id);
        id
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn is_in_body(&self) -> bool {
        self.open.last() == Some(&BODY)
    }

    pub(super) fn is_open(&self, names: &[&str]) -> bool {
        self.open.iter().any(|&id| names.contains(&&*self.nodes[id].name))
    }

    pub(super) fn enter_body(&mut self) {
        while self.open.len() > 1 {
            self.close();
        }
        self.open = vec![BODY];
        self.new_line();
    }

    pub(super) fn merge_html(&mut self, attributes: Vec<(String, String)>) {
        merge(&mut self.nodes[HTML].attributes, attributes);
    }

    pub(super) fn merge_body(&mut self, attributes: Vec<(String, String)>) {
        if self.nodes[BODY].attributes.is_empty() {
            merge(&mut self.nodes[BODY].attributes, attributes);
        }
    }

    fn new_line(&mut self) {
        self.space = false;
        self.line_start = true;
    }

    pub(super) fn open(&mut self, name: &str, attributes: Vec<(String, String)>) {
        if is_block(name) || name == "br" {
            self.new_line();
        } else {
            self.write_space();
            if is_void(name) {
                self.line_start = false;
            }
        }
        self.has_title |= name == "title";
        let id = self.add(Node { name: name.to_owned(), attributes, ..Node::default() });
        self.open.push(id);
    }

    /// The white space that waits becomes a text, or the end of the one before.
    fn write_space(&mut self) {
        if !std::mem::take(&mut self.space) || self.line_start {
            return;
        }
        // In elements that have just begun there is no white space: it stands before them.
        let mut at = self.open.len() - 1;
        while at > 0
            && self.nodes[self.open[at]].children.is_empty()
            && !is_block(&self.nodes[self.open[at]].name)
        {
            at -= 1;
        }
        let parent = self.open[at];
        let behind = self.open.get(at + 1).copied();
        let place = self.nodes[parent].children.len() - usize::from(behind.is_some());
        let before = place.checked_sub(1).map(|before| self.nodes[parent].children[before]);
        if let Some(text) = before.filter(|&before| self.is_text(before)) {
            if !self.nodes[text].text.ends_with(' ') {
                self.nodes[text].text.push(' ');
            }
        } else {
            let id = self.nodes.len();
            self.nodes.push(Node { text: " ".to_owned(), ..Node::default() });
            self.nodes[parent].children.insert(place, id);
        }
    }

    fn is_text(&self, id: Id) -> bool {
        self.nodes[id].name.is_empty() && !self.nodes[id].is_comment
    }

    pub(super) fn text(&mut self, text: &str) {
        let parent = *self.open.last().expect("head or body is open");
        if matches!(&*self.nodes[parent].name, "script" | "style" | "textarea") || self.is_open(&["pre"]) {
            let first = self.nodes[parent].children.is_empty();
            let mut text = if first { text.strip_prefix('\n').unwrap_or(text) } else { text };
            if first && self.nodes[parent].name == "textarea" {
                text = text.strip_prefix(' ').unwrap_or(text);
            }
            self.append(text);
            self.line_start = false;
            return;
        }
        let is_space = |c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{C}');
        for word in text.split_inclusive(is_space) {
            let bare = word.trim_end_matches(is_space);
            if !bare.is_empty() {
                self.write_space();
                self.append(bare);
                self.line_start = false;
            }
            self.space |= bare.len() < word.len();
        }
    }

    fn append(&mut self, text: &str) {
        let parent = *self.open.last().expect("head or body is open");
        let last = self.nodes[parent].children.last().copied();
        if let Some(last) = last.filter(|&last| self.is_text(last)) {
            self.nodes[last].text.push_str(text);
        } else {
            self.add(Node { text: text.to_owned(), ..Node::default() });
        }
    }

    /// A comment. Before anything else it stands before the page.
    pub(super) fn comment(&mut self, text: &str) {
        let is_first = self.open == [HEAD] && self.nodes[HEAD].children.len() == 1;
        let id = self.add(Node { text: text.to_owned(), is_comment: true, ..Node::default() });
        if is_first {
            self.nodes[HEAD].children.pop();
            self.before.push(id);
        }
    }

    /// Whether elements of one kind are open up to one with that name.
    pub(super) fn is_tangled(&self, name: &str, kind: &[&str]) -> bool {
        let name_of = |id: &Id| &*self.nodes[*id].name;
        let mut above = self.open.iter().rev().map(name_of).take_while(|open| kind.contains(open));
        above.next() != Some(name) && above.any(|open| open == name)
    }

    /// Ends the outermost of these elements that is open below one of the others.
    pub(super) fn end_open(&mut self, ended: &[&str], up_to: &[&str]) {
        let name = |id: &Id| &*self.nodes[*id].name;
        let scope = self.open.iter().rposition(|id| up_to.contains(&name(id))).map_or(0, |at| at + 1);
        let found = if ended.len() == 1 {
            self.open[scope..].iter().rposition(|id| ended.contains(&name(id)))
        } else {
            self.open[scope..].iter().position(|id| ended.contains(&name(id)))
        };
        if let Some(at) = found {
            while self.open.len() > (scope + at).max(1) {
                self.close();
            }
        }
    }

    /// Closes what is open, tidied up.
    pub(super) fn close(&mut self) {
        let Some(id) = self.open.pop() else { return };
        let name = self.nodes[id].name.clone();
        if is_block(&name) || name == "br" {
            self.new_line();
        }
        let Node { attributes, children, .. } = &self.nodes[id];
        let named = attributes.iter().any(|(name, _)| name == "id" || name == "name");
        let anchor = name == "a" && !attributes.is_empty();
        if children.is_empty() && PRUNED.contains(&&*name) && !named && !anchor {
            let parent = *self.open.last().expect("head or body is open");
            if self.nodes[parent].children.last() == Some(&id) {
                self.nodes[parent].children.pop();
            }
            return;
        }
        if name == "pre"
            && let Some(&last) = self.nodes[id].children.last()
            && self.nodes[last].text.ends_with(' ')
        {
            self.nodes[last].text.pop();
        }
        if matches!(&*name, "b" | "i") {
            self.move_style_inside(id, if name == "b" { "font-weight: bold" } else { "font-style: italic" });
        }
        if name == "center" {
            "div".clone_into(&mut self.nodes[id].name);
            self.add_style(id, "text-align: center");
        }
        if STYLED.contains(&&*name)
            && let Some(at) = self.nodes[id].attributes.iter().position(|(name, _)| name == "align")
        {
            let (_, align) = self.nodes[id].attributes.remove(at);
            self.add_style(id, &format!("text-align: {align}"));
        }
        if STYLED.contains(&&*name) {
            self.take_only_child(id, name == "div");
        }
    }

    /// A block that is all that a bold element holds is bold itself.
    fn move_style_inside(&mut self, id: Id, style: &str) {
        let &[child] = &*self.nodes[id].children else { return };
        if !STYLED.contains(&&*self.nodes[child].name) {
            return;
        }
        self.add_style(child, style);
        let parent = *self.open.last().expect("head or body is open");
        if let Some(place) = self.nodes[parent].children.iter().rposition(|&other| other == id) {
            self.nodes[parent].children[place] = child;
        }
    }

    /// An only child that says no more than a style, or that is a division in one, is left out.
    fn take_only_child(&mut self, id: Id, is_division: bool) {
        let &[child] = &*self.nodes[id].children else { return };
        let style = match &*self.nodes[child].name {
            "b" => Some("font-weight: bold"),
            "i" => Some("font-style: italic"),
            "div" if is_division => None,
            _ => return,
        };
        self.nodes[id].children = std::mem::take(&mut self.nodes[child].children);
        let of_child = self.nodes[child].attributes.iter().find(|(name, _)| name == "style").cloned();
        if let Some((_, of_child)) = of_child {
            self.add_style(id, &of_child);
        }
        if let Some(style) = style {
            self.add_style(id, style);
        }
    }

    fn add_style(&mut self, id: Id, style: &str) {
        let attributes = &mut self.nodes[id].attributes;
        if let Some((_, known)) = attributes.iter_mut().find(|(name, _)| name == "style") {
            *known = format!("{known}; {style}");
        } else {
            attributes.push(("style".to_owned(), style.to_owned()));
        }
    }

    pub(super) fn finish(mut self) -> Document {
        while self.open.len() > 1 {
            self.close();
        }
        if !self.has_title {
            self.open = vec![HEAD];
            self.open("title", Vec::new());
        }
        enum Todo {
            Visit(Id),
            Close,
        }
        let mut builder = Builder::new(false);
        let mut todo = vec![Todo::Visit(HTML)];
        todo.extend(self.before.iter().rev().map(|&comment| Todo::Visit(comment)));
        while let Some(next) = todo.pop() {
            let Todo::Visit(id) = next else {
                builder.close();
                continue;
            };
            let node = &self.nodes[id];
            if node.is_comment {
                builder.comment(&node.text);
            } else if node.name.is_empty() {
                builder.text(&node.text);
            } else {
                builder.open(&node.name, "");
                for (name, value) in &node.attributes {
                    builder.attribute(name, "", value);
                }
                todo.push(Todo::Close);
                todo.extend(node.children.iter().rev().map(|&child| Todo::Visit(child)));
            }
        }
        builder.finish()
    }
}

fn merge(known: &mut Vec<(String, String)>, more: Vec<(String, String)>) {
    for (name, value) in more {
        if known.iter().all(|(other, _)| *other != name) {
            known.push((name, value));
        }
    }
}
