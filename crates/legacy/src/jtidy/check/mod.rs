//! What is looked at in a start tag: each attribute by itself, what an element must have, what it has twice.

mod elements;
mod repeated;
mod values;

use super::attributes::Values;
use super::node::{Attribute, Id};
use super::page::Page;
use super::tags::Tag;
use super::versions::{PROPRIETARY, XML};
use super::words::AttributeFinding as Finding;

impl Page {
    /// Looks at all attributes of an element, the last first.
    fn check_attributes(&mut self, node: Id) {
        let mut attributes = std::mem::take(&mut self.tree[node].attributes);
        for attribute in &mut attributes {
            self.check_attribute(node, attribute);
        }
        self.tree[node].attributes = attributes;
    }

    fn check_attribute(&mut self, node: Id, attribute: &mut Attribute) {
        let tag = self.tree[node].tag;
        let Some(known) = attribute.known else {
            let is_proprietary = tag.is_none_or(|tag| tag.entry().versions & PROPRIETARY != 0);
            if !attribute.asp && !is_proprietary {
                self.attribute(Finding::Unknown, Some(node), Some(attribute));
            }
            return;
        };
        if known.versions & XML != 0 {
            if !self.xml_tags && !self.xml_out {
                self.attribute(Finding::XmlAttribute, Some(node), Some(attribute));
            }
        } else if known.name != "title" || !matches!(tag, Some(Tag::A | Tag::Link)) {
            self.constrain(known.versions);
        }
        if known.values != Values::Any {
            self.check_value(node, attribute, known.values);
        } else if known.versions & PROPRIETARY != 0 {
            self.attribute(Finding::Proprietary, Some(node), Some(attribute));
        }
    }
}
