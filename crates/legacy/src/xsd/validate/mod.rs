//! A document against a schema, up to its first fault, in the order in which Xerces finds faults (`XMLSchemaValidator`).

use std::collections::{HashMap, HashSet};

mod attributes;
mod messages;

use messages::{incomplete, wrong};

use super::automaton::{Progress, Step};
use super::identity::{Known, violations};
use super::schema::{ANY_TYPE, ContentType, ElementId, Name, Process, Schema, TypeId, XSI};
use super::simple::{Reading, Variety, unknown_prefix};
use super::value::{Primitive, Value};
use swell_query::xml::{Placed, TagPlace};
use swell_query::{Document, NodeId, NodeKind};

/// A fault: a message at a byte of the document.
pub(super) struct Found {
    pub(super) message: String,
    pub(super) at: usize,
}

/// An element that is open.
struct Open {
    node: NodeId,
    element: Option<ElementId>,
    of: TypeId,
    nil: bool,
    progress: Option<Progress>,
    has_elements: bool,
}

struct Judge<'j> {
    schema: &'j Schema,
    document: &'j Document,
    open: Vec<Open>,
    known: Known,
    ids: HashSet<String>,
    references: Vec<String>,
    /// Whether some element has identity constraints.
    constrained: bool,
}

type Checked<T> = Result<T, String>;

/// The first fault of a document, which may end in the middle.
pub(super) fn first_fault(schema: &Schema, placed: &Placed) -> Option<Found> {
    let document = &placed.document;
    let constrained = schema.elements.iter().any(|element| !element.constraints.is_empty());
    let mut judge = Judge {
        schema,
        document,
        open: Vec::new(),
        known: Known { values: HashMap::new(), scopes: Vec::new() },
        ids: HashSet::new(),
        references: Vec::new(),
        constrained,
    };
    let fault = judge.walk(&placed.places);
    let places: HashMap<NodeId, &TagPlace> = placed.places.iter().map(|place| (place.node, place)).collect();
    if !constrained {
        return fault;
    }
    let reached = fault.as_ref().map_or(usize::MAX, |fault| fault.at);
    let ended = |node: NodeId| places.get(&node).and_then(|place| place.ended);
    let is_whole = |node: NodeId| ended(node).is_some_and(|at| at < reached);
    let broken = violations(schema, document, &judge.known, &is_whole).into_iter().filter_map(|broken| {
        let place = places.get(&broken.node)?;
        let at = if broken.at_start { place.started } else { place.ended? };
        Some(Found { message: broken.message, at })
    });
    // What is found at one place is found after what the judge finds there.
    fault.into_iter().chain(broken).reduce(|first, other| if other.at < first.at { other } else { first })
}

