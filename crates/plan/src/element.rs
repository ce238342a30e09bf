//! The element tree: one [`Node`] for each element of the plan, with its properties in file order.

/// Identity of an element in its plan: its position in document order, counted from 0. Stable for a given file, so
/// shared state (a CSV cursor, an all-threads timer) can be keyed by it on every worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// An element with the elements in the `hashTree` that follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Identity in the plan.
    pub id: NodeId,
    /// The element itself.
    pub element: Element,
    /// Elements below it, in document order, disabled ones included.
    pub children: Vec<Node>,
}

/// One test element: its class and its properties.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// JMeter 5.6.3's short alias of the class (`ThreadGroup`, `HTTPSamplerProxy`, `ConfigTestElement`), or the full
    /// class name where there is no alias.
    pub class: String,
    /// The `guiclass` attribute as upgraded (`HttpDefaultsGui`); short alias.
    pub gui_class: String,
    /// The tag as it stands in the file.
    pub tag: String,
    /// All attributes of the tag in file order, untouched.
    pub attributes: Vec<(String, String)>,
    /// Properties in file order, with names of JMeter 5.6.3.
    pub properties: Vec<Property>,
    /// Line of the start tag, from 1; 0 for elements made in memory.
    pub line: u32,
    /// Names from the root to this element, joined by ` > `.
    pub path: String,
}

/// A named property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Name, such as `ThreadGroup.num_threads`. Unnamed members of collections have an empty name.
    pub name: String,
    /// Its value.
    pub value: PropertyValue,
}

/// Value of a property by JMeter's kinds. Any text may hold `${...}`, also where JMeter's own kind is a number.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// `stringProp`.
    Text(String),
    /// `intProp`, as written.
    Int(String),
    /// `longProp`, as written.
    Long(String),
    /// `floatProp`, as written.
    Float(String),
    /// `doubleProp`, as written.
    Double(String),
    /// `boolProp`, as written.
    Bool(String),
    /// `elementProp`.
    Element(Box<Element>),
    /// `collectionProp`.
    Collection(Vec<Property>),
    /// `mapProp`.
    Map(Vec<Property>),
    /// `objProp` and every tag that is not known: kept as the XML it came as (the saveConfig of listeners is one).
    Xml(String),
}

impl Node {
    /// This node and all below it, in document order.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }
}

impl Element {
    /// The `testname` attribute, or the name property; empty if there is neither.
    pub fn name(&self) -> &str {
        self.attribute("testname").or_else(|| self.text("TestElement.name")).unwrap_or_default()
    }

    /// Whether it takes part in the run. Missing means yes.
    pub fn enabled(&self) -> bool {
        let written = self.attribute("enabled").or_else(|| self.text("TestElement.enabled"));
        written.is_none_or(|text| !text.trim().eq_ignore_ascii_case("false"))
    }

    /// An attribute of the tag.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<&PropertyValue> {
        self.properties.iter().find(|p| p.name == name).map(|p| &p.value)
    }

    /// A property as text, whatever its simple kind; none for elements, collections and maps.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.property(name)?.as_text()
    }

    /// A property as text, empty if missing.
    pub fn text_or_empty(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// A property as a boolean: `true` in any case is true, every other text false (`Boolean.parseBoolean`), missing
    /// or empty is the default.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        match self.text(name).map(str::trim) {
            None | Some("") => default,
            Some(text) => text.eq_ignore_ascii_case("true"),
        }
    }

    /// An `elementProp`.
    pub fn element(&self, name: &str) -> Option<&Self> {
        match self.property(name)? {
            PropertyValue::Element(element) => Some(element),
            _ => None,
        }
    }

    /// Members of a `collectionProp` or `mapProp`; empty if missing.
    pub fn collection(&self, name: &str) -> &[Property] {
        match self.property(name) {
            Some(PropertyValue::Collection(members) | PropertyValue::Map(members)) => members,
            _ => &[],
        }
    }

    /// Members of a collection that are elements, in order.
    pub fn elements(&self, name: &str) -> impl Iterator<Item = &Self> {
        self.collection(name).iter().filter_map(|p| match &p.value {
            PropertyValue::Element(element) => Some(&**element),
            _ => None,
        })
    }
}

impl PropertyValue {
    /// The text of a simple property; none for elements, collections, maps and raw XML.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(t)
            | Self::Int(t)
            | Self::Long(t)
            | Self::Float(t)
            | Self::Double(t)
            | Self::Bool(t) => Some(t),
            Self::Element(_) | Self::Collection(_) | Self::Map(_) | Self::Xml(_) => None,
        }
    }
}
