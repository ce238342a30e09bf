//! The element tree: one [`Node`] for each element of the plan, with its properties in file order.

use crate::tag_kind::TagKind;

/// Identity of an element in its plan: its position in document order, counted from 0. Stable for a
/// given file, so shared state (a CSV cursor, an all-threads timer) can be keyed by it on every
/// worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// An element, and the elements in the `hashTree` that follows it.
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
    /// JMeter 5.6.3's short alias of the class (`ThreadGroup`, `HTTPSamplerProxy`,
    /// `ConfigTestElement`), or the full class name if it has no alias.
    pub class: String,
    /// The `guiclass` attribute as upgraded (`HttpDefaultsGui`); short alias.
    pub gui_class: String,
    /// The tag in the file.
    pub tag: String,
    /// All attributes of the tag in file order, untouched.
    pub attributes: Vec<(String, String)>,
    /// Properties in file order, with names of JMeter 5.6.3.
    pub properties: Vec<Property>,
    /// Line of the start tag, from 1; 0 for elements made in memory.
    pub line: u32,
    /// Names from the root to this element, joined by ` > `. An element in a property has the path
    /// of the one around it.
    pub path: String,
    /// Values of properties that are missing. A plan that was read has none: the table of elements
    /// gives them to the elements that run.
    pub missing: &'static [MissingValue],
}

/// The value of a property of a TestBean that a plan lacks.
///
/// A run of JMeter without its window takes the conversion of an empty text
/// (`TestBeanHelper.prepare`): false, 0 or nothing, and not the default of the BeanInfo, which only
/// the window applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingValue {
    /// The property.
    pub property: &'static str,
    /// What a run takes.
    pub run: &'static str,
    /// What JMeter's editor shows.
    pub editor: &'static str,
}

impl MissingValue {
    /// The value of a property in a run and in JMeter's editor.
    pub const fn new(property: &'static str, run: &'static str, editor: &'static str) -> Self {
        Self { property, run, editor }
    }
}

/// A named property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Name, such as `ThreadGroup.num_threads`. Unnamed members of collections and abolished
    /// properties have an empty name.
    pub name: String,
    /// Its value.
    pub value: PropertyValue,
    /// The XML that is written for it, if that is not what JMeter 5.6.3 would write for name and
    /// value: an old name, a translated choice, another layout. Empty for a property that
    /// represents others and is not written itself. Code that changes name or value sets this to
    /// none.
    pub written: Option<Box<str>>,
}

/// The value of a property, by JMeter's types. Any text may contain `${...}`, even if JMeter's type
/// is a number.
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
    /// `objProp` and every tag that is not known: kept as the XML it came as (the saveConfig of
    /// listeners is one).
    Xml(String),
}

impl Node {
    /// A node without children, to be numbered by [`crate::Plan::new`].
    pub fn new(element: Element) -> Self {
        Self { id: NodeId(0), element, children: Vec::new() }
    }

    /// Adds a child at the end.
    #[must_use]
    pub fn with(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    /// This node and all below it, in document order.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }
}

impl Element {
    /// The name property, or the `testname` attribute; empty if there is neither. JMeter reads the
    /// attributes first, so a property overrides them.
    pub fn name(&self) -> &str {
        self.text("TestElement.name").or_else(|| self.attribute("testname")).unwrap_or_default()
    }

    /// Whether it takes part in the run. Missing means yes; every text but `true` means no
    /// (`AbstractTestElement.isEnabled`).
    pub fn enabled(&self) -> bool {
        let written = self.text("TestElement.enabled").or_else(|| self.attribute("enabled"));
        written.is_none_or(|text| text.eq_ignore_ascii_case("true"))
    }

    /// An attribute of the tag.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value of a property as written; of doubles the last, as in JMeter.
    pub fn property(&self, name: &str) -> Option<&PropertyValue> {
        self.properties.iter().rev().find(|p| p.name == name).map(|p| &p.value)
    }

    /// A property as text, whatever its simple kind; none for elements, collections and maps. Where
    /// the property is missing, what [`Element::missing`] has for it.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.property(name) {
            Some(value) => value.as_text(),
            None => self.missing.iter().find(|missing| missing.property == name).map(|missing| missing.run),
        }
    }

    /// A property as text, empty if missing.
    pub fn text_or_empty(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// A property as a boolean: `true` in any case is true, every other text false
    /// (`Boolean.parseBoolean`), missing or empty is the default.
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

impl Element {
    /// Whether it runs a script: an element of JSR 223, BeanShell or BSF.
    pub fn runs_script(&self) -> bool {
        ["JSR223", "BeanShell", "BSF"].iter().any(|start| self.class.starts_with(start))
    }

    /// The file that its script is in; empty if the script is in the plan.
    pub fn script_file(&self) -> &str {
        let of_file = |name: &str| name == "filename" || name.ends_with(".filename");
        let files = self.properties.iter().filter(|property| of_file(&property.name));
        let mut names = files.filter_map(|property| property.value.as_text()).map(str::trim);
        names.find(|name| !name.is_empty()).unwrap_or_default()
    }

    /// Whether this holds for one of its texts: attributes, names and values of properties, and
    /// those of elements in them.
    pub fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        self.attributes.iter().any(|(_, value)| holds(value))
            || self.properties.iter().any(|property| property.any_text(holds))
    }

    /// Texts of a property and of what is in it, wherever it is: of this element or of elements in
    /// it.
    pub fn texts_of(&self, name: &str) -> Vec<&str> {
        let mut found = Vec::new();
        for property in &self.properties {
            property.texts_of(name, false, &mut found);
        }
        found
    }
}

impl Property {
    fn texts_of<'p>(&'p self, name: &str, is_inside: bool, found: &mut Vec<&'p str>) {
        let is_it = is_inside || self.name == name;
        match &self.value {
            PropertyValue::Element(element) => {
                for property in &element.properties {
                    property.texts_of(name, is_it, found);
                }
            }
            PropertyValue::Collection(members) | PropertyValue::Map(members) => {
                for member in members {
                    member.texts_of(name, is_it, found);
                }
            }
            value if is_it => found.extend(value.as_text()),
            _ => {}
        }
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        holds(&self.name)
            || match &self.value {
                PropertyValue::Element(element) => element.any_text(holds),
                PropertyValue::Collection(members) | PropertyValue::Map(members) => {
                    members.iter().any(|member| member.any_text(holds))
                }
                PropertyValue::Xml(text) => holds(text),
                simple => simple.as_text().is_some_and(holds),
            }
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

    /// Another text as a value of the same simple kind, if JMeter can read it as one; none for
    /// elements, collections, maps and raw XML.
    pub fn with_text(&self, text: &str) -> Option<Self> {
        let kind = TagKind::of_value(self);
        self.as_text()?;
        if kind.accepts(text) { kind.simple(text.to_owned()) } else { None }
    }
}
