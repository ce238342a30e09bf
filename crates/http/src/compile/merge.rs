//! How config elements fill a sampler's gaps (`AbstractTestElement.addProperty`).

use swell_plan::{Element, PropertyValue};

/// GUI classes of config elements that an HTTP sampler takes properties from (`HTTPSamplerBase.applies`).
const APPLIABLE: [&str; 4] = ["HttpDefaultsGui", "LoginConfigGui", "SimpleConfigGui", "TestBeanGUI"];

/// A sampler and the config elements that fill its gaps, innermost first.
pub(super) struct Merged<'p> {
    layers: Vec<&'p Element>,
}

impl<'p> Merged<'p> {
    pub(super) fn new(sampler: &'p Element, configs: impl Iterator<Item = &'p Element>) -> Self {
        let defaults = configs.filter(|config| {
            let gui = config.gui_class.rsplit('.').next().unwrap_or_default();
            config.class == "ConfigTestElement" && APPLIABLE.contains(&gui)
        });
        Self { layers: std::iter::once(sampler).chain(defaults).collect() }
    }

    /// A property as text, with the element it stands in: of the first layer where it is neither missing nor an empty
    /// string.
    pub(super) fn find(&self, name: &str) -> Option<(&'p Element, &'p str)> {
        self.layers.iter().find_map(|layer| match layer.property(name)? {
            PropertyValue::Text(text) if text.is_empty() => None,
            value => value.as_text().map(|text| (*layer, text)),
        })
    }

    /// As [`Merged::find`], the text alone; empty if there is none.
    pub(super) fn text(&self, name: &str) -> &'p str {
        self.find(name).map_or("", |(_, text)| text)
    }

    /// Members of a collection inside an element property, of all layers: own first, then the defaults'.
    pub(super) fn members(&self, property: &str, collection: &str) -> Vec<&'p Element> {
        let inner = self.layers.iter().filter_map(|layer| match layer.property(property)? {
            PropertyValue::Element(element) => Some(&**element),
            _ => None,
        });
        inner.flat_map(|element| element.elements(collection)).collect()
    }
}
