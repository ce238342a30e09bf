//! The words for each finding (`TidyMessages.properties` of JTidy, in English).

use super::node::{Attribute, Id, Kind};
use super::page::Page;
use super::report::Level;
use super::tags::Tag;

/// What is found in the order of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    MissingEndFor,
    MissingEndBefore,
    Discarding,
    NestedEmphasis,
    CoerceToEnd,
    NonMatchingEnd,
    NotAllowedIn,
    DoctypeAfterTags,
    MissingStart,
    UnexpectedEnd,
    TooMany,
    UsingBr,
    Inserting,
    CantBeNested,
    Proprietary,
    Obsolete,
    Unescaped,
    TrimEmpty,
    MissingTitle,
    IllegalNesting,
    NoframesContent,
    InconsistentVersion,
    MalformedDoctype,
    ContentAfterBody,
    MalformedComment,
    InconsistentNamespace,
    NotUpperCase,
    EndOfFile,
    NestedQuotation,
    NotEmpty,
    MissingDoctype,
}

/// What is counted as an error. Some of it is not written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    MissingQuote,
    DuplicateFrameset,
    UnknownElement,
    UnexpectedEnd,
    Silent,
}

/// What is found in attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttributeFinding {
    Unknown,
    Missing,
    MissingValue,
    MissingImageMap,
    BadValue,
    XmlIdSyntax,
    XmlAttribute,
    UnexpectedGt,
    UnexpectedQuote,
    MissingQuote,
    Repeated,
    ProprietaryValue,
    Proprietary,
    EndOfFile,
    IdNameMismatch,
    FixedBackslash,
    EscapedUrl,
    NewlineInUrl,
    AnchorNotUnique,
    EntityInId,
    Joining,
    UnexpectedEquals,
    NotLowerCase,
}

/// What is found in entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntityFinding {
    MissingSemicolon,
    Unknown,
    Unescaped,
    Apos,
}

impl Page {
    /// A warning about a node in an element.
    pub(super) fn warn(
        &mut self,
        finding: Finding,
        element: impl Into<Option<Id>>,
        node: impl Into<Option<Id>>,
    ) {
        let is_bad_form = finding == Finding::Discarding && self.report.bad_form;
        if !is_bad_form {
            self.report.warning();
        }
        if finding == Finding::EndOfFile && self.report.errors <= 6 {
            self.mark_place();
        }
        if !self.report.is_heard() {
            return;
        }
        let level = match finding {
            Finding::NestedEmphasis | Finding::CoerceToEnd => Level::Info,
            Finding::Discarding if is_bad_form => Level::Error,
            _ => Level::Warning,
        };
        let message = self.say(finding, element.into(), node.into());
        self.report.tell(level, &message);
    }

    fn say(&self, finding: Finding, element: Option<Id>, node: Option<Id>) -> String {
        use Finding as F;
        let (tag, name) = (self.tag_of(node), self.name_of(node));
        let (in_tag, in_name) = (self.tag_of(element), self.name_of(element));
        match finding {
            F::MissingEndFor => format!("missing </{in_name}>"),
            F::MissingEndBefore => format!("missing </{in_name}> before {tag}"),
            F::Discarding => format!("discarding unexpected {tag}"),
            F::NestedEmphasis => format!("nested emphasis {tag}"),
            F::CoerceToEnd => format!("<{in_name}> is probably intended as </{in_name}>"),
            F::NonMatchingEnd => format!("replacing unexpected {tag} by </{in_name}>"),
            F::NotAllowedIn => format!("{tag} isn't allowed in <{in_name}> elements"),
            F::DoctypeAfterTags => "<!DOCTYPE> isn't allowed after elements".to_owned(),
            F::MissingStart => format!("missing <{name}>"),
            F::UnexpectedEnd if element.is_some() => format!("unexpected </{name}> in <{in_name}>"),
            F::UnexpectedEnd => format!("unexpected </{name}>"),
            F::TooMany => format!("too many {name} elements in <{in_name}>"),
            F::UsingBr => format!("using <br> in place of {tag}"),
            F::Inserting => format!("inserting implicit <{name}>"),
            F::CantBeNested => format!("{tag} can't be nested"),
            F::Proprietary => format!("{tag} is not approved by W3C"),
            F::Obsolete => {
                let is_obsolete =
                    element.is_some_and(|element| self.tree[element].has(super::models::OBSOLETE));
                let what = if is_obsolete { "obsolete element" } else { "element" };
                format!("replacing {what} {in_tag} by {tag}")
            }
            F::Unescaped => format!("unescaped {in_tag} in pre content"),
            F::TrimEmpty => format!("trimming empty {in_tag}"),
            F::MissingTitle => "inserting missing 'title' element".to_owned(),
            F::IllegalNesting => format!("{in_tag} shouldn't be nested"),
            F::NoframesContent => format!("{tag} not inside 'noframes' element"),
            F::InconsistentVersion => "html doctype doesn't match content".to_owned(),
            F::MalformedDoctype => "expected \"html PUBLIC\" or \"html SYSTEM\"".to_owned(),
            F::ContentAfterBody => "content occurs after end of body".to_owned(),
            F::MalformedComment => "adjacent hyphens within comment".to_owned(),
            F::InconsistentNamespace => "html namespace doesn't match content".to_owned(),
            F::NotUpperCase => "SYSTEM, PUBLIC, W3C, DTD, EN must be upper case".to_owned(),
            F::EndOfFile => format!("end of file while parsing attributes {in_tag}"),
            F::NestedQuotation => "nested q elements, possible typo".to_owned(),
            F::NotEmpty => format!("{in_tag} element not empty or not closed"),
            F::MissingDoctype => "missing <!DOCTYPE> declaration".to_owned(),
        }
    }

