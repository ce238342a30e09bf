//! The save configuration of a listener.

use crate::element::{Element, PropertyValue};
use crate::xml::parse;

impl Element {
    /// The choices of a listener's `saveConfig` (JMeter class `SampleSaveConfiguration`) in file
    /// order: names such as `responseData` with texts such as `true`. None if the listener has
    /// none; then properties decide.
    pub fn save_config(&self) -> Option<Vec<(String, String)>> {
        let PropertyValue::Xml(xml) = self.property("saveConfig")? else { return None };
        let document = parse(xml).ok()?;
        let value = document.child(document.root(), "value")?;
        let choices = document.children(value);
        Some(choices.map(|c| (document.tag(c).to_owned(), document.text(c).to_owned())).collect())
    }
}
