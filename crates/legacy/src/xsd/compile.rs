//! From the documents of a schema to its components: elements, attributes, references.

use std::collections::HashMap;

use super::automaton::{Leaf, Particle, Term};
use super::identity::paths;
use super::schema::{
    ANY_TYPE, AttributeDeclaration, AttributeUse, Attributes, Constraint, ConstraintKind, ElementDeclaration,
    ElementId, Name, Namespaces, Process, Schema, TypeId, Wildcard,
};
use super::source::{At, Source, Sources, Space, XML};
use super::{ValidationError, builtin};

/// Groups in groups, simple types in simple types.
const DEEPEST: usize = 100;

/// What is known while components are made.
pub(super) struct Compiling<'s> {
    pub(super) sources: &'s Sources,
    pub(super) schema: Schema,
    pub(super) types: HashMap<At, TypeId>,
    elements: HashMap<At, ElementId>,
    /// Particles of complex types, for those that extend them.
    pub(super) particles: HashMap<TypeId, Particle>,
    /// Elements whose types are not made yet.
    waiting: Vec<(ElementId, At)>,
    /// Simple types that are not made yet.
    pub(super) making: Vec<TypeId>,
    depth: usize,
}

pub(super) type Made<T> = Result<T, ValidationError>;

/// Makes the components.
pub(super) fn compile(sources: &Sources) -> Made<Schema> {
    let mut compiling = Compiling {
        sources,
        schema: Schema::default(),
        types: HashMap::new(),
        elements: HashMap::new(),
        particles: HashMap::new(),
        waiting: Vec::new(),
        making: Vec::new(),
        depth: 0,
    };
    builtin::add(&mut compiling.schema);
    for (name, of) in [("lang", "language"), ("space", "NCName"), ("base", "anyURI"), ("id", "ID")] {
        let of = compiling.schema.global_types[&Name::new(super::schema::XSD, of)];
        let name = Name::new(XML, name);
        let declaration = AttributeDeclaration { name: name.clone(), of, fixed: None };
        compiling.schema.global_attributes.insert(name, declaration);
    }
    for &(space, at) in &sources.order {
        match space {
            Space::Element => drop(compiling.element(at, true)?),
            Space::Type => drop(compiling.type_at(at)?),
            Space::Attribute => {
                let declaration = compiling.attribute(at, true)?;
                compiling.schema.global_attributes.insert(declaration.name.clone(), declaration);
            }
            Space::Group => drop(compiling.group_of(at)?),
            Space::AttributeGroup => drop(compiling.attributes(at)?),
        }
        compiling.catch_up()?;
    }
    compiling.substitutes()?;
    Ok(compiling.schema)
}

