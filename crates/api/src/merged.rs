//! Merges a sampler with the config elements that fill its gaps
//! (`AbstractTestElement.addProperty`).

use swell_expr::Template;
use swell_plan::{Element, PropertyValue};

use crate::{CONFIG_TEST_ELEMENT, CompileContext, SamplerInput};

/// A sampler and the config elements that fill its gaps, innermost first.
pub struct Merged<'p> {
    layers: Vec<&'p Element>,
}

impl<'p> Merged<'p> {
    /// The sampler and those of its `ConfigTestElement`s whose GUI class is one of `guis`
    /// (`Sampler.applies`).
    pub fn new(input: &SamplerInput<'p>, guis: &[&str]) -> Self {
        let configs = input.configs.iter().map(|node| &node.element).filter(|config| {
            let gui = config.gui_class.rsplit('.').next().unwrap_or_default();
            config.class == CONFIG_TEST_ELEMENT && guis.contains(&gui)
        });
        Self { layers: std::iter::once(&input.sampler.element).chain(configs).collect() }
    }

    /// A property as text, with its element: of the first layer where it is neither missing nor an
    /// empty string.
    pub fn find(&self, name: &str) -> Option<(&'p Element, &'p str)> {
        self.layers.iter().find_map(|layer| match layer.property(name)? {
            PropertyValue::Text(text) if text.is_empty() => None,
            value => value.as_text().map(|text| (*layer, text)),
        })
    }

    /// As [`Merged::find`], the text alone; empty if there is none.
    pub fn text(&self, name: &str) -> &'p str {
        self.find(name).map_or("", |(_, text)| text)
    }

    /// As [`Merged::find`], parsed; problems are reported for the element of the text. A missing
    /// property has the default text.
    pub fn template(&self, name: &str, default: &str, compile: &CompileContext) -> Template {
        match self.find(name) {
            Some((element, text)) => compile.text(element, name, text),
            None => Template::constant_text(default),
        }
    }

    /// Members of a collection inside an element property, of all layers: own first, then the
    /// defaults'.
    pub fn members(&self, property: &str, collection: &str) -> Vec<&'p Element> {
        let inner = self.layers.iter().filter_map(|layer| match layer.property(property)? {
            PropertyValue::Element(element) => Some(&**element),
            _ => None,
        });
        inner.flat_map(|element| element.elements(collection)).collect()
    }
}