    /// An error.
    pub(super) fn fault(&mut self, fault: Fault, element: Option<Id>, node: Option<Id>) {
        self.report.error();
        if !self.report.is_heard() {
            return;
        }
        let message = match fault {
            Fault::MissingQuote => "missing quotemark for attribute value".to_owned(),
            Fault::DuplicateFrameset => "repeated FRAMESET element".to_owned(),
            Fault::UnknownElement => format!("{} is not recognized!", self.tag_of(node)),
            Fault::UnexpectedEnd => {
                format!("unexpected </{}> in <{}>", self.name_of(node), self.name_of(element))
            }
            Fault::Silent => return,
        };
        self.report.tell(Level::Error, &message);
    }

    /// A finding about an attribute of a node.
    pub(super) fn attribute(
        &mut self,
        finding: AttributeFinding,
        node: Option<Id>,
        attribute: Option<&Attribute>,
    ) {
        if finding == AttributeFinding::UnexpectedGt {
            self.report.error();
        } else {
            self.report.warning();
        }
        if finding == AttributeFinding::EndOfFile && self.report.errors <= 6 {
            self.mark_place();
        }
        if !self.report.is_heard() {
            return;
        }
        let message = self.say_attribute(finding, node, attribute);
        let is_error = finding == AttributeFinding::UnexpectedGt;
        self.report.tell(if is_error { Level::Error } else { Level::Warning }, &message);
    }

    fn say_attribute(
        &self,
        finding: AttributeFinding,
        node: Option<Id>,
        attribute: Option<&Attribute>,
    ) -> String {
        use AttributeFinding as F;
        let tag = self.tag_of(node);
        let name = attribute.and_then(|attribute| attribute.name.as_deref()).unwrap_or("null");
        let value = attribute.and_then(|attribute| attribute.value.as_deref()).unwrap_or("null");
        match finding {
            F::Unknown => format!("unknown attribute \"{name}\""),
            F::Missing => format!("{tag} lacks \"{name}\" attribute"),
            F::MissingValue => format!("{tag} attribute \"{name}\" lacks value"),
            F::MissingImageMap => format!("{tag} should use client-side image map"),
            F::BadValue => format!("{tag} attribute \"{name}\" has invalid value \"{value}\""),
            F::XmlIdSyntax => format!("ID \"{tag}\" uses XML ID syntax"),
            F::XmlAttribute => format!("{tag} has XML attribute \"{name}\""),
            F::UnexpectedGt => format!("{tag} missing '>' for end of tag"),
            F::UnexpectedQuote => format!("{tag} unexpected or duplicate quote mark"),
            F::MissingQuote => format!("{tag} attribute with missing trailing quote mark"),
            F::Repeated => format!("{tag} dropping value \"{value}\" for repeated attribute \"{name}\""),
            F::ProprietaryValue => format!("{tag} proprietary attribute value \"{value}\""),
            F::Proprietary => format!("{tag} proprietary attribute \"{name}\""),
            F::EndOfFile => format!("end of file while parsing attributes {tag}"),
            F::IdNameMismatch => format!("{tag} id and name attribute value mismatch"),
            F::FixedBackslash => format!("{tag} converting backslash in URI to slash"),
            F::EscapedUrl => format!("{tag} escaping malformed URI reference"),
            F::NewlineInUrl => format!("{tag} discarding newline in URI reference"),
            F::AnchorNotUnique => format!("{tag} Anchor \"{value}\" already defined"),
            F::EntityInId => "no entities allowed in id attribute, discarding \"&\"".to_owned(),
            F::Joining => format!("{tag} joining values of repeated attribute \"{name}\""),
            // JTidy's text has quotes that `MessageFormat` eats.
            F::UnexpectedEquals => format!("{tag} unexpected =, expected attribute name"),
            F::NotLowerCase => {
                format!("{tag} attribute value \"{value}\" for \"{name}\" must be lower case for XHTML")
            }
        }
    }

    /// A finding about an entity.
    pub(super) fn entity_finding(&mut self, finding: EntityFinding, entity: &str) {
        self.report.warning();
        if !self.report.is_heard() {
            return;
        }
        let message = match finding {
            EntityFinding::MissingSemicolon => format!("Warning: entity \"{entity}\" doesn't end in ';'"),
            EntityFinding::Unknown => format!("Warning: unescaped & or unknown entity \"{entity}\""),
            EntityFinding::Unescaped => "Warning: unescaped & which should be written as &amp;".to_owned(),
            EntityFinding::Apos => "Named Entity &apos; only defined in XML/XHTML".to_owned(),
        };
        self.report.tell(Level::Warning, &message);
    }

    fn name_of(&self, node: Option<Id>) -> &str {
        node.and_then(|node| self.tree[node].name.as_deref()).unwrap_or("null")
    }

    fn tag_of(&self, node: Option<Id>) -> String {
        let Some(id) = node else { return String::new() };
        match self.tree[id].kind {
            Kind::Start => format!("<{}>", self.name_of(node)),
            Kind::End => format!("</{}>", self.name_of(node)),
            Kind::Doctype => "<!DOCTYPE>".to_owned(),
            Kind::Text => "plain text".to_owned(),
            _ => self.name_of(node).to_owned(),
        }
    }

    /// A warning that an attribute is missing.
    pub(super) fn lacks(&mut self, node: Id, name: &str) {
        let missing = Attribute::new(name, Some(""));
        self.attribute(AttributeFinding::Missing, Some(node), Some(&missing));
    }

    pub(super) fn is_tag(&self, node: Id, tag: Tag) -> bool {
        self.tree[node].tag == Some(tag)
    }
}
