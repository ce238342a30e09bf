//! The components of a schema.

use std::collections::HashMap;

use super::automaton::Content;
use super::simple::SimpleType;

/// The namespace of schemas.
pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";
/// The namespace of `xsi:type` and its like.
pub(super) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

pub(super) type TypeId = usize;
pub(super) type ElementId = usize;

/// A name in its namespace; the namespace is empty where there is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) namespace: String,
    pub(super) local: String,
}

impl Name {
    pub(super) fn new(namespace: &str, local: &str) -> Self {
        Self { namespace: namespace.to_owned(), local: local.to_owned() }
    }

    pub(super) fn is(&self, namespace: &str, local: &str) -> bool {
        self.namespace == namespace && self.local == local
    }

    /// As lists of expected elements show it.
    pub(super) fn expected(&self) -> String {
        if self.namespace.is_empty() {
            self.local.clone()
        } else {
            format!("\"{}\":{}", self.namespace, self.local)
        }
    }
}

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Simple(Box<SimpleType>),
    Complex(ComplexType),
}

/// A complex type.
#[derive(Clone, Debug)]
pub(super) struct ComplexType {
    /// None: it has no name.
    pub(super) name: Option<String>,
    pub(super) is_abstract: bool,
    pub(super) content: ContentType,
    pub(super) attributes: Attributes,
}

/// What may be in an element.
#[derive(Clone, Debug)]
pub(super) enum ContentType {
    Empty,
    Simple(TypeId),
    /// Elements, with text between them if it is mixed.
    Elements {
        mixed: bool,
        model: Content,
    },
}

/// Attributes that an element may have.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) uses: Vec<AttributeUse>,
    pub(super) wildcard: Option<Wildcard>,
}

/// An attribute of a type.
#[derive(Clone, Debug)]
pub(super) struct AttributeUse {
    pub(super) declaration: AttributeDeclaration,
    pub(super) required: bool,
    /// Taken away from the base type.
    pub(super) prohibited: bool,
    /// Fixed where it is used.
    pub(super) fixed: Option<String>,
}

/// An attribute.
#[derive(Clone, Debug)]
pub(super) struct AttributeDeclaration {
    pub(super) name: Name,
    pub(super) of: TypeId,
    pub(super) fixed: Option<String>,
}

/// An element declaration.
#[derive(Clone, Debug)]
pub(super) struct ElementDeclaration {
    pub(super) name: Name,
    pub(super) of: TypeId,
    pub(super) nillable: bool,
    pub(super) is_abstract: bool,
    pub(super) default: Option<String>,
    pub(super) fixed: Option<String>,
    pub(super) constraints: Vec<Constraint>,
}

/// `unique`, `key` or `keyref`.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub(super) kind: ConstraintKind,
    pub(super) name: Name,
    pub(super) selector: super::identity::Paths,
    pub(super) fields: Vec<super::identity::Paths>,
}

/// Which constraint it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConstraintKind {
    Unique,
    Key,
    /// To that key.
    KeyRef(Name),
}

/// What a wildcard lets in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wildcard {
    pub(super) namespaces: Namespaces,
    pub(super) process: Process,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Namespaces {
    Any,
    /// All but this one, and but none.
    Other(String),
    /// These; the empty one is none.
    Of(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Process {
    Strict,
    Lax,
    Skip,
}

impl Wildcard {
    pub(super) fn takes(&self, namespace: &str) -> bool {
        match &self.namespaces {
            Namespaces::Any => true,
            Namespaces::Other(not) => namespace != not && !namespace.is_empty(),
            Namespaces::Of(all) => all.iter().any(|one| one == namespace),
        }
    }

    pub(super) fn expected(&self) -> String {
        let inner = match &self.namespaces {
            Namespaces::Any => "##any".to_owned(),
            Namespaces::Other(not) => format!("##other:\"{not}\""),
            Namespaces::Of(all) => all.iter().map(|one| format!("\"{one}\"")).collect::<Vec<_>>().join(","),
        };
        format!("WC[{inner}]")
    }
}

/// A schema.
#[derive(Debug, Default)]
pub(super) struct Schema {
    pub(super) types: Vec<Type>,
    /// The type that each is derived from, and whether by extension.
    pub(super) bases: Vec<Option<TypeId>>,
    pub(super) elements: Vec<ElementDeclaration>,
    pub(super) global_types: HashMap<Name, TypeId>,
    pub(super) global_elements: HashMap<Name, ElementId>,
    pub(super) global_attributes: HashMap<Name, AttributeDeclaration>,
    /// Elements that may stand for another, by its number.
    pub(super) substitutes: HashMap<ElementId, Vec<ElementId>>,
}

/// The number of `xs:anyType`.
pub(super) const ANY_TYPE: TypeId = 0;

impl Schema {
    pub(super) fn add_type(&mut self, new: Type) -> TypeId {
        self.types.push(new);
        self.bases.push(if self.types.len() == 1 { None } else { Some(ANY_TYPE) });
        self.types.len() - 1
    }

    pub(super) fn add_any_type(&mut self) {
        let any = Wildcard { namespaces: Namespaces::Any, process: Process::Lax };
        let content = ContentType::Elements { mixed: true, model: Content::anything(any.clone()) };
        let attributes = Attributes { uses: Vec::new(), wildcard: Some(any) };
        let any_type =
            ComplexType { name: Some("anyType".to_owned()), is_abstract: false, content, attributes };
        let id = self.add_type(Type::Complex(any_type));
        self.global_types.insert(Name::new(XSD, "anyType"), id);
    }

    pub(super) fn simple(&self, id: TypeId) -> Option<&SimpleType> {
        match &self.types[id] {
            Type::Simple(simple) => Some(simple),
            Type::Complex(_) => None,
        }
    }

    pub(super) fn complex(&self, id: TypeId) -> Option<&ComplexType> {
        match &self.types[id] {
            Type::Complex(complex) => Some(complex),
            Type::Simple(_) => None,
        }
    }

    /// Whether a type is another or derived from it.
    pub(super) fn is_derived(&self, id: TypeId, from: TypeId) -> bool {
        let mut at = Some(id);
        // A chain is no longer than there are types.
        for _ in 0..=self.types.len() {
            match at {
                Some(one) if one == from => return true,
                Some(one) => at = self.bases[one],
                None => return false,
            }
        }
        false
    }

    /// The element that is meant where `declared` is expected and one of that name comes.
    pub(super) fn matching(&self, declared: ElementId, namespace: &str, local: &str) -> Option<ElementId> {
        let is = |id: &ElementId| self.elements[*id].name.is(namespace, local);
        if is(&declared) {
            return Some(declared);
        }
        self.substitutes.get(&declared)?.iter().copied().find(is)
    }

    pub(super) fn global_element(&self, namespace: &str, local: &str) -> Option<ElementId> {
        self.global_elements.get(&Name::new(namespace, local)).copied()
    }
}
