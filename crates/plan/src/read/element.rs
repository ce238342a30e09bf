//! Reads one test element, with the upgrades that JMeter makes when it loads one
//! (`TestElementConverter`, `TestElementPropertyConverter`, `HTTPSamplerBaseConverter`).

use std::collections::HashSet;

use super::form_decode::form_decode;
use super::http_sampler::upgrade_http_sampler;
use super::property::Owner;
use super::tree::Converter;
use crate::diagnostic::Severity;
use crate::element::{Element, Property};
use crate::names::{alias_of, class_of, property_names, upgraded_class, upgraded_test_class};
use crate::xml::Index;

impl Converter<'_> {
    /// An element of the tree. Its path is not yet set.
    pub(super) fn test_element(&mut self, index: Index, depth: usize) -> Element {
        let tag = self.document.tag(index);
        let written = self.document.attribute(index, "class").unwrap_or(tag);
        let gui = class_of(self.document.attribute(index, "guiclass").unwrap_or_default());
        let class = upgraded_test_class(upgraded_class(class_of(written)), gui);
        let names = property_names(class);
        let mut element = self.bare(index, class, gui);
        let is_kept = self.form_encoded;
        let owner = Owner { class: alias_of(class), names, is_header: false, is_kept, depth: depth + 1 };
        element.properties = self.properties(index, owner);
        if element.class == "HTTPSamplerProxy" {
            upgrade_http_sampler(&mut element);
        }
        element
    }

    /// An element that is a property; `names` are those of the element around it, as in JMeter.
    pub(super) fn element_property(&mut self, index: Index, outer: Owner<'_>) -> Element {
        let document = self.document;
        let written =
            document.attribute(index, "elementType").or_else(|| document.attribute(index, "testclass"));
        let written = written.unwrap_or_default();
        let gui = class_of(document.attribute(index, "guiclass").unwrap_or_default());
        let class = upgraded_class(class_of(written));
        let mut element = self.bare(index, class, gui);
        let is_header = written == "org.apache.jmeter.protocol.http.control.Header";
        let owner = Owner { class: alias_of(class), is_header, depth: outer.depth + 1, ..outer };
        element.properties = self.properties(index, owner);
        element
    }

    fn bare(&mut self, index: Index, class: &str, gui: &str) -> Element {
        let attributes = self.document.attributes(index).iter().map(|(key, value)| {
            let encoded = self.form_encoded && matches!(*key, "name" | "testname");
            ((*key).to_owned(), if encoded { form_decode(value) } else { value.to_string() })
        });
        Element {
            class: alias_of(class).to_owned(),
            gui_class: alias_of(upgraded_class(gui)).to_owned(),
            tag: self.document.tag(index).to_owned(),
            attributes: attributes.collect(),
            properties: Vec::new(),
            line: self.document.line(index),
            path: String::new(),
            missing: &[],
        }
    }

    /// Findings about an element of the tree, path included.
    pub(super) fn check(&mut self, element: &Element) {
        if element.attribute("guiclass").is_none() {
            let message = "the attribute `guiclass` is missing; JMeter refuses such a plan";
            self.about(element, Severity::Warning, None, message);
        }
        let mut seen = HashSet::new();
        let is_written = |p: &&Property| !p.name.is_empty() && p.written.as_deref() != Some("");
        for property in element.properties.iter().filter(is_written) {
            if !seen.insert(&*property.name) {
                self.about(
                    element,
                    Severity::Warning,
                    Some(&property.name),
                    "is given twice; the last value is used",
                );
            }
        }
    }

    fn about(
        &mut self,
        element: &Element,
        severity: Severity,
        property: Option<&str>,
        message: impl Into<String>,
    ) {
        let finding = self.findings.add(severity, element.line, message);
        finding.place.element.clone_from(&element.path);
        finding.place.property = property.map(str::to_owned);
    }
}
