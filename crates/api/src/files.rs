//! Files that elements name.

use swell_plan::{Element, Property, PropertyValue};

use crate::role::is_result_collector;
use crate::{ElementKind, Registry, Role, Treatment};

/// What an element does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// Reads it.
    Read,
    /// Reads several, whose names this character separates.
    ReadList(char),
    /// Reads it, or all files below it whose names have that ending, if it is a folder.
    ReadFolder(&'static str),
    /// As [`Self::ReadFolder`], several, whose names this character separates.
    ReadFolders(char, &'static str),
    /// Reads it as a part of the plan.
    ReadPlan,
    /// Writes it.
    Write,
    /// Writes a row for each sample to it, in JMeter's format of results files.
    WriteResults,
}

/// A property that names a file, of the element itself or of an element in it, and its use.
pub type FileProperty = (&'static str, FileUse);

/// A file that an element names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedFile<'a> {
    /// The property.
    pub property: &'a str,
    /// The name as the plan has it, without blanks around it; never empty.
    pub text: &'a str,
    /// What the element does with it.
    pub usage: FileUse,
}

impl FileUse {
    /// Whether the element reads the file.
    pub fn reads(self) -> bool {
        !matches!(self, Self::Write | Self::WriteResults)
    }

    /// What separates several names in one property.
    fn separator(self) -> Option<char> {
        match self {
            Self::ReadList(separator) | Self::ReadFolders(separator, _) => Some(separator),
            _ => None,
        }
    }

    /// The ending of the files that it reads below a folder.
    pub fn ending(self) -> Option<&'static str> {
        match self {
            Self::ReadFolder(ending) | Self::ReadFolders(_, ending) => Some(ending),
            _ => None,
        }
    }
}

impl ElementKind {
    /// With properties that name files.
    #[must_use]
    pub fn files(self, files: &'static [FileProperty]) -> Self {
        Self { files, ..self }
    }
}

/// How the files of an element are found.
enum Rule {
    /// Its kinds say which properties name files.
    Table(Vec<FileProperty>),
    /// No kind describes its class.
    ByName,
}

impl Rule {
    fn usage(&self, property: &str) -> Option<FileUse> {
        match self {
            Self::Table(files) => files.iter().find(|(name, _)| *name == property).map(|(_, usage)| *usage),
            Self::ByName => property.to_ascii_lowercase().contains("file").then_some(FileUse::Read),
        }
    }
}

impl Registry {
    /// The files that an element names, in the order of its properties.
    ///
    /// The kinds of its class say which properties name files, whichever of them runs the element.
    /// A class that no kind of the table describes reads the files that its properties with `file`
    /// in their names name. An unknown listener reads none: those of plug-ins write.
    pub fn files<'a>(&self, element: &'a Element) -> Vec<NamedFile<'a>> {
        let rule = self.rule(element);
        let mut found = Vec::new();
        take_element(element, &rule, &mut found);
        found
    }

    /// Gives the files that an element names other names: those that `rename` returns.
    pub fn rename_files(
        &self,
        element: &mut Element,
        rename: &mut dyn FnMut(NamedFile<'_>) -> Option<String>,
    ) {
        let rule = self.rule(element);
        rename_in_element(element, &rule, rename);
    }

    fn rule(&self, element: &Element) -> Rule {
        let of_class = self.of_class(&element.class);
        if !of_class.is_empty() {
            return Rule::Table(of_class.iter().flat_map(|kind| kind.files).copied().collect());
        }
        match self.kind(element) {
            Some(kind) if kind.treatment == Treatment::Native => Rule::Table(kind.files.to_vec()),
            _ if is_result_collector(&element.class) => {
                Rule::Table(vec![("filename", FileUse::WriteResults)])
            }
            _ if self.role(element) == Some(Role::Listener) => Rule::Table(Vec::new()),
            _ => Rule::ByName,
        }
    }
}

fn take_element<'a>(element: &'a Element, rule: &Rule, found: &mut Vec<NamedFile<'a>>) {
    for property in &element.properties {
        take_property(property, &property.name, rule, found);
    }
}

/// Takes a property, or a member of a collection, which has the name of the collection.
fn take_property<'a>(property: &'a Property, name: &'a str, rule: &Rule, found: &mut Vec<NamedFile<'a>>) {
    match &property.value {
        PropertyValue::Element(element) => take_element(element, rule, found),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            for member in members {
                take_property(member, name, rule, found);
            }
        }
        PropertyValue::Text(text) => {
            let Some(usage) = rule.usage(name) else { return };
            let texts: Vec<&str> = match usage.separator() {
                Some(separator) => text.split(separator).collect(),
                None => vec![text],
            };
            let texts = texts.into_iter().map(str::trim).filter(|text| !text.is_empty());
            found.extend(texts.map(|text| NamedFile { property: name, text, usage }));
        }
        _ => {}
    }
}

