//! Reads properties of elements.

use super::form_decode::form_decode;
use super::tree::Converter;
use crate::bean::normal_choice;
use crate::diagnostic::Severity;
use crate::element::{Property, PropertyValue};
use crate::names::{PropertyNames, UpgradedName};
use crate::tag_kind::TagKind;
use crate::write::plain_property;
use crate::xml::Index;

/// What reading a property needs from its element.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    /// Alias of the element's class.
    pub(super) class: &'a str,
    /// Renamed properties.
    pub(super) names: &'a PropertyNames,
    /// A header saved before JMeter 2.3 has its name under another name.
    pub(super) is_header: bool,
    /// The XML of a property is not to be kept: it is part of one that is, or its texts are encoded
    /// as today's are not.
    pub(super) is_kept: bool,
    /// Depth of the property's tag in the file.
    pub(super) depth: usize,
}

impl Converter<'_> {
    /// All properties inside of a tag.
    pub(super) fn properties(&mut self, index: Index, owner: Owner<'_>) -> Vec<Property> {
        let document = self.document;
        document.children(index).map(|child| self.property(child, owner)).collect()
    }

    fn property(&mut self, index: Index, owner: Owner<'_>) -> Property {
        match TagKind::of_tag(self.document.tag(index)) {
            Some(TagKind::Element) => {
                let element = self.element_property(index, owner);
                let name = element.attribute("name").unwrap_or_default().to_owned();
                Property::new(&name, PropertyValue::Element(Box::new(element)))
            }
            Some(TagKind::Collection) => {
                self.members(index, owner, PropertyValue::Collection, "collectionProp")
            }
            Some(TagKind::Map) => self.members(index, owner, PropertyValue::Map, "mapProp"),
            Some(kind) => self.simple(index, kind, owner).unwrap_or_else(|| self.foreign(index)),
            None => self.foreign(index),
        }
    }

    fn members(
        &mut self,
        index: Index,
        owner: Owner<'_>,
        value: fn(Vec<Property>) -> PropertyValue,
        tag: &str,
    ) -> Property {
        let source = self.referred_members(index).unwrap_or(index);
        let name = self.name(source);
        let attributes = self.document.attributes(index);
        let is_plain = self.document.tag(index) == tag && matches!(attributes, [("name", _)]);
        let is_kept = owner.is_kept || !is_plain;
        let members = self.properties(source, Owner { depth: owner.depth + 1, is_kept, ..owner });
        let written = (is_kept && !owner.is_kept).then(|| self.document.raw(index).into());
        Property { written, ..Property::new(&name, value(members)) }
    }

    /// Name and text: either `<stringProp name="n">t</stringProp>` or, for the kinds that XStream
    /// writes by itself, `<doubleProp><name>n</name><value>t</value>...`. None if it is neither.
    fn simple(&mut self, index: Index, kind: TagKind, owner: Owner<'_>) -> Option<Property> {
        let source = self.referred(index)?;
        let document = self.document;
        let (name, text) = if document.children(source).next().is_none() {
            (self.name(source), document.text(source))
        } else {
            let name = document.child(source, "name")?;
            let value = document.child(source, "value")?;
            (document.text(name).to_owned(), document.text(value))
        };
        let name = match UpgradedName::of(&name, owner.names) {
            UpgradedName::Deleted => return None,
            UpgradedName::Is("TestElement.name") if owner.is_header => "Header.name",
            UpgradedName::Is(name) => name,
        };
        let decoded = self.form_encoded && kind == TagKind::Text;
        let text = if decoded { form_decode(text) } else { text.to_owned() };
        self.check_text(index, kind, name, &text);
        let value = match normal_choice(owner.class, name, &text) {
            Some(ordinal) if name == "calcMode" => PropertyValue::Int(ordinal.to_owned()),
            Some(choice) => PropertyValue::Text(choice.to_owned()),
            None => kind.simple(text)?,
        };
        let mut property = Property::new(name, value);
        if !owner.is_kept {
            property.written = self.unlike(index, &property, owner.depth);
        }
        Some(property)
    }

    /// The XML of a property if it is not what JMeter would write.
    fn unlike(&mut self, index: Index, property: &Property, depth: usize) -> Option<Box<str>> {
        self.scratch.clear();
        plain_property(&mut self.scratch, property, depth);
        let raw = self.document.raw(index);
        (self.scratch != raw).then(|| raw.into())
    }

    fn check_text(&mut self, index: Index, kind: TagKind, name: &str, text: &str) {
        if kind.accepts(text) {
            return;
        }
        let tag = self.document.tag(index);
        let message = if kind == TagKind::Bool {
            format!("JMeter reads `{text}` in a `{tag}` as false")
        } else {
            format!("JMeter refuses a plan with `{text}` in a `{tag}`, where a number is required")
        };
        let finding = self.findings.add(Severity::Warning, self.document.line(index), message);
        finding.place.property = Some(name.to_owned());
        finding.hint = text
            .contains("${")
            .then(|| format!("write it as `<stringProp name=\"{name}\">`, which may hold variables"));
    }

    /// Any other tag, an abolished property included: kept as it is. The name is that of an
    /// `objProp`.
    fn foreign(&self, index: Index) -> Property {
        let document = self.document;
        let is_object = document.tag(index) == "objProp";
        let name = document.child(index, "name").filter(|_| is_object).map(|name| document.text(name));
        Property::new(name.unwrap_or_default(), PropertyValue::Xml(document.raw(index).to_owned()))
    }

    fn name(&self, index: Index) -> String {
        let name = self.document.attribute(index, "name").unwrap_or_default();
        if self.form_encoded { form_decode(name) } else { name.to_owned() }
    }

    /// The property that XStream's `reference` points at, such as
    /// `../../collectionProp[2]/stringProp`; the property itself if it has none.
    fn referred(&mut self, index: Index) -> Option<Index> {
        let document = self.document;
        let Some(path) = document.attribute(index, "reference") else { return Some(index) };
        let mut at = index;
        for step in path.split('/') {
            at = if step == ".." { document.parent(at)? } else { self.step(at, step)? };
        }
        document.attribute(at, "reference").is_none().then_some(at)
    }

    /// The list that a reference points at; none if it points at none, or if that list holds
    /// references to others: one reference may be in the other then.
    fn referred_members(&mut self, index: Index) -> Option<Index> {
        let source = self.referred(index).filter(|at| self.document.tag(*at) == self.document.tag(index))?;
        let mut left: Vec<Index> = if source == index { Vec::new() } else { vec![source] };
        while let Some(at) = left.pop() {
            let children: Vec<Index> = self.document.children(at).collect();
            self.reference_steps = self.reference_steps.checked_sub(children.len())?;
            let refers = |child: &Index| {
                let kind = TagKind::of_tag(self.document.tag(*child));
                let holds = kind.is_some_and(TagKind::has_members);
                holds && self.document.attribute(*child, "reference").is_some()
            };
            if children.iter().any(refers) {
                return None;
            }
            left.extend(children);
        }
        Some(source)
    }

    /// A step `tag` or `tag[n]` down, n counted from 1 among children with that tag.
    fn step(&mut self, at: Index, step: &str) -> Option<Index> {
        let (tag, number) = match step.strip_suffix(']').and_then(|s| s.split_once('[')) {
            Some((tag, number)) => (tag, number.parse::<usize>().ok().filter(|number| *number > 0)?),
            None => (step, 1),
        };
        let document = self.document;
        let mut left = number;
        for child in document.children(at) {
            self.reference_steps = self.reference_steps.checked_sub(1)?;
            left -= usize::from(document.tag(child) == tag);
            if left == 0 {
                return Some(child);
            }
        }
        None
    }
}
