//! Which variables an element names.

use std::collections::BTreeSet;

use swell_api::{ElementKind, VariableProperty, VariableUse};
use swell_expr::{Reference, references};
use swell_plan::{Element, Property, PropertyValue};

use super::script::{self, Script};

/// The first line of a data file, or the text of a script file, by the name in the plan; none if it
/// cannot be read.
pub type FileText<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The variables that an element names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Names that it sets; `name_1` and the like may be set, too.
    pub(crate) sets: BTreeSet<String>,
    /// Beginnings of names that it sets.
    pub(crate) prefixes: BTreeSet<String>,
    /// Names that it reads for certain.
    pub(crate) reads: BTreeSet<String>,
    /// Those of them in `${…}` in texts that are not scripts, with the property.
    pub(crate) references: Vec<(String, String)>,
    /// Texts that may be names of variables that it sets or reads.
    pub(crate) mentions: BTreeSet<String>,
    /// Texts in quotes of its scripts.
    pub(crate) literals: BTreeSet<String>,
    /// Texts that may be names of variables that it sets, since its class is unknown.
    pub(crate) may_set: BTreeSet<String>,
    /// It may set variables that no text of the plan names.
    pub(crate) sets_any: bool,
    /// It may read variables that no text of the plan names.
    pub(crate) reads_any: bool,
}

/// Properties of every element that has a choice of the variable to look at.
const SCOPE: &[VariableProperty] = &[("Scope.variable", VariableUse::Reads)];

/// What an element of that kind names.
pub(crate) fn uses(element: &Element, kind: Option<&ElementKind>, file: &FileText<'_>) -> Uses {
    let mut uses = Uses::default();
    let named = kind.map_or(&[][..], |kind| kind.variables);
    for (property, usage) in named.iter().chain(SCOPE) {
        if *usage == VariableUse::Anything {
            uses.sets_any = true;
            uses.reads_any = true;
        }
        let texts = element.texts_of(property);
        for text in &texts {
            uses.by_property(text, *usage);
        }
        let is_empty = texts.iter().all(|text| text.trim().is_empty());
        if is_empty && matches!(usage, VariableUse::SetsListOrHeader(_)) {
            uses.header(element, file);
        }
    }
    // What a class does that no table describes is only known from its texts.
    let is_unknown = kind.is_none();
    uses.reference("", element.name(), false);
    uses.properties(&element.properties, "", is_unknown);
    uses.script_file(element, file);
    uses
}

impl Uses {
    fn by_property(&mut self, text: &str, usage: VariableUse) {
        usage.names_set(text).for_each(|name| self.sets(name));
        if usage == VariableUse::Reads && !text.trim().is_empty() && !text.contains("${") {
            self.reads.insert(text.trim().to_owned());
        }
    }

    /// A name that is made of others begins as it does.
    fn sets(&mut self, name: &str) {
        let name = name.trim();
        match name.split_once("${") {
            Some(("", _)) => self.sets_any = true,
            Some((start, _)) => _ = self.prefixes.insert(start.to_owned()),
            None if !name.is_empty() => _ = self.sets.insert(name.to_owned()),
            None => {}
        }
    }

    /// The names in the first line of a data file.
    fn header(&mut self, element: &Element, file: &FileText<'_>) {
        let name = element.text_or_empty("filename");
        let line = if name.contains("${") { None } else { file(name) };
        let Some(text) = line else {
            self.sets_any = true;
            return;
        };
        let line = text.lines().next().unwrap_or_default().trim_start_matches('\u{feff}');
        let delimiter = element.text("delimiter").filter(|text| !text.is_empty()).unwrap_or(",");
        let delimiter = if delimiter == "\\t" { "\t" } else { delimiter };
        line.split(delimiter).for_each(|name| self.sets(name.trim().trim_matches('"')));
    }

    fn properties(&mut self, properties: &[Property], list: &str, is_unknown: bool) {
        for property in properties {
            let name = if property.name.is_empty() { list } else { &property.name };
            match &property.value {
                PropertyValue::Element(element) => {
                    self.properties(&element.properties, name, is_unknown);
                }
                PropertyValue::Collection(members) | PropertyValue::Map(members) => {
                    self.properties(members, name, is_unknown);
                }
                PropertyValue::Xml(text) => self.text(name, text, is_unknown),
                value => self.text(name, value.as_text().unwrap_or_default(), is_unknown),
            }
        }
    }

    fn text(&mut self, property: &str, text: &str, is_unknown: bool) {
        // What an element says about itself is not evaluated.
        if property == "TestPlan.comments" {
            return;
        }
        let is_script = script::is_script(text);
        if is_script {
            self.script(&Script::read(text));
        }
        self.reference(property, text, is_script);
        let is_short = text.len() <= 200;
        if is_short {
            let tokens = text.split([',', ';', '|', ' ', '\n', '\t']).map(str::trim);
            self.mentions.extend(tokens.filter(|token| !token.is_empty()).map(str::to_owned));
        }
        if is_unknown && is_short && !text.trim().is_empty() {
            let tokens = text.split([',', ';', '|']).map(str::trim).filter(|token| script::is_name(token));
            self.may_set.extend(tokens.map(str::to_owned));
        }
    }

    /// The references of a text.
    fn reference(&mut self, property: &str, text: &str, is_script: bool) {
        for reference in references(text) {
            match reference {
                Reference::Variable(name) => {
                    if !is_script {
                        self.references.push((property.to_owned(), name.clone()));
                    }
                    _ = self.reads.insert(name);
                }
                Reference::Call { name, arguments } => self.call(&name, &arguments),
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[String]) {
        let known = swell_expr::function(name);
        for (position, argument) in arguments.iter().enumerate() {
            let text = argument.trim();
            match &known {
                Some(known) if known.names_variable(position, arguments.len()) => {
                    self.sets(text);
                    self.mentions.insert(text.to_owned());
                }
                // One of a plug-in may set what it names.
                None if script::is_name(text) => self.sets(text),
                _ => self.mentions.extend(text.split('|').map(|name| name.trim().to_owned())),
            }
            if script::is_script(argument) {
                self.script(&Script::read(&argument.replace("\\,", ",")));
            }
        }
        // Names that are made while the test runs.
        let makes_name = ["__V", "__eval", "__evalVar"].contains(&name);
        if makes_name && arguments.first().is_some_and(|argument| argument.contains("${")) {
            let start = arguments[0].split("${").next().unwrap_or_default();
            if start.is_empty() {
                self.reads_any = true;
            } else {
                self.mentions.extend(super::stems(start).map(str::to_owned));
                self.mentions.insert(start.trim_end_matches('_').to_owned());
            }
        }
    }

    fn script(&mut self, script: &Script) {
        self.sets.extend(script.sets.iter().cloned());
        self.prefixes.extend(script.prefixes.iter().cloned());
        self.reads.extend(script.reads.iter().cloned());
        self.literals.extend(script.literals.iter().cloned());
        self.sets_any |= script.sets_any;
        self.reads_any |= script.reads_any;
    }

    /// A script in a file: what it says, or anything if it cannot be read.
    fn script_file(&mut self, element: &Element, file: &FileText<'_>) {
        let name = element.script_file();
        if !element.runs_script() || name.is_empty() {
            return;
        }
        if let Some(text) = if name.contains("${") { None } else { file(name) } {
            self.script(&Script::read(&text));
        } else {
            self.sets_any = true;
            self.reads_any = true;
        }
    }
}