fn rename_in_element(
    element: &mut Element,
    rule: &Rule,
    rename: &mut dyn FnMut(NamedFile<'_>) -> Option<String>,
) {
    for property in &mut element.properties {
        let name = property.name.clone();
        rename_in_property(property, &name, rule, rename);
    }
}

fn rename_in_property(
    property: &mut Property,
    name: &str,
    rule: &Rule,
    rename: &mut dyn FnMut(NamedFile<'_>) -> Option<String>,
) {
    match &mut property.value {
        PropertyValue::Element(element) => rename_in_element(element, rule, rename),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            for member in members {
                rename_in_property(member, name, rule, rename);
            }
        }
        PropertyValue::Text(text) => {
            let Some(usage) = rule.usage(name) else { return };
            let mut is_renamed = false;
            let mut renamed = |part: &str| {
                let text = part.trim();
                let named = NamedFile { property: name, text, usage };
                let new = if text.is_empty() { None } else { rename(named) };
                is_renamed |= new.is_some();
                new.unwrap_or_else(|| part.to_owned())
            };
            let new = match usage.separator() {
                Some(separator) => {
                    text.split(separator).map(renamed).collect::<Vec<_>>().join(&separator.to_string())
                }
                None => renamed(text),
            };
            if is_renamed {
                property.written = None;
                property.value = PropertyValue::Text(new);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Make, Provider};

    const FILES: &[FileProperty] =
        &[("in", FileUse::Read), ("jars", FileUse::ReadList(',')), ("out", FileUse::Write)];

    fn kind(class: &'static str) -> ElementKind {
        ElementKind::native(Role::Sampler, class, class, Make::Nothing)
    }

    fn texts(registry: &Registry, element: &Element) -> Vec<String> {
        let shown = |file: &NamedFile<'_>| format!("{} {} {:?}", file.property, file.text, file.usage);
        registry.files(element).iter().map(shown).collect()
    }

    #[test]
    fn a_kind_says_which_properties_name_files() {
        let registry = Registry::of([kind("Reader").files(FILES), kind("Silent")]);
        let inner = Element::new("Part", "", "").with_text("in", "c.txt").with_text("file", "d.txt");
        let element = |class: &str| {
            Element::new(class, "", "e")
                .with_text("in", " a.txt ")
                .with_text("jars", "a.jar, b.jar,")
                .with_text("out", "${name}.txt")
                .with_text("text", "a.txt")
                .with_text("filename", "a.txt")
                .with_elements("parts", [inner.clone()])
        };
        let all = [
            "in a.txt Read",
            "jars a.jar ReadList(',')",
            "jars b.jar ReadList(',')",
            "out ${name}.txt Write",
            "in c.txt Read",
        ];
        assert_eq!(texts(&registry, &element("Reader")), all);
        assert_eq!(texts(&registry, &element("Silent")), [""; 0], "it is known to name none");
    }

    #[test]
    fn files_get_other_names_and_other_texts_stay() {
        let registry = Registry::of([kind("Reader").files(FILES)]);
        let mut element = Element::new("Reader", "", "e")
            .with_text("in", " a.jar")
            .with_text("jars", "x.jar, a.jar")
            .with_text("text", "a.jar")
            .with_elements("parts", [Element::new("Part", "", "").with_text("in", "a.jar")]);
        registry.rename_files(&mut element, &mut |file| {
            (file.text == "a.jar").then(|| format!("/{}/b.jar", file.property))
        });
        assert_eq!(element.text("in"), Some("/in/b.jar"));
        assert_eq!(element.text("jars"), Some("x.jar,/jars/b.jar"));
        assert_eq!(element.text("text"), Some("a.jar"));
        let part = element.elements("parts").next().expect("one");
        assert_eq!(part.text("in"), Some("/in/b.jar"));
    }

    #[test]
    fn kinds_of_one_class_share_their_files() {
        let native = kind("Reader").when("mode", &["a"]).files(FILES);
        let on_jvm = ElementKind::needs_jvm(Role::Sampler, "Reader", "Reader on the JVM", "it is Java");
        let registry = Registry::of([native, on_jvm]);
        let element = Element::new("Reader", "", "e").with_text("mode", "b").with_text("in", "a.txt");
        assert_eq!(texts(&registry, &element), ["in a.txt Read"]);
    }

    #[test]
    fn a_class_that_no_kind_describes_reads_what_properties_called_file_name() {
        struct Plugins;
        impl Provider for Plugins {
            fn find(&self, class: &str, _role: Option<Role>) -> Option<ElementKind> {
                let own = class.to_owned();
                match class {
                    "com.example.RustSampler" => {
                        let kind = ElementKind::native(Role::Sampler, own, "Rust", Make::Nothing);
                        Some(kind.files(FILES))
                    }
                    _ => Some(ElementKind::on_jvm(
                        Role::by_name(class)?,
                        own,
                        "Java",
                        "it is Java",
                        Make::Nothing,
                    )),
                }
            }
        }
        let mut registry = Registry::default();
        registry.add_provider(std::sync::Arc::new(Plugins));
        let element = |class: &str| {
            Element::new(class, "", "e")
                .with_text("in", "a.txt")
                .with_text("keyFile", "b.txt")
                .with_text("script", "c.txt")
        };
        assert_eq!(texts(&registry, &element("com.example.JavaSampler")), ["keyFile b.txt Read"]);
        assert_eq!(texts(&registry, &element("com.example.Thing")), ["keyFile b.txt Read"]);
        assert_eq!(texts(&registry, &element("com.example.FileListener")), [""; 0], "it writes");
        assert_eq!(texts(&registry, &element("com.example.RustSampler")), ["in a.txt Read"]);
        let collector =
            Element::new("com.example.SlowResultCollector", "", "e").with_text("filename", "a.jtl");
        assert_eq!(texts(&registry, &collector), ["filename a.jtl WriteResults"]);
    }
}