impl<'s> Compiling<'s> {
    pub(super) fn source(&self, at: At) -> &'s Source {
        &self.sources.all[at.source]
    }

    pub(super) fn text(&self, at: At, name: &str) -> Option<&'s str> {
        self.source(at).attribute(at.node, name)
    }

    pub(super) fn local(&self, at: At) -> &'s str {
        self.source(at).document.local_name(at.node)
    }

    pub(super) fn children(&self, at: At) -> Vec<At> {
        self.source(at).elements(at.node).map(|node| At { node, ..at }).collect()
    }

    pub(super) fn child(&self, at: At, name: &str) -> Option<At> {
        self.source(at).child(at.node, name).map(|node| At { node, ..at })
    }

    pub(super) fn flag(&self, at: At, name: &str) -> bool {
        self.text(at, name).is_some_and(|text| matches!(text.trim(), "true" | "1"))
    }

    /// The name of a reference, as messages have it, and the name that it stands for.
    pub(super) fn reference(&self, at: At, attribute: &str) -> Option<(&'s str, Name)> {
        let text = self.text(at, attribute)?;
        Some((text, self.source(at).name(at.node, text)))
    }

    pub(super) fn unresolved(&self, at: At, shown: &str, what: &str) -> ValidationError {
        let message = format!("src-resolve: Cannot resolve the name '{shown}' to a(n) '{what}' component.");
        self.source(at).fault(at.node, message)
    }

    pub(super) fn global(&self, space: Space, name: &Name) -> Option<At> {
        self.sources.globals.get(&(space, name.clone())).copied()
    }

    /// Goes into something that may hold itself.
    pub(super) fn deeper<T>(&mut self, at: At, work: impl FnOnce(&mut Self) -> Made<T>) -> Made<T> {
        if self.depth >= DEEPEST {
            return Err(self
                .source(at)
                .fault(at.node, "the definitions of this schema go round in circles".to_owned()));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    fn catch_up(&mut self) -> Made<()> {
        while let Some((element, at)) = self.waiting.pop() {
            let of = self.type_of_element(at)?;
            self.schema.elements[element].of = of;
        }
        Ok(())
    }

    /// A declaration, whose type is made later.
    pub(super) fn element(&mut self, at: At, global: bool) -> Made<ElementId> {
        if let Some((shown, name)) = self.reference(at, "ref") {
            let target = self.global(Space::Element, &name);
            let target = target.ok_or_else(|| self.unresolved(at, shown, "element declaration"))?;
            return self.element(target, true);
        }
        if let Some(&known) = self.elements.get(&at) {
            return Ok(known);
        }
        let source = self.source(at);
        let qualified = match self.text(at, "form") {
            Some(form) => form == "qualified",
            None => source.elements_qualified,
        };
        let namespace = if global || qualified { source.target.as_str() } else { "" };
        let name = Name::new(namespace, self.text(at, "name").unwrap_or_default());
        let id = self.schema.elements.len();
        let owned = |text: Option<&str>| text.map(str::to_owned);
        self.schema.elements.push(ElementDeclaration {
            name: name.clone(),
            of: ANY_TYPE,
            nillable: self.flag(at, "nillable"),
            is_abstract: self.flag(at, "abstract"),
            default: owned(self.text(at, "default")),
            fixed: owned(self.text(at, "fixed")),
            constraints: self.constraints(at),
        });
        self.elements.insert(at, id);
        if global {
            self.schema.global_elements.insert(name, id);
        }
        self.waiting.push((id, at));
        Ok(id)
    }

    fn type_of_element(&mut self, at: At) -> Made<TypeId> {
        if self.text(at, "type").is_some() {
            return self.type_named(at, "type");
        }
        if let Some(own) = self.child(at, "complexType").or_else(|| self.child(at, "simpleType")) {
            return self.type_at(own);
        }
        let Some((shown, head)) = self.reference(at, "substitutionGroup") else { return Ok(ANY_TYPE) };
        let target = self.global(Space::Element, &head);
        let target = target.ok_or_else(|| self.unresolved(at, shown, "element declaration"))?;
        self.deeper(at, |this| this.type_of_element(target))
    }

    /// The type that an attribute names.
    pub(super) fn type_named(&mut self, at: At, attribute: &str) -> Made<TypeId> {
        let (shown, name) = self.reference(at, attribute).unwrap_or_else(|| ("", Name::new("", "")));
        self.type_of_name(at, shown, &name)
    }

    pub(super) fn type_of_name(&mut self, at: At, shown: &str, name: &Name) -> Made<TypeId> {
        if let Some(&known) = self.schema.global_types.get(name) {
            if self.making.contains(&known) {
                let message = format!(
                    "st-props-correct.2: Circular definitions have been detected for simple type '{shown}'. This means that \
                     '{shown}' is contained in its own type hierarchy, which is an error."
                );
                return Err(self.source(at).fault(at.node, message));
            }
            return Ok(known);
        }
        let target = self.global(Space::Type, name);
        let target = target.ok_or_else(|| self.unresolved(at, shown, "type definition"))?;
        self.type_at(target)
    }

    fn constraints(&self, at: At) -> Vec<Constraint> {
        let source = self.source(at);
        let of = |at: At, name: &str| {
            let node = source.child(at.node, name)?;
            paths(source.attribute(node, "xpath")?, &|prefix| source.namespace(node, prefix))
        };
        let made = self.children(at).into_iter().filter_map(|child| {
            let kind = match self.local(child) {
                "unique" => ConstraintKind::Unique,
                "key" => ConstraintKind::Key,
                "keyref" => ConstraintKind::KeyRef(self.reference(child, "refer")?.1),
                _ => return None,
            };
            let fields =
                source.elements(child.node).filter(|&node| source.document.local_name(node) == "field");
            let read =
                |node| paths(source.attribute(node, "xpath")?, &|prefix| source.namespace(node, prefix));
            let fields: Option<Vec<_>> = fields.map(read).collect();
            let name = Name::new(&source.target, self.text(child, "name").unwrap_or_default());
            Some(Constraint { kind, name, selector: of(child, "selector")?, fields: fields? })
        });
        made.collect()
    }

    /// Elements that may stand for others, those that stand for them included.
    fn substitutes(&mut self) -> Made<()> {
        let mut direct: HashMap<ElementId, Vec<ElementId>> = HashMap::new();
        for &(space, at) in &self.sources.order {
            let head = self.reference(at, "substitutionGroup").filter(|_| space == Space::Element);
            let Some((shown, head)) = head else { continue };
            let head = self.schema.global_elements.get(&head).copied();
            let head = head.ok_or_else(|| self.unresolved(at, shown, "element declaration"))?;
            direct.entry(head).or_default().push(self.elements[&at]);
        }
        for &head in direct.keys() {
            let (mut all, mut next) = (Vec::new(), vec![head]);
            while let Some(one) = next.pop() {
                for &member in direct.get(&one).into_iter().flatten() {
                    if member != head && !all.contains(&member) {
                        all.push(member);
                        next.push(member);
                    }
                }
            }
            self.schema.substitutes.insert(head, all);
        }
        Ok(())
    }

    /// The particle of an element, a wildcard, a group or a list of them; none if it is not one.
    pub(super) fn particle(&mut self, at: At) -> Made<Option<Particle>> {
        let number = |name: &str, default: u32| match self.text(at, name) {
            Some("unbounded") => None,
            Some(text) => Some(text.trim().parse().unwrap_or(default)),
            None => Some(default),
        };
        let (least, most) = (number("minOccurs", 1).unwrap_or(1), number("maxOccurs", 1));
        let term = match self.local(at) {
            "element" => Term::Leaf(Leaf::Element(self.element(at, false)?)),
            "any" => Term::Leaf(Leaf::Any(self.wildcard(at))),
            "sequence" => Term::Sequence(self.members(at)?),
            "choice" => Term::Choice(self.members(at)?),
            "all" => Term::All(self.members(at)?),
            "group" => self.group(at)?,
            _ => return Ok(None),
        };
        Ok(Some(Particle { least, most, term }))
    }

    fn members(&mut self, at: At) -> Made<Vec<Particle>> {
        self.deeper(at, |this| {
            let all = this.children(at).into_iter();
            all.filter_map(|child| this.particle(child).transpose()).collect()
        })
    }

    fn group(&mut self, at: At) -> Made<Term> {
        let (shown, name) = self.reference(at, "ref").unwrap_or_else(|| ("", Name::new("", "")));
        let target = self.global(Space::Group, &name);
        let target = target.ok_or_else(|| self.unresolved(at, shown, "group"))?;
        self.group_of(target)
    }

    /// What a group declaration holds.
    fn group_of(&mut self, at: At) -> Made<Term> {
        let inner = self.children(at).into_iter().next();
        let particle = match inner {
            Some(inner) => self.deeper(at, |this| this.particle(inner))?,
            None => None,
        };
        Ok(particle.map_or(Term::Sequence(Vec::new()), |particle| particle.term))
    }

    pub(super) fn wildcard(&self, at: At) -> Wildcard {
        let target = &self.source(at).target;
        let namespaces = match self.text(at, "namespace").unwrap_or("##any").trim() {
            "##any" => Namespaces::Any,
            "##other" => Namespaces::Other(target.clone()),
            list => {
                let of = |word: &str| match word {
                    "##targetNamespace" => target.clone(),
                    "##local" => String::new(),
                    other => other.to_owned(),
                };
                Namespaces::Of(list.split_whitespace().map(of).collect())
            }
        };
        let process = match self.text(at, "processContents") {
            Some("lax") => Process::Lax,
            Some("skip") => Process::Skip,
            _ => Process::Strict,
        };
        Wildcard { namespaces, process }
    }

    /// An attribute declaration.
    pub(super) fn attribute(&mut self, at: At, global: bool) -> Made<AttributeDeclaration> {
        let source = self.source(at);
        let qualified = match self.text(at, "form") {
            Some(form) => form == "qualified",
            None => source.attributes_qualified,
        };
        let namespace = if global || qualified { source.target.as_str() } else { "" };
        let name = Name::new(namespace, self.text(at, "name").unwrap_or_default());
        let of = if self.text(at, "type").is_some() {
            self.type_named(at, "type")?
        } else if let Some(own) = self.child(at, "simpleType") {
            self.type_at(own)?
        } else {
            self.any_simple_type()
        };
        let fixed = if global { self.text(at, "fixed").map(str::to_owned) } else { None };
        Ok(AttributeDeclaration { name, of, fixed })
    }

    pub(super) fn any_simple_type(&self) -> TypeId {
        self.schema.global_types[&Name::new(super::schema::XSD, "anySimpleType")]
    }

    fn attribute_use(&mut self, at: At) -> Made<AttributeUse> {
        let declaration = match self.reference(at, "ref") {
            None => self.attribute(at, false)?,
            Some((shown, name)) => {
                if let Some(known) = self.schema.global_attributes.get(&name) {
                    known.clone()
                } else {
                    let target = self.global(Space::Attribute, &name);
                    let target = target.ok_or_else(|| self.unresolved(at, shown, "attribute declaration"))?;
                    self.attribute(target, true)?
                }
            }
        };
        let how = self.text(at, "use").unwrap_or("optional");
        let fixed = self.text(at, "fixed").map(str::to_owned);
        Ok(AttributeUse { declaration, required: how == "required", prohibited: how == "prohibited", fixed })
    }

    /// Attributes that stand directly in a node or in the groups that it names.
    pub(super) fn attributes(&mut self, at: At) -> Made<Attributes> {
        let mut all = Attributes::default();
        for child in self.children(at) {
            match self.local(child) {
                "attribute" => {
                    let one = self.attribute_use(child)?;
                    all.uses.push(one);
                }
                "attributeGroup" => {
                    let (shown, name) =
                        self.reference(child, "ref").unwrap_or_else(|| ("", Name::new("", "")));
                    let target = self.global(Space::AttributeGroup, &name);
                    let target = target.ok_or_else(|| self.unresolved(child, shown, "attribute group"))?;
                    let group = self.deeper(child, |this| this.attributes(target))?;
                    all.uses.extend(group.uses);
                    all.wildcard = both(all.wildcard, group.wildcard);
                }
                "anyAttribute" => all.wildcard = both(Some(self.wildcard(child)), all.wildcard),
                _ => {}
            }
        }
        Ok(all)
    }
}

/// What both let in; one alone counts.
fn both(first: Option<Wildcard>, second: Option<Wildcard>) -> Option<Wildcard> {
    let (first, second) = match (first, second) {
        (Some(first), Some(second)) => (first, second),
        (one, other) => return one.or(other),
    };
    let namespaces = match (first.namespaces, second.namespaces) {
        (Namespaces::Any, other) | (other, Namespaces::Any) => other,
        (Namespaces::Of(all), other) | (other, Namespaces::Of(all)) => {
            let other = Wildcard { namespaces: other, process: Process::Strict };
            Namespaces::Of(all.into_iter().filter(|one| other.takes(one)).collect())
        }
        (Namespaces::Other(not), _) => Namespaces::Other(not),
    };
    Some(Wildcard { namespaces, process: first.process })
}

/// What either lets in.
pub(super) fn either(own: Option<Wildcard>, base: Option<Wildcard>) -> Option<Wildcard> {
    let (own, base) = match (own, base) {
        (Some(own), Some(base)) => (own, base),
        (one, other) => return one.or(other),
    };
    let process = own.process;
    let namespaces = match (own.namespaces, base.namespaces) {
        (Namespaces::Of(mut all), Namespaces::Of(more)) => {
            all.extend(more);
            Namespaces::Of(all)
        }
        (Namespaces::Other(not), Namespaces::Other(other)) if not == other => Namespaces::Other(not),
        (Namespaces::Other(not), Namespaces::Of(all)) | (Namespaces::Of(all), Namespaces::Other(not))
            if !all.contains(&not) =>
        {
            Namespaces::Other(not)
        }
        _ => Namespaces::Any,
    };
    Some(Wildcard { namespaces, process })
}