impl Judge<'_> {
    fn walk(&mut self, places: &[TagPlace]) -> Option<Found> {
        let mut ended: Vec<(usize, NodeId)> = Vec::new();
        for place in places {
            while let Some(&(at, node)) = ended.last() {
                if self.document.is_in(place.node, node) {
                    break;
                }
                ended.pop();
                if let Err(message) = self.end() {
                    return Some(Found { message, at });
                }
            }
            if let Err(message) = self.start(place.node) {
                return Some(Found { message, at: place.started });
            }
            ended.push((place.ended.unwrap_or(usize::MAX), place.node));
        }
        while let Some((at, _)) = ended.pop() {
            // The document breaks off in those that are open.
            if at == usize::MAX {
                return None;
            }
            if let Err(message) = self.end() {
                return Some(Found { message, at });
            }
        }
        None
    }

    fn name(&self, node: NodeId) -> &str {
        self.document.name(node)
    }

    fn attribute_of_xsi(&self, node: NodeId, local: &str) -> Option<&str> {
        let is =
            |one: &NodeId| self.document.namespace(*one) == XSI && self.document.local_name(*one) == local;
        self.document.attributes(node).find(is).map(|one| self.document.value(one))
    }

    /// The namespace of a prefix at a node.
    fn namespace(&self, node: NodeId, prefix: &str) -> Option<String> {
        let mut at = node;
        loop {
            let declared = self.document.declarations(at).find(|&one| self.document.name(one) == prefix);
            match declared {
                Some(one) => return Some(self.document.value(one).to_owned()),
                None if at == 0 => return prefix.is_empty().then(String::new),
                None => at = self.document.parent(at),
            }
        }
    }

    /// What the parent says of a child: its declaration, how a wildcard takes it.
    fn belongs(&mut self, node: NodeId) -> Checked<(Option<ElementId>, Option<Process>)> {
        let (namespace, local) = (self.document.namespace(node), self.document.local_name(node));
        let schema = self.schema;
        let Some(parent) = self.open.last_mut() else {
            return Ok((schema.global_element(namespace, local), None));
        };
        parent.has_elements = true;
        let content = schema.complex(parent.of).map(|complex| &complex.content);
        let (Some(ContentType::Elements { model, .. }), Some(progress)) = (content, &mut parent.progress)
        else {
            // Its parent has no elements, which is found at the end of the parent.
            return Ok((schema.global_element(namespace, local), None));
        };
        let before = progress.clone();
        match model.step(schema, progress, namespace, local) {
            Step::Element(id) => Ok((Some(id), None)),
            Step::Any(any) => Ok((schema.global_element(namespace, local), Some(any.process))),
            Step::Wrong => {
                let at = if matches!(before, Progress::All(_)) { &before } else { &*progress };
                Err(wrong(schema, model, at, self.document, node))
            }
        }
    }

    fn start(&mut self, node: NodeId) -> Checked<()> {
        if self.open.last().is_some_and(|parent| parent.of == usize::MAX) {
            self.open.push(skipped(node));
            return Ok(());
        }
        let (element, process) = self.belongs(node)?;
        if process == Some(Process::Skip) {
            self.open.push(skipped(node));
            return Ok(());
        }
        let of = self.type_of(node, element, process)?;
        let declaration = element.map(|id| &self.schema.elements[id]);
        if declaration.is_some_and(|one| one.is_abstract) {
            return Err(format!(
                "cvc-elt.2: The value of {{abstract}} in the element declaration for '{}' must be false.",
                self.name(node)
            ));
        }
        let complex = self.schema.complex(of);
        if complex.is_some_and(|complex| complex.is_abstract) {
            return Err(format!(
                "cvc-type.2: The type definition cannot be abstract for element {}.",
                self.name(node)
            ));
        }
        let nil = self.nil(node, element)?;
        if self.constrained
            && let Some(id) = element
            && declaration.is_some_and(|one| !one.constraints.is_empty())
        {
            self.known.scopes.push((node, id));
        }
        self.attributes(node, complex)?;
        let progress = match complex.map(|complex| &complex.content) {
            Some(ContentType::Elements { model, .. }) => Some(model.start()),
            _ => None,
        };
        self.open.push(Open { node, element, of, nil, progress, has_elements: false });
        Ok(())
    }

    fn type_of(&self, node: NodeId, element: Option<ElementId>, process: Option<Process>) -> Checked<TypeId> {
        let declared = element.map(|id| self.schema.elements[id].of);
        let Some(text) = self.attribute_of_xsi(node, "type") else {
            return match (declared, process) {
                (Some(declared), _) => Ok(declared),
                (None, _) if self.open.is_empty() => {
                    Err(format!("cvc-elt.1.a: Cannot find the declaration of element '{}'.", self.name(node)))
                }
                (None, Some(Process::Strict)) => Err(format!(
                    "cvc-complex-type.2.4.c: The matching wildcard is strict, but no declaration can be found for \
                     element '{}'.",
                    self.name(node)
                )),
                (None, _) => Ok(ANY_TYPE),
            };
        };
        let prefix = |prefix: &str| self.namespace(node, prefix);
        if let Some(unknown) = unknown_prefix(text.trim(), &prefix) {
            return Err(unknown);
        }
        let Some(Value::QName(namespace, local)) = Primitive::QName.read(text.trim(), &prefix) else {
            return Err(format!(
                "cvc-elt.4.1: The value '{text}' of attribute '{XSI},type' of element '{}' is not a valid QName.",
                self.name(node)
            ));
        };
        let Some(&own) = self.schema.global_types.get(&Name { namespace, local }) else {
            return Err(format!(
                "cvc-elt.4.2: Cannot resolve '{text}' to a type definition for element '{}'.",
                self.name(node)
            ));
        };
        if let Some(declared) = declared.filter(|declared| !self.may_replace(own, *declared)) {
            return Err(format!(
                "cvc-elt.4.3: Type '{text}' is not validly derived from the type definition, '{}', of element '{}'.",
                self.type_name(declared),
                self.name(node)
            ));
        }
        Ok(own)
    }

    fn may_replace(&self, own: TypeId, declared: TypeId) -> bool {
        let member = match self.schema.simple(declared).map(|simple| &simple.variety) {
            Some(Variety::Union(members)) => {
                members.iter().any(|member| self.schema.is_derived(own, *member))
            }
            _ => false,
        };
        member || self.schema.is_derived(own, declared)
    }

    fn type_name(&self, id: TypeId) -> String {
        match self.schema.complex(id) {
            Some(complex) => complex.name.clone().unwrap_or_else(|| "null".to_owned()),
            None => self.schema.simple(id).map_or_else(String::new, |simple| simple.shown.clone()),
        }
    }

    fn nil(&self, node: NodeId, element: Option<ElementId>) -> Checked<bool> {
        let (Some(text), Some(id)) = (self.attribute_of_xsi(node, "nil"), element) else { return Ok(false) };
        let declaration = &self.schema.elements[id];
        let name = self.name(node);
        if !declaration.nillable {
            return Err(format!(
                "cvc-elt.3.1: Attribute '{XSI},nil' must not appear on element '{name}', because the {{nillable}} property of \
                 '{name}' is false."
            ));
        }
        let nil = matches!(text.trim(), "true" | "1");
        if nil && declaration.fixed.is_some() {
            return Err(format!(
                "cvc-elt.3.2.2: There must be no fixed {{value constraint}} for element '{name}', because '{XSI},nil' is \
                 specified."
            ));
        }
        Ok(nil)
    }

    fn value_of(&self, node: NodeId, of: TypeId, text: &str) -> Checked<Value> {
        let prefix = |prefix: &str| self.namespace(node, prefix);
        self.schema.value(of, text, &Reading { prefix: &prefix })
    }

    /// A value that stands in the document, whose identity counts.
    fn value(&mut self, node: NodeId, of: TypeId, text: &str) -> Checked<Value> {
        let value = self.value_of(node, of, text)?;
        let item = match self.schema.simple(of).map(|simple| &simple.variety) {
            Some(Variety::List(item)) => *item,
            _ => of,
        };
        let values = match &value {
            Value::List(all) => all.as_slice(),
            one => std::slice::from_ref(one),
        };
        match self.schema.primitive(item) {
            Some(Primitive::Id) => {
                for one in values {
                    if !self.ids.insert(one.to_string()) {
                        return Err(format!("cvc-id.2: There are multiple occurrences of ID value '{one}'."));
                    }
                }
            }
            Some(Primitive::IdRef) => self.references.extend(values.iter().map(ToString::to_string)),
            Some(Primitive::Entity) => {
                return Err(format!("UndeclaredEntity: Entity '{value}' is not declared."));
            }
            _ => {}
        }
        Ok(value)
    }

    fn end(&mut self) -> Checked<()> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        if open.of == usize::MAX {
            return Ok(());
        }
        let texts = self
            .document
            .children(open.node)
            .filter(|&child| matches!(self.document.kind(child), NodeKind::Text | NodeKind::Cdata));
        let text: String = texts.map(|child| self.document.value(child)).collect();
        let name = self.name(open.node).to_owned();
        if open.nil {
            if open.has_elements || !text.is_empty() {
                return Err(format!(
                    "cvc-elt.3.2.1: Element '{name}' cannot have character or element information [children], because \
                     '{XSI},nil' is specified."
                ));
            }
        } else {
            self.content(&open, &text, &name)?;
        }
        if self.open.is_empty() {
            let missing = self.references.iter().find(|one| !self.ids.contains(*one));
            if let Some(missing) = missing {
                return Err(format!("cvc-id.1: There is no ID/IDREF binding for IDREF '{missing}'."));
            }
        }
        Ok(())
    }

    /// What is in an element (`processElementContent`).
    fn content(&mut self, open: &Open, text: &str, name: &str) -> Checked<()> {
        let declaration = open.element.map(|id| &self.schema.elements[id]);
        let given = declaration.and_then(|one| one.fixed.as_deref().or(one.default.as_deref()));
        let is_bare = !open.has_elements && text.is_empty();
        let text = given.filter(|_| is_bare).unwrap_or(text);
        let schema = self.schema;
        let mut value = None;
        match schema.complex(open.of).map(|complex| &complex.content) {
            None => {
                if open.has_elements {
                    return Err(format!(
                        "cvc-type.3.1.2: Element '{name}' is a simple type, so it must have no element information item \
                         [children]."
                    ));
                }
                value = Some((self.value(open.node, open.of, text)?, open.of));
            }
            Some(ContentType::Empty) => {
                if !is_bare {
                    return Err(format!(
                        "cvc-complex-type.2.1: Element '{name}' must have no character or element information item \
                         [children], because the type's content type is empty."
                    ));
                }
            }
            Some(ContentType::Simple(of)) => {
                if open.has_elements {
                    return Err(format!(
                        "cvc-complex-type.2.2: Element '{name}' must have no element [children], and the value must be \
                         valid."
                    ));
                }
                value = Some((self.value(open.node, *of, text)?, *of));
            }
            Some(ContentType::Elements { mixed, model }) => {
                let spaces = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
                if !mixed && !text.trim_matches(spaces).is_empty() {
                    return Err(format!(
                        "cvc-complex-type.2.3: Element '{name}' cannot have character [children], because the type's \
                         content type is element-only."
                    ));
                }
                if let Some(progress) = open.progress.as_ref().filter(|progress| !model.may_end(progress)) {
                    return Err(incomplete(schema, model, progress, name));
                }
            }
        }
        let fixed = declaration.and_then(|one| one.fixed.as_deref()).filter(|_| !is_bare);
        if let Some(fixed) = fixed {
            self.check_fixed(open, text, name, fixed, value.as_ref())?;
        }
        if let (true, Some((value, _))) = (self.constrained, value) {
            self.known.values.insert(open.node, value);
        }
        Ok(())
    }

    fn check_fixed(
        &self,
        open: &Open,
        text: &str,
        name: &str,
        fixed: &str,
        value: Option<&(Value, TypeId)>,
    ) -> Checked<()> {
        if open.has_elements {
            return Err(format!(
                "cvc-elt.5.2.2.1: Element '{name}' must have no element information item [children]."
            ));
        }
        match value {
            Some((value, of)) => {
                let same = self.value_of(open.node, *of, fixed).is_ok_and(|fixed| fixed.is(value));
                let text = self.schema.space_of(*of).of(text);
                if same {
                    return Ok(());
                }
                Err(format!(
                    "cvc-elt.5.2.2.2.2: The value '{text}' of element '{name}' does not match the {{value constraint}} value \
                     '{fixed}'."
                ))
            }
            None if text == fixed => Ok(()),
            None => Err(format!(
                "cvc-elt.5.2.2.2.1: The value '{text}' of element '{name}' does not match the fixed {{value constraint}} value \
                 '{fixed}'."
            )),
        }
    }
}

/// An element whose content nobody judges.
fn skipped(node: NodeId) -> Open {
    Open { node, element: None, of: usize::MAX, nil: false, progress: None, has_elements: false }
}
