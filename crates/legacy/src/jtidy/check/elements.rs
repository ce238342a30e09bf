//! What elements must have (`org.w3c.tidy.TagCheckImpl`).

use super::super::node::{Attribute, Id};
use super::super::page::Page;
use super::super::tags::{Extra, Tag};
use super::super::versions::{HTML20, HTML32, HTML40_LOOSE, HTML40_STRICT, PROPRIETARY};
use super::super::words::AttributeFinding as Finding;

const XHTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

impl Page {
    pub(in super::super) fn check_start_tag(&mut self, node: Id, tag: Tag) {
        let extra = tag.entry().extra;
        if extra == Extra::Html {
            self.note_xhtml(node);
        }
        self.check_attributes(node);
        match extra {
            Extra::None | Extra::Html => {}
            Extra::Script => self.script_type(node),
            Extra::Table => self.border_and_height(node),
            Extra::Caption => self.caption(node),
            Extra::Hr => self.rule_source(node),
            Extra::Img => self.image(node),
            Extra::Area => {
                self.needs(node, "alt");
                self.needs(node, "href");
            }
            Extra::Named => self.id_and_name(node),
            Extra::Style => self.type_or(node, "text/css"),
            Extra::Form => self.needs(node, "action"),
            Extra::Meta => self.needs(node, "content"),
            Extra::Cell => {
                if self.has(node, "width") || self.has(node, "height") {
                    self.constrain(!HTML40_STRICT);
                }
            }
            Extra::Link => {
                let rel = self.tree[node].attribute("rel").and_then(|rel| rel.value.as_deref());
                if rel == Some("stylesheet") {
                    self.type_or(node, "text/css");
                }
            }
        }
    }

    fn has(&self, node: Id, name: &str) -> bool {
        self.tree[node].attribute(name).is_some()
    }

    fn needs(&mut self, node: Id, name: &str) {
        if !self.has(node, name) {
            self.lacks(node, name);
        }
    }

    /// A page that says it is XHTML is read and written as such.
    fn note_xhtml(&mut self, node: Id) {
        let namespace = self.tree[node].attribute("xmlns").and_then(|xmlns| xmlns.value.as_deref());
        if namespace == Some(XHTML_NAMESPACE) {
            self.is_voyager = true;
            self.xhtml = true;
            self.xml_out = true;
        }
    }

    fn type_or(&mut self, node: Id, default: &str) {
        if !self.has(node, "type") {
            self.lacks(node, "type");
            self.tree[node].add_attribute("type", Some(default));
        }
    }

    fn script_type(&mut self, node: Id) {
        let Some(language) = self.tree[node].attribute("language") else {
            return self.type_or(node, "text/javascript");
        };
        let language = language.value.clone().unwrap_or_default().to_ascii_lowercase();
        if self.has(node, "type") {
            return;
        }
        self.lacks(node, "type");
        match language.as_str() {
            "javascript" | "jscript" => self.tree[node].add_attribute("type", Some("text/javascript")),
            "vbscript" => self.tree[node].add_attribute("type", Some("text/vbscript")),
            _ => {}
        }
    }

    fn border_and_height(&mut self, node: Id) {
        let mut attributes = self.tree[node].attributes.iter_mut();
        if self.xml_out
            && let Some(border) = attributes.find(|attribute| attribute.is_named("border"))
        {
            border.value.get_or_insert_with(|| "1".to_owned());
        }
        let Some(height) = self.tree[node].attribute("height").cloned() else { return };
        self.attribute(Finding::Proprietary, Some(node), Some(&height));
        self.versions &= PROPRIETARY;
    }

    fn caption(&mut self, node: Id) {
        let Some(align) = self.tree[node].attribute("align").cloned() else { return };
        let Some(value) = &align.value else { return };
        match value.to_ascii_lowercase().as_str() {
            "left" | "right" => self.constrain(HTML40_LOOSE),
            "top" | "bottom" => self.constrain(!(HTML20 | HTML32)),
            _ => self.attribute(Finding::BadValue, Some(node), Some(&align)),
        }
    }

    fn rule_source(&mut self, node: Id) {
        if let Some(source) = self.tree[node].attribute("src").cloned() {
            self.attribute(Finding::ProprietaryValue, Some(node), Some(&source));
        }
    }

    fn image(&mut self, node: Id) {
        if self.has(node, "width") || self.has(node, "height") {
            self.constrain(!HTML20);
        }
        self.needs(node, "alt");
        if !self.has(node, "src") && !self.has(node, "datafld") {
            self.lacks(node, "src");
        }
        if self.has(node, "ismap") && !self.has(node, "usemap") {
            let missing = Attribute::new("ismap", Some(""));
            self.attribute(Finding::MissingImageMap, Some(node), Some(&missing));
        }
    }

    /// `id` and `name` of an anchor are the same.
    fn id_and_name(&mut self, node: Id) {
        let Some(name) = self.tree[node].attribute("name").cloned() else { return };
        let Some(id) = self.tree[node].attribute("id") else {
            if self.xml_out {
                self.tree[node].add_attribute("id", name.value.as_deref());
            }
            return;
        };
        if id.value.is_some() && id.value != name.value {
            self.attribute(Finding::IdNameMismatch, Some(node), Some(&name));
        }
    }
}
