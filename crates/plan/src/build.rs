//! Builds elements in memory.

use crate::element::{Element, Property, PropertyValue};

impl Element {
    /// An enabled element. Parts of other elements (an `HTTPArgument`, say) have neither a GUI
    /// class nor, mostly, a name: leave those empty.
    pub fn new(class: &str, gui_class: &str, name: &str) -> Self {
        let test_class = if gui_class.is_empty() { "" } else { class };
        let enabled = if gui_class.is_empty() { "" } else { "true" };
        let all =
            [("guiclass", gui_class), ("testclass", test_class), ("testname", name), ("enabled", enabled)];
        let given = all.iter().filter(|(_, value)| !value.is_empty());
        Self {
            class: class.to_owned(),
            gui_class: gui_class.to_owned(),
            tag: class.to_owned(),
            attributes: given.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            properties: Vec::new(),
            line: 0,
            path: name.to_owned(),
            missing: &[],
        }
    }

    /// Adds a property of any kind.
    #[must_use]
    pub fn with(mut self, name: &str, value: PropertyValue) -> Self {
        self.properties.push(Property::new(name, value));
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn with_text(self, name: &str, value: &str) -> Self {
        self.with(name, PropertyValue::Text(value.to_owned()))
    }

    /// Adds an integer.
    #[must_use]
    pub fn with_int(self, name: &str, value: i32) -> Self {
        self.with(name, PropertyValue::Int(value.to_string()))
    }

    /// Adds a boolean.
    #[must_use]
    pub fn with_flag(self, name: &str, value: bool) -> Self {
        self.with(name, PropertyValue::Bool(value.to_string()))
    }

    /// Adds an element as a property.
    #[must_use]
    pub fn with_element(mut self, name: &str, value: Self) -> Self {
        self.properties.push(Property::of_element(name, value));
        self
    }

    /// Adds a collection of elements, each under its own name.
    #[must_use]
    pub fn with_elements(self, name: &str, members: impl IntoIterator<Item = Self>) -> Self {
        let named = members.into_iter().map(|member| (member.name().to_owned(), member));
        let members = named.map(|(name, member)| Property::of_element(&name, member));
        self.with(name, PropertyValue::Collection(members.collect()))
    }

    /// The same element, not taking part in the run.
    #[must_use]
    pub fn disabled(mut self) -> Self {
        self.disable();
        self
    }

    /// Takes it out of the run.
    pub fn disable(&mut self) {
        self.set_attribute("enabled", "false");
        // Where both are there, the property counts.
        if self.property("TestElement.enabled").is_some() {
            self.set_text("TestElement.enabled", "false");
        }
    }

    /// Sets a property to a text: in its place if there is one of that name, at the end if there is
    /// none.
    pub fn set_text(&mut self, name: &str, value: &str) {
        let value = PropertyValue::Text(value.to_owned());
        match self.properties.iter_mut().rev().find(|p| p.name == name) {
            Some(property) => *property = Property::new(name, value),
            None => self.properties.push(Property::new(name, value)),
        }
    }

    /// Sets an attribute of the tag.
    pub fn set_attribute(&mut self, name: &str, value: &str) {
        match self.attributes.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.attributes.push((name.to_owned(), value.to_owned())),
        }
    }
}

impl Property {
    /// A property that is written as JMeter writes its kind.
    pub fn new(name: &str, value: PropertyValue) -> Self {
        Self { name: name.to_owned(), value, written: None }
    }

    /// An element as a property.
    pub fn of_element(name: &str, mut element: Element) -> Self {
        "elementProp".clone_into(&mut element.tag);
        let class = element.class.clone();
        element.attributes.retain(|(key, _)| key != "name" && key != "elementType");
        element
            .attributes
            .splice(0..0, [("name".to_owned(), name.to_owned()), ("elementType".to_owned(), class)]);
        Self::new(name, PropertyValue::Element(Box::new(element)))
    }
}
